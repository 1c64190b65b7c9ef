// From the text of observed.json to observations.
//
// The text becomes a JSON document whose depth is bounded, and the document becomes observations by a reader that
// collects complaints: each names the place in the document ("tests[3] \"mp\"") and what was expected there.
#include "gpu/run/observed_json.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/strict_json.h"

namespace litmus::gpu {

namespace {

using Parsed = nlohmann::json;

constexpr size_t most_bytes = size_t{128} << 20;
constexpr size_t most_complaints = 20;

// ---- JSON ---------------------------------------------------------------------------------------

Parsed parse_json(const SourcePtr& source) {
    try {
        return strict_json<Parsed>(source->text);
    } catch (const NoJson& error) {
        const bool is_short = error.span.begin >= source->text.size();
        throw Failure(
            make_source(source->name, source->text, false), error.span, error.what(),  // what is no JSON may be anything
            is_short ? "the file was cut short: copy it again, or run the tests again" : "`litmus-gpu run -o` writes these files");
    }
}

// ---- values -------------------------------------------------------------------------------------

// The bits that format_value writes so; nothing for any other text.
std::optional<uint64_t> parse_value(const std::string& text, Type type) {
    uint64_t bits = 0;
    const bool hexadecimal = is_float(type), negative = !hexadecimal && text.rfind('-', 0) == 0;
    const size_t skip = hexadecimal ? 2 : negative ? 1 : 0;
    if (text.size() <= skip) return std::nullopt;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + skip, end, bits, hexadecimal ? 16 : 10);
    if (error != std::errc() || rest != end) return std::nullopt;
    bits = truncate(negative ? 0 - bits : bits, litmus::bits(type));
    return format_value(bits, type) == text ? std::optional<uint64_t>(bits) : std::nullopt;
}

// ---- the document -------------------------------------------------------------------------------

class Reader {
public:
    explicit Reader(std::string file) : file_(std::move(file)) {}

    ObservedFile read(const Parsed& root) {
        if (!root.is_object()) fail("it is no JSON object");
        const Parsed* schema = find(root, "schema");
        if (schema == nullptr || *schema != "litmus-observed") fail("its `schema` is not \"litmus-observed\"");
        const Parsed* version = find(root, "version");
        if (version == nullptr || !whole_number(*version, 1, 2))
            fail("its `version` is " + (version == nullptr ? std::string("missing") : brief_json(*version)) +
                 ", and this tool reads versions 1 and 2");
        ObservedFile result;
        result.file = file_;
        result.header = header(root);
        for_each_of(root, "", "tests", true, [&](const Parsed& entry, const std::string& at) {
            if (std::optional<Observation> o = observation(entry, at)) result.observations.push_back(std::move(*o));
        });
        for_each_of(root, "", "skipped", false, [&](const Parsed& entry, const std::string& at) {
            result.header.skipped.push_back({text(entry, at, "name"), text(entry, at, "file"), text(entry, at, "reason")});
        });
        if (!complaints_.empty()) throw Failure(std::move(complaints_));
        return result;
    }

private:
    [[noreturn]] void fail(const std::string& why) const {
        throw Failure(nullptr, {}, "'" + file_ + "' is no observed.json: " + why, "`litmus-gpu run -o` writes these files");
    }

    void complain(const std::string& at, const std::string& what) {
        if (complaints_.size() == most_complaints) throw Failure(std::move(complaints_));
        complaints_.push_back({Diagnostic::Level::error, nullptr, {}, file_ + ": " + (at.empty() ? "" : at + ": ") + what, {}});
    }

    static const Parsed* find(const Parsed& object, const char* key) {
        const auto found = object.find(key);
        return found == object.end() ? nullptr : &*found;
    }

    // The value of a key that must be there and pass; else complains and gives null.
    const Parsed* expect(const Parsed& object, const std::string& at, const char* key, bool (*is)(const Parsed&), const char* wanted) {
        const Parsed* value = find(object, key);
        if (value != nullptr && is(*value)) return value;
        complain(at, "`" + std::string(key) + "` is " + (value == nullptr ? "missing" : brief_json(*value) + ", not " + wanted));
        return nullptr;
    }

