// Conditions evaluated on observed values, and the two forms of a histogram.
#include "gpu/run/observed.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/decimal.h"
#include "base/hash.h"
#include "base/strict_json.h"
#include "base/visible.h"
#include "base/writing.h"
#include "language/origin.h"
#include "language/syntax/foreign/convert.h"
#include "language/syntax/native/print.h"
#include "ptx/value.h"

namespace litmus::gpu {

namespace {

struct Side {
    uint64_t value = 0;
    Type type = Type::u64;
};

// The word of a register or location of the condition; a register that nothing writes is 0.
Side side(const Test& test, const Plan& plan, const Term& term, const std::vector<uint64_t>& values) {
    size_t shown = 0;
    for (const Word& w : plan.words) {
        if (!w.shown) continue;
        const bool same = term.kind == Term::Kind::reg
                              ? w.kind == Word::Kind::reg && w.thread == term.thread && w.reg == term.name
                              : w.kind != Word::Kind::reg && w.element == term.element &&
                                    w.location == physical_location(test, location_index(test, term.name)) &&
                                    (term.cta < 0 || w.cta < 0 || plan.ctas[static_cast<size_t>(w.cta)].number == term.cta);
        if (same) return {truncate(values.at(shown), bits(w.type)), w.type};
        ++shown;
    }
    return {0, Type::u32};
}

// As event/describe.cpp: a constant takes the other side's type; of two values, the wider type.
bool holds_atom(const Test& test, const Plan& plan, const Condition& c, const std::vector<uint64_t>& values) {
    const bool left_constant = c.left.kind == Term::Kind::constant, right_constant = c.right.kind == Term::Kind::constant;
    if (left_constant && right_constant) return compare(c.comparison, Type::s64, c.left.value, c.right.value);
    const auto constant = [](const Term& t, Type type) {
        const bool number = t.is_float && !t.raw;
        return truncate(number ? float_bits(type, bit_cast<double>(t.value)) : t.value, bits(type));
    };
    const auto widened = [](const Side& s, Type type) {
        return truncate(is_signed(s.type) ? static_cast<uint64_t>(sign_extend(s.value, bits(s.type))) : s.value, bits(type));
    };
    Side left = left_constant ? Side{} : side(test, plan, c.left, values);
    Side right = right_constant ? Side{} : side(test, plan, c.right, values);
    if (left_constant) left = {constant(c.left, right.type), right.type};
    if (right_constant) right = {constant(c.right, left.type), left.type};
    const Type type = bits(left.type) >= bits(right.type) ? left.type : right.type;
    return compare(c.comparison, type, widened(left, type), widened(right, type));
}

bool holds(const Test& test, const Plan& plan, const Condition& c, const std::vector<uint64_t>& values) {
    const auto each = [&](const Condition& o) { return holds(test, plan, o, values); };
    switch (c.kind) {
        case Condition::Kind::constant:
            return c.value;
        case Condition::Kind::atom:
            return holds_atom(test, plan, c, values);
        case Condition::Kind::negation:
            return !each(c.operands.at(0));
        case Condition::Kind::conjunction:
            return std::all_of(c.operands.begin(), c.operands.end(), each);
        case Condition::Kind::disjunction:
            return std::any_of(c.operands.begin(), c.operands.end(), each);
    }
    return false;
}

std::string claim_text(const Test& test) {
    const std::string condition = "(" + print(test.claim.condition, test) + ")";
    switch (test.claim.kind) {
        case Claim::Kind::none:
            return {};
        case Claim::Kind::exists:
            return "exists " + condition;
        case Claim::Kind::not_exists:
            return "~exists " + condition;
        case Claim::Kind::forall:
            return "forall " + condition;
    }
    return {};
}

std::string line_of(const Observation& o, uint64_t count, bool marked, const std::string& outcome) {
    std::array<char, 64> numbers{};
    const double share = o.instances > 0 ? 100.0 * static_cast<double>(count) / static_cast<double>(o.instances) : 0;
    std::snprintf(numbers.data(), numbers.size(), "%14llu %12.7f %% %c ", static_cast<unsigned long long>(count), share,
                  marked ? '*' : ' ');
    return numbers.data() + outcome + "\n";
}

std::string values_text(const Observation& o, const Outcome& outcome) {
    std::string text;
    for (size_t i = 0; i < o.observables.size(); ++i)
        text += (i > 0 ? " " : "") + visible(o.observables[i].name) + "=" + format_value(outcome.values[i], o.observables[i].type) + ";";
    return text.empty() ? "(nothing is observed)" : text;
}

}  // namespace

std::string text_hash(const Test& test) {
    Test bare = without_origins(to_native(test));
    bare.doc.clear();
    bare.refs.clear();
    return "fnv1a-" + digits(litmus::fnv1a(print(bare)));
}

Observation describe(const Test& written, const Plan& plan, const std::string& file) {
    const Test test = to_native(written);
    Observation o;
    o.test = test.name;
    o.file = file;
    o.hash = text_hash(test);
    o.condition = claim_text(test);
    o.layout = plan.layout == Plan::ThreadLayout::packed ? "packed" : "grouped";
    o.target = "sm_" + std::to_string(plan.sm) + (plan.specific ? "a" : "");
    o.gpus = plan.gpus;
    for (const Word& w : plan.words)
        if (w.shown) o.observables.push_back({w.name, w.type});
    return o;
}

bool satisfied(const Test& test, const Plan& plan, const std::vector<uint64_t>& values) {
    return (!test.filter || holds(test, plan, *test.filter, values)) && holds(test, plan, test.claim.condition, values);
}

std::string to_text(const Observation& o) {
    std::array<char, 160> head{};
    const std::string gpus = o.gpus > 1 ? ", " + std::to_string(o.gpus) + " GPUs" : "";
    const double rate = o.seconds > 0 ? static_cast<double>(o.instances) / o.seconds : 0;
    std::snprintf(head.data(), head.size(), " (%s, %s%s): %llu instances in %.2f s, %.3g a second\n", o.layout.c_str(), o.target.c_str(),
                  gpus.c_str(), static_cast<unsigned long long>(o.instances), o.seconds, rate);
    std::string text = "Test " + visible(o.test) + head.data();
    uint64_t witnesses = 0;
    for (const Outcome& outcome : o.outcomes) {
        text += line_of(o, outcome.count, outcome.satisfies && !o.condition.empty(), values_text(o, outcome));
        if (outcome.satisfies) witnesses += outcome.count;
    }
    if (o.timeouts > 0) text += line_of(o, o.timeouts, false, "(timed out)");
    if (o.unlisted > 0) text += line_of(o, o.unlisted, false, "(further outcomes)");
    if (o.compiled)
        for (const std::string& line : lines_of(*o.compiled)) text += visible(o.compiled->compiler + ": " + line) + "\n";
    if (o.hung) text += "a launch did not end; this is what was read before it\n";
    if (!o.condition.empty()) text += "Condition " + visible(o.condition) + ": " + std::to_string(witnesses) + " marked * satisfy it\n";
    return text;
}

// Outcomes listed of one test: one that observes opaque state may have as many as instances.
constexpr size_t most_outcomes = 1024;

void add(Observation& to, const Observation& slice, bool tuning) {
    to.instances += slice.instances;
    to.launches += slice.launches;
    to.timeouts += slice.timeouts;
    to.unlisted += slice.unlisted;
    to.seconds += slice.seconds;
    if (tuning) {
        to.tuned_instances += slice.instances;
        to.tuned_seconds += slice.seconds;
    }
    std::map<std::vector<uint64_t>, size_t> known;
    for (size_t o = 0; o < to.outcomes.size(); ++o) known[to.outcomes[o].values] = o;
    for (const Outcome& o : slice.outcomes) {
        if (known.count(o.values) == 0 && known.size() >= most_outcomes) {
            to.unlisted += o.count;
            continue;
        }
        const auto [place, is_new] = known.emplace(o.values, to.outcomes.size());
        if (is_new) to.outcomes.push_back({o.values, 0, o.satisfies, 0});
        to.outcomes[place->second].count += o.count;
        if (tuning) to.outcomes[place->second].tuned += o.count;
    }
    std::sort(to.outcomes.begin(), to.outcomes.end(),
              [](const Outcome& a, const Outcome& b) { return a.count != b.count ? a.count > b.count : a.values < b.values; });
}

std::string configuration_text(const Stresses& all) {
    const nlohmann::ordered_json usual = stress_json({});
    std::string text;
    for (const Stress& stress : all) {
        const nlohmann::ordered_json parameters = stress_json(stress);
        std::string line;
        for (const auto& [key, value] : parameters.items())
            if (value != usual[key]) line += (line.empty() ? "" : ", ") + key + " " + value.dump();
        text += (text.empty() ? "" : "\nin turn with ") + (line.empty() ? "untuned" : line);
    }
    return text;
}

void write_file(const std::string& path, const std::string& text) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
        const int descriptor = open_to_write(path);
        const int error = descriptor < 0 ? errno : write_and_close(descriptor, text);
        if (error != 0) throw std::runtime_error("cannot write '" + path + "': " + writing_error(error));
        return;
    }
    const std::string written = path + ".tmp";
    std::ofstream file(written, std::ios::binary);
    file << text;
    file.close();
    if (file.fail()) {
        fs::remove(written, ignored);
        throw std::runtime_error("cannot write '" + written + "': " + std::strerror(errno));
    }
    std::error_code error;
    fs::rename(written, path, error);
    if (error) {
        fs::remove(written, ignored);
        throw std::runtime_error("cannot write '" + path + "': " + error.message());
    }
}

