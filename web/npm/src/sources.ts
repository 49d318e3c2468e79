// Files of any kind, as the core reads them: by positions, and at once.
import { SstableError } from "./errors";

/** A file that the caller reads. `read` returns up to `size` bytes at `offset`, at once. */
export interface ReadableFile {
  readonly size: number;
  read(offset: number, size: number): Uint8Array;
}

/** A `Blob`, where there is no declaration of that. */
export interface BlobLike {
  readonly size: number;
  slice(start: number, end: number): unknown;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** What a table can be opened from, besides a path in Node.js. */
export type FileSource = Uint8Array | ArrayBuffer | BlobLike | ReadableFile;

/** A file with its name, within a folder. A browser's `File` is one, too. */
export type NamedFile =
  | (BlobLike & { readonly name: string })
  | { readonly name: string; readonly file: FileSource };

/** What the core reads. @internal */
export interface CoreFile {
  readonly name: string;
  readonly size: number;
  /** Fills `to` as far as the file goes, and returns the number of bytes. */
  readInto(to: Uint8Array, offset: number): number;
  close(): void;
}

declare const FileReaderSync:
  | { new (): { readAsArrayBuffer(blob: Blob): ArrayBuffer } }
  | undefined;

const MAX_BLOB = 512 * 2 ** 20;

function ofReader(name: string, size: number, read: ReadableFile["read"]): CoreFile {
  const readInto = (to: Uint8Array, offset: number): number => {
    const bytes = read(offset, Math.min(to.length, size - offset)).subarray(0, to.length);
    to.set(bytes);
    return bytes.length;
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
      `${name}: outside a worker, a Blob is read whole, and one of ${blob.size} bytes is not ` +
        `(at most ${MAX_BLOB}); open it in a worker`,
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
export function coreFiles(files: Iterable<NamedFile>): Promise<CoreFile[]> {
  return Promise.all(
    Array.from(files, (file) => coreFile(file.name, "file" in file ? file.file : file)),
  );
}
