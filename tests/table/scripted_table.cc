#include "tests/table/scripted_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_block.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "tests/support/exact_filter_policy.h"
#include "tests/support/order_cases.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_repair.h"
#include "util/coding.h"

namespace sstable::test {
namespace {

constexpr std::pair<const char*, Source> kSources[] = {{"memory", Source::kMemory},
                                                       {"file", Source::kFile},
                                                       {"cached", Source::kCached},
                                                       {"cold", Source::kCold}};

std::map<std::string, std::unique_ptr<const FilterPolicy>> Policies() {
  std::map<std::string, std::unique_ptr<const FilterPolicy>> policies;
  policies["bloom"] = NewBloomFilterPolicy(10);
  policies["old"] = NewBloomFilterPolicy(10, BloomName::kLevelDbOld);
  policies["rocksdb"] = NewBloomFilterPolicy(10, BloomName::kRocksDb);
  policies["exact"] = std::make_unique<ExactFilterPolicy>();
  policies["strange"] = std::make_unique<ExactFilterPolicy>("test.Strange\n");
  return policies;
}

bool HasNumber(const std::string& part) {
  return part == "block" || part == "trailer" || part == "meta";
}

}  // namespace

const char* NameOf(Source source) {
  for (const auto& [name, named] : kSources) {
    if (named == source) return name;
  }
  return "";
}

std::vector<Source> SourcesFor(const Words& words) {
  std::vector<Source> sources;
  for (const auto& [name, source] : kSources) {
    bool is_wanted = true;
    for (absl::string_view word : words) {
      if (!absl::ConsumePrefix(&word, "from=")) continue;
      const std::vector<std::string> names = absl::StrSplit(word, '+');
      is_wanted = std::find(names.begin(), names.end(), name) != names.end();
    }
    if (is_wanted) sources.push_back(source);
  }
  return sources;
}

ScriptedTable::ScriptedTable(Source source) : source_(source), policies_(Policies()) {}

std::string ScriptedTable::Run(const Words& words) {
  using T = ScriptedTable;
  static const std::map<std::string, Command> commands = {{"table", &T::Start},
                                                          {"build", &T::Build},
                                                          {"block", &T::AddBlock},
                                                          {"blocks", &T::AddBlocks},
                                                          {"stored", &T::AddStored},
                                                          {"index", &T::AddIndexEntry},
                                                          {"meta", &T::AddMetaBlock},
                                                          {"meta-entry", &T::AddMetaEntry},
                                                          {"filter", &T::AddFilter},
                                                          {"flip", &T::Flip},
                                                          {"put", &T::Put},
                                                          {"copy", &T::Copy},
                                                          {"cut", &T::Cut},
                                                          {"footer", &T::SetFooter},
                                                          {"repair", &T::Repair},
                                                          {"fail", &T::Fail},
                                                          {"open", &T::OpenAgain},
                                                          {"get", &T::Get},
                                                          {"get-all", &T::GetAll},
                                                          {"find", &T::Find},
                                                          {"first", &T::Move},
                                                          {"last", &T::Move},
                                                          {"seek", &T::Move},
                                                          {"next", &T::Move},
                                                          {"prev", &T::Move},
                                                          {"seek-block", &T::Move},
                                                          {"skip-damage", &T::Move},
                                                          {"forward", &T::Walk},
                                                          {"backward", &T::Walk},
                                                          {"load", &T::Load},
                                                          {"count", &T::Count},
                                                          {"count-reads", &T::Count},
                                                          {"prefix", &T::ProbePrefix},
                                                          {"offset", &T::Offset},
                                                          {"metaindex", &T::ShowMeta},
                                                          {"report", &T::ShowReport},
                                                          {"check", &T::Check},
                                                          {"extent", &T::ShowExtent},
                                                          {"range", &T::ShowRange},
                                                          {"rewrite", &T::Rewrite},
                                                          {"visit", &T::Visit},
                                                          {"salvage", &T::Salvage}};
  const auto command = commands.find(words.at(0));
  if (command == commands.end()) {
    ADD_FAILURE() << "no such command: " << words[0];
    return "";
  }
  Words replaced = words;
  for (std::string& word : replaced) word = absl::StrReplaceAll(word, {{"%", with_}});
  return (this->*command->second)(replaced);
}

const FilterPolicy* ScriptedTable::PolicyOf(absl::string_view name) const {
  return name == "none" ? nullptr : policies_.at(std::string(name)).get();
}

void ScriptedTable::SetOption(absl::string_view name, const std::string& value) {
  if (name == "keys") {
    builder_options_.key_kind = value == "internal" ? KeyKind::kInternal : KeyKind::kPlain;
    reader_options_.key_kind = builder_options_.key_kind;
  } else if (name == "order" || name == "read-order") {
    const Comparator* order = BytewiseComparator();
    if (value == "reverse") order = ReverseBytewiseComparator();
    if (value == "folding") order = OrderCases()[2].comparator;
    reader_options_.comparator = order;
    if (name == "order") builder_options_.comparator = order;
  } else if (name == "read-keys") {
    reader_options_.key_kind = value == "internal" ? KeyKind::kInternal : KeyKind::kPlain;
  } else if (name == "block-size") {
    builder_options_.block_size = Number(value);
  } else if (name == "interval") {
    builder_options_.block_restart_interval = static_cast<int>(Number(value));
  } else if (name == "index-interval") {
    index_shape_.restart_interval = static_cast<int>(Number(value));
  } else if (name == "codec") {
    builder_options_.compression = value == "none"     ? Compression::kNone
                                   : value == "snappy" ? Compression::kSnappy
                                   : value == "zstd"   ? Compression::kZstd
                                                       : Compression::kRawDeflate;
  } else if (name == "filter") {
    builder_options_.filter_policy = PolicyOf(value);
  } else if (name == "table-filter") {
    table_policy_ = value == "blocked" ? NewBlockedBloomPolicy(10)
                    : value == "fuse8" ? NewBinaryFusePolicy(FuseBits::k8)
                                       : NewBinaryFusePolicy(FuseBits::k16);
    builder_options_.table_filter_policy = table_policy_.get();
  } else if (name == "prefixes") {
    builder_options_.table_filter_prefixes = PrefixExtractor::Parse(value);
  } else if (name == "base-lg") {
    builder_options_.filter_base_lg = static_cast<int>(Number(value));
  } else if (name == "knows") {
    reader_options_.filter_policies = {PolicyOf(value)};
  } else if (name == "use-filter") {
    reader_options_.use_filter = value == "yes";
  } else if (name == "verify") {
    reader_options_.verify_checksums = value == "always"  ? VerifyChecksums::kAlways
                                       : value == "never" ? VerifyChecksums::kNever
                                                          : VerifyChecksums::kFirstTouch;
  } else if (name == "with") {
    with_ = value;
  } else if (name != "from") {
    ADD_FAILURE() << "no such option: " << name;
  }
}

ScriptedTable::Entry ScriptedTable::ParseKey(absl::string_view word) const {
  const size_t at = builder_options_.key_kind == KeyKind::kInternal ? word.rfind('@') : word.npos;
  Entry entry;
  if (word != "\"\"") entry.user_key = Unescape(word.substr(0, at));
  entry.key = entry.user_key;
  if (at == word.npos) return entry;
  absl::string_view tag = word.substr(at + 1);
  uint64_t type = 1;
  if (absl::ConsumeSuffix(&tag, "-")) type = 0;
  const std::vector<std::string> parts = absl::StrSplit(tag, ':');
  if (parts.size() > 1) type = Number(parts[1]);
  entry.sequence = Number(parts[0]);
  AppendFixed64(&entry.key, *entry.sequence << 8 | type);  // some are invalid
  return entry;
}

std::vector<ScriptedTable::Entry> ScriptedTable::ParseEntries(const Words& words,
                                                              size_t first) const {
  std::vector<Entry> entries;
  for (const std::string& word : Expand(words, first)) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(word, absl::MaxSplits('=', 1));
    entries.push_back(ParseKey(parts.first));
    entries.back().value = Unescape(parts.second);
  }
  return entries;
}

