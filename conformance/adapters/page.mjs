// Adapter for this project's page, docs/viewer/index.html: its core in Node.js. Only reads tables.
import { readFileSync } from "node:fs";
import path from "node:path";

const [core, page, operation, table] = process.argv.slice(2);
const [what, kind] = operation.split("-");
if (!["table", "plain"].includes(kind)) process.exit(3);
const { loadCore } = await import(path.resolve(core));
const print = (row) => process.stdout.write(JSON.stringify(row) + "\n");
const hex = (row, name) =>
  row[`${name}_hex`] ?? (row[name] === undefined ? "" : Buffer.from(row[name]).toString("hex"));
try {
  const opened = await loadCore(page);
  opened.open(path.basename(table), readFileSync(table));
  if (what === "scan") {
    const { text, errors } = opened.dump("jsonl");
    for (const line of text.split("\n").slice(0, -1)) {
      const row = JSON.parse(line);
      const type = { value: 1, deletion: 0 }[row.type] ?? row.type;
      const sequence = String(row.sequence ?? null); // a string if it is above 2^53
      const shown = { key: hex(row, "key"), value: hex(row, "value"), type };
      process.stdout.write(`${JSON.stringify(shown).slice(0, -1)},"sequence":${sequence}}\n`);
    }
    if (errors.length > 0) throw new Error(errors[0]);
  } else {
    for (const key of readFileSync(0, "ascii").split("\n").slice(0, -1)) {
      const answer = JSON.parse(opened.call("lookup", Buffer.from(key, "hex")));
      const why = answer.error ?? answer.why_not_searchable;
      if (why) process.exitCode = 1;
      if (why) print({ key, error: why });
      else print({ key, value: answer.found && !answer.deleted ? hex(answer, "value") : null });
    }
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
