#include "tests/corpus/corpus.h"

#include <cstdlib>
#include <fstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "sstable/comparator.h"
#include "sstable/table_iterator.h"
#include "tests/corpus/prefix4_filter_policy.h"
#include "tests/support/sha256.h"
#include "tests/support/status_matchers.h"
#include "util/coding.h"

namespace sstable::test {
namespace {

std::vector<CorpusFile> LoadCorpus() {
  std::vector<CorpusFile> files;
  std::ifstream manifest(CorpusFolder() + "/manifest.json");
  if (!manifest.is_open()) return files;
  nlohmann::json root = nlohmann::json::parse(manifest);
  for (nlohmann::json& facts : root.at("files")) {
    const std::string name = facts.at("file");
    files.push_back({name, CorpusFolder() + "/" + name, std::move(facts)});
  }
  return files;
}

std::vector<CorpusParameter> FilesThat(bool are_readable) {
  std::vector<CorpusParameter> parameters;
  for (const CorpusFile& file : Corpus()) {
    if (file.readable() != are_readable) continue;
    parameters.push_back({&file, FileAccess::kMap});
    parameters.push_back({&file, FileAccess::kRead});
  }
  return parameters;
}

}  // namespace

bool CorpusFile::comparator_known() const {
  const std::string comparator = facts.at("comparator");
  return !absl::StrContains(comparator, "not bytewise") || IsIndexedDb();
}

bool CorpusFile::IsIndexedDb() const {
  return absl::StrContains(std::string(facts.at("comparator")), "idb_cmp1");
}

std::string CorpusFolder() {
  const char* runfiles = std::getenv("TEST_SRCDIR");  // set by Bazel
  return absl::StrCat(runfiles == nullptr ? "external" : runfiles, "/sstable_corpus/files");
}

const std::vector<CorpusFile>& Corpus() {
  static const auto* const files = new std::vector<CorpusFile>(LoadCorpus());
  return *files;
}

void PrintTo(const CorpusParameter& parameter, std::ostream* out) { *out << parameter.file->name; }

std::vector<CorpusParameter> ReadableFiles() { return FilesThat(/*are_readable=*/true); }
std::vector<CorpusParameter> RefusedFiles() { return FilesThat(/*are_readable=*/false); }

std::string CorpusParameterName(const CorpusParameter& parameter) {
  std::string name = parameter.file->name;
  for (char& c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name + (parameter.access == FileAccess::kMap ? "_mapped" : "_read");
}

TableReaderOptions OptionsFor(const CorpusFile& file) {
  static const auto* const prefix4 = new Prefix4FilterPolicy;
  TableReaderOptions options;
  options.filter_policies = {prefix4};
  if (!file.readable()) return options;
  options.key_kind = file.internal_keys() ? KeyKind::kInternal : KeyKind::kPlain;
  if (absl::StrContains(std::string(file.facts.at("comparator")), "reverse")) {
    options.comparator = ReverseBytewiseComparator();
  } else if (file.IsIndexedDb()) {
    options.comparator = IndexedDbComparator();
  }
  return options;
}

absl::StatusOr<std::unique_ptr<TableReader>> OpenCorpusFile(const CorpusParameter& parameter,
                                                            const TableReaderOptions& options) {
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> file =
      OpenFile(parameter.file->path, parameter.access);
  if (!file.ok()) return file.status();
  return TableReader::Open(*std::move(file), options);
}

Entries ReadEntries(const TableReader& table) {
  Entries entries;
  const auto it = table.NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) entries.emplace_back(it->key(), it->value());
  EXPECT_OK(it->status());
  return entries;
}

std::string EntriesSha256(const Entries& entries) {
  Sha256 sha256;
  const auto add = [&sha256](const std::string& bytes) {
    std::string size;
    AppendFixed32(&size, static_cast<uint32_t>(bytes.size()));
    sha256.Add(size);
    sha256.Add(bytes);
  };
  for (const auto& [key, value] : entries) {
    add(key);
    add(value);
  }
  return sha256.HexDigest();
}

}  // namespace sstable::test
