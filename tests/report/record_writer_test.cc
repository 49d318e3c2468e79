#include "report/record_writer.h"

#include <string>

#include "gtest/gtest.h"

namespace sstable::test {
namespace {

// A decoder that accepts all keys and records the values that it decodes.
class Decoder final : public EntryDecoder {
 public:
  absl::string_view format() const override { return "a test's"; }

  mutable std::string values;

 protected:
  bool DecodeKey(absl::string_view, ValueTree* tree) const override {
    ObjectBuilder(tree).Add("kind", "key");
    return true;
  }
  bool DecodeValue(absl::string_view, absl::string_view value, ValueTree* tree) const override {
    values += std::string(value);
    tree->Bool(true);
    return true;
  }
};

TEST(RecordWriterTest, DecodesOnlyValuesThatItWrites) {
  const struct {
    RecordFormat format;
    bool values;
    const char* line;
  } kCases[] = {
      {RecordFormat::kText, true, "key => true\n"},
      {RecordFormat::kText, false, "key\n"},
      {RecordFormat::kJsonl, true,
       R"({"key":"k","value":"v","decoded_key":{"kind":"key"},"decoded_value":true})"
       "\n"},
      {RecordFormat::kJsonl, false, "{\"key\":\"k\",\"decoded_key\":{\"kind\":\"key\"}}\n"},
      {RecordFormat::kCsv, true, "k,,,v,key,true\r\n"},
      {RecordFormat::kCsv, false, "k,,,key\r\n"},
  };
  for (const auto& each : kCases) {
    Decoder decoder;
    RecordWriterOptions options;
    options.format = each.format;
    options.values = each.values;
    options.decoded = true;
    options.decoder = &decoder;
    std::string line;
    RecordWriter(options).Append("k", "v", &line);
    EXPECT_EQ(line, each.line);
    EXPECT_EQ(decoder.values, each.values ? "v" : "") << line;
  }
}

}  // namespace
}  // namespace sstable::test
