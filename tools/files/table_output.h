// The options of commands that write a table, and the check of the file that it would replace.
#ifndef SSTABLE_TOOLS_FILES_TABLE_OUTPUT_H_
#define SSTABLE_TOOLS_FILES_TABLE_OUTPUT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "tools/cli/command_line.h"
#include "tools/cli/console.h"

namespace sstable::tools {

// An option that is not given changes nothing.
class TableOutputOptions {
 public:
  // The defaults shown in the help.
  struct Defaults {
    std::string filter;
    std::string compression;
    std::string block_size;
    std::string restart_interval;
  };
  void AddTo(CommandLine* command_line, const Defaults& defaults);

  // Add only the filter options, and only --force.
  void AddFiltersTo(CommandLine* command_line, const std::string& default_filter);
  void AddForceTo(CommandLine* command_line);

  // Applies the options given. `*options` borrows the filter policy from this object.
  void ApplyTo(TableBuilderOptions* options) const;

  // The filter options given; nullopt: none. Borrowed from this object.
  std::optional<const FilterPolicy*> filter_policy() const;
  std::optional<const TableFilterPolicy*> table_filter_policy() const;
  const std::optional<PrefixExtractor>& table_filter_prefixes() const { return prefixes_; }
  std::optional<int> filter_base_lg() const { return filter_base_lg_; }

  // Returns InvalidArgument if the options are inconsistent.
  absl::Status CheckOptions() const;

  // All outputs follow this rule: a file that is not empty is only replaced with --force. Errors:
  // AlreadyExists.
  absl::Status CheckReplaceable(const std::string& out) const;
  bool force() const { return force_; }
  // CheckReplaceable() that also refuses OUT if it is `in`. Errors: InvalidArgument, even with
  // --force.
  absl::Status CheckReplaceable(const std::string& out, const std::string& in) const;

 private:
  void AddFilterTo(CommandLine* command_line, const std::string& default_filter);
  void AddBaseLgTo(CommandLine* command_line);
  absl::Status ParseFilter(const std::string& text);
  absl::Status ParseTableFilter(const std::string& text);
  absl::Status ParsePrefixes(const std::string& text);
  absl::Status ParseBaseLg(const std::string& text);
  absl::Status ParseCompression(const std::string& text);

  bool filter_given_ = false;
  std::unique_ptr<const FilterPolicy> filter_policy_;
  bool table_filter_given_ = false;
  std::unique_ptr<const TableFilterPolicy> table_filter_policy_;
  std::optional<PrefixExtractor> prefixes_;
  std::optional<Compression> compression_;
  std::optional<int> level_;  // compression level
  std::optional<uint64_t> block_size_;
  std::optional<uint64_t> restart_interval_;
  std::optional<int> filter_base_lg_;
  bool force_ = false;
};

// Parses a false-positive rate that a Bloom filter can have, "1%". Errors: InvalidArgument.
absl::StatusOr<double> ParseRate(absl::string_view text);

// Creates OUT as CreateFileAtomically() does. After a signal has been caught (InterruptGuard), the
// file is not completed: writing, syncing and closing return Cancelled. Writing moves the progress
// bar.
absl::StatusOr<std::unique_ptr<WritableFile>> CreateTableOutput(const std::string& out,
                                                                Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_FILES_TABLE_OUTPUT_H_
