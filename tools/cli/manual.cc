#include "tools/cli/manual.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace sstable::tools {
namespace {

// Escapes text for man(1): dashes can be copied, and no line is read as a macro.
std::string Plain(absl::string_view text) {
  std::string plain = absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}});
  if (absl::StartsWith(plain, ".") || absl::StartsWith(plain, "'")) plain.insert(0, "\\&");
  return plain;
}

// Returns true for a line like "jsonl: one object a line".
bool StartsWithTerm(absl::string_view line) {
  const absl::string_view term = line.substr(0, line.find(": "));
  return term.size() < line.size() && std::count(term.begin(), term.end(), ' ') <= 1;
}

// Rewraps the lines. Keeps the line break after a line that ends early, and before a line that
// explains a term.
std::string Paragraphs(absl::string_view text) {
  constexpr size_t kEarly = 66;
  std::string result;
  for (const absl::string_view paragraph : absl::StrSplit(text, "\n\n")) {
    result += ".PP\n";
    const std::vector<absl::string_view> lines = absl::StrSplit(paragraph, '\n');
    for (size_t i = 0; i < lines.size(); ++i) {
      if (i > 0 && (lines[i - 1].size() < kEarly || StartsWithTerm(lines[i]))) result += ".br\n";
      absl::StrAppend(&result, Plain(lines[i]), "\n");
    }
  }
  return result;
}

std::string AsItStands(absl::string_view text) {
  std::string result = ".PP\n.nf\n";
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    absl::StrAppend(&result, Plain(line), "\n");
  }
  return result + ".fi\n";
}

std::string Option(const OptionInfo& option) {
  std::string result = ".TP\n";
  if (!option.short_name.empty()) {
    absl::StrAppend(&result, "\\fB", Plain(option.short_name), "\\fR, ");
  }
  absl::StrAppend(&result, "\\fB", Plain(option.name), "\\fR");
  if (!option.placeholder.empty()) {
    absl::StrAppend(&result, " \\fI", Plain(option.placeholder), "\\fR");
  }
  absl::StrAppend(&result, "\n");
  for (const absl::string_view line : absl::StrSplit(option.help, '\n')) {
    absl::StrAppend(&result, Plain(line), "\n");
  }
  return result;
}

std::string Usage(const CommandInfo& info) {
  return absl::StrCat("\\fBsst ", info.name, "\\fR [\\fIOPTIONS\\fR] \\fI", Plain(info.arguments),
                      "\\fR");
}

}  // namespace

std::string ManualPage(const ProgramInfo& program, absl::Span<const CommandHelp> commands) {
  std::string page = absl::StrCat(".TH SST 1 \"\" \"sst ", program.version,
                                  "\" \"User Commands\"\n"
                                  ".nh\n.ad l\n"  // do not break commands
                                  ".SH NAME\nsst \\- write, read, check and save LevelDB's tables\n"
                                  ".SH SYNOPSIS\n");
  for (const CommandHelp& command : commands) {
    absl::StrAppend(&page, Usage(command.info), "\n.br\n");
  }
  absl::StrAppend(&page,
                  "\\fBsst help\\fR [\\fICOMMAND\\fR]\n.br\n\\fBsst completion\\fR "
                  "\\fIbash|zsh|fish\\fR\n.br\n\\fBsst manual\\fR\n");
  absl::StrAppend(&page, ".SH DESCRIPTION\n", Paragraphs(program.about), ".SH COMMANDS\n");
  for (const CommandHelp& command : commands) {
    absl::StrAppend(&page, ".SS ", Usage(command.info), "\n", Paragraphs(command.info.description));
    for (const OptionInfo& option : command.options) absl::StrAppend(&page, Option(option));
    absl::StrAppend(&page, ".PP\nExamples:\n", AsItStands(command.info.examples));
  }
  absl::StrAppend(&page, ".SH EXIT STATUS\n", AsItStands(program.exit_codes),
                  ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\n"
                  "If it is set, nothing is coloured on a terminal either.\n"
                  ".SH EXAMPLES\n",
                  AsItStands(program.examples));
  return page;
}

std::string OptionsTable(absl::Span<const CommandHelp> commands) {
  struct Row {
    std::string short_name;                  // some commands use the letter for another option
    std::vector<std::string> with, without;  // commands
  };
  std::map<std::string, Row> rows;  // keyed by option and meaning
  const auto key = [](const OptionInfo& option) {
    const bool has_words = option.placeholder.find('|') != std::string::npos;
    return absl::StrCat(option.name, " ", has_words ? "WORD" : option.placeholder,
                        option.placeholder.empty() ? "" : " ", " ", FirstSentence(option));
  };
  for (const CommandHelp& command : commands) {
    for (const OptionInfo& option : command.options) rows[key(option)];
  }
  for (const CommandHelp& command : commands) {
    std::set<std::string> own;
    for (const OptionInfo& option : command.options) {
      own.insert(key(option));
      if (!option.short_name.empty()) rows[key(option)].short_name = option.short_name + ", ";
    }
    for (auto& [option, row] : rows) {
      (own.count(option) > 0 ? row.with : row.without).push_back(command.info.name);
    }
  }
  std::string table;
  for (const auto& [option, row] : rows) {
    const bool is_common = row.with.size() > row.without.size();
    const std::vector<std::string>& names = is_common ? row.without : row.with;
    absl::StrAppend(&table, row.short_name, option, "\n    ", is_common ? "all" : "",
                    is_common && !names.empty() ? " but " : "", absl::StrJoin(names, ", "), "\n");
  }
  return table;
}

}  // namespace sstable::tools
