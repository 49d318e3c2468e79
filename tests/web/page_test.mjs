// node page_test.mjs SST PAGE AXE FILE...   In headless Chromium, PAGE must show the same as SST
// about each FILE, and so must reports by `sst report` of damaged, hostile, large and other tables.
// There must be no console output, no requests, and no complaints by axe.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { Browser } from "./browser.mjs";

const [sst, page, axe, ...files] = process.argv.slice(2).map((arg) => path.resolve(arg));
const folder = mkdtempSync(path.join(process.env.TEST_TMPDIR ?? tmpdir(), "page-"));
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
const report = (command, file) => JSON.parse(run(command, "--format", "json", file).stdout);
const grouped = (n) => n.toLocaleString("en-US");
const problems = (n) => `${grouped(n)} problem${n === 1 ? "" : "s"}`;

// Returns the text that the page shows about the table.
const SHOWN = `(() => {
  const text = (element) => element?.textContent ?? null;
  const fact = (id, name) => {
    const pairs = [...document.querySelectorAll("#" + id + " .facts > div")];
    return text(pairs.find((pair) => text(pair.firstChild) === name)?.lastChild);
  };
  return {
    title: text(document.querySelector("h1:not(#welcome *)")),
    verdict: text(document.querySelector(".verdict")),
    problems: [...document.querySelectorAll("#check .problems li")].map(text),
    policy: fact("filter", "policy"),
    bitsSet: fact("filter", "bits set"),
    windows: fact("filter", "windows"),
    entries: fact("sizes", "entries"),
    alerts: [...document.querySelectorAll(".alert")].map(text),
    rows: document.querySelectorAll("#entries tbody tr").length,
  };
})()`;

async function waitUntilShown() {
  await browser.waitFor("document.getElementById('table').dataset.state === 'done'");
}

async function openInPage(file) {
  await browser.open(`file://${page}`);
  await browser.chooseFiles("#pick", [file]);
  await waitUntilShown();
}

function expectedVerdict(check) {
  if (check.error) return "Can't be opened";
  if (check.limit && !check.problem_count) return "A limit was reached; not all was checked";
  if (!check.ok) return `Damaged: ${problems(check.problem_count)}`;
  return check.order_checked ? "No damage" : "No damage found; the order of keys is not known";
}

async function expectShown(file, name) {
  const shown = await browser.evaluate(SHOWN);
  const check = report("check", file);
  expectSame(`${file}: title`, shown.title, name);
  expectSame(`${file}: verdict`, shown.verdict, expectedVerdict(check));
  if (check.error) return expectSame(`${file}: error`, shown.alerts, [shown.alerts[0]]);
  const messages = check.problems.slice(0, 100).map((p) => `${p.place}: ${p.message}`);
  expectSame(`${file}: problems`, shown.problems, messages);
  const filter = report("filter", file);
  expectSame(`${file}: policy`, shown.policy, filter.policy ?? "none");
  if (filter.bits) {
    const bits = `${grouped(filter.bits_set)} of ${grouped(filter.bits)}`;
    expectSame(`${file}: bits`, shown.bitsSet?.split(",  ")[0].startsWith(bits), true);
  }
  if (filter.windows) {
    const { empty, malformed } = filter.windows;
    const end = `${grouped(empty)} empty, ${grouped(malformed)} malformed`;
    expectSame(`${file}: windows`, shown.windows?.endsWith(end), true);
  }
  const stats = report("stats", file);
  expectSame(`${file}: entries`, shown.entries, grouped(stats.entries));
  expectSame(`${file}: some rows`, shown.rows > 0, stats.entries > 0);
}

async function expectAccessible(what) {
  for (const theme of ["light", "dark"]) {
    await browser.theme(theme);
    await browser.evaluate(axeSource);
    const violations = await browser.evaluate(
      "axe.run().then((r) => r.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target + ' ' + n.any.map((a) => a.message)).slice(0, 3)))",
    );
    expectSame(`${what}, ${theme}: axe`, violations, []);
  }
}

// A report omits the folders of an absolute path.
const nameInReport = (file) => (path.isAbsolute(file) ? path.basename(file) : file);

