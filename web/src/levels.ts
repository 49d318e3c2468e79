// The tables of a database by level and key, to show which key ranges overlap.
import { bytes, count, grouped, h } from "./dom";
import { colour } from "./strip";
import { term } from "./terms";
import type { DatabaseTable, Folder, Range } from "./types";

const MAX_HEIGHT = 150; // height of a level in pixels
const LANE = 16;
const LEAST_WIDTH = 3; // minimum width of a bar in pixels

export interface Placed {
  table: DatabaseTable;
  range: Range | null;
  isDamaged: boolean;
}

export function placedTables(folder: Folder): Placed[] {
  const { tables, problems } = folder.database;
  const damaged = new Set(problems.filter((p) => p.damage).map((p) => p.file));
  return tables.map((table, i) => ({
    table,
    range: folder.ranges[i] ?? null,
    isDamaged:
      (table.ok === false && !table.limit) || table.file_size === null || damaged.has(table.name),
  }));
}

export function sizeOf({ table }: Placed): number {
  return table.file_size ?? table.size;
}

const levelName = (level: number | null): string =>
  level === null ? "Tables, in no known order" : `Level ${level}`;

/** The maximum number of tables whose ranges contain the same key. */
export function mostAtOneKey(placed: Placed[]): number {
  const steps: [place: number, change: number][] = [];
  for (const { range } of placed) if (range) steps.push([range[0], 1], [range[1] + 0.5, -1]);
  steps.sort(([a], [b]) => a - b);
  let now = 0;
  let most = 0;
  for (const [, change] of steps) {
    now += change;
    most = Math.max(most, now);
  }
  return most;
}

const overlap = (a: Range | null, b: Range | null): boolean =>
  a !== null && b !== null && a[0] <= b[1] && b[0] <= a[1];

// Assigns each table the first free lane, so that overlapping tables are in different lanes.
function lanesOf(placed: Placed[]): number[] {
  const ends: number[] = []; // end of the last range in each lane
  const lanes = placed.map(() => -1);
  const order = placed.map((_, i) => i).filter((i) => placed[i]?.range);
  order.sort((a, b) => (placed[a]?.range?.[0] ?? 0) - (placed[b]?.range?.[0] ?? 0));
  for (const i of order) {
    const [first, last] = placed[i]?.range ?? [0, 0];
    const free = ends.findIndex((end) => end < first);
    lanes[i] = free < 0 ? ends.length : free;
    ends[lanes[i] as number] = last;
  }
  return lanes;
}

/** One level: a bar for each table, from its first key to its last. */
class LevelChart {
  readonly element: HTMLElement;
  private canvas: HTMLCanvasElement;
  private lanes: number[];
  private selected = -1;

