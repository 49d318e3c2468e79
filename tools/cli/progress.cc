#include "tools/cli/progress.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "util/escape.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

constexpr absl::Duration kQuietTime = absl::Seconds(1);
constexpr absl::Duration kTimeBetweenDrawings = absl::Milliseconds(200);
constexpr size_t kBarWidth = 30;

// Writes to standard error; a failure could not be reported anywhere.
void WriteToTerminal(absl::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

Progress::Progress()
    : write_(WriteToTerminal),
      quiet_time_(kQuietTime),
      enabled_(sys::IsTerminal(/*descriptor=*/2) && std::getenv("SST_NO_PROGRESS") == nullptr) {}

Progress::Progress(std::function<void(absl::string_view)> write, absl::Duration quiet_time)
    : write_(std::move(write)), quiet_time_(quiet_time), enabled_(true) {}

Progress::Progress(Progress* whole, uint64_t size)
    : enabled_(whole->enabled_), whole_(whole), part_left_(size) {}

Progress::~Progress() {
  End();
  if (whole_ != nullptr) Advance(part_left_);
}

void Progress::AdvancePart(uint64_t bytes) {
  uint64_t left = part_left_.load(std::memory_order_relaxed);
  while (!part_left_.compare_exchange_weak(left, left - std::min(bytes, left),
                                           std::memory_order_relaxed)) {
  }
  whole_->Advance(std::min(bytes, left));
}

void Progress::Begin(absl::string_view label, uint64_t total) {
  End();
  if (!enabled_ || whole_ != nullptr) return;
  label_ = EscapeControls(label);
  total_ = total;
  done_ = 0;
  start_ = absl::Now();
  stop_ = false;
  // A signal should interrupt a read in the working thread, not in this one.
  try {
    thread_ = sys::StartThreadWithoutSignals([this] { Run(); });
  } catch (const std::system_error&) {
    // continue without a bar
  }
}

void Progress::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  absl::Duration wait = quiet_time_;
  while (!stopped_.wait_for(lock, absl::ToChronoNanoseconds(wait), [this] { return stop_; })) {
    Draw();
    wait = kTimeBetweenDrawings;
  }
}

void Progress::Draw() {
  const uint64_t done = done_.load(std::memory_order_relaxed);
  const double seconds = absl::ToDoubleSeconds(absl::Now() - start_);
  std::string text = absl::StrFormat("\r%s", label_);
  if (total_ > 0) {
    const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    std::string bar(static_cast<size_t>(part * kBarWidth), '#');
    bar.resize(kBarWidth, '.');
    absl::StrAppendFormat(&text, " [%s] %3d %%", bar, static_cast<int>(part * 100));
  }
  if (done > 0) {
    const double mebibytes = static_cast<double>(done) / (1 << 20);
    absl::StrAppendFormat(&text, "  %.0f MiB, %.0f MiB/s", mebibytes, mebibytes / seconds);
  }
  absl::StrAppendFormat(&text, "  %.0f s\x1b[K", seconds);
  write_(text);
  drawn_ = true;
}

void Progress::Erase() {
  if (!drawn_) return;
  write_("\r\x1b[K");
  drawn_ = false;
}

std::unique_lock<std::mutex> Progress::Hide() {
  if (whole_ != nullptr) return whole_->Hide();
  std::unique_lock<std::mutex> lock(mutex_);
  Erase();
  return lock;
}

void Progress::End() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
    Erase();
  }
  stopped_.notify_all();
  thread_.join();
}

void Progress::Disable() {
  End();
  enabled_ = false;
}

}  // namespace sstable::tools
