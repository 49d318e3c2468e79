// Tests that the judge detects each false statement: one command's output is falsified, the others'
// is unchanged.
#include "tests/mutants/judge.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "sstable/format.h"
#include "sstable/options.h"
#include "tests/mutants/made_table.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/original.h"
#include "tests/mutants/random.h"
#include "tests/mutants/sst_runner.h"
#include "tests/support/table_bytes.h"

namespace sstable::mutants {
namespace {

using Arguments = std::vector<std::string>;
using Lie = std::function<void(const Arguments&, SstResult*)>;

class LyingRunner final : public SstRunner {
 public:
  LyingRunner(std::string command, Lie lie) : command_(std::move(command)), lie_(std::move(lie)) {}

  SstResult Run(const Arguments& arguments) override {
    SstResult result = SstRunner::Run(arguments);
    // Commands that read the table made by salvage are not falsified.
    const bool is_saved = arguments.back() == Path("saved.ldb") && arguments[0] != "salvage";
    if (arguments[0] == command_ && !is_saved) lie_(arguments, &result);
    return result;
  }

 private:
  const std::string command_;
  const Lie lie_;
};

test::TableSpec SmallTable(int entries = 30) {
  test::TableSpec spec;
  spec.block_size = 200;
  spec.snappy = false;
  spec.bits_per_key = 10;
  for (int i = 10; i < 10 + entries; ++i) {
    spec.entries.emplace_back(absl::StrCat("key", i), absl::StrCat("value of ", i, " and more"));
  }
  return spec;
}

void LoadSmallTable(Original* original, int entries = 30) {
  MadeTable made;
  made.spec = SmallTable(entries);
  made.bytes = WriteTable(made.spec, /*by_leveldb=*/false);
  LoadMade(made, original);
}

enum class Change { kNone, kRepaired, kDamaged, kReordered, kFewReordered, kForeign };

Mutant MakeChange(const Original& original, Change change) {
  Mutant mutant;
  mutant.bytes = original.bytes;
  mutant.repaired = change == Change::kRepaired;
  if (change == Change::kForeign) {
    constexpr char kMagicOfRocksDb[] = "\xf7\xcf\xf4\x85\xb7\x41\xe2\x88";
    mutant.bytes.replace(mutant.bytes.size() - 8, 8, kMagicOfRocksDb);
  } else if (change == Change::kDamaged) {
    mutant.bytes[original.data_blocks[1].offset + 20] ^= 1;
  } else if (change == Change::kReordered) {
    mutant.repaired = mutant.is_reordered = true;
    // Swaps two blocks of the same size.
    const BlockHandle a = original.data_blocks[1], b = original.data_blocks[2];
    EXPECT_EQ(a.size, b.size);
    const size_t size = a.size + kBlockTrailerSize;
    mutant.bytes.replace(a.offset, size, original.bytes, b.offset, size);
    mutant.bytes.replace(b.offset, size, original.bytes, a.offset, size);
  } else if (change == Change::kFewReordered) {
    mutant.repaired = mutant.is_reordered = true;
    test::Entries entries;
    for (const OriginalEntry& entry : original.entries)
      entries.emplace_back(entry.key, entry.value);
    std::swap(entries[1], entries[2]);
    TableBuilderOptions options;
    options.keep_input_order = true;
    mutant.bytes = *test::BuildTable(options, entries);
  }
  return mutant;
}

struct Found {
  std::set<std::string> rules;
  uint64_t admitted_entries = 0;
};

// Some checks run for only one mutant in four; these are enough seeds to reach them.
constexpr uint64_t kSeeds = 6;

// Returns the judge's findings for several seeds, since the seed decides which checks run.
Found Judge(Change change, SstRunner* runner) {
  Original original;
  LoadSmallTable(&original, change == Change::kFewReordered ? 4 : 30);
  const Mutant mutant = MakeChange(original, change);
  Found found;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Random random(1, seed);
    const Verdict verdict = JudgeMutant(original, mutant, runner, &random);
    for (const Violation& violation : verdict.violations) found.rules.insert(violation.rule);
    found.admitted_entries += verdict.admitted_entries;
  }
  return found;
}

// Replaces the table that `sst salvage` wrote.
void Save(const Arguments& salvage, const test::Entries& entries) {
  test::TableSpec spec = SmallTable();
  spec.entries = entries;
  std::ofstream(salvage.back(), std::ios::binary) << WriteTable(spec, /*by_leveldb=*/false);
}

void SaveOneLess(const Arguments& salvage) {
  test::Entries entries = SmallTable().entries;
  entries.erase(entries.begin());
  Save(salvage, entries);
}

// The saved table omits the damaged block's entries and has one entry that never existed.
void SaveForeign(const Arguments& salvage, const std::string& key, const std::string& value) {
  Original original;
  LoadSmallTable(&original);
  test::Entries entries = {{key, value}};
  for (const OriginalEntry& entry : original.entries) {
    if (entry.block != 1) entries.emplace_back(entry.key, entry.value);
  }
  Save(salvage, entries);
}

struct LieCase {
  const char* name;
  Change change;
  const char* command;
  Lie lie;
  const char* rule;
};

void SayOk(const Arguments&, SstResult* result) { result->exit_code = 0; }
void SayDamage(const Arguments&, SstResult* result) {
  result->exit_code = 1;
  result->err = "damage";
}

// Falsifies all calls of a command, or only calls with a certain argument.
Lie Say(int exit_code, const std::string& err) {
  return [=](const Arguments&, SstResult* result) { *result = {exit_code, "", err, 0, 0}; };
}
Lie Replace(const std::string& from, const std::string& to) {
  return [=](const Arguments&, SstResult* result) {
    result->out = absl::StrReplaceAll(result->out, {{from, to}});
  };
}
Lie Append(const std::string& text) {
  return [=](const Arguments&, SstResult* result) { result->out += text; };
}
Lie With(const std::string& argument, const Lie& lie) {
  return [=](const Arguments& arguments, SstResult* result) {
    if (absl::c_linear_search(arguments, argument)) lie(arguments, result);
  };
}
Lie Both(const Lie& a, const Lie& b) {
  return [=](const Arguments& arguments, SstResult* result) {
    a(arguments, result);
    b(arguments, result);
  };
}
void LoseALine(const Arguments&, SstResult* result) {
  result->out.erase(0, result->out.find('\n') + 1);
}
void RepeatALine(const Arguments&, SstResult* result) {
  result->out += result->out.substr(0, result->out.find('\n') + 1);
}
void SaveNothing(const Arguments& arguments, SstResult*) { std::remove(arguments.back().c_str()); }
void SaveLess(const Arguments& arguments, SstResult*) { SaveOneLess(arguments); }
Lie SaveAlso(const std::string& key, const std::string& value) {
  return [=](const Arguments& arguments, SstResult*) { SaveForeign(arguments, key, value); };
}
void SaveIndexEntry(const Arguments& arguments, SstResult*) {
  Original original;
  LoadSmallTable(&original);
  for (const OriginalBlock& block : original.blocks) {
    if (block.kind != BlockKind::kFilter) continue;
    SaveForeign(arguments, "filter.leveldb.BuiltinBloomFilter2", block.handle.Encode());
  }
}
void ReportIntactBlock(const Arguments&, SstResult* result) {
  Original original;
  LoadSmallTable(&original);
  absl::StrAppend(&result->out, "data block at offset 0 (", original.data_blocks[0].size,
                  " bytes): crc32c stored 0x0, computed 0x1");
}
// Adds an entry to the file for doubtful blocks.
Lie SaveApart(const std::string& line) {
  return [=](const Arguments& arguments, SstResult*) {
    const auto path = std::next(absl::c_find(arguments, "--doubtful"));
    std::ofstream(*path, std::ios::binary | std::ios::app) << line << "\n";
  };
}
void SaveNoTable(const Arguments& arguments, SstResult*) {
  std::ofstream(arguments.back(), std::ios::binary) << "no table";
}
void TakeMemory(const Arguments&, SstResult* result) { result->memory_bytes = kMaxMemory + 1; }

const LieCase kLies[] = {
    {"UnknownExitCode", Change::kNone, "check", Say(SstResult::kThrew, ""),
     "check: an exit code that sst does not have"},
    {"Silence", Change::kNone, "stats", Say(1, ""), "stats: fails, and not a word"},
    {"Memory", Change::kNone, "salvage", TakeMemory, "salvage: too much memory"},
    {"CheckOfDamageIsOk", Change::kDamaged, "check", SayOk, "check: exit code 0, but dump fails"},
    {"CheckOfDisorderIsOk", Change::kReordered, "check", SayOk,
     "check: exit code 0, but keys are out of order"},
    {"CheckOfDisorderIsOkInAGivenOrder", Change::kReordered, "check", With("--comparator", SayOk),
     "check: exit code 0 with --comparator, but keys are out of order"},
    {"CheckSaysOkOfAnOrderThatIsNotKnown", Change::kFewReordered, "check",
     Replace("no damage found", "ok"), "check: says ok of keys that are out of order"},
    {"CheckFindsDamageInNone", Change::kNone, "check", SayDamage,
     "check: finds damage in a table that has none"},
    {"CheckReportsAnIntactBlock", Change::kDamaged, "check", ReportIntactBlock,
     "check: a wrong checksum of an intact block"},
    {"DumpLeavesALineOut", Change::kNone, "dump", LoseALine,
     "dump: exit code 0, but the entries are not those of the original"},
    {"DumpRepeatsALine", Change::kReordered, "dump", Both(SayOk, RepeatALine),
     "dump: exit code 0, but the entries are not those of the original"},
    {"DumpInventsALine", Change::kDamaged, "dump", Append("{\"key\":\"key99\",\"value\":\"\"}\n"),
     "dump: exit code 1, and an entry that never was"},
    {"DumpFailsInReverse", Change::kNone, "dump", With("--reverse", SayDamage),
     "dump: another exit code with --reverse"},
    {"DumpHasNoWayBackInASoundTable", Change::kNone, "dump",
     With("--reverse",
          Say(1, "the index block's restart points are not at entries with a whole key")),
     "dump: another exit code with --reverse"},
    {"DumpInReverseIsTheSame", Change::kNone, "dump", With("--reverse", Append("{}\n")),
     "dump: --reverse gives other entries"},
    {"FilterFailsOfASoundTable", Change::kRepaired, "filter", SayDamage,
     "check: exit code 0, but filter fails"},
    {"FilterWasAskedForFewKeys", Change::kNone, "filter", Replace("0 of 30 keys", "0 of 29 keys"),
     "filter: exit code 0, but not every key of the original was asked for"},
    {"StatsCountsOneEntryLess", Change::kNone, "stats", Replace("\"entries\":30", "\"entries\":29"),
     "stats: exit code 0, but not the entries of the original"},
    {"StatsOfDamageIsOk", Change::kDamaged, "stats", SayOk,
     "stats: exit code 0, but not the entries of the original"},
    {"LayoutFindsDamageInNone", Change::kNone, "layout", SayDamage,
     "check: exit code 0, but layout finds damage"},
    {"GetHasAnotherValue", Change::kNone, "get", Append("!"),
     "get: exit code 0, and a value that the key never had"},
    {"GetHasAValueOfAnAbsentKey", Change::kNone, "get", SayOk,
     "get: exit code 0, and a value that the key never had"},
    {"GetHasNoKey", Change::kDamaged, "get", Say(1, "sst: it is not in f"),
     "get: a key of the original is absent, and not a word of damage"},
    {"GetHasNoKeyThatDumpHas", Change::kNone, "get", Say(1, "sst: it is not in f"),
     "get: a key that dump prints is absent"},
    {"GetHasADeletion", Change::kNone, "get", Say(1, "it is deleted, at"),
     "get: a key of the original is deleted, and not a word of damage"},
    {"SalvageFails", Change::kDamaged, "salvage", Say(2, "failed"), "salvage: fails"},
    {"SalvageTakesAnotherFormat", Change::kForeign, "salvage", SayOk,
     "salvage: another format is not refused"},
    {"SalvageLosesNothingAndSavesNothing", Change::kNone, "salvage", SaveNothing,
     "salvage: exit code 0, but no table"},
    {"SalvageOfDamageLosesNothing", Change::kDamaged, "salvage", SayOk,
     "salvage: exit code 0, but not the entries of the original"},
    {"SalvageLosesAnEntry", Change::kNone, "salvage", SaveLess,
     "salvage: exit code 0, but not the entries of the original"},
    {"SalvageLosesAnEntryOfDisorder", Change::kReordered, "salvage", Both(SayOk, SaveLess),
     "salvage: exit code 0, but not the entries of the original"},
    {"SalvageFindsDamageInNone", Change::kNone, "salvage", SayDamage,
     "salvage: exit code 1, but the table has no damage"},
    {"SalvageFindsDamageInASoundTable", Change::kRepaired, "salvage", SayDamage,
     "salvage: exit code 1, but check finds nothing"},
    {"SalvageLosesAnEntryOfASoundTable", Change::kRepaired, "salvage", SaveLess,
     "salvage: of a sound table, but other entries"},
    {"SalvageLosesAnIntactBlock", Change::kDamaged, "salvage", SaveLess,
     "salvage: an entry of an intact block is not saved"},
    {"SalvageInventsAnEntry", Change::kDamaged, "salvage", SaveAlso("a", "stale"),
     "salvage: an entry that never was"},
    {"SalvageSavesAnOlderValue", Change::kDamaged, "salvage", SaveAlso("key0", "older"),
     "salvage: an entry that never was"},
    {"SalvageSavesAnIndexEntry", Change::kDamaged, "salvage", SaveIndexEntry,
     "salvage: an entry that never was"},
    {"SalvageMiscounts", Change::kDamaged, "salvage",
     Replace("\"entries_saved\":", "\"entries_saved\":1"),
     "salvage: another number of entries than it says"},
    {"SalvageMiscountsWhatIsApart", Change::kDamaged, "salvage",
     Replace("\"doubtful_blocks\":", "\"doubtful_blocks\":1"),
     "salvage: another number of doubtful blocks than it says"},
    {"SalvageInventsAnEntryApart", Change::kDamaged, "salvage",
     SaveApart("{\"key\":\"key99\",\"value\":\"\",\"offset\":300}"),
     "salvage: an entry apart that never was"},
    {"SalvageFindsABlockWithinAnIntactOne", Change::kDamaged, "salvage",
     SaveApart("{\"key\":\"key10\",\"value\":\"value of 10 and more\",\"offset\":9}"),
     "salvage: a doubtful block within an intact one"},
    {"SalvageSavesAnIntactBlockApart", Change::kDamaged, "salvage",
     Both(SaveLess,
          SaveApart("{\"key\":\"key10\",\"value\":\"value of 10 and more\",\"offset\":0}")),
     "salvage: an entry of an intact block is not saved"},
    {"SalvageReportsAnIntactBlockAsLost", Change::kDamaged, "salvage",
     Replace("\"lost\":[", "\"lost\":[{\"kind\":\"bytes\",\"offset\":0,\"size\":300},"),
     "salvage: a saved block is lost, it says"},
    {"SalvageWritesADamagedTable", Change::kNone, "salvage", SaveNoTable,
     "salvage: check of its table fails"},
};

// Where an index block replaces a data block of internal keys, dump prints its entries as internal
// keys.
TEST(OriginalTest, HasIndexEntriesAsKeysOfEitherKind) {
  Original original;
  LoadSmallTable(&original);
  const auto is_there = [&](const std::string& start) {
    return std::any_of(original.index_lines.begin(), original.index_lines.end(),
                       [&](const std::string& line) { return line.rfind(start, 0) == 0; });
  };
  EXPECT_TRUE(is_there("{\"key\":\"filter.leveldb.BuiltinBloomFilter2\","));
  EXPECT_TRUE(is_there("{\"key\":\"filter.leveldb.BuiltinBloo\",\"sequence\":"));
}

class JudgeTest : public testing::TestWithParam<LieCase> {};

TEST_P(JudgeTest, FindsTheLie) {
  const LieCase& lie = GetParam();
  LyingRunner runner(lie.command, lie.lie);
  const Found found = Judge(lie.change, &runner);
  std::string all;
  for (const std::string& rule : found.rules) absl::StrAppend(&all, rule, "\n");
  EXPECT_EQ(found.rules.count(lie.rule), 1u) << "instead:\n" << all;
}

INSTANTIATE_TEST_SUITE_P(Lies, JudgeTest, testing::ValuesIn(kLies),
                         [](const auto& info) { return info.param.name; });

TEST(JudgeOfTruthTest, FindsNothing) {
  for (const Change change :
       {Change::kNone, Change::kRepaired, Change::kDamaged, Change::kFewReordered}) {
    SstRunner runner;
    const Found found = Judge(change, &runner);
    EXPECT_EQ(found.rules, std::set<std::string>()) << static_cast<int>(change);
    EXPECT_EQ(found.admitted_entries, 0u);
  }
}

// `salvage` omits an entry and says so.
std::set<std::string> RulesOfAnEntryLeftOut(bool has_index) {
  LyingRunner runner("salvage", [](const Arguments& arguments, SstResult* result) {
    SaveOneLess(arguments);
    result->exit_code = 1;
    result->out = absl::StrReplaceAll(
        result->out,
        {{"\"left_out_count\":0", "\"left_out_count\":1"}, {"_saved\":30", "_saved\":29"}});
  });
  Original original;
  LoadSmallTable(&original);
  Mutant mutant;
  mutant.bytes = original.bytes;
  mutant.bytes.replace(mutant.bytes.size() - kFooterSize, kFooterSize, kFooterSize, '\0');
  if (!has_index) mutant.bytes[original.index.offset] ^= 1;
  Random random(1, 0);
  std::set<std::string> rules;
  for (const Violation& violation : JudgeMutant(original, mutant, &runner, &random).violations) {
    rules.insert(violation.rule);
  }
  return rules;
}

TEST(JudgeOfTruthTest, LetsABlockBeLeftOutIfNothingShowsWhoseItIs) {
  EXPECT_EQ(RulesOfAnEntryLeftOut(/*has_index=*/false), std::set<std::string>());
  EXPECT_EQ(RulesOfAnEntryLeftOut(/*has_index=*/true),
            std::set<std::string>{"salvage: an entry of an intact block is not saved"});
}

TEST(JudgeOfTruthTest, CountsEntriesThatTheReportAdmits) {
  LyingRunner runner("salvage", [](const Arguments& arguments, SstResult* result) {
    SaveForeign(arguments, "a", "stale");
    result->out = absl::StrReplaceAll(result->out,
                                      {{"\"belonging_known\":true", "\"belonging_known\":false"}});
  });
  const Found found = Judge(Change::kDamaged, &runner);
  EXPECT_EQ(found.rules, std::set<std::string>{"salvage: another number of entries than it says"});
  EXPECT_EQ(found.admitted_entries, kSeeds);  // one for each seed
}

}  // namespace
}  // namespace sstable::mutants
