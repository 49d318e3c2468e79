// Filters for whole tables, which lookups ask before the index, and the prefixes of keys in them.
// LevelDB ignores them.
#ifndef SSTABLE_EXPERIMENTAL_TABLE_FILTER_H_
#define SSTABLE_EXPERIMENTAL_TABLE_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/version.h"

namespace sstable {

// The hash of a key in a filter for a whole table: XXH3 of 64 bits with seed 0. Part of the file
// format. A library built with SSTABLE_WITH_XXHASH=OFF, which makes and reads no such filters, has
// another hash here, which differs from process to process.
SSTABLE_EXPORT uint64_t TableFilterHash(absl::string_view user_key);

// Which leading bytes of a key count as its prefix, so that a table's filter can rule out scans.
// If a key has a prefix, every key that starts with that key has the same prefix.
// Threads: immutable.
class SSTABLE_EXPORT PrefixExtractor {
 public:
  // The first `size` bytes, at least 1. Shorter keys have no prefix.
  static PrefixExtractor FirstBytes(size_t size);

  // Up to and including the `count`th byte that is `delimiter`; `count` is at least 1. Keys with
  // fewer of them have no prefix.
  static PrefixExtractor ThroughDelimiter(char delimiter, size_t count);

  // The extractor with this Name(), or nullopt.
  static std::optional<PrefixExtractor> Parse(absl::string_view name);

  // "first:SIZE" or "through:HH:COUNT", where HH is the delimiter in hexadecimal. Part of the file
  // format.
  std::string Name() const;

  // A view into `user_key`; nullopt if it has no prefix.
  std::optional<absl::string_view> PrefixOf(absl::string_view user_key) const;

  friend bool operator==(const PrefixExtractor& a, const PrefixExtractor& b) {
    return a.has_delimiter_ == b.has_delimiter_ && a.delimiter_ == b.delimiter_ &&
           a.count_ == b.count_;
  }

 private:
  PrefixExtractor(bool has_delimiter, char delimiter, size_t count)
      : has_delimiter_(has_delimiter), delimiter_(delimiter), count_(count) {}

  bool has_delimiter_;
  char delimiter_;
  size_t count_;  // number of delimiters, or of bytes
};

// The hash of a prefix in a filter for a whole table: XXH3 with seed 1, so that a prefix is not
// taken for a key.
SSTABLE_EXPORT uint64_t TablePrefixHash(absl::string_view prefix);

// A filter of all keys of a table, ready to be probed.
// Threads: const methods may be called from any number of threads at once.
class SSTABLE_EXPORT TableFilter {
 public:
  virtual ~TableFilter() = default;

  // Must return true if the filter was made from a key with this hash, and should return false
  // otherwise.
  virtual bool MayMatch(uint64_t hash) const = 0;

  // Prefetches the memory that MayMatch() reads.
  virtual void Prefetch(uint64_t /*hash*/) const {}
};

// Makes filters for whole tables. Lookups ask them before the index. A table may have one with or
// without LevelDB's filter. LevelDB ignores them. Derive from it for a filter of your own.
//
// Lifetime: builders and readers borrow their policy; it must outlive them.
// Threads:  const methods may be called from any number of threads at once.
class SSTABLE_EXPORT TableFilterPolicy {
 public:
  virtual ~TableFilterPolicy() = default;

  // The file records "filter.sstable." + Name(), followed by "/" and the Name() of its
  // PrefixExtractor if the filter also has prefixes. The name must not contain "/". Change it
  // whenever the new code can't probe existing filters. Lives as long as the policy.
  virtual absl::string_view Name() const = 0;

  // Appends to `*dst` a filter of keys with these hashes, which may repeat. May overwrite `hashes`.
  virtual void CreateFilter(absl::Span<uint64_t> hashes, std::string* dst) const = 0;

  // `contents` outlives the filter and starts at a multiple of 64 bytes in memory. The bytes come
  // from a file. Errors: DataLoss if they are malformed, without the block's name and offset;
  // lookups then do without the filter.
  virtual absl::StatusOr<std::unique_ptr<const TableFilter>> Parse(
      absl::string_view contents) const = 0;
};

inline constexpr int kMaxBlockedBloomBitsPerKey = 100;

// A Bloom filter of lines of 64 bytes. All bits of a key are in one line, so a lookup reads one
// cache line. It is the fastest to build. 10 bits per key give a false-positive rate of about 1 %.
// A value outside [1, kMaxBlockedBloomBitsPerKey] is clamped.
SSTABLE_EXPORT std::unique_ptr<const TableFilterPolicy> NewBlockedBloomPolicy(int bits_per_key);

// A binary fuse filter: the smallest for its rate, but slower to build. A lookup reads four cache
// lines. Rate and size: 0.4 % with 8 bits (about 9 per key in large tables), 0.0015 % with 16.
enum class FuseBits { k8, k16 };
SSTABLE_EXPORT std::unique_ptr<const TableFilterPolicy> NewBinaryFusePolicy(FuseBits bits);

// Returns the policy whose Name() is `name` (without "filter.sstable."): one of `user_policies` or,
// failing that, a built-in one (BlockedBloom1, BinaryFuse8, BinaryFuse16), which lives forever.
// Returns nullptr if there is none.
SSTABLE_EXPORT const TableFilterPolicy* FindTableFilterPolicy(
    absl::string_view name, absl::Span<const TableFilterPolicy* const> user_policies = {});

}  // namespace sstable

#endif  // SSTABLE_EXPERIMENTAL_TABLE_FILTER_H_
