// The filter: the report of `sst filter`, with a heat map of its windows.
import { alertText, count, facts, grouped, h, percent } from "./dom";
import { colour } from "./strip";
import type { Filter, Layout, Rate, Windows } from "./types";

const rateText = (rate: Rate): string =>
  `${percent(rate.measured_rate)} (${percent(rate.low)} to ${percent(rate.high)}): ` +
  `${grouped(rate.passed)} of ${grouped(rate.absent_keys_tested)} passed`;

/** The report of `sst filter` in words. */
export function filterFacts(filter: Filter): HTMLElement {
  const pairs: [string, string][] = [["policy", filter.policy ?? "none"]];
  if (filter.policy !== null || filter.error !== null) {
    pairs.push(["lookups", filter.consulted ? "consult it" : `do not consult it: ${filter.error}`]);
  }
  if (filter.block) {
    const keys = filter.scan_error === null ? filter.keys_tested : undefined; // otherwise unknown
    const perKey = keys ? (8 * filter.block.size) / keys : 0;
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

/** Shows how full the windows are. LevelDB's choice of k aims at one half of the bits. */
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
    cells.some(([, , empty]) => empty > 0) &&
      h("span", {}, h("span", { class: "swatch heat-empty" }), "empty"),
    h("span", {}, "0 % ", h("span", { class: "heat-ramp" }), " 100 % set; half full is best"),
    cells.some(([, , , malformed]) => malformed > 0) &&
      h("span", {}, h("span", { class: "swatch swatch-damaged" }), "malformed"),
  );
  return h("div", { class: "heat-box" }, canvas, says, scale);
}

function cellColour([, , , malformed, bits, set]: Cell): string {
  if (malformed > 0) return colour("damaged");
  if (bits === 0) return colour("heat-empty");
  const fill = Math.min(set / bits, 1);
  return `hsl(${colour("heat-hue")} ${35 + 45 * fill}% ${92 - 62 * fill}%)`;
}
