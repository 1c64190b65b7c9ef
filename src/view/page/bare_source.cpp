// Where declarations and threads stand is known from the test; of lines in between only comments go.
#include "view/page/bare_source.h"

#include <algorithm>
#include <sstream>

namespace litmus {

std::vector<SourceLine> bare_source(const Test& test) {
    const Source& source = *test.source;
    auto first = static_cast<uint32_t>(source.text.size());
    uint32_t last = 0;
    for (const Location& location : test.locations) first = std::min(first, location.span.begin);
    for (const Grid& grid : test.grids)
        if (grid.span.end > 0) first = std::min(first, grid.span.begin);  // one that nothing declares has no place
    for (const Thread& thread : test.threads) {
        first = std::min(first, thread.span.begin);
        last = std::max(last, thread.span.end);
        for (const Instruction& instruction : thread.body) last = std::max(last, instruction.span.end);
    }
    last = static_cast<uint32_t>(std::min(source.text.find('}', last), source.text.size()));
    const int from = position(source, first).line;
    const int to = position(source, last).line;
    std::vector<SourceLine> shown;
    std::istringstream lines(source.text);
    std::string line;
    for (int number = 1; number <= to && std::getline(lines, line); ++number) {
        if (number < from) continue;
        line.resize(std::min(line.find("//"), line.size()));
        line.resize(line.find_last_not_of(" \t\r") + 1);
        shown.push_back({number, line});
    }
    return shown;
}

}  // namespace litmus
