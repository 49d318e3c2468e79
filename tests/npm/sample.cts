import sstable = require("sstable");

async function count(folder: string): Promise<number> {
  const database = await sstable.openDatabase(folder, { strict: true });
  let entries = 0;
  for await (const [key] of database) entries += key.length;
  database.close();
  return entries;
}
export = count;
