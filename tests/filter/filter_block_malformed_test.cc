// Reading filter blocks that LevelDB would not have written. If there is no answer, a key may
// match; the rules are in the table in docs/filter_block.md.
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "tests/support/hex.h"
#include "tests/support/random_bytes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_policies.h"

namespace sstable {
namespace {

using ::sstable::test::ExactCopy;
using ::sstable::test::FromHex;
using ::sstable::test::StatusIs;
using ::sstable::test::WholeKeysPolicy;
using ::testing::AllOf;
using ::testing::HasSubstr;
using State = ::sstable::FilterWindow::State;

struct TailCase {
  const char* name;
  const char* hex;
  const char* error;  // part of the message; nullptr: it is parsed
};

class FilterBlockTailTest : public testing::TestWithParam<TailCase> {};

TEST_P(FilterBlockTailTest, IsParsedOrRefusedAsDataLoss) {
  const WholeKeysPolicy policy;
  const ExactCopy contents(FromHex(GetParam().hex));
  const auto reader = FilterBlockReader::Parse(&policy, contents.view());
  if (GetParam().error == nullptr) {
    EXPECT_OK(reader);
  } else {
    EXPECT_THAT(reader, StatusIs(absl::StatusCode::kDataLoss,
                                 AllOf(HasSubstr("filter block"), HasSubstr(GetParam().error))));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Bytes, FilterBlockTailTest,
    testing::ValuesIn<TailCase>({
        {"NoBytes", "", "0 bytes, needs at least 5"},
        {"OneByte", "0b", "1 bytes, needs at least 5"},
        {"FourBytes", "0000000b", "4 bytes, needs at least 5"},
        {"FiveBytes", "00000000 0b", nullptr},
        {"ArrayPastTheEndByOne", "01000000 0b", "starts at 1, past its end at 0"},
        {"ArrayAtTheEnd", "ffff 02000000 0b", nullptr},
        {"ArrayInsideTheTail", "ffff 03000000 0b", "starts at 3, past its end at 2"},
        {"ArrayFarAway", "ffffffff 0b", "starts at 4294967295"},
        {"SmallestBaseLg", "00000000 00", nullptr},
        {"LargestBaseLg", "00000000 3f", nullptr},
        {"BaseLg64", "00000000 40", "base lg is 64"},
        {"BaseLg128", "00000000 80", "base lg is 128"},
        {"BaseLg255", "00000000 ff", "base lg is 255"},
    }),
    [](const auto& info) { return info.param.name; });

// Bloom(10) of hello and world, 9 bytes.
constexpr char kFilter[] = "1140004144104010 06";

struct WindowCase {
  const char* name;
  const char* hex;  // the bytes after kFilter
  uint64_t window;
  State state;
};

const WindowCase kWindowCases[] = {
    {"Present", "00000000 09000000 0b", 0, State::kPresent},
    {"PastTheLast", "00000000 09000000 0b", 1, State::kMissing},
    {"FourGigaWindowsOn", "00000000 09000000 0b", uint64_t{1} << 32, State::kMissing},
    {"TheLastThatAnOffsetCanHave", "00000000 09000000 0b", ~uint64_t{0} >> 11, State::kMissing},

    {"EmptyInFront", "00000000 00000000 09000000 0b", 0, State::kEmpty},
    {"BehindAnEmptyOne", "00000000 00000000 09000000 0b", 1, State::kPresent},
    {"EmptyAtTheEnd", "00000000 09000000 09000000 0b", 1, State::kEmpty},

    {"StartPastTheLimit", "0a000000 09000000 0b", 0, State::kMalformed},
    {"StartPastTheNext", "05000000 04000000 09000000 0b", 0, State::kMalformed},
    {"BehindAStartPastTheNext", "05000000 00000000 09000000 0b", 1, State::kPresent},
    {"StartFarPastTheArray", "ffffffff 09000000 0b", 0, State::kMalformed},
    {"LimitPastTheArray", "00000000 0a000000 09000000 0b", 0, State::kMalformed},
    {"LimitFarPastTheArray", "00000000 ffffffff 09000000 0b", 0, State::kMalformed},

    // LevelDB says that nothing matches here, against its own rule that errors may match.
    {"EmptyBeyondTheArray", "20000000 20000000 09000000 0b", 0, State::kMalformed},
    {"EmptyJustBeyondTheArray", "0a000000 0a000000 09000000 0b", 0, State::kMalformed},
    {"EmptyFarBeyondTheArray", "ffffffff ffffffff 09000000 0b", 0, State::kMalformed},

    // Bytes that do not make a whole offset are ignored, and do not limit the last filter either.
    {"OneByteTooMany", "00000000 aa 09000000 0b", 0, State::kPresent},
    {"TwoBytesTooMany", "00000000 aaaa 09000000 0b", 0, State::kPresent},
    {"ThreeBytesTooMany", "00000000 000000 09000000 0b", 0, State::kPresent},
    {"BehindThreeBytesTooMany", "00000000 000000 09000000 0b", 1, State::kMissing},
    {"ThreeBytesOnly", "000000 09000000 0b", 0, State::kMissing},
};

class FilterWindowTest : public testing::TestWithParam<WindowCase> {};

TEST_P(FilterWindowTest, IsJudgedByItsOffsets) {
  const bool hello_may_match = GetParam().state != State::kEmpty;
  const bool other_may_match =
      GetParam().state == State::kMissing || GetParam().state == State::kMalformed;
  const uint64_t block_offset = GetParam().window << 11;

  const auto bloom = NewBloomFilterPolicy(10);
  const test::WithoutTraits without_traits(bloom.get());  // the other way to use a policy
  const ExactCopy contents(FromHex(absl::StrCat(kFilter, GetParam().hex)));
  for (const FilterPolicy* policy :
       {bloom.get(), static_cast<const FilterPolicy*>(&without_traits)}) {
    ASSERT_OK_AND_ASSIGN(const auto reader, FilterBlockReader::Parse(policy, contents.view()));
    const FilterWindow window = reader.Window(GetParam().window);
    EXPECT_EQ(window.state, GetParam().state);
    EXPECT_EQ(window.filter, window.state == State::kPresent ? FromHex(kFilter) : "");
    EXPECT_EQ(reader.Matches(window, "hello"), hello_may_match);
    EXPECT_EQ(reader.Matches(window, "other"), other_may_match);
    EXPECT_EQ(reader.KeyMayMatch(block_offset, "hello"), hello_may_match);
    EXPECT_EQ(reader.KeyMayMatch(block_offset + 2047, "other"), other_may_match);
  }
}

INSTANTIATE_TEST_SUITE_P(Offsets, FilterWindowTest, testing::ValuesIn(kWindowCases),
                         [](const auto& info) { return info.param.name; });

struct FilterCase {
  const char* name;
  const char* hex;  // a block with one filter
  bool may_match;
};

class OddFilterTest : public testing::TestWithParam<FilterCase> {};

TEST_P(OddFilterTest, IsAnsweredAsLevelDbDoes) {
  const auto policy = NewBloomFilterPolicy(10);
  const ExactCopy contents(FromHex(GetParam().hex));
  ASSERT_OK_AND_ASSIGN(const auto reader, FilterBlockReader::Parse(policy.get(), contents.view()));
  EXPECT_EQ(reader.Window(0).state, State::kPresent);
  EXPECT_EQ(reader.KeyMayMatch(0, "hello"), GetParam().may_match);
}

INSTANTIATE_TEST_SUITE_P(Bytes, OddFilterTest,
                         testing::ValuesIn<FilterCase>({
                             {"OneByte", "06 00000000 01000000 0b", false},
                             {"ReservedProbeCount", "0000000000000000 1f 00000000 09000000 0b",
                              true},
                             {"NoProbes", "0000000000000000 00 00000000 09000000 0b", true},
                         }),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sstable
