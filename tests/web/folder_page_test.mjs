// node folder_page_test.mjs SST PAGE AXE   In headless Chromium, PAGE must show the same of a
// database folder as `sst ls`, both when the folder is dropped on it and in a report of SST. Also
// tests: opening a table by clicking; results of `sst salvage`, `get --explain` and `dump`;
// databases in subfolders; that the last choice wins. A closed table, an unreadable file or folder,
// exhausted memory and a fault of the core must give messages and leave the page usable.
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Browser } from "./browser.mjs";
import { encrypted, makeDatabase } from "./database.mjs";
import { writeWithLittleMemory } from "./little_memory.mjs";

const [sst, page, axe] = process.argv.slice(2, 5).map((arg) => path.resolve(arg));
const folder = mkdtempSync(path.join(process.env.TEST_TMPDIR ?? tmpdir(), "folder-"));
const axeSource = readFileSync(axe, "utf8");
const browser = await Browser.start();
let compared = 0;
let wrong = 0;

function expectSame(what, shown, expected) {
  ++compared;
  if (JSON.stringify(shown) === JSON.stringify(expected)) return;
  ++wrong;
  console.log(
    `${what}:\n  shown:    ${JSON.stringify(shown)}\n  expected: ${JSON.stringify(expected)}`,
  );
}

const run = (...args) => spawnSync(sst, args, { maxBuffer: 1 << 30 });
const grouped = (n) => n.toLocaleString("en-US");
const DONE = "document.getElementById('table').dataset.state === 'done'";

const SHOWN = `(() => {
  const text = (element) => element?.textContent ?? null;
  const rows = (id) => [...document.querySelectorAll("#" + id + " tbody tr")]
    .map((row) => [...row.cells].map(text));
  return {
    title: text(document.querySelector("h1:not(#welcome *)")),
    verdict: text(document.querySelector(".verdict")),
    levels: [...document.querySelectorAll("#levels h3")].map(text),
    tables: rows("tables"),
    problems: [...document.querySelectorAll("#check ol li")].map(text),
    others: [...document.querySelectorAll("#others li")].map((li) => text(li.firstChild)),
  };
})()`;

async function expectShown(what, database, name) {
  await browser.waitFor(DONE);
  const listed = JSON.parse(run("ls", "--format", "json", database).stdout);
  const shown = await browser.evaluate(SHOWN);
  expectSame(`${what}: title`, shown.title, name);
  const levels = [...new Set(listed.tables.map(({ level }) => level))];
  const levelNames = shown.levels.map((text) => text.split(" ").slice(0, 2).join(" "));
  expectSame(
    `${what}: levels`,
    levelNames,
    levels.map((level) => `Level ${level}`),
  );
  const rows = listed.tables
    .sort((a, b) => b.file_size - a.file_size)
    .map(({ name, level, file_size: size, entries, deletions, ...table }) => [
      ...[name, String(level), grouped(size), "", grouped(entries), grouped(deletions)],
      table.min_sequence === null
        ? ""
        : [table.min_sequence, table.max_sequence].map(grouped).join(" to "),
      `${table.smallest} to ${table.largest}`,
    ]);
  expectSame(`${what}: tables`, shown.tables, rows);
  const unread = listed.tables.filter((table) => !table.ok).map((table) => table.name);
  expectSame(`${what}: there is damage`, unread.length, 1);
  expectSame(`${what}: verdict`, shown.verdict, "Damaged: 1 problem");
  expectSame(`${what}: problems`, shown.problems[0].startsWith(`${unread[0]}: `), true);
  const others = listed.files.filter(({ use }) => use === "left over" || use === "foreign");
  expectSame(
    `${what}: others`,
    shown.others,
    others.map((file) => file.name),
  );
  return unread[0];
}

async function expectAccessible(what) {
  for (const theme of ["light", "dark"]) {
    await browser.theme(theme);
    await browser.evaluate(axeSource);
    const violations = await browser.evaluate(
      "axe.run().then((r) => r.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target)))",
    );
    expectSame(`${what}, ${theme}: axe`, violations, []);
  }
}