async function openReport(...paths) {
  const out = path.join(folder, "report.html");
  const made = run("report", "--force", "-o", out, ...paths);
  expectSame(`${paths[0]}: sst report`, [0, 1].includes(made.status), true);
  expectSame(`${paths[0]}: size of the report`, statSync(out).size <= 5_000_000, true);
  await browser.open(`file://${out}`);
  await waitUntilShown();
}

// The page's lookup must find a key that is present, and not an absent one.
async function expectLookups(file) {
  const lines = run("dump", "--format", "tsv", "--limit", "1", file).stdout.toString();
  const key = lines.split("\t")[0];
  const lookUp = async (text) => {
    await browser.evaluate(`(() => {
      document.getElementById("lookup-result").replaceChildren();
      document.getElementById("lookup-key").value = ${JSON.stringify(text)};
      document.querySelector("#lookup button").click();
    })()`);
    await browser.waitFor("document.querySelector('#lookup-result > *') !== null");
    return browser.evaluate("document.querySelector('#lookup-result').textContent");
  };
  const found = await lookUp(key);
  expectSame(`${file}: finds ${key}`, /^(Found|Deleted)/.test(found), true);
  const explained = run("get", "--explain", file, `${key}!absent`).stderr.toString();
  const absent = await lookUp(`${key}!absent`);
  expectSame(`${file}: absent key`, absent.startsWith("The key is not in this table."), true);
  const firstLine = explained.split("\n")[1];
  expectSame(`${file}: explains as sst does`, absent.includes(firstLine), true);
}

async function expectOtherFilters(file) {
  const compared = run("filter", "compare", "--probes", "20000", "--format", "json", file);
  const expected = JSON.parse(compared.stdout)
    .filters.filter(({ base_lg: lg }) => lg === undefined || lg === 11)
    .map((filter) => [filter.filter ?? filter.table_filter, filter.bits_per_key.toFixed(2)]);
  const shown = await browser.evaluate(`[...document.querySelectorAll("#other-filters tbody tr")]
    .map((row) => [...row.cells].slice(0, 2).map((cell) => cell.textContent))`);
  expectSame(`${file}: other filters`, shown, expected);
}

async function expectSalvage(file) {
  const out = path.join(folder, "salvaged.ldb");
  run("salvage", "--force", "-o", out, file);
  const digest = await browser.evaluate(`(async () => {
    let blob;
    const create = URL.createObjectURL;
    URL.createObjectURL = (b) => { blob = b; return create.call(URL, b); };
    const button = document.getElementById("salvage");
    button.click();
    while (button.disabled) await new Promise((go) => setTimeout(go, 20));
    const save = document.getElementById("salvage-save");
    if (!save) throw new Error(document.getElementById("salvage-result").textContent);
    save.click();
    URL.createObjectURL = create;
    const bytes = await crypto.subtle.digest("SHA-256", await blob.arrayBuffer());
    return [...new Uint8Array(bytes)].map((b) => b.toString(16).padStart(2, "0")).join("");
  })()`);
  const expected = createHash("sha256").update(readFileSync(out)).digest("hex");
  expectSame(`${file}: salvaged bytes`, digest, expected);
}

const named = (text) => files.find((file) => file.includes(text));
const HOSTILE = [
  "<img src=x onerror=hacked=1>",
  "</script><script>hacked=1</script>",
  '"><svg onload=hacked=1>',
  "&lt;b&gt;",
  "\\xe2\\x80\\xaegnp.exe",
];

