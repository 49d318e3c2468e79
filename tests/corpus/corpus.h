// The corpus of real files, where there is one: tables that other programs wrote, and what an
// independent decoder says of each.
//
// It lies beside the workspace, at ../shared/corpus, and is too large for this repository; see
// @sstable_corpus in WORKSPACE. Its README.md has the meaning of every fact.
#ifndef SSTABLE_TESTS_CORPUS_CORPUS_H_
#define SSTABLE_TESTS_CORPUS_CORPUS_H_

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "sstable/file.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {

// One file and the manifest's facts of it.
struct CorpusFile {
  std::string name;  // "plyvel/bloom1bit.ldb"
  std::string path;
  nlohmann::json facts;

  bool readable() const { return !MustBeRefused(); }
  bool MustBeRefused() const { return facts.at("expect") == "refuse:magic"; }
  bool internal_keys() const { return facts.at("internal_keys"); }
  // Whether we have the comparator that the table was written with.
  bool comparator_known() const;
  bool IsIndexedDb() const;  // of Chromium, in the order idb_cmp1
  bool has_filter() const { return !facts.at("filter").is_null(); }
};

// All files of the manifest; none if there is no corpus.
const std::vector<CorpusFile>& Corpus();
// Where it is, or would be.
std::string CorpusFolder();

// A file to be read in one of the two ways; the parameter of most tests.
struct CorpusParameter {
  const CorpusFile* file;
  FileAccess access;
};
void PrintTo(const CorpusParameter& parameter, std::ostream* out);

// Each in both ways.
std::vector<CorpusParameter> ReadableFiles();
std::vector<CorpusParameter> RefusedFiles();
// "plyvel_bloom1bit_ldb_mapped"
std::string CorpusParameterName(const CorpusParameter& parameter);

// What the file must be read with: its comparator where we have it, its kind of keys, and the
// policy that one of the files needs.
TableReaderOptions OptionsFor(const CorpusFile& file);

absl::StatusOr<std::unique_ptr<TableReader>> OpenCorpusFile(const CorpusParameter& parameter,
                                                            const TableReaderOptions& options);

// All entries of a table, by its iterator. A failure of the walk is one of the test.
Entries ReadEntries(const TableReader& table);

// The manifest's hash of entries. Each is u32le key size, key, u32le value size, value.
std::string EntriesSha256(const Entries& entries);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_CORPUS_CORPUS_H_
