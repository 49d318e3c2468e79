// Uncompresses blocks for leveldb_table.ksy in Node.js.
"use strict";

const zlib = require("node:zlib");

function snappy(bytes) {
  let at = 0;
  let size = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    size += (byte & 0x7f) * 2 ** shift;
    if (!(byte & 0x80)) break;
  }
  const out = Buffer.alloc(size);
  const littleEndian = (count) => {
    let number = 0;
    for (let i = 0; i < count; ++i) number += bytes[at++] * 2 ** (8 * i);
    return number;
  };
  let end = 0;
  while (at < bytes.length) {
    const tag = bytes[at++];
    const upper = tag >> 2;
    if ((tag & 3) === 0) {
      const length = 1 + (upper < 60 ? upper : littleEndian(upper - 59));
      out.set(bytes.subarray(at, at + length), end);
      at += length;
      end += length;
      continue;
    }
    const short = (tag & 3) === 1;
    const length = short ? 4 + (upper & 7) : 1 + upper;
    const back = short
      ? ((upper >> 3) << 8) + littleEndian(1)
      : littleEndian((tag & 3) === 2 ? 2 : 4);
    if (back === 0 || back > end || end + length > size) throw new Error("damaged Snappy");
    for (let i = 0; i < length; ++i, ++end) out[end] = out[end - back];
  }
  if (end !== size) throw new Error("damaged Snappy");
  return out;
}

class LeveldbCodec {
  constructor(compression) {
    this.compression = compression;
  }

  decode(bytes) {
    const isZstd =
      bytes.length >= 4 && Buffer.from(bytes.subarray(0, 4)).readUInt32LE() === 0xfd2fb528;
    if (this.compression === 0) return bytes;
    if (this.compression === 1) return snappy(bytes);
    if (this.compression === 2 && !isZstd) return zlib.inflateSync(bytes);
    if (this.compression === 2 && zlib.zstdDecompressSync) return zlib.zstdDecompressSync(bytes);
    if (this.compression === 4) return zlib.inflateRawSync(bytes);
    throw new Error(`no codec for blocks of type ${this.compression}`);
  }
}

module.exports = { LeveldbCodec };
