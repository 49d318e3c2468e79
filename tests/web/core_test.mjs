// node core_test.mjs SST PAGE FILE...   For each FILE and 20 damaged copies, the core of PAGE must
// agree with SST: the JSON of check, layout, filter and stats, the entries, and the bytes of a
// salvaged table.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadCore } from "./core.mjs";
import { encrypted, makeDatabase } from "./database.mjs";

const [sst, page, ...files] = process.argv.slice(2);
const folder = mkdtempSync(path.join(process.env.TEST_TMPDIR ?? tmpdir(), "core-"));
let compared = 0;
let decoded = 0; // tables by known programs
let named = 0; // tables whose first key a lookup shows as the program does
let wrong = 0;

const DECODED = ["--decode", "auto", "--format", "json"];

const native = (...args) => spawnSync(sst, args, { maxBuffer: 1 << 30, encoding: "buffer" }).stdout;

function expectSame(what, ours, theirs) {
  ++compared;
  const [a, b] = [ours, theirs].map((x) => (typeof x === "string" ? x : JSON.stringify(x)));
  if (a === b) return;
  ++wrong;
  let at = 0;
  while (a[at] === b[at]) ++at;
  const cut = (text) => text.slice(Math.max(at - 60, 0), at + 100);
  console.log(`${what} differs at ${at}:\n  page: ${cut(a)}\n  sst:  ${cut(b)}`);
}

const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");
// sst escapes characters that affect terminals or are invisible. The core's reports don't, since
// nobody sees them.
const unescaped = (json) =>
  json.replace(/\\(u[0-9a-f]{4}|.)/g, (escape, what) => {
    const code = parseInt(what.slice(1), 16);
    return what.length === 5 && code >= 0x7f ? String.fromCharCode(code) : escape;
  });
const report = (command, file) =>
  unescaped(native(command, "--format", "json", file).toString().trim());

function tryCall(core, ...args) {
  try {
    return core.call(...args);
  } catch (error) {
    return error;
  }
}

// The lines of `sst salvage` about a table, without its name and the advice after them.
function salvageByTool(file, out) {
  const options = ["salvage", "--decode", "auto", "-o", out, file];
  const { status, stderr } = spawnSync(sst, options, { encoding: "utf8" });
  const start = `sst: ${file}: `;
  const said = stderr.split("\n").filter((line) => line.startsWith(start));
  return { status, lines: said.map((line) => line.slice(start.length)) };
}

const sayingHow = (line) => line.replace("the command sst salvage ", "");

function compareSalvage(core, file) {
  const out = path.join(folder, "salvaged.ldb");
  const { status, lines } = salvageByTool(file, out);
  const ours = tryCall(core, "salvage", out);
  if (ours instanceof Error)
    return expectSame(`${file}: salvage fails`, ours.message, `${file}: ${lines.join()}`);
  const report = JSON.parse(ours);
  expectSame(`${file}: salvage`, report.lines.map(sayingHow), lines);
  expectSame(`${file}: nothing is lost`, report.complete, status === 0);
  const written = existsSync(out);
  const bytes = Buffer.concat(core.pieces);
  expectSame(`${file}: whether a table is saved`, bytes.length > 0, written);
  if (written) expectSame(`${file}: salvaged bytes`, digest(bytes), digest(readFileSync(out)));
  rmSync(out, { force: true });
}

// Times may differ, and so may the last digit of a theoretical rate.
function compareFilters(core, file) {
  const comparable = (text) =>
    JSON.parse(text).filters.map((filter) => ({
      ...filter,
      expected_rate: undefined,
      probe_ns_measured_here: undefined,
    }));
  const options = ["--probes", "2000", "--format", "json"];
  const theirs = native("filter", "compare", ...options, file).toString();
  const ours = core.call("comparison", 2000);
  expectSame(`${file}: filter compare`, comparable(ours), comparable(theirs));
}

