// mtbl, another library for files of sorted tables: LevelDB's blocks, without filters or a cache.
#ifndef SSTABLE_BENCHMARKS_MTBL_RIVAL_H_
#define SSTABLE_BENCHMARKS_MTBL_RIVAL_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "benchmarks/build_spec.h"
#include "benchmarks/cursor.h"
#include "benchmarks/workload.h"

struct mtbl_reader;

namespace sstable::bench {

// Uses mtbl's default options, except for the codec, so checksums of blocks are not verified.
// Threads: one at a time.
class MtblTable {
 public:
  // Creates the file, which must not exist.
  static void Fill(const std::string& path, const Entries& entries, Codec codec);

  explicit MtblTable(const std::string& path);
  ~MtblTable();
  MtblTable(const MtblTable&) = delete;
  MtblTable& operator=(const MtblTable&) = delete;

  bool Get(absl::string_view key, std::string* value);
  std::unique_ptr<Cursor> NewCursor() const;  // can't move backward

 private:
  mtbl_reader* reader_;
};

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_MTBL_RIVAL_H_
