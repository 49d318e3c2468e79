// A database's folder: in the core, or as a report has it.
import { parseJson } from "./bytes";
import { CoreWorker } from "./core_worker";
import type { Database, Folder } from "./types";

export interface FolderSource {
  readonly name: string;
  folder(): Promise<Folder>;
  /** Returns the report including its tables' entries, all of which it reads. */
  counted(): Promise<Database>;
  hasTable(name: string): boolean;
  close(): void;
}

export class DroppedFolder implements FolderSource {
  private core = new CoreWorker();
  private opened: Promise<Folder> | undefined;
  private whole: Promise<Database> | undefined;

  constructor(
    readonly name: string,
    private files: File[],
    private databases: string[], // folders in it, for a hint
  ) {}

  folder(): Promise<Folder> {
    this.opened ??= this.core
      .ask("folder", this.name, this.files, this.databases)
      .then((text) => parseJson(text));
    return this.opened;
  }

  counted(): Promise<Database> {
    this.whole ??= this.core.ask("folder_entries").then((text) => {
      this.core.close();
      return parseJson(text);
    });
    return this.whole;
  }

  hasTable = (name: string): boolean => this.files.some((file) => file.name === name);

  close(): void {
    this.core.close();
  }
}

export class ReportedFolder implements FolderSource {
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
  close(): void {}
}
