#include "table/block_pipeline.h"

#include <new>
#include <system_error>

#include "table/block/block_io.h"
#include "util/status_util.h"

namespace sstable {

BlockPipeline::BlockPipeline(int thread_count, BlockCompressor* compressor)
    : thread_count_(thread_count),
      compressor_(compressor),
      blocks_(kBlocksPerThread * static_cast<size_t>(thread_count)) {}

BlockPipeline::~BlockPipeline() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  has_work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// Called only when there is work, since a table of one block needs no threads.
void BlockPipeline::StartThreads() {
  try {
    for (int i = 1; i < thread_count_; ++i) threads_.emplace_back([this] { Work(); });
  } catch (const std::system_error&) {
    // The caller's thread does the rest.
  } catch (const std::bad_alloc&) {
    // Fewer threads do the work.
  }
}

void BlockPipeline::StartInput() {
  DataBlock& block = input();
  block.bytes.Clear();
  block.separator.clear();
  block.status = absl::OkStatus();
}

void BlockPipeline::Submit() {
  if (submitted_ == 0) StartThreads();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++submitted_;
  }
  has_work_.notify_one();
}

const BlockPipeline::DataBlock* BlockPipeline::PopSealed(Wait wait) {
  if (popped_ == submitted_) return nullptr;
  DataBlock& oldest = At(popped_);
  // The block popped last still belongs to the caller, and one more is the input.
  const bool must_wait = wait == Wait::kAlways || submitted_ - popped_ + 2 > blocks_.size();
  std::unique_lock<std::mutex> lock(mutex_);
  while (!oldest.is_sealed) {
    if (!must_wait) return nullptr;
    if (taken_ < submitted_) {
      SealOne(compressor_, &lock);
    } else {
      has_sealed_.wait(lock);
    }
  }
  oldest.is_sealed = false;
  ++popped_;
  return &oldest;
}

void BlockPipeline::Work() {
  std::optional<BlockCompressor> compressor;
  try {
    compressor.emplace(compressor_->compression(), compressor_->level());
  } catch (const std::bad_alloc&) {
    return;  // the other threads do the work
  }
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    has_work_.wait(lock, [this] { return stop_ || taken_ < submitted_; });
    if (stop_) return;
    SealOne(&*compressor, &lock);
    has_sealed_.notify_one();
  }
}

void BlockPipeline::SealOne(BlockCompressor* compressor, std::unique_lock<std::mutex>* lock) {
  DataBlock& block = At(taken_++);
  lock->unlock();
  try {
    block.stored_size = SealBlock(compressor, 0, &block.bytes);
  } catch (...) {
    block.status = StatusOfException();
  }
  lock->lock();
  block.is_sealed = true;
}

}  // namespace sstable
