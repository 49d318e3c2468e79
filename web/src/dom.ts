// Elements and text. All text goes through textContent, so nothing becomes markup.
import { term } from "./terms";

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | EventListener | undefined>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child) element.append(child);
}

/** Creates an element. Attributes that are functions become event listeners. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/** Creates an SVG element. */
export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no element ${id}`);
  return element;
}

/** A section with a heading, which the list of sections in the page's head links to. */
export function section(id: string, title: string, ...children: Child[]): HTMLElement {
  const heading = h("h2", { id: `${id}-title` }, title);
  return h("section", { id, "aria-labelledby": heading.id }, heading, ...children);
}

/** The headings of a table's columns. */
export const headings = (names: string[]): HTMLElement[] =>
  names.map((name) => h("th", { scope: "col" }, term(name)));

/** A list of names with their values beside them; names without a value are left out. */
export function facts(pairs: [string, Child][]): HTMLElement {
  const list = h("dl", { class: "facts" });
  for (const [name, value] of pairs) {
    if (value === "") continue;
    list.append(h("div", {}, h("dt", {}, term(name)), h("dd", {}, value)));
  }
  return list;
}

export function alertText(text: string): HTMLElement {
  return h("p", { class: "alert", role: "alert" }, text);
}

/** Digits in groups of three. `n` is a string if it exceeds 2^53. */
export const grouped = (n: number | string): string => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

export function count(n: number, noun: string): string {
  const plural = /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${grouped(n)} ${n === 1 ? noun : plural}`;
}

export function bytes(n: number): string {
  if (n < 10_000) return `${grouped(n)} B`;
  const units = ["KB", "MB", "GB", "TB"];
  let value = n / 1000;
  let unit = 0;
  for (; value >= 999.5 && unit + 1 < units.length; ++unit) value /= 1000;
  return `${value < 99.5 ? value.toFixed(1) : value.toFixed(0)} ${units[unit]}`;
}

export function percent(part: number): string {
  const value = 100 * part;
  const digits =
    value === 0 ? "0" : value < 0.1 ? value.toPrecision(2) : value.toFixed(value < 10 ? 2 : 1);
  return `${digits}\u00a0%`;
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The result of a rescue or salvage, in a clause of `sst`. */
export function resultText(clause: string, isComplete: boolean): HTMLElement {
  const text = `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
  return h("p", { class: `result ${isComplete ? "verdict-ok" : "verdict-bad"}` }, text);
}

const LINES = 100; // shown of a list

/** Lines of `sst` about losses. */
export function lineList(lines: string[]): HTMLElement {
  const list = h("ul", { class: "problems" });
  for (const line of lines.slice(0, LINES)) list.append(h("li", {}, line));
  if (lines.length > LINES) list.append(h("li", {}, `and ${count(lines.length - LINES, "line")}`));
  return list;
}

/** Offers bytes as a file to save. */
export function download(name: string, parts: BlobPart[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
