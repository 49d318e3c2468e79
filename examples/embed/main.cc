// Writes a table to a file, then looks up a key that is in it and one that is not.
#include <iostream>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "sstable/bloom_filter_policy.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_reader.h"
#include "util/status_util.h"

namespace {

absl::Status WriteTable(const sstable::FilterPolicy* policy, const std::string& path) {
  sstable::TableBuilderOptions options;
  options.filter_policy = policy;
  ASSIGN_OR_RETURN(auto builder, sstable::TableBuilder::Create(options, path));
  RETURN_IF_ERROR(builder->Add("apple", "red"));
  RETURN_IF_ERROR(builder->Add("plum", "blue"));
  return builder->Finish();
}

absl::Status LookUp(const std::string& path) {
  ASSIGN_OR_RETURN(auto table, sstable::TableReader::Open({}, path));
  ASSIGN_OR_RETURN(std::optional<std::string> plum, table->Get("plum"));
  ASSIGN_OR_RETURN(std::optional<std::string> pear, table->Get("pear"));
  std::cout << plum.value_or("absent") << ", " << pear.value_or("absent") << "\n";
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
