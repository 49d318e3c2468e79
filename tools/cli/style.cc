#include "tools/cli/style.h"

#include <unistd.h>

#include <cstdlib>

namespace sstable::tools {

Style Style::ForDescriptor(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return Style(::isatty(descriptor) == 1 && (no_color == nullptr || *no_color == '\0') &&
               terminal != nullptr && absl::string_view(terminal) != "dumb");
}

}  // namespace sstable::tools
