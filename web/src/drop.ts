// Files and folders that the user chooses or drops.
import { byId, errorText } from "./dom";

/**
 * Files, or the files of the folder `name`. `databases` are the databases in sub-folders; `errors`
 * says which of these can't be read.
 */
export interface Given {
  folder?: string;
  files: File[];
  databases?: Given[];
  errors?: string[];
}

const DEPTH = 4; // levels of sub-folders that are searched for databases

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

const isOfDatabase = ({ name }: { name: string }): boolean => /^(CURRENT|MANIFEST-\d+)$/.test(name);

// Returns the files of a folder, but not of its sub-folders.
async function filesIn(folder: FileSystemEntry): Promise<File[]> {
  const files: File[] = [];
  for (const one of await entriesOf(folder)) if (one.isFile) files.push(await fileOf(one));
  return files;
}

// Adds the databases in sub-folders, and errors for those that can't be read. `path` is the path of
// `folder`.
async function addDatabases(
  databases: Given[],
  errors: string[],
  folder: FileSystemEntry,
  path: string,
  depth = DEPTH,
): Promise<void> {
  for (const one of await entriesOf(folder)) {
    if (!one.isDirectory) continue;
    const name = `${path}/${one.name}`;
    try {
      const within = await entriesOf(one);
      if (within.some((entry) => entry.isFile && isOfDatabase(entry)))
        databases.push({ folder: name, files: await filesIn(one) });
      else if (depth > 1) await addDatabases(databases, errors, one, name, depth - 1);
    } catch (error) {
      errors.push(errorText(error));
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
    const databases: Given[] = [];
    const errors: string[] = [];
    if (!files.some(isOfDatabase)) await addDatabases(databases, errors, first, first.name);
    return { folder: first.name, files, databases, errors };
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
  const ofDatabases = [...folders].filter(([, within]) => within.some(isOfDatabase));
  // Like addDatabases(), does not look for databases within databases.
  const databases = ofDatabases
    .filter(
      ([path]) =>
        path.split("/").length <= DEPTH + 1 &&
        !ofDatabases.some(([other]) => path.startsWith(`${other}/`)),
    )
    .map(([folder, within]) => ({ folder, files: within }));
  return { folder: top, files: own, databases: own.some(isOfDatabase) ? [] : databases };
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
