#include "tools/page/viewer_page.h"

#include <cassert>

// `const char kViewerPage[]`, generated from the page by the build.
#include "tools/page/viewer_page_text.h"

namespace sstable::tools {

absl::string_view ViewerPage() { return absl::string_view(kViewerPage, sizeof(kViewerPage) - 1); }

size_t ViewerReportPlace() {
  constexpr absl::string_view kStart = "id=\"report\">[";
  const size_t at = ViewerPage().find(kStart);
  assert(at != absl::string_view::npos);
  return at + kStart.size();
}

}  // namespace sstable::tools