async function main() {
  await browser.open(`file://${page}`);
  await expectAccessible("the empty page");
  for (const file of files) {
    await openInPage(file);
    await expectShown(file, path.basename(file));
  }

  // Reports of ten kinds of tables.
  const damaged = path.join(folder, "damaged.ldb");
  const bytes = readFileSync(named("plyvel") ?? named("leveldb-1.23-elements"));
  bytes[Math.floor(bytes.length / 3)] ^= 1;
  writeFileSync(damaged, bytes);
  const empty = path.join(folder, "empty.ldb");
  writeFileSync(path.join(folder, "none.tsv"), "");
  run("build", empty, path.join(folder, "none.tsv"));
  const many = path.join(folder, "many.ldb");
  const lines = Array.from(
    { length: 100_000 },
    (_, i) => `key${String(i).padStart(8, "0")}\t${i}\n`,
  );
  writeFileSync(path.join(folder, "many.tsv"), lines.join(""));
  run("build", many, path.join(folder, "many.tsv"));
  const kinds = ["bedrock", "indexeddb", "goleveldb", "signed", "mojang", "tensorflow", "rocksdb"];
  const others = [...new Set(kinds.map(named).filter((file) => file))];
  // A file of a few bytes with a gigabyte of keys.
  const limit = path.join(folder, "limit.ldb");
  const build = spawn(
    sst,
    ["build", "--block-size", "64K", "--restart-interval", "1000000", limit],
    { stdio: ["pipe", "ignore", "ignore"] },
  );
  const prefix = "p".repeat(20_000);
  await pipeline(function* () {
    for (let i = 100_000; i < 160_000; ++i) yield `${prefix}${i}\t\n`;
  }, build.stdin);
  await once(build, "close");
  await openInPage(limit);
  const { verdict } = await browser.evaluate(SHOWN);
  expectSame("a limit: verdict", verdict, expectedVerdict(report("check", limit)));
  expectSame("a limit: it is said", verdict.startsWith("A limit was reached"), true);
  const said = await browser.evaluate("document.querySelector('#check').textContent");
  expectSame("a limit: why", said.includes("a limit, not damage"), true);

  for (const file of [damaged, empty, many, ...others]) {
    await openReport(file);
    await expectShown(file, nameInReport(file));
    if (file === many) await expectLookups(file);
  }
  await openReport(damaged);
  await expectSalvage(damaged);
  await expectAccessible("a damaged table");
  await openReport(many);
  await expectOtherFilters(many);
  await expectLookups(many);
  await expectAccessible("a large table");

  // Names, keys and values must never act as markup.
  const hostile = path.join(folder, "<b>&\"'.ldb");
  const records = HOSTILE.map((text) => `${text}\t${text}\n`).sort();
  writeFileSync(path.join(folder, "hostile.tsv"), records.join(""));
  run("build", path.join(folder, "hostile.ldb"), path.join(folder, "hostile.tsv"));
  copyFileSync(path.join(folder, "hostile.ldb"), hostile);
  const harmless = `typeof hacked === "undefined" &&
    document.querySelectorAll("#table img, #table script, #table b, #table svg").length === 0`;
  await openReport(hostile);
  expectSame("hostile report", await browser.evaluate(harmless), true);
  expectSame("hostile title", (await browser.evaluate(SHOWN)).title, nameInReport(hostile));
  await openInPage(hostile);
  expectSame("hostile file", await browser.evaluate(harmless), true);
  const keys =
    "[...document.querySelectorAll('#entries tbody td:first-child')].map((c) => c.textContent)";
  expectSame("hostile keys", await browser.evaluate(keys), HOSTILE.slice().sort());

  // What is known to be something else has no blocks that Salvage could find, or would be taken for
  // what it is not.
  const noTables = {
    "pointer.ldb": "version https://git-lfs.github.com/spec/v1\n",
    "rest.bin": "\x00\x01",
    "rocksdb.sst": Buffer.concat([bytes.subarray(0, -8), Buffer.from("f7cff485b741e288", "hex")]),
  };
  for (const [name, text] of Object.entries(noTables)) {
    writeFileSync(path.join(folder, name), text);
    await openInPage(path.join(folder, name));
    const offered = await browser.evaluate("document.getElementById('salvage') !== null");
    expectSame(`${name}: Salvage is offered`, offered, name === "rest.bin");
  }

  expectSame("nothing on the console, no request", browser.complaints, []);
}

try {
  await main();
} finally {
  await browser.stop();
  rmSync(folder, { recursive: true });
}
console.log(`${files.length} files, ${compared} compared, ${wrong} wrong`);
process.exit(wrong > 0 || compared < 5 * files.length ? 1 : 0);
