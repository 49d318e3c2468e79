#include "tools/cmd_get.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sstable/filter_block.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "sstable/key_guess.h"
#include "sstable/table_iterator.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/block_iterator.h"
#include "table/block/show_key.h"
#include "table/inspect/guarded_scan.h"
#include "table/inspect/placement.h"
#include "table/table_index.h"
#include "table/table_internals.h"
#include "tools/cli/words.h"
#include "tools/lookup_trace.h"
#include "tools/records/text_encoding.h"
#include "tools/table_input.h"
#include "tools/trace_text.h"
#include "util/coding.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "get",
      "print the value of a key",
      "FILE... KEY",
      /*min_arguments=*/2,
      /*max_arguments=*/SIZE_MAX,
      R"(Looks KEY up and prints its value: the bytes as they are, with nothing added,
or on a terminal as text. Of several FILEs with plain keys the first that has
KEY gives the value. With internal keys KEY is a user key, and of all FILEs the
newest version counts, as in a database; a deletion, too.

If KEY is absent or deleted, nothing is printed and the exit code is 1.
If a table does not show the order or the kind of its keys, all of it is read,
and KEY may be a whole key or a user key.

Before KEY is called absent, the data blocks that it belongs to are read without
asking the filter, and tables of up to 16 MiB altogether as a whole. If KEY is
there though a lookup does not find it, its value is printed, and the exit code
is 1.

Write -- in front of FILE if KEY begins with a dash.)",
      R"(  sst get fruit.ldb banana
  sst get --explain 000005.ldb 'user:17\x00'
  sst get --encoding hex --format hex 000005.ldb 00ff
  sst get --snapshot 1200 *.ldb apple)"};
  return *info;
}

enum class ValueFormat { kAuto, kRaw, kEscaped, kUtf8, kHex, kBase64 };

// The version of a key that a table has.
struct Version {
  uint64_t sequence = kMaxSequence;  // of plain keys this
  bool deleted = false;
  std::string value;
  std::string file;
  bool is_lost_to_lookups = false;
};

// Tables of so many bytes altogether are read as a whole before a key is called absent.
constexpr uint64_t kMaxBytesRead = uint64_t{16} << 20;

// What a table has of a key, as a plain key and as a user key, in blocks that were read.
struct Sighting {
  std::optional<Version> plain, newest;
  size_t block = 0;       // of the one that is there
  std::string entry_key;  // likewise
  absl::Status damage;    // the first, where some can't be read or are not where they should be

  const std::optional<Version>& version() const { return plain.has_value() ? plain : newest; }
};

class GetCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  using FoundVersion = absl::StatusOr<std::optional<Version>>;

  std::string Target(const TableReader& reader, const std::string& key) const;
  FoundVersion LookUp(const std::string& path, const std::string& key, Console* console);
  FoundVersion Search(const TableReader& reader, const std::string& key, Console* console) const;
  FoundVersion Scan(const InputTable& table, const std::string& key, absl::string_view why,
                    Console* console) const;
  absl::StatusOr<Sighting> ReadBlocks(const InputTable& table, const std::string& key, size_t first,
                                      size_t end) const;
  FoundVersion Confirm(const InputTable& table, const std::string& key,
                       std::optional<Version> found, Console* console);
  bool IsKindOpen(const InputTable& table) const;
  void Explain(const TableReader& reader, const std::string& target, uint64_t data_bytes_read,
               Console* console) const;
  void PrintValue(absl::string_view value, Console* console) const;

  TableInputOptions input_;
  TextEncoding encoding_ = TextEncoding::kEscaped;
  ValueFormat format_ = ValueFormat::kAuto;
  std::optional<uint64_t> snapshot_;
  bool explain_ = false;
  uint64_t bytes_left_ = kMaxBytesRead;
  std::string assumption_;  // by which the key is absent from the last table not read as a whole
};

