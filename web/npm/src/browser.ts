// The package in browsers and their workers.
import type { DatabaseOptions, SalvageOptions, TableOptions } from "./api";
import { checkOptions, Database, Table } from "./reader";
import {
  type SalvagedDatabase,
  salvageDatabaseFiles,
  type SalvagedTable,
  salvageTableFile,
} from "./salvage";
import { coreFile, coreFiles, type FileSource, type NamedFile, nameOf } from "./sources";

export * from "./api";

let compiled: Promise<WebAssembly.Module> | undefined;

function core(): Promise<WebAssembly.Module> {
  compiled ??= (async () => {
    const response = await fetch(new URL("./sstable.wasm", import.meta.url));
    if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
    return WebAssembly.compile(await response.arrayBuffer());
  })();
  compiled.catch(() => (compiled = undefined));
  return compiled;
}

/**
 * Opens a table. A Blob is read as needed in a worker; elsewhere at once, up to 512 MiB.
 */
export async function openTable(source: FileSource, options: TableOptions = {}): Promise<Table> {
  checkOptions(options, "internalKeys", "name");
  const file = await coreFile(nameOf(source, options.name), source);
  return Table.open(await core(), file, options.internalKeys);
}

/** Opens the database that consists of these files, such as those of `<input webkitdirectory>`. */
export async function openDatabase(
  files: Iterable<NamedFile>,
  options: DatabaseOptions = {},
): Promise<Database> {
  checkOptions(options, "strict");
  return Database.open(await core(), "database", await coreFiles(files), options.strict ?? false);
}

/** Saves what can be read of a table. */
export async function salvageTable(
  source: FileSource,
  options: SalvageOptions = {},
): Promise<SalvagedTable> {
  checkOptions(options, "name");
  return salvageTableFile(await core(), await coreFile(nameOf(source, options.name), source));
}

/** Saves what can be read of a database's files, as the files of a new one. */
export async function salvageDatabase(files: Iterable<NamedFile>): Promise<SalvagedDatabase> {
  return salvageDatabaseFiles(await core(), "database", await coreFiles(files));
}
