// The table's problems, and its salvage.
import { shownKey } from "./bytes";
import type { Source } from "./core";
import { alertText, count, download, errorText, grouped, h } from "./dom";
import type { About, Check, Salvage } from "./types";

const SHOWN = 100; // problems shown at once

/** One line about the whole table. */
export function verdict(check: Check): HTMLElement {
  const text =
    check.limit && !check.problem_count
      ? "A limit was reached; not all was checked"
      : !check.ok
        ? `Damaged: ${count(check.problem_count, "problem")}`
        : check.order_checked
          ? "No damage"
          : "No damage found; the order of keys is not known";
  return h("span", { class: `verdict ${check.ok ? "verdict-ok" : "verdict-bad"}` }, text);
}

export function checkView(check: Check, onOffset: (offset: number) => void): HTMLElement {
  const blocks = check.limit
    ? `${check.limit}.`
    : check.ok
      ? `${count(check.entries, "entry")} in ${count(check.data_blocks, "data block")}.`
      : check.damaged_data_blocks === 0
        ? `${count(check.entries, "entry")} in ${count(check.data_blocks, "data block")} that can be read.`
        : `${grouped(check.damaged_data_blocks)} of ${count(check.data_blocks, "data block")} can't be ` +
          `read; ${count(check.entries, "entry")} in the others.`;
  const filter = !check.filter_error
    ? `The filter was asked for ${count(check.keys_checked_with_filter, "key")}.`
    : `Filter: ${check.filter_error}.`;
  const order = check.order_reason ? `Order of keys: ${check.order_reason}.` : "";
  const list = h("ol", { class: "problems" });
  for (const problem of check.problems.slice(0, SHOWN)) {
    list.append(
      h(
        "li",
        {},
        h(
          "button",
          { type: "button", class: "link", click: () => onOffset(problem.offset) },
          problem.place,
        ),
        `: ${problem.message}`,
      ),
    );
  }
  const rest = check.problem_count - Math.min(check.problems.length, SHOWN);
  return h(
    "div",
    {},
    h("p", {}, [blocks, filter, order].filter((text) => text).join(" ")),
    check.problems.length ? list : null,
    rest > 0 ? h("p", {}, `and ${grouped(rest)} more`) : null,
  );
}

function lostText(lost: Salvage["lost"][number]): string {
  const above = shownKey(lost, "above");
  const until = shownKey(lost, lost.kind === "block" ? "up_to" : "below");
  const keys = [
    above && `above ${above}`,
    until && `${lost.kind === "block" ? "up to" : "below"} ${until}`,
  ].filter((text) => text);
  const what = lost.kind === "block" ? "Data block" : "Bytes";
  return (
    `${what} at offset ${grouped(lost.offset)} (${grouped(lost.size)} bytes): ${lost.reason}` +
    (keys.length ? `; keys ${keys.join(" and ")}` : "")
  );
}

function salvageView(report: Salvage, save: HTMLElement | null): HTMLElement {
  const source =
    report.index === "read"
      ? "as the index says"
      : report.index
        ? "by an index that was found by its checksum"
        : "found by their checksums, without an index";
  const list = h("ul", { class: "problems" });
  for (const lost of report.lost.slice(0, SHOWN)) list.append(h("li", {}, lostText(lost)));
  if (report.read_error) list.append(h("li", {}, `Not all could be read: ${report.read_error}`));
  for (const doubt of report.doubts) list.append(h("li", {}, `Not explained: ${doubt}`));
  if (report.doubtful_blocks > 0) {
    const blocks = count(report.doubtful_blocks, "intact block");
    const text = `${blocks} left out, which may not belong to this table`;
    list.append(h("li", {}, `${text}; the command sst salvage --doubtful saves them apart`));
  }
  if (report.left_out_count > 0) {
    list.append(h("li", {}, `${count(report.left_out_count, "entry")} left out`));
  }
  if (report.lost.length > SHOWN) {
    list.append(h("li", {}, `and ${grouped(report.lost.length - SHOWN)} more`));
  }
  return h(
    "div",
    {},
    h(
      "p",
      {},
      `${count(report.data_blocks_read, "data block")} read, ${source}; ` +
        `${report.complete ? "nothing is lost" : "not everything could be saved"}. ` +
        (save ? `${count(report.entries_saved, "entry")} saved.` : "No entry is left."),
    ),
    list.childNodes.length ? list : null,
    save,
  );
}

/** The button that builds a sound table from what can be read, and the result. */
export function salvageForm(source: Source, whyNoTable?: string): HTMLElement {
  const output = h("div", { id: "salvage-result", "aria-live": "polite" });
  const work = async (): Promise<void> => {
    button.disabled = true;
    output.replaceChildren(h("p", {}, "Reading all of the file…"));
    try {
      const { report, pieces } = await source.salvage();
      const name = `${source.name.replace(/\.(ldb|sst)$/, "")}-salvaged.ldb`;
      const save = h(
        "button",
        {
          type: "button",
          id: "salvage-save",
          click: () => download(name, pieces, "application/octet-stream"),
        },
        `Save ${name}`,
      );
      output.replaceChildren(salvageView(report, pieces.length ? save : null));
    } catch (error) {
      output.replaceChildren(alertText(errorText(error)));
    }
    button.disabled = false;
  };
  const button = h(
    "button",
    { type: "button", id: "salvage", class: "no-print", click: () => void work() },
    "Salvage",
  );
  return h(
    "div",
    {},
    h(
      "p",
      {},
      whyNoTable
        ? "This file can't be opened as a table. Salvage finds blocks by their checksums."
        : "Builds a sound table of every entry in an intact block, and says what is lost.",
    ),
    button,
    output,
  );
}

export function keysView(about: About): [string, string][] {
  return [
    ["keys", `${about.keys}${about.keys_known ? "" : ", assumed"}: ${about.keys_reason}`],
    ["order", `${about.order ?? "not known"}: ${about.order_reason}`],
  ];
}
