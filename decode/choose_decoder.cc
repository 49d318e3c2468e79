#include "decode/choose_decoder.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sstable/file.h"
#include "sstable/table_iterator.h"
#include "table/table_internals.h"

namespace sstable {
namespace {

std::vector<ChosenDecoder> Candidates(DecodedProgram program) {
  std::vector<ChosenDecoder> candidates;
  const auto add_if = [program, &candidates](DecodedProgram its, auto decoder) {
    if (program == its || program == DecodedProgram::kAuto) {
      candidates.push_back({std::move(decoder), 0, 0});
    }
  };
  add_if(DecodedProgram::kChromium, NewIndexedDbDecoder());
  add_if(DecodedProgram::kChromium, NewLocalStorageDecoder());
  add_if(DecodedProgram::kChromium, NewSessionStorageDecoder());
  add_if(DecodedProgram::kBedrock, NewBedrockDecoder());
  add_if(DecodedProgram::kBitcoin, NewBitcoinDecoder());
  return candidates;
}

void VisitTable(const TableReader& reader, EntryVisitor visit) {
  const auto entries = reader.NewIterator();
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    if (!visit(KeyOrderOf(reader).UserKey(entries->key()), entries->value())) return;
  }
}

}  // namespace

ChosenDecoder ChooseDecoder(DecodedProgram program, EntrySource entries) {
  constexpr size_t kExamined = 1000;
  std::vector<ChosenDecoder> candidates = Candidates(program);
  size_t examined = 0;
  entries([&](absl::string_view key, absl::string_view value) {
    ++examined;
    for (ChosenDecoder& candidate : candidates) {
      candidate.decoder->Examine(key, value);
      if (!candidate.decoder->Decode(key, value).key.is_null()) ++candidate.known;
    }
    return examined < kExamined;
  });
  ChosenDecoder best;
  for (ChosenDecoder& candidate : candidates) {
    if (candidate.known > best.known) best = std::move(candidate);
  }
  best.examined = examined;
  if (program == DecodedProgram::kAuto && best.known < examined - examined / 4) {
    best.decoder = nullptr;
  }
  return best;
}

ChosenDecoder ChooseDecoder(DecodedProgram program, const TableReader& reader) {
  return ChooseDecoder(program, [&reader](EntryVisitor visit) { VisitTable(reader, visit); });
}

}  // namespace sstable
