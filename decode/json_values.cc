// Databases with text keys and JSON values: the databases of classic-level and related packages
// (Foundry VTT, Vortex), and the storage of Chromium's extensions. A key in a sublevel begins with
// !name!, once for each level of nesting.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "decode/entry_decoder.h"
#include "nlohmann/json.hpp"
#include "util/escape.h"

namespace sstable {
namespace {

using Json = nlohmann::json;

// Builds a tree from the parser's events. The parser is not recursive.
class JsonToTree final : public nlohmann::json_sax<Json> {
 public:
  explicit JsonToTree(ValueTree* tree) : tree_(tree) {}

  bool null() override { return tree_->Null(), IsWithinLimit(); }
  bool boolean(bool value) override { return tree_->Bool(value), IsWithinLimit(); }
  // Called for integers below 0, and for -0.
  bool number_integer(int64_t value) override {
    if (value == 0) return tree_->Number("-0"), IsWithinLimit();
    return tree_->Int(value), IsWithinLimit();
  }
  bool number_unsigned(uint64_t value) override { return tree_->Uint(value), IsWithinLimit(); }
  // Also called for integers beyond 64 bits. Keeps the text, since a double may not have all
  // digits.
  bool number_float(double, const std::string& text) override {
    return tree_->Number(text), IsWithinLimit();
  }
  bool string(std::string& value) override { return tree_->Text(value), IsWithinLimit(); }
  bool binary(Json::binary_t&) override { return false; }
  bool start_object(size_t) override { return Open(ValueTree::Kind::kObject); }
  bool start_array(size_t) override { return Open(ValueTree::Kind::kArray); }
  bool key(std::string& name) override { return tree_->Text(name), IsWithinLimit(); }
  bool end_object() override { return !tree_->HasRepeatedName(Close()); }
  bool end_array() override { return Close(), true; }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool IsWithinLimit() const { return !tree_->exceeds_limits(); }
  bool Open(ValueTree::Kind kind) {
    open_.push_back(tree_->Open(kind));
    return IsWithinLimit() && open_.size() <= ValueTree::kMaxDepth;
  }
  size_t Close() {
    const size_t node = open_.back();
    tree_->Close(node);
    open_.pop_back();
    return node;
  }

  ValueTree* const tree_;
  std::vector<size_t> open_;
};

class JsonValuesDecoder final : public EntryDecoder {
 public:
  absl::string_view format() const override { return "text with values in JSON"; }

  // A value that is only a number is no evidence of JSON.
  bool Recognizes(absl::string_view key, absl::string_view value) const override {
    constexpr absl::string_view kFirst = "{[\"tfn";
    ValueTree tree;
    return !value.empty() && absl::StrContains(kFirst, value.front()) && DecodeKey(key, &tree) &&
           DecodeValue(key, value, &tree);
  }

 protected:
  bool DecodeKey(absl::string_view key, ValueTree* tree) const override {
    if (!IsUtf8(key)) return false;
    ObjectBuilder object(tree);
    object.Add("kind", "entry");
    const size_t end = key.find('!', 1);
    if (absl::StartsWith(key, "!") && end != key.npos) {
      object.Name("sublevels");
      const size_t sublevels = tree->Open(ValueTree::Kind::kArray);
      while (absl::StartsWith(key, "!") && key.find('!', 1) != key.npos) {
        const size_t size = key.find('!', 1);
        tree->Text(key.substr(1, size - 1));
        key.remove_prefix(size + 1);
      }
      tree->Close(sublevels);
    }
    object.Add("key", key);
    return true;
  }

  bool DecodeValue(absl::string_view, absl::string_view value, ValueTree* tree) const override {
    JsonToTree handler(tree);
    return Json::sax_parse(value.begin(), value.end(), &handler);
  }
};

}  // namespace

std::unique_ptr<EntryDecoder> NewJsonValuesDecoder() {
  return std::make_unique<JsonValuesDecoder>();
}

}  // namespace sstable
