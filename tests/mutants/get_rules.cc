// The rules for `sst get` on single keys.
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "tests/mutants/rules.h"
#include "tests/support/hex.h"

namespace sstable::mutants {
namespace {

SstResult Get(const std::string& key, Trial* trial) {
  return trial->Sst({"get", "--encoding", "hex", trial->path, absl::BytesToHexString(key)});
}

std::string Describe(const std::string& key, const SstResult& get) {
  return absl::StrCat(absl::BytesToHexString(key), ": exit code ", get.exit_code, ", ",
                      Start(get.err));
}

// With no message about anything that could not be read.
bool SaysAbsent(const SstResult& get) {
  return absl::StrContains(get.err, " is not in ") &&
         !absl::StrContains(get.err, "is not in what could be read");
}

void JudgeGet(const std::string& key, Trial* trial) {
  const SstResult get = Get(key, trial);
  if (!trial->mutant.has_original_entries()) return;
  const Expected expected = trial->original.Lookup(key);
  if (expected.kind == Expected::Kind::kUnknown) return;
  if (get.exit_code == 0) {
    if (expected.kind != Expected::Kind::kFound || get.out != expected.value) {
      trial->Violate("get: exit code 0, and a value that the key never had",
                     absl::StrCat(Describe(key, get), ": ", Start(get.out)));
    }
    return;
  }
  if (SaysAbsent(get) && expected.kind != Expected::Kind::kAbsent) {
    trial->Violate("get: a key of the original is absent, and not a word of damage",
                   Describe(key, get));
  }
  if (absl::StrContains(get.err, " is deleted, ") && expected.kind != Expected::Kind::kDeleted) {
    trial->Violate("get: a key of the original is deleted, and not a word of damage",
                   Describe(key, get));
  }
}

// The user key in a line of `sst dump --format jsonl`.
std::optional<std::string> KeyInLine(absl::string_view line) {
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  if (json.contains("key")) return json["key"].get<std::string>();
  if (json.contains("key_hex")) return test::FromHex(json["key_hex"].get<std::string>());
  return std::nullopt;
}

// If `dump` prints a key, `get` must not say that it is absent. If checksums were repaired and
// `dump` reports damage, entries may be where no lookup leads.
void JudgeAgreementWithDump(Trial* trial) {
  const Mutant& mutant = trial->mutant;
  if (!mutant.has_original_entries() && trial->dump.exit_code != 0) return;
  const std::vector<absl::string_view> lines = Lines(trial->dump.out);
  if (lines.empty()) return;
  const auto key = KeyInLine(lines[trial->random.Below(lines.size())]);
  if (!key.has_value()) return;
  const SstResult get = Get(*key, trial);
  if (get.exit_code != 1 || !SaysAbsent(get)) return;
  trial->Violate(mutant.has_original_entries()
                     ? "get: a key that dump prints is absent"
                     : "get: a key that dump prints with exit code 0 is absent; checksums repaired",
                 Describe(*key, get));
}

}  // namespace

// Looks up two keys of damaged blocks, if there are any; one of any block; one that the table never
// had; those beside a break in the order; one that `dump` prints.
void JudgeGets(Trial* trial) {
  JudgeAgreementWithDump(trial);
  const Original& original = trial->original;
  Random& random = trial->random;
  if (!original.readable) return;
  const auto key_of = [&](size_t i) { return original.UserKey(original.entries[i]); };
  std::vector<size_t> damaged;
  for (size_t i = 0; i < original.entries.size(); ++i) {
    if (!trial->intact[original.entries[i].block]) damaged.push_back(i);
  }
  std::string absent = absl::StrCat("absent ", random.Number());
  if (!original.entries.empty()) {
    for (int left = 2; left > 0 && !damaged.empty(); --left) {
      JudgeGet(key_of(random.Pick(damaged)), trial);
    }
    for (const size_t i : trial->mutant.moved) JudgeGet(key_of(i), trial);
    absent = key_of(random.Below(original.entries.size()));
    JudgeGet(absent, trial);
    const size_t at = random.Below(absent.size() + 1);
    absent.insert(at, 1, static_cast<char>(random.Below(256)));
  }
  JudgeGet(absent, trial);
}

}  // namespace sstable::mutants
