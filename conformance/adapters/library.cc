// Adapter for this project's library, through c.h. Databases are opened with the comparator that
// their MANIFEST names, not with COMPARATOR.
#include <sstable/c.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "hex.h"

namespace {

double Now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int, char** argv) {
  const std::string operation = argv[1];
  if (operation.find("-database") == std::string::npos) return 3;
  std::vector<std::string> keys;
  for (std::string key; std::getline(std::cin, key);) keys.push_back(Bytes(key));
  sstable_database* database = nullptr;
  char* message = nullptr;
  const auto fail = [&] {
    std::cout.flush();
    std::cerr << message << "\n";
    return 1;
  };
  if (sstable_database_open(argv[2], &database, &message) != SSTABLE_OK) return fail();
  int code = 0;
  uint64_t entries = 0, bytes = 0, found = 0;
  const double start = Now();
  if (operation[0] != 'g') {
    sstable_iterator* it = nullptr;
    if (sstable_iterator_create_database(database, SSTABLE_MAX_SEQUENCE, &it, &message) !=
        SSTABLE_OK) {
      return fail();
    }
    for (sstable_iterator_seek_to_first(it); sstable_iterator_valid(it);
         sstable_iterator_next(it)) {
      size_t key_size = 0, value_size = 0;
      const char* const key = sstable_iterator_key(it, &key_size);
      const char* const value = sstable_iterator_value(it, &value_size);
      ++entries;
      bytes += key_size + value_size;
      if (operation[0] == 's') {
        std::cout << "{\"key\":\"" << Hex(std::string_view(key, key_size)) << "\",\"value\":\""
                  << Hex(std::string_view(value, value_size)) << "\"}\n";
      }
    }
    if (sstable_iterator_status(it, &message) != SSTABLE_OK) code = fail();
  }
  const double done = Now();
  for (const std::string& key : keys) {
    int presence = 0;
    char* value = nullptr;
    size_t size = 0;
    const sstable_code got = sstable_database_get(
        database, key.data(), key.size(), SSTABLE_MAX_SEQUENCE, &presence, &value, &size, &message);
    found += value != nullptr;
    if (operation[0] == 'g') {
      std::cout << "{\"key\":\"" << Hex(key) << "\",";
      if (got != SSTABLE_OK) {
        std::cout << "\"error\":\"damage\"}\n";
        code = 1;
      } else if (value == nullptr) {
        std::cout << "\"value\":null}\n";
      } else {
        std::cout << "\"value\":\"" << Hex(std::string_view(value, size)) << "\"}\n";
      }
    }
    sstable_free(value);
  }
  sstable_problems* problems = nullptr;
  if (sstable_database_problems(database, &problems, &message) != SSTABLE_OK) return fail();
  for (size_t i = 0; i < sstable_problems_count(problems, nullptr); ++i) {
    int is_damage = 0;
    std::cerr << sstable_problems_text(problems, i, nullptr, &is_damage) << "\n";
    if (is_damage != 0) code = 1;
  }
  if (operation[0] == 't') {
    std::cout << "{\"entries\":" << entries << ",\"bytes\":" << bytes
              << ",\"read\":" << done - start << ",\"found\":" << found
              << ",\"gets\":" << Now() - done << "}\n";
  }
  return code;
}
