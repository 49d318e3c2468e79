// Shows the steps of a lookup for a typed key, like `sst get --explain`.
import { keyName, parseEscaped } from "./bytes";
import type { Source } from "./core";
import type { FolderSource } from "./folder_source";
import { alertText, count, errorText, grouped, h } from "./dom";
import { longField } from "./long_field";
import { term } from "./terms";
import type { FolderLookup, Json, Lookup, LookupStep } from "./types";

function step(
  name: string,
  verdict: "go" | "stop" | "skip" | "bad",
  ...text: string[]
): HTMLElement {
  return h(
    "li",
    { class: `step step-${verdict}` },
    h("strong", {}, term(name)),
    ...text.filter((line) => line).map((line) => h("span", {}, line)),
  );
}

function filterStep(filter: NonNullable<LookupStep["filter"]>): HTMLElement {
  if (!filter.consulted) {
    return step(
      "Filter",
      "skip",
      `window ${grouped(filter.window)} is ${filter.state}: the block is read`,
    );
  }
  const item = step(
    "Filter",
    filter.may_match ? "go" : "stop",
    `window ${grouped(filter.window)}, ${count(filter.bits, "bit")}, k = ${filter.k}`,
  );
  for (const probe of filter.probes) {
    item.append(
      h(
        "span",
        { class: "bits" },
        `hash ${probe.hash}${probe.signed ? " of signed bytes" : ""} `,
        ...probe.bits.map((bit) =>
          h(
            "span",
            { class: bit.set ? "bit set" : "bit" },
            `${grouped(bit.index)} ${bit.set ? "✓" : "✗"}`,
          ),
        ),
      ),
    );
  }
  item.append(
    h(
      "span",
      {},
      filter.may_match ? "The block may have the key." : "So the block does not have the key.",
    ),
  );
  return item;
}

function blockSteps(lookup: Lookup, at: LookupStep): HTMLElement[] {
  const items = [
    step(
      "Index",
      "go",
      `${count(lookup.data_blocks, "data block")}; the first index key that is not below it is block ${grouped(at.block)}'s, ${at.index_key}`,
    ),
  ];
  if (at.filter) items.push(filterStep(at.filter));
  else if (lookup.filter_error) items.push(step("Filter", "skip", lookup.filter_error));
  if (!at.read) return items;
  if (at.error) return [...items, step("Block", "bad", at.error)];
  items.push(
    step(
      "Block",
      "go",
      `block ${grouped(at.block)} at offset ${grouped(at.offset)}, ${grouped(at.size)} bytes` +
        (at.codec === "none" ? "" : ` of ${at.codec} for ${grouped(at.uncompressed_size ?? 0)}`),
    ),
    step(
      "Restart point",
      "go",
      `from restart point ${grouped(at.restart ?? 0)} of ${grouped(at.restarts ?? 0)} on, ` +
        `${count(at.compared ?? 0, "entry")} compared`,
    ),
    step(
      "Entry",
      lookup.found ? "go" : "stop",
      at.first_not_below
        ? `first key that is not below it is ${at.first_not_below}`
        : "all keys in the block are below it",
    ),
  );
  return items;
}

const foundValue = (lookup: Lookup | FolderLookup): HTMLElement =>
  h("span", { class: "value" }, ...longField(lookup, "value", lookup.decoded_value));

// Shows the key in its program's notation, if that differs.
function named(lookup: Json): HTMLElement | null {
  const name = keyName(lookup, "key");
  return name === undefined ? null : h("p", {}, h("code", {}, name));
}

// Returns where the key was found.
const atSequence = ({ sequence = "" }: Lookup | FolderLookup): string =>
  `at sequence ${grouped(sequence)}`;

// Shows the steps of `sst get --explain DIR KEY` in its words.
function shownInFolder(lookup: FolderLookup): HTMLElement {
  const where = `${atSequence(lookup)} in ${lookup.file}`;
  const answer = lookup.error
    ? alertText(lookup.error)
    : !lookup.found
      ? h("p", { class: "answer" }, "The key is not in this database.")
      : lookup.deleted
        ? h("p", { class: "answer" }, `Deleted, ${where}.`)
        : h("p", { class: "answer" }, `Found, ${where} `, foundValue(lookup));
  const explained = h("pre", { class: "explained" }, lookup.explained ?? "");
  return h("div", {}, named(lookup), answer, explained);
}

function shown(lookup: Lookup): HTMLElement {
  const list = h("ol", { class: "steps" });
  const mayMatch = lookup.table_filter_may_match;
  if (mayMatch !== null) {
    const says = mayMatch ? "may have the key" : "does not have the key";
    list.append(step("Table filter", mayMatch ? "go" : "stop", says));
  }
  for (const at of lookup.steps) list.append(...blockSteps(lookup, at));
  // A whole-table filter may decide without the index.
  if (!lookup.steps.length && mayMatch === null && !lookup.error) {
    list.append(step("Index", "stop", "every index key is below it, so no block has it"));
  }
  const answer = lookup.error
    ? alertText(lookup.error)
    : !lookup.found
      ? h("p", { class: "answer" }, "The key is not in this table.")
      : lookup.deleted
        ? h("p", { class: "answer" }, `Deleted, ${atSequence(lookup)}.`)
        : h(
            "p",
            { class: "answer" },
            lookup.sequence === undefined ? "Found " : `Found, ${atSequence(lookup)} `,
            foundValue(lookup),
          );
  return h(
    "div",
    {},
    named(lookup),
    answer,
    lookup.why_not_searchable
      ? alertText(`A lookup may miss keys here: ${lookup.why_not_searchable}.`)
      : null,
    list,
    h(
      "details",
      {},
      h("summary", {}, "As sst get --explain says it"),
      h("pre", {}, lookup.explained),
    ),
  );
}

const HINT = "\\xHH stands for a byte.";

/** The form, with the steps below it. */
export function lookupForm(
  source: Source,
  example: string,
  isInternal: boolean,
): Promise<HTMLElement> {
  const hint = isInternal ? `${HINT} Type the key without sequence and type.` : HINT;
  return formFor(example, hint, async (key) => shown(await source.lookup(key)));
}

export const folderLookupForm = (source: FolderSource, example: string): Promise<HTMLElement> =>
  formFor(example, HINT, async (bytes) => {
    const key = new TextDecoder().decode(bytes); // used only for comparison with the name
    return shownInFolder({ key, ...(await source.lookup(bytes)) });
  });

async function formFor(
  example: string,
  hint: string,
  look: (key: Uint8Array) => Promise<HTMLElement>,
): Promise<HTMLElement> {
  const input = h("input", {
    type: "text",
    id: "lookup-key",
    autocomplete: "off",
    spellcheck: "false",
    autocapitalize: "off",
    placeholder: example,
  });
  const output = h("div", { id: "lookup-result", "aria-live": "polite" });
  const find = async (): Promise<void> => {
    try {
      output.replaceChildren(await look(parseEscaped(input.value || example)));
    } catch (error) {
      output.replaceChildren(alertText(errorText(error)));
    }
  };
  const form = h(
    "form",
    {
      class: "row",
      submit: (event) => {
        event.preventDefault();
        void find();
      },
    },
    h("label", { for: input.id }, "Key"),
    input,
    h("button", { type: "submit" }, "Look up"),
  );
  if (example !== "") await find(); // so that there is something to see
  return h("div", {}, form, h("p", { class: "hint no-print" }, hint), output);
}
