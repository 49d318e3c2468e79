#include "util/coding.h"

namespace sstable {
namespace {

template <typename T, size_t kMaxSize>
const char* DecodeVarint(const char* p, const char* limit, T* value) {
  T result = 0;
  for (size_t i = 0; i < kMaxSize && p < limit; ++i) {
    const auto byte = static_cast<unsigned char>(*p++);
    result |= static_cast<T>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      *value = result;
      return p;
    }
  }
  return nullptr;
}

}  // namespace

void AppendFixed32(std::string* dst, uint32_t value) {
  char bytes[sizeof(value)];
  EncodeFixed32(bytes, value);
  dst->append(bytes, sizeof(bytes));
}

void AppendFixed64(std::string* dst, uint64_t value) {
  char bytes[sizeof(value)];
  EncodeFixed64(bytes, value);
  dst->append(bytes, sizeof(bytes));
}

void AppendVarint64(std::string* dst, uint64_t value) {
  char bytes[kMaxVarint64Size];
  dst->append(bytes, EncodeVarint64(bytes, value) - bytes);
}

const char* DecodeVarint32Slow(const char* p, const char* limit, uint32_t* value) {
  return DecodeVarint<uint32_t, kMaxVarint32Size>(p, limit, value);
}

const char* DecodeVarint64(const char* p, const char* limit, uint64_t* value) {
  return DecodeVarint<uint64_t, kMaxVarint64Size>(p, limit, value);
}

bool ConsumeVarint32(absl::string_view* input, uint32_t* value) {
  const char* p = DecodeVarint32(input->data(), input->data() + input->size(), value);
  if (p == nullptr) return false;
  input->remove_prefix(p - input->data());
  return true;
}

bool ConsumeVarint64(absl::string_view* input, uint64_t* value) {
  const char* p = DecodeVarint64(input->data(), input->data() + input->size(), value);
  if (p == nullptr) return false;
  input->remove_prefix(p - input->data());
  return true;
}

bool ConsumeSized(absl::string_view* input, uint64_t unit_size, absl::string_view* units) {
  absl::string_view rest = *input;
  uint64_t count = 0;
  if (!ConsumeVarint64(&rest, &count) || count > rest.size() / unit_size) return false;
  *units = rest.substr(0, count * unit_size);
  rest.remove_prefix(units->size());
  *input = rest;
  return true;
}

}  // namespace sstable
