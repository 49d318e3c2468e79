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
const ENDS = 512; // bytes looked at from each end

async function bytesOf(part: Blob): Promise<Uint8Array> {
  return new Uint8Array(await part.arrayBuffer());
}

/** True if the file is a table by its name or its last bytes. */
export async function mayBeTable(file: File): Promise<boolean> {
  if (isNamedTable(file)) return true;
  const end = await bytesOf(file.slice(-MAGIC.length)).catch(() => []);
  return MAGIC.every((byte, i) => end[i] === byte);
}

/** True if the file begins and ends without control characters, which every block has. */
export async function isText(file: Blob): Promise<boolean> {
  const ends = [file.slice(0, ENDS), file.slice(-ENDS)].map(bytesOf);
  const isOfText = (byte: number): boolean =>
    (byte >= 0x20 && byte !== 0x7f) || [0x09, 0x0a, 0x0d].includes(byte);
  return file.size > 0 && (await Promise.all(ends)).every((bytes) => bytes.every(isOfText));
}
