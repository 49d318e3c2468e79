// The core's reports: those of `sst … --format json`, of report/table_pages.h and of
// report/lookup_json.h.

export type Json = Record<string, unknown>;

export interface About {
  file: string;
  file_size: number;
  keys: "plain" | "internal";
  keys_reason: string;
  keys_known: boolean;
  order: string | null;
  order_reason: string;
  why_not_searchable: string | null;
  data_blocks: number;
  index_error: string | null;
  filter_error: string | null;
}

export interface Handle {
  offset: number;
  size: number;
}

export interface Places {
  file_size: number;
  data: [offset: number, size: number, count: number][];
  meta: (Handle & Json)[];
  metaindex: Handle;
  index: Handle;
}

export interface Block extends Json {
  kind: "data" | "index" | "metaindex" | "filter" | "meta";
  offset: number;
  size: number;
  codec: string;
  stored_crc32c: string;
  computed_crc32c: string;
  uncompressed_size: number | null;
  entries?: number;
  restarts?: number;
  error: string | null;
}

export interface Layout {
  file_size: number;
  blocks: Block[];
  unreferenced: Handle[];
  doubly_used: Handle[];
  index_error: string | null;
  metaindex_error: string | null;
  footer: { offset: number; metaindex: Handle; index: Handle };
}

export interface Problem extends Handle {
  place: string;
  message: string;
}

export interface Check {
  file: string;
  ok: boolean;
  error?: string;
  entries: number;
  data_blocks: number;
  damaged_data_blocks: number;
  order_checked: boolean;
  order_reason: string | null;
  keys_checked_with_filter: number;
  filter_error: string | null;
  limit: string | null;
  problem_count: number;
  problems: Problem[];
}

export interface Rate {
  absent_keys_tested: number;
  passed: number;
  measured_rate: number;
  low: number;
  high: number;
  expected_rate?: number;
}

export interface Filter {
  policy: string | null;
  consulted: boolean;
  error: string | null;
  scan_error: string | null;
  table_filter?: {
    policy: string;
    consulted: boolean;
    error: string | null;
    block: Handle;
    false_negatives?: number;
    false_positives?: Rate;
  };
  block?: Handle;
  base_lg?: number;
  windows?: { count: number; empty: number; malformed: number };
  probe_counts?: { k: number; windows: number }[];
  bits?: number;
  bits_set?: number;
  hash?: string;
  keys_tested?: number;
  false_negatives?: number;
  false_positives?: Rate;
  false_positives_of_neighbours?: Rate;
}

export interface Windows {
  base_lg: number;
  count: number;
  cells: [
    first: number,
    count: number,
    empty: number,
    malformed: number,
    bits: number,
    set: number,
  ][];
}

export interface Sizes {
  min: number;
  max: number;
  mean: number;
  sum: number;
  buckets: { from: number; to: number; count: number }[];
}

export interface Stats {
  error: string | null;
  file_size: number;
  entries: number;
  keys: "plain" | "internal";
  user_keys?: number;
  deletions?: number;
  min_sequence?: number | string | null;
  max_sequence?: number | string | null;
  key_sizes: Sizes | null;
  value_sizes: Sizes | null;
  data_blocks: {
    count: number;
    damaged: number;
    stored_size: number;
    uncompressed_size: number;
    by_codec: Record<string, number>;
  };
  index_size: number;
  filter_size: number;
  writers: string[];
  marks: string[];
}

export interface LookupStep {
  block: number;
  offset: number;
  size: number;
  index_key: string;
  filter: {
    window: number;
    state: string;
    offset: number;
    size: number;
    bits: number;
    k: number;
    consulted: boolean;
    may_match: boolean;
    probes: { signed: boolean; hash: string; bits: { index: number; set: boolean }[] }[];
  } | null;
  read: boolean;
  error?: string | null;
  codec?: string;
  uncompressed_size?: number;
  restarts?: number;
  restart?: number;
  compared?: number;
  first_not_below?: string | null;
}

export interface Lookup extends Json {
  why_not_searchable: string | null;
  found: boolean;
  deleted?: boolean;
  sequence?: number | string;
  decoded_value?: string | null;
  error: string | null;
  data_blocks: number;
  table_filter_may_match: boolean | null;
  filter_error: string | null;
  steps: LookupStep[];
  explained: string;
}

/** Entries, a JSON object or CSV row per line, and the number of blocks or versions read so far. */
export interface Page {
  rows: number;
  next_block?: number;
  read?: number;
  done: boolean;
  errors: string[];
  lines: string;
}

/** The program that wrote the entries, and why some values are not decoded. */
export interface Decoder {
  format: string;
  doubt: string;
}

/** Selects what is shown of a table or folder. */
export interface EntryRequest {
  format: "jsonl" | "csv";
  from: Uint8Array;
  wanted: Uint8Array;
  /** All versions; only for a folder. */
  history: boolean;
  decoded: boolean;
}

/** The newest version of a key in a database. */
export interface FolderLookup extends Json {
  found: boolean;
  deleted?: boolean;
  sequence?: number | string;
  file?: string;
  decoded_value?: string | null;
  error: string | null;
  explained?: string;
}

/** The outcome of `sst salvage TABLE`: its lines, of which the first is the result. */
export interface Salvage {
  complete: boolean;
  lines: string[];
}

/** A filter made from the table's keys: a filter block, or a filter for the whole table. */
export interface ComparedFilter {
  filter?: string;
  table_filter?: string;
  base_lg?: number;
  bits_per_key: number;
  false_positives: Rate;
  false_positives_of_neighbours: Rate;
}

export interface Comparison {
  keys: number;
  is_sample: boolean;
  filters: ComparedFilter[];
}

/** A large table in a report of `sst report`: the summary made with the report. */
export interface Summary {
  about: About;
  places: Places;
  check: Check;
  filter: Filter;
  windows: Windows | null;
  stats: Stats;
  comparison: Comparison;
  page: Page;
}

/** A table of a database. Data from its entries is present if they were read. */
export interface DatabaseTable extends Json {
  name: string;
  level: number | null;
  size: number;
  file_size: number | null;
  entries?: number;
  deletions?: number;
  min_sequence?: number | string | null;
  max_sequence?: number | string | null;
  ok?: boolean;
  limit?: string | null; // the limit, if one prevented reading everything
}

/** The report of `sst ls`. */
export interface Database {
  folder: string;
  source: "manifest" | "files";
  manifest: string;
  comparator: string;
  last_sequence: number | string;
  tables: DatabaseTable[];
  logs: {
    name: string;
    file_size: number;
    batches: number;
    changes: number;
    first_sequence: number | string;
    last_sequence: number | string;
  }[];
  files: { name: string; file_size: number; use: string }[];
  problems: { file: string; offset: number | null; damage: boolean; message: string }[];
}

/**
 * The outcome of `sst salvage DIR`: its report, the report in one sentence, and a line for each
 * loss.
 */
export interface Rescue {
  verdict: string;
  lines: string[];
  read_error: string | null;
  report: Json & { output: string | null; complete: boolean; entries: number };
}

/** The ranks of a table's first and last key among those of all tables. */
export type Range = [first: number, last: number];

export interface Folder {
  database: Database;
  ranges: (Range | null)[];
  /** For each rank, the position of its key from 0 to 1. */
  places: number[];
  /** In a report: the first live entries, if the order of keys is known. */
  page?: Page;
}

/** A table in a report: its bytes in base64, or a summary. */
export interface ReportedTable {
  name: string;
  size: number;
  bytes?: string;
  summary?: Summary;
}
