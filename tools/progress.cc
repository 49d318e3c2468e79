#include "tools/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"

namespace sstable::tools {
namespace {

constexpr uint64_t kBytesBetweenLooks = 256 * 1024;
constexpr absl::Duration kQuietTime = absl::Seconds(1);
constexpr absl::Duration kTimeBetweenDrawings = absl::Milliseconds(100);
constexpr size_t kBarWidth = 30;

// To standard error; nobody could be told that it failed.
void WriteToTerminal(absl::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

Progress::Progress() : enabled_(::isatty(STDERR_FILENO) == 1) {}

void Progress::Begin(absl::string_view label, uint64_t total) {
  End();
  if (!enabled_) return;
  label_ = std::string(label);
  total_ = total;
  done_ = 0;
  next_look_ = kBytesBetweenLooks;
  start_ = last_drawn_ = absl::Now();
}

void Progress::Look() {
  next_look_ = done_ + kBytesBetweenLooks;
  const absl::Time now = absl::Now();
  if (now - start_ >= kQuietTime && now - last_drawn_ >= kTimeBetweenDrawings) Draw(now);
}

void Progress::Draw(absl::Time now) {
  const double mebibytes = static_cast<double>(done_) / (1 << 20);
  const double seconds = absl::ToDoubleSeconds(now - start_);
  std::string bar;
  if (total_ > 0) {
    const double part = std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
    bar = std::string(static_cast<size_t>(part * kBarWidth), '#');
    bar.resize(kBarWidth, '.');
    bar = absl::StrFormat(" [%s] %3d %%", bar, static_cast<int>(part * 100));
  }
  WriteToTerminal(absl::StrFormat("\r%s%s  %.0f MiB, %.0f MiB/s\x1b[K", label_, bar, mebibytes,
                                  mebibytes / seconds));
  drawn_ = true;
  last_drawn_ = now;
}

void Progress::Hide() {
  if (!drawn_) return;
  WriteToTerminal("\r\x1b[K");
  drawn_ = false;
}

void Progress::End() {
  Hide();
  next_look_ = UINT64_MAX;
}

}  // namespace sstable::tools
