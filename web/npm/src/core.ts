// An instance of web/core with its own memory, which is freed when the instance is dropped. The
// numbers that its functions take and return are addresses in that memory.
import type { CoreModule } from "core-loader";
import { ClosedError, errorOf, SstableError, systemError } from "./errors";
import { type CoreFile, isFileName } from "./sources";

export const FOLDER = "/folder"; // where the core sees the files
export const NEW_FOLDER = "/new";
export const FILE = "opened-table.ldb"; // the table's name there; messages show its real name

const EIO = 29; // Emscripten's value
const BATCH = 512; // entries read at a time
// Layout of the memory for results: the message, four numbers, and two columns of sstable/c.h.
const MESSAGE = 0;
const NUMBERS = 16;
const COLUMNS = [32, 52] as const;
const RESULTS_SIZE = 72;

export type Bytes = Uint8Array;
export type Entry = [key: Bytes, value: Bytes];

export class Core {
  /** The first error from reading a file, which the core may mistake for damage. */
  private failure: SstableError | undefined;
  private ended: unknown;
  private pieces: Bytes[] = [];
  private results = 0;
  private keyAt = 0;
  private keyCapacity = 0;
  private columnAt: [number, number] = [0, 0];
  private columnCapacity: [number, number] = [0, 0];
  private module: CoreModule | undefined;

  private constructor(
    readonly name: string,
    private files: CoreFile[],
    private readonly toleratesFailures: boolean,
  ) {}

  /**
   * Closes the files when it is closed or fails. `name` is for messages. If a file can't be read,
   * the call that needs it throws. If failures are tolerated, readError has the first one instead.
   */
  static async start(
    wasm: WebAssembly.Module,
    name: string,
    files: CoreFile[],
    { toleratesFailures = false } = {},
  ): Promise<Core> {
    const core = new Core(name, files, toleratesFailures);
    try {
      await core.load(wasm);
    } catch (error) {
      core.close();
      throw error;
    }
    return core;
  }

  private async load(wasm: WebAssembly.Module): Promise<void> {
    const { default: create } = await import("core-loader");
    const module = await new Promise<CoreModule>((resolve, reject) => {
      const created = create({
        instantiateWasm: (imports, done) => {
          // Without catch(), `created` would never settle.
          WebAssembly.instantiate(wasm, imports).then(done).catch(reject);
          return {};
        },
        readFile: (offset, to) => this.fill(to, offset),
        takePiece: (piece) => void this.pieces.push(piece),
        printErr() {
          // Discarded, since the exception that ends the core is reported instead.
        },
      });
      created.then(resolve, reject);
    }).catch((error: unknown) => {
      if (!(error instanceof RangeError)) throw error;
      const message = `${this.name}: no memory for another open object: ${error.message}`;
      throw new SstableError("RESOURCE_EXHAUSTED", message, error);
    });
    const { FS } = module;
    const files = FS.filesystems.WORKERFS;
    files.reader = {};
    files.node_ops.readlink = undefined; // nothing is a link; the default reports "not permitted"
    files.stream_ops.read = ({ node }, buffer, start, length, offset) => {
      const to = new Uint8Array(buffer.buffer, buffer.byteOffset + start, length);
      const size = this.readInto(node.contents, to, offset);
      if (size < 0) throw new FS.ErrnoError(EIO);
      return size;
    };
    FS.mkdirTree(FOLDER);
    FS.mount(files, { files: this.files.filter(({ name }) => isFileName(name)) }, FOLDER);
    FS.chdir(FOLDER);
    this.module = module;
    this.results = this.allocate(RESULTS_SIZE);
  }

  close(): void {
    this.module = undefined;
    for (const file of this.files) file.close();
    this.files = [];
  }

  get isClosed(): boolean {
    return this.module === undefined;
  }

  private readInto(file: CoreFile | undefined, to: Uint8Array, offset: number): number {
    try {
      if (!file || offset >= file.size) return 0;
      return file.readInto(to, offset);
    } catch (error) {
      const where = this.shown(`${file!.name}: can't read at offset ${offset}: `);
      const failure = systemError(error, where);
      this.failure ??=
        failure.code === "NOT_FOUND" // it existed when the folder was opened
          ? new SstableError("ABORTED", failure.message, error)
          : failure;
      return -1;
    }
  }

