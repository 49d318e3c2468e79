// The page: takes files and folders, lists them, and shows one of them.
import { SummarizedTable, WholeTable } from "./core";
import { fromBase64 } from "./core_worker";
import { byId, count, errorText } from "./dom";
import { listenForFiles, type Given } from "./drop";
import { FileList, type Listed } from "./file_list";
import { DroppedFolder, ReportedFolder } from "./folder_source";
import { parseJson } from "./bytes";
import type { Folder, ReportedTable } from "./types";

const OTHER_FILES = /^(CURRENT|LOCK|LOG(\.old)?|MANIFEST-\d+|\d+\.(log|dbtmp))$/;

const byName = (a: { name: string }, b: { name: string }): number =>
  a.name.localeCompare(b.name, "en", { numeric: true });

function listedFiles(files: File[], among: File[]): Listed[] {
  const current = among.find(({ name }) => name === "CURRENT");
  return files.map((file) => ({
    name: file.name,
    size: file.size,
    open: () => new WholeTable(file.name, file, current),
  }));
}

let list = new FileList();

// A log or MANIFEST alone is opened as a database whose other files are missing.
const isPart = ({ name }: File): boolean => /^(MANIFEST-\d+|\d+\.log)$/.test(name);

function takeFiles(files: File[]): void {
  const isTable = (file: File): boolean => files.length === 1 || !OTHER_FILES.test(file.name);
  const tables = listedFiles(files.filter(isTable).sort(byName), files);
  const others = files.filter((file) => !isTable(file)).map((file) => file.name);
  list.close();
  list = new FileList();
  list.addTables(tables);
  list.addNote(count(tables.length, "table"), others);
  list.showFirst();
}

function openFolder(source: DroppedFolder, files: File[]): void {
  list.addFolder(source, listedFiles(files, files));
}

// A folder that is not a database may contain databases; otherwise its files are opened one by one.
async function takeFolder(
  { folder, files, databases = [], errors = [] }: Given,
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
  if (databases.length === 0) {
    takeFiles(files);
    for (const error of errors) list.addAlert(error);
    if (files.some((file) => OTHER_FILES.test(file.name)) || files.length === 0) {
      list.addAlert(errorText(opened.reason));
    }
    return;
  }
  list.close();
  list = new FileList();
  for (const { folder: path = "", files: within } of databases) {
    openFolder(new DroppedFolder(path, within), within);
  }
  list.addNote(`${name} is not a database; ${count(databases.length, "folder")} in it`, [], true);
  for (const error of errors) list.addAlert(error);
  list.showFirst();
}

let takes = 0; // how often files were chosen or dropped

// Shows the files that were given last, even if reading an earlier folder takes longer.
async function take(given: Promise<Given>): Promise<void> {
  const number = ++takes;
  const isLatest = (): boolean => number === takes;
  try {
    const all = await given;
    if (!isLatest()) return;
    if (all.folder === undefined && !all.files.every(isPart)) takeFiles(all.files);
    else await takeFolder(all, isLatest);
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
  list.addNote(hasFolders ? "In this report" : count(tables.length, "table"), []);
  list.showFirst();
}

listenForFiles((given) => void take(given));
takeReport();
