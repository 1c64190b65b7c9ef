// One pass over the mangled name, without memory of what stood before.
#include "kernel/source_name.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/letters.h"

namespace litmus::kernel {

namespace {

class MangledName {
public:
    explicit MangledName(std::string_view text) : text_(text) {}

    // name ::= N [qualifiers] prefix... E | [St] unqualified [arguments]
    std::optional<std::string> name() {
        if (++depth_ > most_depth) return std::nullopt;
        std::string whole;
        const bool nested = take("N");
        if (nested)
            while (take("r") || take("V") || take("K")) continue;
        for (bool first = true; nested ? !take("E") : first; first = false) {
            auto part = take("St") ? std::optional<std::string>("std") : unqualified();
            if (part == "std" && !nested) {
                const auto inner = unqualified();
                if (!inner) return std::nullopt;
                *part += "::" + *inner;
            }
            if (!part) return std::nullopt;
            if (at("I")) {
                const auto given = arguments();
                if (!given) return std::nullopt;
                *part += *given;
            }
            whole += (whole.empty() ? "" : "::") + *part;
        }
        --depth_;
        return whole.empty() ? std::nullopt : std::optional(whole);
    }

private:
    static constexpr size_t most_depth = 64;

    bool at(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
    bool take(std::string_view what) {
        if (!at(what)) return false;
        at_ += what.size();
        return true;
    }
    std::string digits() {
        const size_t begin = at_;
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
        return std::string(text_.substr(begin, at_ - begin));
    }

    // A length and so many characters; L before it says that other files do not see the name.
    std::optional<std::string> unqualified() {
        take("L");
        const std::string length = digits();
        if (length.empty() || length.size() > 5 || std::stoul(length) > text_.size() - at_) return std::nullopt;
        std::string name(text_.substr(at_, std::stoul(length)));
        at_ += name.size();
        return name.rfind("_GLOBAL__N_", 0) == 0 ? "(anonymous namespace)" : name;
    }

    // I argument... E
    std::optional<std::string> arguments() {
        take("I");
        const auto list = list_to_end();
        return list ? std::optional("<" + *list + ">") : std::nullopt;
    }
    std::optional<std::string> list_to_end() {
        std::string list;
        while (!take("E")) {
            const auto one = argument();
            if (!one) return std::nullopt;
            list += (list.empty() || one->empty() ? "" : ", ") + *one;
        }
        return list;
    }
    std::optional<std::string> argument() {
        if (++depth_ > most_depth) return std::nullopt;
        auto result = take("J") ? list_to_end() : take("L") ? literal() : type();
        --depth_;
        return result;
    }

    // The type and the number of a literal, L before it and E behind it.
    std::optional<std::string> literal() {
        const bool is_bool = at("b");
        const auto of = type();
        const std::string sign = take("n") ? "-" : "", number = digits();
        if (!of || number.empty() || !take("E")) return std::nullopt;
        if (is_bool) return number == "0" ? "false" : "true";
        return (is_builtin(*of) ? "" : "(" + *of + ")") + sign + number;
    }

    std::optional<std::string> type() {
        if (++depth_ > most_depth) return std::nullopt;
        std::optional<std::string> result;
        for (const auto& [code, after] : qualifiers)
            if (!result && take(code)) {
                result = type();
                if (!result) return std::nullopt;
                *result += after;
            }
        for (const auto& [code, written] : builtins)
            if (!result && take(code)) result = written;
        if (!result) result = name();
        --depth_;
        return result;
    }
    static bool is_builtin(const std::string& type) {
        for (const auto& [code, written] : builtins)
            if (type == written) return true;
        return false;
    }

    using Rows = std::pair<std::string_view, std::string_view>;
    static constexpr std::array<Rows, 5> qualifiers = {{{"P", "*"}, {"R", "&"}, {"O", "&&"}, {"K", " const"}, {"V", " volatile"}}};
    static constexpr std::array<Rows, 17> builtins = {{
        {"v", "void"},
        {"b", "bool"},
        {"c", "char"},
        {"a", "signed char"},
        {"h", "unsigned char"},
        {"s", "short"},
        {"t", "unsigned short"},
        {"i", "int"},
        {"j", "unsigned int"},
        {"l", "long"},
        {"m", "unsigned long"},
        {"x", "long long"},
        {"y", "unsigned long long"},
        {"f", "float"},
        {"d", "double"},
        {"n", "__int128"},
        {"Dh", "half"},
    }};

    std::string_view text_;
    size_t at_ = 0, depth_ = 0;
};

// The name of a variable in a function: _ZZ, the function, E, a length and so many characters, to the end or to a number behind `_` that
// tells it from its namesakes.
std::optional<std::string> local_name(const std::string& mangled) {
    for (size_t e = mangled.find('E'); e != std::string::npos; e = mangled.find('E', e + 1)) {
        size_t at = e + 1, length = 0;
        while (at < mangled.size() && is_digit(mangled[at]) && length < mangled.size())
            length = 10 * length + static_cast<size_t>(mangled[at++] - '0');
        if (length == 0 || at + length > mangled.size()) continue;
        size_t end = at + length;
        if (end < mangled.size() && mangled[end] == '_') end = std::min(mangled.find_first_not_of("_0123456789", end), mangled.size());
        if (end == mangled.size() && !is_digit(mangled[at])) return mangled.substr(at, length);
    }
    return std::nullopt;
}

// Where the last "::" begins that is in no brackets; npos: there is none.
size_t last_scope(const std::string& name) {
    size_t depth = 0, found = std::string::npos;
    for (size_t i = 0; i < name.size(); ++i) {
        if (name[i] == '<') ++depth;
        if (name[i] == '>' && depth > 0) --depth;
        if (depth == 0 && name.compare(i, 2, "::") == 0) found = i;
    }
    return found;
}

}  // namespace

std::string source_name(const std::string& mangled) {
    if (mangled.rfind("_Z", 0) != 0) return mangled;
    const bool is_local = mangled.rfind("_ZZ", 0) == 0;
    return (is_local ? local_name(mangled) : MangledName(std::string_view(mangled).substr(2)).name()).value_or(mangled);
}

std::string without_arguments(const std::string& name) {
    std::string plain;
    size_t depth = 0;
    for (const char c : name) {
        if (c == '<') ++depth;
        if (depth == 0) plain += c;
        if (c == '>' && depth > 0) --depth;
    }
    return plain;
}

std::string last_part(const std::string& name) {
    const size_t scope = last_scope(name);
    return scope == std::string::npos ? name : name.substr(scope + 2);
}

}  // namespace litmus::kernel
