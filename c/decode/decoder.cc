#include "c/decode/decoder.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "c/c_objects.h"
#include "c/c_support.h"
#include "decode/choose_decoder.h"
#include "decode/entry_decoder.h"
#include "sstable/c.h"
#include "util/status_util.h"

using sstable::Bytes;
using sstable::Guard;
using sstable::NotNull;

struct sstable_decoder {
  std::shared_ptr<const void> read;  // the reader or view that the decoder has learnt from
  std::unique_ptr<sstable::EntryDecoder> decoder;
  std::string format, doubt;
};

namespace sstable {
namespace {

absl::StatusOr<DecodedProgram> ProgramNamed(absl::string_view name) {
  std::string names;
  for (const auto& [its_name, program] : NamedPrograms()) {
    if (its_name == name) return program;
    absl::StrAppend(&names, names.empty() ? "" : ", ", its_name);
  }
  return absl::InvalidArgumentError(absl::StrCat("program is ", name, ", expected ", names));
}

// `new_source` creates a source from the object that `read` owns.
template <typename T, typename NewSource>
absl::Status Create(std::shared_ptr<const T> read, NewSource new_source, const char* program_name,
                    sstable_decoder** decoder) {
  RETURN_IF_ERROR(NotNull(program_name, "program"));
  ASSIGN_OR_RETURN(const DecodedProgram program, ProgramNamed(program_name));
  auto created = std::make_unique<sstable_decoder>();
  created->decoder = ChooseDecoder(program, new_source(read.get())).decoder;
  if (created->decoder == nullptr) return absl::OkStatus();
  created->read = std::move(read);
  created->format = std::string(created->decoder->format());
  created->doubt = created->decoder->doubt();
  *decoder = created.release();
  return absl::OkStatus();
}

void AppendField(absl::string_view name, const ValueTree& tree, std::string* out) {
  if (tree.empty()) return;
  absl::StrAppend(out, out->size() > 1 ? "," : "", "\"", name, "\":");
  tree.AppendJson(out);
}

}  // namespace
}  // namespace sstable

sstable_code sstable_decoder_create(const sstable_reader* reader, const char* program,
                                    sstable_decoder** decoder, char** message) {
  if (decoder != nullptr) *decoder = nullptr;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(reader, "reader"));
    RETURN_IF_ERROR(NotNull(decoder, "decoder"));
    return sstable::Create(reader->reader, sstable::NewTableSource, program, decoder);
  });
}

sstable_code sstable_decoder_create_database(const sstable_database* database, const char* program,
                                             sstable_decoder** decoder, char** message) {
  if (decoder != nullptr) *decoder = nullptr;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(database, "database"));
    RETURN_IF_ERROR(NotNull(decoder, "decoder"));
    return sstable::Create(database->view, sstable::NewDatabaseSource, program, decoder);
  });
}

void sstable_decoder_destroy(sstable_decoder* decoder) { delete decoder; }

const char* sstable_decoder_format(const sstable_decoder* decoder) {
  return decoder->format.c_str();
}

const char* sstable_decoder_doubt(const sstable_decoder* decoder) { return decoder->doubt.c_str(); }

sstable_code sstable_decoder_decode(const sstable_decoder* decoder, const void* key,
                                    size_t key_size, const void* value, size_t value_size,
                                    char** json, size_t* json_size, char** message) {
  if (json != nullptr) *json = nullptr;
  if (json_size != nullptr) *json_size = 0;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(decoder, "decoder"));
    RETURN_IF_ERROR(NotNull(json, "json"));
    RETURN_IF_ERROR(NotNull(json_size, "json_size"));
    ASSIGN_OR_RETURN(const absl::string_view key_bytes, Bytes(key, key_size, "key"));
    ASSIGN_OR_RETURN(const absl::string_view value_bytes, Bytes(value, value_size, "value"));
    const sstable::DecodedEntry entry = decoder->decoder->Decode(key_bytes, value_bytes);
    std::string object = "{";
    sstable::AppendField("key", entry.key, &object);
    sstable::AppendField("value", entry.value, &object);
    object.push_back('}');
    *json = sstable::CopyForC(object);
    if (*json == nullptr) return absl::ResourceExhaustedError(sstable::kNoMemory);
    *json_size = object.size();
    return absl::OkStatus();
  });
}
