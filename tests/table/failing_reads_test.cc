// Fails every system call of opening, scanning, looking up and checking once, in every way. Either
// nothing is noticed, or an error names the file and offset and the next call succeeds. A key must
// never be reported as absent because it could not be read.
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/check.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/table_internals.h"
#include "tests/support/faulty_system.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const Fault kFaults[] = {
    {"Eio", EIO}, {"GoneForAWhile", ENXIO, /*stays=*/true},           {"Interrupted", EINTR},
    {"Short"},    {"EndsEarly", 0, /*stays=*/false, /*most_size=*/0},
};

// The errors of one way of reading. All that could be read must be right.
using Errors = std::vector<absl::Status>;

struct Content {
  std::vector<std::string> user_keys;
  Entries entries;
};

Errors Scan(const TableReader& table, const Content& content) {
  Errors errors;
  size_t next = 0;
  const auto it = table.NewIterator();
  it->SeekToFirst();
  for (;;) {
    if (!it->Valid()) {
      if (it->status().ok()) break;
      errors.push_back(it->status());
      if (!it->SkipDamage()) return errors;
      ++next;  // skips the bad block, which has one entry
      continue;
    }
    const bool is_next = next < content.entries.size() &&
                         it->key() == content.entries[next].first &&
                         it->value() == content.entries[next].second;
    EXPECT_TRUE(is_next) << next;
    ++next;
    it->Next();
  }
  EXPECT_EQ(next, content.entries.size());
  return errors;
}

Errors ScanBackward(const TableReader& table, const Content& content) {
  size_t left = content.entries.size();
  const auto it = table.NewIterator();
  for (it->SeekToLast(); it->Valid(); it->Prev()) {
    --left;
    EXPECT_EQ(it->key(), content.entries[left].first);
    EXPECT_EQ(it->value(), content.entries[left].second);
  }
  if (!it->status().ok()) return {it->status()};
  EXPECT_EQ(left, 0);
  return {};
}

void ExpectRight(const absl::StatusOr<Presence>& presence, const std::string& value,
                 const std::string* expected, Errors* errors) {
  if (!presence.ok()) {
    errors->push_back(presence.status());
  } else if (expected == nullptr) {
    EXPECT_EQ(*presence, Presence::kAbsent);
  } else {
    EXPECT_EQ(*presence, Presence::kFound);
    EXPECT_EQ(value, *expected);
  }
}

Errors Find(const TableReader& table, const Content& content) {
  Errors errors;
  for (size_t i = 0; i < content.entries.size(); ++i) {
    std::string value;
    const std::string& key = content.user_keys[i];
    ExpectRight(table.Get(key, &value), value, &content.entries[i].second, &errors);
    ExpectRight(table.Get(key + "x", &value), value, nullptr, &errors);
  }
  return errors;
}

Errors MultiGet(const TableReader& table, const Content& content) {
  std::vector<std::string> values(content.entries.size());
  std::vector<LookupRequest> requests;
  for (size_t i = 0; i < values.size(); ++i) requests.push_back({content.user_keys[i], &values[i]});
  table.MultiGet(absl::MakeSpan(requests));
  Errors errors;
  for (size_t i = 0; i < values.size(); ++i) {
    ExpectRight(requests[i].presence, values[i], &content.entries[i].second, &errors);
  }
  return errors;
}

Errors Check(const TableReader& table, const Content& content) {
  const CheckReport report = CheckTable(table, CheckOptions());
  Errors errors;
  for (const CheckProblem& problem : report.problems) {
    errors.push_back(absl::UnknownError(
        absl::StrCat(table.file().name(), ": ", problem.place, ": ", problem.message)));
  }
  if (errors.empty()) {
    EXPECT_EQ(report.entries, content.entries.size());
    EXPECT_EQ(report.keys_checked_with_filter, content.entries.size());
  }
  return errors;
}

struct ReadsCase {
  const char* name;
  Errors (*read)(const TableReader& table, const Content& content);
  KeyKind key_kind = KeyKind::kPlain;
  Compression compression = Compression::kNone;
  bool is_cached = false;
};

class FailingReadsTest : public testing::TestWithParam<ReadsCase> {
 protected:
  static constexpr int kBlockCount = 200;

  FailingReadsTest() {
    TableBuilderOptions options;
    options.compression = GetParam().compression;
    options.key_kind = GetParam().key_kind;
    options.filter_policy = policy_.get();
    options.block_size = 1;
    for (int i = 0; i < kBlockCount; ++i) {
      content_.user_keys.push_back(absl::StrCat("key", 10000 + i));
      content_.entries.emplace_back(
          GetParam().key_kind == KeyKind::kPlain
              ? content_.user_keys.back()
              : MakeInternalKey(content_.user_keys.back(), 5, ValueType::kValue),
          absl::StrCat(i, std::string(50, 'v')));
    }
    folder_.Write("t.ldb", BuildTable(options, content_.entries).value());
  }

  std::string Path() const { return folder_.File("t.ldb"); }

