// Makes system calls fail, in tests that link this: those that our own code makes for files (see
// the BUILD file for which). So it is the real file code that meets the fault.
#ifndef SSTABLE_TESTS_SUPPORT_FAULTY_SYSTEM_H_
#define SSTABLE_TESTS_SUPPORT_FAULTY_SYSTEM_H_

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sstable::test {

// What becomes of a call.
struct Fault {
  const char* name;
  int error = 0;         // It fails with this; 0: a read or write is cut short instead ...
  bool stays = false;    // So are all calls after it.
  size_t most_size = 1;  // ... to so many bytes.
  // The process is killed there instead, before the call; a write has then written its first half.
  bool kills = false;
  const char* only = nullptr;  // Not null: only calls of this name are counted.
  // Not empty: only calls on files whose path ends so are counted.
  std::string path = "";

  // Whether nobody should be able to tell.
  bool is_harmless() const { return !kills && (error == EINTR || (error == 0 && most_size > 0)); }
};

// While it lives, counts the calls of all threads and lets one of them fail. One at a time.
class FaultySystem {
 public:
  // Only counts.
  FaultySystem() : FaultySystem(kNever, {}) {}
  // The call that has `calls_before_fault` others before it. close() is done whatever it says, as
  // on Linux; of the others, one that fails is not done.
  FaultySystem(size_t calls_before_fault, const Fault& fault);
  ~FaultySystem();
  FaultySystem(const FaultySystem&) = delete;
  FaultySystem& operator=(const FaultySystem&) = delete;

  // The fault goes; calls are still counted.
  void Mend();

  // The calls so far, by name: "open", "write", ...
  std::vector<std::string> calls() const;

  // The call that came to the fault; "" if none did: it has not been reached, or was to be short
  // and is no read or write.
  std::string failed() const;

 private:
  static constexpr size_t kNever = SIZE_MAX;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_FAULTY_SYSTEM_H_
