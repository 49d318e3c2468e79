// The bytes of a file, read at once.
#ifndef SSTABLE_TESTS_SUPPORT_WHOLE_FILE_H_
#define SSTABLE_TESTS_SUPPORT_WHOLE_FILE_H_

#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace sstable::test {

// Returns an empty string and fails the test if the file can't be opened.
inline std::string ReadWholeFile(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return std::move(bytes).str();
}

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_WHOLE_FILE_H_
