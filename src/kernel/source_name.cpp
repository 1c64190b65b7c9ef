// One pass over the mangled name. The parts that a later S_, S0_, ... may stand for are kept as text, in the order of the ABI
// ("Compression").
//
// Names come from strangers, and few letters can stand for much: each of `1AIS_S_E`, `1BIS0_S0_E`, ... doubles its text. So all texts
// that are made have a bound together, and so has the depth.
#include "kernel/source_name.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/letters.h"

namespace litmus::kernel {

namespace {

class MangledName {
public:
    explicit MangledName(std::string_view text) : text_(text) {}

    // The name of a kernel. It is no member of a class (CUDA), so the first arguments of a template in it are its own: where they are
    // not understood, their place has dots.
    std::optional<std::string> of_kernel() {
        const auto whole = name();
        if (whole || without_arguments_.empty()) return whole;
        return without_arguments_ + "<...>";
    }

private:
    static constexpr size_t most_depth = 256;
    static constexpr size_t most_letters = size_t{8} << 20;  // of all texts that are made

    // name ::= N [qualifiers] prefix... E | Z encoding E name | [St] unqualified [arguments] | S_ [arguments]
    std::optional<std::string> name() {
        if (++depth_ > most_depth) return std::nullopt;
        auto result = take("Z") ? local() : take("N") ? nested() : unscoped();
        --depth_;
        return result;
    }

    // S_, S0_, ... may stand for each part. The whole is kept by who asks for it (type()).
    std::optional<std::string> nested() {
        while (take("r") || take("V") || take("K")) continue;
        if (!take("R")) take("O");
        std::string whole;
        while (!take("E")) {
            const bool is_kept = at("S");  // already, or "std"
            const auto part = at("S") && whole.empty() ? substitution() : at("I") && !whole.empty() ? arguments(whole) : unqualified();
            if (!part) return std::nullopt;
            whole += (whole.empty() || part->front() == '<' ? "" : "::") + *part;
            if (!is_kept && !at("E")) keep(whole);
            if (is_beyond(whole)) return std::nullopt;
        }
        return whole.empty() ? std::nullopt : std::optional(whole);
    }

    std::optional<std::string> unscoped() {
        std::string whole;
        if (take("St")) {
            const auto inner = unqualified();
            if (!inner) return std::nullopt;
            whole = "std::" + *inner;
        } else if (at("S")) {
            const auto known = substitution();
            return known && at("I") ? with_arguments(*known) : known;
        } else if (const auto own = unqualified()) {
            whole = *own;
        } else {
            return std::nullopt;
        }
        if (!at("I")) return whole;
        keep(whole);
        return with_arguments(whole);
    }
    std::optional<std::string> with_arguments(const std::string& of) {
        const auto given = arguments(of);
        return given ? std::optional(of + *given) : std::nullopt;
    }

    // Something in a function: the function, E, and a name, or a string without one.
    std::optional<std::string> local() {
        auto result = encoding();
        if (!result || !take("E")) return std::nullopt;
        if (take("s")) return *result + "::string literal";
        if (take("d")) {  // within a default argument
            digits();
            if (!take("_")) return std::nullopt;
        }
        const auto inner = name();
        if (!inner) return std::nullopt;
        *result += "::" + *inner;
        if (take("__")) {  // a number that tells it from its namesakes
            digits();
            take("_");
        } else if (take("_")) {
            digits();
        }
        return result;
    }

    // A name, and behind that of a function the types of its results and parameters, up to an E.
    std::optional<std::string> encoding() {
        auto result = name();
        while (result && at_ < text_.size() && !at("E"))
            if (!type()) return std::nullopt;
        return result;
    }

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

    // Whether the texts made so far are too many; this one counts, too.
    bool is_beyond(const std::string& text) {
        letters_ += text.size();
        return letters_ > most_letters;
    }
    void keep(const std::string& text) {
        if (!is_beyond(text)) kept_.push_back(text);
    }

    // S_, S0_, ..., with a number to the base of 36; or one of the usual names.
    std::optional<std::string> substitution() {
        take("S");
        for (const auto& [code, written] : usual)
            if (take(code)) return std::string(written);
        size_t number = 0;
        for (bool first = true; !take("_"); first = false) {
            if (at_ == text_.size() || number > kept_.size()) return std::nullopt;
            const char c = text_[at_++];
            const bool is_letter = c >= 'A' && c <= 'Z';
            if (!is_digit(c) && !is_letter) return std::nullopt;
            const size_t digit = is_letter ? static_cast<size_t>(c - 'A') + 10 : static_cast<size_t>(c - '0');
            number = first ? digit + 1 : 36 * (number - 1) + digit + 1;
        }
        return number < kept_.size() ? std::optional(kept_[number]) : std::nullopt;
    }

    // A length and so many characters; L before it says that other files do not see the name. Or what has no name in the source.
    std::optional<std::string> unqualified() {
        take("L");
        std::optional<std::string> result;
        if (take("Ul")) {
            const auto parameters = list_to_end();
            if (parameters) result = "{lambda(" + (*parameters == "void" ? "" : *parameters) + ")#" + number_of_namesake() + "}";
        } else if (take("Ut")) {
            result = "{unnamed type#" + number_of_namesake() + "}";
        } else if (take("cl")) {
            result = "operator()";
        } else {
            result = source_word();
        }
        while (result && take("B"))  // a tag of the ABI
            if (!source_word()) return std::nullopt;
        return result;
    }
    std::optional<std::string> source_word() {
        const std::string length = digits();
        if (length.empty() || length.size() > 5 || length == "0" || std::stoul(length) > text_.size() - at_) return std::nullopt;
        std::string word(text_.substr(at_, std::stoul(length)));
        at_ += word.size();
        return word.rfind("_GLOBAL__N_", 0) == 0 ? "(anonymous namespace)" : word;
    }
    std::string number_of_namesake() {
        const std::string number = digits();
        take("_");
        return number.empty() || number.size() > 5 ? "1" : std::to_string(std::stoul(number) + 2);
    }

