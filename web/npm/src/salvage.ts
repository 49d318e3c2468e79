// Saves what can be read of damaged files. The files themselves are not changed.
import { Core, FOLDER, NEW_FOLDER } from "./core";
import type { SstableError } from "./errors";
import { parseJson } from "./json";
import { type Problem, takeProblems } from "./reader";
import type { CoreFile } from "./sources";

export interface SalvagedTable {
  /** A new table; undefined if no entry is left. */
  readonly table: Uint8Array | undefined;
  /** True if nothing was lost, as far as is known. */
  readonly isComplete: boolean;
  readonly entryCount: number;
  /** As `sst salvage --format json` writes it. Integers beyond 2^53 are bigints. */
  readonly report: Record<string, unknown>;
  /** The first error of the source, if some of it could not be read. */
  readonly readError: SstableError | undefined;
}

export interface SalvagedDatabase {
  /** The files of a new database, by name; empty if nothing is left. */
  readonly files: Map<string, Uint8Array>;
  /** True if nothing was lost, as far as is known. */
  readonly isComplete: boolean;
  /** Versions and deletions that were saved. */
  readonly entryCount: number;
  /** The problems found, and the losses. */
  readonly problems: Problem[];
  /** The first error of a source, if some of the files could not be read. */
  readonly readError: SstableError | undefined;
}

/** @internal */
export async function salvageTableFile(
  wasm: WebAssembly.Module,
  file: CoreFile,
): Promise<SalvagedTable> {
  const core = await Core.start(wasm, file.name, [file], { toleratesFailures: true });
  try {
    const name = new TextEncoder().encode(file.name);
    try {
      core.ask("open", [name, new Uint8Array()], file.size);
    } catch {
      // Files that are too damaged to open can still be salvaged.
    }
    const report = parseJson(core.ask("salvage_report", [name])) as Record<string, unknown>;
    const table = core.takePieces();
    const { readError } = core;
    if (table.length === 0 && readError) throw readError;
    return {
      table: table.length > 0 ? table : undefined,
      isComplete: report["complete"] === true,
      entryCount: Number(report["entries_saved"]),
      report,
      readError,
    };
  } finally {
    core.close();
  }
}

/** @internal */
export async function salvageDatabaseFiles(
  wasm: WebAssembly.Module,
  name: string,
  files: CoreFile[],
): Promise<SalvagedDatabase> {
  const core = await Core.start(wasm, name, files, { toleratesFailures: true });
  try {
    const [list, count, complete] = [core.result(0), core.result(1), core.result(3)];
    core.check((module, message) => {
      const [from, to] = core.putTexts(FOLDER, NEW_FOLDER);
      return module._sstable_salvage(from!, to!, list, count, complete, message);
    });
    const isComplete = core.number(complete) !== 0;
    const entryCount = core.number64(count);
    const [problems] = takeProblems(core, core.number(list));
    const { readError } = core;
    if (entryCount === 0 && readError) throw readError;
    return { files: core.newFiles(NEW_FOLDER), isComplete, entryCount, problems, readError };
  } finally {
    core.close();
  }
}
