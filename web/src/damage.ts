// The table's problems, and its salvage.
import type { Source } from "./core";
import { alertText, count, download, errorText, grouped, h, lineList, resultText } from "./dom";
import type { About, Check } from "./types";

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
      : check.data_blocks === 0
        ? "No data block can be read."
        : check.damaged_data_blocks === 0
          ? `${count(check.entries, "entry")} in ${count(check.data_blocks, "data block")} that can be read.`
          : `${grouped(check.damaged_data_blocks)} of ${count(check.data_blocks, "data block")} can't be ` +
            `read; ${count(check.entries, "entry")} in the others.`;
  const asked = check.keys_checked_with_filter;
  const filter = check.filter_error
    ? `Filter: ${check.filter_error}.`
    : asked > 0 && `The filter was asked for ${count(asked, "key")}.`;
  const order = check.order_reason && check.entries > 0 && `Order of keys: ${check.order_reason}.`;
  const list = h("ol", { class: "problems" });
  for (const problem of check.problems.slice(0, SHOWN)) {
    list.append(
      h(
        "li",
        {},
        h(
          "button",
          { type: "button", class: "link", click: () => onOffset(problem.offset) },
          `${problem.place}:`,
        ),
        ` ${problem.message}`,
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

/** The button that builds a sound table from what can be read, and the result. */
export function salvageForm(source: Source, whyNoTable?: string): HTMLElement {
  const output = h("div", { id: "salvage-result", "aria-live": "polite" });
  const work = async (): Promise<void> => {
    button.disabled = true;
    output.replaceChildren(h("p", {}, "Reading all of the file…"));
    try {
      const name = `${source.name.replace(/\.(ldb|sst)$/, "")}-salvaged.ldb`;
      const { report, pieces } = await source.salvage(name);
      const [result = "", ...details] = report.lines;
      const save = h(
        "button",
        {
          type: "button",
          id: "salvage-save",
          click: () => download(name, pieces, "application/octet-stream"),
        },
        `Save ${name}`,
      );
      output.replaceChildren(resultText(result, report.complete));
      if (pieces.length > 0) output.append(save);
      output.append(lineList(details));
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
  const because = (what: string, reason: string): string => (reason ? `${what}: ${reason}` : what);
  const keys = `${about.keys}${about.keys_known ? "" : ", assumed"}`;
  return [
    ["keys", because(keys, about.keys_reason)],
    ["order", because(about.order ?? "not known", about.order_reason)],
  ];
}
