// foreign_tables FOLDER   Writes tables of plain keys whose filters were made with other hashes
// than their names indicate, one for each hash, bits per key and number of keys. Prints their
// paths.
#include <cstdio>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "sstable/options.h"
#include "tests/support/foreign_filters.h"
#include "tests/support/random_bytes.h"
#include "tests/support/table_bytes.h"

int main(int, char** argv) {
  using namespace sstable::test;
  Rng rng(20261129);
  for (const ForeignHashCase& hash : kForeignHashes) {
    if (hash.hash == WithoutTagHash) continue;  // such keys would be taken for internal ones
    for (const int bits : kForeignBits) {
      const ForeignBloom policy(hash, bits);
      for (const size_t count : kForeignCounts) {
        sstable::TableBuilderOptions options;
        options.filter_policy = &policy;
        const std::string path =
            absl::StrCat(argv[1], "/", hash.name, "-", bits, "-", count, ".ldb");
        std::ofstream(path) << BuildTable(options, RandomEntries(count, rng)).value();
        std::puts(path.c_str());
      }
    }
  }
}
