// Options that many commands have.
#ifndef SSTABLE_TOOLS_CLI_COMMON_OPTIONS_H_
#define SSTABLE_TOOLS_CLI_COMMON_OPTIONS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "report/text/text_encoding.h"
#include "tools/cli/command_line.h"

namespace sstable::tools {

enum class ReportFormat { kText, kJson };

// The help of an option starts with the same sentence in every command.
inline constexpr char kJobsHelp[] = "Use up to this many threads; the output is the same.";
inline constexpr char kOutputHelp[] = "Write OUT, which appears when it is complete";
inline constexpr char kNoHeaderHelp[] = "csv has no first line with the names of its columns";
inline constexpr char kLimitHelp[] = "Print at most this many entries per file; in du, prefixes";
inline constexpr char kFormatHelp[] = "Format of the output; in build and split, of the INPUTs. ";

inline void AddFormatTo(CommandLine* command_line, ReportFormat* format,
                        const std::string& help = "Default: text") {
  command_line->AddChoice<ReportFormat>(
      "--format", {{"text", ReportFormat::kText}, {"json", ReportFormat::kJson}}, format,
      kFormatHelp + help, {{"jsonl", ReportFormat::kJson}});
}

// T is TextEncoding, or std::optional of it. `has_csv`: the command reads or writes csv, too.
template <typename T>
void AddEncodingTo(CommandLine* command_line, T* encoding, const std::string& help,
                   bool has_csv = false) {
  std::vector<std::pair<std::string, T>> choices = {{"escaped", TextEncoding::kEscaped},
                                                    {"utf8", TextEncoding::kUtf8},
                                                    {"hex", TextEncoding::kHex},
                                                    {"base64", TextEncoding::kBase64}};
  if (has_csv) choices.emplace_back("raw", TextEncoding::kRaw);
  command_line->AddChoice<T>("--encoding", choices, encoding,
                             "How keys and values are written as text. " + help);
}

inline absl::Status CheckEncoding(std::optional<TextEncoding> encoding, bool is_csv) {
  if (encoding != TextEncoding::kRaw || is_csv) return absl::OkStatus();
  return absl::InvalidArgumentError("--encoding raw is for --format csv");
}

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_COMMON_OPTIONS_H_
