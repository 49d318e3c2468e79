// A table's layout as text: the output of `sst layout`.
#ifndef SSTABLE_REPORT_LAYOUT_TEXT_H_
#define SSTABLE_REPORT_LAYOUT_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "report/text/style.h"
#include "report/text/text_output.h"
#include "sstable/experimental/layout.h"
#include "sstable/table_reader.h"
#include "table/block/block_io.h"
#include "table/block/limits.h"

namespace sstable {

// Borrows the constructor's arguments, except `style`.
class LayoutPrinter {
 public:
  LayoutPrinter(const TableReader& reader, const Layout& layout, const Style& style,
                TextOutput* output);

  // Prints the layout of the table; with `entries`, also the entries of each block; with `hex`,
  // also all bytes and their meaning.
  void Print(bool entries, bool hex);

  // Print the bytes of one block, or of the footer.
  void PrintHex(const BlockInfo& block);
  void PrintFooterHex();

 private:
  void Line(absl::string_view line);
  void PrintGap(const ByteRange& gap);
  void PrintBlock(const BlockInfo& block, const std::string& label);
  void PrintEntries(const BlockInfo& info);
  void PrintFooter();
  absl::StatusOr<BlockContents> Read(const BlockInfo& block) const;

  const TableReader& reader_;
  const Layout& layout_;
  WorkMeter work_;
  Budget shown_as_hex_;
  Style style_;
  TextOutput* output_;
};

}  // namespace sstable

#endif  // SSTABLE_REPORT_LAYOUT_TEXT_H_
