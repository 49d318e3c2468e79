// Changes tables at random and runs `sst` on them; judge.h has the rules for its output. The same
// seed and tables always give the same mutants.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "tests/mutants/campaign.h"

namespace {

// Returns the path itself if it is a file, or the tables in the folder, sorted by name.
std::vector<std::string> TablesAt(const std::string& path) {
  namespace fs = std::filesystem;
  if (!fs::is_directory(path))
    return fs::exists(path) ? std::vector{path} : std::vector<std::string>();
  std::vector<std::string> tables;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    const fs::path extension = entry.path().extension();
    if (extension == ".ldb" || extension == ".sst" || extension == ".index") {
      tables.push_back(entry.path());
    }
  }
  std::sort(tables.begin(), tables.end());
  return tables;
}

}  // namespace

int main(int argc, char** argv) {
  sstable::mutants::CampaignOptions options;
  std::vector<std::string> paths;
  CLI::App app("Runs sst on mutants of tables.");
  app.add_option("--count", options.count, "How many mutants");
  app.add_option("--seed", options.seed, "Of the random numbers");
  app.add_option("--only", options.only, "This mutant of the seed alone");
  app.add_option("--jobs", options.jobs, "Processes at a time");
  app.add_option("--max-size", options.max_size, "Leave out larger tables");
  app.add_option("--made", options.made_percent, "Of how many in 100 the table is made for them");
  app.add_option("--save", options.save_folder, "A folder for mutants that fail");
  app.add_option("PATH", paths, "Tables, and folders of them");
  CLI11_PARSE(app, argc, argv);
  for (const std::string& path : paths) {
    const std::vector<std::string> tables = TablesAt(path);
    if (tables.empty()) std::printf("no tables: %s\n", path.c_str());
    options.tables.insert(options.tables.end(), tables.begin(), tables.end());
  }
  return sstable::mutants::RunCampaign(options) ? 0 : 1;
}
