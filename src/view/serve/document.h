// A text that an editor has open, with positions as the Language Server Protocol counts them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/source.h"

namespace litmus {

// Lines from 0; in a line units of UTF-16, from 0, or bytes where the client speaks UTF-8.
class TextPositions {
public:
    TextPositions(const std::string& text, bool utf8);

    nlohmann::ordered_json at(size_t byte) const;  // {"line": 3, "character": 2}
    nlohmann::ordered_json range(size_t begin, size_t end) const;
    // The byte of a position; of one behind the end of its line, that end. Throws std::invalid_argument where it is no position.
    size_t byte(const nlohmann::ordered_json& position) const;

private:
    const std::string& text_;
    bool utf8_;
    std::vector<size_t> lines_;  // where each begins
};

struct Document {
    std::string uri;
    std::string text;
    nlohmann::ordered_json version;  // as the client counts

    // One of `contentChanges` (textDocument/didChange): a range that is replaced, or the whole text.
    void change(const nlohmann::ordered_json& change, bool utf8);
};

// "/home/me/mp.litmus" of "file:///home/me/mp.litmus"; of another scheme the URI itself.
std::string path_of(const std::string& uri);

}  // namespace litmus
