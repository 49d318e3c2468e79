// node package_test.mjs TABLE...   Compares `sstable` with `classic-level`, which must both be
// installed: the entries of new databases and of copies of each TABLE, whose keys must be in
// bytewise order. Also tests damage, errors, closing, and the example of web/npm/README.md.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { after, test } from "node:test";
import { ClassicLevel } from "classic-level";
import * as sstable from "sstable";

const tables = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(process.cwd(), "databases-"));
const encoding = { keyEncoding: "buffer", valueEncoding: "buffer" };

// Random numbers that are the same in every run.
let state = 1;
const random = (below) => (state = (state * 48271) % 0x7fffffff) % below;
const text = (bytes) => Buffer.from(bytes).toString("latin1");
const rows = (entries) => Array.from(entries, ([key, value]) => [text(key), text(value)]);
const keyOf = (n) => Buffer.from(`key:${String(n).padStart(6, "0")}`);

async function withClassic(at, use, options = {}) {
  const db = new ClassicLevel(at, { ...encoding, ...options });
  await db.open();
  try {
    return await use(db);
  } finally {
    await db.close();
  }
}

const all = async (db, range = {}) => rows(await db.iterator({ ...encoding, ...range }).all());

// Has tables at several levels, a log, large values, and replaced and deleted keys.
async function makeDatabase(name, compression = true) {
  const at = path.join(folder, name);
  for (let round = 0; round < 4; ++round) {
    await withClassic(
      at,
      async (db) => {
        const batch = db.batch();
        for (let i = 0; i < 6000; ++i) {
          const key = keyOf(random(20000));
          const size = i % 1500 === 1 ? 700_000 : random(200);
          if (random(4) === 0) batch.del(key);
          else batch.put(key, Buffer.alloc(size, `${round} ${i} `));
        }
        await batch.write();
        if (round === 1) await db.compactRange(keyOf(0), keyOf(10000));
      },
      { compression, writeBufferSize: 1 << 20 },
    );
  }
  return at;
}

const whole = await makeDatabase("whole");
const plain = await makeDatabase("plain", false);
const live = new Map(await withClassic(whole, (db) => all(db)));
const tablesIn = (at) =>
  fs
    .readdirSync(at)
    .filter((name) => /[.](ldb|sst)$/.test(name))
    .map((name) => path.join(at, name));

function copyOf(at, name) {
  const to = path.join(folder, name);
  fs.cpSync(at, to, { recursive: true });
  return to;
}

function damage(file) {
  const bytes = fs.readFileSync(file);
  bytes[Math.floor(bytes.length / 3)] ^= 0x5a;
  fs.writeFileSync(file, bytes);
  return file;
}

const largest = (at) => tablesIn(at).sort((a, b) => fs.statSync(b).size - fs.statSync(a).size)[0];

const isError =
  (code, type = sstable.SstableError) =>
  (error) => {
    assert.ok(error instanceof type && error instanceof Error, String(error));
    assert.equal(error.code, code, error.message);
    assert.ok(error.message.length > 0);
    return true;
  };

for (const at of [whole, plain]) {
  test(`${path.basename(at)}: entries, ranges and gets are those of classic-level`, async () => {
    const database = await sstable.openDatabase(at);
    await withClassic(copyOf(at, `${path.basename(at)} again`), async (db) => {
      const entries = await all(db);
      assert.ok(entries.length > 5000);
      assert.deepEqual(rows(database), entries);
      assert.deepEqual(rows(database.entries({ reverse: true })), entries.reverse());
      for (let i = 0; i < 60; ++i) {
        const [low, high] = [random(21000), random(21000)].sort((a, b) => a - b).map(keyOf);
        const range = {
          [random(2) ? "gt" : "gte"]: low,
          [random(2) ? "lt" : "lte"]: high,
          reverse: random(2) === 1,
          ...(random(2) ? { limit: random(900) } : {}),
        };
        assert.deepEqual(
          rows(database.entries(range)),
          await all(db, range),
          JSON.stringify(range),
        );
      }
      for (let i = 0; i < 21000; i += 1 + random(9)) {
        const value = await db.get(keyOf(i), encoding);
        assert.deepEqual(database.get(keyOf(i)), value && new Uint8Array(value), String(i));
      }
      const prefixed = rows(database.entries({ prefix: "key:0012" }));
      assert.deepEqual(prefixed, await all(db, { gte: "key:0012", lt: "key:0013" }));
      assert.ok(prefixed.length > 10);
    });
    assert.equal(database.get("absent"), undefined);
    assert.deepEqual(rows(database.entries({ gte: "l" })), []);
    assert.deepEqual(rows(database.entries({ limit: 0 })), []);
    database.close();
  });
}

