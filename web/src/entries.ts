// The entries, page by page, with search and export.
import { fieldSize, fieldTexts, parseEscaped, parseJson, shownField } from "./bytes";
import type { EntrySource } from "./core";
import { alertText, count, download, errorText, grouped, h, headings } from "./dom";
import { longField } from "./long_field";
import type { Decoder, EntryRequest, Json, Page } from "./types";

const ROWS = 100; // rows per page, except that a page ends with a block
const BYTES = 1 << 20;
const MOST_ON_HOVER = 160; // characters or bytes
const LONGEST_EXAMPLE = 1000; // characters or bytes

const NOTHING = new Uint8Array();

const progressOf = ({ next_block: blocks, read }: Page): string =>
  blocks === undefined ? count(read ?? 0, "version") : count(blocks, "block");

// Shows the decoded form, with the bytes on hover; or only the bytes, if they are not decoded.
function cellOf(entry: Json, name: "key" | "value", decoded: string | undefined): HTMLElement {
  const title = decoded === undefined ? undefined : shownField(entry, name, MOST_ON_HOVER);
  return h("td", { title, "data-name": name }, ...longField(entry, name, decoded));
}

// Returns undefined if the key is not decoded, or if decoding adds nothing to the key itself.
function decodedKey(entry: Json, texts: Map<string, string>): string | undefined {
  const key = entry.decoded_key as Json | undefined;
  const isItself = key?.kind === "entry" && key.key === entry.key && Object.keys(key).length === 2;
  return isItself ? undefined : texts.get("decoded_key");
}

