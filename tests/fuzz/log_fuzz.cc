// Reads a log. Records are either read or reported as damaged, and none is invented.
#include <string>
#include <vector>

#include "sstable/experimental/log_file.h"
#include "sstable/file.h"
#include "tests/fuzz/fuzz.h"

namespace sstable::fuzz {
namespace {

std::string WriteLog(const std::vector<std::string>& records) {
  std::string bytes;
  const auto file = NewStringFile(&bytes);
  LogWriter log(file.get());
  for (const std::string& record : records) RequireOk(log.AddRecord(record));
  return bytes;
}

// Returns the minimum number of bytes that the records and their headers take.
uint64_t Read(absl::string_view bytes, bool resume_within_block) {
  const auto file = NewMemoryFile(bytes);
  LogReader log(file.get(), {resume_within_block});
  uint64_t size = 0;
  std::vector<std::string> records;
  while (log.Next()) {
    Require(log.record_offset() >= size, "records are in order and apart");
    size = log.record_offset() + kLogHeaderSize + log.record().size();
    Require(size <= bytes.size(), "a record is in the file");
    records.emplace_back(log.record());
  }
  RequireOk(log.status());
  uint64_t end = 0;
  for (const LogDrop& drop : log.damage()) {
    Require(drop.size > 0 && drop.offset >= end, "damage is in order and apart");
    end = drop.offset + drop.size;
    Require(end <= bytes.size(), "damage is in the file");
  }
  if (log.torn_end().has_value()) {
    Require(
        log.torn_end()->size > 0 && log.torn_end()->offset + log.torn_end()->size == bytes.size(),
        "a torn end is the end");
  }
  const std::string again = WriteLog(records);
  const auto again_file = NewMemoryFile(again);
  LogReader reader(again_file.get());
  for (const std::string& record : records) {
    Require(reader.Next() && reader.record() == record, "a record is the same when written again");
  }
  Require(!reader.Next() && reader.drop_count() == 0, "there is nothing else");
  uint64_t total = 0;
  for (const std::string& record : records) total += kLogHeaderSize + record.size();
  return total;
}

}  // namespace

std::vector<std::string> Seeds() {
  const std::string small = WriteLog({"one", "", "three", std::string(100, 'x')});
  return {small, small + std::string(50, '\0'),
          WriteLog({"begin", std::string(kLogBlockSize, 'y'), "middle", std::string(300, 'z')})};
}

}  // namespace sstable::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sstable;
  const absl::string_view bytes = fuzz::View(data, size);
  fuzz::Require(fuzz::Read(bytes, false) <= fuzz::Read(bytes, true),
                "resuming within a block loses nothing");
  return 0;
}
