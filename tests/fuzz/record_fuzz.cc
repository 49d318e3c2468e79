// Parses records as `sst build` does. The first byte chooses the format, the rest is a line. A line
// that is a valid record must survive writing and reading it again.
#include <string>
#include <vector>

#include "report/record_writer.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_bytes.h"
#include "tools/records/record_reader.h"

namespace sstable::fuzz {
namespace {

std::string Seed(int choice, absl::string_view line) {
  return std::string(1, static_cast<char>(choice)) + std::string(line);
}

}  // namespace

// Bit 0 of the format byte is jsonl, bit 1 internal keys, bits 2 and 3 the encoding, bit 4 csv.
std::vector<std::string> Seeds() {
  return {
      Seed(0, "key\\x00\\t\tvalue\\\\"),
      Seed(2, "key\t12\tvalue\tits value"),
      Seed(2, "key\t12\tdeletion"),
      Seed(8, "6b6579\t7661"),
      Seed(12, "a2V5\tdmE="),
      Seed(16, "key,\"a \"\"value\"\", \\x00\""),
      Seed(18, "key,12,deletion,"),
      Seed(24, "6b6579,7661"),
      Seed(1, R"({"key": "k\u00e9y", "value": "v"})"),
      Seed(1, R"({"key_hex": "6b00", "value_base64": "dmE="})"),
      Seed(3, R"({"key_escaped": "\\x01k", "sequence": 7, "type": "deletion"})"),
      Seed(3, R"({"key": "k", "sequence": 72057594037927935, "type": "value", "value": ""})"),
      Seed(3, R"({"key": "k", "sequence": [[1], {"a": 1.5e3}], "type": null, "value": true})"),
  };
}

}  // namespace sstable::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sstable;
  using namespace sstable::tools;
  constexpr TextEncoding kEncodings[] = {TextEncoding::kEscaped, TextEncoding::kUtf8,
                                         TextEncoding::kHex, TextEncoding::kBase64};
  sstable::fuzz::FuzzBytes bytes(sstable::fuzz::View(data, size));
  const uint8_t choice = bytes.Byte();
  RecordReaderOptions options;
  options.format = (choice & 16) != 0  ? RecordFormat::kCsv
                   : (choice & 1) != 0 ? RecordFormat::kJsonl
                                       : RecordFormat::kTsv;
  options.key_kind = (choice & 2) != 0 ? KeyKind::kInternal : KeyKind::kPlain;
  options.encoding = kEncodings[choice >> 2 & 3];
  RecordParser parser(options);
  Record record;
  if (!parser.Parse(bytes.rest(), &record).ok()) return 0;

  RecordWriterOptions writer_options;
  writer_options.format = options.format;
  writer_options.key_kind = options.key_kind;
  if (options.format != RecordFormat::kJsonl) writer_options.encoding = options.encoding;
  std::string line;
  const bool is_whole = RecordWriter(writer_options).Append(record.key, record.value, &line);
  sstable::fuzz::Require(is_whole && !line.empty() && line.back() == '\n', "a record is written");
  line.pop_back();
  if (options.format == RecordFormat::kCsv) line.pop_back();  // \r
  RecordParser parser_again(options);
  Record again;
  sstable::fuzz::RequireOk(parser_again.Parse(line, &again));
  sstable::fuzz::Require(again.key == record.key && again.value == record.value, line);
  return 0;
}
