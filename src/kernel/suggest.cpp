// Where a parameter goes is followed through registers of 64 bits, along the text: a guess, which no path of the kernel is asked for.
#include "kernel/suggest.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "kernel/dimensions.h"
#include "kernel/likely_launch.h"
#include "ptx/type.h"

namespace litmus::kernel {

namespace {

constexpr uint32_t address_bytes = 8, bytes_of_map = 128;

// Something that is loaded from a byte of a parameter on.
struct Loaded {
    std::string type;  // "u64"
    uint32_t bytes = 0;
    bool is_pointer = false;
    bool is_alone = false;                // as a pointer: nothing else of the parameters is in the address
    std::string element = {};             // of the array that it points to
    uint64_t each = 1;                    // elements of one access
    std::optional<size_t> map_rank = {};  // it is a tensor map, or points to one, of so many dimensions; 0: nothing says of how many
};

// The type that an instruction has for its elements, as arrays are written; empty: none.
std::string element_of(const std::vector<std::string>& words) {
    for (auto word = words.rbegin(); word != words.rend(); ++word) {
        const auto type = type_named(*word);
        if (!type || bits(*type) < 8 || bits(*type) > 64) continue;
        return (*word)[0] == 'b' && (*word)[1] != 'f' ? "u" + word->substr(1) : *word;
    }
    return {};
}

// How many elements one access has: of a vector, or of a copy of so many bytes, which counts words.
uint64_t elements_of(const Statement& statement) {
    constexpr uint64_t word_bytes = 4, most_bytes = 1 << 16;
    uint64_t most = 1;
    for (const std::string& word : statement.words)
        if (word == "v2" || word == "v4" || word == "v8") most = static_cast<uint64_t>(word[1] - '0');
    if (statement.words[0] != "cp") return most;
    for (const Argument& argument : statement.arguments)
        if (argument.kind == Argument::Kind::immediate && argument.bits <= most_bytes) most = std::max(most, argument.bits / word_bytes);
    return most;
}

class Uses {
public:
    explicit Uses(const Function& entry) : from_(entry.registers.size()), at_(entry.registers.size()) {
        for (size_t p = 0; p < entry.parameters.size(); ++p) number_.emplace(entry.parameters[p].name, p);
        for (const int pass : {0, 1})  // what a loop carries comes round once
            for (const Statement& statement : entry.code) read(statement, pass == 1);
    }

    // The loads of a parameter, by their bytes, and the tensor maps in it.
    std::map<uint32_t, Loaded> of(size_t parameter) const {
        std::map<uint32_t, Loaded> result;
        for (const auto& [place, loaded] : loaded_)
            if (place.first == parameter) result.emplace(place.second, loaded);
        return result;
    }

private:
    using Place = std::pair<size_t, uint32_t>;  // of a parameter, a byte

    void read(const Statement& statement, bool again) {
        const std::vector<std::string>& words = statement.words;
        if (words.empty() || statement.arguments.empty()) return;
        if (words[0] == "ld" && load(statement)) return;
        for (const Argument& argument : statement.arguments)
            if (argument.kind == Argument::Kind::address && !argument.elements.empty()) access(statement, argument, again);
        if (words[0] == "st" && words.size() > 1 && words[1] == "param" && again)
            for (const Argument& argument : statement.arguments) mark({{}, 1, {}}, argument, true);  // passed to a function
        static const std::set<std::string> passing{"mov", "cvta", "add", "sub", "mad", "selp", "and", "or"};
        if (!passing.contains(words[0]) || statement.arguments.front().kind != Argument::Kind::reg) return;
        const auto result = static_cast<size_t>(statement.arguments.front().reg);
        at_[result] = place_of(statement);
        for (const Argument& argument : statement.arguments) {
            if (argument.kind != Argument::Kind::reg || argument.reg < 0) continue;
            const std::set<Place> places = from_[static_cast<size_t>(argument.reg)];
            if (words[0] == "cvta")
                for (const Place& place : places) note_pointer(place, places.size() == 1);
            from_[result].insert(places.begin(), places.end());
        }
    }

