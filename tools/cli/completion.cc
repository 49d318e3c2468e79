#include "tools/cli/completion.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "tools/cli/suggest.h"

namespace sstable::tools {
namespace {

const std::vector<std::string>& Shells() {
  static const auto* const shells = new std::vector<std::string>{"bash", "zsh", "fish"};
  return *shells;
}

// Returns true if the option's value is completed with files. Values that are neither words nor
// files can't be completed.
bool TakesFile(const OptionInfo& option) { return option.placeholder == "OUT"; }

// Returns the option's help in one line.
std::string Description(const OptionInfo& option) {
  return absl::StrReplaceAll(option.help, {{"\n", " "}});
}

// Quotes text for bash and zsh.
std::string Quoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

std::string FishQuoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

bool HasTwoWords(const CommandHelp& command) { return absl::StrContains(command.info.name, " "); }

// Lists the commands that are one word.
std::string CommandNames(absl::Span<const CommandHelp> commands) {
  std::vector<std::string> names;
  for (const CommandHelp& command : commands) {
    if (!HasTwoWords(command)) names.push_back(command.info.name);
  }
  return absl::StrJoin(names, " ");
}

// Lists the words that can follow `name` in a command of two words: "add strip" for "filter".
std::string SecondWords(absl::Span<const CommandHelp> commands, absl::string_view name) {
  std::vector<absl::string_view> words;
  for (const CommandHelp& command : commands) {
    absl::string_view word = command.info.name;
    if (absl::ConsumePrefix(&word, name) && absl::ConsumePrefix(&word, " ")) words.push_back(word);
  }
  return absl::StrJoin(words, " ");
}

// Returns a pattern for bash and zsh that matches the commands of two words, or nothing if there
// are none.
std::string TwoWordPattern(absl::Span<const CommandHelp> commands) {
  std::vector<std::string> names = {"''"};
  for (const CommandHelp& command : commands) {
    if (HasTwoWords(command)) names.push_back(Quoted(command.info.name));
  }
  return absl::StrJoin(names, " | ");
}

std::string BashScript(absl::Span<const CommandHelp> commands) {
  std::string values, options, second_words;
  for (const CommandHelp& command : commands) {
    const std::string name = Quoted(command.info.name);
    if (const std::string words = SecondWords(commands, command.info.name); !words.empty()) {
      absl::StrAppend(&second_words, "          ", name, ":2) words='", words, "' ;;\n");
    }
    std::string names;
    for (const OptionInfo& option : command.options) {
      absl::StrAppend(&names, names.empty() ? "" : " ", option.name);
      if (option.placeholder.empty() || TakesFile(option)) continue;
      absl::StrAppend(&values, "      ", name, ":", option.name, ") ",
                      option.words.empty()
                          ? std::string("compopt +o default")
                          : absl::StrCat("words='", absl::StrJoin(option.words, " "), "'"),
                      " ;;\n");
    }
    absl::StrAppend(&options, "            ", name, ") words='", names, "' ;;\n");
  }
  const std::string command_names = CommandNames(commands);
  return absl::StrCat(
      R"(# Completion of sst for bash. To load it: source <(sst completion bash)
_sst() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=
  local command=${COMP_WORDS[1]}
  if [[ $COMP_CWORD -gt 2 ]]; then
    case "$command ${COMP_WORDS[2]}" in
      )",
      TwoWordPattern(commands), R"() command+=" ${COMP_WORDS[2]}" ;;
    esac
  fi
  # To bash, --name=value is three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [[ $COMP_CWORD -eq 1 ]]; then
    words=')",
      command_names, R"( help completion manual --help --version'
  else
    case $command:$before in
)",
      values, "      help:*) words='", command_names,
      " completion manual' ;;\n      completion:*) words='", absl::StrJoin(Shells(), " "), R"(' ;;
      *)
        if [[ $word == -* ]]; then
          case $command in
)",
      options, R"(          esac
        else
          case $command:$COMP_CWORD in
)",
      second_words, R"(          esac
        fi
        ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _sst sst
)");
}

// Formats an option for zsh's _arguments.
std::string ZshOption(const OptionInfo& option) {
  std::string text = absl::StrCat(
      "[", absl::StrReplaceAll(Description(option), {{"\\", "\\\\"}, {"]", "\\]"}}), "]");
  if (!option.placeholder.empty()) {
    absl::StrAppend(&text, ":", option.words.empty() ? option.placeholder : "word", ":");
    if (TakesFile(option)) text += "_files";
    if (!option.words.empty()) absl::StrAppend(&text, "(", absl::StrJoin(option.words, " "), ")");
  }
  const std::string name = absl::StrCat(option.name, option.placeholder.empty() ? "" : "=");
  if (option.short_name.empty()) return Quoted(name + text);
  return absl::StrCat("'(", option.short_name, " ", option.name, ")'{", option.short_name, ",",
                      name, "}", Quoted(text));
}