void GetCommand::AddOptions(CommandLine* command_line) {
  command_line->AddChoice<TextEncoding>(
      "--encoding",
      {{"escaped", TextEncoding::kEscaped},
       {"hex", TextEncoding::kHex},
       {"base64", TextEncoding::kBase64}},
      &encoding_,
      "How KEY is given; escaped (the default) knows \\\\ \\t \\n "
      "\\r and \\xHH");
  command_line->AddChoice<ValueFormat>("--format",
                                       {{"raw", ValueFormat::kRaw},
                                        {"escaped", ValueFormat::kEscaped},
                                        {"utf8", ValueFormat::kUtf8},
                                        {"hex", ValueFormat::kHex},
                                        {"base64", ValueFormat::kBase64}},
                                       &format_,
                                       "How the value is printed. All but raw end it with a line "
                                       "end. Default: raw; utf8 on a terminal");
  command_line->AddParsed(
      "--snapshot", "SEQUENCE",
      [this](const std::string& text) {
        const absl::StatusOr<uint64_t> sequence = ParseNumber(text, {0, kMaxSequence});
        if (sequence.ok()) snapshot_ = *sequence;
        return sequence.status();
      },
      "Ignore what internal keys say was written later than this");
  command_line->AddFlag("--explain", &explain_,
                        "Show on standard error how the lookup went: index, filter, bits asked, "
                        "block, and bytes read");
  input_.AddTo(command_line);
}

// What an entry, read as one of such keys, says of its key.
absl::StatusOr<Version> ReadVersion(const TableReader& reader, KeyKind kind,
                                    absl::string_view entry_key, absl::string_view value) {
  Version version;
  version.file = reader.file().name();
  version.value = std::string(value);
  if (kind == KeyKind::kPlain) return version;
  const std::optional<ParsedInternalKey> parsed = ParseInternalKey(entry_key);
  if (!parsed.has_value()) {
    return absl::UnimplementedError(
        absl::StrCat(version.file, ": the key has a version of type ", ExtractTag(entry_key) & 0xff,
                     " at sequence ", ExtractTag(entry_key) >> 8, ", which is not LevelDB's"));
  }
  version.sequence = parsed->sequence;
  version.deleted = parsed->type == ValueType::kDeletion;
  return version;
}

// Whether the keys of a block ascend.
absl::Status CheckOrderWithin(const TableReader& reader, size_t block, const Block& contents) {
  const KeyOrder& order = KeyOrderOf(reader);
  std::string last;
  bool has_last = false;
  BlockIterator entries(&order, contents);
  for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
    if (has_last && order.Compare(last, entries.key()) >= 0) {
      return AtBlock(reader.file(), BlockKind::kData, IndexOf(reader)->record(block).handle(),
                     absl::DataLossError(absl::StrCat(
                         "keys are out of order: ", ShowKey(order, entries.key()), " comes after ",
                         ShowKey(order, last), "; or they are in another order")));
    }
    last.assign(entries.key().data(), entries.key().size());
    has_last = true;
  }
  return entries.status();
}

// The data blocks that a key belongs to, from `first` up to `end`.
struct BlockRange {
  size_t first = 0, end = 0;
};

absl::StatusOr<BlockRange> BlocksFor(const TableReader& reader, const std::string& target) {
  const TableIndex& index = *IndexOf(reader);
  BlockRange range;
  RETURN_IF_ERROR(index.Find(target, &range.first));
  range.end = std::min(range.first + 1, index.size());
  if (KeyOrderOf(reader).kind() == KeyKind::kPlain) return range;
  const absl::string_view user_key = KeyOrderOf(reader).UserKey(target);
  while (range.end < index.size() && index.SeparatorHasUserKey(range.end - 1, user_key)) {
    ++range.end;
  }
  return range;
}

// Whether the blocks that a lookup looks into are those that the index means, and they and their
// neighbours are in order: a key that changed places with the next one is in one of them.
absl::Status CheckPlaces(const TableReader& reader, const BlockRange& range) {
  PlacementChecker placement(&reader, /*order_known=*/true);
  const auto it = reader.NewIterator();
  const size_t end = std::min(range.end + 1, IndexOf(reader)->size());
  for (size_t i = range.first == 0 ? 0 : range.first - 1; i < end; ++i) {
    it->SeekToBlock(i);
    if (it->Valid() && it->block_index() == i) {
      RETURN_IF_ERROR(placement.Check(i, BlockOf(*it)));
      RETURN_IF_ERROR(CheckOrderWithin(reader, i, BlockOf(*it)));
    }
  }
  return absl::OkStatus();
}