function compare(core, file) {
  const bytes = readFileSync(file);
  let about;
  try {
    about = JSON.parse(core.open(file, bytes));
  } catch (error) {
    const theirs = JSON.parse(report("check", file));
    expectSame(`${file}: why it can't be opened`, error.message, String(theirs.error));
    return compareSalvage(core, file);
  }
  expectSame(`${file}: kind of keys`, about.keys, JSON.parse(report("stats", file)).keys);
  for (const command of ["check", "layout", "filter", "stats"]) {
    const ours = tryCall(core, command);
    expectSame(`${file}: ${command}`, ours instanceof Error ? "" : ours, report(command, file));
  }
  compareFilters(core, file);
  for (const format of ["jsonl", "csv"]) {
    const theirs = native("dump", "--format", format, file);
    expectSame(`${file}: ${format}`, digest(core.dump(format).text), digest(theirs));
  }
  if (JSON.parse(core.call("decoder")) !== null) {
    ++decoded;
    for (const format of ["jsonl", "csv"]) {
      const theirs = native("dump", "--decode", "auto", "--format", format, file);
      const ours = core.dump(format, true).text;
      expectSame(`${file}: decoded ${format}`, digest(ours), digest(theirs));
    }
    const { key, key_hex: hex } = JSON.parse(core.dump("jsonl").text.split("\n", 1)[0]);
    const lookup = JSON.parse(core.call("lookup", key ?? Buffer.from(hex, "hex")));
    if (typeof lookup.decoded_key === "string") ++named;
  }
  compareSalvage(core, file);
}

// A table encrypted by NetEase's edition of Minecraft can be read with the CURRENT next to it.
// Without CURRENT, the encryption is reported.
function compareEncrypted(core) {
  const table = readFileSync("tests/testdata/leveldb-1.23-elements.ldb");
  core.open("000005.ldb", table);
  const { text } = core.dump("jsonl");
  core.open("000005.ldb", encrypted(table), encrypted(Buffer.from("MANIFEST-000002\n")));
  expectSame("an encrypted table", core.dump("jsonl").text, text);
  let why = "";
  try {
    core.open("000005.ldb", encrypted(table));
  } catch (error) {
    why = error.message;
  }
  const named = "000005.ldb: is encrypted by NetEase's edition of Minecraft";
  expectSame("an encrypted table alone", why.slice(0, named.length), named);
}

// A filter made with another hash must hide no key. In the largest tables, only every 64th key is
// looked up.
function compareForeignFilters(core) {
  const made = path.join(folder, "foreign");
  mkdirSync(made);
  const { stdout } = spawnSync("tests/support/foreign_tables", [made]);
  const tables = stdout.toString().trim().split("\n");
  expectSame("tables of other hashes", tables.length, 5 * 4 * 12);
  for (const table of tables) {
    const lines = native("dump", "--keys", "plain", "--format", "tsv", table).toString().trim();
    const keys = lines.split("\n").map((line) => line.split("\t")[0]);
    const asked = keys.filter((_, i) => keys.length < 1000 || i % 64 === 0);
    core.open(table, readFileSync(table));
    const found = asked.filter((key) => JSON.parse(core.call("lookup", key)).found);
    expectSame(`${table}: keys found`, found.length, asked.length);
  }
}

// Damages a file in 20 ways that are the same in every run.
function* damagedCopies(sources) {
  let state = 16;
  const random = (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  for (let i = 0; i < 20; ++i) {
    const source = sources[i % sources.length];
    let bytes = Buffer.from(readFileSync(source));
    const at = random(bytes.length);
    if (i % 4 === 0) bytes[at] ^= 1 << random(8);
    if (i % 4 === 1) bytes = bytes.subarray(0, at);
    if (i % 4 === 2) bytes.fill(0, at, at + 500);
    if (i % 4 === 3) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 100)]);
    const copy = path.join(folder, `damaged-${i}.ldb`);
    writeFileSync(copy, bytes);
    yield copy;
  }
}

// A file of 1 GiB that begins with `bytes` and ends with their footer, with zeros in between.
class LargeFile {
  length = 2 ** 30;
  constructor(bytes) {
    this.start = bytes.subarray(0, -48);
    this.footer = bytes.subarray(-48);
  }
  copy(to, _, from, end) {
    to.fill(0);
    if (from < this.start.length) this.start.copy(to, 0, from, end);
    const footerAt = this.length - 48;
    if (end > footerAt) this.footer.copy(to, footerAt - from);
    return end - from;
  }
}

