// Runs every operation of a reader, the checker and the reports on a table, with plain and internal
// keys, from memory and from a file that is read block by block.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sstable/file.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/table_seeds.h"
#include "tests/support/fake_files.h"
#include "tests/support/table_operations.h"

namespace sstable::fuzz {
namespace {

void Try(KeyKind kind, std::unique_ptr<RandomAccessFile> file, std::shared_ptr<BlockCache> cache) {
  TableReaderOptions options;
  options.key_kind = kind;
  options.block_cache = std::move(cache);
  const auto reader = TableReader::Open(std::move(file), options);
  if (!reader.ok()) return;
  for (const test::TableOperation& operation : test::TableOperations()) operation.run(**reader);
}

}  // namespace

std::vector<std::string> Seeds() { return TableSeeds(); }

}  // namespace sstable::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sstable;
  const absl::string_view table = fuzz::View(data, size);
  for (const KeyKind kind : {KeyKind::kPlain, KeyKind::kInternal}) {
    fuzz::Try(kind, NewMemoryFile(table), nullptr);
    fuzz::Try(kind, std::make_unique<test::FakeFile>(std::string(table)),
              std::make_shared<BlockCache>(1 << 20));
  }
  return 0;
}
