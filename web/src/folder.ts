// The page of a database folder: levels, tables, logs, other files, and problems.
import { shownKey } from "./bytes";
import { alertText, bytes, count, facts, grouped, h, headings, section } from "./dom";
import { EntryTable, firstKey } from "./entries";
import { folderLookupForm } from "./lookup";
import { levelsView, mostAtOneKey, placedTables, sizeOf, type Placed } from "./levels";
import type { FolderSource } from "./folder_source";
import { rescueForm } from "./rescue";
import { guard, linksTo } from "./view";
import type { Database, DatabaseTable, Folder } from "./types";

const ROWS = 100; // rows of tables shown initially
const READ_AT_ONCE = 64_000_000; // bytes, as for a table

/** Shows the database in `parent`, replacing its contents. */
export async function showFolder(
  source: FolderSource,
  parent: HTMLElement,
  openTable: (name: string) => void,
): Promise<void> {
  const status = h("p", { class: "status", id: "status", role: "status" }, "Opening…");
  const sub = h("p", { class: "sub" });
  const head = h("header", { class: "table-head" }, h("h1", {}, source.name), sub);
  sub.append(status);
  parent.replaceChildren(head);
  let folder = await source.folder();
  const { tables, logs } = folder.database;
  const size = totalSize(folder.database);
  sub.prepend(`${count(tables.length, "table")} and ${count(logs.length, "log")}, ${bytes(size)} `);
  const view = new FolderView(source, parent, head, openTable);
  const fill = (): void => view.fill(folder);
  fill();
  status.replaceChildren(verdict(folder, source));
  const readAll = async (): Promise<void> => {
    status.textContent = "Reading the tables…";
    folder = { ...folder, database: await source.counted() };
    fill();
    status.replaceChildren(verdict(folder, source));
  };
  await view.fillEntries(folder);
  if (isCounted(folder.database)) return;
  if (size <= READ_AT_ONCE) return guard(parent, readAll);
  const button = h(
    "button",
    {
      type: "button",
      class: "no-print",
      id: "read-all",
      click: () => {
        button.remove();
        void guard(parent, readAll);
      },
    },
    `Read all ${bytes(size)} to count entries and find damage`,
  );
  head.append(button);
}

function totalSize({ tables, logs }: Database): number {
  return [...tables, ...logs].reduce((sum, file) => sum + (file.file_size ?? 0), 0);
}

const isCounted = ({ tables }: Database): boolean => tables.every((t) => t.ok !== undefined);

// Files that were opened without their folder do not miss the others.
function damageOf({ database }: Folder, { isFolder }: FolderSource): string[] {
  const given = new Set(database.files.map(({ name }) => name));
  const mayLack = (name: string): boolean => !isFolder && !given.has(name);
  const found = database.problems.filter(({ damage, file }) => damage && !mayLack(file));
  const named = new Set(found.map((problem) => problem.file));
  const unread = database.tables.filter(
    (t) => t.ok === false && !t.limit && !named.has(t.name) && !mayLack(t.name),
  );
  return [
    ...found.map((problem) => problem.message),
    ...unread.map((t) => `${t.name}: not all of it can be read; its own page says what is damaged`),
  ];
}

const atLimit = ({ tables }: Database): string[] => tables.flatMap((t) => t.limit ?? []);

function verdict(folder: Folder, source: FolderSource): HTMLElement {
  const damage = damageOf(folder, source).length;
  const text =
    damage > 0
      ? `Damaged: ${count(damage, "problem")}`
      : isCounted(folder.database) && atLimit(folder.database).length === 0
        ? "No damage"
        : "No damage found so far; tables were not read as a whole";
  return h("span", { class: `verdict ${damage > 0 ? "verdict-bad" : "verdict-ok"}` }, text);
}

function keysOf(table: DatabaseTable): string {
  const smallest = shownKey(table, "smallest");
  const largest = shownKey(table, "largest");
  return smallest === "" && largest === "" ? "" : `${smallest} to ${largest}`;
}

class FolderView {
  private facts = h("div", { class: "folder-facts" });
  private links = h("div");
  private sections: HTMLElement[] = [];
  private rescue: HTMLElement;
  private lookup = section("lookup", "Look up a key");
  private entries = section("entries", "Entries");

