// The entries, page by page, with search and export.
import { parseEscaped, parseJson, shownField } from "./bytes";
import type { Source } from "./core";
import { alertText, count, download, errorText, grouped, h } from "./dom";
import type { Json, Page } from "./types";

const ROWS = 100; // rows per page, but a page ends with a block
const BYTES = 1 << 20;
const SEARCHED_BLOCKS = 2000; // blocks between two checks whether the search is still wanted
const LONG = 160; // characters of a value shown at first

const NOTHING = new Uint8Array();

function valueCell(text: string): HTMLElement {
  if (text.length <= LONG) return h("td", {}, h("code", {}, text));
  const code = h("code", {}, `${text.slice(0, LONG)}…`);
  const more = h(
    "button",
    {
      type: "button",
      class: "link",
      click: () => {
        code.textContent = text.length > 100_000 ? `${text.slice(0, 100_000)}…` : text;
        more.remove();
      },
    },
    `all ${grouped(text.length)} characters`,
  );
  return h("td", {}, code, " ", more);
}

function row(entry: Json, isInternal: boolean): HTMLElement {
  const cells: HTMLElement[] = [h("td", {}, h("code", {}, shownField(entry, "key")))];
  const type = String(entry.type ?? "");
  if (isInternal) {
    cells.push(h("td", { class: "number" }, String(entry.sequence ?? "")));
    cells.push(
      h(
        "td",
        {},
        h("span", { class: `tag tag-${type === "deletion" ? "deletion" : "value"}` }, type),
      ),
    );
  }
  cells.push(valueCell(shownField(entry, "value")));
  return h("tr", {}, ...cells);
}

export class EntryTable {
  readonly element: HTMLElement;
  private body = h("tbody");
  private says = h("p", { class: "says", "aria-live": "polite", id: "entries-says" });
  private errors = h("div", {});
  private from: HTMLInputElement;
  private wanted: HTMLInputElement;
  private more: HTMLButtonElement;
  private shown = 0;
  private run = 0; // number of the current search

  constructor(
    private source: Source,
    private isInternal: boolean,
    private total: () => number | undefined,
  ) {
    const field = (id: string, label: string): [HTMLElement, HTMLInputElement] => {
      const input = h("input", { type: "text", id, autocomplete: "off", spellcheck: "false" });
      return [h("label", { for: id }, label), input];
    };
    const [fromLabel, from] = field("entries-from", "From key");
    const [wantedLabel, wanted] = field("entries-wanted", "Containing");
    [this.from, this.wanted] = [from, wanted];
    this.more = h(
      "button",
      {
        type: "button",
        class: "no-print",
        id: "entries-more",
        click: () => void this.next(this.run),
      },
      "More entries",
    );
    const form = h(
      "form",
      {
        class: "row no-print",
        hidden: !source.isWhole,
        submit: (event) => {
          event.preventDefault();
          void this.start();
        },
      },
      fromLabel,
      from,
      wantedLabel,
      wanted,
      h("button", { type: "submit" }, "Show"),
    );
    const names = isInternal ? ["key", "sequence", "type", "value"] : ["key", "value"];
    const exports = h(
      "div",
      { class: "row no-print", hidden: !source.isWhole },
      h("button", { type: "button", click: () => void this.save("jsonl") }, "Save as JSON lines"),
      h("button", { type: "button", click: () => void this.save("csv") }, "Save as CSV"),
    );
    this.element = h(
      "div",
      {},
      form,
      h(
        "div",
        { class: "table-box", tabindex: 0, role: "region", "aria-label": "Table of entries" },
        h(
          "table",
          { class: isInternal ? "entries internal" : "entries" },
          h("thead", {}, h("tr", {}, ...names.map((name) => h("th", { scope: "col" }, name)))),
          this.body,
        ),
      ),
      this.errors,
      h("div", { class: "row" }, this.more, this.says),
      exports,
    );
  }

  /** Shows the first page. */
  async start(): Promise<void> {
    const run = ++this.run;
    this.body.replaceChildren();
    this.errors.replaceChildren();
    this.shown = 0;
    try {
      const [from, wanted] = [parseEscaped(this.from.value), parseEscaped(this.wanted.value)];
      await this.source.beginEntries("jsonl", from, wanted);
      await this.next(run);
    } catch (error) {
      this.errors.append(alertText(errorText(error)));
    }
  }

  private async next(run: number): Promise<void> {
    this.more.disabled = true;
    try {
      for (let rows = 0; ; ) {
        const page = await this.source.nextEntries(ROWS, BYTES, SEARCHED_BLOCKS);
        if (run !== this.run) return; // another search began
        this.add(page);
        rows += page.rows;
        this.more.hidden = page.done;
        if (page.done || rows >= ROWS) break;
        this.says.textContent = `Searching, ${count(page.next_block, "block")} so far`;
      }
    } catch (error) {
      this.errors.append(alertText(errorText(error)));
    }
    this.more.disabled = false;
    this.sayCount();
  }

  /** Shows the number of entries shown, and of all entries if that is known by now. */
  sayCount(): void {
    const total = this.total();
    const isFiltered = this.from.value !== "" || this.wanted.value !== "";
    this.says.textContent =
      total === undefined || isFiltered || total < this.shown
        ? `${count(this.shown, "entry")} shown`
        : `${grouped(this.shown)} of ${count(total, "entry")} shown`;
  }

  private add(page: Page): void {
    const rows = document.createDocumentFragment();
    for (const line of page.lines.split("\n")) {
      if (line !== "") rows.append(row(parseJson<Json>(line), this.isInternal));
    }
    this.body.append(rows);
    this.shown += page.rows;
    for (const error of page.errors) this.errors.append(alertText(error));
  }

  // All entries that match, as `sst dump` writes them.
  private async save(format: "jsonl" | "csv"): Promise<void> {
    const run = ++this.run;
    const parts: BlobPart[] = [];
    try {
      const [from, wanted] = [parseEscaped(this.from.value), parseEscaped(this.wanted.value)];
      await this.source.beginEntries(format, from, wanted);
      for (let done = false; !done && run === this.run; ) {
        const page = await this.source.nextEntries(2 ** 31, 4 << 20, SEARCHED_BLOCKS);
        parts.push(new Blob([page.lines])); // kept by the browser, on disk if large
        this.says.textContent = `Writing, ${count(page.next_block, "block")} so far`;
        done = page.done;
      }
      const type = format === "csv" ? "text/csv" : "application/jsonl";
      if (run === this.run) download(`${this.source.name}.${format}`, parts, type);
    } catch (error) {
      this.errors.append(alertText(errorText(error)));
    }
    await this.start();
  }
}

export { NOTHING };
