// The package in Node.js.
import * as fs from "node:fs";
import * as path from "node:path";
import type { DatabaseOptions, TableOptions } from "./api";
import { SstableError } from "./errors";
import { Database, Table } from "./reader";
import {
  type SalvagedDatabase,
  salvageDatabaseFiles,
  type SalvagedTable,
  salvageTableFile,
} from "./salvage";
import { type CoreFile, coreFile, coreFiles, type FileSource, type NamedFile } from "./sources";

export * from "./api";

let compiled: Promise<WebAssembly.Module> | undefined;
const core = (): Promise<WebAssembly.Module> =>
  (compiled ??= WebAssembly.compile(fs.readFileSync(path.join(__dirname, "sstable.wasm"))));

const MAX_OPEN = 256; // files; those of a database may be many

/** Descriptors that were used last; the least recently used one is closed for another. */
class Descriptors {
  private open = new Map<string, number>();

  get(file: string): number {
    let descriptor = this.open.get(file);
    this.open.delete(file);
    if (descriptor === undefined) {
      const [oldest] = this.open.keys();
      if (this.open.size >= MAX_OPEN && oldest !== undefined) this.close(oldest);
      descriptor = fs.openSync(file, "r");
    }
    this.open.set(file, descriptor);
    return descriptor;
  }

  close(file: string): void {
    const descriptor = this.open.get(file);
    if (descriptor !== undefined) fs.closeSync(descriptor);
    this.open.delete(file);
  }
}

function fileAt(file: string, size: number, descriptors = new Descriptors()): CoreFile {
  return {
    name: path.basename(file),
    size,
    readInto: (to, offset) => fs.readSync(descriptors.get(file), to, 0, to.length, offset),
    close: () => descriptors.close(file),
  };
}

const CODES: Record<string, "NOT_FOUND" | "PERMISSION_DENIED" | "INVALID_ARGUMENT"> = {
  ENOENT: "NOT_FOUND",
  ENOTDIR: "INVALID_ARGUMENT",
  EACCES: "PERMISSION_DENIED",
  EPERM: "PERMISSION_DENIED",
};

// Errors of the system as ours.
function ours<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    throw new SstableError(CODES[code ?? ""] ?? "UNAVAILABLE", message, error);
  }
}

function namedFile(source: string | FileSource, name: string | undefined): Promise<CoreFile> {
  if (typeof source !== "string") {
    const own = "name" in source ? String(source.name) : "table";
    return coreFile(name ?? own, source);
  }
  const file = path.resolve(source);
  const stat = ours(() => fs.statSync(file));
  if (stat.isFile()) return Promise.resolve(fileAt(file, stat.size));
  throw new SstableError("INVALID_ARGUMENT", `${file}: is no file; openDatabase() opens folders`);
}

// The files of a folder; those that go away meanwhile are left out.
function filesIn(source: string | Iterable<NamedFile>): [string, Promise<CoreFile[]>] {
  if (typeof source !== "string") return ["database", coreFiles(source)];
  const folder = path.resolve(source);
  const descriptors = new Descriptors();
  const files: CoreFile[] = [];
  for (const name of ours(() => fs.readdirSync(folder))) {
    const file = path.join(folder, name);
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (stat?.isFile()) files.push(fileAt(file, stat.size, descriptors));
  }
  return [folder, Promise.resolve(files)];
}

/** Opens a table. A file is read by positions; a Blob is read whole, up to 512 MiB. */
export async function openTable(
  source: string | FileSource,
  options: TableOptions = {},
): Promise<Table> {
  const file = await namedFile(source, options.name);
  return Table.open(await core(), file, options.internalKeys);
}

/** Opens a LevelDB folder, or the files of one. Takes no lock, so a program may have it open. */
export async function openDatabase(
  source: string | Iterable<NamedFile>,
  options: DatabaseOptions = {},
): Promise<Database> {
  const [name, files] = filesIn(source);
  return Database.open(await core(), name, await files, options.strict ?? false);
}

/** Saves what can be read of a table. */
export async function salvageTable(
  source: string | FileSource,
  options: { readonly name?: string } = {},
): Promise<SalvagedTable> {
  return salvageTableFile(await core(), await namedFile(source, options.name));
}

/**
 * Saves what can be read of a LevelDB folder, or of the files of one, as the files of a new
 * database. It is written to `newFolder`, if that is given, which must not exist or be empty.
 */
export async function salvageDatabase(
  source: string | Iterable<NamedFile>,
  newFolder?: string,
): Promise<SalvagedDatabase> {
  const to = newFolder === undefined ? undefined : path.resolve(newFolder);
  if (to !== undefined) {
    ours(() => fs.mkdirSync(to, { recursive: true }));
    if (ours(() => fs.readdirSync(to)).length > 0) {
      throw new SstableError("ALREADY_EXISTS", `${to}: is not empty`);
    }
  }
  const [name, files] = filesIn(source);
  const salvaged = await salvageDatabaseFiles(await core(), name, await files);
  if (to !== undefined) {
    for (const [file, bytes] of salvaged.files) {
      ours(() => fs.writeFileSync(path.join(to, file), bytes));
    }
  }
  return salvaged;
}
