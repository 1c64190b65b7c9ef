// The mutator of the parsers' fuzz targets: a third of the time libFuzzer's own, on bytes; otherwise one that knows what all our formats
// have in common, words, numbers, quoted strings and brackets that match.
//
// A text is cut into tokens. A mutation takes a token, or a whole pair of brackets with what is between, and leaves it out, says it
// twice, puts it elsewhere, or replaces it by another of its kind; or it does that to a text between quotes. Another kind of mutation
// leaves the form of the text alone, so that the reader gets beyond its grammar. It changes numbers: to one at which something ends, to a
// neighbour, to another number of the text. It leaves out elements of lists and keys of objects, or says them again, once or many times.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <utility>
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

// Numbers at which something ends: a type, a limit of the ISA, a limit of ours; and what is no whole number.
std::string limit(Random& random) {
    static constexpr std::array limits = {"0",
                                          "1",
                                          "2",
                                          "5",
                                          "6",
                                          "7",
                                          "15",
                                          "16",
                                          "31",
                                          "32",
                                          "33",
                                          "127",
                                          "128",
                                          "255",
                                          "256",
                                          "257",
                                          "1023",
                                          "1024",
                                          "1025",
                                          "65535",
                                          "65536",
                                          "1048575",
                                          "1048576",
                                          "67108864",
                                          "2147483647",
                                          "2147483648",
                                          "4294967295",
                                          "4294967296",
                                          "4294967297",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "18446744073709551608",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "-1",
                                          "1.5",
                                          "1e3",
                                          "true",
                                          "null"};
    return limits[below(limits.size(), random)];
}

// The places of tokens of a kind.
std::vector<size_t> places_of(const Tokens& tokens, Kind kind) {
    std::vector<size_t> places;
    for (size_t i = 0; i < tokens.size(); ++i)
        if (kind_of(tokens[i]) == kind) places.push_back(i);
    return places;
}

std::string another_number(const Tokens& tokens, const std::string& number, Random& random) {
    const std::vector<size_t> others = places_of(tokens, Kind::number);
    uint64_t value = 0;
    const bool decimal = std::from_chars(number.data(), number.data() + number.size(), value).ptr == number.data() + number.size();
    switch (below(decimal ? 5 : 2, random)) {
        case 0:
            return limit(random);
        case 1:
            return tokens[others[below(others.size(), random)]];
        case 2:
            return std::to_string(value + 1);
        case 3:
            return std::to_string(value - 1);
        default:
            return std::to_string(below(2, random) == 0 ? value * 2 : value << below(64, random));
    }
}

void replace_by_like(Tokens& tokens, size_t at, Random& random) {
    if (kind_of(tokens[at]) == Kind::number) {
        tokens[at] = another_number(tokens, tokens[at], random);
        return;
    }
    Tokens alike;
    std::copy_if(tokens.begin(), tokens.end(), std::back_inserter(alike),
                 [&](const std::string& t) { return kind_of(t) == kind_of(tokens[at]); });
    tokens[at] = alike[below(alike.size(), random)];
}

// The elements between the commas of a pair of brackets: [begin, end) for each.
std::vector<std::pair<size_t, size_t>> elements_of(const Tokens& tokens, size_t open) {
    const size_t close = end_of(tokens, open) - 1;
    std::vector<std::pair<size_t, size_t>> elements;
    for (size_t begin = open + 1, at = begin; at <= close; at = end_of(tokens, at)) {
        if (at < close && tokens[at] != ",") continue;
        if (at > begin) elements.emplace_back(begin, at);
        begin = at + 1;
    }
    return elements;
}

// Leaves out an element of a list, or says one again, once or many times; another of the list may take its place.
void mutate_elements(Tokens& tokens, Random& random) {
    constexpr std::string_view open = "([{";
    std::vector<size_t> lists;
    for (size_t i = 0; i < tokens.size(); ++i)
        if (open.find(tokens[i]) != open.npos && end_of(tokens, i) > i + 2) lists.push_back(i);
    if (lists.empty()) return;
    const auto elements = elements_of(tokens, lists[below(lists.size(), random)]);
    if (elements.empty()) return;
    const auto place = [&](size_t i) { return tokens.begin() + static_cast<ptrdiff_t>(i); };
    const auto [begin, end] = elements[below(elements.size(), random)];
    const auto [from, to] = elements[below(elements.size(), random)];
    const Tokens copy(place(from), place(to));
    const size_t what = below(3, random);
    if (what == 0) {  // with the comma behind it, or before it
        const bool behind = tokens[end] == ",", before = tokens[begin - 1] == ",";
        tokens.erase(place(begin - (!behind && before ? 1 : 0)), place(end + (behind ? 1 : 0)));
    } else if (what == 1) {
        Tokens again;
        for (size_t n = below(2, random) == 0 ? 1 : 1 + below(48, random); n > 0; --n) {
            again.emplace_back(",");
            again.insert(again.end(), copy.begin(), copy.end());
        }
        tokens.insert(place(end), again.begin(), again.end());
    } else {
        tokens.erase(place(begin), place(end));
        tokens.insert(place(begin), copy.begin(), copy.end());
    }
}

// The form stays as it is.
void mutate_values(Tokens& tokens, Random& random) {
    const std::vector<size_t> numbers = places_of(tokens, Kind::number);
    if (numbers.empty() || below(3, random) == 0) return mutate_elements(tokens, random);
    const size_t at = numbers[below(numbers.size(), random)];
    tokens[at] = another_number(tokens, tokens[at], random);
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

std::string text_of(const Tokens& tokens) {
    std::string text;
    for (const std::string& token : tokens) text += token;
    return text;
}

// Between the quotes of a string stands another text.
void mutate_quoted(Tokens& tokens, Random& random) {
    const std::vector<size_t> places = places_of(tokens, Kind::quoted);
    if (places.empty()) return;
    std::string& quoted = tokens[places[below(places.size(), random)]];
    if (quoted.size() < 2) return;
    Tokens within = tokens_of(std::string_view(quoted).substr(1, quoted.size() - 2));
    if (within.empty()) return;
    if (below(2, random) == 0)
        mutate(within, random);
    else
        mutate_values(within, random);
    quoted = "\"" + text_of(within) + "\"";
}

}  // namespace

// As libFuzzer asks for it: changes `size` bytes in place, to at most `max_size`, and returns how many there are then.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
    Random random(seed);
    Tokens tokens = tokens_of({reinterpret_cast<const char*>(data), size});
    if (tokens.empty() || below(3, random) == 0) return LLVMFuzzerMutate(data, size, max_size);
    const auto way = std::array{mutate, mutate_values, mutate_values, mutate_quoted}[below(4, random)];
    for (size_t n = 1 + below(3, random); n > 0 && !tokens.empty(); --n) way(tokens, random);
    const std::string text = text_of(tokens);
    const size_t length = std::min(text.size(), max_size);
    std::memcpy(data, text.data(), length);
    return length;
}