test("the history has each version, the newest first", async () => {
  const database = await sstable.openDatabase(whole);
  const newest = new Map();
  let last;
  let deletions = 0;
  for (const { key, value, sequence, isDeletion } of database.history()) {
    if (last && text(last.key) === text(key)) assert.ok(last.sequence > sequence);
    else newest.set(text(key), isDeletion ? undefined : text(value));
    if (isDeletion) ++deletions;
    last = { key, sequence };
  }
  assert.ok(deletions > 0);
  assert.deepEqual(new Map([...newest].filter(([, value]) => value !== undefined)), live);
  const some = [...database.history({ prefix: "key:0012" })].map((version) => version.key);
  assert.ok(some.length > 10 && some.every((key) => text(key).startsWith("key:0012")));
  const [key] = some;
  const versionsOf = (range) =>
    [...database.history(range)].filter((v) => text(v.key) === text(key));
  assert.ok(versionsOf({ gte: key, lte: key }).length > 0);
  assert.equal(versionsOf({ gt: key }).length + versionsOf({ lt: key }).length, 0);
  database.close();
});

test("a table has the same from each kind of source", async () => {
  const file = largest(whole);
  const bytes = fs.readFileSync(file);
  const table = await sstable.openTable(file);
  assert.equal(table.hasInternalKeys, true);
  const expected = rows(table);
  assert.ok(expected.length > 1000);
  for (const [key, value] of expected.slice(0, 300)) {
    assert.equal(text(table.get(Buffer.from(key, "latin1"))), value);
  }
  const versions = [...table.history()].map(({ key, value }) => [text(key), text(value)]);
  assert.ok(versions.length >= expected.length);
  assert.equal(table.check().ok, true);
  assert.equal(table.check().entryCount, versions.length);
  const read = (offset, size) => bytes.subarray(offset, offset + size);
  for (const source of [
    bytes,
    new Uint8Array(bytes).buffer,
    new Blob([bytes]),
    { size: bytes.length, read },
  ]) {
    const other = await sstable.openTable(source, { name: "copy" });
    assert.deepEqual(rows(other), expected);
    other.close();
  }
  table.close();
});

test("a database of files that are in memory", async () => {
  const files = fs
    .readdirSync(whole)
    .map((name) => ({ name, file: fs.readFileSync(path.join(whole, name)) }));
  const database = await sstable.openDatabase(files);
  assert.deepEqual(new Map(rows(database)), live);
  database.close();
});

test("only what is needed is read", async () => {
  const at = path.join(folder, "small values");
  await withClassic(
    at,
    async (db) => {
      const batch = db.batch();
      for (let i = 0; i < 20000; ++i) batch.put(keyOf(i), Buffer.alloc(100, `${i} `));
      await batch.write();
      await db.compactRange(keyOf(0), keyOf(20000));
    },
    { compression: false },
  );
  const bytes = fs.readFileSync(largest(at));
  let count = 0;
  const read = (offset, size) => {
    count += size;
    return bytes.subarray(offset, offset + size);
  };
  const table = await sstable.openTable({ size: bytes.length, read });
  assert.equal(text(table.get(keyOf(1000)).subarray(0, 5)), "1000 ");
  assert.ok(count < bytes.length / 4, `${count} of ${bytes.length} bytes`);
  table.close();
});

