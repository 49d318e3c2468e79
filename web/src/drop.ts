// Files and folders that the user chooses or drops.
import { byId } from "./dom";

export type TakeFiles = (files: File[]) => void;
export type TakeFolder = (name: string, files: File[]) => void;

const fileOf = (entry: FileSystemEntry): Promise<File> =>
  new Promise((yes, no) => (entry as FileSystemFileEntry).file(yes, no));

// The files of a folder, not of folders in it.
async function filesIn(folder: FileSystemEntry): Promise<File[]> {
  const reader = (folder as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((yes, no) => reader.readEntries(yes, no));
    if (some.length === 0) return files;
    for (const one of some) if (one.isFile) files.push(await fileOf(one));
  }
}

async function takeDropped(
  data: DataTransfer,
  takeFiles: TakeFiles,
  takeFolder: TakeFolder,
): Promise<void> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry());
  const plain = [...data.files];
  const folders = entries.filter((entry) => entry?.isDirectory);
  const [first] = folders;
  if (!first) return takeFiles(plain);
  if (entries.length === 1) return takeFolder(first.name, await filesIn(first));
  const files: File[] = [];
  for (const entry of entries) {
    if (entry) files.push(...(entry.isFile ? [await fileOf(entry)] : await filesIn(entry)));
  }
  takeFiles(files);
}

export function listenForFiles(takeFiles: TakeFiles, takeFolder: TakeFolder): void {
  const listenTo = (id: string, take: (files: File[]) => void): void => {
    const input = byId(id) as HTMLInputElement;
    input.addEventListener("change", () => {
      const files = [...(input.files ?? [])];
      if (files.length > 0) take(files);
      input.value = "";
    });
  };
  listenTo("pick", takeFiles);
  listenTo("pick-folder", (files) => {
    const name = files[0]?.webkitRelativePath.split("/")[0] ?? "";
    takeFolder(
      name,
      files.filter((file) => file.webkitRelativePath.split("/").length === 2),
    );
  });
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
    if (event.dataTransfer) void takeDropped(event.dataTransfer, takeFiles, takeFolder);
  });
}
