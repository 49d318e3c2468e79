// The page docs/viewer/index.html, for `sst report`.
#ifndef SSTABLE_TOOLS_PAGE_VIEWER_PAGE_H_
#define SSTABLE_TOOLS_PAGE_VIEWER_PAGE_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace sstable::tools {

absl::string_view ViewerPage();

// Returns the offset at which to insert the JSON of reported files: between the brackets of an
// empty array.
size_t ViewerReportPlace();

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_PAGE_VIEWER_PAGE_H_