test("damage in a table", async () => {
  const file = damage(largest(copyOf(whole, "damaged table")));
  const table = await sstable.openTable(file);
  const check = table.check();
  assert.equal(check.ok, false);
  assert.match(check.problems[0].message, /crc32c/);
  assert.ok(check.problems[0].isDamage && check.problems[0].offset > 0);
  assert.throws(() => rows(table), isError("DATA_LOSS", sstable.DataLossError));
  table.close();
  const salvaged = await sstable.salvageTable(file);
  assert.equal(salvaged.isComplete, false);
  const saved = await sstable.openTable(salvaged.table);
  assert.equal(saved.check().ok, true);
  assert.equal(saved.check().entryCount, salvaged.entryCount);
  const left = new Map(rows(saved));
  assert.ok(left.size > 1000);
  saved.close();
});

test("damage in a database", async () => {
  const at = copyOf(whole, "damaged database");
  damage(largest(at));
  const database = await sstable.openDatabase(at);
  const entries = new Map(rows(database));
  assert.ok(entries.size > 1000 && entries.size < live.size);
  assert.match(database.problems()[0].message, /^\d+[.]ldb: .*crc32c/);
  assert.equal(database.check().ok, false);
  const hidden = [...live.keys()].find((key) => !entries.has(key));
  assert.throws(() => database.get(hidden), isError("DATA_LOSS", sstable.DataLossError));
  database.close();
  const strict = await sstable.openDatabase(at, { strict: true });
  assert.throws(() => rows(strict), isError("DATA_LOSS", sstable.DataLossError));
  strict.close();

  const to = path.join(folder, "salvaged");
  const salvaged = await sstable.salvageDatabase(at, to);
  assert.equal(salvaged.isComplete, false);
  assert.ok(salvaged.problems.length > 0 && salvaged.entryCount > 1000);
  const reopened = await sstable.openDatabase(to);
  assert.equal(reopened.check().ok, true);
  const rescued = rows(reopened);
  reopened.close();
  assert.deepEqual(await withClassic(to, (db) => all(db)), rescued);
  assert.ok(rescued.length >= entries.size);
  await assert.rejects(sstable.salvageDatabase(at, to), isError("ALREADY_EXISTS"));
});

test("a sound database is saved as a whole", async () => {
  const to = path.join(folder, "saved");
  const salvaged = await sstable.salvageDatabase(whole, to);
  assert.equal(salvaged.isComplete, true, JSON.stringify(salvaged.problems));
  assert.deepEqual(new Map(await withClassic(to, (db) => all(db))), live);
});

test("what is no table or database", async () => {
  const { openTable, openDatabase } = sstable;
  const noise = Buffer.alloc(5000, "not a table ");
  await assert.rejects(openTable(noise), isError("DATA_LOSS", sstable.DataLossError));
  await assert.rejects(openTable(new Uint8Array()), isError("DATA_LOSS", sstable.DataLossError));
  await assert.rejects(openTable(path.join(folder, "none.ldb")), isError("NOT_FOUND"));
  await assert.rejects(openTable(folder), isError("INVALID_ARGUMENT"));
  await assert.rejects(openDatabase(path.join(folder, "none")), isError("NOT_FOUND"));
  await assert.rejects(openDatabase(largest(whole)), isError("INVALID_ARGUMENT"));
  const empty = fs.mkdtempSync(path.join(folder, "empty-"));
  await assert.rejects(openDatabase(empty), isError("NOT_FOUND"));
  await assert.rejects(openTable(3), TypeError);
  const salvaged = await sstable.salvageTable(noise);
  assert.deepEqual([salvaged.table, salvaged.isComplete], [undefined, false]);
});

