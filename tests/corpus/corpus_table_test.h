// The fixture for tests that read each file of the corpus.
#ifndef SSTABLE_TESTS_CORPUS_CORPUS_TABLE_TEST_H_
#define SSTABLE_TESTS_CORPUS_CORPUS_TABLE_TEST_H_

#include <memory>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "sstable/table_reader.h"
#include "tests/corpus/corpus.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {

// Opens the file with the options with which it was written.
class CorpusTableTest : public testing::TestWithParam<CorpusParameter> {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(table_, OpenCorpusFile(GetParam(), OptionsFor(file())));
    ASSERT_OK(table_->metaindex_status());
    ASSERT_OK(table_->LoadIndex());
  }

  const CorpusFile& file() const { return *GetParam().file; }
  const nlohmann::json& facts() const { return file().facts; }

  std::unique_ptr<TableReader> table_;
};

}  // namespace sstable::test

// Instantiates a test for each readable file and way of reading. Without a corpus there are no
// cases, and no failure.
#define INSTANTIATE_FOR_READABLE_FILES(suite)                                                  \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(suite);                                        \
  INSTANTIATE_TEST_SUITE_P(Corpus, suite, testing::ValuesIn(::sstable::test::ReadableFiles()), \
                           [](const auto& info) { return CorpusParameterName(info.param); })

#endif  // SSTABLE_TESTS_CORPUS_CORPUS_TABLE_TEST_H_
