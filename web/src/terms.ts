// The meanings of the terms on the page.
import { h } from "./dom";

/** The meaning of each term, and the `page#heading` of the docs that explains it. */
const TERMS: Record<string, [meaning: string, docs: string]> = {
  batches: ["Changes that were written together", "database#write-batch"],
  "bits set": [
    "Of the filter's bits; a filter with half of them set holds most",
    "filter_block#the-bloom-filter",
  ],
  Block: [
    "Entries that are stored together, and read as a whole",
    "table_format#blocks-of-entries",
  ],
  crc32c: ["The checksum of the block as it is stored", "table_format#block-trailer"],
  data: ["Blocks of entries: keys and their values, in order", "table_format#blocks-of-entries"],
  deletions: [
    "Entries that delete a key, also called tombstones: they hide older values of it",
    "table_format#internal-keys",
  ],
  "hash of bytes": [
    "Whether the filter's hash took bytes above 0x7f as signed numbers; either, if no key shows it",
    "filter_block#the-hash",
  ],
  expected: [
    "False positives of a perfect filter of this size",
    "filters#what-to-know-about-leveldbs-filter",
  ],
  Entry: [
    "A key and its value; only what differs from the key before is stored of a key",
    "table_format#entry",
  ],
  "false negatives": [
    "Keys of the table that the filter denies, so a lookup misses them; a sound filter has none",
    "filter_block#malformed-filter-blocks",
  ],
  "false positives": [
    "Keys that are not in the table, and that the filter does not rule out: a block is read in vain",
    "filters",
  ],
  filter: [
    "Rules out most keys that a block does not have, so that it need not be read",
    "filter_block",
  ],
  footer: [
    "The last 48 bytes: where index and metaindex are, and the magic number",
    "table_format#footer",
  ],
  index: [
    "Where each data block is, with a key that none of its keys is above",
    "table_format#index-block",
  ],
  "index key": [
    "None of the block's keys is above it, and all later ones are",
    "table_format#index-block",
  ],
  level: [
    "Newer data is on lower levels. From level 1 on, the ranges of a level's tables do not overlap",
    "database#version-edit",
  ],
  log: ["Changes that are not in a table yet", "database#log-format"],
  metaindex: [
    "The names of filter and other meta blocks, and where they are",
    "table_format#metaindex-block",
  ],
  "of neighbours": [
    "False positives among keys that differ little from one in the table",
    "filters#what-to-know-about-leveldbs-filter",
  ],
  order: ["The comparator, which defines the order of keys", "table_format#internal-keys"],
  policy: ["The kind of filter, by its name in the file", "filter_block#names"],
  "probes (k)": ["How many bits a key sets, and a lookup tests", "filter_block#the-bloom-filter"],
  "restart points": [
    "Entries whose key is stored in full; a search in a block begins at one",
    "table_format#restart-points",
  ],
  sequences: [
    "Each change of a database has the next number; of a key, the highest is the newest",
    "table_format#internal-keys",
  ],
  type: ["What an entry does: it sets a value, or deletes the key", "table_format#internal-keys"],
  "table filter": [
    "One filter for all keys of the table",
    "filter_block#filters-for-the-whole-table",
  ],
  "user keys": [
    "Keys as the program gave them, without sequence and type",
    "table_format#internal-keys",
  ],
  windows: [
    "Each stretch of the file has its own filter, for the blocks that begin in it",
    "filter_block#windows",
  ],
};

// Maps other names to these terms.
const OTHER_NAMES: Record<string, string> = {
  Filter: "filter",
  Index: "index",
  "its false positives": "false positives",
  "last sequence": "sequences",
  "Restart point": "restart points",
  sequence: "sequences",
  "Table filter": "table filter",
};

/**
 * The label of a fact, column or colour; if it is a term, with its meaning on hover and a link to
 * the docs beside this page. A report of `sst report` has no docs beside it.
 */
export function term(name: string): Node {
  const known = TERMS[OTHER_NAMES[name] ?? name.replace(/,.*| \d+$/, "").replace("Level", "level")];
  if (!known) return document.createTextNode(name);
  const [meaning, docs] = known;
  if (document.getElementById("report")?.textContent !== "[]")
    return h("abbr", { title: meaning }, name);
  const href = `../${docs.replace(/#|$/, ".md$&")}`;
  return h("a", { class: "term", title: meaning, href, target: "_blank" }, name);
}