test("a source that fails is the cause", async () => {
  const bytes = fs.readFileSync(largest(whole));
  const failure = new Error("unplugged");
  let isPlugged = true;
  const read = (offset, size) => {
    if (!isPlugged) throw failure;
    return bytes.subarray(offset, offset + size);
  };
  const table = await sstable.openTable({ size: bytes.length, read });
  isPlugged = false;
  const fails = (error) => isError("UNAVAILABLE")(error) && error.cause === failure;
  assert.throws(() => rows(table), fails);
  assert.throws(() => table.decoder(), fails);
  assert.throws(() => table.check(), fails);
  isPlugged = true;
  assert.ok(rows(table).length > 1000);
  assert.equal(table.check().ok, true);
  table.close();
  isPlugged = false;
  await assert.rejects(sstable.salvageTable({ size: bytes.length, read }), fails);

  const files = fs.readdirSync(whole).map((name) => {
    const file = fs.readFileSync(path.join(whole, name));
    if (name !== path.basename(largest(whole))) return { name, file };
    return { name, file: { size: bytes.length, read } };
  });
  await assert.rejects(sstable.salvageDatabase(files.filter(({ file }) => "read" in file)), fails);
  const salvaged = await sstable.salvageDatabase(files);
  assert.ok(!salvaged.isComplete && salvaged.files.size > 0 && fails(salvaged.readError));
  isPlugged = true;
  const database = await sstable.openDatabase(files);
  isPlugged = false;
  assert.throws(() => rows(database), fails);
  const [key] = [...live.keys()].filter((key) => {
    try {
      database.get(key);
      return false;
    } catch (error) {
      return fails(error);
    }
  });
  assert.ok(key !== undefined);
  isPlugged = true;
  assert.equal(text(database.get(key)), live.get(key));
  database.close();
});

test("without memory for another object, none is opened", async (t) => {
  t.mock.method(WebAssembly, "instantiate", async () => {
    throw new RangeError("none left");
  });
  const fails = isError("RESOURCE_EXHAUSTED");
  await assert.rejects(sstable.openDatabase(whole), fails);
  await assert.rejects(sstable.openTable(largest(whole)), fails);
  await assert.rejects(sstable.salvageTable(largest(whole)), fails);
  t.mock.restoreAll();
  (await sstable.openDatabase(whole)).close();
});

test("a source that gives few bytes at a time", async () => {
  const bytes = fs.readFileSync(largest(whole));
  const read = (offset, size) => bytes.subarray(offset, offset + Math.min(size, 1000));
  const { entryCount, isComplete } = await sstable.salvageTable({ size: bytes.length, read });
  assert.ok(isComplete && entryCount > 1000);
  const late = { size: bytes.length, read: async () => bytes };
  await assert.rejects(sstable.openTable(late), (error) => error.cause instanceof TypeError);
});

test("files that are deleted", async () => {
  const at = copyOf(whole, "deleted");
  const database = await sstable.openDatabase(at);
  const opening = sstable.openTable(largest(at));
  for (const file of tablesIn(at)) fs.rmSync(file);
  await assert.rejects(opening, isError("ABORTED"));
  assert.equal(rows(database).length, live.size);
  assert.deepEqual(database.problems(), []);
  database.close();
});

test("a database that is written to", async () => {
  const at = path.join(folder, "written");
  const options = { ...encoding, writeBufferSize: 1 << 16, maxFileSize: 1 << 20 };
  await withClassic(
    at,
    async (db) => {
      const value = Buffer.alloc(100, "v");
      let written = 0;
      const write = async () => {
        const batch = db.batch();
        for (let i = 0; i < 500; ++i) batch.put(keyOf((written++ * 7919) % 30000), value);
        await batch.write();
      };
      while (written < 30000) await write(); // until every key has been written
      for (let round = 0; round < 20; ++round) {
        const writing = write();
        const database = await sstable.openDatabase(at, { strict: true });
        await Promise.all([writing, write(), write()]);
        assert.equal(rows(database).length, 30000);
        assert.deepEqual(
          database.problems().filter(({ isDamage }) => isDamage),
          [],
        );
        database.close();
      }
      // The writer must still hold its lock.
      const other = `import("classic-level")
          .then(({ ClassicLevel }) => new ClassicLevel(process.argv[1]).open())
          .then(() => process.exit(0), () => process.exit(9));`;
      assert.equal(spawnSync(process.execPath, ["-e", other, at]).status, 9);
    },
    options,
  );
});

