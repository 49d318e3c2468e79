#include "tools/cli/command_line.h"

#include <algorithm>

#include "CLI/CLI.hpp"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tools/cli/suggest.h"

namespace sstable::tools {
namespace {

// Where an option's description starts, and where all lines end.
struct HelpColumns {
  size_t text, end;
};
constexpr HelpColumns kFull = {26, 80};
constexpr HelpColumns kShort = {34, 100};

// Wraps `text` into lines between `columns`. Keeps its line ends.
std::string Wrap(absl::string_view text, const HelpColumns& columns) {
  const size_t column = columns.text;
  std::string wrapped;
  size_t position = column;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!wrapped.empty()) {
      wrapped += '\n' + std::string(column, ' ');
      position = column;
    }
    for (const absl::string_view word : absl::StrSplit(line, ' ')) {
      if (position > column && position + 1 + word.size() > columns.end) {
        wrapped += '\n' + std::string(column, ' ');
        position = column;
      }
      if (position > column) {
        wrapped += ' ';
        ++position;
      }
      absl::StrAppend(&wrapped, word);
      position += word.size();
    }
  }
  return wrapped;
}

std::string OptionHelp(const OptionInfo& option, absl::string_view help,
                       const HelpColumns& columns) {
  std::string left = "  ";
  if (!option.short_name.empty()) absl::StrAppend(&left, option.short_name, ", ");
  absl::StrAppend(&left, option.name);
  if (!option.placeholder.empty()) absl::StrAppend(&left, " ", option.placeholder);
  const bool is_long = left.size() + 2 > columns.text;
  if (is_long && left.size() + 2 + help.size() <= columns.end)
    return absl::StrCat(left, "  ", help, "\n");
  if (is_long) {
    left += '\n' + std::string(columns.text, ' ');
  } else {
    left.resize(columns.text, ' ');
  }
  return absl::StrCat(left, Wrap(help, columns), "\n");
}

bool LooksLikeOption(absl::string_view arg) {
  // "-" is standard input, and "-5" may be a key.
  return arg.size() > 1 && arg[0] == '-' && !absl::ascii_isdigit(arg[1]);
}

}  // namespace

CommandLine::CommandLine(const CommandInfo& info)
    : info_(info), app_(std::make_unique<CLI::App>()) {
  app_->set_help_flag();  // we declare our own help flag
  app_->allow_extras();   // CheckArguments() examines what is not an option
  app_->add_flag("-h,--help", help_wanted_);
  options_.push_back({"-h", "--help", "", {}, "Show this help"});
}

CommandLine::~CommandLine() = default;

// Inserts the option before --help.
void CommandLine::Declare(const std::string& names, const std::string& placeholder,
                          const std::string& help) {
  const size_t dashes = names.find("--");
  OptionInfo option{"", names.substr(dashes), placeholder, {}, help};
  if (dashes > 0) option.short_name = names.substr(0, names.find(','));
  options_.insert(options_.end() - 1, std::move(option));
}

