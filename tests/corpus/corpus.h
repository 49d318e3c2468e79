// The corpus of real files, if it is present: tables that other programs wrote, with the results of
// an independent decoder for each.
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

// A file of the corpus, with its facts from the manifest.
struct CorpusFile {
  std::string name;  // "plyvel/bloom1bit.ldb"
  std::string path;
  nlohmann::json facts;

  bool readable() const { return !MustBeRefused(); }
  bool MustBeRefused() const { return facts.at("expect") == "refuse:magic"; }
  bool internal_keys() const { return facts.at("internal_keys"); }
  // True if we have the comparator with which the table was written.
  bool comparator_known() const;
  bool IsIndexedDb() const;  // Chromium's, in the order idb_cmp1
  bool has_filter() const { return !facts.at("filter").is_null(); }
};

// All files of the manifest; none if there is no corpus.
const std::vector<CorpusFile>& Corpus();
// Where the corpus is, or would be.
std::string CorpusFolder();

// A file to read in one of the two ways; the parameter of most tests.
struct CorpusParameter {
  const CorpusFile* file;
  FileAccess access;
};
void PrintTo(const CorpusParameter& parameter, std::ostream* out);

// Each file in both ways.
std::vector<CorpusParameter> ReadableFiles();
std::vector<CorpusParameter> RefusedFiles();
// "plyvel_bloom1bit_ldb_mapped"
std::string CorpusParameterName(const CorpusParameter& parameter);

// The options with which the file must be read: its comparator if we have it, its kind of keys, and
// the policy that one of the files needs.
TableReaderOptions OptionsFor(const CorpusFile& file);

absl::StatusOr<std::unique_ptr<TableReader>> OpenCorpusFile(const CorpusParameter& parameter,
                                                            const TableReaderOptions& options);

// Reads all entries of a table with its iterator. An error fails the test.
Entries ReadEntries(const TableReader& table);

// The manifest's hash of entries. Each entry is u32le key size, key, u32le value size, value.
std::string EntriesSha256(const Entries& entries);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_CORPUS_CORPUS_H_