// Opens the table's own page, and goes back.
async function expectTableOnClick(what, name) {
  await browser.evaluate(`[...document.querySelectorAll("#tables button.link")]
    .find((button) => button.textContent === ${JSON.stringify(name)}).click()`);
  await browser.waitFor(DONE);
  const { title, verdict } = await browser.evaluate(SHOWN);
  expectSame(`${what}: table on click`, path.basename(title), name);
  expectSame(`${what}: its verdict`, verdict, "Damaged: 1 problem");
  await browser.evaluate("document.querySelector('#files button').click()");
  await browser.waitFor(`${DONE} && document.getElementById("levels") !== null`);
}

async function expectFolder() {
  const database = makeDatabase(sst, folder);
  await browser.open(`file://${page}`);
  await browser.chooseFiles("#pick-folder", [database]);
  let damaged = await expectShown("dropped", database, path.basename(database));
  await expectTableOnClick("dropped", damaged);
  await expectAccessible("a dropped folder");

  const out = path.join(folder, "report.html");
  expectSame("sst report", run("report", "-o", out, database).status, 0);
  expectSame("size of the report", statSync(out).size <= 5_000_000, true);
  await browser.open(`file://${out}`);
  damaged = await expectShown("report", database, path.basename(database));
  const rows = "document.querySelectorAll('#entries tbody tr').length";
  expectSame("report: has the first entries", (await browser.evaluate(rows)) > 0, true);
  await expectTableOnClick("report", damaged);
  await expectAccessible("a report of a folder");
  const harmless = "document.querySelectorAll('#table b').length === 0";
  expectSame("no name is markup", await browser.evaluate(harmless), true);

  const atLimit = path.join(folder, "limit.html");
  writeFileSync(
    atLimit,
    readFileSync(out, "utf8").replace(
      '"ok":true,"limit":null',
      '"ok":false,"limit":"a limit, not damage"',
    ),
  );
  await browser.open(`file://${atLimit}`);
  await browser.waitFor(DONE);
  const limited = await browser.evaluate(SHOWN);
  expectSame("a limit: verdict", limited.verdict, "Damaged: 1 problem");
  expectSame("a limit: problems", limited.problems.length, 1);
  const limits = await browser.evaluate("document.querySelector('#check ul').textContent");
  expectSame("a limit", limits, "a limit, not damage");
}

// Tables of a world encrypted by NetEase's edition of Minecraft can be opened from its folder.
async function expectEncryptedFolder() {
  const database = path.join(folder, "encrypted");
  mkdirSync(database);
  for (const name of readdirSync(path.join(folder, "database"))) {
    const bytes = readFileSync(path.join(folder, "database", name));
    writeFileSync(path.join(database, name), name.endsWith(".log") ? bytes : encrypted(bytes));
  }
  await browser.open(`file://${page}`);
  await browser.chooseFiles("#pick-folder", [database]);
  const damaged = await expectShown("encrypted", database, "encrypted");
  await expectTableOnClick("encrypted", damaged);
}

