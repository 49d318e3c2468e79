// The formats in conformance/kaitai must read the same from tables, logs and MANIFESTs as `sst`.
// Arguments: KAITAI (their folder) COMPILED (output folder, with npm's packages) SST PATH...

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import zlib from "node:zlib";

const [kaitai, compiled, sst, ...paths] = process.argv.slice(2);
const require = createRequire(path.join(compiled, "main.js"));

const FORMATS = ["table", "filter_block", "log", "write_batch", "version_edit"];
const CODECS = [
  "none",
  "snappy",
  "zlib",
  "raw deflate",
  ...(zlib.zstdDecompressSync ? ["zstd"] : []),
];
const KINDS = ["deletion", "value"];

async function compile() {
  const compiler = require("kaitai-struct-compiler");
  const yaml = require("yaml");
  const read = (name) => yaml.parse(fs.readFileSync(path.join(kaitai, `${name}.ksy`), "utf8"));
  const importer = { importYaml: async (name) => read(name) };
  for (const name of FORMATS) {
    const files = await compiler.compile("javascript", read(`leveldb_${name}`), importer, false);
    for (const file in files) {
      // The codec is a file of this folder, but the compiled code looks for an npm package.
      const code = files[file].replaceAll("require('LeveldbCodec')", "require('./LeveldbCodec')");
      fs.writeFileSync(path.join(compiled, file), code);
    }
  }
  fs.copyFileSync(path.join(kaitai, "LeveldbCodec.js"), path.join(compiled, "LeveldbCodec.js"));
}

function parse(name, bytes) {
  const KaitaiStream = require("kaitai-struct/KaitaiStream");
  const Class = require(`./${name}`)[name];
  return new Class(
    new KaitaiStream(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), 0),
  );
}

const hex = (bytes) => Buffer.from(bytes).toString("hex");

// Returns the output of `sst`, or null if it reports damage or can't read the file.
function run(...args) {
  const result = spawnSync(sst, args, { encoding: "utf8", maxBuffer: 2 ** 30 });
  return result.status === 0 ? result.stdout : null;
}

const jsonLines = (text) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

// Compares lists and throws at the first difference.
function expectSame(what, found, expected) {
  if (found.length !== expected.length) {
    throw new Error(`${what}: ${found.length}, \`sst\` has ${expected.length}`);
  }
  for (let i = 0; i < found.length; ++i) {
    const pair = [found[i], expected[i]].map((one) => JSON.stringify(one));
    if (pair[0] !== pair[1]) throw new Error(`${what} ${i}: ${pair[0]}, \`sst\` has ${pair[1]}`);
  }
}

const numbersOf = (handle) => [handle.offset.value, handle.size.value];

// Returns a block's entries with complete keys and values, in hex.
function entriesOf(block) {
  let key = Buffer.alloc(0);
  return block.entries.items.map((entry) => {
    key = Buffer.concat([key.subarray(0, entry.shared.value), entry.keySuffix]);
    return { offset: entry.offset, key: hex(key), value: entry.value && hex(entry.value) };
  });
}

// Compares the table's filter, if `sst` finds it intact. Returns the number of filters compared.
function compareFilter(file, table) {
  if (table.metaBlocks.length === 0) return 0;
  const report = JSON.parse(run("filter", "--format", "json", file) ?? "{}");
  const block = table.metaBlocks.find(({ handle }) => handle.offset.value === report.block?.offset);
  if (!block || !report.consulted || report.windows.malformed > 0) return 0;
  const { baseLg, filters } = parse("LeveldbFilterBlock", block.contents);
  const empty = filters.filter(({ size }) => size === 0).length;
  const { count, empty: expectedEmpty } = report.windows;
  expectSame("filter", [[baseLg, filters.length, empty]], [[report.base_lg, count, expectedEmpty]]);
  return 1;
}

