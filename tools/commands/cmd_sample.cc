// `sst sample`: prints a few entries of each part of a table or database.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/commands/commands.h"
#include "tools/dump/source_dump.h"
#include "tools/files/input_files.h"

namespace sstable::tools {
namespace {

constexpr uint64_t kDefaultCount = 20;

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "sample",
      "print a few entries, spread evenly over tables and databases",
      "PATH...",
      /*min_arguments=*/1,
      /*max_arguments=*/SIZE_MAX,
      R"(Prints entries from all parts of each PATH, a table or a database's folder, in
the order of their keys. Only the blocks that have them are read, and what is
needed to find these. The choice is not random: the same files give the same
entries.

a table              N entries at equal distances, in bytes: its index says where
                     data blocks are
a database's folder  the same over the bytes of all tables and logs. Of each key
                     found, the live entry is printed, or the next live one; with
                     --history all versions of the key. --files names the folder
another folder       N entries of each table in it

There are fewer than N if several places lead to one entry, or if a block can't
be read, which is reported on standard error. --where chooses among the N. The
options of the output are those of `sst dump`.)",
      R"(  sst sample leveldb/
  sst sample --limit 1000 --no-values --format tsv huge.ldb
  sst sample --decode auto ~/.config/app/IndexedDB/*.leveldb)"};
  return *info;
}

class SampleCommand final : public Command {
 public:
  SampleCommand() {
    dump_.entries.sample = true;
    dump_.entries.limit = kDefaultCount;
  }

  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override { dump_.AddTo(command_line); }
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override {
    if (console->output_is_terminal()) console->progress().Disable();
    const InputFiles inputs = FindInputFiles(arguments, WantedFiles::kDatabases, console);
    return dump_.Run(inputs, /*has_headings=*/true, console).code;
  }

 private:
  SourceDump dump_;
};

}  // namespace

std::unique_ptr<Command> NewSampleCommand() { return std::make_unique<SampleCommand>(); }

}  // namespace sstable::tools