// A large table can be opened, drawn and searched without being read completely.
function compareLarge(core, file) {
  const bytes = readFileSync(file);
  core.bytesRead = 0;
  const about = JSON.parse(core.open("large", new LargeFile(bytes)));
  const places = JSON.parse(core.call("places", 1000));
  core.call("lookup", "a key");
  core.call("entries", "", "", 0, 0);
  core.call("next_entries", 10, 1000, 10);
  expectSame(`${file}, made large: size`, [about.file_size, places.file_size], [2 ** 30, 2 ** 30]);
  const { data_blocks: blocks } = JSON.parse(report("check", file));
  expectSame(`${file}, made large: blocks`, about.data_blocks, blocks);
  expectSame(`${file}, made large: little is read`, core.bytesRead < 2 ** 25, true);
}

// If a sector of a table can't be read, only the blocks in it are lost.
function compareUnreadableSector(core) {
  const [tsv, table] = ["large.tsv", "large.ldb"].map((name) => path.join(folder, name));
  const lines = Array.from({ length: 20_000 }, (_, i) => `key${100_000 + i}\t${"x".repeat(90)}\n`);
  writeFileSync(tsv, lines.join(""));
  native("build", "--compression", "none", table, tsv);
  const bytes = readFileSync(table);
  const bad = 200 * 4096; // in a chunk of 256 KB
  const file = {
    length: bytes.length,
    copy: (to, _, from, end) =>
      from < bad + 4096 && end > bad ? 0 : bytes.copy(to, 0, from, Math.min(end, bytes.length)),
  };
  core.open(table, file);
  const ours = JSON.parse(core.call("salvage", "new.ldb")).lines;
  const zeroed = path.join(folder, "zeroed.ldb");
  writeFileSync(zeroed, bytes.fill(0, bad, bad + 4096));
  const out = path.join(folder, "zeroed-salvaged.ldb");
  const theirs = salvageByTool(zeroed, out).lines;
  const lost = (lines) => lines.filter((line) => line.startsWith("lost: "));
  expectSame("a bad sector: lost", lost(ours), lost(theirs));
  expectSame("a bad sector: saved", ours.at(-1), theirs.at(-1));
  expectSame("a bad sector: something is lost", lost(ours).length > 0, true);
  expectSame("a bad sector: said", ours[1].includes(`at offset ${bad} (4096 bytes)`), true);
}

// A folder with an unreadable table, and a file with the name of a method.
async function compareUnreadableFile(database) {
  const copy = path.join(folder, "unreadable");
  cpSync(database, copy, { recursive: true });
  writeFileSync(path.join(copy, "hasOwnProperty"), "of somebody else\n");
  const tables = readdirSync(copy).filter((name) => name.endsWith(".ldb"));
  const [core, rescuing] = [await loadCore(page), await loadCore(page)];
  core.unreadable = rescuing.unreadable = tables[0];
  const { database: opened } = JSON.parse(core.openFolder(copy));
  const others = opened.files.map((file) => file.name);
  expectSame("an unreadable file: others", others.includes("hasOwnProperty"), true);
  const unread = JSON.parse(core.call("folder_entries")).tables.filter((table) => !table.ok);
  expectSame("an unreadable file", unread.map(({ name }) => name).includes(tables[0]), true);
  const { report, read_error: error } = JSON.parse(rescuing.salvageFolder(copy, "new"));
  expectSame("an unreadable file: rescue", report.complete, false);
  expectSame("an unreadable file: said", error.includes(tables[0]), true);
  expectSame("an unreadable file: entries of others", report.entries > 1000, true);
}

// Compares the files and messages with those of `sst salvage`.
async function compareRescue(database) {
  const [name, parent] = [path.basename(database), path.dirname(database)];
  const newFolder = `${name}-rescued`;
  const options = ["salvage", ...DECODED, name, "-o", newFolder];
  const { stdout } = spawnSync(path.resolve(sst), options, { cwd: parent });
  const core = await loadCore(page);
  const {
    report: ours,
    verdict,
    read_error: error,
  } = JSON.parse(core.salvageFolder(database, newFolder));
  const where = `${name}: rescue`;
  expectSame(where, ours, JSON.parse(stdout));
  expectSame(`${where}: all is read`, error, null);
  expectSame(`${where}: a verdict`, verdict.includes(` in ${newFolder}`), true);
  const files = readdirSync(path.join(parent, newFolder)).sort();
  expectSame(`${where}: names`, [...core.newFiles.keys()].sort(), files);
  for (const file of files) {
    const theirs = readFileSync(path.join(parent, newFolder, file));
    expectSame(`${where}: ${file}`, digest(core.newFiles.get(file)), digest(theirs));
  }
  expectSame(`${where}: there are tables`, files.length > 10, true);
  rmSync(path.join(parent, newFolder), { recursive: true });
}

