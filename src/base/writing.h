// Text into what takes it as it comes: a FIFO, a device. Nothing is waited for without an end.
#pragma once

#include <string>
#include <string_view>

namespace litmus {

// Opens what is there for writing, with these flags of open(2) besides. Gives the descriptor; -1 where that cannot be done, and errno says
// why. A FIFO that nobody reads is tried again for some seconds: who is to read it may be about to open it.
int open_to_write(const std::string& path, int flags = 0);

// Writes all of the text and closes the descriptor. Gives the error, as errno has it; 0: there is none. Who has opened a FIFO and does not
// read it is waited for as long.
int write_and_close(int descriptor, std::string_view text);

// "Is a directory"; of the errors of a FIFO without a reader, that.
std::string writing_error(int error);

}  // namespace litmus
