// Makes tables for scripts/ that `sst build` would not write. setup.sh names its commands.
//
// table_tool seal FILE OFFSET SIZE: corrects the checksum of the block at OFFSET.
// table_tool find FILE PART: prints the offset in FILE at which the contents of the file PART are.
// table_tool assemble FILE: writes a table. Reads statements, one per line. Keys and values may
// have escapes such as \x00.
//   block INDEX_KEY KEY=VALUE...   a data block and its index entry
//   data KEY=VALUE...              a data block without an index entry
//   raw BYTE...                    a data block of these bytes in hex, without an index entry
//   index KEY N                    an index entry for block N, counted from 0
//   index KEY =VALUE               an index entry with this value
//   zlib INDEX_KEY KEY=VALUE...    a data block as RocksDB compresses it
//   filter KEY...                  a Bloom filter of one window with these keys
//   meta NAME [VALUE]              a meta block with these bytes, or without entries
// The empty key is "". A value consists of pieces joined by "+": @FILE for a file's contents,
// TEXT*N for N times TEXT, or a text.
//
// table_tool manifest FILE: writes a MANIFEST. Reads statements, one per line. Keys are
// KEY@SEQUENCE:
//   comparator NAME, log NUMBER, next NUMBER, last SEQUENCE
//   new LEVEL NUMBER SIZE SMALLEST LARGEST
//   drop LEVEL NUMBER
//   compact LEVEL KEY
//   edit   begins the next edit
//
// table_tool log FILE SEQUENCE: writes a log with one batch. Reads statements, one per line:
//   put KEY VALUE
//   delete KEY
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "sstable/database_files.h"
#include "sstable/experimental/log_file.h"
#include "sstable/experimental/write_batch.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "table/block/compression.h"
#include "tests/support/block_bytes.h"
#include "tests/support/hex.h"
#include "tests/support/table_parts.h"
#include "tests/support/whole_file.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace sstable::test {
namespace {

using Words = std::vector<std::string>;

std::string Unescaped(absl::string_view text) {
  std::string bytes;
  if (text == "\"\"") return bytes;
  return absl::CUnescape(text, &bytes) ? bytes : std::string(text);
}

std::string Value(absl::string_view pieces) {
  std::string value;
  for (const absl::string_view piece : absl::StrSplit(pieces, '+')) {
    const size_t star = piece.rfind('*');
    size_t count = 1;
    if (absl::StartsWith(piece, "@")) {
      value += ReadWholeFile(std::string(piece.substr(1)));
    } else if (star != piece.npos && absl::SimpleAtoi(piece.substr(star + 1), &count)) {
      for (; count > 0; --count) value += Unescaped(piece.substr(0, star));
    } else {
      value += Unescaped(piece);
    }
  }
  return value;
}

Entries EntriesOf(const Words& words, size_t first) {
  Entries entries;
  for (size_t i = first; i < words.size(); ++i) {
    const std::pair<std::string, std::string> entry =
        absl::StrSplit(words[i], absl::MaxSplits('=', 1));
    entries.emplace_back(Unescaped(entry.first), Value(entry.second));
  }
  return entries;
}

std::string FilterBlock(const Words& words) {
  const std::vector<absl::string_view> keys(words.begin() + 1, words.end());
  std::string block;
  NewBloomFilterPolicy(10)->CreateFilter(keys, &block);
  const size_t size = block.size();
  AppendFixed32(&block, 0);
  AppendFixed32(&block, static_cast<uint32_t>(size));
  return block + '\x0b';
}

std::string Assemble(std::istream& statements) {
  TableAssembler table;
  std::vector<BlockHandle> blocks;
  for (std::string line; std::getline(statements, line);) {
    const Words words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    const std::string& statement = words.at(0);
    if (statement == "block") {
      blocks.push_back(table.AddDataBlock(Unescaped(words.at(1)), EntriesOf(words, 2)));
    } else if (statement == "data") {
      blocks.push_back(table.AddBlock(EncodeBlock(EntriesOf(words, 1))));
    } else if (statement == "raw") {
      blocks.push_back(table.AddBlock(FromHex(line.substr(4))));
    } else if (statement == "index") {
      const std::string& value = words.at(2);
      table.AddIndexEntry(Unescaped(words.at(1)), value[0] == '='
                                                      ? Value(value.substr(1))
                                                      : blocks.at(std::stoul(value)).Encode());
    } else if (statement == "zlib") {
      BlockCompressor compressor(Compression::kRawDeflate, /*level=*/-1);
      const auto block = compressor.Compress(EncodeBlock(EntriesOf(words, 2)));
      blocks.push_back(table.AddBlock(block.value(), /*type=*/2));
      table.AddIndexEntry(Unescaped(words.at(1)), blocks.back().Encode());
    } else if (statement == "meta") {
      table.AddMetaBlock(words.at(1), words.size() == 2 ? EncodeBlock({}) : Value(words.at(2)));
    } else if (statement == "filter") {
      table.AddMetaBlock("filter.leveldb.BuiltinBloomFilter2", FilterBlock(words));
    } else {
      std::cerr << "table_tool: unknown statement \"" << line << "\"\n";
      std::exit(2);
    }
  }
  return table.Finish();
}

std::string Log(std::istream& statements, uint64_t sequence) {
  WriteBatch batch;
  for (std::string line; std::getline(statements, line);) {
    const Words words = absl::StrSplit(line, ' ');
    if (words.at(0) == "put") {
      batch.Put(Unescaped(words.at(1)), Unescaped(words.at(2)));
    } else {
      batch.Delete(Unescaped(words.at(1)));
    }
  }
  batch.set_sequence(sequence);
  std::string log;
  const auto file = NewStringFile(&log);
  return LogWriter(file.get()).AddRecord(batch.bytes()).ok() ? log : "";
}

std::string InternalKey(absl::string_view text) {
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, '@');
  return MakeInternalKey(Unescaped(parts.first), std::stoull(parts.second), ValueType::kValue);
}

