// The page. Takes files and folders, lists them, and shows one of them.
import { SummarizedTable, WholeTable } from "./core";
import { fromBase64 } from "./core_worker";
import { byId, count, errorText, grouped } from "./dom";
import { listenForFiles, type Given } from "./drop";
import { isOfDatabase, mayBeTable } from "./file_kind";
import { FileList, type Listed } from "./file_list";
import { DroppedFolder, ReportedFolder } from "./folder_source";
import { parseJson } from "./bytes";
import type { Folder, ReportedTable } from "./types";

const { compare } = new Intl.Collator("en", { numeric: true }); // 000009 before 000010
const MOST_NAMED = 10; // files or folders listed in a note

function listedFiles(files: File[], among: File[]): Listed[] {
  const current = among.find(({ name }) => name === "CURRENT");
  return files.map((file) => ({
    name: file.name,
    size: file.size,
    open: () => new WholeTable(file.name, file, current),
  }));
}

let list = new FileList();

// A single log or MANIFEST is opened as a database whose other files are missing.
const isPart = ({ name }: File): boolean => /^(MANIFEST-\d+|\d+\.log)$/.test(name);

// A MANIFEST without CURRENT is taken for the one in use.
function withCurrent(files: File[]): File[] {
  const [manifest, ...others] = files.filter(({ name }) => name.startsWith("MANIFEST-"));
  if (!manifest || others.length > 0) return files;
  return [...files, new File([`${manifest.name}\n`], "CURRENT")];
}

function named(names: string[]): string {
  const rest = names.length - MOST_NAMED;
  const first = [...names].sort(compare).slice(0, MOST_NAMED).join(", ");
  return rest > 0 ? `${first} and ${grouped(rest)} more` : first;
}

async function takeFiles(
  files: File[],
  mayOpen: (file: File) => Promise<boolean>,
  isLatest: () => boolean,
): Promise<void> {
  const areTables = await Promise.all(files.map(mayOpen));
  if (!isLatest()) return;
  const select = (isTable: boolean): File[] => files.filter((_, i) => areTables[i] === isTable);
  const sorted = select(true).sort((a, b) => compare(a.name, b.name));
  const tables = listedFiles(sorted, files);
  const others = select(false).map(({ name }) => name);
  list.close();
  list = new FileList();
  list.addTables(tables);
  list.addTitle(count(tables.length, "table"));
  if (others.length > 0) list.addNote(`Not tables: ${named(others)}`);
  list.showFirst();
}

function addTablesNote(folders: string[]): void {
  if (folders.length === 0) return;
  list.addNote(`Folders with tables that were not read: ${named(folders)}. Open one of these.`);
}

function openFolder(source: DroppedFolder, files: File[]): void {
  list.addFolder(source, listedFiles(files, files));
}

// If a folder is not a database, it may contain databases. Otherwise, its files are opened one by
// one.
async function takeFolder(
  { folder, files, within }: Given,
  isLatest: () => boolean,
): Promise<void> {
  const name = folder ?? files[0]?.name ?? "";
  const source = new DroppedFolder(name, files, folder !== undefined);
  const [opened] = await Promise.allSettled([source.folder()]);
  if (!isLatest()) return source.close();
  if (opened.status === "fulfilled") {
    list.close();
    list = new FileList();
    openFolder(source, files);
    return list.showFirst();
  }
  source.close();
  const { databases = [], withTables = [], errors = [] } = within ?? {};
  if (databases.length === 0) {
    await takeFiles(files, mayBeTable, isLatest);
    if (!isLatest()) return;
    addTablesNote(withTables);
    for (const error of errors) list.addAlert(error);
    const isPlain = list.hasItems && !files.some(isOfDatabase);
    if (!isPlain) list.addAlert(errorText(opened.reason));
    return;
  }
  list.close();
  list = new FileList();
  const sorted = databases.sort((a, b) => compare(a.folder ?? "", b.folder ?? ""));
  for (const { folder: path = "", files: own } of sorted) {
    openFolder(new DroppedFolder(path, own), own);
  }
  list.addTitle(`${name} is not a database; ${count(databases.length, "folder")} in it`, true);
  addTablesNote(withTables);
  for (const error of errors) list.addAlert(error);
  list.showFirst();
}

let takes = 0; // counts choices and drops

// Shows the files given last, even if an earlier folder takes longer to read.
async function take(given: Promise<Given>): Promise<void> {
  const number = ++takes;
  const isLatest = (): boolean => number === takes;
  try {
    const all = await given;
    if (!isLatest()) return;
    if (all.folder !== undefined) return await takeFolder(all, isLatest);
    if (all.files.every(isPart)) {
      return await takeFolder({ files: withCurrent(all.files) }, isLatest);
    }
    // A single file may be the remains of a table, whatever its name.
    const isOne = all.files.length === 1;
    await takeFiles(all.files, isOne ? async () => true : mayBeTable, isLatest);
  } catch (error) {
    if (isLatest()) list.addAlert(errorText(error));
  }
}

const listedTable = ({ name, size, bytes, summary }: ReportedTable): Listed => ({
  name,
  size,
  open: () =>
    summary
      ? new SummarizedTable(name, size, summary)
      : new WholeTable(name, new Blob([fromBase64(bytes ?? "")])),
});

function takeReport(): void {
  const reported = parseJson<(ReportedTable | Folder)[]>(byId("report").textContent || "[]");
  if (reported.length === 0) return;
  byId("made-by").textContent = "Made by sst report.";
  let tables = reported.filter((one): one is ReportedTable => "name" in one);
  for (const folder of reported) {
    if (!("database" in folder)) continue;
    const start = folder.database.folder.replace(/\/?$/, "/");
    const isIn = ({ name }: ReportedTable): boolean =>
      name.startsWith(start) && !name.slice(start.length).includes("/");
    const own = tables.filter(isIn).map((table) => {
      return { ...listedTable(table), name: table.name.slice(start.length) };
    });
    list.addFolder(new ReportedFolder(folder, new Set(own.map(({ name }) => name))), own);
    tables = tables.filter((table) => !isIn(table));
  }
  list.addTables(tables.map(listedTable));
  const hasFolders = reported.some((one) => "database" in one);
  list.addTitle(hasFolders ? "In this report" : count(tables.length, "table"));
  list.showFirst();
}

listenForFiles((given) => void take(given));
takeReport();
