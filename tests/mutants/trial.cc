#include "tests/mutants/trial.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace sstable::mutants {
namespace {

constexpr char kTable[] = "mutant.ldb";

size_t Count(absl::string_view bytes, absl::string_view block) {
  size_t count = 0;
  for (size_t at = 0; (at = bytes.find(block, at)) != absl::string_view::npos; ++at) ++count;
  return count;
}

// If a value has copies of a block, what is found elsewhere may be one of these.
std::vector<bool> FindIntactBlocks(const Original& original, absl::string_view is) {
  const absl::string_view was = original.bytes;
  std::vector<bool> intact;
  for (const BlockHandle& handle : original.data_blocks) {
    const absl::string_view block = was.substr(handle.offset, handle.size + kBlockTrailerSize);
    intact.push_back(is.substr(std::min<size_t>(handle.offset, is.size()), block.size()) == block ||
                     ((!original.is_nested || Count(was, block) == 1) && Count(is, block) > 0));
  }
  return intact;
}

}  // namespace

Trial::Trial(const Original& original, const Mutant& mutant, SstRunner* runner, Random* random)
    : original(original),
      mutant(mutant),
      runner(*runner),
      random(*random),
      path(runner->Path(kTable)),
      intact(FindIntactBlocks(original, mutant.bytes)) {
  runner->Write(kTable, mutant.bytes);
}

Trial::~Trial() { runner.Remove(kTable); }

SstResult Trial::Sst(const std::vector<std::string>& arguments) {
  SstResult result = runner.Run(arguments);
  verdict.runs.push_back({arguments[0], result.exit_code, result.cpu_seconds, result.memory_bytes});
  const std::string command = absl::StrCat("sst ", absl::StrJoin(arguments, " "));
  const auto violate = [&](absl::string_view rule, absl::string_view detail) {
    Violate(absl::StrCat(arguments[0], ": ", rule), absl::StrCat(command, ": ", detail));
  };
  if (result.exit_code < 0 || result.exit_code > 2) {
    violate("an exit code that sst does not have",
            absl::StrCat(result.exit_code, ", ", Start(result.err)));
  }
  if (result.exit_code != 0 && result.err.empty() && result.out.empty()) {
    violate("fails, and not a word", absl::StrCat("exit code ", result.exit_code));
  }
  if (result.memory_bytes > kMaxMemory) {
    violate("too much memory", absl::StrCat(result.memory_bytes >> 20, " MiB"));
  }
  return result;
}

bool Trial::is_order_checked() const {
  return !absl::StrContains(check.out, "no damage found") &&
         !absl::StrContains(check.out, "\"order_checked\":false");
}

std::string Start(absl::string_view text) { return absl::CHexEscape(text.substr(0, 300)); }

std::string Difference(absl::string_view found, absl::string_view expected) {
  const size_t at = static_cast<size_t>(
      std::mismatch(found.begin(), found.end(), expected.begin(), expected.end()).first -
      found.begin());
  const size_t line = found.rfind('\n', at) == absl::string_view::npos || at == 0
                          ? 0
                          : found.rfind('\n', at - 1) + 1;
  return absl::StrCat(Lines(found).size(), " of ", Lines(expected).size(), " lines; found ",
                      Start(found.substr(line)), ", expected ", Start(expected.substr(line)));
}

absl::flat_hash_set<absl::string_view> SetOfLines(absl::string_view text) {
  const std::vector<absl::string_view> lines = Lines(text);
  return {lines.begin(), lines.end()};
}

bool HaveSameLines(absl::string_view found, absl::string_view expected) {
  return found.size() == expected.size() && SetOfLines(found) == SetOfLines(expected);
}

}  // namespace sstable::mutants
