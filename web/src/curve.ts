// False-positive rates against bits per key: measured, theoretical, and of other filters.
import uPlot from "uplot";
import { count, grouped, h, percent } from "./dom";
import { colour } from "./strip";
import type { ComparedFilter, Comparison, Filter } from "./types";

// Returns the theoretical rate of a Bloom filter with these bits per key and LevelDB's number of
// probes.
function theory(bitsPerKey: number): number {
  const k = Math.min(Math.max(Math.floor(bitsPerKey * 0.69), 1), 30);
  return (1 - Math.exp(-k / bitsPerKey)) ** k;
}

interface Dot {
  name: string;
  bitsPerKey: number;
  rate: number;
  low: number;
  high: number;
  colour: string;
  /** True for another filter, shown as a small ring with its name beside it. */
  isOther?: boolean;
}

// The smallest range of the axis. Larger filters appear only in the table below the chart.
const LEAST_BITS = 4;
const MOST_BITS = 22;

// Selects filter blocks with LevelDB's window size.
const USUAL_BASE_LG = 11;
const isShown = ({ base_lg: lg, false_positives: rate }: ComparedFilter): boolean =>
  (lg === undefined || lg === USUAL_BASE_LG) && rate.absent_keys_tested > 0;

const nameOf = (filter: ComparedFilter): string => filter.filter ?? filter.table_filter ?? "";

function dotOf(filter: ComparedFilter): Dot {
  const { measured_rate: rate, low, high } = filter.false_positives;
  const name = nameOf(filter);
  const { bits_per_key: bitsPerKey } = filter;
  const dotColour = filter.filter === undefined ? "table-filter" : "other";
  return { name, bitsPerKey, rate, low, high, colour: dotColour, isOther: true };
}

function dotsOfTable(filter: Filter): Dot[] {
  // If some keys could not be read, the number of keys is unknown.
  if (!filter.bits || !filter.keys_tested || filter.scan_error !== null) return [];
  const bitsPerKey = filter.bits / filter.keys_tested;
  const dots: Dot[] = [];
  const add = (name: string, dotColour: string, rate: Filter["false_positives"]): void => {
    if (!rate?.absent_keys_tested) return;
    const { measured_rate: measured, low, high } = rate;
    dots.push({ name, bitsPerKey, rate: measured, low, high, colour: dotColour });
  };
  add("measured", "dot", filter.false_positives);
  if (dots.length > 0) add("of neighbours", "dot2", filter.false_positives_of_neighbours);
  return dots;
}

/** A chart of measured rates, with intervals, over the theoretical curve, and of other filters. */
export function rateCurve(filter: Filter, comparison: Comparison | undefined): HTMLElement | null {
  const own = dotsOfTable(filter);
  const others = (comparison?.filters ?? []).filter(isShown);
  // Measured rates are drawn last, so that nothing covers them.
  const dots = [...others.map(dotOf), ...[...own].reverse()];
  if (dots.length === 0) return null;
  const figure = h("figure", { class: "curve-box" }, chart(dots, own), key(own, others));
  if (filter.scan_error !== null && filter.false_positives?.absent_keys_tested) {
    const rate = percent(filter.false_positives.measured_rate);
    const text =
      `The measured rate, ${rate}, is not in the chart: not all keys could be read, so their ` +
      "number is not known.";
    figure.append(h("p", { class: "hint" }, text));
  }
  if (comparison && others.length > 0) figure.append(otherFilters(comparison, others));
  return figure;
}

function chart(all: Dot[], own: Dot[]): HTMLElement {
  const most = Math.max(MOST_BITS, ...own.map(({ bitsPerKey }) => Math.ceil(bitsPerKey) + 2));
  const xs: number[] = [];
  for (let x = LEAST_BITS; x <= most; x += 0.25) xs.push(x);
  const dots = all.filter(({ bitsPerKey }) => bitsPerKey >= LEAST_BITS && bitsPerKey <= most);
  const rates = dots.map(({ rate }) => rate).filter((rate) => rate > 0);
  const least = Math.min(theory(most), ...rates);
  const bottom = 10 ** Math.floor(Math.log10(Math.max(least, 1e-7)));
  const [measured] = own;
  const says = measured
    ? `Rate of false positives at ${measured.bitsPerKey.toFixed(1)} bits per key: measured ` +
      `${percent(measured.rate)}, in theory ${percent(theory(measured.bitsPerKey))}.`
    : "Rates of false positives of other filters for these keys.";
  const box = h("div", { class: "curve", role: "img", "aria-label": says });
  let plot: uPlot | undefined;
  const draw = (): void => {
    plot?.destroy();
    if (box.clientWidth === 0) return;
    const axis = { stroke: colour("axis"), grid: { stroke: colour("grid"), width: 1 } };
    plot = new uPlot(
      {
        width: box.clientWidth,
        height: 340,
        legend: { show: false },
        cursor: { show: false },
        scales: {
          x: { time: false, range: [LEAST_BITS, most] },
          y: { distr: 3, range: [bottom, 1] },
        },
        axes: [
          { ...axis, label: "bits per key", labelSize: 20, size: 40 },
          {
            ...axis,
            size: 76,
            values: (_, values) =>
              values.map((v) => (v === null ? "" : `${+(100 * v).toPrecision(2)} %`)),
          },
        ],
        series: [{}, { stroke: colour("curve"), width: 2, points: { show: false } }],
        hooks: { draw: [(u) => drawDots(u, dots, bottom, xs)] },
      },
      [xs, xs.map(theory)],
      box,
    );
  };
  new ResizeObserver(draw).observe(box);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  return box;
}

