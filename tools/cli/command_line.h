// The options of a sub-command: parsing, errors and help.
#ifndef SSTABLE_TOOLS_CLI_COMMAND_LINE_H_
#define SSTABLE_TOOLS_CLI_COMMAND_LINE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "report/text/style.h"

namespace CLI {
class App;
}

namespace sstable::tools {

// The help text of a sub-command, apart from its options.
struct CommandInfo {
  std::string name;
  std::string summary;    // in half a line
  std::string arguments;  // "FILE... KEY"
  size_t min_arguments = 1;
  size_t max_arguments = SIZE_MAX;
  std::string description;  // paragraphs, in lines of at most 80 columns
  std::string examples;     // lines
};

// An option, for help, manual page and shell completion.
struct OptionInfo {
  std::string short_name;          // "-v", or empty
  std::string name;                // "--verbose"
  std::string placeholder;         // placeholder for its value; empty if it takes none
  std::vector<std::string> words;  // words that its value can be or start with; completion offers
                                   // them
  std::string help;
};

// Returns the first sentence of the option's help, which is the same in every command.
std::string FirstSentence(const OptionInfo& option);

struct CommandHelp {
  CommandInfo info;
  std::vector<OptionInfo> options;  // --help is the last
};

struct ParsedArguments {
  bool help_wanted = false;
  std::vector<std::string> notes;      // on old names that were used
  std::vector<std::string> arguments;  // the non-option arguments
};

// Pattern:   Add* Parse. Values are stored in the variables passed to Add*(), which must outlive
//            Parse(). Variables of options that are not given stay unchanged.
// Errors:    InvalidArgument, with a message that names the option and what it expects.
//
// Only this file uses CLI11, so no other file sees its exceptions.
class CommandLine {
 public:
  explicit CommandLine(const CommandInfo& info);
  ~CommandLine();

  // `names` are "--reverse" or "-v,--verbose". An option with a placeholder ("N") takes a value.
  void AddFlag(const std::string& names, bool* value, const std::string& help);
  void AddText(const std::string& names, const std::string& placeholder,
               std::optional<std::string>* value, const std::string& help);

  // A whole number from `min` to `max`. With `size`, it may have the suffix K, M or G for 2^10,
  // 2^20 or 2^30.
  struct Range {
    uint64_t min;
    uint64_t max;
    bool size = false;
  };
  template <typename T>
  void AddNumber(const std::string& names, const std::string& placeholder, const Range& range,
                 T* value, const std::string& help);

  // Accepts one of several words, or one of `synonyms`, which help does not show.
  template <typename T>
  using Choices = std::vector<std::pair<std::string, T>>;
  template <typename T>
  void AddChoice(const std::string& names, Choices<T> choices, T* value, const std::string& help,
                 const Choices<T>& synonyms = {});

  // Accepts any other value. Errors of `parse` say what it found and what it expects; the option's
  // name is prepended. `words` are words that the value can be or start with, if any.
  using Parser = std::function<absl::Status(const std::string& text)>;
  void AddParsed(const std::string& names, const std::string& placeholder, Parser parse,
                 const std::string& help, std::vector<std::string> words = {});

  // An earlier name of an option: accepted, with a note. Help does not show it.
  void AddOldName(const std::string& old_name, const std::string& name) {
    old_names_.emplace(old_name, name);
  }

  absl::StatusOr<ParsedArguments> Parse(absl::Span<const std::string> args);

  CommandHelp help() const { return {info_, options_}; }

  // Fits on a screen of 40 lines: the first paragraph of the description, and the first sentence on
  // each option.
  std::string ShortHelp(const Style& style) const;
  std::string FullHelp(const Style& style) const;

 private:
  void Declare(const std::string& names, const std::string& placeholder, const std::string& help);
  absl::Status NotAChoice(const std::string& text, const std::vector<std::string>& words) const;
  absl::StatusOr<std::vector<std::string>> SplitValues(absl::Span<const std::string> args,
                                                       std::vector<std::string>* notes) const;
  absl::Status CheckArguments(const std::vector<std::string>& remaining,
                              std::vector<std::string>* arguments) const;
  std::string Help(absl::string_view description, const std::string& options,
                   const Style& style) const;
  absl::Status UnknownOption(absl::string_view arg) const;

  const CommandInfo info_;
  std::vector<OptionInfo> options_;
  std::map<std::string, std::string> old_names_;
  std::unique_ptr<CLI::App> app_;
  bool help_wanted_ = false;
  absl::Status first_error_;
};

// Parses a whole number in `range`; InvalidArgument says what was expected instead.
absl::StatusOr<uint64_t> ParseNumber(absl::string_view text, const CommandLine::Range& range);

template <typename T>
void CommandLine::AddNumber(const std::string& names, const std::string& placeholder,
                            const Range& range, T* value, const std::string& help) {
  AddParsed(
      names, placeholder,
      [range, value](const std::string& text) {
        const absl::StatusOr<uint64_t> number = ParseNumber(text, range);
        if (number.ok()) *value = *number;
        return number.status();
      },
      help);
}

template <typename T>
void CommandLine::AddChoice(const std::string& names, Choices<T> choices, T* value,
                            const std::string& help, const Choices<T>& synonyms) {
  std::vector<std::string> words;
  std::string placeholder;
  for (const auto& choice : choices) {
    words.push_back(choice.first);
    placeholder += (placeholder.empty() ? "" : "|") + choice.first;
  }
  choices.insert(choices.end(), synonyms.begin(), synonyms.end());
  AddParsed(
      names, placeholder,
      [this, choices = std::move(choices), words, value](const std::string& text) {
        for (const auto& choice : choices) {
          if (choice.first != text) continue;
          *value = choice.second;
          return absl::OkStatus();
        }
        return NotAChoice(text, words);
      },
      help, words);
}

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_COMMAND_LINE_H_
