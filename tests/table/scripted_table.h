// A table that a script makes, damages and reads. scripts/README.md describes the commands.
#ifndef SSTABLE_TESTS_TABLE_SCRIPTED_TABLE_H_
#define SSTABLE_TESTS_TABLE_SCRIPTED_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "tests/support/block_bytes.h"
#include "tests/support/fake_files.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"
#include "tests/table/script_words.h"

namespace sstable::test {

// Where a table's bytes come from when they are read.
enum class Source {
  kMemory,  // changes of the bytes take effect at once
  kFile,    // reads each block
  kCached,  // kFile with a block cache
  kCold,    // a file not yet mapped; each lookup is the first of a new reader
};
const char* NameOf(Source source);

// Returns the sources in the option from=, or all of them if there is none.
std::vector<Source> SourcesFor(const Words& words);

class ScriptedTable {
 public:
  explicit ScriptedTable(Source source);

  // Returns the command's output as whole lines. Fails the test if there is no such command.
  std::string Run(const Words& words);

 private:
  struct Entry {
    std::string user_key, key, value;
    std::optional<uint64_t> sequence;
  };
  using Command = std::string (ScriptedTable::*)(const Words&);

  // Commands that make the table.
  std::string Start(const Words& words);
  std::string Build(const Words& words);
  std::string AddBlock(const Words& words);
  std::string AddBlocks(const Words& words);
  std::string AddStored(const Words& words);
  std::string AddIndexEntry(const Words& words);
  std::string AddMetaBlock(const Words& words);
  std::string AddMetaEntry(const Words& words);
  std::string AddFilter(const Words& words);
  // Commands that damage it.
  std::string Flip(const Words& words);
  std::string Put(const Words& words);
  std::string Copy(const Words& words);
  std::string Cut(const Words& words);
  std::string SetFooter(const Words& words);
  std::string Repair(const Words& words);
  std::string Fail(const Words& words);
  // Commands that read it.
  std::string OpenAgain(const Words& words);
  std::string Get(const Words& words);
  std::string GetAll(const Words& words);
  std::string Find(const Words& words);
  std::string Move(const Words& words);
  std::string Walk(const Words& words);
  std::string Load(const Words& words);
  std::string Count(const Words& words);
  std::string ProbePrefix(const Words& words);
  std::string Offset(const Words& words);
  std::string ShowMeta(const Words& words);
  std::string ShowReport(const Words& words);
  std::string Check(const Words& words);
  std::string ShowExtent(const Words& words);
  std::string ShowRange(const Words& words);
  std::string Rewrite(const Words& words);
  std::string Visit(const Words& words);
  std::string Salvage(const Words& words);

  void SetOption(absl::string_view name, const std::string& value);
  const FilterPolicy* PolicyOf(absl::string_view name) const;
  bool is_internal() const { return reader_options_.key_kind == KeyKind::kInternal; }
  Entry ParseKey(absl::string_view word) const;
  std::vector<Entry> ParseEntries(const Words& words, size_t first) const;
  std::string ShowKey(absl::string_view key) const;
  std::string Show(TableIterator* it) const;

  void FinishTable();
  std::pair<uint64_t, uint64_t> PartOf(const Words& words, size_t first);
  // Sets `*opened` to the file of the new reader, unless that is in memory.
  std::unique_ptr<TableReader> NewReader(FakeFile** opened = nullptr);
  const TableReader* Reader();
  std::string Lookup(const TableReader& reader, const Entry& key);
  std::string OpenError() const { return ShowStatus(open_status_); }

  const Source source_;
  const std::map<std::string, std::unique_ptr<const FilterPolicy>> policies_;
  std::unique_ptr<const TableFilterPolicy> table_policy_;
  std::string with_;  // replaces "%" in words
  TableBuilderOptions builder_options_;
  TableReaderOptions reader_options_;
  BlockShape index_shape_ = {/*restart_interval=*/1};

  std::optional<TableAssembler> assembler_;                      // null once it is finished
  std::vector<std::pair<uint64_t, std::vector<Entry>>> blocks_;  // offset, entries
  std::string bytes_;

  absl::Status open_status_;
  FakeFile* file_ = nullptr;  // owned by the reader; null if it is in memory
  std::pair<uint64_t, uint64_t> bad_range_ = {0, 0};
  std::unique_ptr<TableReader> reader_;
  std::unique_ptr<TableIterator> it_;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_TABLE_SCRIPTED_TABLE_H_
