// A worker whose core holds one table or folder. Message {id, call, args} is answered by {id,
// value} or {id, error}. {ended} means that the core can't continue; {read} says how many bytes of
// the file have been read so far.
import { crc32 } from "./crc32";
import type { NewFile } from "./zip";

interface CoreModule {
  HEAPU8: Uint8Array;
  _sst_argument(n: number, size: number): number;
  _sst_result(): number;
  _sst_result_size(): number;
  _sst_open(size: number): number;
  [name: `_sst_${string}`]: (...args: number[]) => number;
}
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}
declare function SstCore(options: object): Promise<CoreModule>;

interface Request {
  id: number;
  call: string;
  args: (number | string | Uint8Array | Blob | File[] | WebAssembly.Module)[];
}

/** An error reported by the core. Any other error ends it. */
class Failure extends Error {
  constructor(
    message: string,
    readonly endsCore: boolean,
  ) {
    super(message);
  }
}

let core: CoreModule;
let file: Blob = new Blob();
let filesOfFolder: File[] = [];
let bytesRead = 0;
let reported = 0;
let pieces: Uint8Array[] = [];
let newFiles: NewFile[] = [];

// Returns no bytes if the file was removed or changed after it was dropped.
function bytesOf(part: Blob): Uint8Array {
  try {
    return new Uint8Array(new FileReaderSync().readAsArrayBuffer(part));
  } catch {
    return new Uint8Array();
  }
}

// The browser takes as long for a few bytes as for 100 KB, so small reads fetch a complete chunk. A
// chunk that can't be read is empty; reads in it are then retried by themselves, since only part of
// it may be unreadable.
const CHUNK = 1 << 18; // bytes
const CHUNKS_KEPT = 16;
const chunks: { from: Blob; start: number; bytes: Uint8Array }[] = []; // newest last

function chunkAt(from: Blob, start: number): Uint8Array {
  const at = chunks.findIndex((chunk) => chunk.from === from && chunk.start === start);
  const [chunk = { from, start, bytes: bytesOf(from.slice(start, start + CHUNK)) }] =
    at >= 0 ? chunks.splice(at, 1) : [];
  chunks.push(chunk);
  if (chunks.length > CHUNKS_KEPT) chunks.shift();
  return chunk.bytes;
}

// Fills `to`. Returns false if the bytes can't be read.
function readFrom(from: Blob, offset: number, to: Uint8Array): boolean {
  const within = offset % CHUNK;
  let bytes = new Uint8Array();
  if (within + to.length <= CHUNK) {
    bytes = chunkAt(from, offset - within).subarray(within, within + to.length);
  }
  if (bytes.length !== to.length) bytes = bytesOf(from.slice(offset, offset + to.length));
  if (bytes.length !== to.length) return false;
  to.set(bytes);
  return true;
}

function sayRead(bytes: number): void {
  bytesRead = bytes;
  if (bytesRead - reported <= 4 << 20) return;
  reported = bytesRead;
  postMessage({ read: bytesRead });
}

const options = (wasm: WebAssembly.Module, fail: (error: unknown) => void): object => ({
  // SstCore() does not notice if this fails.
  instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
    WebAssembly.instantiate(wasm, imports).then(done).catch(fail);
    return {};
  },
  readFile(offset: number, to: Uint8Array): boolean {
    if (!readFrom(file, offset, to)) return false;
    sayRead(bytesRead + to.length);
    return true;
  },
  readFrom,
  takePiece(piece: Uint8Array) {
    pieces.push(piece);
  },
  takeFile(name: string, bytes: Uint8Array) {
    newFiles.push({ name, data: new Blob([bytes]), crc32: crc32(bytes) }); // stored by the browser
  },
  progress: sayRead,
  filesOfFolder: () => filesOfFolder,
  printErr() {
    // Discarded, since the exception that ends the core is reported instead.
  },
});

const loaded = (wasm: WebAssembly.Module): Promise<CoreModule> =>
  new Promise((yes, no) => SstCore(options(wasm, no)).then(yes, no));

// Fetches HEAPU8 again after each call, since growing the memory replaces it.
function setArgument(n: number, bytes: Uint8Array): void {
  const at = core._sst_argument(n, bytes.length) >>> 0;
  core.HEAPU8.set(bytes, at);
}

function result(): string {
  const at = core._sst_result() >>> 0;
  return new TextDecoder().decode(core.HEAPU8.subarray(at, at + core._sst_result_size()));
}

function call(name: string, args: Request["args"]): unknown {
  bytesRead = reported = 0;
  if (name === "open") {
    file = args[1] as Blob;
    setArgument(0, new TextEncoder().encode(args[0] as string));
    setArgument(1, bytesOf((args[2] as Blob).slice(0, 100))); // much longer than any CURRENT file
    args = [file.size];
  } else if (name === "folder") {
    filesOfFolder = args[1] as File[];
    setArgument(0, new TextEncoder().encode(args[0] as string));
    args = [];
  } else if (name === "folder_salvage") {
    filesOfFolder = args[2] as File[];
    for (const n of [0, 1]) setArgument(n, new TextEncoder().encode(args[n] as string));
    args = [];
  } else {
    args
      .filter((arg) => arg instanceof Uint8Array)
      .forEach((arg, n) => setArgument(n, arg as Uint8Array));
  }
  pieces = [];
  newFiles = [];
  const numbers = args.filter((arg) => typeof arg === "number") as number[];
  const method = core[`_sst_${name}`];
  if (!method) throw new Error(`the core has no ${name}`);
  const code = method(...numbers);
  if (code !== 0) throw new Failure(result(), code !== 1);
  if (name === "salvage") return { report: result(), pieces };
  if (name === "folder_salvage") return { report: result(), files: newFiles };
  return result();
}

onmessage = async ({ data }: MessageEvent<Request>): Promise<void> => {
  try {
    if (data.call === "load") {
      core = await loaded(data.args[0] as WebAssembly.Module);
      postMessage({ id: data.id, value: "" });
    } else {
      postMessage({ id: data.id, value: call(data.call, data.args) });
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const failure = error instanceof Failure ? error : undefined;
    if (data.call === "load" || failure?.endsCore === false) {
      postMessage({ id: data.id, error: message });
    } else {
      postMessage({ ended: failure ? message : `the core ended: ${message}` });
    }
  }
};