    // Terminals act on control characters, and no name has any.
    static bool is_plain(const Parsed& value) {
        if (!value.is_string()) return false;
        const auto& text = value.get_ref<const std::string&>();
        return std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    }
    static bool is_count(const Parsed& value) { return whole_number<uint64_t>(value).has_value(); }
    static bool is_truth(const Parsed& value) { return value.is_boolean(); }
    static bool is_positive(const Parsed& value) { return value.is_number() && value.get<double>() >= 0; }
    static bool is_list(const Parsed& value) { return value.is_array(); }
    static bool is_object(const Parsed& value) { return value.is_object(); }

    std::string text(const Parsed& object, const std::string& at, const char* key) {
        const Parsed* value = expect(object, at, key, is_plain, "a text without control characters");
        return value == nullptr ? std::string() : value->get<std::string>();
    }
    uint64_t count(const Parsed& object, const std::string& at, const char* key) {
        const Parsed* value = expect(object, at, key, is_count, "a whole number from 0 to 2^64 - 1");
        return value == nullptr ? 0 : *whole_number<uint64_t>(*value);
    }
    bool truth(const Parsed& object, const std::string& at, const char* key) {
        const Parsed* value = expect(object, at, key, is_truth, "true or false");
        return value != nullptr && value->get<bool>();
    }
    double number(const Parsed& object, const std::string& at, const char* key) {
        const Parsed* value = expect(object, at, key, is_positive, "a number from 0 on");
        return value == nullptr ? 0 : value->get<double>();
    }

    template <typename Visit>
    void for_each_of(const Parsed& object, const std::string& at, const char* key, bool required, const Visit& visit) {
        if (!required && find(object, key) == nullptr) return;
        const Parsed* list = expect(object, at, key, is_list, "an array");
        if (list == nullptr) return;
        for (size_t i = 0; i < list->size(); ++i) {
            const std::string where = (at.empty() ? "" : at + ": ") + std::string(key) + "[" + std::to_string(i) + "]";
            if ((*list)[i].is_object())
                visit((*list)[i], where);
            else
                complain(where, "it is no object: " + brief_json((*list)[i]));
        }
    }

    RunHeader header(const Parsed& root) {
        RunHeader header;
        const Parsed* device = expect(root, "", "device", is_object, "an object");
        if (device == nullptr) return header;
        const auto small = [&](const char* key) {
            const uint64_t value = count(*device, "device", key);
            if (value > 1000000) complain("device", "`" + std::string(key) + "` is too large");
            return static_cast<int>(value % 1000001);
        };
        header.device = text(*device, "device", "name");
        header.sm = small("sm");
        header.driver = small("driver");
        if (const Parsed* command = find(root, "command"); command != nullptr && is_list(*command))
            for (const Parsed& word : *command) header.command.push_back(word.is_string() ? word.get<std::string>() : "?");
        return header;
    }

    std::optional<Observation> observation(const Parsed& entry, std::string at) {
        const size_t before = complaints_.size();
        names_.clear();
        outcomes_.clear();
        Observation o;
        o.test = text(entry, at, "name");
        if (complaints_.size() > before) return std::nullopt;
        at += " \"" + o.test.substr(0, 60) + "\"";
        o.file = text(entry, at, "file");
        o.hash = text(entry, at, "hash");
        if (!o.hash.empty() && (o.hash.rfind("fnv1a-", 0) != 0 || o.hash.size() != 22))
            complain(at, "`hash` is not \"fnv1a-\" and 16 digits");
        o.instances = count(entry, at, "instances");
        o.timeouts = count(entry, at, "timeouts");
        o.unlisted = count(entry, at, "unlisted");
        o.seconds = number(entry, at, "seconds");
        o.hung = truth(entry, at, "hung");
        if (find(entry, "tuned_seconds") != nullptr) o.tuned_seconds = number(entry, at, "tuned_seconds");
        if (find(entry, "tuned_instances") != nullptr) o.tuned_instances = count(entry, at, "tuned_instances");
        if (find(entry, "pinned") != nullptr) o.pinned = truth(entry, at, "pinned");
        if (find(entry, "compiled") != nullptr) o.compiled = compiled(entry, at);
        if (o.tuned_instances > o.instances) complain(at, "`tuned_instances` is more than `instances`");
        if (complaints_.size() > before) return std::nullopt;
        for_each_of(entry, at, "observables", true, [&](const Parsed& x, const std::string& where) { add_observable(o, x, where); });
        if (complaints_.size() > before) return std::nullopt;
        for_each_of(entry, at, "histogram", true, [&](const Parsed& x, const std::string& where) { add_outcome(o, x, where); });
        if (o.compiled) tell_order(o);
        if (complaints_.size() == before) check_sum(o, at);
        return complaints_.size() > before ? std::nullopt : std::optional<Observation>(std::move(o));
    }

