// Exported by both entry points. Each loads the core and reads files in its own way.
export { type ErrorCode, ClosedError, DataLossError, SstableError } from "./errors";
export {
  type Check,
  Database,
  type Decoded,
  type Decoder,
  type EntryRange,
  type Key,
  type Problem,
  type Range,
  Reader,
  Table,
  type Version,
} from "./reader";
export type { SalvagedDatabase, SalvagedTable } from "./salvage";
export type { FileSource, NamedFile, ReadableFile } from "./sources";

export interface TableOptions {
  /** True if keys are a database's, with versions. By default, guessed from the keys. */
  readonly internalKeys?: boolean;
  /** For messages, if the source has none. */
  readonly name?: string;
}

export interface SalvageOptions {
  /** For messages, if the source has none. */
  readonly name?: string;
}

export interface DatabaseOptions {
  /** An iteration throws a DataLossError at damage in a table, instead of skipping it. */
  readonly strict?: boolean;
}
