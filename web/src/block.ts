// One block: its kind, and its annotated bytes.
import type { Source } from "./core";
import { alertText, bytes, count, errorText, facts, grouped, h } from "./dom";
import { shownField } from "./bytes";
import type { Piece } from "./strip";
import type { Block, Layout } from "./types";

const MAX_LINES = 400; // lines shown at once

/** The panel under the strip. */
export class BlockPanel {
  readonly element = h("div", { class: "block-panel", id: "block", hidden: true });

  constructor(private source: Source) {}

  async show(piece: Piece, layout: Layout | undefined): Promise<void> {
    const block = layout?.blocks.find((candidate) => candidate.offset === piece.offset);
    const close = h(
      "button",
      {
        type: "button",
        class: "small no-print",
        click: () => (this.element.hidden = true),
      },
      "Close",
    );
    const heading = h(
      "h3",
      {},
      `${piece.label[0]?.toUpperCase()}${piece.label.slice(1)} at offset ${grouped(piece.offset)}`,
    );
    this.element.hidden = false;
    const body = h("div", {});
    this.element.replaceChildren(h("div", { class: "panel-head" }, heading, close), body);
    if (block) body.append(describe(block));
    if (block?.error) body.append(alertText(block.error));
    if (piece.kind === "gap") {
      body.append(h("p", {}, `${bytes(piece.size)} that neither index nor metaindex name.`));
      return;
    }
    if (piece.count > 1) {
      body.append(
        h("p", {}, `${count(piece.count, "data block")} together: the table is too large here.`),
      );
      return;
    }
    if (!this.source.isWhole) return;
    try {
      body.append(annotated(await this.source.block(piece.offset)));
    } catch (error) {
      body.append(alertText(errorText(error)));
    }
  }
}

function describe(block: Block): HTMLElement {
  // Both counts are 0 if nothing of the block can be read.
  const known = (n: number | undefined): string =>
    n === undefined || (block.error && n === 0) ? "" : grouped(n);
  const pairs: [string, string][] = [
    ["stored", `${grouped(block.size)} bytes, ${block.codec}`],
    [
      "uncompressed",
      block.uncompressed_size === null ? "" : `${grouped(block.uncompressed_size)} bytes`,
    ],
    ["entries", known(block.entries)],
    ["restart points", known(block.restarts)],
    ["index key", shownField(block, "index_key")],
    ["name", shownField(block, "name")],
    [
      "crc32c",
      block.stored_crc32c === block.computed_crc32c
        ? `${block.stored_crc32c}, right`
        : `${block.stored_crc32c} stored, ${block.computed_crc32c} computed`,
    ],
  ];
  return facts(pairs);
}

// Shows lines of `sst layout --hex`: offset, up to 12 bytes, note.
function annotated(text: string): HTMLElement {
  const lines = text.split("\n").filter((line) => line !== "");
  const body = h("tbody");
  const add = (start: number): void => {
    for (const line of lines.slice(start, start + MAX_LINES)) {
      const parts = /^ *(\d+) {2}((?:[0-9a-f]{2} )*[0-9a-f]{2}) *(.*)$/.exec(line);
      body.append(
        parts
          ? h(
              "tr",
              {},
              h("td", {}, parts[1] ?? ""),
              h("td", {}, parts[2] ?? ""),
              h("td", {}, parts[3] ?? ""),
            )
          : h("tr", {}, h("td", { colspan: 3 }, line.trim())),
      );
    }
  };
  add(0);
  const box = h(
    "div",
    { class: "hex", tabindex: 0, role: "region", "aria-label": "Bytes and what they mean" },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "offset"),
          h("th", { scope: "col" }, "bytes"),
          h("th", { scope: "col" }, "meaning"),
        ),
      ),
      body,
    ),
  );
  let shown = MAX_LINES;
  const more = h(
    "button",
    {
      type: "button",
      class: "small no-print",
      click: () => {
        add(shown);
        shown += MAX_LINES;
        more.hidden = shown >= lines.length;
      },
    },
    "More bytes",
  );
  more.hidden = shown >= lines.length;
  return h("div", {}, box, more);
}
