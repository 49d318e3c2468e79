// Makes a database to show: tables on several levels, one of them damaged, a log, and other files.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";

// Returns `count` entries with internal keys, numbered in steps of `step`.
function records(first, count, step, sequence) {
  return Array.from({ length: count }, (_, i) => {
    const key = `key${String(first + i * step).padStart(6, "0")}`;
    return `${key}\t${sequence + i}\tvalue\tvalue of ${key}, ${"x".repeat(i % 40)}\n`;
  }).join("");
}

/** Creates the database in `folder` with the command `sst`. Returns its path. */
export function makeDatabase(sst, folder) {
  const run = (args, input) => {
    const { status, stderr } = spawnSync(sst, args, { input });
    if (status > 1) throw new Error(`sst ${args.join(" ")}: ${stderr}`);
  };
  const build = (file, tsv) => run(["build", file, "--keys", "internal"], tsv);
  const parts = path.join(folder, "parts");
  mkdirSync(parts);
  // The newest tables overlap each other and all old ones.
  for (let i = 0; i < 12; ++i) {
    const tsv = records(i * 1000, 500 + 40 * i, 1, 1 + 2000 * i);
    build(path.join(parts, `${String(10 + i).padStart(6, "0")}.ldb`), tsv);
  }
  for (let i = 0; i < 3; ++i) {
    build(path.join(parts, `00003${i}.ldb`), records(700 + 3000 * i, 300, 9, 50_000 + 1000 * i));
  }
  const database = path.join(folder, "database");
  run(["salvage", parts, "-o", database], "");
  const tables = readdirSync(database).filter((name) => name.endsWith(".ldb"));
  const damaged = path.join(database, tables[4]);
  const bytes = readFileSync(damaged);
  bytes[100] ^= 1;
  writeFileSync(damaged, bytes);
  copyFileSync(path.join(parts, "000010.ldb"), path.join(database, "000099.ldb")); // leftover
  writeFileSync(path.join(database, "<b>notes.txt"), "of somebody else\n");
  writeFileSync(path.join(database, "LOCK"), "");
  return database;
}

/** Encrypts the bytes of a file as NetEase's edition of Minecraft does. */
export const encrypted = (bytes) =>
  Buffer.concat([
    Buffer.from([0x80, 0x1d, 0x30, 0x01]),
    bytes.map((byte, i) => byte ^ "88329851".charCodeAt(i % 8)),
  ]);
