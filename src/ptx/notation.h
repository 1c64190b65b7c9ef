// Reads the notation of the instruction table's rows (rows.h) into forms.
//
// Private to the table.
#pragma once

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

// The parts between separators; empty ones are left out.
std::vector<std::string_view> parts(std::string_view text, char separator);
std::vector<std::string> split(std::string_view text, char separator);

}  // namespace litmus