test("odd names", async () => {
  const file = fs.readFileSync(largest(whole));
  for (const name of ["", "..", "/a/b.ldb", "a\0b", "__proto__", "constructor", "$&"]) {
    const table = await sstable.openTable(file, { name });
    assert.ok(rows(table).length > 1000);
    table.close();
  }
  const noise = Buffer.alloc(5000, "x");
  await assert.rejects(sstable.openTable(noise, { name: "$&/x" }), /^DataLossError: [$]&[/]x: /);
  const files = fs
    .readdirSync(whole)
    .map((name) => ({ name, file: fs.readFileSync(path.join(whole, name)) }));
  for (const name of ["hasOwnProperty", "__proto__", "..", "a/b", ""]) files.push({ name, file });
  const database = await sstable.openDatabase(files);
  assert.equal(rows(database).length, live.size);
  database.close();
});

test("the folder of a salvaged database", async (t) => {
  const bad = fs.mkdtempSync(path.join(folder, "bad-"));
  fs.writeFileSync(path.join(bad, "000005.ldb"), Buffer.alloc(5000, "noise"));
  const to = path.join(folder, "not made");
  assert.equal((await sstable.salvageDatabase(bad, to)).files.size, 0);
  assert.ok(!fs.existsSync(to));
  const absent = path.join(folder, "absent");
  await assert.rejects(sstable.salvageDatabase(absent, to), isError("NOT_FOUND"));
  assert.ok(!fs.existsSync(to));
  const { writeFileSync } = fs;
  t.mock.method(fs, "writeFileSync", (file, ...args) => {
    if (path.basename(file) === "CURRENT")
      throw Object.assign(new Error("full"), { code: "ENOSPC" });
    writeFileSync(file, ...args);
  });
  await assert.rejects(sstable.salvageDatabase(whole, to), isError("RESOURCE_EXHAUSTED"));
  assert.ok(!fs.existsSync(to));
  t.mock.restoreAll();
});

