// The list of tables and folders. A folder's tables can be opened from it.
import type { Source } from "./core";
import { alertText, byId, bytes, errorText, h } from "./dom";
import { showFolder } from "./folder";
import type { FolderSource } from "./folder_source";
import { showTable } from "./view";

export interface Listed {
  name: string;
  size: number;
  open: () => Source;
}

export class FileList {
  private items = h("ul");
  private first: (() => void) | undefined;
  private folders: FolderSource[] = [];
  private open: Source | undefined;
  private run = 0; // number of the latest item shown

  constructor() {
    const nav = byId("files");
    nav.replaceChildren(this.items);
    nav.hidden = true;
  }

  addTables(tables: Listed[]): void {
    for (const table of tables) {
      const item = this.addItem(table.name, bytes(table.size), () => this.showTable(table, item));
    }
  }

  addFolder(source: FolderSource, tables: Listed[]): void {
    let shown: HTMLElement | undefined; // the table of the folder that was opened last
    const show = (name: string): void => {
      const table = tables.find((one) => one.name === name);
      if (!table) return;
      shown?.remove();
      shown = this.addItem(name, bytes(table.size), () => void this.showTable(table, shown));
      item.after(shown);
      byId("files").hidden = false;
      this.showTable(table, shown);
      scrollTo(0, 0);
    };
    this.folders.push(source);
    const item = this.addItem(source.name, "database", () => {
      this.begin(source.name, item, (parent) => showFolder(source, parent, show));
    });
  }

  /** Names the list. A list of one item is only shown if it `isShown`, or has a note or an alert. */
  addTitle(title: string, isShown = this.items.childNodes.length !== 1): void {
    const nav = byId("files");
    nav.prepend(h("h2", {}, title));
    nav.hidden = !isShown;
  }

  addNote(text: string): void {
    this.append(h("p", { class: "hint" }, text));
  }

  addAlert(text: string): void {
    this.append(alertText(text));
  }

  get hasItems(): boolean {
    return this.items.childNodes.length > 0;
  }

  private append(note: HTMLElement): void {
    const nav = byId("files");
    nav.append(note);
    nav.hidden = false;
  }

  showFirst(): void {
    if (this.first) return this.first();
    byId("table").replaceChildren(); // removes the previous item
    byId("welcome").hidden = false;
  }

  close(): void {
    ++this.run;
    this.open?.close();
    for (const folder of this.folders) folder.close();
  }

  private addItem(name: string, about: string, show: () => void): HTMLElement {
    this.first ??= show;
    const attributes = { type: "button", "aria-pressed": "false", click: show };
    const button = h("button", attributes, h("span", {}, name), h("small", {}, about));
    const item = h("li", {}, button);
    this.items.append(item);
    return item;
  }

  private showTable(table: Listed, item: HTMLElement | undefined): void {
    this.begin(table.name, item, (parent) => {
      this.open = table.open();
      return showTable(this.open, parent);
    });
  }

  private begin(
    name: string,
    item: HTMLElement | undefined,
    work: (parent: HTMLElement) => Promise<void>,
  ): void {
    const run = ++this.run;
    this.open?.close();
    this.open = undefined;
    for (const button of this.items.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.parentElement === item));
    }
    // Replaces the parent, so that the previous item can't write to it.
    const parent = h("div", { id: "table" });
    byId("table").replaceWith(parent);
    byId("welcome").hidden = true;
    document.title = `${name} – sst`;
    void work(parent)
      .catch((error: unknown) => {
        if (run === this.run) parent.append(alertText(errorText(error)));
      })
      .then(() => (parent.dataset.state = "done"));
  }
}
