// Runs the scripts in tests/table/scripts, which make tables, damage them and read them, and
// compares the output. scripts/README.md describes the commands. With --rewrite, puts the actual
// output into the scripts instead.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/console.h"
#include "tests/support/whole_file.h"
#include "tests/table/script_words.h"
#include "tests/table/scripted_table.h"

namespace sstable::test {
namespace {

bool rewrite = false;

std::vector<std::string> Scripts() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator("tests/table/scripts")) {
    if (file.path().extension() == ".txt") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Words SplitWords(absl::string_view command) {
  return absl::StrSplit(absl::StrReplaceAll(command, {{"\\\n", " "}}), absl::ByAnyChar(" \n"),
                        absl::SkipEmpty());
}

// Returns one variant for each combination of alternatives in options of the form name={one,two}.
std::vector<Words> Variants(const Words& words) {
  std::vector<Words> variants = {{}};
  for (const std::string& word : words) {
    Words choices = {word};
    const size_t open = word.find("={");
    if (open != std::string::npos && word.back() == '}') {
      choices = absl::StrSplit(word.substr(open + 2, word.size() - open - 3), ',');
      for (std::string& choice : choices) choice.insert(0, word, 0, open + 1);
    }
    std::vector<Words> longer;
    for (const Words& variant : variants) {
      for (const std::string& choice : choices) {
        longer.push_back(variant);
        longer.back().push_back(choice);
      }
    }
    variants = std::move(longer);
  }
  return variants;
}

// The commands for one table, and their output.
class Section {
 public:
  void Add(const ConsoleStep& step) { steps_.push_back(step); }
  bool empty() const { return steps_.empty(); }

  // Runs the commands with every variant of the first one and from every source that the table may
  // come from. All must print the same. Returns the script's text with that output.
  std::string Run() const {
    Words all;
    std::string outputs;
    for (const Words& first : Variants(SplitWords(steps_[0].command))) {
      for (const Source source : SourcesFor(first)) {
        std::string printed;
        ScriptedTable table(source);
        for (const ConsoleStep& step : steps_) {
          absl::StrAppend(&printed, step.comment, step.lines,
                          table.Run(&step == &steps_[0] ? first : SplitWords(step.command)));
        }
        if (outputs.empty()) outputs = printed;
        EXPECT_EQ(printed, outputs) << "differs from the first variant: " << NameOf(source) << ", "
                                    << absl::StrJoin(first, " ");
      }
    }
    return outputs;
  }

 private:
  std::vector<ConsoleStep> steps_;
};

std::string RunScript(absl::string_view text) {
  std::string printed;
  Section section;
  for (const ConsoleStep& step : ParseConsole(text)) {
    const bool is_new = step.command.empty() || absl::StartsWith(step.command, "build") ||
                        absl::StartsWith(step.command, "table");
    if (is_new && !section.empty()) {
      printed += section.Run();
      section = Section();
    }
    if (step.command.empty()) {
      absl::StrAppend(&printed, step.comment, step.lines);
    } else {
      section.Add(step);
    }
  }
  return printed;
}

class TableScriptTest : public testing::TestWithParam<std::string> {};

TEST_P(TableScriptTest, PrintsWhatItShows) {
  const std::string path = absl::StrCat("tests/table/scripts/", GetParam(), ".txt");
  const std::string shown = ReadWholeFile(path), printed = RunScript(shown);
  if (rewrite) {
    std::ofstream(path, std::ios::binary) << printed;
  } else {
    EXPECT_EQ(printed, shown);
  }
}

INSTANTIATE_TEST_SUITE_P(Scripts, TableScriptTest, testing::ValuesIn(Scripts()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace sstable::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  sstable::test::rewrite = argc == 2 && absl::string_view(argv[1]) == "--rewrite";
  return RUN_ALL_TESTS();
}
