#include "tests/mutants/trial.h"

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/support/hex.h"

namespace sstable::mutants {
namespace {

constexpr char kTable[] = "mutant.ldb";

}  // namespace

LineSet SetOfLines(absl::string_view text) {
  const std::vector<absl::string_view> lines = Lines(text);
  return {lines.begin(), lines.end()};
}

nlohmann::json ParseJson(absl::string_view text) {
  return nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

std::optional<std::string> KeyInLine(absl::string_view line) {
  const auto json = ParseJson(line);
  if (!json.is_object()) return std::nullopt;
  if (json.contains("key")) return json["key"].get<std::string>();
  if (json.contains("key_hex")) return test::FromHex(json["key_hex"].get<std::string>());
  return std::nullopt;
}

Trial::Trial(const Original& original, const Mutant& mutant, SstRunner* runner, Random* random)
    : original(original),
      mutant(mutant),
      runner(*runner),
      random(*random),
      path(runner->Path(kTable)),
      has_known_entries(original.readable && mutant.has_original_entries()) {
  runner->Write(kTable, mutant.bytes);
}

Trial::~Trial() { runner.Remove(kTable); }

bool Trial::Expect(bool holds, absl::string_view rule, absl::string_view detail) {
  if (!holds) {
    verdict.violations.push_back({std::string(rule), absl::CHexEscape(detail.substr(0, 500))});
  }
  return holds;
}

SstResult Trial::Sst(const Arguments& arguments) {
  SstResult result = runner.Run(arguments);
  const std::string name = arguments[0] + ": ";
  verdict.runs.push_back({arguments[0], result.exit_code, result.cpu_seconds, result.memory_bytes});
  const std::string detail =
      absl::StrCat("sst ", absl::StrJoin(arguments, " "), ": exit code ", result.exit_code, ", ",
                   result.memory_bytes >> 20, " MiB, ", result.err);
  Expect(result.exit_code >= 0 && result.exit_code <= 2,
         name + "an exit code that sst does not have", detail);
  Expect(result.exit_code == 0 || !result.err.empty() || !result.out.empty(),
         name + "fails, and not a word", detail);
  Expect(result.memory_bytes <= kMaxMemory, name + "too much memory", detail);
  // No message may say that the checksum of an intact block is wrong.
  const std::string& report = arguments[0] == "check" ? result.out : result.err;
  if (!original.readable || !absl::StrContains(report, "crc32c stored")) return result;
  for (const BlockHandle& handle : original.data_blocks) {
    const std::string claim = absl::StrCat("data block at offset ", handle.offset, " (",
                                           handle.size, " bytes): crc32c stored");
    Expect(!absl::StrContains(report, claim) || !IsInPlace(handle),
           name + "a wrong checksum of an intact block", claim);
  }
  return result;
}

bool Trial::IsInPlace(const BlockHandle& handle) const {
  const size_t size = handle.size + kBlockTrailerSize;
  return handle.offset + size <= mutant.bytes.size() &&
         mutant.bytes.compare(handle.offset, size, original.bytes, handle.offset, size) == 0;
}

bool Trial::IsOrderChecked() const {
  return !absl::StrContains(check.out, "no damage found") &&
         !absl::StrContains(check.out, "\"order_checked\":false");
}

bool Trial::IsSame(absl::string_view found, absl::string_view expected) const {
  return mutant.is_reordered
             ? found.size() == expected.size() && SetOfLines(found) == SetOfLines(expected)
             : found == expected;
}

}  // namespace sstable::mutants
