// Finds the program that wrote a table by the form of its entries.
#ifndef SSTABLE_DECODE_CHOOSE_DECODER_H_
#define SSTABLE_DECODE_CHOOSE_DECODER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "decode/entry_decoder.h"
#include "sstable/database_view.h"
#include "sstable/table_reader.h"

namespace sstable {

enum class DecodedProgram {
  kNone,
  kAuto,
  kChromium,
  kBedrock,
  kBitcoin,
  kYLeveldb,
  kTensorflow,
  kJson
};

// The programs to choose from, without kNone, and their names as users write them: "auto",
// "chromium".
const std::vector<std::pair<std::string, DecodedProgram>>& NamedPrograms();

struct ChosenDecoder {
  std::unique_ptr<EntryDecoder> decoder;  // null: no format was chosen
  size_t known = 0;                       // number of examined entries that it recognizes
  size_t examined = 0;
};

// Examines the first 1,000 entries and chooses the program's format that recognizes the most of
// them, if any. With kAuto, chooses from the formats of all programs, but only one that recognizes
// three quarters of the entries. The decoder has learnt from the source, and may keep it.
ChosenDecoder ChooseDecoder(DecodedProgram program, std::shared_ptr<const EntrySource> source);

// Sources of a table's entries and of a database's live entries. The table or view must outlive the
// source and the decoders that keep it.
std::shared_ptr<const EntrySource> NewTableSource(const TableReader* reader);
std::shared_ptr<const EntrySource> NewDatabaseSource(const DatabaseView* view);

}  // namespace sstable

#endif  // SSTABLE_DECODE_CHOOSE_DECODER_H_
