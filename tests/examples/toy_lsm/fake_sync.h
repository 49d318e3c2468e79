// In a program that links this, fsync() and fdatasync() reach no device: they only note what they
// were asked for. That is faster, and shows what a loss of power would leave.
#ifndef SSTABLE_TESTS_EXAMPLES_TOY_LSM_FAKE_SYNC_H_
#define SSTABLE_TESTS_EXAMPLES_TOY_LSM_FAKE_SYNC_H_

#include <string>

namespace toy_lsm::test {

// From now on notes go to the end of `path`; those of processes that are forked, too.
void NoteSyncs(const std::string& path);

// Makes of `folder`, in which nobody works, what the notes say to be on the device: files end where
// they were last synced, and those that are in no synced folder are gone; but not CURRENT,
// for which there is no way back to the file that it replaced.
void LosePower(const std::string& folder, const std::string& notes_path);

}  // namespace toy_lsm::test

#endif  // SSTABLE_TESTS_EXAMPLES_TOY_LSM_FAKE_SYNC_H_