// Databases are found if a folder above them is chosen or dropped.
async function expectFolderAbove() {
  const parent = path.join(folder, "above");
  const database = path.join(parent, "deep", "db");
  mkdirSync(path.join(parent, "deep"), { recursive: true });
  cpSync(path.join(folder, "database"), database, { recursive: true });
  mkdirSync(path.join(database, "lost")); // folders in a database are not searched
  writeFileSync(path.join(database, "lost", "CURRENT"), "");
  writeFileSync(path.join(parent, "level.dat"), "a world's");
  await browser.open(`file://${page}`);
  await browser.chooseFiles("#pick-folder", [parent]);
  rmSync(path.join(database, "lost"), { recursive: true }); // listed by sst ls, but not by the page
  await expectShown("the folder above, chosen", database, "above/deep/db");
  const note = "document.querySelector('#files h2').textContent";
  const expected = "above is not a database; 1 folder in it";
  expectSame("the folder above, chosen: note", await browser.evaluate(note), expected);

  await browser.open(`file://${page}`);
  await browser.evaluate(`(() => {
    const file = (name) => ({ name, isFile: true, file: (yes) => yes(new File(["a"], name)) });
    const directory = (name, entries) => {
      const createReader = () => {
        const left = [...entries];
        return { readEntries: (yes) => yes(left.splice(0)) };
      };
      return { name, isDirectory: true, createReader };
    };
    // In no order; each has one of the names that make it a database.
    const databases = ["000005.sst", "CURRENT.bak", "MANIFEST-000002", "000003.log", "000005.ldb"]
      .map((name) => directory(name.replace(".", "-"), [file(name)]));
    databases.push(directory("tables", [file("a.ldb")]), directory("none", [file("LOG")]));
    const fails = (yes, no) => no(new DOMException("not permitted"));
    const bad = { name: "CURRENT", fullPath: "/above/bad/CURRENT", isFile: true, file: fails };
    databases.unshift(directory("bad", [bad]));
    const above = () => directory("above", [...databases, file("level.dat")]);
    const dataTransfer = { types: ["Files"], items: [{ webkitGetAsEntry: above }], files: [] };
    document.dispatchEvent(Object.assign(new Event("drop"), { dataTransfer }));
  })()`);
  const names = "[...document.querySelectorAll('#files li span')].map((name) => name.textContent)";
  await browser.waitFor(`${names}.length > 0`);
  const found = ["000003-log", "000005-ldb", "000005-sst", "CURRENT-bak", "MANIFEST-000002"].map(
    (name) => `above/${name}`,
  );
  expectSame("the folder above, dropped", await browser.evaluate(names), found);
  const hint = "document.querySelector('#files .hint').textContent";
  const unread = "Folders with tables that were not read: above/tables. Open one of these.";
  expectSame("the folder above, dropped: tables", await browser.evaluate(hint), unread);
  const alert = "document.querySelector('#files .alert').textContent";
  const why = "above/bad/CURRENT: not permitted";
  expectSame("the folder above, dropped: unread", await browser.evaluate(alert), why);
}

// The zip file must have the files that `sst salvage` writes. The page shows a sentence about the
// result before it.
async function expectRescue() {
  const database = path.join(folder, "database");
  const name = "database-rescued";
  const { status } = spawnSync(sst, ["salvage", "database", "-o", name], { cwd: folder });
  expectSame("rescue: it is damaged", status, 1);
  await browser.open(`file://${page}`);
  await browser.chooseFiles("#pick-folder", [database]);
  await browser.waitFor(DONE);
  const zip = await browser.evaluate(`(async () => {
    let blob;
    const create = URL.createObjectURL;
    document.getElementById("rescue-start").click();
    const save = () => document.getElementById("rescue-save");
    while (!save()) await new Promise((go) => setTimeout(go, 20));
    URL.createObjectURL = (b) => { blob = b; return create.call(URL, b); };
    save().click();
    URL.createObjectURL = create;
    return btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), (b) => String.fromCharCode(b)).join(""));
  })()`);
  const verdict = await browser.evaluate(
    "document.querySelector('#rescue-result .result').textContent",
  );
  expectSame("rescue: verdict", verdict.startsWith("Not everything could be rescued: "), true);
  const unpacked = path.join(folder, "unpacked");
  writeFileSync(`${unpacked}.zip`, Buffer.from(zip, "base64"));
  const python = spawnSync("python3", ["-m", "zipfile", "-e", `${unpacked}.zip`, unpacked]);
  expectSame("rescue: it is a zip file", python.status, 0); // including checksums
  const files = readdirSync(path.join(folder, name));
  expectSame("rescue: files", readdirSync(path.join(unpacked, name)), files);
  for (const file of files) {
    const [ours, theirs] = [unpacked, folder].map((at) => readFileSync(path.join(at, name, file)));
    expectSame(`rescue: ${file}`, ours.equals(theirs), true);
  }
  await expectAccessible("a rescued folder");
}

