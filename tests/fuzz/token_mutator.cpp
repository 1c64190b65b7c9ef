// The mutator of the parsers' fuzz targets: half of the time libFuzzer's own, on bytes; otherwise one that knows what all our formats
// have in common, words, numbers, quoted strings and brackets that match.
//
// A text is cut into tokens. A mutation takes a token, or a whole pair of brackets with what is between, and leaves it out, says it
// twice, puts it elsewhere, or replaces it by another of its kind; a number may become one at which something ends.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed);

namespace {

using Tokens = std::vector<std::string>;
using Random = std::minstd_rand;

enum class Kind { blank, word, number, quoted, sign };

Kind kind_of(const std::string& token) {
    const auto c = static_cast<unsigned char>(token[0]);
    if (std::isspace(c) != 0) return Kind::blank;
    if (std::isdigit(c) != 0) return Kind::number;
    if (std::isalpha(c) != 0 || c == '_') return Kind::word;
    return c == '"' ? Kind::quoted : Kind::sign;
}

Tokens tokens_of(std::string_view text) {
    Tokens tokens;
    for (size_t begin = 0, end = 0; begin < text.size(); begin = end) {
        const auto is = [&](int (*of)(int), char also) {
            return [&text, of, also](size_t at) { return of(static_cast<unsigned char>(text[at])) != 0 || text[at] == also; };
        };
        const auto skip = [&](const auto& belongs) {
            while (end < text.size() && belongs(end)) ++end;
        };
        end = begin + 1;
        if (std::isspace(static_cast<unsigned char>(text[begin])) != 0)
            skip(is(std::isspace, ' '));
        else if (is(std::isalnum, '_')(begin))
            skip(is(std::isalnum, '_'));
        else if (text[begin] == '"') {
            skip([&](size_t at) { return text[at] != '"' || text[at - 1] == '\\'; });
            end = std::min(end + 1, text.size());
        }
        tokens.emplace_back(text.substr(begin, end - begin));
    }
    return tokens;
}

size_t below(size_t bound, Random& random) {
    return std::uniform_int_distribution<size_t>(0, bound - 1)(random);
}

// Where the piece that begins at `at` ends: behind the bracket that closes it, else behind the token.
size_t end_of(const Tokens& tokens, size_t at) {
    constexpr std::string_view open = "([{", close = ")]}";
    std::string wanted;
    for (size_t i = at; i < tokens.size(); ++i) {
        if (const size_t bracket = open.find(tokens[i]); bracket != open.npos)
            wanted += close[bracket];
        else if (!wanted.empty() && tokens[i] == wanted.substr(wanted.size() - 1))
            wanted.pop_back();
        if (wanted.empty()) return i + 1;
    }
    return at + 1;
}

void replace_by_like(Tokens& tokens, size_t at, Random& random) {
    static constexpr std::array<const char*, 12> limits = {"0",
                                                           "1",
                                                           "15",
                                                           "16",
                                                           "255",
                                                           "256",
                                                           "65535",
                                                           "4294967295",
                                                           "4294967296",
                                                           "9223372036854775808",
                                                           "18446744073709551615",
                                                           "18446744073709551616"};
    if (kind_of(tokens[at]) == Kind::number && below(2, random) == 0) {
        tokens[at] = limits[below(limits.size(), random)];
        return;
    }
    Tokens alike;
    std::copy_if(tokens.begin(), tokens.end(), std::back_inserter(alike),
                 [&](const std::string& t) { return kind_of(t) == kind_of(tokens[at]); });
    tokens[at] = alike[below(alike.size(), random)];
}

void mutate(Tokens& tokens, Random& random) {
    const auto place = [&](size_t i) { return tokens.begin() + static_cast<ptrdiff_t>(i); };
    const size_t at = below(tokens.size(), random), end = end_of(tokens, at);
    const Tokens piece(place(at), place(end));
    switch (below(4, random)) {
        case 0:
            tokens.erase(place(at), place(end));
            break;
        case 1:
            tokens.insert(place(end), piece.begin(), piece.end());
            break;
        case 2:
            tokens.insert(place(below(tokens.size(), random)), piece.begin(), piece.end());
            break;
        default:
            replace_by_like(tokens, at, random);
    }
}

}  // namespace

// As libFuzzer asks for it: changes `size` bytes in place, to at most `max_size`, and returns how many there are then.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
    Random random(seed);
    Tokens tokens = tokens_of({reinterpret_cast<const char*>(data), size});
    if (tokens.empty() || below(2, random) == 0) return LLVMFuzzerMutate(data, size, max_size);
    for (size_t n = 1 + below(3, random); n > 0 && !tokens.empty(); --n) mutate(tokens, random);
    std::string text;
    for (const std::string& token : tokens) text += token;
    const size_t length = std::min(text.size(), max_size);
    std::memcpy(data, text.data(), length);
    return length;
}
