// In a program that links this, fsync() and fdatasync() reach no device; they only note the
// request. That is faster, and shows what a loss of power would leave.
#ifndef SSTABLE_TESTS_EXAMPLES_TOY_LSM_FAKE_SYNC_H_
#define SSTABLE_TESTS_EXAMPLES_TOY_LSM_FAKE_SYNC_H_

#include <string>

namespace toy_lsm::test {

// From now on, appends notes to `path`, in forked processes, too.
void NoteSyncs(const std::string& path);

// Reduces `folder`, which nobody may be using, to what is on the device by the notes: files end
// where they were last synced, and those that are in no synced folder are gone, except CURRENT,
// since the file that it replaced can't be restored.
void LosePower(const std::string& folder, const std::string& notes_path);

}  // namespace toy_lsm::test

#endif  // SSTABLE_TESTS_EXAMPLES_TOY_LSM_FAKE_SYNC_H_