  absl::StatusOr<std::unique_ptr<TableReader>> Open() const {
    TableReaderOptions options;
    options.key_kind = GetParam().key_kind;
    if (GetParam().is_cached) options.block_cache = std::make_shared<BlockCache>(size_t{1} << 20);
    absl::StatusOr<std::unique_ptr<RandomAccessFile>> file = OpenFile(Path(), FileAccess::kRead);
    if (!file.ok()) return file.status();
    return TableReader::Open(*std::move(file), options);
  }

  Errors Read(const TableReader& table) const { return GetParam().read(table, content_); }

  void ExpectPlaceAndReason(const absl::Status& error, const Fault& fault) const {
    const std::string message(error.message());
    EXPECT_THAT(message, StartsWith(Path() + ": "));
    EXPECT_EQ(message.rfind(Path()), 0) << "it names the file twice: " << message;
    EXPECT_THAT(message,
                HasSubstr(fault.error == 0 ? "ends at offset" : std::strerror(fault.error)));
    if (absl::StrContains(message, "can't open") || absl::StrContains(message, "can't stat"))
      return;
    EXPECT_THAT(message, AnyOf(HasSubstr(" block at offset "), HasSubstr(": footer: ")));
  }

  const std::unique_ptr<const FilterPolicy> policy_ = NewBloomFilterPolicy(10);
  Content content_;
  TempFolder folder_;
};

TEST_P(FailingReadsTest, EveryFaultIsReportedWithItsPlaceAndPassesOrIsNotNoticed) {
  size_t call_count = 0;
  {
    const FaultySystem system;
    ASSERT_OK_AND_ASSIGN(const auto table, Open());
    ASSERT_THAT(Read(*table), IsEmpty());
    call_count = system.calls().size();
    ASSERT_EQ(IndexOf(*table)->size(), kBlockCount);
    ASSERT_OK(table->LoadFilter());
  }
  ASSERT_GT(call_count, kBlockCount + 6)
      << "open, fstat; footer, metaindex, index, filter, first block; each block";
  int injected = 0;
  for (const Fault& fault : kFaults) {
    int unnoticed = 0;
    for (size_t n = 0; n < call_count; ++n) {
      SCOPED_TRACE(absl::StrCat(fault.name, " at call ", n));
      FaultySystem system(n, fault);
      absl::StatusOr<std::unique_ptr<TableReader>> table = Open();
      const Errors errors = table.ok() ? Read(**table) : Errors{table.status()};
      if (!system.failed().empty()) ++injected;
      if (system.failed().empty() || fault.is_harmless()) {
        ASSERT_THAT(errors, IsEmpty());
        continue;
      }
      if (errors.empty()) ++unnoticed;
      for (const absl::Status& error : errors) ExpectPlaceAndReason(error, fault);

      system.Mend();
      // A file that has ended early stays damaged, so it must be opened again.
      if (!table.ok() || fault.most_size == 0) table = Open();
      ASSERT_OK(table);
      ASSERT_OK((*table)->LoadIndex());
      EXPECT_OK((*table)->LoadFilter());
      EXPECT_THAT(Read(**table), IsEmpty());
    }
    // A fault may go unnoticed in the filter, in the six one-key blocks that validate it, and, if
    // the file seems to end early, in the metaindex.
    EXPECT_LE(unnoticed, fault.most_size == 0 ? 8 : 7) << fault.name;
  }
  EXPECT_GE(injected, 4 * call_count);
  RecordProperty("faults", injected);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, FailingReadsTest,
    testing::ValuesIn<ReadsCase>({
        {"Scan", &Scan},
        {"ScanBackward", &ScanBackward},
        {"Find", &Find},
        {"MultiGet", &MultiGet},
        {"Check", &Check},
        {"FindInternal", &Find, KeyKind::kInternal},
        {"ScanCached", &Scan, KeyKind::kPlain, Compression::kSnappy, /*is_cached=*/true},
        {"FindCached", &Find, KeyKind::kInternal, Compression::kNone, /*is_cached=*/true},
        {"MultiGetCached", &MultiGet, KeyKind::kPlain, Compression::kSnappy, /*is_cached=*/true},
    }),
    [](const auto& info) { return info.param.name; });

// The first lookup uses reads. Later ones load the table through a mapping, or by reads if the file
// can't be mapped.
TEST(MappedFileTest, EveryFaultIsReportedOrDoneWithout) {
  const TempFolder folder;
  const std::string path = folder.File("t.ldb");
  folder.Write("t.ldb", BuildTable({}, {{"a", "1"}}).value());
  size_t calls = 0;
  for (const std::string call :
       {"open", "fstat", "pread", "pread", "pread", "pread", "fstat", "mmap", "close"}) {
    FaultySystem system(calls++, {"Enomem", ENOMEM});
    const auto table = TableReader::Open(path);
    const absl::Status status = table.ok() ? (*table)->Get("a").status() : table.status();
    if (calls > 6) {
      ASSERT_OK(status);
      EXPECT_OK((*table)->LoadIndex());
    } else {
      EXPECT_THAT(std::string(status.message()),
                  AllOf(StartsWith(path + ": "), HasSubstr(std::strerror(ENOMEM))));
    }
    ASSERT_EQ(system.failed(), call) << calls;
    system.Mend();
    if (table.ok()) {
      EXPECT_EQ((*table)->Get("a").value(), "1");
    }
  }
}

}  // namespace
}  // namespace sstable::test