// Compares a folder's entries and lookups with `sst dump` and `sst get --explain`.
function compareFolderEntries(core, database) {
  const [name, cwd] = [path.basename(database), path.dirname(database)];
  const run = (...args) => spawnSync(path.resolve(sst), args, { cwd, maxBuffer: 1 << 30 });
  for (const format of ["jsonl", "csv"]) {
    for (const history of [false, true]) {
      const options = history ? ["--history"] : [];
      const { stdout } = run("dump", "--format", format, ...options, name);
      const { text } = core.dumpFolder(format, { history });
      expectSame(`${name}: ${format} ${options}`, digest(text), digest(stdout));
      expectSame(`${name}: some ${format}`, text.length > 100_000, true);
    }
  }
  for (const key of ["key001000", "key000700", "key005003", "key0050031", "a", "z"]) {
    const lookup = JSON.parse(core.call("folder_lookup", key));
    const { stdout, stderr } = run("get", "--explain", name, key);
    const value = lookup.found && !lookup.deleted ? lookup.value : "";
    expectSame(`${name}: value of ${key}`, value, stdout.toString());
    const isSaid = stderr.toString().includes(lookup.explained);
    expectSame(`${name}: steps to ${key}`, isSaid && lookup.explained.includes(key), true);
  }
}

// Compares a folder with `sst ls`, first without reading the tables.
async function compareFolder(core) {
  const database = makeDatabase(path.resolve(sst), folder);
  const name = path.basename(database);
  const listed = (...options) =>
    spawnSync(path.resolve(sst), ["ls", ...DECODED, ...options, name], { cwd: folder })
      .stdout.toString()
      .trim();
  const { database: opened, ranges } = JSON.parse(core.openFolder(database));
  // --no-entries omits problems that the page looks for.
  const expected = JSON.parse(listed("--no-entries"));
  expectSame("folder", opened.tables, expected.tables);
  expectSame("folder: ranges", ranges.length, expected.tables.length);
  expectSame("folder: entries", core.call("folder_entries"), listed());

  compareFolderEntries(core, database);
  await compareRescue(database);
  await compareUnreadableFile(database);
  // A truncated MANIFEST, a missing one, and a damaged log.
  const damaged = path.join(folder, "damaged");
  cpSync(database, damaged, { recursive: true });
  const manifest = readdirSync(damaged).find((file) => file.startsWith("MANIFEST-"));
  truncateSync(path.join(damaged, manifest), 100);
  await compareRescue(damaged);
  rmSync(path.join(damaged, manifest));
  rmSync(path.join(damaged, "CURRENT"));
  await compareRescue(damaged);

  // Tables that no edit refers to.
  const run = (args, input) => spawnSync(path.resolve(sst), args, { cwd: folder, input });
  run(["build", "--keys", "internal", `${name}/000120.ldb`], "newest\t900000\tvalue\tof all\n");
  const [first] = JSON.parse((await loadCore(page)).openFolder(database)).database.problems;
  expectSame("older MANIFEST", first.message.includes("is older than the folder: "), true);
}

const core = await loadCore(page);
await compareFolder(core);
compareEncrypted(core);
compareUnreadableSector(core);
compareForeignFilters(core);
for (const file of files) compare(core, file);
const sources = files.filter((file) => readFileSync(file).length > 1000).slice(0, 10);
const large = sources.find((file) => JSON.parse(report("check", file)).ok);
if (large) compareLarge(core, large);
let copies = 0;
for (const copy of damagedCopies(sources)) {
  compare(core, copy);
  ++copies;
}
rmSync(folder, { recursive: true });
console.log(
  `${files.length} files, ${decoded} decoded, ${copies} damaged copies, ${compared} compared, ${wrong} wrong`,
);
if (decoded > 0) expectSame("some keys have names", named > 0, true);
process.exit(wrong > 0 || files.length === 0 || compared < 5 * files.length ? 1 : 0);