namespace {

using nlohmann::ordered_json;

ordered_json entry_of(const Skipped& s) {
    return {{"name", s.test}, {"file", s.file}, {"reason", s.reason}};
}

ordered_json compiled_json(const Compiled& compiled) {
    ordered_json moved = ordered_json::array(), gone = ordered_json::array();
    for (const MovedInstruction& m : compiled.moved)
        moved.push_back({{"thread", m.thread}, {"instruction", m.instruction}, {"past", m.past}});
    for (const GoneInstruction& g : compiled.gone) {
        gone.push_back({{"thread", g.thread}, {"instruction", g.instruction}});
        if (!g.into.empty()) gone.back()["into"] = g.into;
    }
    return {{"compiler", compiled.compiler}, {"moved", moved}, {"gone", gone}};
}

ordered_json document(const RunHeader& header, const std::vector<Observation>& observations) {
    ordered_json root;
    root["schema"] = "litmus-observed";
    root["version"] = 2;
    root["device"] = {{"name", header.device},
                      {"sm", header.sm},
                      {"driver", header.driver},
                      {"multiprocessors", header.multiprocessors},
                      {"memory", header.memory}};
    root["toolkit"] = header.toolkit;
    root["seed"] = header.seed;
    root["command"] = header.command;
    if (!header.configuration.empty()) root["configuration"] = stresses_json(header.configuration);
    root["tests"] = ordered_json::array();
    for (const Observation& o : observations) {
        ordered_json test = {{"name", o.test},       {"file", o.file},         {"hash", o.hash},           {"condition", o.condition},
                             {"layout", o.layout},   {"target", o.target},     {"instances", o.instances}, {"launches", o.launches},
                             {"seconds", o.seconds}, {"timeouts", o.timeouts}, {"unlisted", o.unlisted},   {"hung", o.hung}};
        if (o.gpus > 1) test["gpus"] = o.gpus;
        if (o.pinned) test["pinned"] = true;
        if (o.compiled) test["compiled"] = compiled_json(*o.compiled);
        if (o.configuration != header.configuration) test["configuration"] = stresses_json(o.configuration);
        test["tuned_seconds"] = o.tuned_seconds;
        test["tuned_instances"] = o.tuned_instances;
        test["observables"] = ordered_json::array();
        for (const Observable& x : o.observables) test["observables"].push_back({{"name", x.name}, {"type", std::string(name(x.type))}});
        test["histogram"] = ordered_json::array();
        for (const Outcome& outcome : o.outcomes) {
            ordered_json values = ordered_json::object();
            for (size_t i = 0; i < o.observables.size(); ++i)
                values[o.observables[i].name] = format_value(outcome.values[i], o.observables[i].type);
            test["histogram"].push_back(
                {{"outcome", values}, {"count", outcome.count}, {"tuned", outcome.tuned}, {"satisfies", outcome.satisfies}});
        }
        root["tests"].push_back(test);
    }
    root["skipped"] = ordered_json::array();
    for (const Skipped& s : header.skipped) root["skipped"].push_back(entry_of(s));
    return root;
}

// A list with a line for each of its members, which `line` writes.
template <typename Line>
std::string lines_of(const ordered_json& list, const std::string& indent, const Line& line) {
    std::string text;
    for (const ordered_json& member : list) text += (text.empty() ? "\n" : ",\n") + indent + "  " + line(member);
    return "[" + text + (text.empty() ? "]" : "\n" + indent + "]");
}

// A configuration, or several in turn: a line for each.
std::string configuration_lines(const ordered_json& one_or_several, const std::string& indent) {
    const auto line = [](const ordered_json& configuration) { return configuration.dump(); };
    return one_or_several.is_array() ? lines_of(one_or_several, indent, line) : line(one_or_several);
}

// What a test was and showed, on one line, and then its configuration.
std::string test_lines(ordered_json test) {
    if (!test.is_object() || !test.contains("configuration")) return test.dump();
    const std::string configuration = configuration_lines(test["configuration"], "     ");
    test.erase("configuration");
    std::string line = test.dump();
    line.pop_back();
    return line + (test.empty() ? "" : ",") + "\n     \"configuration\":" + configuration + "}";
}

// A line for each entry of the document, each test, each configuration and each test that was skipped, so that a difference of two
// files is one of tests.
std::string text_of(const ordered_json& document) {
    std::string text;
    for (const auto& [key, value] : document.items()) {
        std::string line = value.dump();
        if (key == "configuration") line = configuration_lines(value, "  ");
        if (key == "tests") line = lines_of(value, "  ", test_lines);
        if (key == "skipped") line = lines_of(value, "  ", [](const ordered_json& skipped) { return skipped.dump(); });
        text += (text.empty() ? "" : ",\n") + ("  " + ordered_json(key).dump()) + ": " + line;
    }
    return "{\n" + text + "\n}\n";
}

// What was written by document().
ordered_json read_document(const std::string& text) {
    ordered_json root;
    try {
        root = strict_json<ordered_json>(text);
    } catch (const NoJson&) {  // it stays null
    }
    const auto has = [&](const char* key) { return root.contains(key) && root[key].is_array(); };
    if (!root.is_object() || !has("tests") || !has("skipped"))
        throw std::runtime_error("the results that were written before cannot be read again: something else has written to their file");
    return root;
}

}  // namespace

std::string to_json(const RunHeader& header, const std::vector<Observation>& observations) {
    return text_of(document(header, observations));
}

std::string to_json(const RunHeader& header, const std::vector<Observation>& observations, const std::string& earlier) {
    ordered_json root = document(header, observations), before = read_document(earlier);
    for (const char* key : {"tests", "skipped"}) {
        ordered_json& all = before[key];
        all.insert(all.end(), root[key].begin(), root[key].end());
        root[key] = std::move(all);
    }
    return text_of(root);
}

std::string with_skipped(const std::string& text, const Skipped& skipped) {
    ordered_json root = read_document(text);
    root["skipped"].push_back(entry_of(skipped));
    return text_of(root);
}

}  // namespace litmus::gpu