// What is looked for in the table: the newest visible version of a user key.
std::string GetCommand::Target(const TableReader& reader, const std::string& key) const {
  std::string target = key;
  if (KeyOrderOf(reader).kind() == KeyKind::kInternal) {
    AppendFixed64(&target, SeekTag(snapshot_.value_or(kMaxSequence)));
  }
  return target;
}

void GetCommand::Explain(const TableReader& reader, const std::string& target,
                         uint64_t data_bytes_read, Console* console) const {
  console->SayRaw(DescribeLookup(TraceLookup(reader, target), reader, target, data_bytes_read,
                                 console->message_style()));
}

GetCommand::FoundVersion GetCommand::Search(const TableReader& reader, const std::string& key,
                                            Console* console) const {
  const std::string target = Target(reader, key);
  FoundVersion found = std::optional<Version>();
  const ReaderStats before = reader.stats();
  const absl::Status status =
      reader.InternalGet(target, [&](absl::string_view entry_key, absl::string_view value) {
        const KeyOrder& order = KeyOrderOf(reader);
        if (order.user_comparator().Compare(order.UserKey(entry_key), key) != 0) return;
        found = ReadVersion(reader, order.kind(), entry_key, value);
      });
  if (explain_) {
    Explain(reader, target, reader.stats().bytes_read - before.bytes_read, console);
  }
  if (!status.ok()) return status;
  return found;
}

// Reads blocks entry by entry, so that no order matters. Where the kind of keys is not known, KEY
// may be a whole key or a user key.
absl::StatusOr<Sighting> GetCommand::ReadBlocks(const InputTable& table, const std::string& key,
                                                size_t first, size_t end) const {
  const TableReader& reader = *table.reader;
  const bool is_open = IsKindOpen(table);
  const KeyKind kind = KeyOrderOf(reader).kind();
  Sighting sighting;
  absl::Status unreadable;  // a version of the key
  const auto look_at = [&](size_t block, absl::string_view entry_key, absl::string_view value) {
    const bool is_key =
        (is_open || kind == KeyKind::kPlain) && entry_key == key && !sighting.plain.has_value();
    const bool has_user_key =
        (is_open ? ParseInternalKey(entry_key).has_value() : kind == KeyKind::kInternal) &&
        ExtractUserKey(entry_key) == key;
    if (!is_key && !has_user_key) return true;
    absl::StatusOr<Version> version =
        ReadVersion(reader, is_key ? KeyKind::kPlain : KeyKind::kInternal, entry_key, value);
    if (!version.ok()) {
      unreadable = version.status();
      return false;
    }
    std::optional<Version>& seen = is_key ? sighting.plain : sighting.newest;
    if (!is_key && version->sequence > snapshot_.value_or(kMaxSequence)) return true;
    if (seen.has_value() && seen->sequence >= version->sequence) return true;
    seen = *std::move(version);
    sighting.block = block;
    sighting.entry_key = std::string(entry_key);
    return true;
  };
  const KeysKnown known = is_open && table.keys_known() == KeysKnown::kInOrder
                              ? KeysKnown::kUnordered
                              : table.keys_known();
  // What is in another's place may have other values than the table should.
  GuardedScan scan(&reader, known, GuardedScan::Misplaced::kSkip,
                   [&](const absl::Status& status) { sighting.damage.Update(status); });
  for (size_t i = first; i < end && i < scan.block_count(); ++i) {
    const bool goes_on = scan.Visit(i, [&](absl::string_view entry_key, absl::string_view value) {
      return look_at(i, entry_key, value);
    });
    if (!goes_on) break;
  }
  RETURN_IF_ERROR(unreadable);
  return sighting;
}