    // The byte of a parameter whose address this is: the parameter by its name, or a register with such an address.
    std::optional<Place> place_of(const Argument& base, int64_t offset) const {
        std::optional<Place> place;
        if (base.kind == Argument::Kind::reg && base.reg >= 0) place = at_[static_cast<size_t>(base.reg)];
        const auto parameter = number_.find(base.name);
        if (base.kind == Argument::Kind::symbol && parameter != number_.end())
            place = {parameter->second, static_cast<uint32_t>(base.offset)};
        if (place) place->second += static_cast<uint32_t>(offset);
        return place;
    }

    // The same of what an instruction computes: such an address, and a number that is added to it.
    std::optional<Place> place_of(const Statement& statement) const {
        const std::vector<Argument>& operands = statement.arguments;
        if (statement.words[0] == "add" && operands.size() == 3)
            return operands[2].kind == Argument::Kind::immediate ? place_of(operands[1], static_cast<int64_t>(operands[2].bits))
                                                                 : std::nullopt;
        const bool copies = (statement.words[0] == "mov" || statement.words[0] == "cvta") && operands.size() == 2;
        return copies ? place_of(operands[1], 0) : std::nullopt;
    }

    // Whether it is the load of a parameter.
    bool load(const Statement& statement) {
        const Argument& from = statement.arguments.back();
        if (from.kind != Argument::Kind::address || from.elements.empty()) return false;
        const auto begin = place_of(from.elements.front(), from.offset);
        const auto type = type_named(statement.words.back());
        if (!begin || !type || bits(*type) < 8) return false;
        const auto bytes = static_cast<uint32_t>(bits(*type) / 8);
        const Argument& to = statement.arguments.front();
        const bool is_vector = to.kind == Argument::Kind::vector;
        for (size_t i = 0; i < (is_vector ? to.elements.size() : 1); ++i) {
            const Argument& result = is_vector ? to.elements[i] : to;
            const Place place{begin->first, begin->second + static_cast<uint32_t>(i) * bytes};
            loaded_.emplace(place, Loaded{statement.words.back(), bytes});
            if (bytes == address_bytes && result.kind == Argument::Kind::reg && result.reg >= 0)
                from_[static_cast<size_t>(result.reg)].insert(place);
        }
        return true;
    }

    // An address with coordinates behind it is that of a tensor map (ISA 9.7.9.27), and so is that of an instruction on tensor maps.
    void access(const Statement& statement, const Argument& address, bool again) {
        const std::vector<std::string>& words = statement.words;
        const auto has_word = [&](const char* begin) {
            return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return word.rfind(begin, 0) == 0; });
        };
        std::optional<size_t> rank;
        if (has_word("tensormap")) rank = 0;
        if (has_word("tensor") && address.elements.size() > 1) {
            const Argument& coordinates = address.elements.back();
            rank = coordinates.kind == Argument::Kind::vector ? coordinates.elements.size() : address.elements.size() - 1;
        }
        const auto in_parameter = place_of(address.elements.front(), address.offset);
        if (in_parameter) {
            if (!rank) return;
            Loaded& map = loaded_[*in_parameter];
            map.bytes = bytes_of_map;
            map.map_rank = std::max(map.map_rank, rank);
            return;
        }
        mark({element_of(words), elements_of(statement), rank}, address.elements.front(), again);
    }

    struct Access {
        std::string element;
        uint64_t each = 1;
        std::optional<size_t> map_rank = {};
    };

    void note_pointer(const Place& place, bool is_alone) {
        Loaded& loaded = loaded_.at(place);
        loaded.is_pointer = true;
        loaded.is_alone = loaded.is_alone || is_alone;
    }

    // Memory is accessed there. Where one of several parameters in an address is known to be a pointer, the others are numbers.
    void mark(const Access& access, const Argument& at, bool again) {
        if (at.kind != Argument::Kind::reg || at.reg < 0) return;
        const std::set<Place>& places = from_[static_cast<size_t>(at.reg)];
        const bool is_known = std::any_of(places.begin(), places.end(), [&](const Place& place) { return loaded_.at(place).is_pointer; });
        for (const Place& place : places) {
            Loaded& loaded = loaded_.at(place);
            if (!is_known && again) note_pointer(place, places.size() == 1);
            if (!loaded.is_pointer) continue;
            if (loaded.element.empty()) loaded.element = access.element;
            loaded.each = std::max(loaded.each, access.each);
            loaded.map_rank = std::max(loaded.map_rank, access.map_rank);
        }
    }

