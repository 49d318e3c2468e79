#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "absl/status/status.h"
#include "c/arrow_abi.h"
#include "c/c_support.h"
#include "sstable/c.h"
#include "util/status_util.h"

namespace sstable {
namespace {

constexpr size_t kColumns = 2;  // keys and values
constexpr char kStructFormat[] = "+s";
constexpr char kBytesFormat[] = "Z";  // with offsets of 64 bits
constexpr size_t kMaxCount = 1 << 20;
constexpr size_t kCapacity = 1 << 20;  // bytes per column of a batch, unless one item is larger

// The memory of an ArrowSchema or ArrowArray with two children.
template <typename Arrow>
struct Parent {
  std::array<Arrow, kColumns> columns = {};
  std::array<Arrow*, kColumns> children = {&columns[0], &columns[1]};
  const void* no_nulls = nullptr;  // a struct's only buffer is the bitmap of nulls

  // A consumer may have moved a child out of this object; its `release` is then null.
  static void Release(Arrow* arrow) {
    Parent* const parent = static_cast<Parent*>(arrow->private_data);
    for (Arrow& child : parent->columns) {
      if (child.release != nullptr) child.release(&child);
    }
    delete parent;
    arrow->release = nullptr;
  }
};

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
template <typename T>
using Buffer = std::unique_ptr<T[], Free>;

template <typename T>
Buffer<T> NewBuffer(size_t count) {
  Buffer<T> buffer(static_cast<T*>(std::malloc(count * sizeof(T))));
  if (buffer == nullptr) throw std::bad_alloc();
  return buffer;
}

// Frees the memory after the first `count` items. `count` is not 0.
template <typename T>
void Shrink(size_t count, Buffer<T>* buffer) {
  if (void* const shrunk = std::realloc(buffer->get(), count * sizeof(T))) {
    static_cast<void>(buffer->release());
    buffer->reset(static_cast<T*>(shrunk));
  }
}

// One column of a batch.
struct Column {
  Buffer<char> data;
  Buffer<uint64_t> offsets;
  std::array<const void*, 3> buffers = {};  // no nulls, offsets, data

  Column(size_t count, size_t capacity)
      : data(NewBuffer<char>(capacity)), offsets(NewBuffer<uint64_t>(count + 1)) {}
  static void Release(ArrowArray* array) {
    delete static_cast<Column*>(array->private_data);
    array->release = nullptr;
  }
};

// Sets `*array` to the first `count` items of `column`, which take `size` bytes.
void Give(std::unique_ptr<Column> column, size_t count, size_t size, ArrowArray* array) {
  Shrink(std::max<size_t>(size, 1), &column->data);
  Shrink(count + 1, &column->offsets);
  column->buffers = {nullptr, column->offsets.get(), column->data.get()};
  array->length = static_cast<int64_t>(count);
  array->n_buffers = static_cast<int64_t>(column->buffers.size());
  array->buffers = column->buffers.data();
  array->release = &Column::Release;
  array->private_data = column.release();
}

class Stream {
 public:
  Stream(sstable_iterator* iterator, size_t max_count)
      : iterator_(iterator), max_count_(std::min(max_count, kMaxCount)) {}
  ~Stream() {
    sstable_free(error_);
    sstable_iterator_destroy(iterator_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  static Stream& Of(ArrowArrayStream* stream) {
    return *static_cast<Stream*>(stream->private_data);
  }

  static int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
    return Of(stream).Try([out] {
      auto parent = std::make_unique<Parent<ArrowSchema>>();
      const char* const names[kColumns] = {"key", "value"};
      for (size_t i = 0; i < kColumns; ++i) {
        parent->columns[i].format = kBytesFormat;
        parent->columns[i].name = names[i];
        parent->columns[i].release = [](ArrowSchema* schema) { schema->release = nullptr; };
      }
      *out = ArrowSchema{};
      out->format = kStructFormat;
      out->name = "";
      out->n_children = kColumns;
      out->children = parent->children.data();
      out->release = &Parent<ArrowSchema>::Release;
      out->private_data = parent.release();
      return SSTABLE_OK;
    });
  }

  // An array without `release` marks the end.
  static int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
    *out = ArrowArray{};
    return Of(stream).Try([&] { return Of(stream).Read(out); });
  }

