// The filter: its windows as a heat map, and its rate of false positives beside theory.
import uPlot from "uplot";
import { alertText, count, facts, grouped, h, percent } from "./dom";
import { colour } from "./strip";
import type { Filter, Layout, Rate, Windows } from "./types";

const rateText = (rate: Rate): string =>
  `${percent(rate.measured_rate)} (${percent(rate.low)} to ${percent(rate.high)}): ` +
  `${grouped(rate.passed)} of ${grouped(rate.absent_keys_tested)} passed`;

/** What `sst filter` says, in words. */
export function filterFacts(filter: Filter): HTMLElement {
  const pairs: [string, string][] = [["policy", filter.policy ?? "none"]];
  if (filter.policy !== null || filter.error !== null) {
    pairs.push(["lookups", filter.consulted ? "consult it" : `do not consult it: ${filter.error}`]);
  }
  if (filter.block) {
    const perKey = filter.keys_tested ? (8 * filter.block.size) / filter.keys_tested : 0;
    pairs.push([
      "size",
      `${grouped(filter.block.size)} bytes${perKey ? `, ${perKey.toFixed(2)} bits per key` : ""}`,
    ]);
  }
  if (filter.windows && filter.base_lg !== undefined) {
    const { count: windows, empty, malformed } = filter.windows;
    pairs.push([
      "windows",
      `${count(windows, "window")} of ${grouped(2 ** filter.base_lg)} bytes, ` +
        `${grouped(empty)} empty, ${grouped(malformed)} malformed`,
    ]);
  }
  if (filter.probe_counts) {
    pairs.push(["probes (k)", filter.probe_counts.map(({ k }) => k).join(", ")]);
  }
  if (filter.bits) {
    pairs.push([
      "bits set",
      `${grouped(filter.bits_set ?? 0)} of ${grouped(filter.bits)}, ${percent((filter.bits_set ?? 0) / filter.bits)}`,
    ]);
  }
  if (filter.hash) pairs.push(["hash of bytes", filter.hash]);
  if (filter.false_negatives !== undefined) {
    pairs.push([
      "false negatives",
      `${grouped(filter.false_negatives)} of ${count(filter.keys_tested ?? 0, "key")}`,
    ]);
  }
  if (filter.false_positives?.absent_keys_tested) {
    pairs.push(["false positives", rateText(filter.false_positives)]);
    if (filter.false_positives.expected_rate !== undefined) {
      pairs.push(["expected", percent(filter.false_positives.expected_rate)]);
    }
  }
  if (filter.false_positives_of_neighbours?.absent_keys_tested) {
    pairs.push(["of neighbours", rateText(filter.false_positives_of_neighbours)]);
  }
  const table = filter.table_filter;
  if (table) {
    pairs.push(["table filter", table.policy]);
    pairs.push(["its size", `${grouped(table.block.size)} bytes`]);
    if (table.error) pairs.push(["lookups", `do not consult it: ${table.error}`]);
    if (table.false_positives) pairs.push(["its false positives", rateText(table.false_positives)]);
  }
  return facts(pairs);
}

export function falseNegatives(filter: Filter): HTMLElement | null {
  const lost = (filter.false_negatives ?? 0) + (filter.table_filter?.false_negatives ?? 0);
  return lost === 0 ? null : alertText(`The filter denies ${count(lost, "key")} of the table.`);
}

type Cell = Windows["cells"][number];

/** How full the windows are. Half is what LevelDB's choice of k aims at. */
export function heatMap(windows: Windows, layout: Layout | undefined): HTMLElement {
  const { cells, base_lg: baseLg } = windows;
  const says = h("p", { class: "says", id: "heat-says", "aria-live": "polite" });
  const canvas = h("canvas", {
    class: "heat",
    tabindex: 0,
    role: "img",
    "aria-describedby": says.id,
    "aria-label":
      `Fill of ${count(windows.count, "filter window")}. ` + "Arrow keys go from window to window.",
  });
  let selected = -1;
  let columns = 1;
  const keysIn = (from: number, to: number): number | undefined => {
    if (!layout) return undefined;
    let keys = 0;
    for (const block of layout.blocks) {
      if (block.kind === "data" && block.offset >= from && block.offset < to) {
        keys += block.entries ?? 0;
      }
    }
    return keys;
  };
  const describe = ([first, group, empty, malformed, bits, set]: Cell): string => {
    const from = first * 2 ** baseLg;
    const to = (first + group) * 2 ** baseLg;
    const name =
      group === 1
        ? `window ${grouped(first)}`
        : `windows ${grouped(first)} to ${grouped(first + group - 1)}`;
    const keys = keysIn(from, to);
    return [
      `${name}, for blocks at offset ${grouped(from)} to ${grouped(to - 1)}`,
      malformed ? `${grouped(malformed)} malformed` : "",
      bits ? `${percent(set / bits)} of ${count(bits, "bit")} set` : empty ? "empty" : "",
      keys === undefined || !bits ? "" : count(keys, "key"),
    ]
      .filter((text) => text)
      .join("; ");
  };
  const say = (at: number): void => {
    const cell = cells[at];
    says.textContent = cell ? describe(cell) : "Point at a window to see its bits and keys.";
  };
  const draw = (): void => {
    const width = canvas.clientWidth;
    if (width === 0) return;
    const wanted = Math.sqrt((width * 150) / Math.max(cells.length, 1));
    const side = Math.min(Math.max(Math.floor(wanted), 4), 22);
    columns = Math.max(Math.floor(width / side), 1);
    const rows = Math.ceil(cells.length / columns);
    canvas.style.height = `${rows * side}px`;
    canvas.width = Math.round(width * devicePixelRatio);
    canvas.height = Math.round(rows * side * devicePixelRatio);
    const context = canvas.getContext("2d");
    if (!context) return;
    context.scale(devicePixelRatio, devicePixelRatio);
    cells.forEach((cell, i) => {
      const [x, y] = [(i % columns) * side, Math.floor(i / columns) * side];
      context.fillStyle = cellColour(cell);
      context.fillRect(x, y, side - 1, side - 1);
      if (i !== selected) return;
      context.strokeStyle = colour("frame");
      context.lineWidth = 2;
      context.strokeRect(x, y, side - 1, side - 1);
    });
  };
  const go = (to: number): void => {
    selected = Math.min(Math.max(to, 0), cells.length - 1);
    say(selected);
    draw();
  };
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const side = box.width / columns;
    const row = Math.floor((event.clientY - box.top) / side);
    say(row * columns + Math.floor((event.clientX - box.left) / side));
  });
  canvas.addEventListener("pointerleave", () => say(selected));
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    go(selected + step);
  });
  new ResizeObserver(draw).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  say(-1);
  const scale = h(
    "p",
    { class: "heat-scale" },
    "empty ",
    h("span", { class: "swatch heat-empty" }),
    " 0 % ",
    h("span", { class: "heat-ramp" }),
    " 100 % set; half full is best ",
    h("span", { class: "swatch swatch-damaged" }),
    " malformed",
  );
  return h("div", { class: "heat-box" }, canvas, says, scale);
}