    std::map<std::string, size_t> number_;  // of each parameter
    std::map<Place, Loaded> loaded_;
    std::vector<std::set<Place>> from_;     // by register: what an address in it may come from
    std::vector<std::optional<Place>> at_;  // by register: the byte of a parameter whose address it has
};

// Boxes of two dimensions, as most copies have them.
std::string map_text(size_t rank) {
    constexpr size_t usual_rank = 2;
    std::string sizes, box;
    for (size_t left = rank == 0 ? usual_rank : rank; left > 0; --left) {
        sizes += left > usual_rank ? "2," : left > 1 ? "64," : "64";
        box += left > usual_rank ? "1," : left > 1 ? "64," : "64";
    }
    return "tensor(u16[" + sizes + "],box=" + box + ")";
}

std::string array_text(const Loaded& loaded, uint64_t threads) {
    constexpr uint64_t rounds = 4;  // of a loop over the elements
    return (loaded.element.empty() ? "u32" : loaded.element) + "[" + std::to_string(rounds * threads * loaded.each) + "]";
}

// The members of a struct that are loaded, or are tensor maps. One that does not lie right behind the member before it has its byte.
std::string struct_text(const Parameter& parameter, const std::map<uint32_t, Loaded>& loaded, uint64_t threads) {
    const auto aligned = [](uint32_t at, uint32_t align) { return (at + align - 1) / align * align; };
    std::vector<std::string> members;
    bool has_places = false;
    uint32_t end = 0;
    for (const auto& [at, one] : loaded) {
        if (at < end || uint64_t{at} + one.bytes > parameter.bytes) continue;  // a part of what stands there
        const bool is_map = !one.is_pointer && one.map_rank;
        const bool is_next = at == aligned(end, is_map ? std::clamp(parameter.align, bytes_of_map / 2, bytes_of_map) : one.bytes);
        has_places = has_places || !is_next;
        members.push_back((is_next ? "" : "[" + std::to_string(at) + "]=") + (is_map           ? map_text(*one.map_rank)
                                                                              : one.is_pointer ? array_text(one, threads)
                                                                                               : one.type + ":1"));
        end = at + one.bytes;
    }
    if (!members.empty() && !has_places && aligned(end, parameter.align) != parameter.bytes) members.front().insert(0, "[0]=");
    std::string text;
    for (const std::string& member : members) text += (text.empty() ? "" : ",") + member;
    return "{" + text + "}";
}

std::string value_text(const Parameter& parameter, const std::map<uint32_t, Loaded>& loaded, uint64_t threads) {
    const bool is_struct = parameter.bytes > address_bytes || parameter.type == "b8";
    const Loaded first = loaded.contains(0) ? loaded.at(0) : Loaded{};
    // nothing but a tensor map has this size and alignment in most programs
    const bool is_map = parameter.bytes == bytes_of_map && (loaded.empty() || first.map_rank || parameter.align >= bytes_of_map / 2);
    if (is_map) return map_text(first.map_rank.value_or(0));
    if (is_struct) return struct_text(parameter, loaded, threads);
    if (first.map_rank) return map_text(*first.map_rank);
    if (first.is_pointer) return array_text(first, threads);
    return parameter.type[0] == 'f' ? "1.0" : "1";
}

// Whether the argument is a number, or has a member that is loaded and is one.
bool has_guessed_number(const std::string& argument) {
    const std::string value = argument.substr(argument.find('=') + 1);
    return value == "1" || value == "1.0" || value.find(":1,") != std::string::npos || value.find(":1}") != std::string::npos;
}

std::string given_name(const std::string& argument) {
    return argument.substr(0, argument.find('='));
}

// Who copies tiles in bulk has as much as there is: 227 KiB, of which variables of a known size have their part.
uint64_t likely_shared(const Module& module, const Function& entry) {
    constexpr uint64_t usual = 16 << 10, most = 227 << 10, unit = 1 << 10;
    const auto is_bulk = [](const Statement& one) {
        return !one.words.empty() && one.words[0] == "cp" && std::find(one.words.begin(), one.words.end(), "bulk") != one.words.end();
    };
    if (std::none_of(entry.code.begin(), entry.code.end(), is_bulk)) return usual;
    uint64_t taken = 0;
    for (const std::vector<Variable>* variables : {&module.variables, &entry.variables})
        for (const Variable& one : *variables)
            if (one.space == StateSpace::shared) taken += std::min(one.bytes, most) + one.align;
    return std::max(usual, (most - std::min(taken, most)) / unit * unit);
}

