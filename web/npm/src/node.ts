// The package in Node.js.
import * as fs from "node:fs";
import * as path from "node:path";
import type { DatabaseOptions, SalvageOptions, TableOptions } from "./api";
import { SstableError, systemError } from "./errors";
import { checkOptions, Database, Table } from "./reader";
import {
  type SalvagedDatabase,
  salvageDatabaseFiles,
  type SalvagedTable,
  salvageTableFile,
} from "./salvage";
import {
  type CoreFile,
  coreFile,
  coreFiles,
  type FileSource,
  type NamedFile,
  nameOf,
} from "./sources";

export * from "./api";

let compiled: Promise<WebAssembly.Module> | undefined;
const core = (): Promise<WebAssembly.Module> =>
  (compiled ??= WebAssembly.compile(fs.readFileSync(path.join(__dirname, "sstable.wasm"))));

const MAX_OPEN = 256; // files; a database may have more
const MAX_TRIES = 20; // to list a folder that keeps changing

/** A cache of open descriptors, which closes the least recently used one to open another. */
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

// Converts the system's errors to ours.
function ours<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw systemError(error);
  }
}

function namedFile(source: string | FileSource, name: string | undefined): Promise<CoreFile> {
  if (typeof source !== "string") return coreFile(nameOf(source, name), source);
  const file = path.resolve(source);
  const stat = ours(() => fs.statSync(file));
  if (stat.isFile()) return Promise.resolve(fileAt(file, stat.size));
  throw new SstableError(
    "INVALID_ARGUMENT",
    `${file}: is not a file; openDatabase() opens folders`,
  );
}

/**
 * The files of a folder at one moment, even if a program writes to it. They are opened at once, so
 * that files which the program deletes can still be read.
 */
function filesIn(folder: string): CoreFile[] {
  for (let tries = 1; ; ++tries) {
    const descriptors = new Descriptors();
    const files: CoreFile[] = [];
    const names = ours(() => fs.readdirSync(folder));
    for (const name of names) {
      const file = path.join(folder, name);
      const stat = ours(() => fs.statSync(file, { throwIfNoEntry: false }));
      if (stat?.isFile()) files.push(fileAt(file, stat.size, descriptors));
    }
    for (const { name } of files) {
      if (name === "LOCK") continue; // closing it would release a lock held by this process
      try {
        descriptors.get(path.join(folder, name));
      } catch {
        // A later read reports the error.
      }
    }
    if (ours(() => fs.readdirSync(folder)).join("/") === names.join("/")) return files;
    for (const file of files) file.close();
    if (tries === MAX_TRIES) {
      const message = `${folder}: files were added or deleted each time it was listed; try again`;
      throw new SstableError("ABORTED", message);
    }
  }
}

/** Opens a table. A file is read as needed; a Blob is read at once, up to 512 MiB. */
export async function openTable(
  source: string | FileSource,
  options: TableOptions = {},
): Promise<Table> {
  checkOptions(options, "internalKeys", "name");
  const file = await namedFile(source, options.name);
  return Table.open(await core(), file, options.internalKeys);
}

/** Opens a LevelDB folder, or the files of one. Takes no lock, so a program may have it open. */
export async function openDatabase(
  source: string | Iterable<NamedFile>,
  options: DatabaseOptions = {},
): Promise<Database> {
  checkOptions(options, "strict");
  const isStrict = options.strict ?? false;
  const wasm = await core();
  if (typeof source !== "string") {
    return Database.open(wasm, "database", await coreFiles(source), isStrict);
  }
  const folder = path.resolve(source);
  return Database.open(wasm, folder, filesIn(folder), isStrict);
}

/** Saves what can be read of a table. */
export async function salvageTable(
  source: string | FileSource,
  options: SalvageOptions = {},
): Promise<SalvagedTable> {
  checkOptions(options, "name");
  return salvageTableFile(await core(), await namedFile(source, options.name));
}

/**
 * Saves what can be read of a LevelDB folder, or of the files of one, as the files of a new
 * database. If `newFolder` is given, writes them there; it must be empty or not exist.
 */
export async function salvageDatabase(
  source: string | Iterable<NamedFile>,
  newFolder?: string,
): Promise<SalvagedDatabase> {
  const to = newFolder === undefined ? undefined : path.resolve(newFolder);
  if (to !== undefined && fs.existsSync(to) && ours(() => fs.readdirSync(to)).length > 0) {
    throw new SstableError("ALREADY_EXISTS", `${to}: is not empty`);
  }
  const wasm = await core();
  const folder = typeof source === "string" ? path.resolve(source) : "database";
  const files = typeof source === "string" ? filesIn(folder) : await coreFiles(source);
  const salvaged = await salvageDatabaseFiles(wasm, folder, files);
  if (to !== undefined && salvaged.files.size > 0) ours(() => writeFolder(to, salvaged.files));
  return salvaged;
}

// If writing fails, removes what was written.
function writeFolder(folder: string, files: Map<string, Uint8Array>): void {
  const made = fs.mkdirSync(folder, { recursive: true }); // the topmost new folder
  try {
    for (const [name, bytes] of files) fs.writeFileSync(path.join(folder, name), bytes);
  } catch (error) {
    for (const name of files.keys()) fs.rmSync(path.join(folder, name), { force: true });
    if (made !== undefined) fs.rmSync(made, { recursive: true });
    throw error;
  }
}
