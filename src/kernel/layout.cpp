#include "kernel/layout.h"

#include <algorithm>
#include <cctype>

namespace litmus::kernel {

namespace {

uint64_t aligned(uint64_t at, uint64_t align) {
    return align <= 1 ? at : (at + align - 1) / align * align;
}

void put(std::vector<uint8_t>& bytes, uint64_t at, uint64_t value, size_t count) {
    if (bytes.size() < at + count) bytes.resize(at + count);
    for (size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

uint64_t address_of_array(size_t array) {
    return window::global + array * window::global_stride;
}

// The last identifier of a name that a C++ compiler mangled: `buf` of _ZZ11ws_pipelineE3buf. Identifiers stand there with their lengths;
// other names stay.
std::string last_identifier(const std::string& mangled) {
    if (mangled.rfind("_Z", 0) != 0) return mangled;
    std::string last;
    for (size_t at = 2; at < mangled.size();) {
        if (!std::isdigit(static_cast<unsigned char>(mangled[at]))) {
            ++at;
            continue;
        }
        size_t length = 0;
        while (at < mangled.size() && std::isdigit(static_cast<unsigned char>(mangled[at])) && length < mangled.size())
            length = 10 * length + static_cast<size_t>(mangled[at++] - '0');
        if (length == 0 || at + length > mangled.size()) continue;
        last = mangled.substr(at, length);
        at += length;
    }
    return last.empty() ? mangled : last;
}

}  // namespace

// ---- geometry ---------------------------------------------------------------------------------------------------------------------

Dimensions Geometry::clusters() const {
    return {launch_.grid[0] / launch_.cluster[0], launch_.grid[1] / launch_.cluster[1], launch_.grid[2] / launch_.cluster[2]};
}

Dimensions Geometry::cluster_index(uint32_t block) const {
    const Dimensions at = block_index(block);
    return {at[0] / launch_.cluster[0], at[1] / launch_.cluster[1], at[2] / launch_.cluster[2]};
}

Dimensions Geometry::index_in_cluster(uint32_t block) const {
    const Dimensions at = block_index(block);
    return {at[0] % launch_.cluster[0], at[1] % launch_.cluster[1], at[2] % launch_.cluster[2]};
}

uint32_t Geometry::block_of_rank(uint32_t block, uint32_t rank) const {
    const Dimensions cluster = cluster_index(block), inside = split(rank, launch_.cluster);
    Dimensions at{};
    for (size_t d = 0; d < 3; ++d) at[d] = cluster[d] * launch_.cluster[d] + inside[d];
    return join(at, launch_.grid);
}

// ---- ranges ------------------------------------------------------------------------------------------------------------------------

Layout::Layout(const Module& module, const Launch& launch, const Function& entry) : module_(module), launch_(launch), entry_(entry) {
    for (const Array& array : launch.arrays) {
        const uint64_t begin = address_of_array(objects_.size());
        global_[begin] = {begin, array.bytes.size(), objects_.size()};
        objects_.push_back({unique_name(array.name), Space::global, array.type, true, 256, array.bytes});
        for (const Pointer& pointer : array.pointers) put(objects_.back().bytes, pointer.at, address_of_array(pointer.array), 8);
    }
    for (const Variable& variable : module.variables) {
        if (variable.space == StateSpace::global) add_global(variable);
        if (variable.space != StateSpace::constant) continue;
        const uint64_t begin = aligned(constants_.size(), std::max<uint64_t>(variable.align, 16));
        addresses_[&variable] = window::constant + begin;
        constants_.resize(begin + variable.bytes);
        std::copy(variable.init.begin(), variable.init.end(), constants_.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    // Variables with a size first; dynamic shared memory, which all arrays without one share, after them (5.1.7, 5.4.1).
    shared_bytes_ = window::first_shared;
    const auto add_sized = [&](const std::vector<Variable>& variables) {
        for (const Variable& variable : variables) {
            if (variable.space == StateSpace::shared && variable.bytes > 0) add_shared(variable);
            if (variable.space == StateSpace::global && &variables != &module_.variables) add_global(variable);
        }
    };
    add_sized(module.variables);
    for (const Function& function : module.functions)
        if (&function == &entry_ || !function.entry) add_sized(function.variables);
    std::vector<const Variable*> dynamic;
    for (const Variable& variable : module.variables)
        if (variable.space == StateSpace::shared && variable.bytes == 0) dynamic.push_back(&variable);
    for (const Variable& variable : entry_.variables)
        if (variable.space == StateSpace::shared && variable.bytes == 0) dynamic.push_back(&variable);
    if (!dynamic.empty()) {
        Variable all = *dynamic.front();
        for (const Variable* variable : dynamic) all.align = std::max(all.align, variable->align);
        all.bytes = launch.shared_bytes;
        add_shared(all);
        for (const Variable* variable : dynamic) addresses_[variable] = addresses_[&all];
        addresses_.erase(&all);
    }
    lay_out_frames();
}

void Layout::add_global(const Variable& variable) {
    const uint64_t begin = window::global + objects_.size() * window::global_stride;
    addresses_[&variable] = begin;
    global_[begin] = {begin, variable.bytes, objects_.size()};
    Object object{unique_name(variable.name), Space::global, Type::u32, false, std::max(variable.align, 1U), variable.init};
    object.bytes.resize(variable.bytes);
    objects_.push_back(std::move(object));
}

void Layout::add_shared(const Variable& variable) {
    const uint64_t begin = aligned(shared_bytes_, variable.align);
    addresses_[&variable] = begin;
    shared_bytes_ = static_cast<uint32_t>(begin + variable.bytes);
    if (variable.bytes > 0) shared_[begin] = {begin, variable.bytes, objects_.size()};
    objects_.push_back(
        {unique_name(variable.name), Space::shared, Type::u32, false, std::max(variable.align, 1U), std::vector<uint8_t>(variable.bytes)});
}

// Parameters of the kernel lie one after the other; what a function has of its own (.local, .param of calls, its parameters and
// results) has offsets into the frame of a call.
void Layout::lay_out_frames() {
    for (size_t p = 0; p < entry_.parameters.size(); ++p) {
        const Parameter& parameter = entry_.parameters[p];
        const uint64_t begin = aligned(parameters_.size(), parameter.align);
        parameter_offsets_[parameter.name] = begin;
        parameters_.resize(begin + parameter.bytes);
        if (p >= launch_.arguments.size()) continue;
        const Value& value = launch_.arguments[p];
        for (size_t i = 0; i < std::min<size_t>(value.bytes.size(), parameter.bytes); ++i) parameters_[begin + i] = value.bytes[i];
        for (const Pointer& pointer : value.pointers) put(parameters_, begin + pointer.at, address_of_array(pointer.array), 8);
    }
    for (const Function& function : module_.functions) {
        uint64_t end = 0;
        auto& offsets = frames_[&function];
        const auto add = [&](const std::string& name, uint64_t bytes, uint64_t align) {
            offsets[name] = end = aligned(end, std::max<uint64_t>(align, 8));
            end += bytes;
        };
        for (const Variable& variable : function.variables)
            if (variable.space == StateSpace::local || variable.space == StateSpace::param)
                add(variable.name, variable.bytes, variable.align);
        for (const Variable& variable : module_.variables)
            if (variable.space == StateSpace::local) add(variable.name, variable.bytes, variable.align);
        if (function.entry) continue;
        for (const Parameter& parameter : function.parameters) add(parameter.name, parameter.bytes, parameter.align);
        for (const Parameter& result : function.results) add(result.name, result.bytes, result.align);
    }
}

// A word of the language of tests that no other object has.
std::string Layout::unique_name(const std::string& mangled) {
    std::string name;
    for (const char c : last_identifier(mangled)) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || name == "_") name.insert(0, "v_");
    const auto taken = [&](const std::string& n) {
        return std::any_of(objects_.begin(), objects_.end(), [&](const Object& o) { return o.name == n; });
    };
    if (!taken(name)) return name;
    size_t number = 2;
    while (taken(name + "_" + std::to_string(number))) ++number;
    return name + "_" + std::to_string(number);
}

std::optional<uint64_t> Layout::address(const Function& function, size_t depth, const std::string& name) const {
    const auto named = [&](const Variable& v) { return v.name == name; };
    for (const auto* variables : {&function.variables, &module_.variables}) {
        const auto variable = std::find_if(variables->begin(), variables->end(), named);
        if (variable == variables->end()) continue;
        const auto found = addresses_.find(&*variable);
        if (found != addresses_.end()) return found->second;
        break;
    }
    if (&function == &entry_) {
        const auto parameter = parameter_offsets_.find(name);
        if (parameter != parameter_offsets_.end()) return window::parameters + parameter->second;
    }
    const auto& offsets = frames_.at(&function);
    const auto own = offsets.find(name);
    if (own == offsets.end()) return std::nullopt;
    return window::local + depth * window::frame_stride + own->second;
}

std::optional<StateSpace> Layout::space(const Function& function, const std::string& name) const {
    for (const auto* variables : {&function.variables, &module_.variables})
        for (const Variable& variable : *variables)
            if (variable.name == name) return variable.space;
    for (const auto* parameters : {&function.parameters, &function.results})
        for (const Parameter& parameter : *parameters)
            if (parameter.name == name) return StateSpace::param;
    return std::nullopt;
}

// ---- finding -----------------------------------------------------------------------------------------------------------------------

std::optional<Place> Layout::find_shared(uint64_t address, uint32_t block) const {
    const Geometry geometry(launch_);
    Place place;
    if (address >= window::cta_stride) {
        const uint64_t rank = address / window::cta_stride - 1;
        if (rank >= geometry.cluster_size()) return std::nullopt;
        const uint32_t owner = geometry.block_of_rank(block, static_cast<uint32_t>(rank));
        if (owner != block) place.cta = static_cast<int>(owner);
        address %= window::cta_stride;
    }
    const auto after = shared_.upper_bound(address);
    if (after == shared_.begin()) return std::nullopt;
    const Range& range = std::prev(after)->second;
    if (address - range.begin >= range.bytes) return std::nullopt;
    place.object = range.object;
    place.offset = address - range.begin;
    return place;
}

std::optional<Place> Layout::find(std::string_view space, uint64_t address, uint32_t block) const {
    const bool generic = space.empty();
    if (space.rfind("shared", 0) == 0) return find_shared(address, block);
    if (generic && address >= window::shared && address < window::global) return find_shared(address - window::shared, block);
    if ((generic || space == "global") && address >= window::global) {
        const auto after = global_.upper_bound(address);
        if (after == global_.begin()) return std::nullopt;
        const Range& range = std::prev(after)->second;
        if (address - range.begin >= range.bytes) return std::nullopt;
        return Place{Place::Kind::object, range.object, address - range.begin, -1};
    }
    const bool is_parameter = space.rfind("param", 0) == 0;
    if ((generic || space == "local" || is_parameter) && address >= window::local && address < window::shared)
        return Place{Place::Kind::own, 0, address - window::local, -1};
    if ((generic || is_parameter) && address >= window::parameters && address < window::parameters + parameters_.size())
        return Place{Place::Kind::parameter, 0, address - window::parameters, -1};
    if ((generic || space == "const") && address >= window::constant && address < window::constant + constants_.size())
        return Place{Place::Kind::constant, 0, address - window::constant, -1};
    return std::nullopt;
}

}  // namespace litmus::kernel