  static const char* GetLastError(ArrowArrayStream* stream) { return Of(stream).error_; }

  static void Release(ArrowArrayStream* stream) {
    delete &Of(stream);
    stream->release = nullptr;
  }

 private:
  // Returns an errno.
  template <typename Function>
  int Try(Function function) {
    sstable_free(std::exchange(error_, nullptr));
    try {
      const sstable_code code = function();
      if (code == SSTABLE_OK) return 0;
      return code == SSTABLE_RESOURCE_EXHAUSTED ? ENOMEM : EIO;
    } catch (const std::bad_alloc&) {
      return ENOMEM;
    }
  }

  sstable_code Read(ArrowArray* out) {
    if (!started_) sstable_iterator_seek_to_first(iterator_);
    started_ = true;
    size_t count = 0;
    // Allocated before entries are read, so that a failure loses none.
    auto parent = std::make_unique<Parent<ArrowArray>>();
    std::array<std::unique_ptr<Column>, kColumns> columns;
    std::array<sstable_column, kColumns> filled;
    for (;;) {
      for (size_t i = 0; i < kColumns; ++i) {
        columns[i] = std::make_unique<Column>(max_count_, capacity_);
        filled[i] = {columns[i]->data.get(), capacity_, columns[i]->offsets.get(),
                     SSTABLE_COLUMN_BYTES, 0};
      }
      const sstable_code code = sstable_iterator_read(iterator_, /*reverse=*/0, max_count_,
                                                      &filled[0], &filled[1], &count, &error_);
      if (code != SSTABLE_OK) return code;
      if (count > 0) break;
      if (!sstable_iterator_valid(iterator_)) return SSTABLE_OK;
      size_t key_size, value_size;
      sstable_iterator_key(iterator_, &key_size);
      sstable_iterator_value(iterator_, &value_size);
      capacity_ = std::max({capacity_, key_size, value_size});
    }
    for (size_t i = 0; i < kColumns; ++i) {
      Give(std::move(columns[i]), count, filled[i].size, &parent->columns[i]);
    }
    out->length = static_cast<int64_t>(count);
    out->n_buffers = 1;
    out->buffers = &parent->no_nulls;
    out->n_children = kColumns;
    out->children = parent->children.data();
    out->release = &Parent<ArrowArray>::Release;
    out->private_data = parent.release();
    return SSTABLE_OK;
  }

  sstable_iterator* const iterator_;
  const size_t max_count_;
  size_t capacity_ = kCapacity;
  bool started_ = false;
  char* error_ = nullptr;
};

// Python's PyCapsule_GetPointer().
std::atomic<sstable_capsule_pointer> capsule_pointer;

void ReleaseCapsule(void* capsule) {
  auto* const stream =
      static_cast<ArrowArrayStream*>(capsule_pointer.load()(capsule, "arrow_array_stream"));
  if (stream->release != nullptr) stream->release(stream);
  sstable_free(stream);
}

}  // namespace
}  // namespace sstable

using sstable::Guard;
using sstable::NotNull;
using sstable::Stream;

sstable_code sstable_iterator_to_arrow(sstable_iterator* iterator, size_t max_count,
                                       sstable_arrow_stream** stream, char** message) {
  if (stream != nullptr) *stream = nullptr;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(iterator, "iterator"));
    RETURN_IF_ERROR(NotNull(stream, "stream"));
    if (max_count == 0) return absl::InvalidArgumentError("max_count is 0, expected at least 1");
    auto made = sstable::NewBuffer<ArrowArrayStream>(1);
    made[0] = {&Stream::GetSchema, &Stream::GetNext, &Stream::GetLastError, &Stream::Release,
               new Stream(iterator, max_count)};
    *stream = made.release();
    return absl::OkStatus();
  });
}

sstable_capsule_destructor sstable_arrow_capsule_destructor(sstable_capsule_pointer get_pointer) {
  sstable::capsule_pointer = get_pointer;
  return &sstable::ReleaseCapsule;
}
