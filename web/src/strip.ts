// The file drawn to scale: a strip of its blocks, with a window for zooming.
import { bytes, count, grouped, h } from "./dom";
import { term } from "./terms";
import type { Layout, Places } from "./types";

/** A piece of the file. `count` is its number of blocks, 0 for bytes outside all blocks. */
export interface Piece {
  offset: number;
  size: number;
  kind: string;
  codec: string;
  count: number;
  entries?: number;
  error?: string;
  label: string;
}

const TRAILER = 5;
const FOOTER = 48;

/** Every block, from `sst layout`. */
export function piecesOfLayout(layout: Layout): Piece[] {
  let data = 0;
  const pieces: Piece[] = layout.blocks.map((block) => ({
    offset: block.offset,
    size: block.size + TRAILER,
    kind: block.kind,
    codec: block.codec,
    count: 1,
    entries: block.error ? undefined : block.entries,
    error: block.error ?? undefined,
    label: block.kind === "data" ? `data block ${data++}` : `${block.kind} block`,
  }));
  for (const gap of layout.unreferenced) {
    pieces.push({ ...gap, kind: "gap", codec: "", count: 0, label: "in no block" });
  }
  pieces.push(footerAt(layout.footer.offset));
  return pieces.sort((a, b) => a.offset - b.offset);
}

/** The positions of blocks from the index alone; none was read. */
export function piecesOfPlaces(places: Places): Piece[] {
  let first = 0;
  const pieces: Piece[] = places.data.map(([offset, size, blocks]) => {
    const label =
      blocks === 1 ? `data block ${first}` : `data blocks ${first} to ${first + blocks - 1}`;
    first += blocks;
    return { offset, size: size + TRAILER, kind: "data", codec: "", count: blocks, label };
  });
  const add = (kind: string, handle: { offset: number; size: number }): void => {
    const { offset, size } = handle;
    pieces.push({
      offset,
      size: size + TRAILER,
      kind,
      codec: "",
      count: 1,
      label: `${kind} block`,
    });
  };
  for (const meta of places.meta) {
    add(String(meta.name ?? "").startsWith("filter.") ? "filter" : "meta", meta);
  }
  add("metaindex", places.metaindex);
  add("index", places.index);
  pieces.push(footerAt(places.file_size - FOOTER));
  return pieces.sort((a, b) => a.offset - b.offset);
}

function footerAt(offset: number): Piece {
  return { offset, size: FOOTER, kind: "footer", codec: "", count: 1, label: "footer" };
}

/** The colour class; the legend has a row for each. */
export function colourOf(piece: Piece): string {
  if (piece.error) return "damaged";
  if (piece.kind !== "data") return piece.kind;
  return piece.codec === "" ? "data" : piece.codec.replace(/ /g, "-");
}

export const COLOUR_NAMES: Record<string, string> = {
  data: "data",
  none: "data, not compressed",
  snappy: "data, snappy",
  zstd: "data, zstd",
  zlib: "data, zlib",
  "raw-deflate": "data, raw deflate",
  bzip2: "data, bzip2",
  lz4: "data, lz4",
  lz4hc: "data, lz4hc",
  index: "index",
  metaindex: "metaindex",
  filter: "filter",
  meta: "other meta block",
  footer: "footer",
  gap: "in no block",
  damaged: "damaged",
};

export function colour(name: string): string {
  const style = getComputedStyle(document.documentElement);
  return (
    style.getPropertyValue(`--block-${name}`).trim() || style.getPropertyValue("--block-unknown")
  );
}

export class Strip {
  readonly element: HTMLElement;
  onPick: (piece: Piece) => void = () => {};
  private canvas = h("canvas", {
    class: "strip",
    tabindex: 0,
    role: "img",
    "aria-describedby": "strip-says",
  });
  private overview = h("canvas", { class: "overview", "aria-hidden": "true" });
  private says = h("p", { id: "strip-says", class: "says", "aria-live": "polite" });
  private legend = h("ul", { class: "legend" });
  private pieces: Piece[] = [];
  private from = 0;
  private to = 1;
  private selected = -1;

