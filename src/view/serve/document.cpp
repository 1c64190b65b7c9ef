// Positions are found from the start of their line; a unit of UTF-16 is half of what lies beyond the 16 bits.
#include "view/serve/document.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace litmus {

namespace {

// How many bytes of UTF-8 the character at a place has; broken ones are taken byte by byte.
size_t bytes_at(const std::string& text, size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    const size_t wanted = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    size_t n = 1;
    while (n < wanted && at + n < text.size() && (static_cast<unsigned char>(text[at + n]) & 0xc0U) == 0x80) ++n;
    return n;
}

size_t units(size_t bytes, bool utf8) {
    return utf8 ? bytes : bytes == 4 ? 2 : 1;
}

}  // namespace

TextPositions::TextPositions(const std::string& text, bool utf8) : text_(text), utf8_(utf8), lines_{0} {
    for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) lines_.push_back(at + 1);
}

nlohmann::ordered_json TextPositions::at(size_t byte) const {
    byte = std::min(byte, text_.size());
    const size_t line = static_cast<size_t>(std::upper_bound(lines_.begin(), lines_.end(), byte) - lines_.begin()) - 1;
    size_t character = 0;
    for (size_t at = lines_[line]; at < byte;) {
        const size_t n = bytes_at(text_, at);
        character += units(n, utf8_);
        at += n;
    }
    return {{"line", line}, {"character", character}};
}

nlohmann::ordered_json TextPositions::range(size_t begin, size_t end) const {
    return {{"start", at(begin)}, {"end", at(std::max(begin, end))}};
}

size_t TextPositions::byte(const nlohmann::ordered_json& position) const {
    const auto count = [&](const char* name) {
        if (!position.is_object() || !position.contains(name) || !position.at(name).is_number_integer() ||
            position.at(name).get<int64_t>() < 0)
            throw std::invalid_argument("a position has a line and a character, counted from 0");
        return position.at(name).get<size_t>();
    };
    const size_t line = count("line"), character = count("character");
    if (line >= lines_.size()) return text_.size();
    size_t at = lines_[line];
    const size_t end = line + 1 < lines_.size() ? lines_[line + 1] - 1 : text_.size();
    for (size_t seen = 0; at < end && seen < character;) {
        const size_t n = bytes_at(text_, at);
        seen += units(n, utf8_);
        at += n;
    }
    return std::min(at, end);
}

void Document::change(const nlohmann::ordered_json& change, bool utf8) {
    const std::string& put = change.at("text").get_ref<const std::string&>();
    if (!change.contains("range")) {
        text = put;
        return;
    }
    const TextPositions positions(text, utf8);
    const size_t begin = positions.byte(change.at("range").at("start")), end = positions.byte(change.at("range").at("end"));
    text.replace(begin, std::max(begin, end) - begin, put);
}

std::string path_of(const std::string& uri) {
    constexpr std::string_view scheme = "file://";
    if (uri.rfind(scheme, 0) != 0) return uri;
    std::string path;
    for (size_t i = scheme.size(); i < uri.size(); ++i) {
        const auto is_hex = [&](size_t at) { return at < uri.size() && std::isxdigit(static_cast<unsigned char>(uri[at])) != 0; };
        if (uri[i] == '%' && is_hex(i + 1) && is_hex(i + 2)) {
            path += static_cast<char>(std::stoi(uri.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            path += uri[i];
        }
    }
    return path;
}

}  // namespace litmus
