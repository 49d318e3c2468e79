// Compresses the data blocks of one table on several threads, and returns them in order.
//
// The caller fills blocks. Each free thread, including the caller's while it waits, takes the
// oldest block that no other thread has taken, and seals it. So a block's bytes don't depend on the
// number of threads. Everything that depends on the block's offset in the file (its index entry,
// its filter window) is left to the caller, who gets the blocks in the order in which they were
// submitted.
#ifndef SSTABLE_TABLE_BLOCK_PIPELINE_H_
#define SSTABLE_TABLE_BLOCK_PIPELINE_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "table/block/compression.h"
#include "util/bytes.h"

namespace sstable {

// Pattern:   (StartInput, fill input(), Submit, PopSealed until null)*, PopSealed(kAlways) until
//            null. Destruction discards the blocks that are still in the pipeline.
// Threads:   only one thread, the caller's, may call the methods.
class BlockPipeline {
 public:
  struct DataBlock {
    ByteBuffer bytes;        // filled: the raw block; sealed: compressed, with its trailer
    size_t stored_size = 0;  // sealed size, without the trailer
    std::string separator;   // its key in the index
    absl::Status status;     // sealed: not OK if memory ran out, and then there is no block

   private:
    friend class BlockPipeline;
    bool is_sealed = false;
  };

  // `thread_count` is at least 1, and includes the caller's. If the system can't start that many
  // threads, fewer do the work.
  BlockPipeline(int thread_count, BlockCompressor* compressor);
  ~BlockPipeline();
  BlockPipeline(const BlockPipeline&) = delete;
  BlockPipeline& operator=(const BlockPipeline&) = delete;

  // Empties the input block.
  void StartInput();
  DataBlock& input() { return At(submitted_); }
  void Submit();

  enum class Wait { kIfFull, kAlways };
  // Returns the oldest submitted block if it is sealed, otherwise null. With kAlways, or if there
  // would be no room for another input(), it waits for that block and seals blocks meanwhile. The
  // block is valid until the next call of PopSealed().
  const DataBlock* PopSealed(Wait wait);

 private:
  static constexpr size_t kBlocksPerThread = 16;

  DataBlock& At(uint64_t number) { return blocks_[number % blocks_.size()]; }
  void StartThreads();
  void Work();
  // Seals the oldest block that no thread has taken; an exception becomes the block's status.
  // `lock` is held before and after.
  void SealOne(BlockCompressor* compressor, std::unique_lock<std::mutex>* lock);

  const int thread_count_;
  BlockCompressor* const compressor_;
  std::vector<DataBlock> blocks_;  // a ring buffer
  std::vector<std::thread> threads_;

  // Blocks are numbered as they are submitted, and are in this order: popped, sealed or taken,
  // submitted, input.
  uint64_t popped_ = 0;     // used only by the caller
  uint64_t submitted_ = 0;  // written by the caller under the mutex

  std::mutex mutex_;  // guards the members below, and is_sealed
  std::condition_variable has_work_;
  std::condition_variable has_sealed_;
  uint64_t taken_ = 0;
  bool stop_ = false;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_PIPELINE_H_
