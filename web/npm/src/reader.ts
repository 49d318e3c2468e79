// Tables and databases.
/// <reference lib="esnext.disposable" />
import { type Bytes, Core, type Entry, FILE, FOLDER } from "./core";
import { ClosedError, DataLossError, SstableError } from "./errors";
import { parseJson } from "./json";
import type { CoreFile } from "./sources";

/** A string is encoded as UTF-8. */
export type Key = Uint8Array | string;

/** From `gt` or `gte` up to `lt` or `lte`, or all keys that begin with `prefix`. */
export interface Range {
  readonly gt?: Key;
  readonly gte?: Key;
  readonly lt?: Key;
  readonly lte?: Key;
  readonly prefix?: Key;
  /** The maximum number of entries. */
  readonly limit?: number;
}

export interface EntryRange extends Range {
  /** From the last key to the first. */
  readonly reverse?: boolean;
}

/** A version of a key: a value or a deletion, as stored in a log or table. */
export interface Version {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly sequence: bigint;
  readonly isDeletion: boolean;
}

export interface Problem {
  /** Names the file or block, what was found, and what was expected. */
  readonly message: string;
  /** Offset in the file; 0 if unknown. */
  readonly offset: number;
  /** False for normal effects of a crash, and for limits of the reader. */
  readonly isDamage: boolean;
}

export interface Check {
  /** No problem was found. */
  readonly ok: boolean;
  /** The first 1000. */
  readonly problems: Problem[];
  readonly problemCount: number;
  /** Entries in readable blocks of tables. */
  readonly entryCount: number;
}

export interface Decoded {
  /** Undefined if the bytes are not in the program's format. */
  readonly key?: unknown;
  readonly value?: unknown;
}

/** The meaning of entries in the format of a known program. */
export interface Decoder {
  /** The format's name, such as "Chromium's IndexedDB". */
  readonly format: string;
  /** Why some values are not decoded; empty if there are none. */
  readonly doubt: string;
  /** As `sst dump --decode` writes it. Integers beyond 2^53 are bigints. */
  decode(key: Key, value: Uint8Array): Decoded;
}

const MAX_PROBLEMS = 1000;
const MAX_SEQUENCE = [0xffffffff, 0x00ffffff] as const; // low and high half
const GUESS_KEYS = 2;
const INTERNAL_KEYS = 1;
const FOUND = 1;
// The tags that sort before and after all other versions of a key.
const FIRST_TAG = Uint8Array.of(1, 255, 255, 255, 255, 255, 255, 255);
const LAST_TAG = new Uint8Array(8);

/** @internal */
export function keyBytes(key: Key): Bytes {
  if (typeof key === "string") return new TextEncoder().encode(key);
  if (key instanceof Uint8Array) return key;
  throw new TypeError("a key must be a Uint8Array or a string");
}

function withTag(key: Bytes, tag: Bytes): Bytes {
  const all = new Uint8Array(key.length + tag.length);
  all.set(key);
  all.set(tag, key.length);
  return all;
}

// Returns the lowest key above all that begin with `prefix`, or undefined if there is none.
function above(prefix: Bytes): Bytes | undefined {
  let size = prefix.length;
  while (size > 0 && prefix[size - 1] === 255) --size;
  if (size === 0) return undefined;
  const key = prefix.slice(0, size);
  ++key[size - 1]!;
  return key;
}

/** The common part of tables and databases. The caller owns the keys and values that it returns. */
export abstract class Reader implements Iterable<[key: Uint8Array, value: Uint8Array]> {
  private chosen: Decoder | null | undefined;

  /** @internal */
  protected constructor(
    /** @internal */ protected readonly core: Core,
    /** @internal */ protected readonly handle: number,
  ) {}

  /** The value of `key`, or undefined if it is absent or deleted. */
  get(key: Key): Uint8Array | undefined {
    const { core } = this;
    const bytes = keyBytes(key);
    const [presence, valueAt, size] = [core.result(0), core.result(1), core.result(2)];
    core.check((module, message) => {
      const at = core.put(bytes);
      return this.find(module, at, bytes.length, presence, valueAt, size, message);
    });
    if (core.number(presence) !== FOUND) return undefined;
    const at = core.number(valueAt);
    const value = core.bytes(at, core.number(size));
    core.run((module) => module._sstable_free(at));
    return value;
  }

