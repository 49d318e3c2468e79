#include <sys/resource.h>

#include <cstdint>
#include <filesystem>

#include "gtest/gtest.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/salvage.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

uint64_t PeakMemoryKib() {
  struct rusage usage;
  EXPECT_EQ(::getrusage(RUSAGE_SELF, &usage), 0);
  return static_cast<uint64_t>(usage.ru_maxrss);
}

// A crash may leave such a table if much space was preallocated for it.
TEST(SalvageDatabaseMemoryTest, HoldsNothingOfTheZerosAfterATable) {
  TableBuilderOptions options;
  options.key_kind = KeyKind::kInternal;
  const auto bytes = BuildTable(options, {{MakeInternalKey("a", 5, ValueType::kValue), "a"},
                                          {MakeInternalKey("b", 6, ValueType::kDeletion), ""}});
  ASSERT_OK(bytes);
  TempFolder old_folder, new_folder;
  old_folder.Write("000005.ldb", *bytes);
  std::filesystem::resize_file(old_folder.File("000005.ldb"), uint64_t{512} << 20);
  const uint64_t before = PeakMemoryKib();
  ASSERT_OK_AND_ASSIGN(const DatabaseSalvageReport report,
                       SalvageDatabase(old_folder.File("."), new_folder.File("")));
  EXPECT_LT(PeakMemoryKib() - before, 256 << 10);
  EXPECT_EQ(report.entry_count, 2);
  EXPECT_EQ(report.deletion_count, 1);
}

}  // namespace
}  // namespace sstable::test
