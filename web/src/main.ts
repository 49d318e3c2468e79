// The page: takes files, lists them, and shows one of them.
import { SummarizedTable, WholeTable, fromBase64, type Source } from "./core";
import { byId, bytes, count, errorText, h } from "./dom";
import type { ReportedFile } from "./types";
import { showTable } from "./view";

interface Listed {
  name: string;
  size: number;
  open: () => Source;
}

const OTHER_FILES = /^(CURRENT|LOCK|LOG(\.old)?|MANIFEST-\d+|\d+\.(log|dbtmp))$/;

let open: Source | undefined;
let isBusy = Promise.resolve();

function show(listed: Listed): Promise<void> {
  open?.close();
  const source = listed.open();
  open = source;
  const parent = byId("table");
  delete parent.dataset.state;
  byId("welcome").hidden = true;
  parent.hidden = false;
  document.title = `${listed.name} – sst`;
  isBusy = showTable(source, parent).catch((error: unknown) => {
    if (source === open) parent.append(h("p", { class: "alert", role: "alert" }, errorText(error)));
  });
  return isBusy;
}

function list(files: Listed[], others: string[]): void {
  const first = files[0];
  const nav = byId("files");
  nav.hidden = files.length + others.length < 2;
  const buttons = files.map((file) =>
    h(
      "button",
      {
        type: "button",
        "aria-pressed": file === first ? "true" : "false",
        click: (event) => {
          for (const button of buttons) {
            button.setAttribute("aria-pressed", String(button === event.currentTarget));
          }
          void show(file);
        },
      },
      h("span", {}, file.name),
      h("small", {}, bytes(file.size)),
    ),
  );
  const items = buttons.map((button) => h("li", {}, button));
  nav.replaceChildren(
    h("h2", {}, count(files.length, "table")),
    h("ul", {}, ...items),
    others.length ? h("p", { class: "hint" }, `Not tables: ${others.join(", ")}`) : "",
  );
  if (first) void show(first);
}

function take(files: File[]): void {
  const isTable = (file: File): boolean => files.length === 1 || !OTHER_FILES.test(file.name);
  list(
    files
      .filter(isTable)
      .sort((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }))
      .map((file) => ({
        name: file.name,
        size: file.size,
        open: () => new WholeTable(file.name, file),
      })),
    files.filter((file) => !isTable(file)).map((file) => file.name),
  );
}

// The files of a folder, not of folders in it.
async function filesIn(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) {
    return [await new Promise<File>((yes, no) => (entry as FileSystemFileEntry).file(yes, no))];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((yes, no) => reader.readEntries(yes, no));
    if (some.length === 0) return files;
    for (const one of some) if (one.isFile) files.push(...(await filesIn(one)));
  }
}

async function takeDropped(data: DataTransfer): Promise<void> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry());
  const plain = [...data.files];
  if (!entries.some((entry) => entry?.isDirectory)) return take(plain);
  const files: File[] = [];
  for (const entry of entries) if (entry) files.push(...(await filesIn(entry)));
  take(files);
}

function listen(): void {
  for (const id of ["pick", "pick-folder"]) {
    const input = byId(id) as HTMLInputElement;
    input.addEventListener("change", () => {
      const files = [...(input.files ?? [])].filter(
        (file) => file.webkitRelativePath.split("/").length <= 2,
      );
      if (files.length > 0) take(files);
      input.value = "";
    });
  }
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
    if (event.dataTransfer) void takeDropped(event.dataTransfer);
  });
}

function listReported(): void {
  const files = JSON.parse(byId("report").textContent || "[]") as ReportedFile[];
  if (files.length === 0) return;
  byId("made-by").textContent = "Made by sst report.";
  const tables = files.filter((file) => file.error === undefined);
  list(
    tables.map(({ name, size, bytes: packed, summary }) => ({
      name,
      size,
      open: () =>
        summary
          ? new SummarizedTable(name, size, summary)
          : new WholeTable(name, new Blob([fromBase64(packed ?? "")])),
    })),
    files.filter((file) => file.error !== undefined).map((file) => `${file.name} (${file.error})`),
  );
}

listen();
listReported();
