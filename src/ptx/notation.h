// Reads the notation of the instruction table's rows (rows.h) into forms.
//
// Private to the table.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/table.h"

namespace litmus {

// The forms as their rows write them, in the order of the rows. One is read when it is asked for.
class Notation {
public:
    Notation();
    size_t size() const { return texts_.size(); }
    std::string_view mnemonic(size_t form) const { return texts_[form].mnemonic; }
    // The rows are ours: a mistake in one throws std::logic_error.
    Form read(size_t form) const;

    using Sets = std::map<std::string_view, std::vector<Alternative>, std::less<>>;

private:
    struct Text {
        std::optional<Op> op;
        std::string_view section;
        Version least;
        std::string_view mnemonic;
        std::string_view box;      // and sets of its own; empty: only the mnemonic is known
        std::string_view variant;  // the case of the row that it is
    };
    Form read_box(const Text& text) const;

    Sets common_;
    std::vector<Text> texts_;
};

// Visits the parts between separators, empty ones left out, as long as `visit` says yes; whether it always did.
template <class Visit>
bool each_part(std::string_view text, char separator, const Visit& visit) {
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(separator, begin), text.size());
        if (end > begin && !visit(text.substr(begin, end - begin))) return false;
        begin = end + 1;
    }
    return true;
}

// These parts.
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace litmus
