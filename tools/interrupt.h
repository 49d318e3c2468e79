// Lets a command clean up when it is told to stop.
#ifndef SSTABLE_TOOLS_INTERRUPT_H_
#define SSTABLE_TOOLS_INTERRUPT_H_

namespace sstable::tools {

// From here on Ctrl-C, a hang-up and a plain `kill` only set a flag and end the system call that
// waits; a second one ends the program at once.
void CatchInterrupts();

// Whether one came.
bool Interrupted();

// If one came: ends the program as the signal would have done.
void DieIfInterrupted();

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_INTERRUPT_H_
