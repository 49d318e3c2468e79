// The entries, page by page, with search and export.
import { fieldTexts, parseEscaped, parseJson, shownField } from "./bytes";
import type { EntrySource } from "./core";
import { alertText, count, download, errorText, grouped, h, headings } from "./dom";
import type { Decoder, EntryRequest, Json, Page } from "./types";

const ROWS = 100; // rows per page, but a page ends with a block
const BYTES = 1 << 20;
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

const progressOf = ({ next_block: blocks, read }: Page): string =>
  blocks === undefined ? count(read ?? 0, "version") : count(blocks, "block");

// The decoded form, with the bytes on hover; just the bytes if they are not decoded.
function shownPart(
  entry: Json,
  texts: Map<string, string>,
  name: "key" | "value",
): [text: string, bytes: string | undefined] {
  const bytes = shownField(entry, name);
  const decoded = texts.get(`decoded_${name}`);
  return decoded === undefined ? [bytes, undefined] : [decoded, bytes];
}

function row(line: string, isInternal: boolean, hasFiles: boolean): HTMLElement {
  const entry = parseJson<Json>(line);
  const texts = fieldTexts(line);
  const [key, keyBytes] = shownPart(entry, texts, "key");
  const [value, valueBytes] = shownPart(entry, texts, "value");
  const cells: HTMLElement[] = [h("td", { title: keyBytes }, h("code", {}, key))];
  if (isInternal) {
    const type = String(entry.type ?? "");
    const isOld = entry.live === false && type !== "deletion";
    const tag = `tag tag-${type === "deletion" ? "deletion" : "value"}`;
    cells.push(
      h("td", { class: "number" }, String(entry.sequence ?? "")),
      h("td", {}, h("span", { class: tag }, isOld ? "old value" : type)),
    );
  }
  if (hasFiles) cells.push(h("td", {}, String(entry.file ?? "").replace(/^.*\//, "")));
  const cell = valueCell(value);
  if (valueBytes) cell.title = valueBytes.slice(0, LONG);
  cells.push(cell);
  return h("tr", {}, ...cells);
}

/** The first key, in the form in which it can be typed; empty if there is none. */
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
  return line === "" ? "" : shownField(parseJson<Json>(line), "key");
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
  private run = 0; // number of the current search

  constructor(
    private source: EntrySource,
    private options: Options,
  ) {
    const field = (id: string, label: string): [HTMLElement, HTMLInputElement] => {
      const input = h("input", { type: "text", id, autocomplete: "off", spellcheck: "false" });
      return [h("label", { for: id }, label), input];
    };
    const [fromLabel, from] = field("entries-from", "From key");
    const [wantedLabel, wanted] = field("entries-wanted", "Containing");
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
      fromLabel,
      from,
      wantedLabel,
      wanted,
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
        if (run !== this.run) return; // another search began
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
      total === undefined || isFiltered || total < this.shown
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
        parts.push(new Blob([page.lines])); // kept by the browser, on disk if large
        for (const error of page.errors) errors.push(`${name} is incomplete: ${error}`);
        this.says.textContent = `Writing, ${progressOf(page)} so far`;
        done = page.done;
      }
      const type = format === "csv" ? "text/csv" : "application/jsonl";
      if (run === this.run) download(name, parts, type);
    } catch (error) {
      errors.push(`${name} was not saved: ${errorText(error)}`);
    }
    if (run !== this.run) return; // a search began
    await this.start();
    this.errors.prepend(...errors.map(alertText));
  }
}
