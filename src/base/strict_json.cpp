// The library's lexer and grammar call the functions of a builder, which makes the value and looks at what the library does not.
#include "base/strict_json.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace litmus {

namespace {

// Reads a text, and says how far it was read.
class Reached {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    Reached(const char* at, const char** reached) : at_(at), reached_(reached) {}
    const char& operator*() const { return *at_; }
    Reached& operator++() {
        *reached_ = ++at_;
        return *this;
    }
    Reached operator++(int) {
        Reached before = *this;
        ++*this;
        return before;
    }
    bool operator==(const Reached& other) const { return at_ == other.at_; }

private:
    const char* at_;
    const char** reached_;
};

// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ... - unexpected X; last read: 'Y'"
// is "unexpected X".
std::string reason_of(const std::string& what) {
    constexpr size_t longest = 160;
    const size_t dash = what.rfind(" - ");
    const size_t bracket = what.find("] ");
    const std::string reason = what.substr(dash != std::string::npos ? dash + 3 : bracket != std::string::npos ? bracket + 2 : 0);
    return reason.substr(0, std::min(reason.find("; last read"), longest));
}

// The functions have the names that nlohmann::json_sax gives them.
template <typename Json>
class Builder {
public:
    Builder(std::string_view text, const Budget& budget) : text_(text), budget_(budget), reached_(text.data()) {}

    Json build() {
        // a NUL is the end for the library, whatever comes behind it
        if (const size_t nul = text_.find('\0'); nul != std::string_view::npos)
            throw NoJson("this is not JSON: a NUL character", span(nul, nul + 1));
        Json::sax_parse(Reached(text_.data(), &reached_), Reached(text_.data() + text_.size(), &reached_), this);
        return std::move(root_);
    }

    bool null() { return put(nullptr); }
    bool boolean(bool value) { return put(value); }
    bool number_integer(int64_t value) { return put(value); }
    bool number_unsigned(uint64_t value) { return put(value); }
    bool number_float(double value, const std::string&) { return put(value); }
    bool string(std::string& value) { return put(std::move(value)); }
    bool binary(typename Json::binary_t&) { return false; }  // of other formats
    bool start_object(size_t) { return open(Json::object()); }
    bool start_array(size_t) { return open(Json::array()); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }

    bool key(std::string& name) {
        if (!open_.back().keys.insert(name).second) refuse("this key is there twice", name.size() + 2);
        key_ = std::move(name);
        return true;
    }

    bool parse_error(size_t byte, const std::string&, const nlohmann::detail::exception& error) {
        const size_t at = std::min(byte > 0 ? byte - 1 : 0, text_.size());
        if (at == text_.size()) throw NoJson("the JSON text ends too early", span(at, at));
        throw NoJson("this is not JSON: " + reason_of(error.what()), span(at, at + 1));
    }

private:
    struct Open {
        Json* value = nullptr;
        std::unordered_set<std::string> keys;  // of an object, so far
    };
    static constexpr size_t values_to_check = 1024;  // between two looks at the budget

    static Span span(size_t begin, size_t end) { return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}; }

    // Throws NoJson at what was just read, which takes so many bytes.
    [[noreturn]] void refuse(const std::string& why, size_t bytes) const {
        const auto end = static_cast<size_t>(reached_ - text_.data());
        throw NoJson(why, span(end - std::min(end, bytes), end));
    }

    // The place that the value gets.
    Json& added(Json value) {
        if (++values_ % values_to_check == 0) budget_.check();
        if (open_.empty()) return root_ = std::move(value);
        Json& parent = *open_.back().value;
        if (parent.is_array()) return parent.template get_ref<typename Json::array_t&>().emplace_back(std::move(value));
        auto& members = parent.template get_ref<typename Json::object_t&>();
        if constexpr (std::is_same_v<Json, nlohmann::ordered_json>)  // its own way to add looks at all keys that there are
            return static_cast<typename Json::object_t::Container&>(members).emplace_back(std::move(key_), std::move(value)).second;
        else
            return members.emplace(std::move(key_), std::move(value)).first->second;
    }

    bool put(Json value) {
        added(std::move(value));
        return true;
    }

    bool open(Json value) {
        if (open_.size() == deepest_json) refuse("this is nested too deeply: more than " + std::to_string(deepest_json) + " levels", 1);
        Json& place = added(std::move(value));
        open_.push_back({&place, {}});
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    std::string_view text_;
    const Budget& budget_;
    const char* reached_;
    Json root_;
    std::vector<Open> open_;  // the objects and arrays that are not closed, outermost first; each stays where it is until it is
    std::string key_;         // of the value that comes next
    size_t values_ = 0;
};

}  // namespace

template <typename Json>
Json strict_json(std::string_view text, const Budget& budget) {
    return Builder<Json>(text, budget).build();
}

template nlohmann::json strict_json(std::string_view text, const Budget& budget);
template nlohmann::ordered_json strict_json(std::string_view text, const Budget& budget);

}  // namespace litmus
