// Any kind of file, in the form in which the core reads it: synchronously and at any offset.
import { SstableError } from "./errors";

/** A file that the caller reads. `read` synchronously returns up to `size` bytes at `offset`. */
export interface ReadableFile {
  readonly size: number;
  read(offset: number, size: number): Uint8Array;
}

/** A `Blob`, for environments that do not declare it. */
export interface BlobLike {
  readonly size: number;
  slice(start: number, end: number): unknown;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Sources of a table, in addition to a path in Node.js. */
export type FileSource = Uint8Array | ArrayBuffer | BlobLike | ReadableFile;

/** A file of a folder, with its name. A browser's `File` is one, too. */
export type NamedFile =
  | (BlobLike & { readonly name: string })
  | { readonly name: string; readonly file: FileSource };

/** What the core reads. @internal */
export interface CoreFile {
  readonly name: string;
  readonly size: number;
  /** Fills `to` up to the end of the file, and returns the number of bytes. */
  readInto(to: Uint8Array, offset: number): number;
  close(): void;
}

declare const FileReaderSync:
  | { new (): { readAsArrayBuffer(blob: Blob): ArrayBuffer } }
  | undefined;

const MAX_BLOB = 512 * 2 ** 20;

function ofReader(name: string, size: number, read: ReadableFile["read"]): CoreFile {
  const readInto = (to: Uint8Array, offset: number): number => {
    const bytes: unknown = read(offset, Math.min(to.length, size - offset));
    if (!(bytes instanceof Uint8Array)) throw new TypeError("read() must return a Uint8Array");
    const given = bytes.subarray(0, to.length);
    to.set(given);
    return given.length;
  };
  return { name, size, readInto, close() {} };
}

function ofBytes(name: string, bytes: Uint8Array): CoreFile {
  return ofReader(name, bytes.length, (offset, size) => bytes.subarray(offset, offset + size));
}

async function ofBlob(name: string, blob: Blob): Promise<CoreFile> {
  if (typeof FileReaderSync !== "undefined") {
    const reader = new FileReaderSync();
    return ofReader(name, blob.size, (offset, size) => {
      return new Uint8Array(reader.readAsArrayBuffer(blob.slice(offset, offset + size)));
    });
  }
  if (blob.size > MAX_BLOB) {
    throw new SstableError(
      "RESOURCE_EXHAUSTED",
      `${name}: a Blob of ${blob.size} bytes must be opened in a worker: elsewhere it is read whole, ` +
        `and may have at most ${MAX_BLOB} bytes`,
    );
  }
  return ofBytes(name, new Uint8Array(await blob.arrayBuffer()));
}

/** @internal */
export async function coreFile(name: string, source: FileSource): Promise<CoreFile> {
  if (source instanceof Uint8Array) return ofBytes(name, source);
  if (source instanceof ArrayBuffer) return ofBytes(name, new Uint8Array(source));
  if (typeof Blob !== "undefined" && source instanceof Blob) return ofBlob(name, source);
  if (typeof (source as ReadableFile)?.read !== "function") {
    throw new TypeError(
      "expected a Uint8Array, ArrayBuffer, Blob, or an object with size and read",
    );
  }
  const file = source as ReadableFile;
  return ofReader(name, file.size, (offset, size) => file.read(offset, size));
}

/** @internal */
export function nameOf(source: FileSource, given: string | undefined): string {
  const { name } = Object(source) as { name?: unknown };
  return given ?? (typeof name === "string" ? name : "table");
}

/** True if a file in the core's folder can have this name. @internal */
export function isFileName(name: string): boolean {
  return !/^[.]{0,2}$|[/\0]/.test(name) && !(name in {}); // the core uses names as object keys
}

/** @internal */
export async function coreFiles(files: Iterable<NamedFile>): Promise<CoreFile[]> {
  if (typeof Object(files)[Symbol.iterator] !== "function") {
    throw new TypeError("expected the files of a database, each with its name");
  }
  const open = (file: NamedFile): Promise<CoreFile> => {
    if (typeof file?.name !== "string") throw new TypeError("a database's file must have a name");
    return coreFile(file.name, "file" in file ? file.file : file);
  };
  return Promise.all(Array.from(files, open));
}
