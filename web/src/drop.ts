// Files and folders that the user chooses or drops.
import { byId } from "./dom";

/** Files, or the files of the folder with this name; `databases`: its sub-folders with a CURRENT. */
export interface Given {
  folder?: string;
  files: File[];
  databases?: string[];
}

// Returns the result of `entry`, or an error with its path.
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

// Returns the files of a folder, but not of its sub-folders.
async function filesIn(folder: FileSystemEntry): Promise<File[]> {
  const files: File[] = [];
  for (const one of await entriesOf(folder)) if (one.isFile) files.push(await fileOf(one));
  return files;
}

// Returns the names of its sub-folders that have a CURRENT and can be read.
async function databasesIn(folder: FileSystemEntry): Promise<string[]> {
  const databases: string[] = [];
  for (const one of await entriesOf(folder)) {
    if (!one.isDirectory) continue;
    const within = await entriesOf(one).catch(() => []);
    if (within.some(({ name }) => name === "CURRENT")) databases.push(one.name);
  }
  return databases;
}

async function dropped(data: DataTransfer): Promise<Given> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry());
  const plain = [...data.files];
  const first = entries.find((entry) => entry?.isDirectory);
  if (!first) return { files: plain };
  if (entries.length === 1) {
    const databases = await databasesIn(first);
    return { folder: first.name, files: await filesIn(first), databases };
  }
  const files: File[] = [];
  for (const entry of entries) {
    if (entry) files.push(...(entry.isFile ? [await fileOf(entry)] : await filesIn(entry)));
  }
  return { files };
}

function chosenFolder(files: File[]): Given {
  const partsOf = (file: File): string[] => file.webkitRelativePath.split("/");
  const [first] = files;
  return {
    folder: first ? partsOf(first)[0] : "",
    files: files.filter((file) => partsOf(file).length === 2),
    databases: files
      .filter((file) => partsOf(file).length === 3 && file.name === "CURRENT")
      .map((file) => partsOf(file)[1] ?? ""),
  };
}

/** Calls `take` for each choice and each drop, in order, before the files are known. */
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
    if (event.dataTransfer) take(dropped(event.dataTransfer));
  });
}