  /** Entries in key order, each with its newest value. */
  entries(range: EntryRange = {}): IterableIterator<[key: Uint8Array, value: Uint8Array]> {
    checkRange(range, "reverse");
    return this.iterate(() => this.newIterator(), range, [], range.reverse ?? false);
  }

  [Symbol.iterator](): IterableIterator<[key: Uint8Array, value: Uint8Array]> {
    return this.entries();
  }

  /** All versions of each key, newest first, including deletions. */
  history(range: Range = {}): IterableIterator<Version> {
    checkRange(range);
    return this.versions(range);
  }

  private *versions({ prefix, ...others }: Range): IterableIterator<Version> {
    let bounds: Range = others;
    if (prefix !== undefined) {
      // Fails unless keys are in bytewise order, which the bounds assume.
      Array.from(this.entries({ prefix, limit: 0 }));
      bounds = { ...others, ...prefixBounds(keyBytes(prefix)) };
    }
    const tags = [FIRST_TAG, LAST_TAG];
    for (const [key, value] of this.iterate(() => this.newHistory(), bounds, tags, false)) {
      const size = key.length - 8;
      const tag = size < 0 ? 255n : new DataView(key.buffer, size).getBigUint64(0, true);
      if ((tag & 255n) > 1n) {
        const message = `${this.core.name}: a key does not end in the tag of a value or a deletion`;
        throw new DataLossError("DATA_LOSS", message);
      }
      yield {
        key: key.subarray(0, size),
        value,
        sequence: tag >> 8n,
        isDeletion: (tag & 255n) === 0n,
      };
    }
  }

  /** Reads everything and returns the problems found. */
  check(): Check {
    const { core } = this;
    const [list, count] = [core.result(0), core.result(2)];
    core.check((module, message) => this.findProblems(module, MAX_PROBLEMS, list, count, message));
    const entryCount = core.number64(count);
    const [problems, problemCount] = takeProblems(core, core.number(list));
    return { ok: problemCount === 0, problems, problemCount, entryCount };
  }

  /**
   * Recognizes the program that wrote the table or database from its first 1000 entries.
   * Undefined if no known program did.
   */
  decoder(): Decoder | undefined {
    this.chosen ??= this.chooseDecoder();
    if (this.core.isClosed) throw new ClosedError(this.core.name);
    return this.chosen ?? undefined;
  }

  /** Frees the memory. Every later call, and any iterator, throws a ClosedError. */
  close(): void {
    this.core.close();
  }

  private chooseDecoder(): Decoder | null {
    const { core } = this;
    const found = JSON.parse(core.ask("choose_decoder", [], ...this.decodable())) as Pick<
      Decoder,
      "format" | "doubt"
    > | null;
    const decode = (key: Key, value: Uint8Array): Decoded => {
      const bytes = keyBytes(key);
      if (!(value instanceof Uint8Array)) throw new TypeError("a value must be a Uint8Array");
      return parseJson(core.ask("decode", [bytes, value])) as Decoded;
    };
    return found && { ...found, decode };
  }

