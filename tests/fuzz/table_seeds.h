// Seeds for the targets that read whole tables.
#ifndef SSTABLE_TESTS_FUZZ_TABLE_SEEDS_H_
#define SSTABLE_TESTS_FUZZ_TABLE_SEEDS_H_

#include <string>
#include <vector>

namespace sstable::fuzz {

// Small tables, with each codec that can be written and each kind of keys, with and without filter.
std::vector<std::string> TableSeeds();

}  // namespace sstable::fuzz

#endif  // SSTABLE_TESTS_FUZZ_TABLE_SEEDS_H_
