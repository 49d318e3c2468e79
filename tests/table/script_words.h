// The words of scripts as bytes, and bytes as words.
#ifndef SSTABLE_TESTS_TABLE_SCRIPT_WORDS_H_
#define SSTABLE_TESTS_TABLE_SCRIPT_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace sstable::test {

using Words = std::vector<std::string>;

// These fail the test for a word that is not what they read.

// "max" is the highest sequence, "max64" 2^64 - 1.
uint64_t Number(absl::string_view word);

// "v*300" is 300 times "v"; the rest is as in C.
std::string Unescape(absl::string_view word);

// Parts of a list with commas.
Words Fields(absl::string_view list);

// Returns the bytes of the words from the `first` on: hex:00ff, entry:SHARED,SUFFIX,VALUE and
// restarts:0,16 of a block, or text.
std::string Bytes(const Words& words, size_t first);

// The words from the `first` on, with key10 key12 key14 for "key[10..14:2]", or down: "[9..7]". "#"
// after it is the number.
Words Expand(const Words& words, size_t first);

std::string ShowBytes(absl::string_view bytes);
std::string ShowStatus(const absl::Status& status);
std::string Lines(const Words& lines);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_TABLE_SCRIPT_WORDS_H_