  constructor(
    private source: FolderSource,
    private parent: HTMLElement,
    head: HTMLElement,
    private openTable: (name: string) => void,
  ) {
    head.append(this.facts, this.links);
    this.rescue = section("rescue", "Rescue", rescueForm(source));
  }

  /** Shows the first entries, and a lookup of the first key, if there are any. */
  async fillEntries({ page }: Folder): Promise<void> {
    if (this.source.isWhole) {
      await guard(this.lookup, async () => {
        this.lookup.append(await folderLookupForm(this.source, await firstKey(this.source)));
      });
    } else if (!page) return;
    else if (!page.done) this.entries.append(h("p", {}, "This report has the first entries."));
    const table = new EntryTable(this.source, {
      isInternal: false,
      hasHistory: true,
      total: () => undefined,
    });
    this.entries.append(table.element);
    await table.start();
  }

  fill(folder: Folder): void {
    const { database } = folder;
    const placed = placedTables(folder);
    for (const old of this.sections) old.remove();
    this.sections = [
      section("levels", "Levels", levelsView(placed, folder.places, keysOf, this.openTable)),
      section("check", "Check", problemsView(folder, this.source)),
    ];
    if (placed.length === 0) this.sections.splice(0, 1);
    const mayHaveEntries = this.source.isFolder || totalSize(database) > 0; // not a MANIFEST alone
    // For a damaged folder, the rescue comes first.
    if (this.source.isWhole && mayHaveEntries) {
      const isDamaged = damageOf(folder, this.source).length > 0;
      this.sections.splice(isDamaged ? 0 : this.sections.length, 0, this.rescue);
      this.sections.push(this.lookup, this.entries);
    } else if (folder.page) {
      this.sections.push(this.entries);
    }
    if (placed.length > 0) {
      this.sections.push(section("tables", "Tables by size", this.tablesView(placed)));
    }
    if (database.logs.length > 0) this.sections.push(section("logs", "Logs", logsView(database)));
    const others = this.othersView(database);
    if (others) this.sections.push(section("others", "Not part of the database", others));
    this.facts.replaceChildren(folderFacts(database, placed));
    if (!this.source.isFolder) {
      const text = "Opened without its folder, whose other files may have more entries.";
      this.facts.prepend(h("p", { class: "note" }, text));
    } else if (database.source === "files") {
      this.facts.prepend(alertText(withoutManifest(database)));
    }
    this.links.replaceChildren(linksTo(this.sections));
    this.parent.append(...this.sections);
  }

  private link(name: string): HTMLElement {
    if (!this.source.hasTable(name)) return h("span", {}, name);
    const click = (): void => this.openTable(name);
    return h("button", { type: "button", class: "link", click }, name);
  }

  private tablesView(placed: Placed[]): HTMLElement {
    const sorted = [...placed].sort((a, b) => sizeOf(b) - sizeOf(a));
    const most = Math.max(...placed.map(sizeOf), 1);
    const body = h("tbody");
    const add = (some: Placed[]): void =>
      body.append(...some.map((one) => this.tableRow(one, most)));
    add(sorted.slice(0, ROWS));
    const rest = sorted.slice(ROWS);
    const more = h(
      "button",
      {
        type: "button",
        class: "no-print",
        click: () => {
          add(rest);
          more.remove();
        },
      },
      `All ${count(sorted.length, "table")}`,
    );
    const names = [
      "table",
      "level",
      "size",
      "to scale",
      "entries",
      "deletions",
      "sequences",
      "keys",
    ];
    const heading = h("thead", {}, h("tr", {}, ...headings(names)));
    const table = h("table", { class: "files" }, heading, body);
    return h("div", {}, box("Table of tables", table), rest.length > 0 ? more : null);
  }

  private tableRow(one: Placed, most: number): HTMLElement {
    const { table } = one;
    const bar = h("span", { class: one.isDamaged ? "bar swatch-damaged" : "bar" });
    bar.style.width = `${Math.max((100 * sizeOf(one)) / most, 0.5)}%`;
    const number = (name: string, n: number | undefined): HTMLElement =>
      h("td", { class: "number", "data-name": name }, n === undefined ? "" : grouped(n));
    const sequences =
      table.min_sequence === undefined || table.min_sequence === null
        ? ""
        : `${grouped(table.min_sequence)} to ${grouped(table.max_sequence ?? "")}`;
    const size = table.file_size === null ? "missing" : grouped(table.file_size);
    return h(
      "tr",
      {},
      h("td", {}, this.link(table.name)),
      h("td", { class: "number", "data-name": "level" }, String(table.level ?? "")),
      h("td", { class: "number", "data-name": "bytes" }, size),
      h("td", { class: "bar-cell" }, bar),
      number("entries", table.file_size === null ? undefined : table.entries),
      number("deletions", table.file_size === null ? undefined : table.deletions),
      h("td", { class: "number", "data-name": "sequences" }, sequences),
      h("td", { class: "keys", "data-name": "keys" }, h("code", {}, keysOf(table))),
    );
  }

