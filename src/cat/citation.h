// Which sections of the ISA the statements of a model cite, and what the comments that stand with them say.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace litmus {

struct Citation {
    std::string_view section;  // "8.10.6", as it stands in the source; empty: none is cited
    std::string meaning;       // the first sentence of the comment, without the section at its head; empty: there is no comment
};

// Of one file. The comment of a statement is the last one above it in the same paragraph (no empty line between): lines that
// begin with `//`. A section stands at the head of a comment, `// 8.10.6 Causality: ...`, or in parentheses, `(9.7.13.4)`.
// A statement whose comment cites none has the section of the heading above it, a line such as
// `// ---- 8.9.4 Synchronization ----`.
class Citations {
public:
    explicit Citations(const Source& source);
    // Of the statement that begins at this offset.
    const Citation& at(uint32_t offset) const;

private:
    struct Mark {
        size_t from = 0;  // the offset from which on it holds
        Citation citation;
    };
    std::vector<Mark> marks_;  // in the order of the text
};

}  // namespace litmus