// All versions of a folder's entries, a lookup, and a log alone.
async function expectFolderEntries() {
  const rows = "[...document.querySelectorAll('#entries tbody tr')].map((row) => row.cells.length)";
  await browser.evaluate(`[...document.querySelectorAll("#entries button")]
    .find((button) => button.textContent === "Save as CSV").click()`);
  const alert = "document.querySelector('#entries .alert')?.textContent ?? ''";
  await browser.waitFor(`${alert}.startsWith("database.csv is incomplete: ")`);
  const first = await browser.evaluate(rows);
  expectSame("entries of a folder", [first.length >= 100, first[0]], [true, 2]);
  await browser.evaluate("document.getElementById('entries-history').click()");
  await browser.waitFor(`${rows}[0] === 5`);
  await browser.evaluate(`(() => {
    document.getElementById("lookup-key").value = "key000700";
    document.getElementById("lookup-result").replaceChildren();
    document.querySelector("#lookup button").click();
  })()`);
  const result = "document.getElementById('lookup-result').textContent";
  await browser.waitFor(`${result} !== ""`);
  const found = await browser.evaluate(result);
  const { stderr } = spawnSync(sst, ["get", "--explain", "database", "key000700"], { cwd: folder });
  const lines = stderr.toString().split("\n");
  const explained = lines.filter((line) => line.startsWith("level "));
  expectSame("lookup in a folder", found.startsWith("Found, at sequence 50,000 in "), true);
  expectSame("lookup: levels", explained.length > 0, true);
  for (const line of explained) expectSame(`lookup: ${line}`, found.includes(line), true);

  await browser.open(`file://${page}`);
  const log = "000010.log";
  await browser.chooseFiles("#pick", [path.resolve("tests/testdata/database", log)]);
  await browser.waitFor(DONE);
  const logs =
    "[...document.querySelectorAll('#logs tbody td:first-child')].map((td) => td.textContent)";
  expectSame("a log alone", await browser.evaluate(logs), [log]);
  await browser.evaluate("document.getElementById('rescue-start').click()");
  await browser.waitFor("document.querySelector('.next-steps') !== null");
  const steps = await browser.evaluate("document.querySelector('.next-steps').textContent");
  expectSame("a log alone: steps", steps.includes(`If the folder that ${log} is from`), true);
  const { verdict } = await browser.evaluate(SHOWN);
  expectSame("a log alone: its folder is not missed", verdict, "No damage");

  await browser.open(`file://${page}`);
  const manifest = path.resolve("tests/testdata/database/MANIFEST-000008");
  await browser.chooseFiles("#pick", [manifest]);
  await browser.waitFor(DONE);
  const listed = await browser.evaluate(SHOWN);
  expectSame("a MANIFEST alone: verdict", listed.verdict, "No damage");
  expectSame(
    "a MANIFEST alone: tables",
    listed.tables.map(([name, level, size]) => [name, level, size]),
    [
      ["000005.ldb", "2", "missing"],
      ["000009.ldb", "0", "missing"],
    ],
  );
  const canRescue = "document.getElementById('rescue-start') !== null";
  expectSame("a MANIFEST alone: no rescue", await browser.evaluate(canRescue), false);
}

