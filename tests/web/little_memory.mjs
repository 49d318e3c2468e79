// Writes a page whose core has a lower memory limit.
import { readFileSync, writeFileSync } from "node:fs";
import { coreOf, withCore } from "./core.mjs";

// Parses a LEB128 number: seven bits per byte, lowest first.
function numberAt(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return [value, at];
  }
}

function setMaximum(wasm, pages) {
  const MEMORY = 5; // id of the memory section
  for (let at = 8; at < wasm.length; ) {
    const [size, start] = numberAt(wasm, at + 1);
    if (wasm[at] !== MEMORY) {
      at = start + size;
      continue;
    }
    // The section must declare one memory, with a minimum and a maximum.
    if (wasm[start] !== 1 || wasm[start + 1] !== 1) throw new Error("another kind of memory");
    const [, maximum] = numberAt(wasm, start + 2);
    const [, end] = numberAt(wasm, maximum);
    for (let i = maximum; i < end; ++i) {
      wasm[i] = (pages & 127) | (i < end - 1 ? 128 : 0);
      pages >>= 7;
    }
    return wasm;
  }
  throw new Error("no memory section");
}

/** Writes page `from` to `to`, with a limit of `pages` of 64 KiB for its core. */
export function writeWithLittleMemory(from, to, pages) {
  const page = readFileSync(from, "utf8");
  writeFileSync(to, withCore(page, setMaximum(coreOf(page), pages)));
}