// Reads all of the table.
GetCommand::FoundVersion GetCommand::Scan(const InputTable& table, const std::string& key,
                                          absl::string_view why, Console* console) const {
  const std::string& name = table.reader->file().name();
  console->Say(absl::StrCat(name, ": ", why, ", so all of it is searched"));
  ASSIGN_OR_RETURN(const Sighting seen, ReadBlocks(table, key, 0, IndexOf(*table.reader)->size()));
  if (seen.plain.has_value() && seen.newest.has_value()) {
    return absl::FailedPreconditionError(absl::StrCat(name, ": has ", ShowBytes(key),
                                                      " as a plain key, and as the user key of an ",
                                                      "internal key; --keys says which is meant"));
  }
  if (IsKindOpen(table) && seen.version().has_value()) {
    console->Say(
        absl::StrCat(name, ": ", ShowBytes(key), " is there as ",
                     seen.plain.has_value() ? "a plain key" : "the user key of an internal key"));
  }
  // What could not be read may hold the key, or a newer version of it.
  if (seen.plain.has_value()) return seen.plain;
  if (!seen.damage.ok()) return seen.damage;
  return seen.newest;
}

// In which order a lookup takes the keys to be, and how that is known.
std::string DescribeOrder(const InputTable& table) {
  const std::string order =
      table.keys.comparator == BytewiseComparator() ? "bytewise order" : "reverse bytewise order";
  if (table.keys.order_known_by == KnownBy::kCaller) return absl::StrCat(order, ", as given");
  return absl::StrCat(order, ", which ", table.keys.sampled_blocks, " of its ",
                      Count(IndexOf(*table.reader)->size(), "data block"), " show");
}

// A lookup takes the filter's word, and the order of the keys for granted. Looks for what it
// missed: in the blocks that the key belongs to, and in the others, unless the tables are too
// large.
GetCommand::FoundVersion GetCommand::Confirm(const InputTable& table, const std::string& key,
                                             std::optional<Version> found, Console* console) {
  const TableReader& reader = *table.reader;
  ASSIGN_OR_RETURN(const BlockRange range, BlocksFor(reader, Target(reader, key)));
  ASSIGN_OR_RETURN(Sighting seen, ReadBlocks(table, key, range.first, range.end));
  const absl::Status damage = seen.damage;
  const bool is_small = reader.file().size() <= bytes_left_;
  bool is_whole = is_small;
  if (is_small) {
    bytes_left_ -= reader.file().size();
    ASSIGN_OR_RETURN(seen, ReadBlocks(table, key, 0, IndexOf(reader)->size()));
    is_whole = seen.damage.ok();
  }
  const std::optional<Version>& version = seen.version();
  const bool is_missed =
      version.has_value() && (!found.has_value() || found->sequence < version->sequence);
  if (is_missed) {
    const BlockHandle handle = IndexOf(reader)->record(seen.block).handle();
    const bool is_denied =
        reader.filter() != nullptr && !reader.filter()->KeyMayMatch(handle.offset, seen.entry_key);
    console->Say(absl::StrCat(reader.file().name(), ": ", DescribeBlock(BlockKind::kData, handle),
                              ": has ", ShowBytes(key), ", but a lookup does not find it: ",
                              is_denied ? "the filter is wrong" : "keys are out of order"));
    found = *version;
    found->is_lost_to_lookups = true;
    return found;
  }
  if (!damage.ok()) return damage;
  if (!is_whole) assumption_ = DescribeOrder(table);
  return found;
}

// Whether the table does not show which kind of keys it has. --snapshot is about internal ones.
bool GetCommand::IsKindOpen(const InputTable& table) const {
  return table.keys.kind_known_by == KnownBy::kNothing && !snapshot_.has_value();
}