std::string ZshScript(absl::Span<const CommandHelp> commands) {
  std::string names, cases;
  for (const CommandHelp& command : commands) {
    if (!HasTwoWords(command)) {
      absl::StrAppend(&names, "    ",
                      Quoted(absl::StrCat(command.info.name, ":", command.info.summary)), "\n");
    }
    absl::StrAppend(&cases, "    ", Quoted(command.info.name), ")\n");
    if (const std::string words = SecondWords(commands, command.info.name); !words.empty()) {
      absl::StrAppend(&cases, "      ((CURRENT == 2)) && [[ $words[2] != -* ]] && compadd ", words,
                      "\n");
    }
    absl::StrAppend(&cases, "      _arguments \\\n");
    for (const OptionInfo& option : command.options) {
      absl::StrAppend(&cases, "        ", ZshOption(option), " \\\n");
    }
    absl::StrAppend(&cases, "        '*:file:_files'\n      ;;\n");
  }
  return absl::StrCat(R"(#compdef sst
# Completion of sst for zsh. To load it: source <(sst completion zsh)
_sst() {
  local -a commands=(
)",
                      names, R"(    'help:describe a command'
    'completion:print a completion script for a shell'
    'manual:print the manual page'
  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  if ((CURRENT > 2)); then
    case "$words[1] $words[2]" in
      ()",
                      TwoWordPattern(commands), R"()
        words[2]="$words[1] $words[2]"
        shift words
        ((CURRENT--))
        ;;
    esac
  fi
  case $words[1] in
)",
                      cases, R"(    help) _describe command commands ;;
    completion) compadd )",
                      absl::StrJoin(Shells(), " "), R"( ;;
  esac
}
if [[ $funcstack[1] == _sst ]]; then
  _sst "$@"
else
  compdef _sst sst
fi
)");
}

// Returns a fish condition: the command is before the cursor.
std::string FishCondition(absl::Span<const CommandHelp> commands, absl::string_view name) {
  constexpr absl::string_view kSeen = "__fish_seen_subcommand_from ";
  std::string condition =
      absl::StrCat(kSeen, absl::StrReplaceAll(name, {{" ", absl::StrCat("; and ", kSeen)}}));
  const std::string words = SecondWords(commands, name);
  if (!words.empty()) absl::StrAppend(&condition, "; and not ", kSeen, words);
  return condition;
}

std::string FishScript(absl::Span<const CommandHelp> commands) {
  const std::string names = CommandNames(commands);
  std::string script = "# Completion of sst for fish. To load it: sst completion fish | source\n";
  const auto add_command = [&script](absl::string_view name, absl::string_view summary) {
    absl::StrAppend(&script, "complete -c sst -n __fish_use_subcommand -f -a ", name, " -d ",
                    FishQuoted(summary), "\n");
  };
  for (const CommandHelp& command : commands) {
    const std::string& name = command.info.name;
    if (!HasTwoWords(command)) add_command(name, command.info.summary);
    if (const std::string words = SecondWords(commands, name); !words.empty()) {
      absl::StrAppend(&script, "complete -c sst -n '", FishCondition(commands, name), "' -a '",
                      words, "'\n");
    }
  }
  add_command("help", "describe a command");
  add_command("completion", "print a completion script for a shell");
  add_command("manual", "print the manual page");
  absl::StrAppend(
      &script, "complete -c sst -n '__fish_seen_subcommand_from help' -f -a '", names,
      " completion manual'\ncomplete -c sst -n '__fish_seen_subcommand_from completion' -f -a '",
      absl::StrJoin(Shells(), " "), "'\n");
  for (const CommandHelp& command : commands) {
    for (const OptionInfo& option : command.options) {
      absl::StrAppend(&script, "complete -c sst -n '", FishCondition(commands, command.info.name),
                      "'");
      if (!option.short_name.empty()) absl::StrAppend(&script, " -s ", option.short_name.substr(1));
      absl::StrAppend(&script, " -l ", option.name.substr(2));
      if (TakesFile(option)) {
        script += " -r -F";
      } else if (!option.placeholder.empty()) {
        script += " -x";
      }
      if (!option.words.empty()) {
        absl::StrAppend(&script, " -a '", absl::StrJoin(option.words, " "), "'");
      }
      absl::StrAppend(&script, " -d ", FishQuoted(Description(option)), "\n");
    }
  }
  return script;
}

}  // namespace

absl::StatusOr<std::string> CompletionScript(absl::string_view shell,
                                             absl::Span<const CommandHelp> commands) {
  if (shell == "bash") return BashScript(commands);
  if (shell == "zsh") return ZshScript(commands);
  if (shell == "fish") return FishScript(commands);
  return absl::InvalidArgumentError(absl::StrCat("expected one of ", absl::StrJoin(Shells(), ", "),
                                                 ", found \"", absl::CHexEscape(shell), "\"",
                                                 Suggestion(std::string(shell), Shells())));
}

}  // namespace sstable::tools
