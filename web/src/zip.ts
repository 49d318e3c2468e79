// Writes an uncompressed zip file, which every system can open.

/** A file of a new folder. */
export interface NewFile {
  name: string;
  data: Blob;
  crc32: number;
}

// Larger files would need ZIP64.
const LIMIT = 0xffffffff; // bytes and offsets
const FILES_LIMIT = 0xffff;
const FOLDER_SEPARATOR = "/";
const UTF8_NAMES = 0x800;
const UNIX = 3;
const FILE_MODE = 0o100644;

// Returns little-endian fields: two bytes for [n], four for n.
function fields(...values: (number | [number])[]): Uint8Array {
  const bytes: number[] = [];
  for (const value of values) {
    const [n, size] = typeof value === "number" ? [value, 4] : [value[0], 2];
    for (let i = 0; i < size; ++i) bytes.push((n >>> (8 * i)) & 0xff);
  }
  return Uint8Array.from(bytes);
}

// Returns local time and date in MS-DOS format, in steps of two seconds.
const timeAndDate = (at: Date): [[number], [number]] => [
  [(at.getHours() << 11) | (at.getMinutes() << 5) | (at.getSeconds() >> 1)],
  [((at.getFullYear() - 1980) << 9) | ((at.getMonth() + 1) << 5) | at.getDate()],
];

/** The parts of a zip file with `files` in the folder `folder`, dated now. Fails above 4 GB. */
export function zipOf(folder: string, files: NewFile[]): BlobPart[] {
  const parts: BlobPart[] = [];
  const directory: BlobPart[] = [];
  const now = timeAndDate(new Date());
  let offset = 0;
  let directorySize = 0;
  for (const { name, data, crc32 } of files) {
    const path = new TextEncoder().encode(folder + FOLDER_SEPARATOR + name);
    // Flags, no compression, time, date, checksum, both sizes, size of the name, no extra fields.
    const common = fields(
      [UTF8_NAMES],
      [0],
      ...now,
      crc32,
      data.size,
      data.size,
      [path.length],
      [0],
    );
    const local = [fields(0x04034b50, [10]), common, path];
    const listed = [
      fields(0x02014b50, [(UNIX << 8) | 10], [10]),
      common,
      fields([0], [0], [0], FILE_MODE << 16, offset),
      path,
    ];
    parts.push(...local, data);
    directory.push(...listed);
    offset += local.reduce((sum, part) => sum + part.length, 0) + data.size;
    directorySize += listed.reduce((sum, part) => sum + part.length, 0);
  }
  if (offset + directorySize >= LIMIT || files.length >= FILES_LIMIT) {
    throw new Error("the new folder is too large for a zip file; sst salvage writes it to a disk");
  }
  const end = fields(0x06054b50, [0], [0], [files.length], [files.length], directorySize, offset, [
    0,
  ]);
  return [...parts, ...directory, end];
}
