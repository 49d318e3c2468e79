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

// The programs to choose from and their names, as users write them: "auto", "chromium". Without
// kNone.
const std::vector<std::pair<std::string, DecodedProgram>>& NamedPrograms();

struct ChosenDecoder {
  std::unique_ptr<EntryDecoder> decoder;  // null: none fits
  size_t known = 0;                       // entries examined that it recognizes
  size_t examined = 0;
};

// Examines the first 1,000 entries. Chooses, from the program's formats, the one that
// recognizes most, if it recognizes any; with kAuto, from those of all programs, if it recognizes
// three quarters. It has learnt from the source, and may keep it.
ChosenDecoder ChooseDecoder(DecodedProgram program, std::shared_ptr<const EntrySource> source);

// The entries of a table, or the live entries of a database, which must outlive the source and who
// keeps it.
std::shared_ptr<const EntrySource> NewTableSource(const TableReader* reader);
std::shared_ptr<const EntrySource> NewDatabaseSource(const DatabaseView* view);

}  // namespace sstable

#endif  // SSTABLE_DECODE_CHOOSE_DECODER_H_
