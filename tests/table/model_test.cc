// Random tables, read in random ways, compared with a std::map.
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"
#include "tests/support/exact_filter_policy.h"
#include "tests/support/fake_files.h"
#include "tests/support/model_map.h"
#include "tests/support/order_cases.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_walk.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

const ExactFilterPolicy kExact;

template <typename T>
T Pick(const std::vector<T>& values, Random* random) {
  return values[Below(values.size(), random)];
}

// A table and its model. All random choices follow from the seed.
class ModelRun {
 public:
  ModelRun(const OrderCase& order_case, uint32_t seed)
      : random_(seed), order_(order_case.comparator, order_case.kind), model_({&order_}) {
    TableBuilderOptions writer;
    writer.comparator = order_case.comparator;
    writer.key_kind = order_case.kind;
    writer.block_size = Pick<size_t>({1, 2, 20, 50, 100, 300, 1000, 4096}, &random_);
    writer.block_restart_interval = Pick<int>({1, 2, 3, 4, 7, 16, 100}, &random_);
    writer.compression =
        Pick<Compression>({Compression::kNone, Compression::kSnappy, Compression::kZstd,
                           Compression::kZlib, Compression::kRawDeflate},
                          &random_);
    writer.filter_policy = Pick<const FilterPolicy*>({nullptr, bloom_.get(), &kExact}, &random_);
    writer.filter_base_lg = Pick<int>({0, 3, 6, 11, 40}, &random_);
    writer.table_filter_policy =
        Pick<const TableFilterPolicy*>({nullptr, blocked_.get(), fuse_.get()}, &random_);
    const size_t count = Pick<size_t>({0, 1, 2, 5, 30, 200, 2000}, &random_);
    source_ = Pick<Source>({Source::kMemory, Source::kUserMade, Source::kMapped, Source::kRead},
                           &random_);
    const size_t cache = Pick<size_t>({0, 1, 1500, 6000, 1 << 20}, &random_);
    description_ = absl::StrCat(
        "seed ", seed, ": block size ", writer.block_size, ", restart interval ",
        writer.block_restart_interval, ", compression ", static_cast<int>(writer.compression),
        ", filter ", writer.filter_policy == nullptr ? "none" : writer.filter_policy->Name(),
        ", base lg ", writer.filter_base_lg, ", table filter ",
        writer.table_filter_policy == nullptr ? "none" : writer.table_filter_policy->Name(),
        ", entries ", count, ", source ", static_cast<int>(source_), ", cache ", cache);

    model_ = RandomModel(order_, count, &random_);
    bytes_ = BuildTable(writer, ToEntries(model_)).value();
    TableReaderOptions reader;
    reader.comparator = writer.comparator;
    reader.key_kind = writer.key_kind;
    reader.filter_policies = {&kExact};
    reader.verify_checksums = Pick<VerifyChecksums>(
        {VerifyChecksums::kFirstTouch, VerifyChecksums::kAlways, VerifyChecksums::kNever},
        &random_);
    if (cache > 0) reader.block_cache = std::make_shared<BlockCache>(cache);
    table_ = TableReader::Open(MakeFile(), reader).value();
    has_filter_ = writer.filter_policy != nullptr || writer.table_filter_policy != nullptr;
  }

  const std::string& description() const { return description_; }

  void CheckWhole() {
    ASSERT_EQ(table_->LoadFilter().ok(), has_filter_) << table_->LoadFilter();
    ASSERT_EQ(WalkForward(table_->NewIterator().get()).entries, ToEntries(model_));
    ASSERT_EQ(WalkBackward(table_->NewIterator().get()).entries, ToEntries(model_));
  }

  void CheckLookups(int count) {
    for (int i = 0; i < count; ++i) {
      const std::string target = RandomTarget();
      SCOPED_TRACE(absl::StrCat("lookup of ", absl::CHexEscape(target)));
      CheckFind(target);
      CheckInternalGet(target);
      if (testing::Test::HasFatalFailure()) return;
    }
  }

  void CheckMultiGet(size_t count) {
    const uint64_t snapshot = Below(2, &random_) == 0 ? kMaxSequence : Below(22, &random_);
    std::vector<std::string> keys(count), values(count, "from before");
    std::vector<LookupRequest> requests(count);
    for (size_t i = 0; i < count; ++i) {
      keys[i] = std::string(order_.UserKey(RandomTarget()));
      requests[i] = {keys[i], &values[i]};
    }
    table_->MultiGet(absl::MakeSpan(requests), {snapshot});
    for (size_t i = 0; i < count; ++i) {
      std::string expected_value;
      const Presence expected = Expected(keys[i], snapshot, &expected_value);
      ASSERT_OK(requests[i].presence);
      ASSERT_EQ(*requests[i].presence, expected) << absl::CHexEscape(keys[i]);
      ASSERT_EQ(values[i], expected == Presence::kFound ? expected_value : "from before");
    }
  }

  void CheckMoves(int count) {
    const auto it = table_->NewIterator();
    auto expected = model_.end();
    for (int i = 0; i < count; ++i) {
      SCOPED_TRACE(absl::StrCat("step ", i));
      switch (Below(it->Valid() ? 12 : 3, &random_)) {
        case 0:
          it->SeekToFirst();
          expected = model_.begin();
          break;
        case 1:
          it->SeekToLast();
          expected = model_.empty() ? model_.end() : std::prev(model_.end());
          break;
        case 2: {
          const std::string target = RandomTarget();
          it->Seek(target);
          expected = model_.lower_bound(target);
          break;
        }
        case 3:
          it->Seek(it->key());  // does not move
          break;
        case 4:
        case 5:
        case 6:
        case 7:
          it->Next();
          ++expected;
          break;
        default:
          it->Prev();
          expected = expected == model_.begin() ? model_.end() : std::prev(expected);
      }
      ASSERT_OK(it->status());
      ASSERT_EQ(it->Valid(), expected != model_.end());
      if (!it->Valid()) continue;
      ASSERT_EQ(it->key(), expected->first);
      ASSERT_EQ(it->value(), expected->second);
    }
  }

