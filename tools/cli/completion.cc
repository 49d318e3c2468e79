#include "tools/cli/completion.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tools/cli/suggest.h"

namespace sstable::tools {
namespace {

const std::vector<std::string>& Shells() {
  static const auto* const shells = new std::vector<std::string>{"bash", "zsh", "fish"};
  return *shells;
}

// Whether the option's value is completed with files. Other values that are not words can't be
// completed.
bool TakesFile(const OptionInfo& option) { return option.placeholder == "OUT"; }

// In one line.
std::string Description(const OptionInfo& option) {
  return absl::StrReplaceAll(option.help, {{"\n", " "}});
}

// For bash and zsh.
std::string Quoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

std::string FishQuoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

std::string CommandNames(absl::Span<const CommandHelp> commands) {
  return absl::StrJoin(commands, " ", [](std::string* out, const CommandHelp& command) {
    absl::StrAppend(out, command.info.name);
  });
}

std::string BashScript(absl::Span<const CommandHelp> commands) {
  std::string values, options;
  for (const CommandHelp& command : commands) {
    std::string names;
    for (const OptionInfo& option : command.options) {
      absl::StrAppend(&names, names.empty() ? "" : " ", option.name);
      if (option.placeholder.empty() || TakesFile(option)) continue;
      absl::StrAppend(&values, "      ", command.info.name, ":", option.name, ") ",
                      option.words.empty()
                          ? std::string("compopt +o default")
                          : absl::StrCat("words='", absl::StrJoin(option.words, " "), "'"),
                      " ;;\n");
    }
    absl::StrAppend(&options, "            ", command.info.name, ") words='", names, "' ;;\n");
  }
  const std::string command_names = CommandNames(commands);
  return absl::StrCat(
      R"(# Completion of sst for bash. To load it: source <(sst completion bash)
_sst() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=
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
    case ${COMP_WORDS[1]}:$before in
)",
      values, "      help:*) words='", command_names,
      " completion manual' ;;\n      completion:*) words='", absl::StrJoin(Shells(), " "), R"(' ;;
      *)
        if [[ $word == -* ]]; then
          case ${COMP_WORDS[1]} in
)",
      options, R"(          esac
        fi
        ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _sst sst
)");
}

// An option as zsh's _arguments takes it.
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
    absl::StrAppend(&names, "    ",
                    Quoted(absl::StrCat(command.info.name, ":", command.info.summary)), "\n");
    absl::StrAppend(&cases, "    ", command.info.name, ")\n      _arguments \\\n");
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

std::string FishScript(absl::Span<const CommandHelp> commands) {
  const std::string names = CommandNames(commands);
  std::string script = "# Completion of sst for fish. To load it: sst completion fish | source\n";
  const auto add_command = [&script](absl::string_view name, absl::string_view summary) {
    absl::StrAppend(&script, "complete -c sst -n __fish_use_subcommand -f -a ", name, " -d ",
                    FishQuoted(summary), "\n");
  };
  for (const CommandHelp& command : commands) {
    add_command(command.info.name, command.info.summary);
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
      absl::StrAppend(&script, "complete -c sst -n '__fish_seen_subcommand_from ",
                      command.info.name, "'");
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