void CommandLine::AddFlag(const std::string& names, bool* value, const std::string& help) {
  Declare(names, "", help);
  app_->add_flag(names, *value)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void CommandLine::AddParsed(const std::string& names, const std::string& placeholder, Parser parse,
                            const std::string& help, std::vector<std::string> words) {
  Declare(names, placeholder, help);
  options_[options_.size() - 2].words = std::move(words);  // --help is the last
  const std::string name = names.substr(names.find("--"));
  const auto take = [this, name, parse = std::move(parse)](const std::string& text) {
    const absl::Status status = parse(text);
    if (status.ok()) return;
    first_error_.Update(
        absl::InvalidArgumentError(absl::StrCat("option ", name, ": ", status.message())));
  };
  app_->add_option_function<std::string>(names, take)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void CommandLine::AddText(const std::string& names, const std::string& placeholder,
                          std::optional<std::string>* value, const std::string& help) {
  AddParsed(
      names, placeholder,
      [value](const std::string& text) {
        *value = text;
        return absl::OkStatus();
      },
      help);
}

absl::StatusOr<uint64_t> ParseNumber(absl::string_view text, const CommandLine::Range& range) {
  absl::string_view digits = text;
  uint64_t unit = 1;
  if (range.size && !digits.empty()) {
    const char suffix = absl::ascii_toupper(static_cast<unsigned char>(digits.back()));
    const int shift = suffix == 'K' ? 10 : suffix == 'M' ? 20 : suffix == 'G' ? 30 : 0;
    unit <<= shift;
    if (shift > 0) digits.remove_suffix(1);
  }
  uint64_t number;
  // SimpleAtoi() would accept spaces and signs.
  const bool is_number = !digits.empty() && absl::ascii_isdigit(digits.front()) &&
                         absl::ascii_isdigit(digits.back()) && absl::SimpleAtoi(digits, &number);
  if (is_number && number <= range.max / unit && number * unit >= range.min) return number * unit;
  const std::string bounds = range.max == UINT64_MAX
                                 ? absl::StrCat(" of at least ", range.min)
                                 : absl::StrCat(" from ", range.min, " to ", range.max);
  return absl::InvalidArgumentError(
      absl::StrCat("expected a ", range.size ? "number of bytes" : "whole number", bounds,
                   range.size ? " (K, M and G stand for 2^10, 2^20 and 2^30)" : "", ", found \"",
                   absl::CHexEscape(text), "\""));
}

absl::Status CommandLine::NotAChoice(const std::string& text,
                                     const std::vector<std::string>& words) const {
  return absl::InvalidArgumentError(absl::StrCat("expected one of ", absl::StrJoin(words, ", "),
                                                 ", found \"", absl::CHexEscape(text), "\"",
                                                 Suggestion(text, words)));
}

// Splits "--name=value" into two arguments, since CLI11 treats an empty value as missing. Replaces
// old names.
absl::StatusOr<std::vector<std::string>> CommandLine::SplitValues(
    absl::Span<const std::string> args, std::vector<std::string>* notes) const {
  std::vector<std::string> split;
  bool options_ended = false, is_value = false;
  for (std::string arg : args) {
    if (std::exchange(is_value, false)) {
      split.push_back(std::move(arg));
      continue;
    }
    if (arg == "--") options_ended = true;
    const auto old = old_names_.find(arg.substr(0, arg.find('=')));
    if (!options_ended && old != old_names_.end()) {
      notes->push_back(absl::StrCat(old->first, " is now called ", old->second));
      arg.replace(0, old->first.size(), old->second);
    }
    const size_t equals = arg.find('=');
    const bool has_value = !options_ended && absl::StartsWith(arg, "--") && equals != arg.npos;
    const CLI::Option* option =
        has_value ? app_->get_option_no_throw(arg.substr(0, equals)) : nullptr;
    if (option == nullptr) {
      const CLI::Option* const named = options_ended ? nullptr : app_->get_option_no_throw(arg);
      is_value = named != nullptr && named->get_items_expected_max() > 0;
      split.push_back(std::move(arg));
      continue;
    }
    if (option->get_items_expected_max() == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("option ", arg.substr(0, equals), " takes no value"));
    }
    split.push_back(arg.substr(0, equals));
    split.push_back(arg.substr(equals + 1));
  }
  return split;
}

absl::StatusOr<ParsedArguments> CommandLine::Parse(absl::Span<const std::string> args) {
  ParsedArguments parsed;
  absl::StatusOr<std::vector<std::string>> split = SplitValues(args, &parsed.notes);
  if (!split.ok()) return split.status();
  std::reverse(split->begin(), split->end());  // CLI11 takes them from the end
  try {
    app_->parse(std::move(*split));
  } catch (const CLI::ArgumentMismatch&) {
    // The value of the last option is missing.
    return absl::InvalidArgumentError(absl::StrCat("option ", args.back(), " needs a value"));
  } catch (const CLI::Error& error) {
    return absl::InvalidArgumentError(error.what());
  }
  parsed.help_wanted = help_wanted_;
  if (help_wanted_) return parsed;
  if (absl::Status status = CheckArguments(app_->remaining(), &parsed.arguments); !status.ok()) {
    return status;
  }
  if (!first_error_.ok()) return first_error_;
  return parsed;
}

absl::Status CommandLine::CheckArguments(const std::vector<std::string>& remaining,
                                         std::vector<std::string>* arguments) const {
  bool options_ended = false;
  for (const std::string& arg : remaining) {
    if (!options_ended && arg == "--") {
      options_ended = true;
    } else if (!options_ended && LooksLikeOption(arg)) {
      return UnknownOption(arg);
    } else {
      arguments->push_back(arg);
    }
  }
  const bool too_few = arguments->size() < info_.min_arguments;
  if (!too_few && arguments->size() <= info_.max_arguments) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("too ", too_few ? "few" : "many",
                   " arguments; expected: ", info_.arguments.empty() ? "none" : info_.arguments));
}

absl::Status CommandLine::UnknownOption(absl::string_view arg) const {
  const std::string name(arg.substr(0, arg.find('=')));
  std::vector<std::string> known;
  for (const OptionInfo& option : options_) known.push_back(option.name);
  const std::string suggestion = Suggestion(name, known);
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown option ", absl::CHexEscape(name),
      suggestion.empty() ? "; write -- before an argument that starts with a dash" : "",
      suggestion));
}

std::string FirstSentence(const OptionInfo& option) {
  return option.help.substr(0, option.help.find(". "));
}

std::string CommandLine::Help(absl::string_view description, const std::string& options,
                              const Style& style) const {
  return absl::StrCat(style.Bold("Usage:"), " sst ", info_.name, " [OPTIONS]",
                      info_.arguments.empty() ? "" : " ", info_.arguments, "\n\n", description,
                      "\n\n", style.Bold("Options:"), "\n", options, "\n", style.Bold("Examples:"),
                      "\n", info_.examples, "\n");
}

std::string CommandLine::ShortHelp(const Style& style) const {
  std::string options;
  for (const OptionInfo& option : options_) {
    options += OptionHelp(option, FirstSentence(option), kShort);
  }
  const std::string& text = info_.description;
  const std::string paragraph = text.substr(0, text.find("\n\n"));
  return absl::StrCat(
      Help(paragraph, options, style),
      paragraph == text ? "" : absl::StrCat("\n`sst help ", info_.name, "` explains more\n"));
}

std::string CommandLine::FullHelp(const Style& style) const {
  std::string options;
  for (const OptionInfo& option : options_) options += OptionHelp(option, option.help, kFull);
  return Help(info_.description, options, style);
}

}  // namespace sstable::tools
