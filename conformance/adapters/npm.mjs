// Adapter for this project's npm package.
import { readFileSync } from "node:fs";
import { openDatabase, openTable, SstableError } from "sstable";

const [operation, path, comparator] = process.argv.slice(2);
const [what, kind] = operation.split("-");
if (kind === "log") process.exit(3);
// The package can't select another comparator.
if (kind !== "database" && !comparator.startsWith("leveldb.")) process.exit(3);
const print = (row) => process.stdout.write(JSON.stringify(row) + "\n");
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const keys = what === "scan" ? [] : readFileSync(0, "ascii").split("\n").slice(0, -1);

const timed = (opened) => {
  const bytes = keys.map((key) => Buffer.from(key, "hex"));
  const start = process.cpuUsage();
  const row = { entries: 0, bytes: 0, found: 0 };
  for (const [key, value] of opened) {
    ++row.entries;
    row.bytes += key.length + value.length;
  }
  const seconds = ({ user, system }) => (user + system) / 1e6;
  row.read = seconds(process.cpuUsage(start));
  for (const key of bytes) row.found += opened.get(key) !== undefined;
  row.gets = seconds(process.cpuUsage(start)) - row.read;
  print(row);
};

try {
  const opened = await (kind === "database"
    ? openDatabase(path)
    : openTable(path, { internalKeys: kind === "table" }));
  if (what === "time") {
    timed(opened);
  } else if (what === "get") {
    for (const key of keys) {
      try {
        const value = opened.get(Buffer.from(key, "hex"));
        print({ key, value: value ? hex(value) : null });
      } catch (error) {
        print({ key, error: error.message });
        process.exitCode = 1;
      }
    }
  } else if (kind === "table") {
    for (const { key, value, sequence, isDeletion } of opened.history()) {
      const row = { key: hex(key), value: hex(value), type: isDeletion ? 0 : 1 };
      process.stdout.write(`${JSON.stringify(row).slice(0, -1)},"sequence":${sequence}}\n`);
    }
  } else {
    for (const [key, value] of opened) print({ key: hex(key), value: hex(value) });
  }
  if (kind === "database" && opened.problems().some(({ isDamage }) => isDamage)) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof SstableError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
