// The parts of Node.js that the package uses, since Node's own declarations are not installed.
declare module "node:fs" {
  interface Stats {
    readonly size: number;
    isFile(): boolean;
  }
  export function openSync(path: string, flags: "r"): number;
  export function closeSync(descriptor: number): void;
  export function readSync(
    descriptor: number,
    to: Uint8Array,
    start: number,
    size: number,
    offset: number,
  ): number;
  export function readFileSync(path: string): Uint8Array<ArrayBuffer>;
  export function writeFileSync(path: string, bytes: Uint8Array): void;
  export function readdirSync(path: string): string[];
  export function existsSync(path: string): boolean;
  export function mkdirSync(path: string, options: { recursive: true }): string | undefined;
  export function rmSync(path: string, options: { force?: true; recursive?: true }): void;
  export function statSync(path: string): Stats;
  export function statSync(path: string, options: { throwIfNoEntry: false }): Stats | undefined;
}
declare module "node:path" {
  export function basename(path: string): string;
  export function join(...parts: string[]): string;
  export function resolve(path: string): string;
}
declare const __dirname: string; // the folder of the bundle
// The loader that Emscripten makes for web/core. build.mjs inserts it.
declare module "core-loader" {
  interface WorkerFs {
    reader: object;
    node_ops: { readlink: undefined };
    stream_ops: {
      read(
        stream: { node: { contents: import("./sources").CoreFile } },
        buffer: Int8Array,
        start: number,
        length: number,
        offset: number,
      ): number;
    };
  }
  interface FileSystem {
    ErrnoError: new (errno: number) => Error;
    filesystems: { WORKERFS: WorkerFs };
    analyzePath(path: string): { exists: boolean };
    chdir(path: string): void;
    mkdirTree(path: string): void;
    mount(type: WorkerFs, options: object, path: string): void;
    readdir(path: string): string[];
    readFile(path: string): Uint8Array;
  }
  // web/core/build.sh exports the functions of sstable/c.h that are named here. A 64-bit number is
  // two arguments, the low half first.
  type CoreFunction =
    | "_malloc"
    | "_free"
    | "_sst_argument"
    | "_sst_result"
    | "_sst_result_size"
    | "_sst_open"
    | "_sst_salvage_report"
    | "_sst_choose_decoder"
    | "_sst_decode"
    | "_sstable_database_check"
    | "_sstable_database_get"
    | "_sstable_database_open"
    | "_sstable_database_problems"
    | "_sstable_database_skip_damage"
    | "_sstable_free"
    | "_sstable_iterator_create"
    | "_sstable_iterator_create_database"
    | "_sstable_iterator_create_history"
    | "_sstable_iterator_create_live"
    | "_sstable_iterator_destroy"
    | "_sstable_iterator_key"
    | "_sstable_iterator_read"
    | "_sstable_iterator_seek_to_first"
    | "_sstable_iterator_seek_to_last"
    | "_sstable_iterator_set_lower"
    | "_sstable_iterator_set_prefix"
    | "_sstable_iterator_set_upper"
    | "_sstable_iterator_valid"
    | "_sstable_iterator_value"
    | "_sstable_problems_count"
    | "_sstable_problems_destroy"
    | "_sstable_problems_text"
    | "_sstable_reader_find_problems"
    | "_sstable_reader_get"
    | "_sstable_reader_key_kind"
    | "_sstable_reader_open"
    | "_sstable_reader_options_create"
    | "_sstable_reader_options_set_block_cache"
    | "_sstable_reader_options_set_key_kind"
    | "_sstable_reader_options_set_map_file"
    | "_sstable_salvage";
  export type CoreModule = Readonly<Record<CoreFunction, (...args: number[]) => number>> & {
    readonly FS: FileSystem;
    readonly HEAPU8: Uint8Array;
  };
  interface Options {
    instantiateWasm(
      imports: WebAssembly.Imports,
      done: (instance: WebAssembly.Instance) => void,
    ): object;
    readFile(offset: number, to: Uint8Array): boolean;
    takePiece(piece: Uint8Array): void;
    printErr(): void;
  }
  export default function create(options: Options): Promise<CoreModule>;
}
