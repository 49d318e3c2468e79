// In programs that link this, fsync() and fdatasync() don't reach a device and only record the
// call. That is faster, and shows what would remain after a power loss.
#ifndef SSTABLE_TESTS_EXAMPLES_TOY_LSM_FAKE_SYNC_H_
#define SSTABLE_TESTS_EXAMPLES_TOY_LSM_FAKE_SYNC_H_

#include <string>

namespace toy_lsm::test {

// From now on, appends records to `path`, also in forked processes.
void NoteSyncs(const std::string& path);

// Reduces `folder`, which must not be in use, to what was synced: truncates files to their last
// synced size, and removes files whose folder entry was not synced. CURRENT is kept, since the file
// that it replaced can't be restored.
void LosePower(const std::string& folder, const std::string& notes_path);

}  // namespace toy_lsm::test

#endif  // SSTABLE_TESTS_EXAMPLES_TOY_LSM_FAKE_SYNC_H_
