// Words of commands that messages name, to be copied into a shell.
#pragma once

#include <string>
#include <string_view>

namespace litmus {

// A file or a value as one word: as it is where a POSIX shell takes it so, else in quotes; in $'...', as bash and zsh have it, where
// something in it would act on a terminal. A name that begins like an option gets a `./`.
std::string shell_word(std::string_view word);

}  // namespace litmus