  /** Reads the only file until `to` is full; false if that is not possible. */
  private fill(to: Uint8Array, offset: number): boolean {
    for (let at = 0; at < to.length; ) {
      const size = this.readInto(this.files[0], to.subarray(at), offset + at);
      if (size <= 0) return false;
      at += size;
    }
    return true;
  }

  get readError(): SstableError | undefined {
    return this.failure;
  }

  /** Runs `call`. An exception ends the core. */
  run<T>(call: (module: CoreModule) => T): T {
    if (!this.module) throw new ClosedError(this.name);
    if (this.ended !== undefined) throw this.endedError();
    let result: T;
    try {
      result = call(this.module);
    } catch (error) {
      this.throwFailure();
      if (error instanceof SstableError) throw error;
      this.ended = error;
      throw this.endedError();
    }
    this.throwFailure();
    return result;
  }

  private throwFailure(): void {
    const { failure } = this;
    if (!failure || this.toleratesFailures) return;
    this.failure = undefined;
    throw failure;
  }

  private endedError(): SstableError {
    const why = this.ended instanceof Error ? this.ended.message : String(this.ended);
    return new SstableError("UNKNOWN", `${this.name}: the core ended: ${why}`, this.ended);
  }

  /** Calls a function whose last parameter is `char** message`, and throws if it fails. */
  check(call: (module: CoreModule, message: number) => number): void {
    this.run((module) => {
      const code = call(module, this.results + MESSAGE);
      if (code === 0) return;
      const at = this.number(this.results + MESSAGE);
      const message = at === 0 ? "out of memory" : this.text(at);
      module._sstable_free(at);
      throw errorOf(code, this.shown(message));
    });
  }

  private shown(message: string): string {
    const name = () => this.name; // a function, since $ would be special in a string
    return message.replaceAll(`${FOLDER}/`, "").replaceAll(FOLDER, name).replaceAll(FILE, name);
  }

  /** Address of result `i`: 4 bytes, or 8 including the next one. */
  result(i: number): number {
    return this.results + NUMBERS + 4 * i;
  }

  number(at: number): number {
    return new DataView(this.memory.buffer).getUint32(at, true);
  }

  number64(at: number): number {
    return this.number(at) + this.number(at + 4) * 2 ** 32;
  }

  bytes(at: number, size: number): Bytes {
    return this.memory.slice(at, at + size);
  }

  text(at: number): string {
    const memory = this.memory;
    return new TextDecoder().decode(memory.subarray(at, memory.indexOf(0, at)));
  }

  /** Copies `key` to memory that is valid until the next call of put(). */
  put(key: Bytes): number {
    if (key.length > this.keyCapacity || this.keyAt === 0) {
      this.free(this.keyAt);
      this.keyCapacity = Math.max(2 * key.length, 256);
      this.keyAt = this.allocate(this.keyCapacity);
    }
    this.memory.set(key, this.keyAt);
    return this.keyAt;
  }

  /** Stores NUL-terminated texts one after the other, and returns their addresses. */
  putTexts(...texts: string[]): number[] {
    const parts = texts.map((text) => new TextEncoder().encode(`${text}\0`));
    const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
    const starts: number[] = [];
    let size = 0;
    for (const part of parts) {
      all.set(part, size);
      starts.push(size);
      size += part.length;
    }
    const at = this.put(all);
    return starts.map((start) => at + start);
  }

  /** Calls a function of web/core, and returns its result as JSON. */
  ask(
    name: "open" | "salvage_report" | "choose_decoder" | "decode",
    texts: Bytes[],
    ...numbers: number[]
  ): string {
    return this.run((module) => {
      texts.forEach((bytes, n) => {
        const at = module._sst_argument(n, bytes.length) >>> 0;
        this.memory.set(bytes, at);
      });
      const code = module[`_sst_${name}`](...numbers);
      const at = module._sst_result() >>> 0;
      const text = new TextDecoder().decode(
        this.memory.subarray(at, at + module._sst_result_size()),
      );
      if (code === 1) throw new SstableError("UNKNOWN", `${this.name}: ${text}`);
      if (code !== 0) throw new Error(text); // ends the core
      return text;
    });
  }

  /** Joins the pieces of a new file. */
  takePieces(): Bytes {
    const all = new Uint8Array(this.pieces.reduce((size, piece) => size + piece.length, 0));
    let size = 0;
    for (const piece of this.pieces) {
      all.set(piece, size);
      size += piece.length;
    }
    this.pieces = [];
    return all;
  }

