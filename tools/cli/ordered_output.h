// The output of concurrent jobs, in the order of the jobs.
#ifndef SSTABLE_TOOLS_CLI_ORDERED_OUTPUT_H_
#define SSTABLE_TOOLS_CLI_ORDERED_OUTPUT_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/cli/console.h"

namespace sstable::tools {

// Jobs are numbered from 0. The current job writes to the console at once. The output of later jobs
// is held until all jobs before them have ended; a job whose output does not fit waits for its
// turn. Jobs must start in order, so that the current job never waits.
//
// Threads: any. Borrows the console; nothing else may use it meanwhile.
class OrderedOutput {
 public:
  // `max_held_size` is the limit for all jobs together, in bytes.
  OrderedOutput(Console* console, size_t max_held_size)
      : console_(console), max_held_size_(max_held_size) {}
  OrderedOutput(const OrderedOutput&) = delete;
  OrderedOutput& operator=(const OrderedOutput&) = delete;

  // The output of one job, written by one thread at a time. Destroying it ends the job.
  class Job final : public ConsoleSink {
   public:
    Job(OrderedOutput* output, size_t number) : output_(output), number_(number) {}
    ~Job() override { output_->End(number_); }
    void WriteData(absl::string_view data) override { output_->Write(number_, false, data); }
    void WriteMessage(absl::string_view text) override { output_->Write(number_, true, text); }
    bool closed() const override { return output_->closed() || output_->IsDropped(number_); }

    // Makes this the last job: all output of later jobs is dropped, and they are closed.
    void MakeLast() { output_->MakeLast(number_); }

   private:
    OrderedOutput* output_;
    const size_t number_;
  };

  // Returns true if the console is closed.
  bool closed() const { return closed_.load(std::memory_order_relaxed); }

  // Returns true if a job before this one is the last.
  bool IsDropped(size_t job) const { return job > last_.load(std::memory_order_relaxed); }

 private:
  // Contiguous output to one stream.
  struct Piece {
    bool is_message;
    std::string text;
  };
  struct Held {
    std::vector<Piece> pieces;
    bool ended = false;
  };

  static constexpr size_t kLargePieceSize = size_t{16} << 10;
  static constexpr size_t kMaxSpare = 64;
  static constexpr size_t kMaxSpareSize = size_t{128} << 10;  // larger strings are freed

  void Write(size_t job, bool is_message, absl::string_view text);
  void Hold(bool is_message, absl::string_view text, std::vector<Piece>* pieces);
  void Release(Piece* piece);
  void End(size_t job);
  void MakeLast(size_t job);
  void PassOn(bool is_message, absl::string_view text);
  void PassOnHeld();  // writes what is held of the current job

  Console* const console_;
  const size_t max_held_size_;
  std::atomic<bool> closed_{false};
  std::atomic<size_t> last_{SIZE_MAX};  // number of the last job

  std::mutex mutex_;  // guards the rest, and the console
  std::condition_variable turn_changed_;
  size_t turn_ = 0;                 // the job that writes to the console
  std::map<size_t, Held> held_;     // output held for each job
  size_t held_size_ = 0;            // bytes in held_
  std::vector<std::string> spare_;  // empty strings to reuse for large pieces
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_ORDERED_OUTPUT_H_