// Tables that are not a database's are shown as a list.
async function expectPlainFolder() {
  await browser.open(`file://${page}`);
  const plain = path.join(folder, "plain");
  run("salvage", "-o", plain, path.join(folder, "parts")); // creates the folder
  for (const name of readdirSync(plain)) {
    if (!name.endsWith(".ldb")) rmSync(path.join(plain, name), { recursive: true });
  }
  for (const name of readdirSync(plain)) {
    writeFileSync(path.join(plain, `a-${name}`), readFileSync(path.join(plain, name)));
    rmSync(path.join(plain, name));
  }
  const tables = readdirSync(plain);
  renameSync(path.join(plain, tables[0]), path.join(plain, "no-name-of-a-table"));
  for (const name of ["README.md", "manifest.json"]) writeFileSync(path.join(plain, name), "{}\n");
  await browser.chooseFiles("#pick-folder", [plain]);
  await browser.waitFor(DONE);
  const buttons = await browser.evaluate("document.querySelectorAll('#files button').length");
  expectSame("a plain folder: tables", buttons, tables.length);
  const hint = "document.querySelector('#files .hint').textContent";
  const others = "Not tables: manifest.json, README.md";
  expectSame("a plain folder: other files", await browser.evaluate(hint), others);
}

// CURRENT and a damaged MANIFEST must not be called leftovers, and a list without tables must not
// be shown.
async function expectNoManifest() {
  const database = path.join(folder, "no_manifest");
  mkdirSync(database);
  const from = path.resolve("tests/testdata/database");
  for (const name of readdirSync(from)) {
    const copy = path.join(database, name);
    if (/^(CURRENT|.*\.log)$/.test(name)) copyFileSync(path.join(from, name), copy);
    else if (name.startsWith("MANIFEST")) writeFileSync(copy, "");
  }
  writeFileSync(path.join(database, "notes.txt"), "");
  await browser.open(`file://${page}`);
  await browser.chooseFiles("#pick-folder", [database]);
  await browser.waitFor(DONE);
  const { verdict, problems, others } = await browser.evaluate(SHOWN);
  expectSame("no MANIFEST: verdict", verdict.startsWith("Damaged: "), true);
  expectSame("no MANIFEST: problems", problems.join().includes("MANIFEST"), true);
  expectSame("no MANIFEST: others", others, ["notes.txt"]);
  const ids = "[...document.querySelectorAll('section')].map(({ id }) => id)";
  const expected = ["rescue", "check", "lookup", "entries", "logs", "others"];
  expectSame("no MANIFEST: sections", await browser.evaluate(ids), expected);
}

// A large value is shown in part but saved completely.
async function expectLargeValue() {
  const size = 8_000_000;
  for (const [name, byte] of [
    ["text", "x"],
    ["binary", "\\xff"],
  ]) {
    const table = path.join(folder, `large_${name}.ldb`);
    const tsv = path.join(folder, `large_${name}.tsv`);
    writeFileSync(tsv, `key\t${byte.repeat(size)}\n`);
    expectSame(`a large ${name}: build`, run("build", table, tsv).status, 0);
    await browser.open(`file://${page}`);
    await browser.chooseFiles("#pick", [table]);
    await browser.waitFor(DONE);
    const unit = name === "text" ? "characters" : "bytes";
    for (const id of ["lookup-result", "entries"]) {
      const value = `document.querySelector("#${id} code + button").parentElement`;
      const first = await browser.evaluate(`${value}.textContent`);
      expectSame(`a large ${name}: ${id}`, first.endsWith(`… more of 8,000,000 ${unit}`), true);
      const length = await browser.evaluate(`document.getElementById("${id}").textContent.length`);
      expectSame(`a large ${name}: ${id}, its length`, length < 2000, true);
      const [shown, saved, right] = await browser.evaluate(`(async () => {
        let blob;
        const create = URL.createObjectURL;
        URL.createObjectURL = (b) => { blob = b; return create.call(URL, b); };
        const [code, more] = ${value}.children;
        more.click();
        const shown = code.textContent.length;
        more.click();
        URL.createObjectURL = create;
        const bytes = new Uint8Array(await blob.arrayBuffer());
        return [shown, bytes.length, bytes.every((byte) => byte === bytes[0]) && bytes[0]];
      })()`);
      const each = byte.length === 1 ? 1 : 4;
      expectSame(`a large ${name}: ${id}, more`, shown, 100_000 * each + 1);
      expectSame(`a large ${name}: ${id}, saved`, saved, size);
      expectSame(`a large ${name}: ${id}, bytes`, right, name === "text" ? 0x78 : 0xff);
    }
  }
}