test("a prefix in a database of another order", async () => {
  const comparator = "idb_cmp1";
  const edit = Buffer.from(`\x01\x08${comparator}\x02\0\x09\0\x03\x03\x04\0`, "latin1");
  const record = Buffer.concat([Buffer.of(1), edit]);
  let crc = 0xffffffff;
  for (const byte of record) {
    crc ^= byte;
    for (let i = 0; i < 8; ++i) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  crc = ~crc;
  const header = Buffer.alloc(6);
  header.writeUInt32LE((((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0);
  header.writeUInt16LE(edit.length, 4);
  const database = await sstable.openDatabase([
    { name: "CURRENT", file: Buffer.from("MANIFEST-000001\n") },
    { name: "MANIFEST-000001", file: Buffer.concat([header, record]) },
  ]);
  assert.deepEqual(database.problems(), []);
  assert.deepEqual([...database.history()], []);
  const fails = isError("FAILED_PRECONDITION");
  assert.throws(() => [...database.entries({ prefix: "a" })], fails);
  assert.throws(() => [...database.history({ prefix: "a" })], fails);
  database.close();
});

test("wrong ranges and keys", async () => {
  const table = await sstable.openTable(largest(whole));
  assert.throws(() => rows(table.entries({ gt: "a", gte: "a" })), TypeError);
  assert.throws(() => rows(table.entries({ prefix: "a", lt: "b" })), TypeError);
  for (const limit of [-1, 0.5, 1.5, NaN, "3"]) {
    assert.throws(() => table.entries({ limit }), TypeError);
  }
  assert.equal(rows(table.entries({ limit: Infinity })).length, rows(table).length);
  assert.throws(() => table.entries({ start: "a" }), TypeError);
  assert.throws(() => table.history({ reverse: true }), TypeError);
  assert.throws(() => table.get(5), TypeError);
  table.close();
  await assert.rejects(sstable.openTable(largest(whole), { strict: true }), TypeError);
  await assert.rejects(sstable.openDatabase(3), TypeError);
  await assert.rejects(sstable.openDatabase(["CURRENT"]), TypeError);
});

test("what is closed throws", async () => {
  for (const opened of [
    await sstable.openTable(largest(whole)),
    await sstable.openDatabase(whole),
  ]) {
    const entries = opened.entries();
    for (let i = 0; i < 20; ++i) entries.next();
    opened.decoder();
    opened.close();
    opened.close();
    const closed = isError("CLOSED", sstable.ClosedError);
    assert.throws(() => opened.get("a"), closed);
    assert.throws(() => rows(opened), closed);
    assert.throws(() => [...opened.history()], closed);
    assert.throws(() => opened.check(), closed);
    assert.throws(() => opened.decoder(), closed);
    assert.throws(() => entries.next(), closed);
  }
});

test("the same objects are in CommonJS", async () => {
  const cjs = createRequire(import.meta.url)("sstable");
  assert.deepEqual(Object.keys(cjs).sort(), Object.keys(sstable).sort());
  const database = await cjs.openDatabase(whole);
  assert.equal(rows(database).length, live.size);
  if (Symbol.dispose) database[Symbol.dispose]();
  else database.close();
  assert.throws(() => database.get("a"), cjs.ClosedError);
});

test("the example of the README runs", () => {
  const at = fs.mkdtempSync(path.join(folder, "readme-"));
  fs.cpSync(whole, path.join(at, "path/to/folder"), { recursive: true });
  fs.cpSync(whole, path.join(at, "damaged/folder"), { recursive: true });
  fs.copyFileSync(damage(largest(path.join(at, "damaged/folder"))), path.join(at, "damaged.ldb"));
  const readme = fs.readFileSync("node_modules/sstable/README.md", "utf8");
  const [, example] = /```js\n([^]*?)```/.exec(readme);
  const checks =
    "if (!ok || rescued.files.size === 0 || !table || isComplete) throw new Error();\n";
  fs.writeFileSync(path.join(at, "example.mjs"), example + checks);
  execFileSync(process.execPath, ["example.mjs"], { cwd: at, maxBuffer: 1 << 28 });
  assert.ok(fs.existsSync(path.join(at, "new/folder/CURRENT")));
});

test("JSON is decoded", async () => {
  const at = path.join(folder, "json");
  await withClassic(at, (db) => db.put("user", '{"name":"Ada"}'), { keyEncoding: "utf8" });
  const database = await sstable.openDatabase(at);
  const decoder = database.decoder();
  assert.match(decoder.format, /JSON/);
  const [[key, value]] = database;
  assert.deepEqual(decoder.decode(key, value).value, { name: "Ada" });
  for (const wrong of [undefined, '{"a":1}']) {
    assert.throws(() => decoder.decode(key, wrong), TypeError);
  }
  const big =
    '{"id":12345678901234567890,"of":[-9007199254740993,9007199254740991],"n":"n1","m":1.5}';
  assert.deepEqual(decoder.decode(key, Buffer.from(big)).value, {
    id: 12345678901234567890n,
    of: [-9007199254740993n, 9007199254740991],
    n: "n1",
    m: 1.5,
  });
  database.close();
});

let compared = 0;
// Only tables with internal keys.
for (const file of tables) {
  const name = path.relative(path.join(file, "../.."), file);
  test(`${name}: entries are those of classic-level`, async (t) => {
    const at = path.join(folder, name.replaceAll(/[^\w.]/g, "-"));
    fs.mkdirSync(at);
    fs.copyFileSync(file, path.join(at, "000005.ldb"));
    // Plain keys would fail an assertion in classic-level.
    const table = await sstable.openTable(file);
    if (!table.hasInternalKeys) {
      table.close();
      return t.skip("plain keys");
    }
    let theirs;
    try {
      await ClassicLevel.repair(at);
      theirs = await withClassic(at, (db) => all(db), { createIfMissing: false });
    } catch (error) {
      table.close();
      return t.skip(`classic-level can't open it: ${error.cause ?? error}`);
    }
    if (theirs.length === 0) {
      table.close();
      return t.skip("classic-level reads nothing of it");
    }
    assert.deepEqual(rows(table), theirs);
    table.close();
    const database = await sstable.openDatabase(at);
    assert.deepEqual(rows(database), theirs);
    database.close();
    ++compared;
  });
}

if (tables.length > 0) {
  test("tables of most writers were compared", () => assert.ok(compared >= 40, String(compared)));
}

after(() => fs.rmSync(folder, { recursive: true }));