std::string ScriptedTable::Start(const Words& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    const std::pair<std::string, std::string> option = absl::StrSplit(words[i], '=');
    SetOption(option.first, option.second);
  }
  assembler_.emplace();
  return "";
}

std::string ScriptedTable::Build(const Words& words) {
  static constexpr absl::string_view kEntries = "--";
  const auto entries = std::find(words.begin(), words.end(), kEntries);
  Start(Words(words.begin(), entries));
  assembler_.reset();
  const size_t first = static_cast<size_t>(entries - words.begin()) + 1;
  blocks_ = {{0, ParseEntries(words, first)}};
  Entries to_build;
  for (const Entry& entry : blocks_[0].second) to_build.emplace_back(entry.key, entry.value);
  const absl::StatusOr<std::string> bytes = BuildTable(builder_options_, to_build);
  if (!bytes.ok()) return absl::StrCat(ShowStatus(bytes.status()), "\n");
  bytes_ = *bytes;
  return "";
}

std::string ScriptedTable::AddBlock(const Words& words) {
  const std::vector<Entry> entries = ParseEntries(words, 2);
  Entries raw;
  for (const Entry& entry : entries) raw.emplace_back(entry.key, entry.value);
  blocks_.emplace_back(assembler_->size(), entries);
  if (words.at(1) == "-") {
    assembler_->AddBlock(EncodeBlock(raw));
  } else {
    assembler_->AddDataBlock(ParseKey(words[1]).key, raw);
  }
  return "";
}

