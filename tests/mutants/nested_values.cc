#include "tests/mutants/nested_values.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sstable/internal_key.h"
#include "tests/mutants/made_table.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace sstable::mutants {
namespace {

constexpr size_t kMaxNestedBytes = 100000;  // for all values of a table

enum class Contents { kStale, kOther };
enum class Form { kAlone, kSeveral, kAmongBytes, kCutShort, kLog };
constexpr const char* kFormNames[] = {"a table", "several tables", "a table among other bytes",
                                      "a table cut short", "a log with a table"};

// Returns all or some keys of `outer` with other values. Internal keys may also get older
// sequences.
test::Entries MakeStale(const test::TableSpec& outer, Random* random) {
  const bool all = random->OneIn(2);
  const bool older = outer.key_kind == KeyKind::kInternal && random->OneIn(2);
  test::Entries entries;
  std::string last_user_key;
  for (const auto& [key, value] : outer.entries) {
    if (!all && random->OneIn(3)) continue;
    if (!older) {
      entries.emplace_back(key, MakeValue(random));
      continue;
    }
    const ParsedInternalKey parsed = *ParseInternalKey(key);
    if (!entries.empty() && parsed.user_key == last_user_key) continue;
    last_user_key = std::string(parsed.user_key);
    entries.emplace_back(MakeInternalKey(parsed.user_key, parsed.sequence / 2, parsed.type),
                         MakeValue(random));
  }
  return entries;
}

std::string MakeNestedTable(const test::TableSpec& outer, Contents contents, int depth,
                            Random* random) {
  const KeyKind kind = contents == Contents::kStale || !random->OneIn(3) ? outer.key_kind
                       : outer.key_kind == KeyKind::kPlain               ? KeyKind::kInternal
                                                                         : KeyKind::kPlain;
  test::TableSpec spec = MakeOptions(kind, random);
  if (random->OneIn(2)) spec.snappy = false;
  if (random->OneIn(2)) spec.block_size = outer.block_size;
  if (contents == Contents::kStale) {
    spec.entries = MakeStale(outer, random);
  } else {
    const size_t limit = random->OneIn(4) ? 100 : 12;
    spec.entries = MakeEntries(kind, 1 + random->Below(limit), random);
  }
  if (depth > 0 && !spec.entries.empty() && random->OneIn(6)) {
    random->Pick(spec.entries).second = MakeNestedTable(outer, Contents::kOther, 0, random);
  }
  return WriteTable(spec, random->OneIn(4));
}

// Appends a record to a LevelDB log: fixed32 masked crc32c of type and data, fixed16 size, type,
// data.
void AppendLogRecord(uint8_t type, absl::string_view data, std::string* log) {
  const std::string body = absl::StrCat(std::string(1, static_cast<char>(type)), data);
  AppendFixed32(log, MaskCrc(Crc32c(body)));
  log->push_back(static_cast<char>(data.size() & 0xff));
  log->push_back(static_cast<char>(data.size() >> 8));
  log->append(body);
}

// Returns a log of write batches and of pieces of a table, one piece per record.
std::string MakeLog(const std::string& table, Random* random) {
  enum : uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };
  std::string log;
  for (size_t left = random->Below(4); left > 0; --left) {
    AppendLogRecord(kFull, MakeValue(random), &log);
  }
  const size_t piece = 1 + random->Below(random->OneIn(2) ? 30000 : 1000);
  for (size_t at = 0; at < table.size(); at += piece) {
    const bool is_last = at + piece >= table.size();
    const uint8_t type = at == 0 ? (is_last ? kFull : kFirst) : is_last ? kLast : kMiddle;
    AppendLogRecord(type, absl::string_view(table).substr(at, piece), &log);
  }
  AppendLogRecord(kFull, MakeValue(random), &log);
  return log;
}

std::string MakeNestedValue(const test::TableSpec& outer, Contents contents, Form form,
                            Random* random) {
  std::string value = MakeNestedTable(outer, contents, 1, random);
  switch (form) {
    case Form::kAlone:
      break;
    case Form::kSeveral:
      for (size_t left = 1 + random->Below(3); left > 0; --left) {
        value += MakeNestedTable(outer, contents, 0, random);
        if (random->OneIn(3)) value += MakeValue(random);
      }
      break;
    case Form::kAmongBytes: {
      const std::string before = MakeValue(random);
      value = absl::StrCat(before, value, MakeValue(random));
      break;
    }
    case Form::kCutShort:
      value.resize(random->Below(value.size() + 1));
      if (random->OneIn(3)) value.erase(0, random->Below(value.size() + 1));
      break;
    case Form::kLog:
      value = MakeLog(value, random);
      break;
  }
  return value;
}

bool MayHaveValue(const test::TableSpec& spec, size_t i) {
  return spec.key_kind == KeyKind::kPlain ||
         ParseInternalKey(spec.entries[i].first)->type == ValueType::kValue;
}

}  // namespace

std::string NestTables(test::TableSpec* outer, Random* random) {
  const test::TableSpec base = *outer;
  const size_t count = base.entries.size();
  const auto contents = random->OneIn(2) ? Contents::kStale : Contents::kOther;
  const auto form = random->OneIn(2) ? Form::kAlone : static_cast<Form>(random->Below(5));
  const size_t only = random->Below(count);
  const size_t one_in = random->OneIn(3) ? 1 : 1 + random->Below(count);
  size_t nested = 0, bytes = 0;
  for (size_t i = 0; i < count && bytes < kMaxNestedBytes; ++i) {
    if ((i != only && !random->OneIn(one_in)) || !MayHaveValue(base, i)) continue;
    std::string& value = outer->entries[i].second;
    value = MakeNestedValue(base, contents, form, random);
    bytes += value.size();
    ++nested;
  }
  return absl::StrCat(nested, nested == 1 ? " value is " : " values are ",
                      kFormNames[static_cast<int>(form)],
                      contents == Contents::kStale ? " of an older state" : "");
}

}  // namespace sstable::mutants
