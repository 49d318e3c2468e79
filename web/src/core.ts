// A table in the core, in a worker of its own, or what a report says of one.
import { parseJson } from "./bytes";
import { byId } from "./dom";
import type {
  About,
  Check,
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

/** What a page can ask of a table. */
export interface Source {
  readonly name: string;
  readonly size: number;
  /** False for the summary of a report: then layout, block, lookup and salvage fail. */
  readonly isWhole: boolean;
  about(): Promise<About>;
  places(): Promise<Places>;
  layout(): Promise<Layout>;
  check(): Promise<Check>;
  filter(): Promise<Filter>;
  windows(): Promise<Windows | null>;
  stats(): Promise<Stats>;
  lookup(key: Uint8Array): Promise<Lookup>;
  block(offset: number): Promise<string>;
  beginEntries(format: "jsonl" | "csv", from: Uint8Array, wanted: Uint8Array): Promise<void>;
  nextEntries(maxRows: number, maxBytes: number, maxBlocks: number): Promise<Page>;
  salvage(): Promise<{ report: Salvage; pieces: Uint8Array[] }>;
  close(): void;
}

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

let compiled: Promise<WebAssembly.Module> | undefined;

function compileCore(): Promise<WebAssembly.Module> {
  compiled ??= (async () => {
    const packed = new Blob([fromBase64(byId("core").textContent ?? "")]);
    const stream = packed.stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
  })();
  return compiled;
}

let workerUrl = "";

interface Answer {
  id?: number;
  value?: unknown;
  error?: string;
  read?: number;
}

/** A whole file, which is read as needed. */
export class WholeTable implements Source {
  readonly isWhole = true;
  readonly size: number;
  onRead: (bytes: number) => void = () => {};
  private worker: Worker;
  private next = 0;
  private waiting = new Map<number, [(value: unknown) => void, (error: Error) => void]>();
  private kept = new Map<string, Promise<unknown>>();
  private opened: Promise<unknown>;

  constructor(
    readonly name: string,
    private file: Blob,
  ) {
    this.size = file.size;
    workerUrl ||= URL.createObjectURL(
      new Blob([byId("worker").textContent ?? ""], { type: "text/javascript" }),
    );
    this.worker = new Worker(workerUrl);
    this.worker.onmessage = ({ data }: MessageEvent<Answer>) => this.take(data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      for (const [, no] of this.waiting.values()) no(new Error(`the core ended: ${event.message}`));
      this.waiting.clear();
    };
    this.opened = compileCore().then((wasm) => this.send("load", [wasm]));
    this.opened.catch(() => {});
  }

  private take(answer: Answer): void {
    if (answer.read !== undefined) this.onRead(answer.read);
    if (answer.id === undefined) return;
    const [yes, no] = this.waiting.get(answer.id) ?? [];
    this.waiting.delete(answer.id);
    if (answer.error === undefined) yes?.(answer.value);
    else no?.(new Error(answer.error));
  }

  private send(call: string, args: unknown[]): Promise<unknown> {
    return new Promise((yes, no) => {
      const id = ++this.next;
      this.waiting.set(id, [yes, no]);
      this.worker.postMessage({ id, call, args });
    });
  }

  private async ask(call: string, ...args: unknown[]): Promise<string> {
    await this.opened;
    return (await this.send(call, args)) as string;
  }

  // Asks once.
  private keep<T>(call: string, ...args: unknown[]): Promise<T> {
    let answer = this.kept.get(call) as Promise<T> | undefined;
    if (!answer) {
      answer = this.ask(call, ...args).then((text) => parseJson<T>(text));
      this.kept.set(call, answer);
    }
    return answer;
  }

  about = () => this.keep<About>("open", this.name, this.file);
  places = () => this.keep<Places>("places", MAX_PLACES);
  layout = () => this.keep<Layout>("layout");
  check = () => this.keep<Check>("check");
  filter = () => this.keep<Filter>("filter");
  windows = () => this.keep<Windows | null>("windows", MAX_CELLS);
  stats = () => this.keep<Stats>("stats");
  lookup = async (key: Uint8Array) => parseJson<Lookup>(await this.ask("lookup", key));
  block = (offset: number) => this.ask("block", offset);

  async beginEntries(format: "jsonl" | "csv", from: Uint8Array, wanted: Uint8Array) {
    const isCsv = format === "csv";
    await this.ask("entries", from, wanted, isCsv ? 1 : 0, 0);
  }

  async nextEntries(maxRows: number, maxBytes: number, maxBlocks: number): Promise<Page> {
    const text = await this.ask("next_entries", maxRows, maxBytes, maxBlocks);
    const end = text.indexOf("\n");
    return { ...parseJson<Page>(text.slice(0, end)), lines: text.slice(end + 1) };
  }

  async salvage() {
    await this.opened;
    await this.about().catch(() => {}); // what is no table can still be salvaged
    const { report, pieces } = (await this.send("salvage", [])) as {
      report: string;
      pieces: Uint8Array[];
    };
    return { report: parseJson<Salvage>(report), pieces };
  }

  close(): void {
    this.worker.terminate();
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
  layout = () => this.missing();
  lookup = () => this.missing();
  block = () => this.missing();
  salvage = () => this.missing();

  async beginEntries(): Promise<void> {
    this.given = false;
  }

  async nextEntries(): Promise<Page> {
    if (this.given) return { rows: 0, next_block: 0, done: true, errors: [], lines: "" };
    this.given = true;
    return { ...this.summary.page, done: true };
  }

  close(): void {}

  private missing(): Promise<never> {
    return Promise.reject(new Error("this report has a summary of the table, not the table"));
  }
}