// Delays each `call` to the page's workers until held[i]() is called; `ended` counts ended workers.
const HOLD = (call) => `(() => {
  window.held = [];
  window.ended = 0;
  window.Worker = class extends Worker {
    postMessage(message) {
      const send = () => super.postMessage(message);
      if (message.call === ${JSON.stringify(call)}) held.push(send);
      else send();
    }
    terminate() {
      ++ended;
      super.terminate();
    }
  };
})()`;

// A folder is chosen, then a table. The table must remain when the folder has been read.
async function expectLastChoice() {
  const table = path.join(folder, "parts", "000010.ldb");
  await browser.open(`file://${page}`);
  await browser.evaluate(HOLD("folder"));
  await browser.chooseFiles("#pick-folder", [path.join(folder, "database")]);
  await browser.waitFor("held.length === 1");
  await browser.chooseFiles("#pick", [table]);
  await browser.waitFor(DONE);
  await browser.evaluate("held[0]()");
  await browser.waitFor("ended === 1"); // the folder's worker
  expectSame("last choice", (await browser.evaluate(SHOWN)).title, "000010.ldb");
}

// Calls that wait for a table when it is closed must fail, and so must later ones.
async function expectClosed() {
  const [first, second] = ["000010.ldb", "000011.ldb"].map((name) =>
    path.join(folder, "parts", name),
  );
  await browser.open(`file://${page}`);
  await browser.evaluate(HOLD("open"));
  await browser.chooseFiles("#pick", [first]);
  await browser.waitFor("held.length === 1");
  await browser.evaluate("void (window.waiting = document.getElementById('table'))");
  await browser.chooseFiles("#pick", [second]);
  await browser.waitFor("waiting.dataset.state === 'done' && held.length === 2");
  await browser.evaluate("held[1]()");
  await browser.waitFor(DONE);
  await browser.evaluate("void (window.leftTable = document.getElementById('table'))");
  await browser.chooseFiles("#pick", [first]);
  await browser.waitFor("held.length === 3");
  await browser.evaluate(
    "leftTable.querySelector('#lookup form').dispatchEvent(new Event('submit'))",
  );
  await browser.waitFor("leftTable.querySelector('#lookup-result .alert') !== null");
  const why = await browser.evaluate("leftTable.querySelector('#lookup-result').textContent");
  expectSame("a closed table", why, "no longer open in this page");
}

async function expectUnreadableFolder() {
  await browser.open(`file://${page}`);
  await browser.evaluate(`(() => {
    const createReader = () => ({ readEntries: (yes, no) => no(new DOMException("not permitted")) });
    const entry = { isDirectory: true, name: "secret", fullPath: "/secret", createReader };
    const items = [{ webkitGetAsEntry: () => entry }];
    const dataTransfer = { types: ["Files"], items, files: [] };
    document.dispatchEvent(Object.assign(new Event("drop"), { dataTransfer }));
  })()`);
  await browser.waitFor("document.querySelector('#files .alert') !== null");
  const why = await browser.evaluate("document.querySelector('#files').innerText");
  expectSame("an unreadable folder", why.trim(), "secret: not permitted");
}

// The browser refuses to read a table that was changed after it was chosen.
async function expectUnreadableFile() {
  const database = path.join(folder, "changed");
  cpSync(path.join(folder, "database"), database, { recursive: true });
  await browser.open(`file://${page}`);
  await browser.chooseFiles("#pick-folder", [database]);
  await browser.waitFor(DONE);
  const table = readdirSync(database).find((name) => name.endsWith(".ldb"));
  appendFileSync(path.join(database, table), "more");
  await browser.evaluate("document.getElementById('rescue-start').click()");
  await browser.waitFor("document.getElementById('rescue-save') !== null");
  const why = await browser.evaluate("document.querySelector('#rescue-result .alert').textContent");
  expectSame("an unreadable file", why.startsWith("Not all of it could be read: "), true);
  expectSame("an unreadable file: its name", why.includes(table), true);
}

