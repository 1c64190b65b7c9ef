// A look at the header of one `.entry` (see ptx_text.h).
#include "record/ptx_text.h"

#include <cctype>
#include <charconv>
#include <string>

namespace litmus::record {

namespace {

bool is_of_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' || c == '.';
}

// Words and single signs, one after the other.
class PtxWords {
public:
    explicit PtxWords(std::string_view text) : text_(text) {}

    // Empty: the text ends.
    std::string_view next() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
        const size_t begin = at_;
        while (at_ < text_.size() && is_of_word(text_[at_])) ++at_;
        if (at_ == begin && at_ < text_.size()) ++at_;
        return text_.substr(begin, at_ - begin);
    }

private:
    std::string_view text_;
    size_t at_ = 0;
};

uint64_t number_of(std::string_view word) {
    uint64_t value = 0;
    std::from_chars(word.data(), word.data() + word.size(), value);
    return value;
}

// Bytes of a type, ".u64"; 0: it is none.
uint64_t bytes_of_type(std::string_view word) {
    if (word.size() < 3 || word[0] != '.' || std::string_view("usbf").find(word[1]) == std::string_view::npos) return 0;
    return number_of(word.substr(2)) / 8;
}

// One parameter, up to the `,` or `)` after it, which is given: `.param .align 8 .b8 name[16]`, `.param .u64 .ptr .align 1 name`.
std::string_view read_parameter(PtxWords& words, uint64_t& bytes, uint64_t& align) {
    std::string_view word = words.next();
    for (; !word.empty() && word != "," && word != ")"; word = words.next()) {
        if (word == ".align") {
            const uint64_t value = number_of(words.next());
            if (bytes == 0) align = value;  // behind the type it is that of what is pointed to
        } else if (word == "[") {
            bytes *= number_of(words.next());
        } else if (bytes == 0) {
            bytes = bytes_of_type(word);
        }
    }
    return word;
}

std::vector<ParameterPlace> read_parameters(PtxWords& words) {
    std::vector<ParameterPlace> places;
    if (words.next() != "(") return places;
    uint64_t end = 0;
    for (std::string_view sign = ","; sign == ",";) {
        uint64_t bytes = 0, align = 0;
        sign = read_parameter(words, bytes, align);
        if (bytes == 0) break;
        if (align == 0) align = bytes;
        const uint64_t offset = (end + align - 1) / align * align;
        places.push_back({offset, bytes});
        end = offset + bytes;
    }
    return places;
}

}  // namespace

std::optional<std::vector<ParameterPlace>> parameters_of(std::string_view ptx, std::string_view kernel) {
    constexpr std::string_view entry = ".entry";
    for (size_t at = ptx.find(entry); at != std::string_view::npos; at = ptx.find(entry, at + 1)) {
        PtxWords words(ptx.substr(at + entry.size()));
        if (words.next() == kernel) return read_parameters(words);
    }
    return std::nullopt;
}

}  // namespace litmus::record
