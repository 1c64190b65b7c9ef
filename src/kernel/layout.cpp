// The ranges of objects, and how an address finds its own.
#include "kernel/layout.h"

#include <algorithm>
#include <cctype>

#include "kernel/parameters.h"
#include "kernel/source_name.h"

namespace litmus::kernel {

namespace {

constexpr size_t workspace_bytes = 64;
constexpr uint64_t most_bytes_of_one = uint64_t{1} << 26;  // of one variable
constexpr uint64_t most_bytes_together = 4 * most_bytes_of_one;
constexpr size_t looks_to_check = 256;  // between two looks at the budget

uint64_t aligned(uint64_t at, uint64_t align) {
    return align <= 1 ? at : (at + align - 1) / align * align;
}

void put(std::vector<uint8_t>& bytes, uint64_t at, uint64_t value, size_t count) {
    if (bytes.size() < at + count) bytes.resize(at + count);
    for (size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
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

namespace {

// Each variable has memory of its own, and a file of a few pages declares thousands.
void require_room(const Module& module) {
    uint64_t bytes = 0;
    const auto add = [&](const std::vector<Variable>& variables) {
        for (const Variable& variable : variables) {
            const uint64_t with_gap = variable.space == StateSpace::constant ? variable.bytes + variable.align : variable.bytes;
            bytes += std::min(with_gap, most_bytes_of_one);  // no more is laid out of one
            if (bytes > most_bytes_together)
                throw Failure(module.source, variable.span, "the variables of this file are larger than 256 MiB together");
        }
    };
    add(module.variables);
    for (const Function& function : module.functions) add(function.variables);
}

}  // namespace

// ---- ranges ------------------------------------------------------------------------------------------------------------------------

MemoryLayout::MemoryLayout(const Module& module, const Launch& launch, const Function& entry, const Budget& budget)
    : module_(module), launch_(launch), entry_(entry), budget_(budget) {
    require_room(module);
    note_names();
    for (const Array& array : launch.arrays) {
        budget.check();
        add_object({unique_name(array.name), Space::global, array.type, array.typed, 256, array.bytes, array.points_to});
    }
    for (size_t a = 0; a < launch.arrays.size(); ++a)
        for (const Pointer& pointer : launch.arrays[a].pointers)
            put(objects_[a].bytes, pointer.at, address_of_object(pointer.array) + pointer.offset, 8);
    add_variables();
    common_ = objects_.size();
    shared_bytes_ = window::first_shared;
    add_shared_variables();
    if (reads_workspace(entry)) {
        workspace_ = objects_.size();
        add_object({unique_name("grid_workspace"), Space::global, Type::u32, true, 256, std::vector<uint8_t>(workspace_bytes)});
    }
    lay_out_parameters();
    lay_out_frames();
    for (const Variable& variable : module.variables) relocate(variable);
}

void MemoryLayout::look_at_budget() {
    if (++looked_ % looks_to_check == 0) budget_.check();
}

void MemoryLayout::note_names() {
    const auto note = [this](const std::vector<Variable>& variables, Variables& names) {
        for (const Variable& variable : variables) {
            look_at_budget();
            names.emplace(variable.name, &variable);
        }
    };
    note(module_.variables, variables_);
    for (size_t f = 0; f < module_.functions.size(); ++f) {
        const Function& function = module_.functions[f];
        functions_.emplace(function.name, f);
        note(function.variables, own_variables_[&function]);
    }
}

uint64_t MemoryLayout::address_of_object(size_t object) {
    return window::global + object * window::global_stride;
}

void MemoryLayout::add_object(Object object) {
    global_[address_of_object(objects_.size())] = {address_of_object(objects_.size()), object.bytes.size(), objects_.size()};
    objects_.push_back(std::move(object));
}

uint64_t MemoryLayout::allocate(uint64_t bytes) {
    budget_.check();
    add_object({unique_name("allocated"), Space::global, Type::u32, false, 16, std::vector<uint8_t>(bytes)});
    return address_of_object(objects_.size() - 1);
}

// What the variable holds at the start, without the addresses in it.
std::vector<uint8_t> MemoryLayout::content(const Variable& variable) const {
    if (variable.bytes > most_bytes_of_one)
        throw Failure(module_.source, variable.span, "a variable of " + std::to_string(variable.bytes) + " bytes",
                      "at most " + std::to_string(most_bytes_of_one) + " are laid out");
    budget_.check();
    std::vector<uint8_t> bytes = variable.space == StateSpace::shared ? std::vector<uint8_t>() : variable.init;
    bytes.resize(variable.bytes);
    return bytes;
}

Object MemoryLayout::object_of(const Variable& variable, Space space) {
    look_at_budget();
    const auto type = type_named(variable.type);
    const bool typed = type && *type != Type::b8;  // an array of bytes may be anything
    return {unique_name(variable.name), space, typed ? *type : Type::u32, typed, std::max(variable.align, 1U), content(variable)};
}

void MemoryLayout::add_variables() {
    const auto add_global = [&](const std::vector<Variable>& variables) {
        for (const Variable& variable : variables) {
            if (variable.space != StateSpace::global) continue;
            addresses_[&variable] = address_of_object(objects_.size());
            add_object(object_of(variable, Space::global));
        }
    };
    add_global(module_.variables);
    for (const Function& function : module_.functions) add_global(function.variables);
    for (const Variable& variable : module_.variables) {
        if (variable.space != StateSpace::constant) continue;
        const uint64_t begin = aligned(constants_.size(), std::max<uint64_t>(variable.align, 16));
        addresses_[&variable] = window::constant + begin;
        const std::vector<uint8_t> bytes = content(variable);
        constants_.resize(begin);
        constants_.insert(constants_.end(), bytes.begin(), bytes.end());
    }
}

void MemoryLayout::add_shared(const Variable& variable) {
    const uint64_t begin = aligned(shared_bytes_, variable.align);
    Object object = object_of(variable, Space::shared);
    if (begin + variable.bytes > window::cta_stride)
        throw Failure(module_.source, variable.span, "more shared memory than a window of addresses has");
    addresses_[&variable] = begin;
    shared_bytes_ = static_cast<uint32_t>(begin + variable.bytes);
    if (variable.bytes > 0) shared_[begin] = {begin, variable.bytes, objects_.size()};
    objects_.push_back(std::move(object));
}

// Variables with a size first; dynamic shared memory, which all arrays without one share, after them (5.1.7, 5.4.1).
void MemoryLayout::add_shared_variables() {
    std::vector<const Variable*> dynamic;
    const auto add = [&](const std::vector<Variable>& variables) {
        for (const Variable& variable : variables) {
            if (variable.space != StateSpace::shared) continue;
            if (variable.bytes > 0)
                add_shared(variable);
            else
                dynamic.push_back(&variable);
        }
    };
    add(module_.variables);
    for (const Function& function : module_.functions)
        if (&function == &entry_ || !function.entry) add(function.variables);
    if (dynamic.empty()) return;
    Variable all = *dynamic.front();
    for (const Variable* variable : dynamic) all.align = std::max(all.align, variable->align);
    all.bytes = launch_.shared_bytes;
    dynamic_ = Range{aligned(shared_bytes_, all.align), all.bytes, objects_.size()};
    add_shared(all);
    for (const Variable* variable : dynamic) addresses_[variable] = addresses_[&all];
    addresses_.erase(&all);
}

// The grid barrier of cooperative groups lies in memory whose address the driver gives in %envreg1 (high) and %envreg2 (low).
bool MemoryLayout::reads_workspace(const Function& entry) const {
    const auto reads = [](const Function& function) {
        for (const Statement& statement : function.code)
            for (const Argument& argument : statement.arguments)
                if (argument.kind == Argument::Kind::special && (argument.name == "%envreg1" || argument.name == "%envreg2")) return true;
        return false;
    };
    return std::any_of(module_.functions.begin(), module_.functions.end(),
                       [&](const Function& function) { return (&function == &entry || !function.entry) && reads(function); });
}

// Writes the addresses that an initialiser holds.
void MemoryLayout::relocate(const Variable& variable) {
    const auto at = addresses_.find(&variable);
    if (at == addresses_.end() || variable.relocations.empty()) return;
    const bool constant = variable.space == StateSpace::constant;
    if (!constant && variable.space != StateSpace::global) return;
    for (const Relocation& relocation : variable.relocations) {
        look_at_budget();
        const auto target = address(entry_, 0, relocation.symbol);
        if (!target) throw Failure(module_.source, variable.span, "the address of `" + relocation.symbol + "`, which has none here");
        const bool shared = relocation.is_generic && *target < window::constant;
        const uint64_t value = *target + static_cast<uint64_t>(relocation.offset) + (shared ? window::shared : 0);
        std::vector<uint8_t>& bytes = constant ? constants_ : objects_[(at->second - window::global) / window::global_stride].bytes;
        put(bytes, (constant ? at->second - window::constant : 0) + relocation.at, value >> (8 * relocation.from), relocation.bytes);
    }
}

// Parameters of the kernel lie one after the other.
void MemoryLayout::lay_out_parameters() {
    for (size_t p = 0; p < entry_.parameters.size(); ++p) {
        const Parameter& parameter = entry_.parameters[p];
        const uint64_t begin = begin_of(parameter, parameters_.size());
        parameter_begins_.push_back(begin);
        parameter_offsets_[parameter.name] = begin;
        parameters_.resize(begin + parameter.bytes);
        if (p >= launch_.arguments.size()) continue;
        const Value& value = launch_.arguments[p];
        for (size_t i = 0; i < std::min<size_t>(value.bytes.size(), parameter.bytes); ++i) parameters_[begin + i] = value.bytes[i];
        for (const Pointer& pointer : value.pointers)
            put(parameters_, begin + pointer.at, address_of_object(pointer.array) + pointer.offset, 8);
    }
}

// What a function has of its own (.local, .param of calls, its parameters and results) has offsets into the frame of a call.
void MemoryLayout::lay_out_frames() {
    uint64_t end = 0;
    std::map<std::string, uint64_t>* offsets = &module_frame_;
    const auto add = [&](const auto& named) {
        look_at_budget();
        (*offsets)[named.name] = end = aligned(end, std::max<uint64_t>(named.align, 8));
        end += named.bytes;
    };
    for (const Variable& variable : module_.variables)
        if (variable.space == StateSpace::local) add(variable);
    const uint64_t module_end = end;
    for (const Function& function : module_.functions) {
        end = module_end;
        offsets = &frames_[&function];
        for (const Variable& variable : function.variables)
            if (variable.space == StateSpace::local || variable.space == StateSpace::param) add(variable);
        if (function.entry) continue;
        for (const Parameter& parameter : function.parameters) add(parameter);
        for (const Parameter& result : function.results) add(result);
    }
}

// A word of the language of tests that no other object has.
std::string MemoryLayout::unique_name(const std::string& mangled) {
    std::string name;
    for (const char c : last_part(without_arguments(source_name(mangled)))) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) || name == "_" || name == "true" || name == "false")
        name.insert(0, "v_");
    const auto [known, is_new] = names_.emplace(name, 1);
    if (is_new) return name;
    size_t& number = known->second;
    std::string numbered;
    do numbered = name + "_" + std::to_string(++number);
    while (!names_.emplace(numbered, 1).second);
    return numbered;
}

std::optional<uint64_t> MemoryLayout::address(const Function& function, size_t depth, const std::string& name) const {
    for (const Variables* variables : {&own_variables_.at(&function), &variables_}) {
        const auto variable = variables->find(name);
        if (variable == variables->end()) continue;
        const auto found = addresses_.find(variable->second);
        if (found != addresses_.end()) return found->second;
        break;
    }
    if (&function == &entry_) {
        const auto parameter = parameter_offsets_.find(name);
        if (parameter != parameter_offsets_.end()) return window::parameters + parameter->second;
    }
    for (const auto* offsets : {&frames_.at(&function), &module_frame_})
        if (const auto own = offsets->find(name); own != offsets->end()) return window::local + depth * window::frame_stride + own->second;
    const auto called = functions_.find(name);
    if (called == functions_.end()) return std::nullopt;
    return window::code + called->second * window::code_stride;
}

const Function* MemoryLayout::function_at(uint64_t address) const {
    const uint64_t offset = address - window::code;
    const bool is_function = offset % window::code_stride == 0 && offset / window::code_stride < module_.functions.size();
    return is_function ? &module_.functions[offset / window::code_stride] : nullptr;
}

// ---- finding -----------------------------------------------------------------------------------------------------------------------

std::optional<Pointee> MemoryLayout::find_shared(uint64_t address, uint32_t block) const {
    const Geometry geometry(launch_);
    Pointee place;
    const uint64_t rank = address / window::cta_stride;
    if (rank >= geometry.cluster_size()) return std::nullopt;
    const uint32_t owner = geometry.block_of_rank(block, static_cast<uint32_t>(rank));
    if (owner != block) place.cta = static_cast<int>(owner);
    address %= window::cta_stride;
    const auto after = shared_.upper_bound(address);
    if (after == shared_.begin()) return std::nullopt;
    const Range& range = std::prev(after)->second;
    if (address - range.begin >= range.bytes) return std::nullopt;
    place.object = range.object;
    place.offset = address - range.begin;
    return place;
}

std::optional<Pointee> MemoryLayout::find(std::string_view space, uint64_t address, uint32_t block) const {
    const bool generic = space.empty();
    if (space.rfind("shared", 0) == 0) return find_shared(address, block);
    if (generic && window::is_in_shared(address)) return find_shared(address - window::shared, block);
    if ((generic || space == "global") && address >= window::global) {
        const auto after = global_.upper_bound(address);
        if (after == global_.begin()) return std::nullopt;
        const Range& range = std::prev(after)->second;
        if (address - range.begin >= range.bytes) return std::nullopt;
        return Pointee{Pointee::Kind::object, range.object, address - range.begin, -1};
    }
    const bool is_parameter = space.rfind("param", 0) == 0;
    if ((generic || space == "local" || is_parameter) && address >= window::local && address < window::shared)
        return Pointee{Pointee::Kind::own, 0, address - window::local, -1};
    if ((generic || is_parameter || space == "global") && address >= window::parameters &&
        address < window::parameters + parameters_.size())
        return Pointee{Pointee::Kind::parameter, 0, address - window::parameters, -1};
    if ((generic || space == "const") && address >= window::constant && address < window::constant + constants_.size())
        return Pointee{Pointee::Kind::constant, 0, address - window::constant, -1};
    return std::nullopt;
}

std::string MemoryLayout::beside(const Range& range, int64_t offset) const {
    const Object& object = objects_[range.object];
    const std::string name = "`" + object.name + "`";
    const auto count = [&](uint64_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); };
    const int64_t size = object.typed ? bits(object.type) / 8 : 0;
    if (size == 0 || offset % size != 0)
        return "byte " + std::to_string(offset) + " of " + name + ", which has " + count(range.bytes, "byte");
    return "`" + object.name + "[" + std::to_string(offset / size) + "]`, and " + name + " has " +
           count(range.bytes / static_cast<uint64_t>(size), "element");
}

std::optional<Nowhere> MemoryLayout::nowhere_in_shared(uint64_t offset) const {
    if (dynamic_ && offset >= dynamic_->begin)
        return Nowhere{beside(*dynamic_, static_cast<int64_t>(offset - dynamic_->begin)),
                       "`" + objects_[dynamic_->object].name +
                           "` is dynamic shared memory: --shared says how many bytes it has, as the third number of <<<...>>> does"};
    const auto after = shared_.upper_bound(offset);
    if (after == shared_.begin()) return std::nullopt;
    const Range& range = std::prev(after)->second;
    return Nowhere{beside(range, static_cast<int64_t>(offset - range.begin)),
                   "the kernel says how large it is: this launch may be for another size"};
}

Nowhere MemoryLayout::nowhere(std::string_view space, uint64_t address) const {
    constexpr uint64_t near = window::global_stride / 2;
    const bool generic = space.empty(), in_window = generic && window::is_in_shared(address);
    if (in_window || space.rfind("shared", 0) == 0) {
        const uint64_t in_cluster = in_window ? address - window::shared : address;
        const uint64_t rank = in_cluster / window::cta_stride, blocks = Geometry(launch_).cluster_size();
        if (rank >= blocks)
            return {"the shared memory of rank " + std::to_string(rank) + ", and the cluster has " + std::to_string(blocks) +
                        (blocks == 1 ? " block" : " blocks"),
                    "--cluster says how large clusters are"};
        if (auto found = nowhere_in_shared(in_cluster % window::cta_stride)) return *found;
    }
    if (generic || space == "global") {
        const auto after = global_.upper_bound(address);
        const bool before = after != global_.end() && after->first - address <= near;
        const bool behind = after != global_.begin() && address - std::prev(after)->first < near;
        if (before || behind) {
            const Range& range = before ? after->second : std::prev(after)->second;
            return {beside(range, static_cast<int64_t>(address - range.begin)),
                    "the array is too small for this launch (--arg says its size), or the kernel leaves it"};
        }
    }
    std::string hex;
    for (uint64_t rest = address; rest > 0 || hex.empty(); rest /= 16) hex.insert(hex.begin(), "0123456789abcdef"[rest % 16]);
    return {"address 0x" + hex + ", where no object is", "an argument may be a number where the kernel takes an address"};
}

}  // namespace litmus::kernel