constexpr uint64_t most_counted = 1 << 20;

// How many "16,4" are; 0: none, as of a text that is no numbers.
uint64_t count_in(const std::string& dimensions) {
    uint64_t count = dimensions.empty() ? 0 : 1;
    for (size_t at = 0; at < dimensions.size(); at = std::min(dimensions.find(',', at), dimensions.size()) + 1)
        count = std::min<uint64_t>(count * std::strtoull(dimensions.c_str() + at, nullptr, 10), most_counted);
    return count;
}

}  // namespace

std::string element_behind(const Function& entry, size_t parameter) {
    const std::map<uint32_t, Loaded> loaded = Uses(entry).of(parameter);
    const auto whole = loaded.find(0);
    return whole != loaded.end() && whole->second.is_alone ? whole->second.element : "";
}

Suggestion suggested_options(const Module& module, const Function& entry, const LaunchTexts& said) {
    Suggestion result;
    std::vector<std::string>& options = result.options;
    const auto add = [&](const char* option, const std::string& value) { options.insert(options.end(), {option, value}); };
    if (!said.entry.empty()) add("--entry", said.entry);
    const bool has_cluster = entry.cluster[0] != 0;
    const uint32_t ranks = entry.explicit_cluster ? std::max(likely_cluster(entry), 2U) : likely_cluster(entry);
    const std::string cluster = !said.cluster.empty() ? said.cluster : has_cluster ? text_of(entry.cluster) : std::to_string(ranks);
    Dimensions blocks = has_cluster ? entry.cluster : likely_grid(entry);
    if (!has_cluster) blocks[0] = std::max(blocks[0], ranks);
    const std::string grid = count_in(said.grid) > 0 ? said.grid : text_of(blocks);
    const std::string block = count_in(said.block) > 0   ? said.block
                              : entry.block[0] != 0      ? text_of(entry.block)
                              : entry.most_block[0] != 0 ? text_of(entry.most_block)
                                                         : text_of(likely_block(entry));
    add("--grid", grid);
    add("--block", block);
    if (!said.cluster.empty() || has_cluster || ranks > 1) add("--cluster", cluster);
    const auto is_dynamic = [](const Variable& one) { return one.space == StateSpace::shared && one.bytes == 0; };
    const bool has_dynamic = std::any_of(module.variables.begin(), module.variables.end(), is_dynamic);
    if (said.shared_bytes > 0 || has_dynamic)
        add("--shared", std::to_string(said.shared_bytes > 0 ? said.shared_bytes : likely_shared(module, entry)));

    const auto asks = [](const Statement& one) { return !one.words.empty() && one.words[0] == "clusterlaunchcontrol"; };
    if (said.unlaunched > 0 || std::any_of(entry.code.begin(), entry.code.end(), asks))
        add("--unlaunched", std::to_string(std::max(said.unlaunched, 1U)));

    const uint64_t threads = std::min(count_in(grid) * count_in(block), most_counted);
    const Uses uses(entry);
    const auto is_of_nvcc = [](const Parameter& one) { return one.name.find("_param_") != std::string::npos; };
    const bool has_names = std::none_of(entry.parameters.begin(), entry.parameters.end(), is_of_nvcc);
    std::set<std::string> named;
    for (const std::string& argument : said.arguments) named.insert(given_name(argument));
    const auto is_named = [&](const Parameter& one) { return named.contains(one.name); };
    const bool by_name = std::any_of(entry.parameters.begin(), entry.parameters.end(), is_named);
    for (const std::string& argument : said.arguments) add("--arg", argument);
    for (size_t p = 0; p < entry.parameters.size(); ++p) {
        const Parameter& parameter = entry.parameters[p];
        if (by_name ? is_named(parameter) : p < said.arguments.size()) continue;
        const std::string name = by_name || (has_names && said.arguments.empty()) ? parameter.name : "p" + std::to_string(p);
        const std::string argument = name + "=" + value_text(parameter, uses.of(p), threads);
        if (has_guessed_number(argument)) result.guessed.push_back(argument);
        add("--arg", argument);
    }
    return result;
}

}  // namespace litmus::kernel
