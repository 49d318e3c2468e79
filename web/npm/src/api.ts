// What both entry points export; each has its own way to the core and to files.
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
  /** Whether keys are a database's, with versions. By default, this is guessed from the keys. */
  readonly internalKeys?: boolean;
  /** For messages, if the source has none. */
  readonly name?: string;
}

export interface SalvageOptions {
  /** For messages, if the source has none. */
  readonly name?: string;
}

export interface DatabaseOptions {
  /** Damage in a table ends an iteration with a DataLossError, instead of being skipped. */
  readonly strict?: boolean;
}
