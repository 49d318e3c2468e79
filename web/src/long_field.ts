// A key or value of any size. Shows its start, and more on request.
import { MOST_SHOWN, fieldBytes, fieldSize, shownField } from "./bytes";
import { count, download, h } from "./dom";
import type { Json } from "./types";

const SHORT = 160; // characters shown at first

// Decoded text may wrap before each field's name.
function breakable(json: string): (Node | string)[] {
  const parts = json.split(/,(?=")/);
  return parts.flatMap((part, i) => (i === 0 ? [part] : [",", h("wbr"), part]));
}

/** Shows the field `name` or `name`_hex of `sst`'s JSON: the text `decoded`, if it is decoded. */
export function longField(json: Json, name: string, decoded?: string | null): Node[] {
  const start = (most: number): string => decoded?.slice(0, most) ?? shownField(json, name, most);
  const short = start(SHORT);
  const [size, unit] = decoded ? [decoded.length, "character"] : fieldSize(json, name);
  if (size === 0 && name in json) return [h("small", {}, "empty")];
  if (size <= SHORT && short.length <= SHORT)
    return [h("code", {}, ...(decoded ? breakable(short) : [short]))];
  const code = h("code", {}, `${short.slice(0, SHORT)}…`);
  const isAll = size <= MOST_SHOWN;
  const save = (): void =>
    download(name, [fieldBytes(json, name) as BlobPart], "application/octet-stream");
  const showMore = (): void => {
    code.className = "long";
    code.tabIndex = 0; // so that it can be scrolled by keys
    code.textContent = isAll ? start(MOST_SHOWN) : `${start(MOST_SHOWN)}…`;
    if (isAll) return more.remove();
    more.textContent = `save the ${name} as it is stored`;
    more.onclick = save;
  };
  const more = h(
    "button",
    { type: "button", class: "link" },
    `${isAll ? "all" : "more of"} ${count(size, unit)}`,
  );
  more.onclick = showMore;
  return [code, document.createTextNode(" "), more];
}
