// Distributions: sizes of keys, values and blocks; compression; sequences; deletions.
import { bytes, count, facts, grouped, h, percent } from "./dom";
import { COLOUR_NAMES } from "./strip";
import type { Layout, Sizes, Stats } from "./types";

/** Bars, as an accessible table. */
function bars(
  title: string,
  rows: { label: string; count: number; class?: string }[],
): HTMLElement {
  const most = Math.max(...rows.map((row) => row.count), 1);
  const body = h("tbody");
  for (const row of rows) {
    const bar = h("span", { class: `bar ${row.class ?? ""}` });
    bar.style.width = `${Math.max((100 * row.count) / most, 0.5)}%`;
    body.append(
      h(
        "tr",
        {},
        h("th", { scope: "row" }, row.label),
        h("td", { class: "number" }, grouped(row.count)),
        h("td", { class: "bar-cell" }, bar),
      ),
    );
  }
  return h("table", { class: "bars" }, h("caption", {}, title), body);
}

const range = (from: number, to: number): string =>
  from === to ? grouped(from) : `${grouped(from)} to ${grouped(to)}`;

function sizeBars(title: string, sizes: Sizes): HTMLElement {
  const about = `${title}: ${range(sizes.min, sizes.max)} bytes, ${sizes.mean.toFixed(1)} on average`;
  return bars(
    about,
    sizes.buckets.map(({ from, to, count: n }) => ({ label: range(from, to), count: n })),
  );
}

// Counts blocks by stored size, in powers of two like the other charts.
function blockBars(layout: Layout): HTMLElement | null {
  const buckets = new Map<number, number>();
  for (const block of layout.blocks) {
    if (block.kind !== "data") continue;
    const width = Math.ceil(Math.log2(block.size + 1));
    buckets.set(width, (buckets.get(width) ?? 0) + 1);
  }
  if (buckets.size === 0) return null;
  const rows = [...buckets].sort(([a], [b]) => a - b);
  return bars(
    "data blocks by stored size, in bytes",
    rows.map(([width, n]) => ({
      label: width === 0 ? "0" : range(2 ** (width - 1), 2 ** width - 1),
      count: n,
    })),
  );
}

const sequencesText = ({ min_sequence: min, max_sequence: max }: Stats): string =>
  `${grouped(min ?? "")} to ${grouped(max ?? "")}`;

export function statsView(stats: Stats, layout: Layout | undefined): HTMLElement {
  const { stored_size: stored, uncompressed_size: raw } = stats.data_blocks;
  const pairs: [string, string][] = [
    ["entries", grouped(stats.entries)],
    [
      "data",
      `${bytes(stored)} stored, ${bytes(raw)} uncompressed` +
        (stored > 0 ? ` (${(raw / stored).toFixed(2)} to 1)` : ""),
    ],
    ["index", bytes(stats.index_size)],
    ["filter", stats.filter_size === 0 ? "none" : bytes(stats.filter_size)],
    [
      "written by",
      `${stats.writers.join(", or ") || "no known program"}` +
        (stats.marks.length ? `: ${stats.marks.join("; ")}` : ""),
    ],
  ];
  if (stats.keys === "internal") {
    const share = stats.entries ? (stats.deletions ?? 0) / stats.entries : 0;
    pairs.splice(
      1,
      0,
      ["user keys", grouped(stats.user_keys ?? 0)],
      ["deletions", `${grouped(stats.deletions ?? 0)}, ${percent(share)}`],
      ["sequences", stats.entries ? sequencesText(stats) : ""],
    );
  }
  const charts = h("div", { class: "charts" });
  if (stats.key_sizes) charts.append(sizeBars("keys", stats.key_sizes));
  if (stats.value_sizes) charts.append(sizeBars("values", stats.value_sizes));
  const blocks = layout && blockBars(layout);
  if (blocks) charts.append(blocks);
  const codecs = Object.entries(stats.data_blocks.by_codec);
  if (codecs.length > 0) {
    charts.append(
      bars(
        `${count(stats.data_blocks.count, "data block")} by compression`,
        codecs.map(([codec, n]) => {
          const name = codec.replace(/ /g, "-");
          const label = (COLOUR_NAMES[name] ?? codec).replace(/^data, /, "");
          return { label, count: n, class: `swatch-${name}` };
        }),
      ),
    );
  }
  return h("div", {}, facts(pairs), charts);
}
