// Runs the core in its own worker.
import { fromBase85 } from "../base85.mjs";
import { byId } from "./dom";

export function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

function unpacked(id: string): Response {
  const packed = new Blob([fromBase85(byId(id).textContent ?? "")]);
  return new Response(packed.stream().pipeThrough(new DecompressionStream("gzip")));
}

const CLOSED = "no longer open in this page";

interface Core {
  wasm: WebAssembly.Module;
  workerUrl: string;
}

let prepared: Promise<Core> | undefined;

function prepareCore(): Promise<Core> {
  prepared ??= (async () => {
    const wasm = await WebAssembly.compile(await unpacked("core").arrayBuffer());
    const script = [await unpacked("loader").text(), "\n", byId("worker").textContent ?? ""];
    const workerUrl = URL.createObjectURL(new Blob(script, { type: "text/javascript" }));
    return { wasm, workerUrl };
  })();
  return prepared;
}

interface Answer {
  id?: number;
  value?: unknown;
  error?: string;
  ended?: string;
  read?: number;
}

/**
 * The first call starts the worker. If a call ends the core, for instance by running out of memory,
 * it fails, and later calls use a new core. After close(), every call fails, even a waiting one.
 */
export class CoreWorker {
  /** Called with the number of bytes that a call has read so far, and with 0 at its end. */
  onRead: (bytes: number) => void = () => {};
  private worker: Worker | undefined;
  private isClosed = false;
  private loaded: Promise<unknown> | undefined;
  private opened: [call: string, args: unknown[]] | undefined;
  private next = 0;
  private waiting = new Map<number, [(value: unknown) => void, (error: Error) => void]>();

  /** Calls the core and returns its result: text, mostly JSON. */
  async ask(call: string, ...args: unknown[]): Promise<string> {
    return (await this.request(call, ...args)) as string;
  }

  async request(call: string, ...args: unknown[]): Promise<unknown> {
    await (this.loaded ?? this.start());
    if (call === "open" || call === "folder") this.opened = [call, args];
    return this.send(call, args);
  }

  close(): void {
    this.isClosed = true;
    this.worker?.terminate();
    this.failWaiting(CLOSED);
  }

  private start(): Promise<unknown> {
    const loaded = prepareCore().then(({ wasm, workerUrl }) => {
      if (this.isClosed) throw new Error(CLOSED);
      const worker = new Worker(workerUrl);
      this.worker = worker;
      worker.onmessage = ({ data }: MessageEvent<Answer>) => this.take(data);
      worker.onerror = (event) => {
        event.preventDefault();
        this.restart(`the core ended: ${event.message}`);
      };
      return this.send("load", [wasm]);
    });
    loaded.catch(() => {});
    this.loaded = loaded;
    return loaded;
  }

  private restart(why: string): void {
    this.worker?.terminate();
    this.failWaiting(why);
    const loaded = this.start();
    const { opened } = this;
    if (!opened) return;
    this.opened = undefined; // don't open it again if opening it ends the core
    const reopen = loaded.then(() => this.send(...opened));
    this.loaded = reopen.then(
      () => (this.opened = opened),
      () => {},
    );
  }

  private failWaiting(why: string): void {
    for (const [, no] of this.waiting.values()) no(new Error(why));
    this.waiting.clear();
  }

  private take(answer: Answer): void {
    if (answer.read !== undefined) this.onRead(answer.read);
    if (answer.ended !== undefined) this.restart(answer.ended);
    if (answer.id === undefined) return;
    this.onRead(0);
    const [yes, no] = this.waiting.get(answer.id) ?? [];
    this.waiting.delete(answer.id);
    if (answer.error === undefined) yes?.(answer.value);
    else no?.(new Error(answer.error));
  }

  private send(call: string, args: unknown[]): Promise<unknown> {
    if (this.isClosed) return Promise.reject(new Error(CLOSED));
    return new Promise((yes, no) => {
      const id = ++this.next;
      this.waiting.set(id, [yes, no]);
      this.worker?.postMessage({ id, call, args });
    });
  }
}
