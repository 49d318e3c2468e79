// chromium_test.mjs SST   Stores 1,000 random values and some blobs in Chromium's IndexedDB, and
// compares the output of `sst dump --decode` with what the browser itself reads.
import assert from "node:assert";
import {execFileSync, spawn} from "node:child_process";
import {mkdtempSync, readFileSync, readdirSync} from "node:fs";
import {createServer} from "node:http";
import {tmpdir} from "node:os";
import path from "node:path";

const COUNT = 1000;
const page = `<script type="module">
import {randomValue, render} from "/clones.mjs";
const done = (request) => new Promise((yes, no) => { request.onsuccess = () => yes(request.result); request.onerror = () => no(request.error); });
const finished = (tx) => new Promise((yes, no) => { tx.oncomplete = yes; tx.onabort = () => no(tx.error); });
const lines = [];
try {
  const opening = indexedDB.open("random");
  opening.onupgradeneeded = () => { opening.result.createObjectStore("clones"); opening.result.createObjectStore("blobs"); };
  const db = await done(opening);
  for (let first = 0; first < ${COUNT}; first += 100) {
    const tx = db.transaction("clones", "readwrite", {durability: "strict"});
    for (let seed = first; seed < first + 100; ++seed) tx.objectStore("clones").put(randomValue(seed), seed);
    await finished(tx);
  }
  const tx = db.transaction("blobs", "readwrite", {durability: "strict"});
  const random = (size) => Array.from(crypto.getRandomValues(new Uint8Array(size)), (byte) => String.fromCharCode(33 + byte % 90)).join("");
  const long = {plain: Array.from({length: 5}, () => random(60000)).join(""),
                compressed: Array.from({length: 200}, () => random(1000).repeat(2)).join("")};
  tx.objectStore("blobs").put({a: new Blob(["text"], {type: "text/plain"}), b: new File(["f"], "name", {lastModified: 0})}, "blobs");
  for (const name in long) tx.objectStore("blobs").put(long[name], name);
  await finished(tx);
  for (let seed = 0; seed < ${COUNT}; ++seed) {
    const value = await done(db.transaction("clones").objectStore("clones").get(seed));
    lines.push(JSON.stringify([seed, render(value)]));
  }
  for (const name in long) lines.push(JSON.stringify([name, await done(db.transaction("blobs").objectStore("blobs").get(name))]));
  db.close();
} catch (error) {
  lines.length = 0;
  lines.push("error: " + error);
}
await fetch("/done", {method: "POST", body: lines.join("\\n")});
</script>`;

const base = process.env.TEST_TMPDIR ?? tmpdir();
const profile = mkdtempSync(path.join(base, "chromium-"));
let browser;
const shown = await new Promise((yes) => {
  const server = createServer((request, response) => {
    const isModule = request.url === "/clones.mjs";
    response.setHeader("Content-Type", isModule ? "text/javascript" : "text/html; charset=utf-8");
    if (request.method === "POST") {
      const chunks = [];
      request.on("data", (chunk) => chunks.push(chunk));
      request.on("end", () => { response.end(); server.close(); server.closeAllConnections(); yes(Buffer.concat(chunks).toString()); });
    } else {
      response.end(isModule ? readFileSync(new URL("clones.mjs", import.meta.url)) : page);
    }
  });
  server.listen(0, "127.0.0.1", () => {
    browser = spawn("chromium", ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", `--user-data-dir=${profile}`,
                                 `http://127.0.0.1:${server.address().port}/`], {stdio: "ignore", env: {...process.env, HOME: base}});
  });
});
const ended = new Promise((yes) => browser.on("exit", yes));
browser.kill("SIGTERM");
await ended;
assert.ok(!shown.startsWith("error"), shown);

const folder = path.join(profile, "Default/IndexedDB");
const name = readdirSync(folder).find((file) => file.endsWith(".leveldb"));
const dump = execFileSync(process.argv[2], ["dump", "--decode", "chromium", "--format", "jsonl", path.join(folder, name)], {maxBuffer: 1 << 30});
const decoded = new Map();
let blobs;
for (const line of dump.toString().split("\n")) {
  if (line === "") continue;
  const entry = JSON.parse(line);
  assert.ok(!line.includes('"$undecoded"'), line.slice(0, 1000));
  if (entry.decoded_key?.kind !== "record") continue;
  assert.equal(entry.decoded_key.database, "random");
  if (entry.decoded_key.key === "blobs") blobs = entry.decoded_value;
  decoded.set(entry.decoded_key.key, entry.decoded_value);
}
const files = readdirSync(path.join(folder, name.replace(".leveldb", ".blob")), {recursive: true, withFileTypes: true});
assert.equal(files.filter((file) => file.isFile()).length, 4, "two of them are long values");
let compared = 0;
for (const line of shown.split("\n")) {
  const [key, value] = JSON.parse(line);
  assert.deepStrictEqual(decoded.get(key), value, `seed ${key}`);
  ++compared;
}
assert.equal(compared, COUNT + 2);
assert.equal(blobs.a.$blob.type, "text/plain");
assert.equal(blobs.a.$blob.size, 4);
assert.match(blobs.a.$blob.path, /^1\/00\/[0-9a-f]+$/);
assert.equal(blobs.b.$file.name, "name");
assert.equal(blobs.b.$file.modified.$date, "1970-01-01T00:00:00.000Z");
console.log(`${compared} values equal`);
