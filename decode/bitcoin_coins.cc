#include "decode/bitcoin_coins.h"

#include <cstddef>
#include <iterator>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"

namespace sstable {
namespace {

// Expands an amount, stored as its digits and the number of zeros after them; nullopt if it exceeds
// 21 million bitcoins.
std::optional<uint64_t> ExpandAmount(uint64_t number) {
  constexpr uint64_t kMaxAmount = 21'000'000ull * 100'000'000;
  if (number == 0) return 0;
  --number;
  uint64_t zeros = number % 10;
  number /= 10;
  uint64_t amount = number + 1;
  if (zeros < 9) amount = number / 9 * 10 + number % 9 + 1;
  for (; zeros > 0; --zeros) {
    if (amount > kMaxAmount) return std::nullopt;
    amount *= 10;
  }
  return amount <= kMaxAmount ? std::optional<uint64_t>(amount) : std::nullopt;
}

// Removes a script from the front of `*value`. It begins with a form below 6, or its size plus 6. A
// public key is stored as its x coordinate; the form says whether y is odd.
bool ConsumeScript(absl::string_view* value, ValueTree* tree) {
  constexpr struct {
    const char* name;
    uint64_t size;
    const char* prefix;  // first byte of the compressed key
  } kForms[] = {{"pay to public key hash", 20, ""},
                {"pay to script hash", 20, ""},
                {"pay to public key", 32, "\2"},
                {"pay to public key", 32, "\3"},
                {"pay to uncompressed public key", 32, "\2"},
                {"pay to uncompressed public key", 32, "\3"}};
  uint64_t form = 0;
  if (!ConsumeBitcoinVarint(value, &form)) return false;
  const bool is_script = form >= std::size(kForms);
  const uint64_t size = is_script ? form - std::size(kForms) : kForms[form].size;
  if (size > value->size()) return false;
  ObjectBuilder(tree)
      .Add("form", is_script ? "script" : kForms[form].name)
      .Name("hex")
      ->Hex(absl::StrCat(is_script ? "" : kForms[form].prefix, value->substr(0, size)));
  value->remove_prefix(size);
  return true;
}

// Removes an amount and a script from the front of `*value`.
bool ConsumeOutput(absl::string_view* value, ObjectBuilder* output) {
  uint64_t amount = 0;
  if (!ConsumeBitcoinVarint(value, &amount)) return false;
  const std::optional<uint64_t> satoshis = ExpandAmount(amount);
  if (!satoshis.has_value()) return false;
  output->Add("satoshis", *satoshis);
  return ConsumeScript(value, output->Name("script"));
}

}  // namespace

bool ConsumeBitcoinVarint(absl::string_view* input, uint64_t* number) {
  *number = 0;
  while (!input->empty()) {
    const auto byte = static_cast<unsigned char>(input->front());
    input->remove_prefix(1);
    if (*number >> 56 != 0) return false;
    *number = *number << 7 | (byte & 0x7f);
    if (byte < 0x80) return true;
    ++*number;
  }
  return false;
}

bool DecodeCoin(absl::string_view value, ValueTree* tree) {
  uint64_t code = 0;
  if (!ConsumeBitcoinVarint(&value, &code)) return false;
  ObjectBuilder coin(tree);
  coin.Add("height", code / 2).Add("coinbase", code % 2 == 1);
  return ConsumeOutput(&value, &coin) && value.empty();
}

bool DecodeOldCoins(absl::string_view value, ValueTree* tree) {
  uint64_t version = 0, code = 0, height = 0;
  if (!ConsumeBitcoinVarint(&value, &version) || !ConsumeBitcoinVarint(&value, &code)) return false;
  absl::string_view masks = value;  // a bit for each output from 2 on
  for (uint64_t bytes = code / 8 + ((code & 6) != 0 ? 0 : 1); bytes > 0;) {
    if (value.empty()) return false;
    if (value.front() != 0) --bytes;
    value.remove_prefix(1);
  }
  masks.remove_suffix(value.size());
  ObjectBuilder coins(tree);
  coins.Add("version", version).Add("coinbase", (code & 1) != 0).Name("outputs");
  const size_t array = tree->Open(ValueTree::Kind::kArray);
  const auto is_unspent = [code, masks](uint64_t output) {
    if (output < 2) return (code >> (output + 1) & 1) != 0;
    return (static_cast<unsigned char>(masks[(output - 2) / 8]) >> (output - 2) % 8 & 1) != 0;
  };
  for (uint64_t output = 0; output < 2 + 8 * masks.size(); ++output) {
    if (!is_unspent(output)) continue;
    ObjectBuilder coin(tree);
    if (!ConsumeOutput(&value, &coin.Add("output", output))) return false;
  }
  tree->Close(array);
  if (!ConsumeBitcoinVarint(&value, &height)) return false;
  coins.Add("height", height);
  return value.empty();
}

}  // namespace sstable
