// Files and folders that the user chooses or drops.
import { byId, errorText } from "./dom";
import { isNamedTable, isOfDatabase } from "./file_kind";

/** Files, or the files of the folder `folder`, and what is in its subfolders. */
export interface Given {
  folder?: string;
  files: File[];
  within?: Within;
}

/** What is in the subfolders of a folder that is not a database. */
export interface Within {
  databases: Given[];
  /** The paths of other folders that have tables. */
  withTables: string[];
  /** Says which folders can't be read. */
  errors: string[];
}

const DEPTH = 4; // levels of subfolders that are searched for databases

// Returns the result of `entry`, or an error that includes its path.
function answerOf<T>(
  entry: FileSystemEntry,
  ask: (yes: (answer: T) => void, no: (error: DOMException) => void) => void,
): Promise<T> {
  return new Promise((yes, no) =>
    ask(yes, (error) => no(new Error(`${entry.fullPath.slice(1)}: ${error.message}`))),
  );
}

const fileOf = (entry: FileSystemEntry): Promise<File> =>
  answerOf(entry, (yes, no) => (entry as FileSystemFileEntry).file(yes, no));

async function entriesOf(folder: FileSystemEntry): Promise<FileSystemEntry[]> {
  const reader = (folder as FileSystemDirectoryEntry).createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    const some = await answerOf<FileSystemEntry[]>(folder, (yes, no) =>
      reader.readEntries(yes, no),
    );
    if (some.length === 0) return entries;
    entries.push(...some);
  }
}

// Returns the files of a folder without those of its subfolders.
async function filesIn(folder: FileSystemEntry): Promise<File[]> {
  const files: File[] = [];
  for (const one of await entriesOf(folder)) if (one.isFile) files.push(await fileOf(one));
  return files;
}

// Adds what the subfolders of `folder`, whose path is `path`, contain.
async function addWithin(
  found: Within,
  folder: FileSystemEntry,
  path: string,
  depth = DEPTH,
): Promise<void> {
  for (const one of await entriesOf(folder)) {
    if (!one.isDirectory) continue;
    const name = `${path}/${one.name}`;
    try {
      const within = await entriesOf(one);
      const files = within.filter((entry) => entry.isFile);
      if (files.some(isOfDatabase)) {
        found.databases.push({ folder: name, files: await filesIn(one) });
        continue;
      }
      if (files.some(isNamedTable)) found.withTables.push(name);
      if (depth > 1) await addWithin(found, one, name, depth - 1);
    } catch (error) {
      found.errors.push(errorText(error));
    }
  }
}

async function dropped(data: DataTransfer): Promise<Given> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry());
  const plain = [...data.files];
  const first = entries.find((entry) => entry?.isDirectory);
  if (!first) return { files: plain };
  if (entries.length === 1) {
    const files = await filesIn(first);
    const within: Within = { databases: [], withTables: [], errors: [] };
    if (!files.some(isOfDatabase)) await addWithin(within, first, first.name);
    return { folder: first.name, files, within };
  }
  const files: File[] = [];
  for (const entry of entries) {
    if (entry) files.push(...(entry.isFile ? [await fileOf(entry)] : await filesIn(entry)));
  }
  return { files };
}

function chosenFolder(files: File[]): Given {
  const folders = new Map<string, File[]>();
  for (const file of files) {
    const path = file.webkitRelativePath.replace(/\/[^/]*$/, "");
    const within = folders.get(path);
    if (within) within.push(file);
    else folders.set(path, [file]);
  }
  const [top = ""] = files[0]?.webkitRelativePath.split("/") ?? [];
  const own = folders.get(top) ?? [];
  folders.delete(top);
  const within: Within = { databases: [], withTables: [], errors: [] };
  if (own.some(isOfDatabase)) return { folder: top, files: own, within };
  const ofDatabases = [...folders].filter(([, files]) => files.some(isOfDatabase));
  // Skips folders inside databases, as addWithin() does.
  for (const [path, files] of folders) {
    if (path.split("/").length > DEPTH + 1) continue;
    if (ofDatabases.some(([other]) => path.startsWith(`${other}/`))) continue;
    if (files.some(isOfDatabase)) within.databases.push({ folder: path, files });
    else if (files.some(isNamedTable)) within.withTables.push(path);
  }
  return { folder: top, files: own, within };
}

/** Calls `take` for each choice and each drop, in order, before the files have been listed. */
export function listenForFiles(take: (given: Promise<Given>) => void): void {
  const listenTo = (id: string, givenBy: (files: File[]) => Given): void => {
    const input = byId(id) as HTMLInputElement;
    input.addEventListener("change", () => {
      const files = [...(input.files ?? [])];
      if (files.length > 0) take(Promise.resolve(givenBy(files)));
      input.value = "";
    });
  };
  listenTo("pick", (files) => ({ files }));
  listenTo("pick-folder", chosenFolder);
  const body = document.body;
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    body.classList.add("dragging");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) body.classList.remove("dragging");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    body.classList.remove("dragging");
    // Otherwise, text or a link was dropped.
    if (event.dataTransfer?.types.includes("Files")) take(dropped(event.dataTransfer));
  });
}
