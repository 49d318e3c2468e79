// With SST_FUZZ_SEEDS=FOLDER, a libFuzzer target writes its seeds to the folder and exits.
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* folder = std::getenv("SST_FUZZ_SEEDS");
  if (folder == nullptr) return 0;
  const std::vector<std::string> seeds = sstable::fuzz::Seeds();
  for (size_t i = 0; i < seeds.size(); ++i) {
    std::ofstream file(absl::StrCat(folder, "/seed-", i), std::ios::binary);
    sstable::fuzz::Require(file.write(seeds[i].data(), seeds[i].size()).good(), folder);
  }
  std::exit(0);
}