  constructor(
    level: number | null,
    private placed: Placed[],
    private places: number[],
    private mostSize: number,
    private say: (placed: Placed | undefined) => void,
    private open: (name: string) => void,
  ) {
    this.lanes = lanesOf(placed);
    const size = placed.reduce((sum, one) => sum + sizeOf(one), 0);
    const about = `${count(placed.length, "table")}, ${bytes(size)}`;
    this.canvas = h("canvas", {
      class: "level-bars",
      tabindex: 0,
      role: "img",
      "aria-label":
        `${levelName(level)}: ${about}, by the ranges of their keys. ` +
        "Arrow keys go from table to table, Enter opens one.",
    });
    this.element = h(
      "div",
      { class: "level" },
      h("h3", {}, term(levelName(level)), " ", h("small", {}, about)),
      this.canvas,
    );
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  private get laneHeight(): number {
    const lanes = Math.max(...this.lanes, 0) + 1;
    return Math.max(Math.min(LANE, Math.floor(MAX_HEIGHT / lanes)), 2);
  }

  private listen(): void {
    const { canvas } = this;
    canvas.addEventListener("pointermove", (event) => this.point(this.find(event)));
    canvas.addEventListener("pointerleave", () => this.point(-1));
    canvas.addEventListener("click", (event) => this.pick(this.find(event)));
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined && event.key !== "Enter") return;
      event.preventDefault();
      if (step === undefined) return this.pick(this.selected);
      this.point(Math.min(Math.max(this.selected + step, 0), this.placed.length - 1));
    });
  }

  private box(i: number): [x: number, y: number, width: number] | null {
    const range = this.placed[i]?.range;
    if (!range) return null;
    const width = this.canvas.clientWidth - LEAST_WIDTH; // leaves room for a bar at the last key
    const [first, last] = range.map((rank) => Math.round((this.places[rank] ?? 0) * width)) as [
      number,
      number,
    ];
    const y = (this.lanes[i] ?? 0) * this.laneHeight;
    return [first, y, last - first + LEAST_WIDTH];
  }

  private find(event: MouseEvent): number {
    const canvas = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - canvas.left, event.clientY - canvas.top];
    return this.placed.findIndex((_, i) => {
      const box = this.box(i);
      if (!box) return false;
      const [left, top, width] = box;
      return x >= left && x < left + width && y >= top && y < top + this.laneHeight;
    });
  }

  private point(to: number): void {
    if (to === this.selected) return;
    this.selected = to;
    this.say(this.placed[to]);
    this.draw();
  }

  private pick(at: number): void {
    const one = this.placed[at];
    if (one) this.open(one.table.name);
  }

  private draw(): void {
    const { canvas, laneHeight } = this;
    const width = canvas.clientWidth;
    if (width === 0) return;
    const height = (Math.max(...this.lanes, 0) + 1) * laneHeight;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * devicePixelRatio);
    canvas.height = Math.round(height * devicePixelRatio);
    const context = canvas.getContext("2d");
    if (!context) return;
    context.scale(devicePixelRatio, devicePixelRatio);
    const gap = laneHeight > 5 ? 2 : laneHeight > 2 ? 1 : 0;
    const order = this.placed.map((_, i) => i);
    order.sort((a, b) => (this.box(a)?.[0] ?? 0) - (this.box(b)?.[0] ?? 0));
    for (const i of order) {
      const [one, box] = [this.placed[i], this.box(i)];
      if (!one || !box) continue;
      const [x, y, wide] = box;
      context.clearRect(x - 1, y, wide + 1, laneHeight); // with a line after the previous bar
      context.globalAlpha = one.isDamaged ? 1 : 0.45 + (0.55 * sizeOf(one)) / this.mostSize;
      context.fillStyle = colour(one.isDamaged ? "damaged" : "data");
      context.fillRect(x, y, wide, laneHeight - gap);
    }
    const box = this.box(this.selected);
    if (!box) return;
    const [x, y, wide] = box;
    context.globalAlpha = 1;
    context.strokeStyle = colour("frame");
    context.lineWidth = 2;
    context.strokeRect(x + 1, y + 1, Math.max(wide - 2, 1), laneHeight - gap - 2);
  }
}

/** All levels below each other, on the same scale of keys. */
export function levelsView(
  placed: Placed[],
  places: number[],
  keysOf: (table: DatabaseTable) => string,
  open: (name: string) => void,
): HTMLElement {
  const says = h("p", { class: "says", id: "levels-says", "aria-live": "polite" });
  const hint =
    "From the first key on the left to the last, to scale. Point at a table for its keys.";
  const say = (one: Placed | undefined): void => {
    if (!one) {
      says.textContent = hint;
      return;
    }
    const others = placed.filter((other) => other !== one && overlap(other.range, one.range));
    const overlaps = `overlaps ${count(others.length, "other table")}`;
    const parts = [one.table.name, `${grouped(sizeOf(one))} bytes`, keysOf(one.table), overlaps];
    says.textContent = parts.filter((text) => text).join("; ");
  };
  say(undefined);
  const mostSize = Math.max(...placed.map(sizeOf), 1);
  const levels = [...new Set(placed.map(({ table }) => table.level))];
  const charts = levels.map((level) => {
    const own = placed.filter(({ table }) => table.level === level);
    return new LevelChart(level, own, places, mostSize, say, open).element;
  });
  const key = h(
    "ul",
    { class: "legend" },
    h("li", {}, h("span", { class: "swatch swatch-data" }), "table; the larger, the stronger"),
    placed.some(({ isDamaged }) => isDamaged) &&
      h("li", {}, h("span", { class: "swatch swatch-damaged" }), "damaged or missing"),
  );
  return h("div", { class: "levels" }, ...charts, says, key);
}
