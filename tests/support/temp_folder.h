// A folder for the files of one test.
#ifndef SSTABLE_TESTS_SUPPORT_TEMP_FOLDER_H_
#define SSTABLE_TESTS_SUPPORT_TEMP_FOLDER_H_

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/whole_file.h"

namespace sstable::test {

// Creates an empty folder and removes it with all its contents.
class TempFolder {
 public:
  TempFolder() : path_(testing::TempDir() + "/sstable-XXXXXX") {
    EXPECT_NE(::mkdtemp(&path_[0]), nullptr) << path_;
    path_ = std::filesystem::canonical(path_);  // as in error messages
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string File(absl::string_view name) const { return path_ + "/" + std::string(name); }

  // Returns the sorted names of its contents, or of a subfolder's.
  std::vector<std::string> Names(absl::string_view folder = ".") const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(File(folder))) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string Read(absl::string_view name) const { return ReadWholeFile(File(name)); }

  // Writes a file and returns its path.
  std::string Write(absl::string_view name, absl::string_view contents) const {
    std::ofstream(File(name), std::ios::binary).write(contents.data(), contents.size());
    return File(name);
  }

 private:
  std::string path_;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_TEMP_FOLDER_H_