  private *iterate(
    create: () => number,
    range: Range,
    tags: Bytes[],
    reverse: boolean,
  ): IterableIterator<Entry> {
    const { core } = this;
    const iterator = create();
    try {
      const [first, last] = tags as [Bytes?, Bytes?];
      const restrict = (
        what: "lower" | "upper" | "prefix",
        key: Key,
        tag: Bytes | undefined,
        ...inclusive: number[]
      ) => {
        const bytes = tag ? withTag(keyBytes(key), tag) : keyBytes(key);
        core.check((module, message) => {
          const at = core.put(bytes);
          const set = module[`_sstable_iterator_set_${what}`];
          return set(iterator, at, bytes.length, ...inclusive, message);
        });
      };
      if (range.gt !== undefined) restrict("lower", range.gt, last, 0);
      if (range.gte !== undefined) restrict("lower", range.gte, first, 1);
      if (range.lt !== undefined) restrict("upper", range.lt, first, 0);
      if (range.lte !== undefined) restrict("upper", range.lte, last, 1);
      if (range.prefix !== undefined) restrict("prefix", range.prefix, undefined);
      let left = range.limit ?? Infinity;
      if (left === 0) return;
      core.run((module) =>
        reverse
          ? module._sstable_iterator_seek_to_last(iterator)
          : module._sstable_iterator_seek_to_first(iterator),
      );
      for (let wanted = 16; left > 0; wanted *= 4) {
        const entries = core.readEntries(iterator, reverse, Math.min(wanted, left));
        if (entries.length === 0) return;
        left -= entries.length;
        for (const entry of entries) {
          yield entry;
          if (core.isClosed) throw new ClosedError(core.name);
        }
      }
    } finally {
      if (!core.isClosed) core.run((module) => module._sstable_iterator_destroy(iterator));
    }
  }

  /** @internal */
  protected abstract find(module: Module, ...args: number[]): number;
  /** @internal */
  protected abstract newIterator(): number;
  /** @internal */
  protected abstract newHistory(): number;
  /** @internal */
  protected abstract findProblems(module: Module, ...args: number[]): number;
  /** @internal */
  protected abstract decodable(): [reader: number, database: number];
}

type Module = Parameters<Parameters<Core["run"]>[0]>[0];

/** @internal */
export function checkOptions(options: object, ...known: string[]): void {
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) {
      throw new TypeError(`there is no option ${name}, only ${known.join(", ")}`);
    }
  }
}

function checkRange(range: Range, ...others: string[]): void {
  const { gt, gte, lt, lte, prefix, limit } = range;
  checkOptions(range, "gt", "gte", "lt", "lte", "prefix", "limit", ...others);
  if (gt !== undefined && gte !== undefined) throw new TypeError("gt and gte exclude each other");
  if (lt !== undefined && lte !== undefined) throw new TypeError("lt and lte exclude each other");
  if (prefix !== undefined && (gt ?? gte ?? lt ?? lte) !== undefined) {
    throw new TypeError("prefix goes with none of gt, gte, lt and lte");
  }
  if (limit !== undefined && limit !== Infinity && !(Number.isInteger(limit) && limit >= 0)) {
    throw new TypeError("limit must be an integer from 0 on, or Infinity");
  }
}

function prefixBounds(prefix: Bytes): Range {
  const end = above(prefix);
  return end ? { gte: prefix, lt: end } : { gte: prefix };
}

/** @internal */
export function takeProblems(core: Core, list: number): [Problem[], number] {
  const problems: Problem[] = [];
  const found = core.takeProblems(list, (message, offset, isDamage) => {
    problems.push({ message, offset, isDamage });
  });
  return [problems, found];
}

/** Returns the iterator that `create` stores through its next-to-last parameter. */
function created(core: Core, create: (module: Module, to: number, message: number) => number) {
  const to = core.result(0);
  core.check((module, message) => create(module, to, message));
  return core.number(to);
}

/** A table: an `.ldb` or `.sst` file. For a database's table, keys are user keys. */
export class Table extends Reader {
  /** True for a database's table, whose keys have versions and deletions. */
  readonly hasInternalKeys: boolean;

  private constructor(core: Core, handle: number) {
    super(core, handle);
    this.hasInternalKeys =
      core.run((module) => module._sstable_reader_key_kind(handle)) === INTERNAL_KEYS;
  }

