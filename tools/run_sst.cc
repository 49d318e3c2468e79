#include "tools/run_sst.h"

#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "sstable/version.h"
#include "tools/cli/command.h"
#include "tools/cli/command_line.h"
#include "tools/cli/completion.h"
#include "tools/cli/manual.h"
#include "tools/cli/suggest.h"
#include "tools/commands/commands.h"

namespace sstable::tools {
namespace {

constexpr char kAbout[] =
    R"(Writes, reads and checks tables in LevelDB's format (.ldb, .sst), without a
database. Data goes to standard output, messages to standard error.)";

constexpr char kExitCodes[] =
    R"(  0  success; also if a reader such as `head` closed the pipe early
  1  a file is damaged, or the key is absent
  2  wrong usage, or a file that can't be opened, read or written, also if it is
     one of a folder)";

constexpr char kExamples[] = R"(  printf 'apple\tred\nbanana\tyellow\n' | sst build fruit.ldb
  sst get fruit.ldb banana
  sst dump --format jsonl fruit.ldb
  sst check *.ldb)";

std::vector<std::unique_ptr<Command>> AllCommands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(NewBuildCommand());
  commands.push_back(NewSplitCommand());
  commands.push_back(NewManifestCommand());
  commands.push_back(NewMergeCommand());
  commands.push_back(NewDumpCommand());
  commands.push_back(NewSampleCommand());
  commands.push_back(NewGetCommand());
  commands.push_back(NewGrepCommand());
#ifndef SSTABLE_WITHOUT_SQLITE
  commands.push_back(NewExportCommand());
#endif
  commands.push_back(NewDiffCommand());
  commands.push_back(NewLsCommand());
  commands.push_back(NewDuCommand());
  commands.push_back(NewLayoutCommand());
  commands.push_back(NewCheckCommand());
  commands.push_back(NewSalvageCommand());
  commands.push_back(NewFilterCommand());
  commands.push_back(NewFilterAddCommand());
  commands.push_back(NewFilterStripCommand());
  commands.push_back(NewFilterCompareCommand());
  commands.push_back(NewStatsCommand());
  commands.push_back(NewReportCommand());
  return commands;
}

std::string GeneralHelp(const std::vector<std::unique_ptr<Command>>& commands, const Style& style) {
  std::string help = absl::StrCat(style.Bold("Usage:"), " sst COMMAND [OPTIONS] ARGUMENTS...\n\n",
                                  kAbout, "\n\n", style.Bold("Commands:"), "\n");
  for (const auto& command : commands) {
    absl::StrAppendFormat(&help, "  %-14s  %s\n", command->info().name, command->info().summary);
  }
  absl::StrAppend(
      &help,
      "\n`sst COMMAND --help` lists the options, `sst help COMMAND` explains them, `sst help\n"
      "options` lists those of all commands, and `sst manual | man -l -` has everything.\n"
      "`sst --version` prints the version. `sst completion SHELL` prints a script that\n"
      "completes command lines of bash, zsh or fish: source <(sst completion bash)\n\n",
      style.Bold("Exit codes:"), "\n", kExitCodes, "\n\n", style.Bold("Examples:"), "\n", kExamples,
      "\n");
  return help;
}

// Runs `run` with the non-option arguments, unless the command line is wrong or asks for help.
ExitCode RunIfValid(CommandLine* command_line, absl::Span<const std::string> args, Console* console,
                    absl::FunctionRef<ExitCode(const std::vector<std::string>& arguments)> run) {
  const absl::StatusOr<ParsedArguments> parsed = command_line->Parse(args);
  if (!parsed.ok()) {
    const std::string name = command_line->help().info.name;
    console->Say(absl::StrCat(name, ": ", parsed.status().message()));
    console->Say(absl::StrCat("`sst ", name, " --help` explains more"));
    return ExitCode::kCannot;
  }
  if (parsed->help_wanted) {
    console->Write(command_line->ShortHelp(console->output_style()));
    return ExitCode::kOk;
  }
  for (const std::string& note : parsed->notes) console->Say(note);
  return run(parsed->arguments);
}

ExitCode RunCommand(Command* command, absl::Span<const std::string> args, Console* console) {
  CommandLine command_line(command->info());
  command->AddOptions(&command_line);
  return RunIfValid(&command_line, args, console,
                    [&](const auto& arguments) { return command->Run(arguments, console); });
}

std::vector<CommandHelp> AllHelp(const std::vector<std::unique_ptr<Command>>& commands) {
  std::vector<CommandHelp> help;
  for (const auto& command : commands) {
    CommandLine command_line(command->info());
    command->AddOptions(&command_line);
    help.push_back(command_line.help());
  }
  return help;
}