    static void tell_order(Observation& o) {
        for (Outcome& outcome : o.outcomes) (o.compiled->in_order() ? outcome.in_order : outcome.disturbed) = outcome.count;
        for (const std::string& line : lines_of(*o.compiled)) o.disturbances.push_back(o.compiled->compiler + ": " + line);
    }

    Compiled compiled(const Parsed& entry, const std::string& at) {
        Compiled result;
        const Parsed* object = expect(entry, at, "compiled", is_object, "an object");
        if (object == nullptr) return result;
        result.compiler = text(*object, at, "compiler");
        for_each_of(*object, at, "moved", true, [&](const Parsed& x, const std::string& where) {
            result.moved.push_back({text(x, where, "thread"), text(x, where, "instruction"), text(x, where, "past")});
        });
        for_each_of(*object, at, "gone", true, [&](const Parsed& x, const std::string& where) {
            const std::string into = find(x, "into") == nullptr ? "" : text(x, where, "into");
            result.gone.push_back({text(x, where, "thread"), text(x, where, "instruction"), into});
        });
        return result;
    }

    void add_observable(Observation& o, const Parsed& entry, const std::string& at) {
        const std::string name = text(entry, at, "name");
        const std::string word = text(entry, at, "type");
        const std::optional<Type> type = type_named(word);
        if (!type) return complain(at, "there is no type '" + word.substr(0, 60) + "'");
        if (!names_.insert(name).second) return complain(at, "'" + name.substr(0, 60) + "' is there twice");
        o.observables.push_back({name, *type});
    }

    void add_outcome(Observation& o, const Parsed& entry, const std::string& at) {
        const Parsed* values = expect(entry, at, "outcome", is_object, "an object");
        Outcome outcome;
        outcome.count = count(entry, at, "count");
        outcome.satisfies = truth(entry, at, "satisfies");
        if (values == nullptr) return;
        if (values->size() != o.observables.size()) return complain(at, "`outcome` does not name what `observables` lists");
        for (const Observable& x : o.observables) {
            const Parsed* value = find(*values, x.name.c_str());
            if (value == nullptr) return complain(at, "`outcome` does not name '" + x.name + "', which `observables` lists");
            const std::optional<uint64_t> bits = value->is_string() ? parse_value(value->get<std::string>(), x.type) : std::nullopt;
            if (!bits)
                return complain(at, "'" + x.name + "' has no value of type ." + std::string(name(x.type)) + ": " + brief_json(*value));
            outcome.values.push_back(*bits);
        }
        if (!outcomes_.insert(outcome.values).second) return complain(at, "the outcome is there twice");
        o.outcomes.push_back(std::move(outcome));
    }

    // Every instance ends in one way; what a launch that hung was doing is not known.
    void check_sum(const Observation& o, const std::string& at) {
        uint64_t left = o.instances;
        const auto take = [&](uint64_t n) {
            const bool enough = n <= left;
            left -= enough ? n : 0;
            return enough;
        };
        bool enough = take(o.timeouts) && take(o.unlisted);
        for (const Outcome& outcome : o.outcomes) enough = enough && take(outcome.count);
        if (!enough) complain(at, "the counts add up to more than its " + std::to_string(o.instances) + " instances");
        if (enough && left > 0 && !o.hung) complain(at, "of its instances " + std::to_string(left) + " are not counted");
    }

    std::string file_;
    std::vector<Diagnostic> complaints_;
    std::set<std::string> names_;               // of the test's observables
    std::set<std::vector<uint64_t>> outcomes_;  // of its histogram
};

}  // namespace

SourcePtr read_observed_source(const std::string& path, const Budget& budget) {
    return read_source(path, {most_bytes, budget});
}

ObservedFile parse_observed(const SourcePtr& source) {
    return Reader(source->name).read(parse_json(source));
}

}  // namespace litmus::gpu