  /** @internal */
  static async open(
    wasm: WebAssembly.Module,
    file: CoreFile,
    isInternal: boolean | undefined,
  ): Promise<Table> {
    const core = await Core.start(wasm, file.name, [{ ...file, name: FILE }]);
    try {
      const options = core.run((module) => module._sstable_reader_options_create());
      const kind = isInternal === undefined ? GUESS_KEYS : Number(isInternal);
      core.run((module) => module._sstable_reader_options_set_key_kind(options, kind));
      core.run((module) => module._sstable_reader_options_set_map_file(options, 0));
      const to = core.result(0);
      core.check((module, message) =>
        module._sstable_reader_options_set_block_cache(options, CACHE, message),
      );
      core.check((module, message) => {
        const [path] = core.putTexts(`${FOLDER}/${FILE}`);
        return module._sstable_reader_open(options, path!, to, message);
      });
      return new Table(core, core.number(to));
    } catch (error) {
      core.close();
      throw error;
    }
  }

  /** @internal */
  protected find(module: Module, ...args: number[]): number {
    return module._sstable_reader_get(this.handle, ...args);
  }

  /** @internal */
  protected newIterator(): number {
    if (!this.hasInternalKeys) return this.newHistoryOrPlain();
    return created(this.core, (module, to, message) =>
      module._sstable_iterator_create_live(this.handle, ...MAX_SEQUENCE, to, message),
    );
  }

  /** @internal */
  protected newHistory(): number {
    if (this.hasInternalKeys) return this.newHistoryOrPlain();
    const message = `${this.core.name}: plain keys have no history`;
    throw new SstableError("FAILED_PRECONDITION", message);
  }

  private newHistoryOrPlain(): number {
    return this.core.run((module) => module._sstable_iterator_create(this.handle));
  }

  /** @internal */
  protected findProblems(module: Module, ...args: number[]): number {
    return module._sstable_reader_find_problems(this.handle, ...args);
  }

  /** @internal */
  protected decodable(): [number, number] {
    return [this.handle, 0];
  }
}

const CACHE = 8 << 20;

/**
 * The state of a LevelDB folder when it was opened. Iterations continue after damage, unless it was
 * opened as `strict`: keys may then be missing or have older values, and problems() says what was
 * skipped. Getting a key that a damaged table may hide throws a DataLossError; damage in a log is
 * only in problems().
 */
export class Database extends Reader {
  private constructor(core: Core, handle: number) {
    super(core, handle);
  }

  /** @internal */
  static async open(
    wasm: WebAssembly.Module,
    name: string,
    files: CoreFile[],
    isStrict: boolean,
  ): Promise<Database> {
    const core = await Core.start(wasm, name, files);
    try {
      const to = core.result(0);
      core.check((module, message) => {
        const [path] = core.putTexts(FOLDER);
        return module._sstable_database_open(path!, to, message);
      });
      const handle = core.number(to);
      if (!isStrict) {
        core.check((module, message) => module._sstable_database_skip_damage(handle, message));
      }
      return new Database(core, handle);
    } catch (error) {
      core.close();
      throw error;
    }
  }

  /** The problems found when the folder was opened, and the first 1000 that iterations skipped. */
  problems(): Problem[] {
    const { core } = this;
    const list = core.result(0);
    core.check((module, message) => module._sstable_database_problems(this.handle, list, message));
    return takeProblems(core, core.number(list))[0];
  }

  /** @internal */
  protected find(module: Module, at: number, size: number, ...args: number[]): number {
    return module._sstable_database_get(this.handle, at, size, ...MAX_SEQUENCE, ...args);
  }

  /** @internal */
  protected newIterator(): number {
    return created(this.core, (module, to, message) =>
      module._sstable_iterator_create_database(this.handle, ...MAX_SEQUENCE, to, message),
    );
  }

  /** @internal */
  protected newHistory(): number {
    return created(this.core, (module, to, message) =>
      module._sstable_iterator_create_history(this.handle, to, message),
    );
  }

  /** @internal */
  protected findProblems(module: Module, ...args: number[]): number {
    return module._sstable_database_check(this.handle, ...args);
  }

  /** @internal */
  protected decodable(): [number, number] {
    return [0, this.handle];
  }
}

// Node.js 18 has no Symbol.dispose.
if (Symbol.dispose) {
  Object.defineProperty(Reader.prototype, Symbol.dispose, {
    value(this: Reader) {
      this.close();
    },
  });
}
export interface Reader extends Disposable {}
