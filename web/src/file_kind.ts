// Determines what a file is by its name and a few of its bytes.

interface Named {
  name: string;
}

// Matches CURRENT, MANIFESTs and logs, and tables with a number for a name.
const OF_DATABASE = /^(CURRENT(\.bak|\.\d+)?|MANIFEST-\d+|\d+\.(log|ldb|sst))$/;

/** True if a file of this name makes its folder a database, as in IsDatabase() of `sst`. */
export const isOfDatabase = ({ name }: Named): boolean => OF_DATABASE.test(name);

/** True if the name is a table's. */
export const isNamedTable = ({ name }: Named): boolean => /\.(ldb|sst)$/.test(name);

const MAGIC = [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb]; // a table's last bytes

async function bytesOf(part: Blob): Promise<Uint8Array> {
  return new Uint8Array(await part.arrayBuffer());
}

/** True if the file is a table by its name or its last bytes. */
export async function mayBeTable(file: File): Promise<boolean> {
  if (isNamedTable(file)) return true;
  const end = await bytesOf(file.slice(-MAGIC.length)).catch(() => []);
  return MAGIC.every((byte, i) => end[i] === byte);
}