  constructor(private fileSize: number) {
    const button = (text: string, label: string, work: () => void): HTMLElement =>
      h("button", { type: "button", class: "small", "aria-label": label, click: work }, text);
    const zoomButtons = h(
      "div",
      { class: "zoom no-print" },
      button("−", "Zoom out", () => this.zoom(2)),
      button("+", "Zoom in", () => this.zoom(0.5)),
      button("Whole file", "Show the whole file", () => this.show(0, this.fileSize)),
    );
    this.element = h(
      "div",
      { class: "strip-box" },
      this.overview,
      this.canvas,
      h("div", { class: "strip-row" }, this.says, zoomButtons),
      this.legend,
    );
    this.to = fileSize;
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    matchMedia("print").addEventListener("change", () => this.draw());
  }

  set(pieces: Piece[]): void {
    this.pieces = pieces;
    this.selected = -1;
    const seen = new Map<string, number>();
    for (const piece of pieces) {
      const name = colourOf(piece);
      seen.set(name, (seen.get(name) ?? 0) + piece.size);
    }
    this.legend.replaceChildren(
      ...[...seen].map(([name, size]) =>
        h(
          "li",
          {},
          h("span", { class: `swatch swatch-${name}` }),
          term(COLOUR_NAMES[name] ?? `data, ${name}`),
          " ",
          h("small", {}, bytes(size)),
        ),
      ),
    );
    const damaged = pieces.filter((piece) => piece.error).length;
    this.canvas.setAttribute(
      "aria-label",
      `The file to scale: ${count(pieces.length, "part")}, ${grouped(damaged)} damaged. ` +
        "Arrow keys go from part to part, plus and minus zoom, Enter opens one.",
    );
    this.say(-1);
    this.draw();
  }

  /** Shows the piece that contains the byte at `offset`. */
  select(offset: number): void {
    const at = this.pieces.findIndex((p) => offset >= p.offset && offset < p.offset + p.size);
    const piece = this.pieces[at];
    if (!piece) return;
    this.selected = at;
    if (piece.offset < this.from || piece.offset + piece.size > this.to) {
      const span = this.to - this.from;
      this.show(piece.offset + piece.size / 2 - span / 2, piece.offset + piece.size / 2 + span / 2);
    }
    this.say(at);
    this.draw();
  }

