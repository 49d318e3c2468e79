#include "decode/indexed_db_record.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/strip.h"
#include "keys/indexed_db_key.h"
#include "table/block/codec.h"
#include "util/bytes.h"
#include "util/coding.h"
#include "util/status_util.h"

namespace sstable {
namespace {

constexpr uint64_t kMaxSize = uint64_t{64} << 20;

bool IsRecord(absl::string_view key) {
  IndexedDbKeyReader reader(key);
  const uint64_t database = reader.Next().number, store = reader.Next().number;
  return database != 0 && store != 0 && reader.Next().number == kIndexedDbDataId &&
         IsIndexedDbKey(key);
}

}  // namespace

absl::StatusOr<std::string> UncompressIndexedDbRecord(absl::string_view key,
                                                      absl::string_view value) {
  uint64_t version = 0;
  if (!ConsumeVarint64(&value, &version) || !absl::ConsumePrefix(&value, "\xff\x11\x02") ||
      !IsRecord(key)) {
    return absl::NotFoundError("");
  }
  ByteBuffer script_value;
  RETURN_IF_ERROR(UncompressSnappy(value, kMaxSize, &script_value));
  return std::string(script_value.view());
}

}  // namespace sstable
