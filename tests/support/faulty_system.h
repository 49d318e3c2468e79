// Makes system calls on files fail in tests that link this, so that the real file code runs. Only
// calls by our own code are affected; the BUILD file lists them.
#ifndef SSTABLE_TESTS_SUPPORT_FAULTY_SYSTEM_H_
#define SSTABLE_TESTS_SUPPORT_FAULTY_SYSTEM_H_

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sstable::test {

// The fault of a call.
struct Fault {
  const char* name;
  int error = 0;         // errno of the call; if 0, a read or write is cut short
  bool stays = false;    // all later calls are affected, too
  size_t most_size = 1;  // bytes transferred by a read or write that is cut short
  // Kills the process before the call. A write writes the first half of its bytes before that.
  bool kills = false;
  const char* only = nullptr;  // if not null, only calls of this name count
  // If not empty, only calls on files whose path ends like this count.
  std::string path = "";

  // True if the fault should have no visible effect.
  bool is_harmless() const { return !kills && (error == EINTR || (error == 0 && most_size > 0)); }
};

// During its lifetime, counts the calls of all threads and makes one of them fail. Only one may
// exist at a time.
class FaultySystem {
 public:
  // Counts calls without any fault.
  FaultySystem() : FaultySystem(kNever, {}) {}
  // The call after `calls_before_fault` others fails. As on Linux, a close() that fails has still
  // closed the file; any other call that fails has no effect.
  FaultySystem(size_t calls_before_fault, const Fault& fault);
  ~FaultySystem();
  FaultySystem(const FaultySystem&) = delete;
  FaultySystem& operator=(const FaultySystem&) = delete;

  // Ends the fault. Calls are still counted.
  void Mend();

  // The names of the calls so far: "open", "write", ...
  std::vector<std::string> calls() const;

  // The call that met the fault. Empty if it was not reached, or if a call was to be cut short that
  // is neither a read nor a write.
  std::string failed() const;

 private:
  static constexpr size_t kNever = SIZE_MAX;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_FAULTY_SYSTEM_H_
