// Parses a footer, a block handle and a metaindex block, in a file with little else.
#include <memory>
#include <string>
#include <vector>

#include "sstable/file.h"
#include "sstable/format.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/table_seeds.h"

namespace sstable::fuzz {

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds = {Footer{{0, 8}, {13, 8}}.Encode()};
  for (const std::string& table : TableSeeds()) {
    seeds.push_back(table.substr(table.size() - kFooterSize));
    seeds.push_back(table);
  }
  return seeds;
}

}  // namespace sstable::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sstable;
  const absl::string_view bytes = fuzz::View(data, size);
  for (const uint64_t file_size : {uint64_t{size}, uint64_t{4096}, UINT64_MAX}) {
    const size_t footer_size = std::min(size, kFooterSize);
    const auto footer = Footer::Parse(bytes.substr(size - footer_size), file_size);
    if (!footer.ok()) continue;
    const auto again = Footer::Parse(footer->Encode(), file_size);
    fuzz::RequireOk(again.status());
    fuzz::Require(again->index == footer->index && again->metaindex == footer->metaindex,
                  "a footer is the same again after Encode()");
    for (const BlockHandle& handle : {footer->index, footer->metaindex}) {
      fuzz::Require(handle.offset + handle.size + kBlockTrailerSize <= file_size - kFooterSize &&
                        handle.offset <= file_size && handle.size <= file_size,
                    "handles lie in the file");
    }
  }
  const auto reader = TableReader::Open(NewMemoryFile(bytes));
  if (!reader.ok()) return 0;
  for (const MetaBlock& block : (*reader)->meta_blocks()) {
    static_cast<void>((*reader)->ReadMetaBlock(block.name));
  }
  static_cast<void>((*reader)->LoadFilter());
  return 0;
}