// blocks N ENTRY...: adds blocks of N entries each; separators are their last keys.
std::string ScriptedTable::AddBlocks(const Words& words) {
  const std::vector<Entry> entries = ParseEntries(words, 2);
  for (size_t start = 0; start < entries.size(); start += Number(words[1])) {
    const size_t end = std::min<size_t>(entries.size(), start + Number(words[1]));
    blocks_.emplace_back(assembler_->size(), std::vector<Entry>());
    Entries raw;
    for (size_t i = start; i < end; ++i) {
      blocks_.back().second.push_back(entries[i]);
      raw.emplace_back(entries[i].key, entries[i].value);
    }
    assembler_->AddDataBlock(raw.back().first, raw);
  }
  return "";
}

// stored SEPARATOR TYPE BYTES...: adds a data block. If SEPARATOR is "-", it gets no index entry.
std::string ScriptedTable::AddStored(const Words& words) {
  blocks_.emplace_back(assembler_->size(), std::vector<Entry>());
  const BlockHandle handle =
      assembler_->AddBlock(Bytes(words, 3), static_cast<uint8_t>(Number(words.at(2))));
  if (words[1] != "-") assembler_->AddIndexEntry(ParseKey(words[1]).key, handle.Encode());
  return "";
}

// index KEY OFFSET SIZE or index KEY VALUE: adds an index entry.
std::string ScriptedTable::AddIndexEntry(const Words& words) {
  const bool is_handle = words.size() == 4;
  assembler_->AddIndexEntry(
      ParseKey(words[1]).key,
      is_handle ? BlockHandle{Number(words[2]), Number(words[3])}.Encode() : Bytes(words, 2));
  return "";
}

std::string ScriptedTable::AddMetaBlock(const Words& words) {
  assembler_->AddMetaBlock(Unescape(words.at(1)), Bytes(words, 3),
                           static_cast<uint8_t>(Number(words.at(2))));
  return "";
}

std::string ScriptedTable::AddMetaEntry(const Words& words) {
  assembler_->AddMetaEntry(Unescape(words.at(1)), Bytes(words, 2));
  return "";
}

// filter NAME|- [POLICY] [whole|N]: adds a filter of user keys, or of whole keys, for all blocks so
// far or for the first N.
std::string ScriptedTable::AddFilter(const Words& words) {
  const FilterPolicy* policy =
      words.size() > 2 ? PolicyOf(words[2]) : builder_options_.filter_policy;
  if (policy == nullptr) return "";
  const std::string name =
      words[1] == "-" ? absl::StrCat("filter.", policy->Name()) : Unescape(words[1]);
  const bool is_whole = words.size() > 3 && words[3] == "whole";
  const InternalFilterPolicy of_user_keys(policy);
  if (is_internal() && !is_whole) policy = &of_user_keys;
  FilterBlockBuilder filter(policy, builder_options_.filter_base_lg);
  const size_t count = words.size() > 3 && !is_whole ? Number(words[3]) : blocks_.size();
  for (size_t i = 0; i < count; ++i) {
    filter.StartBlock(blocks_[i].first);
    for (const Entry& entry : blocks_[i].second) filter.AddKey(entry.key);
  }
  if (count == blocks_.size()) filter.StartBlock(assembler_->size());
  assembler_->AddMetaBlock(name, *filter.Finish());
  return "";
}

