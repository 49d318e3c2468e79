// Replaces decode/entry_query.cc, since the page does not select parts of entries. With Abseil's
// tables for numbers, that file would be a fiftieth of the core.
#include <cstdlib>

#include "decode/entry_query.h"

namespace sstable {

EntryPath::Part EntryPath::Find(const DecodedEntry&, bool) const { std::abort(); }

}  // namespace sstable