function cellColour([, , , malformed, bits, set]: Cell): string {
  if (malformed > 0) return colour("damaged");
  if (bits === 0) return colour("heat-empty");
  const fill = Math.min(set / bits, 1);
  return `hsl(${colour("heat-hue")} ${35 + 45 * fill}% ${92 - 62 * fill}%)`;
}

// The rate of a Bloom filter in theory, with LevelDB's k for these bits per key.
function theory(bitsPerKey: number): number {
  const k = Math.min(Math.max(Math.floor(bitsPerKey * 0.69), 1), 30);
  return (1 - Math.exp(-k / bitsPerKey)) ** k;
}

interface Dot {
  name: string;
  rate: number;
  low?: number;
  high?: number;
  colour: string;
}

/** The measured rate, with its interval, over the theoretical curve. */
export function rateCurve(filter: Filter): HTMLElement | null {
  const rate = filter.false_positives;
  if (!rate?.absent_keys_tested || !filter.bits || !filter.keys_tested) return null;
  const bitsPerKey = filter.bits / filter.keys_tested;
  const dots: Dot[] = [
    { name: "measured", rate: rate.measured_rate, low: rate.low, high: rate.high, colour: "dot" },
  ];
  const neighbours = filter.false_positives_of_neighbours;
  if (neighbours?.absent_keys_tested) {
    const { measured_rate, low, high } = neighbours;
    dots.push({ name: "of neighbours", rate: measured_rate, low, high, colour: "dot2" });
  }
  const most = Math.max(20, Math.ceil(bitsPerKey) + 2);
  const xs: number[] = [];
  for (let x = 2; x <= most; x += 0.25) xs.push(x);
  const least = Math.min(theory(most), ...dots.map(({ low }) => low ?? 1).filter((low) => low > 0));
  const bottom = 10 ** Math.floor(Math.log10(Math.max(least, 1e-7)));
  const box = h("div", {
    class: "curve",
    role: "img",
    "aria-label":
      `Rate of false positives at ${bitsPerKey.toFixed(1)} bits per key: measured ` +
      `${percent(rate.measured_rate)}, in theory ${percent(theory(bitsPerKey))}.`,
  });
  let plot: uPlot | undefined;
  const draw = (): void => {
    plot?.destroy();
    if (box.clientWidth === 0) return;
    const axis = { stroke: colour("axis"), grid: { stroke: colour("grid"), width: 1 } };
    plot = new uPlot(
      {
        width: box.clientWidth,
        height: 240,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false }, y: { distr: 3, range: [bottom, 1] } },
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
        hooks: { draw: [(u) => dots.forEach((dot) => drawDot(u, bitsPerKey, dot, bottom))] },
      },
      [xs, xs.map(theory)],
      box,
    );
  };
  new ResizeObserver(draw).observe(box);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  const key = h(
    "p",
    { class: "curve-key" },
    h("span", { class: "swatch curve-line" }),
    " in theory ",
    ...dots.flatMap((dot) => [
      h("span", { class: `swatch round ${dot.colour}` }),
      ` ${dot.name}: ${percent(dot.rate)} `,
    ]),
  );
  return h("figure", { class: "curve-box" }, box, h("figcaption", {}, key));
}

function drawDot(u: uPlot, bitsPerKey: number, dot: Dot, bottom: number): void {
  const { ctx } = u;
  const at = (rate: number): number => u.valToPos(Math.max(rate, bottom), "y", true);
  const x = u.valToPos(bitsPerKey, "x", true);
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour(dot.colour);
  ctx.lineWidth = 2 * devicePixelRatio;
  if (dot.low !== undefined && dot.high !== undefined) {
    ctx.beginPath();
    ctx.moveTo(x, at(dot.low));
    ctx.lineTo(x, at(dot.high));
    ctx.stroke();
  }
  ctx.beginPath();
  ctx.arc(x, at(dot.rate), 5 * devicePixelRatio, 0, 2 * Math.PI);
  ctx.fill();
  ctx.restore();
}
