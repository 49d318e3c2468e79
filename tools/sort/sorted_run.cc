#include "tools/sort/sorted_run.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sstable/file.h"
#include "sstable/options.h"
#include "tools/cli/interrupt.h"
#include "util/descriptor.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

// Large enough that reading many runs in turn is mostly sequential.
constexpr size_t kBlockSize = 64 * 1024;

}  // namespace

void RunWriter::Close::operator()(const int* descriptor) const {
  sys::Close(*descriptor);
  delete descriptor;
}

RunWriter::RunWriter(int descriptor, std::string name, const KeyOrder* order)
    : descriptor_(new int(descriptor)), name_(std::move(name)), order_(order) {}

absl::StatusOr<RunWriter> RunWriter::Create(const std::string& folder, const KeyOrder* order) {
  const int descriptor = [&] {
    const InterruptGuard guard;  // a signal must leave no file
    return sys::OpenNameless(folder);
  }();
  if (descriptor < 0) return ErrnoError(folder, "can't create a temporary file");
  RunWriter writer(descriptor, absl::StrCat("temporary file in ", folder), order);
  TableBuilderOptions options;
  options.comparator = &order->user_comparator();
  options.key_kind = order->kind();
  options.block_size = kBlockSize;
  options.compression = Compression::kNone;
  options.sync = false;
  ASSIGN_OR_RETURN(writer.builder_,
                   TableBuilder::Create(NewDescriptorFile(descriptor, writer.name_), options));
  return writer;
}

absl::Status RunWriter::Add(absl::string_view key, absl::string_view stored_value) {
  max_record_size_ = std::max<uint64_t>(max_record_size_, key.size() + stored_value.size());
  return builder_->Add(key, stored_value);
}

absl::StatusOr<SortedRun> RunWriter::Finish() {
  RETURN_IF_ERROR(builder_->Finish());
  TableReaderOptions options;
  options.comparator = &order_->user_comparator();
  options.key_kind = order_->kind();
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file,
                   OpenFileDescriptor(*descriptor_, name_, FileAccess::kRead));
  ASSIGN_OR_RETURN(std::unique_ptr<TableReader> reader,
                   TableReader::Open(std::move(file), options));
  return SortedRun{std::move(reader), kBlockSize + max_record_size_};
}

}  // namespace sstable::tools
