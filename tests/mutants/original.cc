#include "tests/mutants/original.h"

#include <fstream>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "table/block/block.h"
#include "table/block/block_iterator.h"
#include "table/inspect/layout.h"
#include "table/table_index.h"
#include "table/table_iterator.h"
#include "tools/records/record_writer.h"
#include "tools/table_input.h"
#include "util/internal_key.h"

namespace sstable::mutants {
namespace {

void ReadBlocks(const TableReader& reader, Original* original) {
  for (const BlockInfo& block : DescribeLayout(reader).blocks) {
    original->blocks.push_back({block.kind, block.handle, block.type});
  }
  const TableIndex* const index = reader.index();
  for (size_t i = 0; index != nullptr && i < index->size(); ++i) {
    original->data_blocks.push_back(index->record(i).handle());
  }
}

void ReadIndexLines(const TableReader& reader, Original* original) {
  tools::RecordWriterOptions options;
  options.format = tools::RecordFormat::kJsonl;
  options.key_kind = KeyKind::kPlain;
  const tools::RecordWriter writer(options);
  VisitBlocks(reader, [&](const VisitedBlock& block) {
    Block parsed;  // RocksDB's properties, too
    if (block.info.kind == BlockKind::kData || !Block::TryParse(block.raw, &parsed)) return;
    BlockIterator it(&reader.order(), parsed);
    for (it.SeekToFirst(); it.Valid(); it.Next()) {
      std::string line;
      writer.Append(it.key(), it.value(), &line);
      line.pop_back();
      original->index_lines.insert(std::move(line));
    }
  });
}

void ReadEntries(const TableReader& reader, Original* original) {
  const auto it = reader.NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    original->entries.push_back(
        {std::string(it->key()), std::string(it->value()), it->block_index()});
  }
}

bool IsSalvageWhole(const Original& original, const std::string& path, SstRunner* runner) {
  const std::string out = runner->Path("baseline.ldb");
  const bool is_whole =
      runner->Run({"salvage", path, "-o", out}).exit_code == 0 &&
      runner->Run({"check", out}).exit_code == 0 &&
      runner->Run({"dump", "--format", "jsonl", "--keys", "plain", out}).out == original.raw_dump;
  runner->Remove("baseline.ldb");
  return is_whole;
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
    if (!parsed.has_value()) return {Expected::Kind::kUnknown, ""};  // RocksDB has more types
    if (expected.kind != Expected::Kind::kAbsent && parsed->sequence < newest) continue;
    newest = parsed->sequence;
    expected.kind =
        parsed->type == ValueType::kDeletion ? Expected::Kind::kDeleted : Expected::Kind::kFound;
    expected.value = entry.value;
  }
  return expected;
}

void LoadOriginal(const std::string& path, SstRunner* runner, Original* original) {
  std::ifstream file(path, std::ios::binary);
  original->name = path;
  original->bytes.assign(std::istreambuf_iterator<char>(file), {});
  runner->Run([&](tools::Console* console) {
    const auto table = tools::OpenTable(path, {}, console);
    if (!table.ok()) return console->Fail(table.status());
    original->kind = table->reader->order().kind();
    original->order_known = table->order_known();
    ReadBlocks(*table->reader, original);
    ReadEntries(*table->reader, original);
    ReadIndexLines(*table->reader, original);
    return tools::ExitCode::kOk;
  });
  SstResult dump = runner->Run({"dump", "--format", "jsonl", path});
  original->readable = dump.exit_code == 0;
  if (!original->readable) return;
  original->dump = std::move(dump.out);
  original->raw_dump = runner->Run({"dump", "--format", "jsonl", "--keys", "plain", path}).out;
  original->raw_lines = Lines(original->raw_dump);
  original->raw_line_set.insert(original->raw_lines.begin(), original->raw_lines.end());
  for (absl::string_view line : Lines(original->dump)) original->dump_lines.insert(line);
  original->check_passes = runner->Run({"check", path}).exit_code == 0;
  original->salvage_is_whole = IsSalvageWhole(*original, path, runner);
}

}  // namespace sstable::mutants
