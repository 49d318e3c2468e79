// The output of jobs that run at once, as if they had run one after the other.
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

// Jobs have the numbers 0, 1, 2 and so on. What the job whose turn it is writes goes to the console
// at once; what the others write is held until their turn comes, which is when all before them have
// ended. A job that would have more held than fits waits for its turn. So jobs must begin in order:
// then the one whose turn it is never waits.
//
// Threads: any. Borrows the console, which nothing else uses meanwhile.
class OrderedOutput {
 public:
  // `max_held_size`: in bytes, of all jobs together.
  OrderedOutput(Console* console, size_t max_held_size)
      : console_(console), max_held_size_(max_held_size) {}
  OrderedOutput(const OrderedOutput&) = delete;
  OrderedOutput& operator=(const OrderedOutput&) = delete;

  // What one job writes to, by one thread at a time. When it is destroyed, the job has ended.
  class Job final : public ConsoleSink {
   public:
    Job(OrderedOutput* output, size_t number) : output_(output), number_(number) {}
    ~Job() override { output_->End(number_); }
    void WriteData(absl::string_view data) override { output_->Write(number_, false, data); }
    void WriteMessage(absl::string_view text) override { output_->Write(number_, true, text); }
    bool closed() const override { return output_->closed() || output_->IsDropped(number_); }

    // Makes this the last job: what those after it have written and will write is dropped, and they
    // are closed.
    void MakeLast() { output_->MakeLast(number_); }

   private:
    OrderedOutput* output_;
    const size_t number_;
  };

  // True once the console is.
  bool closed() const { return closed_.load(std::memory_order_relaxed); }

  // Whether a job before this one is the last.
  bool IsDropped(size_t job) const { return job > last_.load(std::memory_order_relaxed); }

 private:
  // What is written to one stream without a break.
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
  static constexpr size_t kMaxSpareSize = size_t{128} << 10;  // a large value is not kept for long

  void Write(size_t job, bool is_message, absl::string_view text);
  void Hold(bool is_message, absl::string_view text, std::vector<Piece>* pieces);
  void Release(Piece* piece);
  void End(size_t job);
  void MakeLast(size_t job);
  void PassOn(bool is_message, absl::string_view text);
  void PassOnHeld();  // of the job whose turn it is

  Console* const console_;
  const size_t max_held_size_;
  std::atomic<bool> closed_{false};
  std::atomic<size_t> last_{SIZE_MAX};  // the last job

  std::mutex mutex_;  // guards what follows, and the console
  std::condition_variable turn_changed_;
  size_t turn_ = 0;                 // the job that writes to the console
  std::map<size_t, Held> held_;     // of it and of those after it
  size_t held_size_ = 0;            // bytes in held_
  std::vector<std::string> spare_;  // empty ones, to hold large pieces
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_ORDERED_OUTPUT_H_
