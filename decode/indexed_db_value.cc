#include "decode/indexed_db_value.h"

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "decode/entry_decoder.h"
#include "decode/protobuf.h"
#include "keys/indexed_db_key.h"
#include "sstable/file.h"
#include "table/block/codec.h"
#include "util/bytes.h"
#include "util/coding.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable {
namespace {

bool IsRecord(absl::string_view key) {
  if (!IsIndexedDbKey(key)) return false;
  const IndexedDbIds ids = IndexedDbKeyReader(key).NextIds();
  return ids[0] != 0 && ids[1] != 0 && ids[2] == kIndexedDbDataId;
}

}  // namespace

void ExternalObject::AddTo(uint64_t database, ObjectBuilder* fields) const {
  constexpr double kMillisecondsTo1970 = 11'644'473'600'000;
  if (kind == Kind::kHandle) {
    ValueTree* const tree = fields->Name("handle");
    if (!DecodeProtobuf(handle, tree)) tree->Bytes(handle);
    return;
  }
  fields->Name("type")->Utf16(type, ByteOrder::kBig);
  fields->Add("size", size).Add("path", Path(database));
  if (kind == Kind::kBlob) return;
  fields->Name("name")->Utf16(name, ByteOrder::kBig);
  fields->Name("modified")->Date(static_cast<double>(modified) / 1000 - kMillisecondsTo1970);
}

std::string ExternalObject::Path(uint64_t database) const {
  return absl::StrFormat("%x/%02x/%x", database, (number & 0xff00) >> 8, number);
}

std::optional<std::vector<ExternalObject>> ParseExternalObjects(absl::string_view bytes) {
  constexpr size_t kMaxObjects = 10'000;
  std::vector<ExternalObject> objects;
  while (!bytes.empty()) {
    ExternalObject object;
    const char kind = bytes.front();
    bytes.remove_prefix(1);
    if (kind < 0 || kind > 2) return std::nullopt;
    object.kind = static_cast<ExternalObject::Kind>(kind);
    if (object.kind == ExternalObject::Kind::kHandle) {
      if (!ConsumeSized(&bytes, 1, &object.handle)) return std::nullopt;
    } else if (!ConsumeVarint64(&bytes, &object.number) || !ConsumeSized(&bytes, 2, &object.type) ||
               !ConsumeVarint64(&bytes, &object.size)) {
      return std::nullopt;
    } else if (object.kind == ExternalObject::Kind::kFile &&
               (!ConsumeSized(&bytes, 2, &object.name) ||
                !ConsumeVarint64(&bytes, &object.modified))) {
      return std::nullopt;
    }
    if (objects.size() == kMaxObjects) return std::nullopt;
    objects.push_back(object);
  }
  return objects;
}

absl::StatusOr<std::string> UncompressScriptValue(absl::string_view value) {
  if (!absl::ConsumePrefix(&value, "\xff\x11\x02")) return absl::NotFoundError("");
  ByteBuffer script_value;
  const absl::Status status = UncompressSnappy(value, kMaxDecodedSize, &script_value);
  if (IsLimit(status)) return absl::DataLossError("snappy: larger than 6 MiB");
  RETURN_IF_ERROR(status);
  return std::string(script_value.view());
}

absl::StatusOr<std::string> UncompressIndexedDbRecord(absl::string_view key,
                                                      absl::string_view value) {
  uint64_t version = 0;
  if (!ConsumeVarint64(&value, &version) || !IsRecord(key)) return absl::NotFoundError("");
  return UncompressScriptValue(value);
}

absl::StatusOr<std::string> ReadBlob(absl::string_view folder, absl::string_view path,
                                     uint64_t size) {
  std::error_code error;
  const std::string normal =
      sys::FromPath(std::filesystem::absolute(sys::ToPath(folder), error).lexically_normal());
  folder = absl::StripSuffix(normal, "/");
  if (error || !absl::ConsumeSuffix(&folder, ".leveldb")) {
    return absl::NotFoundError("no folder of blobs");
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> file,
                   OpenFile(absl::StrCat(folder, ".blob/", path), FileAccess::kRead));
  if (size > kMaxDecodedSize || file->size() != size) {
    return absl::DataLossError(
        absl::StrCat(file->name(), ": ", file->size(), " bytes, not the record's ", size));
  }
  std::string contents(size, '\0');
  RETURN_IF_ERROR(file->Read(0, size, contents.data()));
  return contents;
}

}  // namespace sstable
