#include "decode/choose_decoder.h"

#include <string>
#include <utility>
#include <vector>

#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/table_iterator.h"
#include "table/table_internals.h"
#include "util/system.h"

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
  add_if(DecodedProgram::kChromium, NewChromiumStoresDecoder());
  add_if(DecodedProgram::kBedrock, NewBedrockDecoder());
  add_if(DecodedProgram::kBitcoin, NewBitcoinDecoder());
  add_if(DecodedProgram::kYLeveldb, NewYLeveldbDecoder());
  add_if(DecodedProgram::kTensorflow, NewTensorflowDecoder());
  // Chromium's extensions store JSON values, too.
  add_if(program == DecodedProgram::kChromium ? program : DecodedProgram::kJson,
         NewJsonValuesDecoder());
  return candidates;
}

class TableSource final : public EntrySource {
 public:
  explicit TableSource(const TableReader* reader) : reader_(reader) {}

  void Visit(absl::string_view from, EntryVisitor visit) const override {
    const KeyOrder& order = KeyOrderOf(*reader_);
    const auto entries = reader_->NewIterator();
    if (from.empty()) {
      entries->SeekToFirst();
    } else {
      entries->Seek(order.kind() == KeyKind::kPlain
                        ? std::string(from)
                        : MakeInternalKey(from, kMaxSequence, ValueType::kValue));
    }
    for (; entries->Valid(); entries->Next()) {
      if (!visit(order.UserKey(entries->key()), entries->value())) return;
    }
  }
  std::string folder() const override {
    const std::string& name = reader_->file().name();
    const size_t size = sys::FolderPartSize(name);
    return size == 0 ? "." : name.substr(0, size);
  }

 private:
  const TableReader* const reader_;
};

class DatabaseSource final : public EntrySource {
 public:
  explicit DatabaseSource(const DatabaseView* view) : view_(view) {}

  void Visit(absl::string_view from, EntryVisitor visit) const override {
    ViewReadOptions options;
    options.on_damage = [](const DatabaseProblem&) {};
    const std::unique_ptr<Iterator> it = view_->NewIterator(options);
    for (from.empty() ? it->SeekToFirst() : it->Seek(from);
         it->Valid() && visit(it->key(), it->value()); it->Next()) {
    }
  }
  std::string folder() const override { return view_->folder(); }

 private:
  const DatabaseView* const view_;
};

}  // namespace

std::shared_ptr<const EntrySource> NewTableSource(const TableReader* reader) {
  return std::make_shared<TableSource>(reader);
}

std::shared_ptr<const EntrySource> NewDatabaseSource(const DatabaseView* view) {
  return std::make_shared<DatabaseSource>(view);
}

const std::vector<std::pair<std::string, DecodedProgram>>& NamedPrograms() {
  // Never destroyed: threads may outlive main().
  static const auto* const programs = new std::vector<std::pair<std::string, DecodedProgram>>{
      {"auto", DecodedProgram::kAuto},          {"chromium", DecodedProgram::kChromium},
      {"bedrock", DecodedProgram::kBedrock},    {"bitcoin", DecodedProgram::kBitcoin},
      {"y-leveldb", DecodedProgram::kYLeveldb}, {"tensorflow", DecodedProgram::kTensorflow},
      {"json", DecodedProgram::kJson}};
  return *programs;
}

ChosenDecoder ChooseDecoder(DecodedProgram program, std::shared_ptr<const EntrySource> source) {
  constexpr size_t kExamined = 1000;
  std::vector<ChosenDecoder> candidates = Candidates(program);
  size_t examined = 0;
  source->Visit("", [&](absl::string_view key, absl::string_view value) {
    ++examined;
    if (key.size() <= kMaxDecodedKeySize) {
      for (ChosenDecoder& candidate : candidates) {
        if (candidate.decoder->Recognizes(key, value.substr(0, kMaxDecodedSize))) ++candidate.known;
      }
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
  if (best.decoder != nullptr) best.decoder->Learn(std::move(source));
  return best;
}

}  // namespace sstable
