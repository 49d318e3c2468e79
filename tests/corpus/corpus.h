// The corpus of real files, if it is present: tables written by other programs, each with the
// results of an independent decoder.
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

// A file of the corpus and its facts from the manifest.
struct CorpusFile {
  std::string name;  // "plyvel/bloom1bit.ldb"
  std::string path;
  nlohmann::json facts;

  bool readable() const { return !MustBeRefused(); }
  bool MustBeRefused() const { return facts.at("expect") == "refuse:magic"; }
  bool internal_keys() const { return facts.at("internal_keys"); }
  // Returns true if this library has the comparator with which the table was written.
  bool comparator_known() const;
  bool IsIndexedDb() const;  // in Chromium's order idb_cmp1
  bool has_filter() const { return !facts.at("filter").is_null(); }
};

// Returns all files of the manifest, or none if there is no corpus.
const std::vector<CorpusFile>& Corpus();
// The path of the corpus, even if it does not exist.
std::string CorpusFolder();

// A file and one of the two ways to read it; the parameter of most tests.
struct CorpusParameter {
  const CorpusFile* file;
  FileAccess access;
};
void PrintTo(const CorpusParameter& parameter, std::ostream* out);

// Return each file once for each way to read it.
std::vector<CorpusParameter> ReadableFiles();
std::vector<CorpusParameter> RefusedFiles();
// For example "plyvel_bloom1bit_ldb_mapped".
std::string CorpusParameterName(const CorpusParameter& parameter);

// Returns the options with which the file must be read: its comparator if the library has it, its
// kind of keys, and the filter policy that one of the files needs.
TableReaderOptions OptionsFor(const CorpusFile& file);

absl::StatusOr<std::unique_ptr<TableReader>> OpenCorpusFile(const CorpusParameter& parameter,
                                                            const TableReaderOptions& options);

// Reads all entries with the table's iterator. An error fails the test.
Entries ReadEntries(const TableReader& table);

// Returns the hash that the manifest has of the entries, each as u32le key size, key, u32le value
// size, value.
std::string EntriesSha256(const Entries& entries);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_CORPUS_CORPUS_H_
