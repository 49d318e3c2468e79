// Converts words of scripts to bytes and back.
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

// These fail the test if a word can't be parsed.

// Parses a number; "max" is the highest sequence, "max64" is 2^64 - 1.
uint64_t Number(absl::string_view word);

// "v*300" is 300 times "v". Escape sequences are those of C.
std::string Unescape(absl::string_view word);

// Splits a list at its commas.
Words Fields(absl::string_view list);

// Returns the bytes that the words from `first` on stand for: hex:00ff, a block's
// entry:SHARED,SUFFIX,VALUE or restarts:0,16, or text.
std::string Bytes(const Words& words, size_t first);

// Returns the words from `first` on, with ranges expanded: "key[10..14:2]" to key10 key12 key14,
// and "[9..7]" counts down. A "#" after a range stands for the number.
Words Expand(const Words& words, size_t first);

std::string ShowBytes(absl::string_view bytes);
std::string ShowStatus(const absl::Status& status);
std::string Lines(const Words& lines);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_TABLE_SCRIPT_WORDS_H_