function key(own: Dot[], others: ComparedFilter[]): HTMLElement {
  const item = (swatch: string, text: string): HTMLElement =>
    h("span", {}, h("span", { class: `swatch ${swatch}` }), text);
  const hasTable = others.some(({ filter }) => filter === undefined);
  return h(
    "figcaption",
    { class: "curve-key" },
    item("curve-line", "in theory"),
    ...own.map((dot) => item(`round ${dot.colour}`, `${dot.name}: ${percent(dot.rate)}`)),
    others.length > 0 ? item("ring other", "other bits per key") : null,
    hasTable ? item("ring table-filter", "filters for a whole table") : null,
  );
}

/** The rates as a table. */
function otherFilters(comparison: Comparison, filters: ComparedFilter[]): HTMLElement {
  const names = ["filter", "bits per key", "false positives", "of neighbours"];
  const body = h("tbody");
  for (const filter of filters) {
    const { false_positives: random, false_positives_of_neighbours: neighbours } = filter;
    const rate = neighbours.absent_keys_tested > 0 ? percent(neighbours.measured_rate) : "";
    const cells = [filter.bits_per_key.toFixed(2), percent(random.measured_rate), rate];
    body.append(
      h(
        "tr",
        {},
        h("th", { scope: "row" }, nameOf(filter)),
        ...cells.map((text) => h("td", { class: "number" }, text)),
      ),
    );
  }
  const tested = filters[0]?.false_positives.absent_keys_tested ?? 0;
  return h(
    "details",
    { id: "other-filters" },
    h("summary", {}, "Other filters for these keys"),
    h(
      "table",
      { class: "compared" },
      h("thead", {}, h("tr", {}, ...names.map((name) => h("th", { scope: "col" }, name)))),
      body,
    ),
    h(
      "p",
      { class: "hint" },
      `Made of ${comparison.is_sample ? "the first " : ""}${count(comparison.keys, "key")} and asked ` +
        `for ${grouped(tested)} random ones, as \`sst filter compare\` does.`,
    ),
  );
}

function drawDots(u: uPlot, dots: Dot[], bottom: number, xs: number[]): void {
  const { ctx } = u;
  const scale = devicePixelRatio;
  ctx.save();
  ctx.font = `${10.5 * scale}px system-ui, sans-serif`;
  const boxAt = (bitsPerKey: number, rate: number, half: number): Box => {
    const x = u.valToPos(bitsPerKey, "x", true);
    const y = u.valToPos(Math.max(rate, bottom), "y", true);
    return [x - half, y - half, x + half, y + half];
  };
  // A name must not be next to another dot or on the line, where it would be misread.
  const line = xs.map((x) => boxAt(x, theory(x), 2 * scale));
  const names: Box[] = [];
  for (const dot of dots) {
    const at = (rate: number): number => u.valToPos(Math.max(rate, bottom), "y", true);
    const x = u.valToPos(dot.bitsPerKey, "x", true);
    ctx.strokeStyle = ctx.fillStyle = colour(dot.colour);
    ctx.lineWidth = 2 * scale;
    ctx.beginPath();
    if (!dot.isOther) {
      ctx.moveTo(x, at(dot.low));
      ctx.lineTo(x, at(dot.high));
      ctx.stroke();
      ctx.beginPath();
    }
    ctx.arc(x, at(dot.rate), (dot.isOther ? 3 : 5) * scale, 0, 2 * Math.PI);
    if (dot.isOther) ctx.stroke();
    else ctx.fill();
    if (!dot.isOther) continue;
    const others = dots.filter((other) => other !== dot);
    const around = others.map((other) => boxAt(other.bitsPerKey, other.rate, 6 * scale));
    const own = boxAt(dot.bitsPerKey, dot.rate, 4 * scale);
    const box = drawName(u, dot.name, own, scale, [...line, ...around, ...names]);
    if (box) names.push(box);
  }
  ctx.restore();
}

type Box = [left: number, top: number, right: number, bottom: number];

const overlaps = (a: Box, b: Box): boolean =>
  a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

// Draws a name at the first free position beside its dot, and returns its box. If there is none,
// omits it, since the table below has it.
function drawName(
  { ctx, bbox }: uPlot,
  name: string,
  [left, top, right, bottom]: Box,
  scale: number,
  taken: Box[],
): Box | undefined {
  const [width, height] = [ctx.measureText(name).width, 12 * scale];
  const [middleX, middleY] = [(left + right - width) / 2, (top + bottom - height) / 2];
  const gap = 2 * scale;
  const places: [number, number][] = [
    [right + gap, top - height / 2],
    [left - gap - width, bottom - height / 2],
    [right + gap, middleY],
    [left - gap - width, middleY],
    [right + gap, bottom - height / 2],
    [left - gap - width, top - height / 2],
    [middleX, bottom + gap],
    [middleX, top - gap - height],
  ];
  for (const [x, y] of places) {
    const box: Box = [x, y, x + width, y + height];
    const isInside = x >= bbox.left && box[2] <= ctx.canvas.width && y >= bbox.top;
    if (!isInside || taken.some((other) => overlaps(box, other))) continue;
    ctx.textAlign = "left";
    ctx.textBaseline = "top";
    ctx.fillText(name, x, y);
    return box;
  }
  return undefined;
}
