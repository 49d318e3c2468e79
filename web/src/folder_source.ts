// A database folder, opened by a core or contained in a report.
import { parseJson } from "./bytes";
import { CoreWorker } from "./core_worker";
import { pageOf, type EntrySource } from "./core";
import type { Database, Decoder, EntryRequest, Folder, FolderLookup, Page, Rescue } from "./types";
import type { NewFile } from "./zip";

const SEARCHED_VERSIONS = 100_000; // after this many, checks whether the search is still wanted

/** A report has the first entries at most, and no lookup or rescue. */
export interface FolderSource extends EntrySource {
  /** False for single files; the first one then gives the name. */
  readonly isFolder: boolean;
  folder(): Promise<Folder>;
  /** Reads all tables, and returns the report with what their entries show. */
  counted(): Promise<Database>;
  hasTable(name: string): boolean;
  lookup(key: Uint8Array): Promise<FolderLookup>;
  /** Makes a new folder from what can be read. */
  rescue(
    newFolder: string,
    onProgress: (bytes: number) => void,
  ): Promise<{ rescue: Rescue; files: NewFile[] }>;
  close(): void;
}

export class DroppedFolder implements FolderSource {
  readonly isWhole = true;
  private core = new CoreWorker();
  private opened: Promise<Folder> | undefined;
  private whole: Promise<Database> | undefined;
  private known: Promise<Decoder | null> | undefined;

  constructor(
    readonly name: string,
    private files: File[],
    readonly isFolder = true,
  ) {}

  folder(): Promise<Folder> {
    this.opened ??= this.core.ask("folder", this.name, this.files).then((text) => parseJson(text));
    return this.opened;
  }

  counted(): Promise<Database> {
    this.whole ??= this.core.ask("folder_entries").then((text) => parseJson(text));
    return this.whole;
  }

  decoder(): Promise<Decoder | null> {
    this.known ??= this.core.ask("folder_decoder").then((text) => parseJson(text));
    return this.known;
  }

  async beginEntries({ format, from, wanted, history, decoded }: EntryRequest): Promise<void> {
    const numbers = [format === "csv", history, decoded].map(Number);
    await this.core.ask("folder_pages", from, wanted, ...numbers);
  }

  nextEntries = async (maxRows: number, maxBytes: number): Promise<Page> =>
    pageOf(await this.core.ask("next_folder_page", maxRows, maxBytes, SEARCHED_VERSIONS));

  lookup = async (key: Uint8Array): Promise<FolderLookup> =>
    parseJson(await this.core.ask("folder_lookup", key));

  hasTable = (name: string): boolean => this.files.some((file) => file.name === name);

  // Uses a separate core, whose memory is freed afterwards.
  async rescue(newFolder: string, onProgress: (bytes: number) => void) {
    const core = new CoreWorker();
    core.onRead = onProgress;
    try {
      const { report, files } = (await core.request(
        "folder_salvage",
        this.name,
        newFolder,
        this.files,
      )) as { report: string; files: NewFile[] };
      return { rescue: parseJson<Rescue>(report), files };
    } finally {
      core.close();
    }
  }

  close(): void {
    this.core.close();
  }
}

export class ReportedFolder implements FolderSource {
  readonly isWhole = false;
  readonly isFolder = true;
  readonly name: string;

  constructor(
    private reported: Folder,
    private tables: Set<string>,
  ) {
    this.name = reported.database.folder;
  }

  folder = () => Promise.resolve(this.reported);
  counted = () => Promise.resolve(this.reported.database);
  hasTable = (name: string): boolean => this.tables.has(name);
  private missing = (): Promise<never> =>
    Promise.reject(new Error("this report does not have the folder's files"));
  decoder = async () => null;
  beginEntries = async () => {};
  nextEntries = (): Promise<Page> => {
    const { page } = this.reported;
    return page ? Promise.resolve({ ...page, done: true }) : this.missing();
  };
  lookup = () => this.missing();
  rescue = () => this.missing();
  close(): void {}
}