  private othersView({ files, problems, source }: Database): HTMLElement | null {
    const damaged = new Set(problems.filter((one) => one.damage).map((one) => one.file));
    // Without a usable MANIFEST, it is unknown what CURRENT and the other files are for.
    const isOther = ({ name, use }: Database["files"][number]): boolean =>
      use === "foreign" ||
      (use === "left over" &&
        !damaged.has(name) &&
        (source === "manifest" || !/^(CURRENT|MANIFEST-)/.test(name)));
    const others = files.filter(isOther);
    if (others.length === 0) return null;
    const list = h("ul", { class: "others" });
    for (const { name, file_size: size, use } of others) {
      const what = use === "foreign" ? "not a name of LevelDB's" : "left over";
      list.append(h("li", {}, this.link(name), " ", h("small", {}, `${bytes(size)}, ${what}`)));
    }
    return list;
  }
}

function box(label: string, child: HTMLElement): HTMLElement {
  return h("div", { class: "table-box", tabindex: 0, role: "region", "aria-label": label }, child);
}

function withoutManifest({ files }: Database): string {
  const manifests = files.filter(({ name }) => name.startsWith("MANIFEST-"));
  const why =
    manifests.length > 0
      ? `${manifests.map(({ name }) => name).join(", ")} can't be used`
      : "there is no MANIFEST";
  return (
    `The list of this database's tables is lost: ${why}. What follows is what the files show, ` +
    "without levels; deleted keys may be back."
  );
}

function folderFacts(database: Database, placed: Placed[]): HTMLElement {
  const pairs: [string, string][] = [
    [
      "state",
      database.source === "manifest"
        ? `as ${database.manifest} says`
        : "as the files in the folder show; no MANIFEST could be used",
    ],
    ["order", database.comparator || "not known"],
    ["last sequence", grouped(database.last_sequence)],
  ];
  const most = mostAtOneKey(placed);
  if (most > 0) pairs.push(["overlap", `a key is in the range of ${count(most, "table")} at most`]);
  return facts(pairs);
}

function problemsView(folder: Folder, source: FolderSource): HTMLElement {
  const damage = damageOf(folder, source);
  const limits = atLimit(folder.database);
  const usual = folder.database.problems.filter((problem) => !problem.damage);
  const list = h("ol", { class: "problems" }, ...damage.map((text) => h("li", {}, text)));
  const harmless = h("ul", { class: "problems" });
  for (const { message } of usual) harmless.append(h("li", {}, message));
  return h(
    "div",
    {},
    damage.length > 0 ? list : h("p", {}, "Nothing is damaged as far as it was read."),
    limits.length > 0 ? h("h3", {}, "Not read to the end") : null,
    limits.length > 0 ? h("ul", { class: "problems" }, ...limits.map((l) => h("li", {}, l))) : null,
    usual.length > 0 ? h("h3", {}, "Usual after a crash, and no damage") : null,
    usual.length > 0 ? harmless : null,
  );
}

function logsView({ logs }: Database): HTMLElement {
  const names = ["log", "bytes", "batches", "changes", "sequences"];
  const body = h("tbody");
  for (const log of logs) {
    const sequences =
      log.changes > 0 ? `${grouped(log.first_sequence)} to ${grouped(log.last_sequence)}` : "";
    const number = (name: string, text: string): HTMLElement =>
      h("td", { class: "number", "data-name": name }, text);
    body.append(
      h(
        "tr",
        {},
        h("td", {}, log.name),
        number("bytes", grouped(log.file_size)),
        number("batches", grouped(log.batches)),
        number("changes", grouped(log.changes)),
        number("sequences", sequences),
      ),
    );
  }
  const heading = h("tr", {}, ...headings(names));
  return box("Table of logs", h("table", { class: "files" }, h("thead", {}, heading), body));
}