  /** Returns the files of a folder that the core has written. */
  newFiles(folder: string): Map<string, Bytes> {
    return this.run(({ FS }) => {
      if (!FS.analyzePath(folder).exists) return new Map();
      const names = FS.readdir(folder).filter((name) => name !== "." && name !== "..");
      return new Map(names.map((name) => [name, FS.readFile(`${folder}/${name}`)]));
    });
  }

  /** Calls `visit` with each problem of a list, and frees it. */
  takeProblems(list: number, visit: (text: string, offset: number, isDamage: boolean) => void) {
    return this.run((module) => {
      const total = this.result(0); // 8 bytes
      const isDamage = this.result(2);
      const count = module._sstable_problems_count(list, total);
      const found = this.number64(total);
      for (let i = 0; i < count; ++i) {
        const text = this.text(module._sstable_problems_text(list, i, total, isDamage) >>> 0);
        visit(this.shown(text), this.number64(total), this.number(isDamage) !== 0);
      }
      module._sstable_problems_destroy(list);
      return found;
    });
  }

  /** Reads up to `max` entries and moves the iterator past them. Returns none at the end. */
  readEntries(iterator: number, reverse: boolean, max: number): Entry[] {
    if (this.columnAt[0] === 0) this.reserve(64 << 10, 512 << 10);
    let count = 0;
    for (let hasRoom = false; ; hasRoom = true) {
      this.check((module, message) => {
        const view = new DataView(this.memory.buffer);
        COLUMNS.forEach((column, i) => {
          const at = this.results + column;
          view.setUint32(at, this.columnAt[i]! + OFFSETS_SIZE, true); // address of the data
          view.setUint32(at + 4, this.columnCapacity[i]!, true);
          view.setUint32(at + 8, this.columnAt[i]!, true); // address of the offsets
          view.setUint32(at + 12, 0, true); // SSTABLE_COLUMN_BYTES
        });
        const keys = this.results + COLUMNS[0];
        const values = this.results + COLUMNS[1];
        const wanted = Math.min(max, BATCH);
        const to = this.result(0);
        const status = module._sstable_iterator_read(
          iterator,
          Number(reverse),
          wanted,
          keys,
          values,
          to,
          message,
        );
        count = this.number(to);
        return status;
      });
      if (count > 0) break;
      const sizes = this.run((module) => {
        if (module._sstable_iterator_valid(iterator) === 0) return undefined;
        module._sstable_iterator_key(iterator, this.result(0));
        module._sstable_iterator_value(iterator, this.result(1));
        return [this.number(this.result(0)), this.number(this.result(1))] as const;
      });
      if (!sizes) return [];
      if (hasRoom) throw new SstableError("UNKNOWN", `${this.name}: an entry can't be read`);
      this.reserve(...sizes); // the next entry does not fit
    }
    const memory = this.memory;
    const view = new DataView(memory.buffer);
    const entries: Entry[] = new Array(count);
    const [keysAt, valuesAt] = this.columnAt;
    const end = (at: number, i: number): number =>
      at + OFFSETS_SIZE + view.getUint32(at + 8 * i, true);
    for (let i = 0; i < count; ++i) {
      entries[i] = [
        memory.slice(end(keysAt, i), end(keysAt, i + 1)),
        memory.slice(end(valuesAt, i), end(valuesAt, i + 1)),
      ];
    }
    return entries;
  }

  // Reserves memory for keys and values of these sizes, and for what filling a column needs in
  // addition.
  private reserve(...sizes: readonly [number, number]): void {
    for (const i of [0, 1] as const) {
      const size = sizes[i] + 4096;
      if (size <= this.columnCapacity[i]) continue;
      this.free(this.columnAt[i]);
      this.columnAt[i] = this.columnCapacity[i] = 0;
      this.columnAt[i] = this.allocate(OFFSETS_SIZE + size);
      this.columnCapacity[i] = size;
    }
  }

  private get memory(): Uint8Array {
    if (!this.module) throw new ClosedError(this.name);
    return this.module.HEAPU8; // replaced when the memory grows
  }

  private allocate(size: number): number {
    const at = this.run((module) => module._malloc(size)) >>> 0;
    if (at === 0) throw new SstableError("RESOURCE_EXHAUSTED", `${this.name}: out of memory`);
    return at;
  }

  private free(at: number): void {
    if (at !== 0) this.run((module) => module._free(at));
  }
}

const OFFSETS_SIZE = 8 * (BATCH + 1);