    // I argument... E, of a template with this name.
    std::optional<std::string> arguments(const std::string& of) {
        if (without_arguments_.empty()) without_arguments_ = of;
        take("I");
        const auto list = list_to_end();
        return list ? std::optional("<" + *list + ">") : std::nullopt;
    }
    std::optional<std::string> list_to_end() {
        std::string list;
        while (!take("E")) {
            const auto one = argument();
            if (!one || is_beyond(*one)) return std::nullopt;
            list += (list.empty() || one->empty() ? "" : ", ") + *one;
        }
        return list;
    }
    std::optional<std::string> argument() {
        if (++depth_ > most_depth) return std::nullopt;
        auto result = take("J") ? list_to_end() : take("L") ? literal() : take("XadL_Z") ? address() : type();
        --depth_;
        return result;
    }

    // The type and the number of a literal, L before it and E behind it; or what has a name.
    std::optional<std::string> literal() {
        if (take("_Z")) {
            auto result = encoding();
            return take("E") ? result : std::nullopt;
        }
        const bool is_bool = at("b");
        const auto of = type();
        if (of && *of == null_type && take("E")) return std::string("nullptr");
        const std::string sign = take("n") ? "-" : "", number = digits();
        if (!of || number.empty() || !take("E")) return std::nullopt;
        if (is_bool) return number == "0" ? "false" : "true";
        return (is_builtin(*of) ? "" : "(" + *of + ")") + sign + number;
    }
    std::optional<std::string> address() {
        const auto of = encoding();
        return of && take("EE") ? std::optional("&" + *of) : std::nullopt;
    }

    std::optional<std::string> type() {
        if (++depth_ > most_depth) return std::nullopt;
        auto result = type_itself();
        --depth_;
        return result && is_beyond(*result) ? std::nullopt : result;
    }
    std::optional<std::string> type_itself() {
        for (const auto& [code, written] : builtins)
            if (take(code)) return std::string(written);
        const bool is_kept = at("S") && !at("St");
        auto result = composed();
        const bool has_arguments = text_[at_ - 1] == 'E';  // behind a name that stands for one before
        if (result && (!is_kept || has_arguments)) keep(*result);
        return result;
    }
    std::optional<std::string> composed() {
        std::string qualified;
        for (const auto& [code, after] : qualifiers)
            while (take(code)) qualified += after;
        if (!qualified.empty()) return after_type(qualified);
        for (const auto& [code, after] : pointers)
            if (take(code)) return after_type(after);
        if (take("u")) return source_word();
        if (take("F")) return function();
        if (take("A")) {
            const std::string size = digits();
            return take("_") ? after_type("[" + size + "]") : std::nullopt;
        }
        if (take("T")) {  // an argument of a template that is still open
            digits();
            return take("_") ? std::optional<std::string>("auto") : std::nullopt;
        }
        return name();
    }
    std::optional<std::string> after_type(std::string_view after) {
        auto of = type();
        if (of) *of += after;
        return of;
    }
    std::optional<std::string> function() {
        take("Y");  // extern "C"
        const auto result = type();
        const auto parameters = result ? list_to_end() : std::nullopt;
        return parameters ? std::optional(*result + "(" + (*parameters == "void" ? "" : *parameters) + ")") : std::nullopt;
    }

    static bool is_builtin(const std::string& type) {
        for (const auto& [code, written] : builtins)
            if (type == written) return true;
        return false;
    }

    using Rows = std::pair<std::string_view, std::string_view>;
    static constexpr std::string_view null_type = "decltype(nullptr)";
    static constexpr std::array<Rows, 3> qualifiers = {{{"r", " restrict"}, {"V", " volatile"}, {"K", " const"}}};
    static constexpr std::array<Rows, 4> pointers = {{{"P", "*"}, {"R", "&"}, {"O", "&&"}, {"Dp", "..."}}};
    static constexpr std::array<Rows, 7> usual = {{
        {"t", "std"},
        {"a", "std::allocator"},
        {"b", "std::basic_string"},
        {"s", "std::string"},
        {"i", "std::istream"},
        {"o", "std::ostream"},
        {"d", "std::iostream"},
    }};
    static constexpr std::array<Rows, 27> builtins = {{
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
        {"n", "__int128"},
        {"o", "unsigned __int128"},
        {"f", "float"},
        {"d", "double"},
        {"e", "long double"},
        {"w", "wchar_t"},
        {"z", "..."},
        {"Dh", "half"},
        {"DF16_", "_Float16"},
        {"DF16b", "std::bfloat16_t"},
        {"Di", "char32_t"},
        {"Ds", "char16_t"},
        {"Du", "char8_t"},
        {"Dn", null_type},
    }};

    std::string_view text_;
    size_t at_ = 0, depth_ = 0, letters_ = 0;
    std::vector<std::string> kept_;  // what S_, S0_, ... stand for
    std::string without_arguments_;  // the name before the first arguments of a template; empty: it has none
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
    return (is_local ? local_name(mangled) : MangledName(std::string_view(mangled).substr(2)).of_kernel()).value_or(mangled);
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
