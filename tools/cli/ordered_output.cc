#include "tools/cli/ordered_output.h"

namespace sstable::tools {

void OrderedOutput::Write(size_t job, bool is_message, absl::string_view text) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (job != turn_ && text.size() <= max_held_size_ - held_size_) {
    std::vector<Piece>& pieces = held_[job].pieces;
    if (pieces.empty() || pieces.back().is_message != is_message)
      pieces.push_back({is_message, ""});
    pieces.back().text.append(text.data(), text.size());
    held_size_ += text.size();
    return;
  }
  turn_changed_.wait(lock, [&] { return turn_ == job; });
  PassOn(is_message, text);
}

void OrderedOutput::End(size_t job) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
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

void OrderedOutput::PassOnHeld() {
  std::vector<Piece>& pieces = held_[turn_].pieces;
  for (const Piece& piece : pieces) {
    held_size_ -= piece.text.size();
    PassOn(piece.is_message, piece.text);
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