function row(line: string, isInternal: boolean, hasFiles: boolean): HTMLElement {
  const entry = parseJson<Json>(line);
  const texts = fieldTexts(line);
  const cells = [cellOf(entry, "key", decodedKey(entry, texts))];
  if (isInternal) {
    const type = String(entry.type ?? "");
    const isOld = entry.live === false && type !== "deletion";
    const tag = `tag tag-${type === "deletion" ? "deletion" : "value"}`;
    const sequence = grouped((entry.sequence as number | string | undefined) ?? "");
    cells.push(
      h("td", { class: "number", "data-name": "sequence" }, sequence),
      h("td", { "data-name": "type" }, h("span", { class: tag }, isOld ? "old value" : type)),
    );
  }
  if (hasFiles) {
    const file = String(entry.file ?? "").replace(/^.*\//, "");
    cells.push(h("td", { "data-name": "file" }, file));
  }
  cells.push(cellOf(entry, "value", texts.get("decoded_value")));
  return h("tr", {}, ...cells);
}

/** The first key, in the form in which it can be typed; empty if there is none or it is long. */
export async function firstKey(source: EntrySource): Promise<string> {
  const request: EntryRequest = {
    format: "jsonl",
    from: NOTHING,
    wanted: NOTHING,
    history: false,
    decoded: false,
  };
  await source.beginEntries(request);
  const { lines } = await source.nextEntries(1, 1);
  const line = lines.slice(0, lines.indexOf("\n"));
  if (line === "") return "";
  const entry = parseJson<Json>(line);
  return fieldSize(entry, "key")[0] > LONGEST_EXAMPLE ? "" : shownField(entry, "key");
}

interface Options {
  /** True if keys have a sequence and a type. */
  isInternal: boolean;
  /** True if all versions of a database can be shown. */
  hasHistory?: boolean;
  /** The number of entries, once it is known. */
  total: () => number | undefined;
}

export class EntryTable {
  readonly element: HTMLElement;
  private body = h("tbody");
  private says = h("p", { class: "says", "aria-live": "polite", id: "entries-says" });
  private errors = h("div", {});
  private from: HTMLInputElement;
  private wanted: HTMLInputElement;
  private more: HTMLButtonElement;
  private history: HTMLInputElement;
  private decoded: HTMLInputElement;
  private decodedLabel: HTMLElement;
  private names = h("tr");
  private table = h("table", {}, h("thead", {}, this.names), this.body);
  private decoder: Decoder | null | undefined;
  private shown = 0;
  private run = 0; // number of the latest search

  constructor(
    private source: EntrySource,
    private options: Options,
  ) {
    const field = (id: string, label: string): [HTMLElement, HTMLInputElement] => {
      const input = h("input", { type: "text", id, autocomplete: "off", spellcheck: "false" });
      return [h("span", { class: "field" }, h("label", { for: id }, label), input), input];
    };
    const [fromField, from] = field("entries-from", "From key");
    const [wantedField, wanted] = field("entries-wanted", "Containing");
    [this.from, this.wanted] = [from, wanted];
    const box = (id: string, checked: boolean, text: string): [HTMLElement, HTMLInputElement] => {
      const change = (): void => void this.start();
      const input = h("input", { type: "checkbox", id, checked, change });
      return [h("label", { for: id, hidden: true }, input, ` ${text}`), input];
    };
    const [historyLabel, history] = box(
      "entries-history",
      false,
      "All versions, also deleted ones",
    );
    historyLabel.hidden = !options.hasHistory;
    const [decodedLabel, decoded] = box("entries-decoded", true, "Decoded");
    [this.history, this.decoded, this.decodedLabel] = [history, decoded, decodedLabel];
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
      fromField,
      wantedField,
      h("button", { type: "submit" }, "Show"),
      historyLabel,
      this.decodedLabel,
    );
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
        this.table,
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
      await this.source.beginEntries(await this.request("jsonl"));
      if (run !== this.run) return;
      this.setColumns();
      await this.next(run);
    } catch (error) {
      this.errors.append(alertText(errorText(error)));
    }
  }

  private get isInternal(): boolean {
    return this.options.isInternal || this.history.checked;
  }

  private async request(format: "jsonl" | "csv"): Promise<EntryRequest> {
    if (this.decoder === undefined) {
      this.decoder = await this.source.decoder();
      this.decodedLabel.hidden = this.decoder === null;
      if (this.decoder) {
        this.decodedLabel.append(` as ${this.decoder.format}`);
        this.decodedLabel.title = this.decoder.doubt ?? "";
      }
    }
    return {
      format,
      from: parseEscaped(this.from.value),
      wanted: parseEscaped(this.wanted.value),
      history: this.history.checked,
      decoded: this.decoder !== null && this.decoded.checked,
    };
  }

  private setColumns(): void {
    const names = ["key"];
    if (this.isInternal) names.push("sequence", "type");
    if (this.history.checked) names.push("file");
    names.push("value");
    this.names.replaceChildren(...headings(names));
    this.table.className = this.isInternal ? "entries internal" : "entries";
  }

  private async next(run: number): Promise<void> {
    this.more.disabled = true;
    try {
      for (let rows = 0; ; ) {
        const page = await this.source.nextEntries(ROWS, BYTES);
        if (run !== this.run) return; // another search has begun
        this.add(page);
        rows += page.rows;
        this.more.hidden = page.done;
        if (page.done || rows >= ROWS) break;
        this.says.textContent = `Searching, ${progressOf(page)} so far`;
      }
    } catch (error) {
      this.errors.append(alertText(errorText(error)));
    }
    this.more.disabled = false;
    this.sayCount();
  }

  /** Updates the number of entries shown, and of all entries if it is known. */
  sayCount(): void {
    const total = this.history.checked ? undefined : this.options.total();
    const isFiltered = this.from.value !== "" || this.wanted.value !== "";
    this.says.textContent =
      this.shown === 0
        ? `No entry${isFiltered ? " found" : ""}`
        : total === undefined || isFiltered || total < this.shown
          ? `${count(this.shown, "entry")} shown`
          : `${grouped(this.shown)} of ${count(total, "entry")} shown`;
  }

  private add(page: Page): void {
    const rows = document.createDocumentFragment();
    for (const line of page.lines.split("\n")) {
      if (line !== "") rows.append(row(line, this.isInternal, this.history.checked));
    }
    this.body.append(rows);
    this.shown += page.rows;
    for (const error of page.errors) this.errors.append(alertText(error));
  }

  // Exports all entries that match, as `sst dump` writes them.
  private async save(format: "jsonl" | "csv"): Promise<void> {
    const run = ++this.run;
    const name = `${this.source.name}.${format}`;
    const parts: BlobPart[] = [];
    const errors: string[] = [];
    try {
      await this.source.beginEntries(await this.request(format));
      for (let done = false; !done && run === this.run; ) {
        const page = await this.source.nextEntries(2 ** 31, 4 << 20);
        parts.push(new Blob([page.lines])); // stored by the browser, on disk if large
        for (const error of page.errors) errors.push(`${name} is incomplete: ${error}`);
        this.says.textContent = `Writing, ${progressOf(page)} so far`;
        done = page.done;
      }
      const type = format === "csv" ? "text/csv" : "application/jsonl";
      if (run === this.run) download(name, parts, type);
    } catch (error) {
      errors.push(`${name} was not saved: ${errorText(error)}`);
    }
    if (run !== this.run) return; // a search has begun
    await this.start();
    this.errors.prepend(...errors.map(alertText));
  }
}