std::string Manifest(std::istream& statements) {
  std::vector<VersionEdit> edits(1);
  for (std::string line; std::getline(statements, line);) {
    const Words words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.empty()) continue;
    const auto number = [&words](size_t i) { return std::stoull(words.at(i)); };
    const std::string& statement = words[0];
    VersionEdit& edit = edits.back();
    if (statement == "edit") {
      edits.emplace_back();
    } else if (statement == "comparator") {
      edit.comparator = line.substr(statement.size() + 1);
    } else if (statement == "log") {
      edit.log_number = number(1);
    } else if (statement == "next") {
      edit.next_file_number = number(1);
    } else if (statement == "last") {
      edit.last_sequence = number(1);
    } else if (statement == "drop") {
      edit.deleted_files.emplace_back(static_cast<int>(number(1)), number(2));
    } else if (statement == "compact") {
      edit.compact_pointers.emplace_back(static_cast<int>(number(1)), InternalKey(words.at(2)));
    } else {
      edit.new_files.push_back({static_cast<int>(number(1)), number(2), number(3),
                                InternalKey(words.at(4)), InternalKey(words.at(5))});
    }
  }
  std::string manifest;
  const auto file = NewStringFile(&manifest);
  LogWriter writer(file.get());
  for (const VersionEdit& edit : edits) {
    if (!writer.AddRecord(edit.Encode()).ok()) return "";
  }
  return manifest;
}

void Seal(const std::string& path, size_t offset, size_t size) {
  std::string bytes = ReadWholeFile(path);
  const absl::string_view covered = absl::string_view(bytes).substr(offset, size + 1);
  EncodeFixed32(&bytes.at(offset + size + 1), MaskCrc(Crc32c(covered)));
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace
}  // namespace sstable::test

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string& path = arguments.at(1);
  if (arguments[0] == "seal") {
    sstable::test::Seal(path, std::stoul(arguments.at(2)), std::stoul(arguments.at(3)));
  } else if (arguments[0] == "find") {
    using sstable::test::ReadWholeFile;
    std::cout << ReadWholeFile(path).find(ReadWholeFile(arguments.at(2))) << "\n";
  } else if (arguments[0] == "manifest") {
    std::ofstream(path, std::ios::binary) << sstable::test::Manifest(std::cin);
  } else if (arguments[0] == "log") {
    std::ofstream(path, std::ios::binary)
        << sstable::test::Log(std::cin, std::stoull(arguments.at(2)));
  } else {
    std::ofstream(path, std::ios::binary) << sstable::test::Assemble(std::cin);
  }
}
