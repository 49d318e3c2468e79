// Rescues a database folder into a new folder, which is saved as a zip file.
import { alertText, bytes, download, errorText, h, lineList, resultText } from "./dom";
import type { FolderSource } from "./folder_source";
import type { Rescue } from "./types";
import { zipOf, type NewFile } from "./zip";

function steps(newFolder: string, { isFolder }: FolderSource, folder: string): HTMLElement {
  if (!isFolder) {
    return h(
      "ol",
      { class: "next-steps" },
      h(
        "li",
        {},
        `If the folder that ${folder} is from is still there, rescue that instead: its tables have ` +
          "the other entries.",
      ),
      h("li", {}, `Unpack ${newFolder}.zip: the folder ${newFolder} in it is a database.`),
    );
  }
  return h(
    "ol",
    { class: "next-steps" },
    h("li", {}, "Close the program that this folder belongs to."),
    h("li", {}, `Rename its folder ${folder}, so that you keep it, for instance to ${folder}-old.`),
    h(
      "li",
      {},
      `Unpack ${newFolder}.zip, and move the folder ${newFolder} to the old one's place, as ${folder}.`,
    ),
    h("li", {}, "Start the program. If something is missing there, the old folder still has it."),
  );
}

function outcome(
  { verdict, lines, read_error: readError, report }: Rescue,
  files: NewFile[],
  newFolder: string,
  source: FolderSource,
  folder: string,
): HTMLElement {
  const result = h("div", {}, resultText(verdict, report.complete));
  if (readError !== null) result.append(alertText(`Not all of it could be read: ${readError}`));
  if (report.output !== null) {
    const parts = zipOf(newFolder, files);
    const size = files.reduce((sum, { data }) => sum + data.size, 0);
    result.append(
      h(
        "button",
        {
          type: "button",
          id: "rescue-save",
          class: "no-print",
          click: () => download(`${newFolder}.zip`, parts, "application/zip"),
        },
        `Save ${newFolder}.zip, ${bytes(size)}`,
      ),
      h("h3", {}, "What to do now"),
      steps(newFolder, source, folder),
    );
  }
  if (lines.length > 0) result.append(h("h3", {}, "In detail"), lineList(lines));
  return result;
}

/** The button that rescues the folder, and the result. */
export function rescueForm(source: FolderSource): HTMLElement {
  const output = h("div", { id: "rescue-result", "aria-live": "polite" });
  const folder = source.name.replace(/^.*\//, "");
  const newFolder = `${folder}-rescued`;
  const work = async (): Promise<void> => {
    button.disabled = true;
    const progress = h("p", {}, "Reading the folder…");
    output.replaceChildren(progress);
    try {
      const { rescue, files } = await source.rescue(newFolder, (done) => {
        if (done > 0) progress.textContent = `Rescuing, ${bytes(done)} read and written…`;
      });
      output.replaceChildren(outcome(rescue, files, newFolder, source, folder));
    } catch (error) {
      output.replaceChildren(alertText(errorText(error)));
    }
    button.disabled = false;
  };
  const button = h(
    "button",
    { type: "button", id: "rescue-start", class: "no-print", click: () => void work() },
    source.isFolder ? "Rescue this folder" : "Rescue the entries",
  );
  const from = source.isFolder ? "in this one" : `in ${folder}`;
  const about =
    `Makes a new folder, which LevelDB opens, of all that can be read ${from}, and says what ` +
    "is lost. The files here stay as they are.";
  return h("div", {}, h("p", {}, about), button, output);
}