 private:
  enum class Source { kMemory, kUserMade, kMapped, kRead };

  std::unique_ptr<RandomAccessFile> MakeFile() const {
    if (source_ == Source::kMemory) return NewMemoryFile(bytes_);
    if (source_ == Source::kUserMade) return std::make_unique<FakeFile>(bytes_);
    folder_.Write("t.ldb", bytes_);
    return OpenFile(folder_.File("t.ldb"),
                    source_ == Source::kMapped ? FileAccess::kMap : FileAccess::kRead)
        .value();
  }

  // Returns mostly a key of the table or one near it.
  std::string RandomTarget() {
    if (model_.empty() || Below(5, &random_) == 0) {
      std::string key = RandomKey(&random_);
      if (order_.kind() == KeyKind::kInternal) {
        AppendInternalKey(&key, "", Below(25, &random_), ValueType::kValue);
      }
      return key;
    }
    const auto entry = std::next(model_.begin(), Below(model_.size(), &random_));
    return Pick(KeysAround(order_, entry->first), &random_);
  }

  // Returns the expected result of Find(), and the value for kFound.
  Presence Expected(absl::string_view user_key, uint64_t snapshot, std::string* value) const {
    if (order_.kind() == KeyKind::kPlain) {
      const auto entry = model_.find(std::string(user_key));
      if (entry == model_.end()) return Presence::kAbsent;
      *value = entry->second;
      return Presence::kFound;
    }
    const auto entry = model_.lower_bound(MakeInternalKey(user_key, snapshot, ValueType::kValue));
    if (entry == model_.end()) return Presence::kAbsent;
    const ParsedInternalKey parsed = ParseInternalKey(entry->first).value();
    if (parsed.user_key != user_key) return Presence::kAbsent;
    if (parsed.type == ValueType::kDeletion) return Presence::kDeleted;
    *value = entry->second;
    return Presence::kFound;
  }

  void CheckFind(absl::string_view target) {
    const absl::string_view user_key = order_.UserKey(target);
    const uint64_t snapshot = Below(4, &random_) == 0 ? kMaxSequence : Below(22, &random_);
    std::string expected_value, value;
    const Presence expected = Expected(user_key, snapshot, &expected_value);
    ASSERT_OK_AND_ASSIGN(const Presence presence, table_->Get(user_key, &value, {snapshot}));
    ASSERT_EQ(presence, expected) << "snapshot " << snapshot;
    if (presence == Presence::kFound) {
      ASSERT_EQ(value, expected_value);
    }

    const Presence newest = Expected(user_key, kMaxSequence, &expected_value);
    ASSERT_OK_AND_ASSIGN(const std::optional<std::string> got, table_->Get(user_key));
    ASSERT_EQ(got, newest == Presence::kFound ? std::optional<std::string>(expected_value)
                                              : std::nullopt);
  }

  void CheckInternalGet(const std::string& target) {
    std::optional<std::string> key, value;
    const absl::Status status =
        table_->InternalGet(target, [&](absl::string_view k, absl::string_view v) {
          ASSERT_FALSE(key.has_value()) << "visited twice";
          key = std::string(k);
          value = std::string(v);
        });
    if (order_.kind() == KeyKind::kInternal && !MayHaveTag(target)) {
      ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
      return;
    }
    ASSERT_OK(status);
    const auto expected = model_.lower_bound(target);
    if (key.has_value()) {
      ASSERT_NE(expected, model_.end());
      ASSERT_EQ(*key, expected->first);
      ASSERT_EQ(*value, expected->second);
    } else {
      // Passing nothing is allowed if the next entry has another user key, but not if it has this
      // one.
      ASSERT_TRUE(expected == model_.end() ||
                  order_.UserKey(expected->first) != order_.UserKey(target));
    }
  }

  Random random_;
  KeyOrder order_;
  ModelMap model_;
  bool has_filter_ = false;
  const std::unique_ptr<const FilterPolicy> bloom_ = NewBloomFilterPolicy(10);
  const std::unique_ptr<const TableFilterPolicy> blocked_ = NewBlockedBloomPolicy(10);
  const std::unique_ptr<const TableFilterPolicy> fuse_ = NewBinaryFusePolicy(FuseBits::k8);
  const TempFolder folder_;
  std::string description_;
  Source source_ = Source::kMemory;
  std::string bytes_;
  std::unique_ptr<TableReader> table_;
};

class ModelTest : public testing::TestWithParam<OrderCase> {};
TEST_P(ModelTest, ATableBehavesLikeAMap) {
  for (uint32_t seed = 1; seed <= 250; ++seed) {
    ModelRun run(GetParam(), seed);
    SCOPED_TRACE(run.description());
    if (seed % 2 == 0) run.CheckMultiGet(40);  // also verifies blocks, before the other lookups
    run.CheckLookups(
        150);  // in a large table, the first ones precede the loading of index and filter
    run.CheckWhole();
    run.CheckLookups(150);
    for (const size_t count : {0, 1, 7, 31, 32, 33, 100}) run.CheckMultiGet(count);
    run.CheckMoves(300);
    if (HasFatalFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(Orders, ModelTest, testing::ValuesIn(OrderCases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sstable::test
