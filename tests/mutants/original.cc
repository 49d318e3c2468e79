#include "tests/mutants/original.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_split.h"
#include "report/record_writer.h"
#include "sstable/experimental/layout.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/table_iterator.h"
#include "table/block/block.h"
#include "table/block/block_iterator.h"
#include "table/index/table_index.h"
#include "table/inspect/block_visits.h"
#include "table/table_internals.h"
#include "tests/support/whole_file.h"
#include "tools/files/open_table.h"

namespace sstable::mutants {
namespace {

RecordWriter NewLineWriter(KeyKind kind) {
  RecordWriterOptions options;
  options.format = RecordFormat::kJsonl;
  options.key_kind = kind;
  return RecordWriter(options);
}

void ReadIndexLines(const TableReader& reader, Original* original) {
  VisitBlocks(reader, [&](const VisitedBlock& block) {
    Block parsed;  // including RocksDB's properties
    if (block.info.kind == BlockKind::kData || !Block::TryParse(block.raw, &parsed)) return;
    BlockIterator it(&KeyOrderOf(reader), parsed);
    for (it.SeekToFirst(); it.Valid(); it.Next()) {
      for (const KeyKind kind : {KeyKind::kPlain, KeyKind::kInternal}) {
        std::string line;
        NewLineWriter(kind).Append(it.key(), it.value(), &line);
        line.pop_back();
        original->index_lines.insert(std::move(line));
      }
    }
  });
}

// Reads blocks and entries.
void Read(const TableReader& reader, Original* original) {
  original->kind = KeyOrderOf(reader).kind();
  for (const BlockInfo& block : DescribeLayout(reader).blocks) {
    original->blocks.push_back({block.kind, block.handle, block.type});
    if (block.kind == BlockKind::kIndex) original->index = block.handle;
    if (block.kind == BlockKind::kMetaindex) original->metaindex = block.handle;
  }
  const TableIndex* const index = IndexOf(reader);
  for (size_t i = 0; index != nullptr && i < index->size(); ++i) {
    original->data_blocks.push_back(index->record(i).handle());
  }
  ReadIndexLines(reader, original);
  const RecordWriter dump = NewLineWriter(original->kind), raw = NewLineWriter(KeyKind::kPlain);
  const auto it = reader.NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    original->entries.push_back(
        {std::string(it->key()), std::string(it->value()), it->block_index()});
    dump.Append(it->key(), it->value(), &original->dump);
    raw.Append(it->key(), it->value(), &original->raw_dump);
  }
  original->raw_lines = Lines(original->raw_dump);
  original->raw_line_set.insert(original->raw_lines.begin(), original->raw_lines.end());
  for (const absl::string_view line : Lines(original->dump)) original->dump_lines.insert(line);
}

}  // namespace

std::vector<absl::string_view> Lines(absl::string_view text) {
  std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  lines.pop_back();
  return lines;
}

std::string Original::UserKey(const OriginalEntry& entry) const {
  return std::string(kind == KeyKind::kInternal ? ExtractUserKey(entry.key) : entry.key);
}

Expected Original::Lookup(absl::string_view user_key) const {
  Expected expected;
  uint64_t newest = 0;
  for (const OriginalEntry& entry : entries) {
    if (kind == KeyKind::kPlain) {
      if (entry.key == user_key) return {Expected::Kind::kFound, entry.value};
      continue;
    }
    if (ExtractUserKey(entry.key) != user_key) continue;
    const auto parsed = ParseInternalKey(entry.key);
    if (!parsed.has_value()) return {Expected::Kind::kUnknown, ""};  // RocksDB has more value types
    if (expected.kind != Expected::Kind::kAbsent && parsed->sequence < newest) continue;
    newest = parsed->sequence;
    expected.kind =
        parsed->type == ValueType::kDeletion ? Expected::Kind::kDeleted : Expected::Kind::kFound;
    expected.value = entry.value;
  }
  return expected;
}

void LoadOriginal(const std::string& path, SstRunner* runner, Original* original) {
  original->name = path;
  original->bytes = test::ReadWholeFile(path);
  runner->Run([&](tools::Console* console) {
    const auto table = tools::OpenTable(path, {}, console);
    if (!table.ok()) return console->Fail(table.status());
    Read(*table->reader, original);
    return tools::ExitCode::kOk;
  });
  const SstResult dump = runner->Run({"dump", "--format", "jsonl", path});
  original->readable = dump.exit_code == 0 && dump.out == original->dump;
  if (!original->readable) return;
  original->check_passes = runner->Run({"check", path}).exit_code == 0;
  const std::string saved = runner->Path("baseline.ldb");
  original->salvage_is_whole =
      runner->Run({"salvage", path, "-o", saved}).exit_code == 0 &&
      runner->Run({"check", saved}).exit_code == 0 &&
      runner->Run({"dump", "--format", "jsonl", "--keys", "plain", saved}).out ==
          original->raw_dump;
  runner->Remove("baseline.ldb");
}

void LoadMade(const MadeTable& made, Original* original) {
  original->name = made.is_nested ? "made-nested" : "made";
  original->details = made.Describe();
  original->bytes = made.bytes;
  original->spec = made.spec;
  original->is_nested = made.is_nested;
  TableReaderOptions options;
  options.key_kind = made.spec.key_kind;
  const auto reader = TableReader::Open(NewMemoryFile(original->bytes, "made"), options);
  if (!reader.ok()) std::abort();
  Read(**reader, original);
  const auto is_same = [](const OriginalEntry& read, const auto& made_of) {
    return read.key == made_of.first && read.value == made_of.second;
  };
  if (!std::equal(original->entries.begin(), original->entries.end(), made.spec.entries.begin(),
                  made.spec.entries.end(), is_same)) {
    std::abort();
  }
  original->readable = original->check_passes = original->salvage_is_whole = true;
}

}  // namespace sstable::mutants