  private listen(): void {
    const offsetOf = (event: MouseEvent): number => {
      const box = this.canvas.getBoundingClientRect();
      return this.from + ((event.clientX - box.left) / box.width) * (this.to - this.from);
    };
    let dragged: { x: number; from: number; to: number; moved: boolean } | undefined;
    this.canvas.addEventListener("pointerdown", (event) => {
      dragged = { x: event.clientX, from: this.from, to: this.to, moved: false };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!dragged) return this.say(this.find(offsetOf(event)));
      const moved = event.clientX - dragged.x;
      if (Math.abs(moved) > 4) dragged.moved = true;
      if (!dragged.moved) return;
      const shift = (-moved / this.canvas.clientWidth) * (dragged.to - dragged.from);
      this.show(dragged.from + shift, dragged.to + shift);
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const wasClick = dragged && !dragged.moved;
      dragged = undefined;
      if (wasClick) this.pick(this.find(offsetOf(event)));
    });
    this.canvas.addEventListener("pointerleave", () => this.say(this.selected));
    this.canvas.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && Math.abs(event.deltaX) < Math.abs(event.deltaY) && !event.shiftKey) {
          return; // lets the page scroll; the strip zooms only with Ctrl or two fingers
        }
        event.preventDefault();
        if (event.ctrlKey) this.zoom(event.deltaY > 0 ? 1.25 : 0.8, offsetOf(event));
        else {
          const moved = event.deltaX || event.deltaY;
          const shift = (moved / this.canvas.clientWidth) * (this.to - this.from);
          this.show(this.from + shift, this.to + shift);
        }
      },
      { passive: false },
    );
    this.overview.addEventListener("click", (event) => {
      const box = this.overview.getBoundingClientRect();
      const middle = ((event.clientX - box.left) / box.width) * this.fileSize;
      const half = (this.to - this.from) / 2;
      this.show(middle - half, middle + half);
    });
    this.canvas.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) this.goTo(Math.min(Math.max(this.selected + step, 0), this.pieces.length - 1));
      else if (event.key === "Home") this.goTo(0);
      else if (event.key === "End") this.goTo(this.pieces.length - 1);
      else if (event.key === "+" || event.key === "=") this.zoom(0.5);
      else if (event.key === "-") this.zoom(2);
      else if (event.key === "Enter") this.pick(this.selected);
      else return;
      event.preventDefault();
    });
  }

  private goTo(at: number): void {
    const piece = this.pieces[at];
    if (piece) this.select(piece.offset);
  }

  private pick(at: number): void {
    const piece = this.pieces[at];
    if (!piece) return;
    this.select(piece.offset);
    this.onPick(piece);
  }

  // Returns the last piece that starts at or before `offset`.
  private find(offset: number): number {
    let low = 0;
    let high = this.pieces.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.pieces[middle]?.offset ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  private say(at: number): void {
    const piece = this.pieces[at];
    this.says.textContent = !piece
      ? "Click a block to see its entries and bytes. Drag to move, Ctrl and wheel to zoom."
      : [
          `${piece.label} at offset ${grouped(piece.offset)}`,
          bytes(piece.size),
          piece.codec,
          piece.entries === undefined ? "" : count(piece.entries, "entry"),
          piece.error ? "damaged" : "",
        ]
          .filter((text) => text)
          .join(", ");
  }

  private zoom(factor: number, around?: number): void {
    const chosen = this.pieces[this.selected];
    const middle = around ?? (chosen ? chosen.offset + chosen.size / 2 : (this.from + this.to) / 2);
    const span = Math.min(Math.max((this.to - this.from) * factor, 64), this.fileSize);
    const share = around === undefined ? 0.5 : (around - this.from) / (this.to - this.from);
    this.show(middle - span * share, middle + span * (1 - share));
  }

  private show(from: number, to: number): void {
    const span = Math.min(to - from, this.fileSize);
    this.from = Math.min(Math.max(from, 0), this.fileSize - span);
    this.to = this.from + span;
    this.draw();
  }

  private draw(): void {
    this.paint(this.overview, 0, this.fileSize, -1);
    this.paint(this.canvas, this.from, this.to, this.selected);
    const context = this.overview.getContext("2d");
    if (!context || this.to - this.from >= this.fileSize) return;
    const scale = this.overview.width / this.fileSize;
    context.strokeStyle = colour("frame");
    context.lineWidth = 2 * devicePixelRatio;
    const width = Math.max((this.to - this.from) * scale, 4);
    context.strokeRect(this.from * scale, 0, width, this.overview.height);
  }

  private paint(canvas: HTMLCanvasElement, from: number, to: number, selected: number): void {
    const context = canvas.getContext("2d");
    if (!context || canvas.clientWidth === 0) return;
    canvas.width = Math.round(canvas.clientWidth * devicePixelRatio);
    canvas.height = Math.round(canvas.clientHeight * devicePixelRatio);
    const scale = canvas.width / (to - from);
    const colours = new Map<string, string>();
    const paintPiece = (piece: Piece, at: number, least: number): void => {
      const name = colourOf(piece);
      if (!colours.has(name)) colours.set(name, colour(name));
      const left = Math.floor((piece.offset - from) * scale);
      const right = Math.round((piece.offset + piece.size - from) * scale);
      context.fillStyle = colours.get(name) ?? "";
      const gap = right - left > 5 ? Math.ceil(devicePixelRatio) : 0;
      context.globalAlpha = at % 2 === 1 && right - left > 1 ? 0.84 : 1; // neighbours differ
      context.fillRect(left, 0, Math.max(right - left - gap, least), canvas.height);
    };
    const first = Math.max(this.find(from), 0);
    let end = first;
    while (end < this.pieces.length && (this.pieces[end]?.offset ?? 0) < to) ++end;
    const shown = this.pieces.slice(first, end);
    shown.forEach((piece, i) => paintPiece(piece, first + i, 1));
    // Makes small but important pieces visible.
    for (const piece of shown) {
      if (piece.error || piece.kind !== "data") paintPiece(piece, 0, 2 * devicePixelRatio);
    }
    context.globalAlpha = 1;
    const chosen = this.pieces[selected];
    if (!chosen) return;
    context.strokeStyle = colour("frame");
    context.lineWidth = 3 * devicePixelRatio;
    const left = (chosen.offset - from) * scale;
    context.strokeRect(left, 1, Math.max(chosen.size * scale, 4), canvas.height - 2);
  }
}
