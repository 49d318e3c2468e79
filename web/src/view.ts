// The page of one table, by sections.
import { BlockPanel } from "./block";
import { WholeTable, type Source } from "./core";
import { checkView, keysView, salvageForm, verdict } from "./damage";
import { alertText, bytes, errorText, facts, grouped, h, section } from "./dom";
import { EntryTable, firstKey } from "./entries";
import { rateCurve } from "./curve";
import { falseNegatives, filterFacts, heatMap } from "./filter";
import { lookupForm } from "./lookup";
import { statsView } from "./sizes";
import { Strip, piecesOfLayout, piecesOfPlaces } from "./strip";
import type { Check, Layout } from "./types";

const READ_AT_ONCE = 64_000_000; // larger files are read completely only on request
const COMPARED_AT_ONCE = 100_000; // entries

// Below 1 KB, bytes() already gives the exact size.
function sizeText(size: number): string {
  const rounded = bytes(size);
  return rounded.endsWith(" B") ? rounded : `${rounded}, ${grouped(size)} bytes`;
}

/** Shows a table in `parent`, replacing its contents. */
export async function showTable(source: Source, parent: HTMLElement): Promise<void> {
  const status = h("p", { class: "status", id: "status", role: "status" }, "Opening…");
  const progress = h("span", { class: "hint" });
  const head = h(
    "header",
    { class: "table-head" },
    h("h1", {}, source.name),
    h("p", { class: "sub" }, `${sizeText(source.size)} `, status, progress),
  );
  parent.replaceChildren(head);
  if (source instanceof WholeTable) {
    source.onRead = (read) => (progress.textContent = read > 0 ? `${bytes(read)} read…` : "");
  }
  try {
    await source.about();
  } catch (error) {
    const why = errorText(error);
    status.replaceChildren(h("span", { class: "verdict verdict-bad" }, "Can't be opened"));
    parent.append(section("check", "Check", alertText(why)));
    if (!(source instanceof WholeTable) || (await source.mayBeTable())) {
      parent.append(section("salvage-section", "Salvage", salvageForm(source, why)));
    }
    parent.dataset.state = "done";
    return;
  }
  await new TableView(source, parent, head, status).fill();
  parent.dataset.state = "done";
}

class TableView {
  private check: Check | undefined;
  private layout: Layout | undefined;
  private strip: Strip;
  private panel: BlockPanel;
  private compare = async (): Promise<void> => {};

  constructor(
    private source: Source,
    private parent: HTMLElement,
    private head: HTMLElement,
    private status: HTMLElement,
  ) {
    this.strip = new Strip(source.size);
    this.panel = new BlockPanel(source);
    this.strip.onPick = (piece) => void this.panel.show(piece, this.layout);
  }

  async fill(): Promise<void> {
    const about = await this.source.about();
    const file = section("file", "File", this.strip.element, this.panel.element);
    const filter = section("filter", "Filter");
    const lookup = section("lookup", "Look up a key");
    const entries = section("entries", "Entries");
    const sizes = section("sizes", "Sizes");
    const check = section("check", "Check");
    const salvage = section("salvage-section", "Salvage");
    const sections = [file, check, filter, lookup, entries, sizes, salvage];
    if (!this.source.isWhole) {
      for (const missing of [lookup, salvage]) sections.splice(sections.indexOf(missing), 1);
      const note =
        "This report has a summary. Drop the file on this page for lookups, bytes and salvage.";
      this.head.append(h("p", { class: "note" }, note));
    }
    this.head.append(facts(keysView(about)), linksTo(sections));
    this.parent.append(...sections);
    if (about.index_error) check.append(alertText(about.index_error));

    await guard(file, async () => this.strip.set(piecesOfPlaces(await this.source.places())));
    const table = new EntryTable(this.source, {
      isInternal: about.keys === "internal",
      total: () => this.check?.entries,
    });
    entries.append(table.element);
    await guard(lookup, async () => {
      const isInternal = about.keys === "internal";
      lookup.append(await lookupForm(this.source, await firstKey(this.source), isInternal));
    });
    await table.start();
    salvage.append(salvageForm(this.source));
    const readAll = async (): Promise<void> => {
      this.parent.classList.remove("unread");
      await guard(check, () => this.fillCheck(check));
      table.sayCount();
      await guard(file, () => this.fillLayout());
      await guard(filter, () => this.fillFilter(filter));
      await guard(
        sizes,
        async () => void sizes.append(statsView(await this.source.stats(), this.layout)),
      );
      await guard(filter, () => this.offerComparison(filter));
    };
    if (this.source.size <= READ_AT_ONCE || !this.source.isWhole) return readAll();
    this.status.textContent = "Only the index was read so far.";
    this.parent.classList.add("unread");
    const button = h(
      "button",
      {
        type: "button",
        class: "no-print",
        id: "read-all",
        click: () => {
          button.remove();
          void readAll();
        },
      },
      `Read all ${bytes(this.source.size)} to check it`,
    );
    check.append(button);
  }

  // With many keys, this would occupy the core for seconds and delay lookups.
  private async offerComparison(parent: HTMLElement): Promise<void> {
    const isQuick = !this.source.isWhole || (this.check?.entries ?? 0) <= COMPARED_AT_ONCE;
    if (isQuick) return this.compare();
    const button = h(
      "button",
      {
        type: "button",
        class: "no-print",
        id: "compare",
        click: () => {
          button.remove();
          void guard(parent, () => this.compare());
        },
      },
      "Compare other filters for these keys",
    );
    parent.append(button);
  }

  private async fillCheck(parent: HTMLElement): Promise<void> {
    this.status.textContent = "Checking…";
    const check = await this.source.check();
    this.check = check;
    this.status.replaceChildren(verdict(check));
    parent.querySelector(".alert")?.remove(); // is one of the problems
    parent.append(checkView(check, (offset) => this.goTo(offset)));
  }

  private async fillLayout(): Promise<void> {
    if (!this.source.isWhole) return;
    const layout = await this.source.layout();
    this.layout = layout;
    this.strip.set(piecesOfLayout(layout));
  }

  private async fillFilter(parent: HTMLElement): Promise<void> {
    const filter = await this.source.filter();
    parent.append(filterFacts(filter));
    const wrong = falseNegatives(filter);
    if (wrong) parent.append(wrong);
    const windows = await this.source.windows();
    const charts = h("div", { class: "filter-charts" });
    if (windows && windows.cells.length > 0) charts.append(heatMap(windows, this.layout));
    parent.append(charts);
    let curve = rateCurve(filter, undefined);
    if (curve) charts.append(curve);
    this.compare = async () => {
      const compared = rateCurve(filter, await this.source.comparison());
      curve?.remove();
      curve = compared;
      if (compared) charts.append(compared);
    };
  }

  private goTo(offset: number): void {
    this.strip.element.scrollIntoView({ block: "center" });
    this.strip.select(offset);
    const piece = this.layout && piecesOfLayout(this.layout).find((p) => p.offset === offset);
    if (piece) void this.panel.show(piece, this.layout);
  }
}

export function linksTo(sections: HTMLElement[]): HTMLElement {
  const list = h("ul");
  for (const one of sections) {
    const title = one.querySelector("h2")?.textContent ?? "";
    list.append(h("li", {}, h("a", { href: `#${one.id}` }, title)));
  }
  return h("nav", { "aria-label": "Sections", class: "no-print" }, list);
}

// If a section fails, it shows the error. Other sections are not affected.
export async function guard(parent: HTMLElement, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    parent.append(alertText(errorText(error)));
  }
}
