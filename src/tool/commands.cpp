// A command is one file in tool/commands, which defines `Command NAME_command::command()`, and one line here.
#include "tool/commands.h"

namespace litmus {

#define ALL_COMMANDS(COMMAND) \
    COMMAND(check)            \
    COMMAND(outcomes)         \
    COMMAND(show)             \
    COMMAND(explain)          \
    COMMAND(models)           \
    COMMAND(fmt)              \
    COMMAND(emit)             \
    COMMAND(conform)          \
    COMMAND(repair)           \
    COMMAND(weaken)           \
    COMMAND(compare)          \
    COMMAND(compiled)         \
    COMMAND(adequacy)         \
    COMMAND(distinguish)      \
    COMMAND(merge)            \
    COMMAND(regress)          \
    COMMAND(gen)              \
    COMMAND(report)           \
    COMMAND(quiz)             \
    COMMAND(kernel)           \
    COMMAND(record)           \
    COMMAND(lsp)              \
    COMMAND(mcp)              \
    COMMAND(completions)

#define DECLARED(name)         \
    namespace name##_command { \
        Command command();     \
    }
ALL_COMMANDS(DECLARED)

std::vector<Command> all_commands() {
#define MADE(name) name##_command::command(),
    return {ALL_COMMANDS(MADE)};
}

}  // namespace litmus
