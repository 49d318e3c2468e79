// Writes a table to a file, then looks up a key that is present and one that is absent.
#include <iostream>
#include <string>

#include "absl/status/status.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_reader.h"

namespace {

absl::Status WriteTable(const sstable::FilterPolicy* policy, const std::string& path) {
  sstable::TableBuilderOptions options;
  options.filter_policy = policy;
  const auto builder = sstable::TableBuilder::Create(path, options);
  if (!builder.ok()) return builder.status();
  absl::Status status = (*builder)->Add("apple", "red");
  if (status.ok()) status = (*builder)->Add("plum", "blue");
  if (status.ok()) status = (*builder)->Finish();
  return status;
}

absl::Status LookUp(const std::string& path) {
  const auto table = sstable::TableReader::Open(path);
  if (!table.ok()) return table.status();
  const auto plum = (*table)->Get("plum");
  if (!plum.ok()) return plum.status();
  const auto pear = (*table)->Get("pear");
  if (!pear.ok()) return pear.status();
  std::cout << plum->value_or("absent") << ", " << pear->value_or("absent") << "\n";
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: main FILE\n";
    return 2;
  }
  const auto policy = sstable::NewBloomFilterPolicy(/*bits_per_key=*/10);
  absl::Status status = WriteTable(policy.get(), argv[1]);
  if (status.ok()) status = LookUp(argv[1]);
  if (status.ok()) return 0;
  std::cerr << status << "\n";
  return 1;
}
