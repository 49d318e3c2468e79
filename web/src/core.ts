// A table, opened by a core in its own worker or contained in a report.
import { parseJson } from "./bytes";
import { CoreWorker } from "./core_worker";
import type {
  About,
  Check,
  Comparison,
  Decoder,
  EntryRequest,
  Filter,
  Layout,
  Lookup,
  Page,
  Places,
  Salvage,
  Stats,
  Summary,
  Windows,
} from "./types";

export const MAX_PLACES = 20_000;
export const MAX_CELLS = 4_096;
const SEARCHED_BLOCKS = 2000; // after this many, checks whether the search is still wanted
const COMPARED_KEYS = 20_000; // random keys for each kind of filter

/** Entries, page by page. */
export interface EntrySource {
  readonly name: string;
  /** False for a report's summary, which has only the first entries. */
  readonly isWhole: boolean;
  /** Null if no known program wrote the entries. */
  decoder(): Promise<Decoder | null>;
  beginEntries(request: EntryRequest): Promise<void>;
  nextEntries(maxRows: number, maxBytes: number): Promise<Page>;
}

/** Separates the core's information about a page from the page's lines. */
export function pageOf(text: string): Page {
  const end = text.indexOf("\n");
  return { ...parseJson<Page>(text.slice(0, end)), lines: text.slice(end + 1) };
}

/**
 * The data about a table that a page can request. For a summary, layout, block, lookup and salvage
 * fail.
 */
export interface Source extends EntrySource {
  readonly size: number;
  about(): Promise<About>;
  places(): Promise<Places>;
  layout(): Promise<Layout>;
  check(): Promise<Check>;
  filter(): Promise<Filter>;
  windows(): Promise<Windows | null>;
  stats(): Promise<Stats>;
  comparison(): Promise<Comparison>;
  lookup(key: Uint8Array): Promise<Lookup>;
  block(offset: number): Promise<string>;
  salvage(newName: string): Promise<{ report: Salvage; pieces: Uint8Array[] }>;
  close(): void;
}

/** A whole file, read as needed. */
export class WholeTable implements Source {
  readonly isWhole = true;
  readonly size: number;
  private core = new CoreWorker();
  private kept = new Map<string, Promise<unknown>>();

  constructor(
    readonly name: string,
    private file: Blob,
    private current = new Blob(), // the CURRENT file beside it, which may have the encryption key
  ) {
    this.size = file.size;
  }

  set onRead(listener: (bytes: number) => void) {
    this.core.onRead = listener;
  }

  // Asks the core only once, and keeps the answer.
  private keep<T>(call: string, ...args: unknown[]): Promise<T> {
    let answer = this.kept.get(call) as Promise<T> | undefined;
    if (!answer) {
      answer = this.core.ask(call, ...args).then((text) => parseJson<T>(text));
      this.kept.set(call, answer);
    }
    return answer;
  }

  about = () => this.keep<About>("open", this.name, this.file, this.current);
  places = () => this.keep<Places>("places", MAX_PLACES);
  layout = () => this.keep<Layout>("layout");
  check = () => this.keep<Check>("check");
  filter = () => this.keep<Filter>("filter");
  windows = () => this.keep<Windows | null>("windows", MAX_CELLS);
  stats = () => this.keep<Stats>("stats");
  comparison = () => this.keep<Comparison>("comparison", COMPARED_KEYS);
  lookup = async (key: Uint8Array) => parseJson<Lookup>(await this.core.ask("lookup", key));
  block = (offset: number) => this.core.ask("block", offset);

  /** False if the file is something else, in which no block can be found; after about(). */
  mayBeTable = () => this.keep<boolean>("may_be_table");
  decoder = () => this.keep<Decoder | null>("decoder");

  async beginEntries({ format, from, wanted, decoded }: EntryRequest) {
    const isCsv = format === "csv";
    await this.core.ask("entries", from, wanted, isCsv ? 1 : 0, 0, decoded ? 1 : 0);
  }

  nextEntries = async (maxRows: number, maxBytes: number): Promise<Page> =>
    pageOf(await this.core.ask("next_entries", maxRows, maxBytes, SEARCHED_BLOCKS));

  async salvage(newName: string) {
    await this.about().catch(() => {}); // also salvages a file that is not a table
    const name = new TextEncoder().encode(newName);
    const { report, pieces } = (await this.core.request("salvage", name)) as {
      report: string;
      pieces: Uint8Array[];
    };
    return { report: parseJson<Salvage>(report), pieces };
  }

  close(): void {
    this.core.close();
    this.kept.clear();
  }
}

/** A summary in a report. */
export class SummarizedTable implements Source {
  readonly isWhole = false;
  private given = false;

  constructor(
    readonly name: string,
    readonly size: number,
    private summary: Summary,
  ) {}

  about = async () => this.summary.about;
  places = async () => this.summary.places;
  check = async () => this.summary.check;
  filter = async () => this.summary.filter;
  windows = async () => this.summary.windows;
  stats = async () => this.summary.stats;
  comparison = async () => this.summary.comparison;
  layout = () => this.missing();
  lookup = () => this.missing();
  block = () => this.missing();
  salvage = () => this.missing();
  decoder = async () => null;

  async beginEntries(): Promise<void> {
    this.given = false;
  }

  async nextEntries(): Promise<Page> {
    if (this.given) return { rows: 0, done: true, errors: [], lines: "" };
    this.given = true;
    return { ...this.summary.page, done: true };
  }

  close(): void {}

  private missing(): Promise<never> {
    return Promise.reject(new Error("this report has a summary of the table, not the table"));
  }
}
