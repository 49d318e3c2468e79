// Commands that print what a reader and its iterators return.
#include <initializer_list>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "sstable/internal_key.h"
#include "table/block/show_key.h"
#include "table/index/table_index.h"
#include "table/metaindex.h"
#include "table/table_internals.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_walk.h"
#include "tests/table/scripted_table.h"

namespace sstable::test {
namespace {

// Counts equal lines, and lists them in the order of their first occurrence.
class LineCounts {
 public:
  void Add(const std::string& line) {
    if (counts_[line]++ == 0) order_.push_back(line);
  }
  std::string Show() const {
    std::string text;
    for (const std::string& line : order_) absl::StrAppend(&text, counts_.at(line), line, "\n");
    return text;
  }

 private:
  std::map<std::string, int> counts_;
  std::vector<std::string> order_;
};

// Returns the quoted value, "deleted", "absent", or the error.
std::string Outcome(const absl::StatusOr<Presence>& presence, absl::string_view value) {
  if (!presence.ok()) return ShowStatus(presence.status());
  if (*presence == Presence::kFound) return absl::StrCat("\"", ShowBytes(value), "\"");
  return *presence == Presence::kDeleted ? "deleted" : "absent";
}

}  // namespace

std::unique_ptr<TableReader> ScriptedTable::NewReader(FakeFile** opened) {
  FinishTable();
  std::unique_ptr<RandomAccessFile> file = NewMemoryFile(bytes_, "t.ldb");
  if (source_ != Source::kMemory) {
    auto fake = std::make_unique<FakeFile>(bytes_.size(),
                                           std::map<uint64_t, std::string>{{0, bytes_}}, "t.ldb");
    fake->SetUnmapped(source_ == Source::kCold);
    fake->SetBadRange(bad_range_.first, bad_range_.second);
    if (opened != nullptr) *opened = fake.get();
    file = std::move(fake);
  }
  TableReaderOptions options = reader_options_;
  if (source_ == Source::kCached) options.block_cache = std::make_shared<BlockCache>(1 << 20);
  auto reader = TableReader::Open(std::move(file), options);
  open_status_ = reader.status();
  return reader.ok() ? *std::move(reader) : nullptr;
}

const TableReader* ScriptedTable::Reader() {
  if (reader_ == nullptr) reader_ = NewReader(&file_);
  return reader_.get();
}

std::string ScriptedTable::OpenAgain(const Words& words) {
  it_.reset();
  reader_.reset();
  for (size_t i = 1; i < words.size(); ++i) {
    const std::pair<std::string, std::string> option = absl::StrSplit(words[i], '=');
    SetOption(option.first, option.second);
  }
  return Reader() == nullptr ? absl::StrCat(OpenError(), "\n") : "";
}

// Returns the outcome of all kinds of lookups, which must agree, also when repeated.
std::string ScriptedTable::Lookup(const TableReader& reader, const Entry& key) {
  const ReadOptions options = {key.sequence.value_or(kMaxSequence)};
  std::string value;
  absl::StatusOr<Presence> presence = reader.Get(key.user_key, &value, options);
  const std::string outcome = Outcome(presence, value);
  for (int i = 0; i < 2; ++i) {
    LookupRequest request = {key.user_key, &value};
    reader.MultiGet(absl::MakeSpan(&request, 1), options);
    EXPECT_EQ(Outcome(request.presence, value), outcome) << "by MultiGet(): " << key.user_key;
    presence = reader.Get(key.user_key, &value, options);
    EXPECT_EQ(Outcome(presence, value), outcome) << "once more: " << key.user_key;
  }
  const auto optional = reader.Get(key.user_key, options);
  EXPECT_EQ(optional.status(), presence.status());
  if (presence.ok()) {
    EXPECT_EQ(optional->has_value(), *presence == Presence::kFound);
    if (optional->has_value()) {
      EXPECT_EQ(**optional, value);
    }
  }
  return outcome;
}

// get KEY...: looks up user keys, each at the snapshot after "@".
std::string ScriptedTable::Get(const Words& words) {
  std::vector<std::string> lines;
  std::vector<Entry> keys;
  for (const std::string& word : Expand(words, 1)) {
    keys.push_back(ParseKey(word));
    // A reader's first lookups use other code, so each key gets a new reader.
    const std::unique_ptr<TableReader> cold = source_ == Source::kCold ? NewReader() : nullptr;
    const TableReader* const reader = cold != nullptr ? cold.get() : Reader();
    lines.push_back(reader == nullptr ? OpenError()
                                      : absl::StrCat(word, ": ", Lookup(*reader, keys.back())));
    if (reader == nullptr) return Lines(lines);
  }
  std::vector<std::string> values(keys.size());
  std::vector<LookupRequest> requests;
  for (size_t i = 0; i < keys.size(); ++i) requests.push_back({keys[i].user_key, &values[i]});
  if (is_internal() && keys[0].sequence.has_value()) return Lines(lines);  // snapshots differ
  Reader()->MultiGet(absl::MakeSpan(requests));
  for (size_t i = 0; i < keys.size(); ++i) {
    EXPECT_TRUE(
        absl::EndsWith(lines[i], absl::StrCat(": ", Outcome(requests[i].presence, values[i]))))
        << "by MultiGet() of all: " << lines[i];
  }
  return Lines(lines);
}

// get-all: looks up each key and an absent one after it, and iterates in both directions.
std::string ScriptedTable::GetAll(const Words&) {
  if (Reader() == nullptr) return absl::StrCat(OpenError(), "\n");
  LineCounts counts;
  Entries all;
  for (const auto& block : blocks_) {
    for (const Entry& entry : block.second) {
      all.emplace_back(entry.key, entry.value);
      const std::string outcome = Lookup(*reader_, entry);
      const bool is_deleted = is_internal() && (ExtractTag(entry.key) & 0xff) == 0;
      const std::string expected =
          is_deleted ? "deleted" : absl::StrCat("\"", ShowBytes(entry.value), "\"");
      counts.Add(outcome == expected ? " as written" : absl::StrCat(": ", outcome));
      Entry other = entry;
      other.user_key += "x";
      counts.Add(absl::StrCat(" other: ", Lookup(*reader_, other)));
    }
  }
  std::string text = counts.Show();
  const auto it = reader_->NewIterator();
  const auto walks = {std::make_pair("forward", WalkForward(it.get())),
                      std::make_pair("backward", WalkBackward(it.get()))};
  for (const auto& [name, walk] : walks) {
    if (walk.status.ok() && walk.entries == all) {
      absl::StrAppend(&text, name, ": all\n");
    } else {
      absl::StrAppend(&text, name, ": ", walk.entries.size(), ", ", ShowStatus(walk.status), "\n");
    }
  }
  return text;
}

// find KEY...: calls InternalGet().
std::string ScriptedTable::Find(const Words& words) {
  std::vector<std::string> lines;
  for (size_t i = 1; i < words.size(); ++i) {
    std::string found = "none";
    const absl::Status status = Reader()->InternalGet(
        ParseKey(words[i]).key, [&](absl::string_view key, absl::string_view value) {
          EXPECT_EQ(found, "none") << "visited twice";
          found = absl::StrCat(ShowKey(key), "=", ShowBytes(value));
        });
    lines.push_back(absl::StrCat(words[i], ": ", status.ok() ? found : ShowStatus(status)));
  }
  return Lines(lines);
}

std::string ScriptedTable::ShowKey(absl::string_view key) const {
  return is_internal() ? sstable::ShowKey(KeyKind::kInternal, key) : ShowBytes(key);
}

std::string ScriptedTable::Show(TableIterator* it) const {
  if (it->Valid()) {
    EXPECT_OK(it->status());
  }
  return absl::StrCat(it->Valid()         ? ShowKey(it->key())
                      : it->status().ok() ? "none"
                                          : ShowStatus(it->status()),
                      " (", it->block_index(), ")");
}

// Steps an iterator. Prints its key and, in parentheses, the current block.
std::string ScriptedTable::Move(const Words& words) {
  if (it_ == nullptr) it_ = Reader()->NewIterator();
  const std::string& step = words[0];
  bool has_skipped = true;
  if (step == "first") it_->SeekToFirst();
  if (step == "last") it_->SeekToLast();
  if (step == "next") it_->Next();
  if (step == "prev") it_->Prev();
  if (step == "seek-block") it_->SeekToBlock(Number(words.at(1)));
  if (step == "skip-damage") has_skipped = it_->SkipDamage();
  if (step != "seek") {
    return absl::StrCat(has_skipped ? "" : "nothing to skip: ", Show(it_.get()), "\n");
  }
  std::vector<std::string> lines;
  for (size_t i = 1; i < words.size(); ++i) {
    it_->Seek(ParseKey(words[i]).key);
    lines.push_back(absl::StrCat(words[i], ": ", Show(it_.get())));
  }
  return Lines(lines);
}

// Prints the keys from the iterator's position on, then where and how it ends.
std::string ScriptedTable::Walk(const Words& words) {
  std::string keys;
  while (it_->Valid()) {
    absl::StrAppend(&keys, ShowKey(it_->key()), " ");
    words[0] == "forward" ? it_->Next() : it_->Prev();
  }
  return absl::StrCat(keys, Show(it_.get()), "\n");
}

// load: loads index and filter, and prints the name of the filter that lookups use.
std::string ScriptedTable::Load(const Words&) {
  if (Reader() == nullptr) return absl::StrCat(OpenError(), "\n");
  const absl::Status index = reader_->LoadIndex(), filter = reader_->LoadFilter();
  EXPECT_EQ(IndexOf(*reader_) != nullptr, index.ok());
  std::string used = ShowStatus(filter);
  if (reader_->filter() != nullptr) used = std::string(reader_->filter()->policy()->Name());
  if (reader_->filter() != nullptr && !filter.ok())
    absl::StrAppend(&used, ", ", ShowStatus(filter));
  return absl::StrCat("index: ", ShowStatus(index), "\nfilter: ", used, "\n");
}

// count KEY..., count-reads KEY...: prints what a lookup of each counts after index and filter are
// loaded.
std::string ScriptedTable::Count(const Words& words) {
  const std::unique_ptr<TableReader> reader = NewReader();
  static_cast<void>(reader->LoadFilter());
  const ReaderStats before = reader->stats();
  for (const std::string& word : Expand(words, 1)) {
    const Entry key = ParseKey(word);
    std::string value;
    static_cast<void>(reader->Get(key.user_key, &value, {key.sequence.value_or(kMaxSequence)}));
  }
  const ReaderStats stats = reader->stats();
  EXPECT_EQ(before.lookups + before.filter_negatives + before.filter_positives, 0);
  std::string text =
      absl::StrCat(stats.lookups, " lookups, filter: ", stats.filter_negatives, " negative, ",
                   stats.filter_positives, " positive, ", stats.false_positives, " false");
  if (words[0] == "count-reads") {
    absl::StrAppend(&text, "; read ", stats.blocks_read - before.blocks_read, " blocks, ",
                    stats.bytes_read - before.bytes_read, " bytes");
  }
  return absl::StrCat(text, "\n");
}

// prefix PREFIX...: prints whether the filter excludes it, and what an iterator over it finds and
// reads.
std::string ScriptedTable::ProbePrefix(const Words& words) {
  std::vector<std::string> lines;
  for (size_t i = 1; i < words.size(); ++i) {
    const absl::StatusOr<bool> may_match = Reader()->ProbePrefix(words[i]);
    const uint64_t blocks_before = reader_->stats().blocks_read;
    const auto it = reader_->NewPrefixIterator(words[i]);
    const auto forward = WalkForward(it.get()), backward = WalkBackward(it.get());
    const uint64_t read = reader_->stats().blocks_read - blocks_before;
    EXPECT_EQ(forward.entries, backward.entries);
    EXPECT_EQ(forward.status, backward.status);
    lines.push_back(absl::StrCat(words[i], ": ",
                                 !may_match.ok() ? ShowStatus(may_match.status())
                                 : *may_match    ? "may be"
                                                 : "ruled out",
                                 ", ", forward.entries.size(), " entries, ",
                                 ShowStatus(forward.status), read == 0 ? ", no block read" : ""));
  }
  return Lines(lines);
}

std::string ScriptedTable::Offset(const Words& words) {
  std::vector<std::string> lines;
  for (size_t i = 1; i < words.size(); ++i) {
    const auto offset = Reader()->ApproximateOffsetOf(ParseKey(words[i]).key);
    lines.push_back(absl::StrCat(
        words[i], ": ", offset.ok() ? absl::StrCat(*offset) : ShowStatus(offset.status())));
  }
  return Lines(lines);
}

// metaindex [NAME...]: prints the meta blocks, the filter that lookups use or why there is none,
// and the result of reading a block of each NAME.
std::string ScriptedTable::ShowMeta(const Words& words) {
  if (Reader() == nullptr) return absl::StrCat(OpenError(), "\n");
  std::vector<std::string> lines = {ShowStatus(reader_->metaindex_status())};
  for (const MetaBlock& block : reader_->meta_blocks()) {
    const auto contents = reader_->ReadMetaBlock(block.name);
    lines.push_back(absl::StrCat(
        absl::CHexEscape(block.name), " at ", block.handle.offset, ", ", block.handle.size,
        " bytes: ", contents.ok() ? ShowBytes(*contents) : "not readable"));
  }
  for (size_t i = 1; i < words.size(); ++i) {
    lines.push_back(ShowStatus(reader_->ReadMetaBlock(words[i]).status()));
  }
  if (reader_->dialect() == CompressionNumbering::kRocksDb) lines.push_back("RocksDB's codecs");
  const Metaindex::Filter filter =
      MetaindexOf(*reader_).FindFilter(reader_options_.filter_policies);
  EXPECT_EQ(filter.policy != nullptr, filter.status.ok());
  if (filter.block != nullptr) {
    EXPECT_EQ(filter.block->name, absl::StrCat("filter.", filter.policy_name));
  }
  lines.push_back(absl::StrCat(
      "filter: ", filter.block == nullptr ? "" : absl::StrCat(filter.policy_name, ", "),
      ShowStatus(filter.status)));
  return Lines(lines);
}

}  // namespace sstable::test