// These two describe the other commands, so they are not in AllCommands().
ExitCode PrintCompletion(const std::vector<std::unique_ptr<Command>>& commands,
                         absl::Span<const std::string> args, Console* console) {
  CommandLine command_line(
      {"completion", "", "bash|zsh|fish",
       /*min_arguments=*/1, /*max_arguments=*/1,
       R"(Prints a script with which a shell completes the command lines of sst. The
shell must read it each time it starts.)",
       R"(  source <(sst completion bash)   # in ~/.bashrc
  source <(sst completion zsh)    # in ~/.zshrc, after compinit
  sst completion fish >~/.config/fish/completions/sst.fish)"});
  return RunIfValid(&command_line, args, console, [&](const auto& arguments) {
    const absl::StatusOr<std::string> script = CompletionScript(arguments[0], AllHelp(commands));
    if (!script.ok()) {
      console->Say(absl::StrCat("completion: ", script.status().message()));
      return ExitCode::kCannot;
    }
    console->Write(*script);
    return ExitCode::kOk;
  });
}

ExitCode PrintManual(const std::vector<std::unique_ptr<Command>>& commands,
                     absl::Span<const std::string> args, Console* console) {
  CommandLine command_line(
      {"manual", "", "",
       /*min_arguments=*/0, /*max_arguments=*/0,
       "Prints the manual page, with all commands, in the form that man(1) reads.",
       R"(  sst manual | man -l -
  sst manual >/usr/local/share/man/man1/sst.1)"});
  return RunIfValid(&command_line, args, console, [&](const auto&) {
    console->Write(ManualPage({SSTABLE_VERSION, kAbout, kExitCodes, kExamples}, AllHelp(commands)));
    return ExitCode::kOk;
  });
}

// Returns our name for a command of a shell or of the tools of LevelDB, RocksDB or Pebble; "" if
// there is none.
absl::string_view OurCommandFor(absl::string_view name) {
  struct Peer {
    absl::string_view name, ours;
  };
  static constexpr Peer kPeers[] = {
      {"verify", "check"},     {"scan", "dump"},    {"cat", "dump"},
      {"properties", "stats"}, {"list", "ls"},      {"repair", "salvage"},
      {"rescue", "salvage"},   {"import", "build"}, {"info", "stats"}};
  for (const Peer& peer : kPeers) {
    if (peer.name == name) return peer.ours;
  }
  return "";
}

// Returns null if there is none.
Command* FindCommand(const std::vector<std::unique_ptr<Command>>& commands,
                     absl::string_view name) {
  for (const auto& command : commands) {
    if (command->info().name == name) return command.get();
  }
  return nullptr;
}

ExitCode UnknownCommand(const std::vector<std::unique_ptr<Command>>& commands,
                        const std::string& name, Console* console) {
  std::vector<std::string> names = {"help", "completion", "manual", "--help", "--version"};
  for (const auto& command : commands) names.push_back(command->info().name);
  const absl::string_view ours = OurCommandFor(name);
  const std::string suggestion =
      ours.empty() ? Suggestion(name, names) : absl::StrCat("; use `sst ", ours, "`");
  console->Say(absl::StrCat("\"", absl::CHexEscape(InputName(name)), "\" is not a command",
                            suggestion.empty() ? "; `sst --help` lists them" : suggestion));
  return ExitCode::kCannot;
}

}  // namespace

ExitCode RunSst(absl::Span<const std::string> args, Console* console) {
  const std::vector<std::unique_ptr<Command>> commands = AllCommands();
  if (args.empty()) {
    console->SayRaw(GeneralHelp(commands, console->message_style()));
    return ExitCode::kCannot;
  }
  std::string name = args[0];
  std::vector<std::string> rest(args.begin() + 1, args.end());
  if (name == "--version") {
    console->Write(absl::StrCat("sst ", SSTABLE_VERSION, "\n"));
    return ExitCode::kOk;
  }
  const bool wants_help = name == "help" && !rest.empty();
  if (wants_help) {
    name = rest[0];
    rest.erase(rest.begin());
  }
  // "filter add" is a command of two words. A file with that name is "./add".
  if (!rest.empty() && FindCommand(commands, absl::StrCat(name, " ", rest[0])) != nullptr) {
    absl::StrAppend(&name, " ", rest[0]);
    rest.erase(rest.begin());
  }
  if (wants_help && name == "options") {
    console->Write(OptionsTable(AllHelp(commands)));
    return ExitCode::kOk;
  }
  if (name == "help" || name == "--help" || name == "-h") {
    console->Write(GeneralHelp(commands, console->output_style()));
    return ExitCode::kOk;
  }
  Command* const command = FindCommand(commands, name);
  if (wants_help && command != nullptr) {
    CommandLine command_line(command->info());
    command->AddOptions(&command_line);
    console->Write(command_line.FullHelp(console->output_style()));
    return ExitCode::kOk;
  }
  if (wants_help) rest = {"--help"};
  if (name == "completion") return PrintCompletion(commands, rest, console);
  if (name == "manual") return PrintManual(commands, rest, console);
  if (command != nullptr) return RunCommand(command, rest, console);
  return UnknownCommand(commands, name, console);
}

}  // namespace sstable::tools
