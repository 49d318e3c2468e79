// This library as used by the benchmarks. Everything on a timed path is inline.
#ifndef SSTABLE_BENCHMARKS_OURS_H_
#define SSTABLE_BENCHMARKS_OURS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmarks/build_spec.h"
#include "benchmarks/cursor.h"
#include "benchmarks/require.h"
#include "benchmarks/workload.h"
#include "filter/bloom.h"
#include "filter/bloom_kernels.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"

namespace sstable::bench {

// The Bloom filter policy of all tables here.
const FilterPolicy* OurPolicy();

// Builds filters from ranges of a list of keys.
class OurFilterMaker {
 public:
  explicit OurFilterMaker(const KeyList& keys);

  void Create(size_t first, size_t count, std::string* filter) const {
    filter->clear();
    policy_->CreateFilter(absl::MakeConstSpan(keys_).subspan(first, count), filter);
  }

 private:
  const FilterPolicy* policy_ = OurPolicy();
  std::vector<absl::string_view> keys_;
};

// A filter block with one window for each list of keys. Probed like in TableReader, which prepares
// each window's filter when it loads the index.
class OurFilterWindows {
 public:
  explicit OurFilterWindows(const std::vector<KeyList>& windows)
      : OurFilterWindows(windows, BestBloomKernels()) {}

  absl::string_view filter(size_t i) const { return filters_[i]; }
  bool Matches(size_t i, absl::string_view key) const {
    return kernels_.Probe(probes_[i], BloomKeyHash(key));
  }

  size_t CountMatches(const KeyList& keys, const std::vector<uint32_t>& window_of_key) const {
    size_t count = 0;
    for (size_t i = 0; i < keys.size(); ++i) count += Matches(window_of_key[i], keys[i]);
    return count;
  }

 protected:
  OurFilterWindows(const std::vector<KeyList>& windows, const BloomKernels& kernels);

 private:
  const BloomKernels& kernels_;
  std::string block_;
  std::vector<absl::string_view> filters_;  // views of the block
  std::vector<BloomProbe> probes_;
};

// OurFilterWindows without vector code, on every machine.
class OurPortableFilterWindows final : public OurFilterWindows {
 public:
  explicit OurPortableFilterWindows(const std::vector<KeyList>& windows)
      : OurFilterWindows(windows, kPortableBloomKernels) {}
};

// A table opened with the default options. Data blocks are therefore verified when they are first
// read, which is before timing.
class OurTable {
 public:
  // Caches up to `cache_size` bytes of uncompressed blocks; 0 means no cache.
  explicit OurTable(const std::string& path, KeyKind key_kind = KeyKind::kPlain,
                    size_t cache_size = 0)
      : reader_(Open(ValueOrFail(OpenFile(path)), key_kind, cache_size)) {}
  explicit OurTable(std::unique_ptr<RandomAccessFile> file)
      : reader_(Open(std::move(file), KeyKind::kPlain, 0)) {}

  bool Get(absl::string_view key, std::string* value) const {
    const absl::StatusOr<Presence> presence = reader_->Get(key, value);
    return presence.ok() && *presence == Presence::kFound;
  }

  // Looks up at most kMultiGetSize keys. Sets the values of those that are found, and returns their
  // number.
  size_t MultiGet(absl::Span<const absl::string_view> keys, absl::Span<std::string> values) const {
    std::array<LookupRequest, kMultiGetSize> requests;
    for (size_t i = 0; i < keys.size(); ++i) {
      requests[i].key = keys[i];
      requests[i].value = &values[i];
    }
    reader_->MultiGet(absl::MakeSpan(requests).first(keys.size()));
    size_t count = 0;
    for (size_t i = 0; i < keys.size(); ++i) {
      count += requests[i].presence.ok() && *requests[i].presence == Presence::kFound;
    }
    return count;
  }

  std::unique_ptr<TableIterator> NewIterator() const { return reader_->NewIterator(); }
  std::unique_ptr<Cursor> NewCursor() const;
  const TableReader& reader() const { return *reader_; }

 private:
  static std::unique_ptr<TableReader> Open(std::unique_ptr<RandomAccessFile> file, KeyKind key_kind,
                                           size_t cache_size) {
    TableReaderOptions options;
    options.key_kind = key_kind;
    if (cache_size > 0) options.block_cache = std::make_shared<BlockCache>(cache_size);
    return ValueOrFail(TableReader::Open(std::move(file), options));
  }

  std::unique_ptr<TableReader> reader_;
};

// Build a table of all entries and return its size. The first one writes to `file` and ignores the
// spec's path.
uint64_t BuildWithOurs(const Entries& entries, const BuildSpec& spec,
                       std::unique_ptr<WritableFile> file);
uint64_t BuildWithOurs(const Entries& entries, const BuildSpec& spec);

// BuildWithOurs() for internal keys, with the sequence numbers of a database filled in this order.
void BuildInternalWithOurs(const Entries& entries, const BuildSpec& spec);

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_OURS_H_