function compareTable(file) {
  const [text, json, dump] = [
    run("layout", "-v", file),
    run("layout", "--format", "json", file),
    run("dump", "--keys", "plain", "--format", "tsv", "--encoding", "hex", file),
  ];
  if (text === null || json === null || dump === null) return null;
  const layout = JSON.parse(json);
  const unknown = layout.blocks.find(({ codec }) => !CODECS.includes(codec));
  if (unknown) throw new Error(`skipped: Node.js does not have ${unknown.codec}`);
  const table = parse("LeveldbTable", fs.readFileSync(file));
  expectSame(
    "footer",
    [numbersOf(table.footer.metaindex), numbersOf(table.footer.index)],
    [layout.footer.metaindex, layout.footer.index].map(({ offset, size }) => [offset, size]),
  );

  const ofBlock =
    (kind) =>
    ({ handle, trailer, contents }) => ({
      kind,
      offset: handle.offset.value,
      size: handle.size.value,
      type: trailer.compression,
      crc: trailer.maskedCrc32c,
      entries: kind === "meta" ? undefined : contents.entries.items.length,
      restarts: contents.restartCount,
    });
  const masked = (crc) => (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
  const blocks = [
    ...table.dataBlocks.map(ofBlock("data")),
    ...table.metaBlocks.map(ofBlock("meta")),
    ...[table.metaindex].map(ofBlock("metaindex")),
    ...[table.index].map(ofBlock("index")),
  ];
  blocks.sort((a, b) => a.offset - b.offset);
  expectSame(
    "block",
    blocks,
    layout.blocks.map((block) => ({
      kind: block.kind === "filter" ? "meta" : block.kind,
      offset: block.offset,
      size: block.size,
      type: block.type,
      crc: masked(Number(block.stored_crc32c)),
      entries: block.entries,
      restarts: block.restarts,
    })),
  );

  const entries = table.dataBlocks.flatMap(({ contents }) => entriesOf(contents));
  expectSame(
    "entry",
    entries.map(({ key, value }) => `${key}\t${value}`),
    dump.split("\n").slice(0, -1),
  );
  // Block rows have text in the first ten columns, entry rows only after them.
  const offsets = [];
  let isData = false;
  for (const line of text.split("\n")) {
    if (/^ {0,9}\d/.test(line)) isData = /^ *\d+ +\d+ +data /.test(line);
    else if (isData && /^ {10} *\d/.test(line)) offsets.push(parseInt(line, 10));
  }
  expectSame(
    "entry's offset",
    entries.map(({ offset }) => offset),
    offsets,
  );
  return { entries: entries.length, filters: compareFilter(file, table) };
}

// Returns records with their offsets, without one that is cut off by the end of the file.
function recordsOf(file) {
  const bytes = fs.readFileSync(file);
  const records = [];
  let record = null;
  for (let at = 0; bytes.length - at >= 7; at += 32768) {
    const isCut = bytes.length - at < 32768;
    // A fragment that is cut off can't be parsed, so only complete fragments are.
    let end = Math.min(at + 32768, bytes.length);
    if (isCut) {
      end = at;
      while (bytes.length - end >= 7 && end + 7 + bytes.readUInt16LE(end + 4) <= bytes.length) {
        end += 7 + bytes.readUInt16LE(end + 4);
      }
      if (end === at) break;
    }
    let offset = at;
    for (const { type, payloadSize, payload } of parse("LeveldbLog", bytes.subarray(at, end))
      .blocks[0].fragments) {
      if (type === 0) return records; // zeros that no write has replaced
      if (type === 1 || type === 2) record = { offset, parts: [] };
      record.parts.push(payload);
      if (type === 1 || type === 4)
        records.push({ offset: record.offset, bytes: Buffer.concat(record.parts) });
      offset += 7 + payloadSize;
    }
  }
  return records;
}

function compareLog(file) {
  const dump = run("dump", "--format", "jsonl", "--encoding", "hex", file);
  if (dump === null) return null;
  const changes = recordsOf(file).flatMap(({ offset, bytes }) => {
    const batch = parse("LeveldbWriteBatch", bytes);
    return batch.changes.map(({ type, key, value }, i) => [
      offset,
      batch.sequence + i,
      KINDS[type],
      hex(key.bytes),
      value && hex(value.bytes),
    ]);
  });
  expectSame(
    "change",
    changes,
    jsonLines(dump).map((line) => [
      line.offset,
      Number(line.sequence),
      line.type,
      line.key_hex,
      line.value_hex,
    ]),
  );
  return { changes: changes.length };
}

function compareManifest(file) {
  const dump = run("dump", "--format", "jsonl", "--encoding", "hex", file);
  if (dump === null) return null;
  const low = (number) => number % 2 ** 63; // the part that leveldb_varint has
  const internalKey = (bytes) => {
    const user = bytes.length - 8;
    if (bytes[user] > 1) return [hex(bytes), null, null];
    const sequence = Buffer.from(bytes).readUIntLE(user + 1, 6) + bytes[user + 7] * 2 ** 48;
    return [hex(bytes.subarray(0, user)), sequence, KINDS[bytes[user]]];
  };
  const edits = recordsOf(file).map(({ offset, bytes }) => {
    const { fields } = parse("LeveldbVersionEdit", bytes);
    const last = (tag) => fields.filter((field) => field.tag === tag).at(-1)?.content;
    const all = (tag) => fields.filter((field) => field.tag === tag).map(({ content }) => content);
    return {
      offset,
      comparator: last(1) && Buffer.from(last(1).bytes).toString(),
      numbers: [2, 9, 3, 4].map((tag) => low(last(tag)?.value)),
      deleted: all(6).map(({ level, number }) => [level.value, low(number.value)]),
      added: all(7).map(({ level, number, size, smallest, largest }) => [
        level.value,
        low(number.value),
        low(size.value),
        ...internalKey(smallest.bytes),
        ...internalKey(largest.bytes),
      ]),
    };
  });
  const key = (file, which) => [
    file[`${which}_hex`] ?? hex(Buffer.from(file[which])),
    Number(file[`${which}_sequence`]),  // above 2^53 it is a string
    file[`${which}_type`],
  ];
  expectSame(
    "edit",
    edits,
    jsonLines(dump).map((edit) => ({
      offset: edit.offset,
      comparator: edit.comparator,
      numbers: [
        edit.log_number,
        edit.previous_log_number,
        edit.next_file_number,
        edit.last_sequence,
      ].map(low),
      deleted: (edit.deleted_files ?? []).map(({ level, number }) => [level, low(number)]),
      added: (edit.new_files ?? []).map((file) => [
        file.level,
        low(file.number),
        low(file.size),
        ...key(file, "smallest"),
        ...key(file, "largest"),
      ]),
    })),
  );
  return { edits: edits.length };
}

function* filesBelow(root) {
  const stat = fs.statSync(root);
  if (!stat.isDirectory()) return yield root;
  for (const name of fs.readdirSync(root).sort()) yield* filesBelow(path.join(root, name));
}

await compile();
const totals = { files: 0, unread: 0, skipped: 0, failed: 0 };
for (const file of paths.flatMap((root) => [...filesBelow(root)])) {
  const name = path.basename(file);
  const compare = /\.(ldb|sst|index)$/.test(name)
    ? compareTable
    : /\.log$/.test(name)
      ? compareLog
      : /^MANIFEST-\d+$/.test(name)
        ? compareManifest
        : null;
  if (compare === null) continue;
  ++totals.files;
  try {
    const counts = compare(file);
    if (counts === null) ++totals.unread; // not readable by `sst`
    for (const kind in counts) totals[kind] = (totals[kind] ?? 0) + counts[kind];
  } catch (error) {
    ++totals[error.message.startsWith("skipped: ") ? "skipped" : "failed"];
    console.log(`${file}: ${error.message}`);
  }
}
console.log(totals);
const compared = ["entries", "filters", "changes", "edits"].every((kind) => totals[kind] > 0);
process.exitCode = totals.failed === 0 && compared ? 0 : 1;
