// Converts bytes to text and back, as `sst` does.
import type { Json } from "./types";

// Control and bidirectional characters. They are shown as \xHH.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const SHORT: Record<string, string> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

const hexOf = (byte: number): string => byte.toString(16).padStart(2, "0");

/** Escapes text so that it is visible and on one line. */
export function visible(text: string): string {
  return text
    .replace(/\\/g, "\\\\")
    .replace(
      HIDDEN,
      (c) =>
        SHORT[c] ?? Array.from(new TextEncoder().encode(c), (byte) => `\\x${hexOf(byte)}`).join(""),
    );
}

/** Converts hex digits to `sst`'s escaped form: printable ASCII unchanged, else \xHH. */
export function escapedHex(hex: string): string {
  return hex.replace(/../g, (digits) => {
    const byte = parseInt(digits, 16);
    if (byte === 0x5c) return "\\\\";
    return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${digits}`;
  });
}

/** Converts typed text to bytes: a backslash begins \\ \t \n \r or \xHH, the rest is UTF-8. */
export function parseEscaped(text: string): Uint8Array {
  const out: number[] = [];
  const encoder = new TextEncoder();
  for (let i = 0; i < text.length; ) {
    const rest = text.slice(i);
    const plain = /^[^\\]+/.exec(rest);
    if (plain) {
      out.push(...encoder.encode(plain[0]));
      i += plain[0].length;
      continue;
    }
    const escape = /^\\(?:x([0-9a-fA-F]{2})|([\\tnr]))/.exec(rest);
    if (!escape) throw new Error(`at ${i + 1}: after a backslash, \\ t n r or xHH is expected`);
    out.push(
      escape[1]
        ? parseInt(escape[1], 16)
        : { "\\": 0x5c, t: 9, n: 10, r: 13 }[escape[2] as "\\" | "t" | "n" | "r"],
    );
    i += escape[0].length;
  }
  return Uint8Array.from(out);
}

/**
 * The name of the key in field `name` of `sst`'s JSON. Undefined if it is not decoded, or if
 * decoding adds nothing to the key itself.
 */
export function keyName(json: Json, name: string): string | undefined {
  const decoded = json[`decoded_${name}`];
  if (typeof decoded !== "string" || decoded === `entry key=${JSON.stringify(json[name])}`)
    return undefined;
  return visible(decoded);
}

/** The key in field `name` of `sst`'s JSON, for display: its name, if it has one. */
export const shownKey = (json: Json, name: string): string =>
  keyName(json, name) ?? shownField(json, name);

/** Most characters of a field that are shown (bytes if not text). More would block the page. */
export const MOST_SHOWN = 100_000;

/** The start of the field `name` or `name`_hex of `sst`'s JSON, for display. */
export function shownField(json: Json, name: string, most = MOST_SHOWN): string {
  const text = json[name];
  if (typeof text === "string") return visible(text.slice(0, most));
  const hex = json[`${name}_hex`];
  return typeof hex === "string" ? escapedHex(hex.slice(0, 2 * most)) : "";
}

/** The size of the field `name` or `name`_hex: in characters, or in bytes if it is not text. */
export function fieldSize(json: Json, name: string): [size: number, unit: "character" | "byte"] {
  const text = json[name];
  if (typeof text === "string") return [text.length, "character"];
  const hex = json[`${name}_hex`];
  return [typeof hex === "string" ? hex.length / 2 : 0, "byte"];
}

/** The bytes of the field `name` or `name`_hex. */
export function fieldBytes(json: Json, name: string): Uint8Array {
  const text = json[name];
  if (typeof text === "string") return new TextEncoder().encode(text);
  const hex = String(json[`${name}_hex`] ?? "");
  const digit = (at: number): number => {
    const code = hex.charCodeAt(at);
    return code < 0x3a ? code - 0x30 : code - 0x57;
  };
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = 16 * digit(2 * i) + digit(2 * i + 1);
  return bytes;
}

/**
 * The raw texts of a JSON object's fields by name, since JSON.parse() rounds numbers above 2^53.
 * Expects no spaces between them, as the core writes none.
 */
export function fieldTexts(json: string): Map<string, string> {
  const fields = new Map<string, string>();
  let depth = 0;
  let isString = false;
  let start = 1; // start of the current name and value
  let nameEnd = 0;
  for (const { 0: token, index } of json.matchAll(/\\.|["{}[\],:]/g)) {
    if (token === '"') isString = !isString;
    if (isString) continue;
    if (token === "}" || token === "]") --depth;
    const isEnd = (token === "," && depth === 1) || depth === 0;
    if (token === ":" && depth === 1) nameEnd = index;
    else if (isEnd && nameEnd > start) {
      fields.set(JSON.parse(json.slice(start, nameEnd)) as string, json.slice(nameEnd + 1, index));
      start = index + 1;
    }
    if (token === "{" || token === "[") ++depth;
  }
  return fields;
}

/** Parses the core's JSON. Sequences, which may exceed 2^53, become strings. */
export function parseJson<T>(text: string): T {
  return JSON.parse(text.replace(/(?<!\\)("\w*sequence":)(\d{16,})/g, '$1"$2"')) as T;
}