void ScriptedTable::FinishTable() {
  if (!assembler_.has_value()) return;
  bytes_ = assembler_->Finish(index_shape_);
  assembler_.reset();
}

// Returns offset and size of "block N", its "trailer N", "index", "metaindex", "meta N" or "file".
std::pair<uint64_t, uint64_t> ScriptedTable::PartOf(const Words& words, size_t first) {
  FinishTable();
  const std::string& part = words.at(first);
  if (part == "file") return {0, bytes_.size()};
  const auto reader = TableReader::Open(NewMemoryFile(bytes_), reader_options_);
  EXPECT_OK(reader.status());
  if (part == "index") return {(*reader)->footer().index.offset, (*reader)->footer().index.size};
  BlockHandle handle = (*reader)->footer().metaindex;
  if (part == "block" || part == "trailer") {
    handle = IndexOf(**reader)->record(Number(words.at(first + 1))).handle();
    if (part == "trailer") return {handle.offset + handle.size, kBlockTrailerSize};
  }
  if (part == "meta") handle = (*reader)->meta_blocks().at(Number(words.at(first + 1))).handle;
  return {handle.offset, handle.size};
}

std::string ScriptedTable::Flip(const Words& words) {
  const size_t next = HasNumber(words.at(1)) ? 3 : 2;
  const uint64_t start = PartOf(words, 1).first;
  bytes_[start + (words.size() > next ? Number(words[next]) : 0)] ^= 0x10;
  return "";
}

// put PART BYTE BYTES...: overwrites bytes of a part.
std::string ScriptedTable::Put(const Words& words) {
  const size_t next = HasNumber(words.at(1)) ? 3 : 2;
  const std::string bytes = Bytes(words, next + 1);
  bytes_.replace(PartOf(words, 1).first + Number(words.at(next)), bytes.size(), bytes);
  return "";
}

// copy N M: overwrites block M with block N and its trailer.
std::string ScriptedTable::Copy(const Words& words) {
  const auto from = PartOf({"block", words.at(1)}, 0), to = PartOf({"block", words.at(2)}, 0);
  const std::string block = bytes_.substr(from.first, from.second + kBlockTrailerSize);
  bytes_.replace(to.first, block.size(), block);
  return "";
}

// cut N|PART: removes the last N bytes, or everything from the part on.
std::string ScriptedTable::Cut(const Words& words) {
  FinishTable();
  uint64_t count = 0;
  bytes_.resize(absl::SimpleAtoi(words.at(1), &count) ? bytes_.size() - count
                                                      : PartOf(words, 1).first);
  return "";
}

// footer METAINDEX INDEX: replaces the footer's handles. Each is OFFSET,SIZE or a part such as
// block,2.
std::string ScriptedTable::SetFooter(const Words& words) {
  FinishTable();
  BlockHandle handles[2];
  for (size_t i = 0; i < 2; ++i) {
    const std::vector<std::string> fields = Fields(words.at(i + 1));
    uint64_t offset = 0;
    const auto part = absl::SimpleAtoi(fields[0], &offset) ? std::pair(offset, Number(fields[1]))
                                                           : PartOf(fields, 0);
    handles[i] = {part.first, part.second};
  }
  bytes_.replace(bytes_.size() - kFooterSize, kFooterSize, Footer{handles[0], handles[1]}.Encode());
  return "";
}

std::string ScriptedTable::Repair(const Words&) {
  RepairChecksums(&bytes_);
  return "";
}

// fail PART: makes reads of that part of the file fail from now on. "fail nothing" ends that.
std::string ScriptedTable::Fail(const Words& words) {
  bad_range_ = words.at(1) == "nothing" ? std::pair<uint64_t, uint64_t>{0, 0} : PartOf(words, 1);
  if (reader_ != nullptr) file_->SetBadRange(bad_range_.first, bad_range_.second);
  return "";
}

}  // namespace sstable::test
