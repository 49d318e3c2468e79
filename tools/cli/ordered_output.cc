#include "tools/cli/ordered_output.h"

#include <algorithm>
#include <utility>

namespace sstable::tools {

void OrderedOutput::Write(size_t job, bool is_message, absl::string_view text) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (IsDropped(job)) return;
  if (job != turn_ && text.size() <= max_held_size_ - held_size_) {
    return Hold(is_message, text, &held_[job].pieces);
  }
  turn_changed_.wait(lock, [&] { return turn_ == job || IsDropped(job); });
  if (!IsDropped(job)) PassOn(is_message, text);
}

// A large piece has its own string, which is reused: growing one, and returning its memory to the
// system, would cost more than writing it.
void OrderedOutput::Hold(bool is_message, absl::string_view text, std::vector<Piece>* pieces) {
  held_size_ += text.size();
  const bool is_large = text.size() >= kLargePieceSize;
  if (is_large || pieces->empty() || pieces->back().is_message != is_message ||
      pieces->back().text.size() >= kLargePieceSize) {
    pieces->push_back({is_message, ""});
    if (is_large && !spare_.empty()) {
      pieces->back().text.swap(spare_.back());
      spare_.pop_back();
    }
  }
  pieces->back().text.append(text.data(), text.size());
}

void OrderedOutput::Release(Piece* piece) {
  held_size_ -= piece->text.size();
  const size_t room = piece->text.capacity();
  if (room < kLargePieceSize || room > kMaxSpareSize || spare_.size() >= kMaxSpare) return;
  piece->text.clear();
  spare_.push_back(std::move(piece->text));
}

void OrderedOutput::End(size_t job) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (IsDropped(job)) return;
    held_[job].ended = true;
    for (auto first = held_.find(turn_); first != held_.end(); first = held_.find(turn_)) {
      PassOnHeld();
      if (!first->second.ended) break;
      held_.erase(first);
      ++turn_;
    }
  }
  turn_changed_.notify_all();
}

void OrderedOutput::MakeLast(size_t job) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    last_.store(std::min(last_.load(), job));
    for (auto held = held_.upper_bound(last_); held != held_.end(); held = held_.erase(held)) {
      for (Piece& piece : held->second.pieces) Release(&piece);
    }
  }
  turn_changed_.notify_all();
}

void OrderedOutput::PassOnHeld() {
  std::vector<Piece>& pieces = held_[turn_].pieces;
  for (Piece& piece : pieces) {
    PassOn(piece.is_message, piece.text);
    Release(&piece);
  }
  pieces = {};
}

void OrderedOutput::PassOn(bool is_message, absl::string_view text) {
  if (is_message) {
    console_->SayRaw(text);
  } else {
    console_->Write(text);
  }
  if (console_->closed()) closed_.store(true, std::memory_order_relaxed);
}

}  // namespace sstable::tools
