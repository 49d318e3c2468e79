#include "tools/cmd_get.h"

#include <sys/stat.h>

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
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/block_iterator.h"
#include "table/block/format.h"
#include "table/block/show_key.h"
#include "table/inspect/detect.h"
#include "table/inspect/placement.h"
#include "table/table_index.h"
#include "table/table_iterator.h"
#include "tools/lookup_trace.h"
#include "tools/records/text_encoding.h"
#include "tools/table_input.h"
#include "tools/trace_text.h"
#include "util/coding.h"
#include "util/escape.h"
#include "util/internal_key.h"
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
};

class GetCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  using FoundVersion = absl::StatusOr<std::optional<Version>>;

  std::string Target(const TableReader& reader, const std::string& key) const;
  FoundVersion LookUp(const std::string& path, const std::string& key, Console* console) const;
  FoundVersion Search(const TableReader& reader, const std::string& key, Console* console) const;
  FoundVersion Scan(const InputTable& table, const std::string& key, absl::string_view why,
                    Console* console) const;
  bool IsKindOpen(const InputTable& table) const;
  void Explain(const TableReader& reader, const std::string& target, uint64_t data_bytes_read,
               Console* console) const;
  void PrintValue(absl::string_view value, Console* console) const;

  TableInputOptions input_;
  TextEncoding encoding_ = TextEncoding::kEscaped;
  ValueFormat format_ = ValueFormat::kAuto;
  std::optional<uint64_t> snapshot_;
  bool explain_ = false;
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
  const KeyOrder& order = reader.order();
  std::string last;
  bool has_last = false;
  BlockIterator entries(&order, contents);
  for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
    if (has_last && order.Compare(last, entries.key()) >= 0) {
      return AtBlock(reader.file(), BlockKind::kData, reader.index()->record(block).handle(),
                     absl::DataLossError(absl::StrCat(
                         "keys are out of order: ", ShowKey(order, entries.key()), " comes after ",
                         ShowKey(order, last), "; or --comparator is another")));
    }
    last.assign(entries.key().data(), entries.key().size());
    has_last = true;
  }
  return entries.status();
}

// Whether the blocks that a lookup looks into are those that the index means, and they and their
// neighbours are in order: a key that changed places with the next one is in one of them.
absl::Status CheckPlaces(const TableReader& reader, const std::string& target) {
  const TableIndex& index = *reader.index();
  size_t block = 0;
  RETURN_IF_ERROR(index.Find(target, &block));
  size_t last = block;
  while (last < index.size() && reader.order().kind() == KeyKind::kInternal &&
         index.SeparatorHasUserKey(last, reader.order().UserKey(target))) {
    ++last;
  }
  PlacementChecker placement(&reader, /*order_known=*/true);
  const auto it = reader.NewIterator();
  for (size_t i = block == 0 ? 0 : block - 1; i < index.size() && i <= last + 1; ++i) {
    it->SeekToBlock(i);
    if (it->Valid() && it->block_index() == i) {
      RETURN_IF_ERROR(placement.Check(i, it->block()));
      RETURN_IF_ERROR(CheckOrderWithin(reader, i, it->block()));
    }
  }
  return absl::OkStatus();
}

// What is looked for in the table: the newest visible version of a user key.
std::string GetCommand::Target(const TableReader& reader, const std::string& key) const {
  std::string target = key;
  if (reader.order().kind() == KeyKind::kInternal) {
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
        const KeyOrder& order = reader.order();
        if (order.user_comparator().Compare(order.UserKey(entry_key), key) != 0) return;
        found = ReadVersion(reader, order.kind(), entry_key, value);
      });
  if (explain_) {
    Explain(reader, target, reader.stats().bytes_read - before.bytes_read, console);
  }
  if (!status.ok()) return status;
  return found;
}

// Reads all of the table, so that no order matters. Where the kind of keys is not known, KEY may be
// a whole key or a user key.
GetCommand::FoundVersion GetCommand::Scan(const InputTable& table, const std::string& key,
                                          absl::string_view why, Console* console) const {
  const TableReader& reader = *table.reader;
  const std::string& name = reader.file().name();
  console->Say(absl::StrCat(name, ": ", why, ", so all of it is searched"));
  const bool is_open = IsKindOpen(table);
  const KeyKind kind = reader.order().kind();
  std::optional<Version> plain, newest;
  absl::Status damage;
  PlacementChecker placement(&reader, table.order_known() && !is_open);
  size_t block = SIZE_MAX;
  bool is_in_place = true;  // the block
  const auto it = reader.NewIterator();
  it->SeekToFirst();
  while (true) {
    if (!it->Valid()) {
      damage.Update(it->status());
      if (!it->SkipDamage()) break;
      continue;
    }
    if (it->block_index() != block) {
      block = it->block_index();
      is_in_place = true;
      if (table.keys.kind_fits) {
        const absl::Status place = placement.Check(block, it->block());
        is_in_place = place.ok();
        damage.Update(place);
      }
    }
    if (!is_in_place) {  // it may have other values than the table should
      it->Next();
      continue;
    }
    if ((is_open || kind == KeyKind::kPlain) && it->key() == key && !plain.has_value()) {
      ASSIGN_OR_RETURN(plain, ReadVersion(reader, KeyKind::kPlain, it->key(), it->value()));
    }
    const bool has_user_key =
        (is_open ? ParseInternalKey(it->key()).has_value() : kind == KeyKind::kInternal) &&
        ExtractUserKey(it->key()) == key;
    if (has_user_key) {
      ASSIGN_OR_RETURN(Version version,
                       ReadVersion(reader, KeyKind::kInternal, it->key(), it->value()));
      const bool visible = version.sequence <= snapshot_.value_or(kMaxSequence);
      if (visible && (!newest.has_value() || newest->sequence < version.sequence)) {
        newest = std::move(version);
      }
    }
    it->Next();
  }
  if (plain.has_value() && newest.has_value()) {
    return absl::FailedPreconditionError(absl::StrCat(name, ": has ", ShowBytes(key),
                                                      " as a plain key, and as the user key of an ",
                                                      "internal key; --keys says which is meant"));
  }
  if (is_open && (plain.has_value() || newest.has_value())) {
    console->Say(
        absl::StrCat(name, ": ", ShowBytes(key), " is there as ",
                     plain.has_value() ? "a plain key" : "the user key of an internal key"));
  }
  // What could not be read may hold the key, or a newer version of it.
  if (plain.has_value()) return plain;
  if (!damage.ok()) return damage;
  return newest;
}

// Whether the table does not show which kind of keys it has. --snapshot is about internal ones.
bool GetCommand::IsKindOpen(const InputTable& table) const {
  return table.keys.kind_known_by == KnownBy::kNothing && !snapshot_.has_value();
}

GetCommand::FoundVersion GetCommand::LookUp(const std::string& path, const std::string& key,
                                            Console* console) const {
  ASSIGN_OR_RETURN(const InputTable table, OpenTable(path, input_, console));
  const TableReader& reader = *table.reader;
  const bool is_plain = reader.order().kind() == KeyKind::kPlain;
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
  const absl::Status places = CheckPlaces(reader, Target(reader, key));
  if (places.ok()) return found;
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
    if (!newest.has_value() || newest->sequence < (*found)->sequence) newest = *std::move(found);
    if (newest->sequence == kMaxSequence) break;  // a plain key's
  }
  if (!newest.has_value()) {
    const std::string where = code != ExitCode::kOk   ? "what could be read"
                              : arguments.size() == 2 ? InputName(arguments[0])
                                                      : "any of the files";
    console->Say(absl::StrCat(ShowBytes(*key), " is not in ", where));
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