GetCommand::FoundVersion GetCommand::LookUp(const std::string& path, const std::string& key,
                                            Console* console) {
  ASSIGN_OR_RETURN(const InputTable table, OpenTable(path, input_, console));
  const TableReader& reader = *table.reader;
  const bool is_plain = KeyOrderOf(reader).kind() == KeyKind::kPlain;
  if (snapshot_.has_value() && is_plain) {
    return absl::InvalidArgumentError(
        absl::StrCat(reader.file().name(), ": has plain keys, so there is no --snapshot of it"));
  }
  RETURN_IF_ERROR(reader.LoadIndex());
  FoundVersion found = std::optional<Version>();
  if (!table.searchable()) {
    found = Scan(table, key, table.WhyNotSearchable(), console);
  } else if (IsKindOpen(table)) {
    if (explain_) Explain(reader, Target(reader, key), 0, console);
    found = Scan(table, key, "it does not show what kind of keys it has", console);
  } else {
    found = Search(reader, key, console);
  }
  const bool is_final = !found.ok() || (found->has_value() && (*found)->sequence == kMaxSequence);
  if (is_final) return found;
  // The key, or a newer version of it, may be where the index does not lead.
  RETURN_IF_ERROR(CheckExtent(reader));
  if (!table.searchable() || IsKindOpen(table)) return found;
  ASSIGN_OR_RETURN(const BlockRange range, BlocksFor(reader, Target(reader, key)));
  const absl::Status places = CheckPlaces(reader, range);
  if (places.ok()) return Confirm(table, key, *std::move(found), console);
  if (table.keys.order_known_by == KnownBy::kCaller) return places;
  found = Scan(table, key, "keys near it are out of order", console);
  return found.ok() && found->has_value() ? found : places;
}

void GetCommand::PrintValue(absl::string_view value, Console* console) const {
  ValueFormat format = format_;
  if (format == ValueFormat::kAuto) {
    format = console->output_is_terminal() ? ValueFormat::kUtf8 : ValueFormat::kRaw;
  }
  switch (format) {
    case ValueFormat::kAuto:
    case ValueFormat::kRaw:
      console->Write(value);
      return;
    case ValueFormat::kEscaped:
      AppendEncoded(TextEncoding::kEscaped, value, console->out());
      break;
    case ValueFormat::kUtf8:
      AppendEncoded(TextEncoding::kUtf8, value, console->out());
      break;
    case ValueFormat::kHex:
      AppendEncoded(TextEncoding::kHex, value, console->out());
      break;
    case ValueFormat::kBase64:
      AppendEncoded(TextEncoding::kBase64, value, console->out());
      break;
  }
  console->Write("\n");
}

// If FILE is not there, but KEY is a file's name.
void HintAtOrder(const absl::Status& status, const std::vector<std::string>& arguments,
                 Console* console) {
  struct stat info;
  if (!absl::IsNotFound(status) || ::stat(arguments.back().c_str(), &info) != 0) return;
  console->Say(absl::StrCat(arguments.back(),
                            " is a file, and stands where KEY is expected: `sst get FILE KEY`"));
}

ExitCode GetCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  const absl::StatusOr<std::string> key = Decode(encoding_, arguments.back());
  if (!key.ok()) return console->Fail(AtPlace("KEY", key.status()));
  ExitCode code = ExitCode::kOk;
  std::optional<Version> newest;
  for (size_t i = 0; i + 1 < arguments.size(); ++i) {
    FoundVersion found = LookUp(arguments[i], *key, console);
    if (!found.ok()) {
      code = Worst(code, console->Fail(found.status()));
      HintAtOrder(found.status(), arguments, console);
      continue;
    }
    if (!found->has_value()) continue;
    if ((*found)->is_lost_to_lookups) code = Worst(code, ExitCode::kDamagedOrAbsent);
    if (!newest.has_value() || newest->sequence < (*found)->sequence) newest = *std::move(found);
    if (newest->sequence == kMaxSequence) break;  // a plain key's
  }
  if (!newest.has_value()) {
    const std::string where = code != ExitCode::kOk   ? "what could be read"
                              : arguments.size() == 2 ? InputName(arguments[0])
                                                      : "any of the files";
    console->Say(absl::StrCat(ShowBytes(*key), " is not in ", where,
                              assumption_.empty() ? "" : ", by ", assumption_));
    return Worst(code, ExitCode::kDamagedOrAbsent);
  }
  if (newest->deleted) {
    console->Say(absl::StrCat(ShowBytes(*key), " is deleted, at sequence ", newest->sequence,
                              " in ", newest->file));
    return Worst(code, ExitCode::kDamagedOrAbsent);
  }
  PrintValue(newest->value, console);
  return code;
}

}  // namespace

std::unique_ptr<Command> NewGetCommand() { return std::make_unique<GetCommand>(); }

}  // namespace sstable::tools
