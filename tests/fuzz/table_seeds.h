// Seeds for the targets that read whole tables.
#ifndef SSTABLE_TESTS_FUZZ_TABLE_SEEDS_H_
#define SSTABLE_TESTS_FUZZ_TABLE_SEEDS_H_

#include <string>
#include <vector>

namespace sstable::fuzz {

// Returns small tables with each writable codec, each kind of keys, and with or without a filter.
std::vector<std::string> TableSeeds();

}  // namespace sstable::fuzz

#endif  // SSTABLE_TESTS_FUZZ_TABLE_SEEDS_H_
