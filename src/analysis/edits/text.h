// Changes to the text of a test: where an instruction is put in, changed or taken out, so that comments and layout stay.
//
// A change names a stretch of the source and what shall stand there. All functions that make one know both layouts: one
// statement after the other (the DSL and the braces), and herd's columns, where what is put in becomes a row of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "language/test.h"

namespace litmus {

// An instruction of a thread, by indices into Test::threads and the body. Of something that is put in, the instruction that it
// stands before; the size of the body: it stands at the end.
struct ProgramPoint {
    int thread = 0;
    int instruction = 0;
    friend auto operator<=>(const ProgramPoint&, const ProgramPoint&) = default;  // NOLINT(modernize-use-nullptr): what the compiler writes
};

inline const Instruction& instruction_at(const Test& test, ProgramPoint place) {
    return test.threads.at(static_cast<size_t>(place.thread)).body.at(static_cast<size_t>(place.instruction));
}

// Throws Failure where the text of an instruction is not its own (Wording): then a change of the text is no change of the one
// instruction.
void require_own_text(const Test& test);

// What stands in `span` becomes `text`.
struct Change {
    Span span;
    std::string text;
};

// `text`, without a `;`, becomes an instruction before that place: before a loop that begins there, behind other labels.
Change insertion(const Test& test, ProgramPoint place, const std::string& text);
// The instruction is called `dotted`; its operands stay.
Change respelling(const Test& test, ProgramPoint place, const std::string& dotted);
// `text` stands for the whole instruction, its guard apart.
Change replacement(const Test& test, ProgramPoint place, const std::string& text);
// The instruction goes; its labels stay.
Change deletion(const Test& test, ProgramPoint place);
// The instruction, without its labels, stands before that other place of its thread instead, and the comment behind it goes with it.
std::vector<Change> move(const Test& test, ProgramPoint from, ProgramPoint to);
// One more line among the declarations. Of tests in the DSL.
Change declaration(const Test& test, const std::string& line);
// The number of arrivals that an mbarrier object is declared for. Of tests in the DSL.
Change arrivals(const Test& test, const Location& object, uint32_t count);

// The instruction as it is written, without its guard, labels and `;`.
std::string written(const Test& test, ProgramPoint place);

// The same in ticks, for people; where the thread has that text more than once, with its line: "`bar.sync 0` in line 30 (k.cu:17)".
std::string text_beside(const Test& test, ProgramPoint place);

// The text with all changes made. Of several at one point the first comes first; apart from that they do not overlap.
std::string applied(const std::string& text, std::vector<Change> changes);

}  // namespace litmus
