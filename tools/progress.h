// A progress bar for work that takes a while.
#ifndef SSTABLE_TOOLS_PROGRESS_H_
#define SSTABLE_TOOLS_PROGRESS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace sstable::tools {

// Draws on standard error if that is a terminal, and not before a second has gone by.
// Threads: one at a time.
class Progress {
 public:
  Progress();
  ~Progress() { End(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // A piece of work begins: `total` bytes, 0 if that is not known.
  void Begin(absl::string_view label, uint64_t total);
  // So many bytes more have been worked on.
  void Advance(uint64_t bytes) {
    if (!enabled_) return;
    done_ += bytes;
    if (done_ >= next_look_) Look();
  }
  void End();

  // Takes the bar off the screen until it is drawn next, so that a line can be written there.
  void Hide();

  void Disable() { enabled_ = false; }

 private:
  void Look();
  void Draw(absl::Time now);

  bool enabled_;
  bool drawn_ = false;
  std::string label_;
  uint64_t done_ = 0;
  uint64_t total_ = 0;
  uint64_t next_look_ = 0;  // the clock is not read before that many bytes
  absl::Time start_;
  absl::Time last_drawn_;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_PROGRESS_H_