// Writes a page whose workers run `script` first.
function pageWith(name, script) {
  const to = path.join(folder, name);
  const text = readFileSync(page, "utf8");
  writeFileSync(to, text.replace(/(id="worker">[^]*?)<\/script>/, `$1;${script}</script>`));
  return to;
}

async function expectNoCore() {
  const script = `WebAssembly.instantiate=()=>Promise.reject(new RangeError("no memory"))`;
  await browser.open(`file://${pageWith("no_core.html", script)}`);
  await browser.chooseFiles("#pick", [path.join(folder, "parts", "000010.ldb")]);
  await browser.waitFor(DONE);
  const why = await browser.evaluate("document.querySelector('#table .alert').textContent");
  expectSame("no core", why, "no memory");
}

async function expectLittleMemory() {
  const table = path.join(folder, "large.ldb");
  const value = "x".repeat(1000);
  const lines = Array.from({ length: 12_000 }, (_, i) => `key${100_000 + i}\t${value}\n`);
  writeFileSync(path.join(folder, "large.tsv"), lines.join(""));
  run("build", "--compression", "none", table, path.join(folder, "large.tsv"));
  const small = path.join(folder, "small.html");
  writeWithLittleMemory(page, small, 300); // 19 MB
  await browser.open(`file://${small}`);
  await browser.chooseFiles("#pick", [table]);
  await browser.waitFor(DONE);
  expectSame("little memory: checked", (await browser.evaluate(SHOWN)).verdict, "No damage");
  await browser.evaluate("document.getElementById('salvage').click()");
  await browser.waitFor("document.querySelector('#salvage-result .alert') !== null");
  const why = await browser.evaluate("document.querySelector('#salvage-result').textContent");
  expectSame("little memory: salvage", why, "not enough memory for this in a page");
  await expectLookup("little memory: goes on");
}

// A fault of the core itself that its code can't catch. Here, every salvage call causes one.
async function expectAbortedCore() {
  const fault = `{const go=onmessage;onmessage=(m)=>{
    if(m.data.call==="salvage")throw new WebAssembly.RuntimeError("unreachable");return go(m)}}`;
  await browser.open(`file://${pageWith("broken.html", fault)}`);
  await browser.chooseFiles("#pick", [path.join(folder, "large.ldb")]);
  await browser.waitFor(DONE);
  await browser.evaluate("document.getElementById('salvage').click()");
  await browser.waitFor("document.querySelector('#salvage-result .alert') !== null");
  const why = await browser.evaluate("document.querySelector('#salvage-result').textContent");
  expectSame("aborted core", why, "the core ended: Uncaught RuntimeError: unreachable");
  await expectLookup("aborted core: goes on");
}

async function expectLookup(what) {
  await browser.evaluate(`(() => {
    document.getElementById("lookup-key").value = "key100007";
    document.querySelector("#lookup button").click();
  })()`);
  const result = "document.getElementById('lookup-result').textContent";
  await browser.waitFor(`${result} !== ""`);
  expectSame(what, (await browser.evaluate(result)).startsWith("Found"), true);
}

try {
  await expectFolder();
  await expectEncryptedFolder();
  await expectFolderAbove();
  await expectRescue();
  await expectFolderEntries();
  await expectPlainFolder();
  await expectNoManifest();
  await expectLargeValue();
  await expectLastChoice();
  await expectClosed();
  await expectUnreadableFolder();
  await expectUnreadableFile();
  await expectNoCore();
  await expectLittleMemory();
  await expectAbortedCore();
  expectSame("nothing on the console, no request", browser.complaints, []);
} finally {
  await browser.stop();
  rmSync(folder, { recursive: true });
}
console.log(`${compared} compared, ${wrong} wrong`);
process.exit(wrong > 0 || compared < 30 ? 1 : 0);
