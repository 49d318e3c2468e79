// Compiled, not run: the declarations as a program sees them.
import {
  type Check,
  Database,
  DataLossError,
  openDatabase,
  openTable,
  salvageDatabase,
  salvageTable,
  SstableError,
  Table,
} from "sstable";

const table: Table = await openTable("000005.ldb", { internalKeys: true });
const value: Uint8Array | undefined = table.get("key");
for (const [key, bytes] of table.entries({ gte: "a", lt: new Uint8Array(), reverse: true })) {
  key.length + bytes.length + (value?.length ?? 0);
}
// @ts-expect-error: there is no such bound
table.entries({ from: "a" });
// @ts-expect-error: a number is no key
table.get(1);
table.close();

using database: Database = await openDatabase([{ name: "CURRENT", file: new Uint8Array() }]);
for (const { sequence, isDeletion } of database.history()) sequence + (isDeletion ? 1n : 0n);
const check: Check = database.check();
const decoded: unknown = database.decoder()?.decode("key", new Uint8Array()).value;
const files: Map<string, Uint8Array> = (await salvageDatabase("folder", "new")).files;
const saved: Uint8Array | undefined = (await salvageTable({ size: 3, read: () => files.get("a")! }))
  .table;
try {
  await openTable(new ArrayBuffer(0));
} catch (error) {
  if (error instanceof DataLossError || (error as SstableError).code === "DATA_LOSS") throw error;
}
export { check, decoded, saved };
