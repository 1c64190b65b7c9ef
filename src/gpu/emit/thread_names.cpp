// A register is as wide as the widest use of it. An address is computed once, before the thread's first instruction, for each way
// in which an instruction needs it.
#include "gpu/emit/thread_names.h"

#include <algorithm>
#include <vector>

#include "gpu/emit/thread_text.h"
#include "language/tensor.h"
#include "ptx/table.h"

namespace litmus::gpu {

namespace {

std::vector<Window> windows(const Instruction& instruction) {
    std::vector<Window> result;
    for (const std::string& q : instruction.qualifiers) {
        if (q == "global") result.push_back(Window::global);
        if (q == "shared" || q == "shared::cta") result.push_back(Window::shared_cta);
        if (q == "shared::cluster") result.push_back(Window::shared_cluster);
    }
    return result;
}

}  // namespace

int register_bits(Type type) {
    return type == Type::pred ? 1 : std::max(16, bits(type));
}

std::string sized(std::string_view kind, int width) {
    return "." + std::string(kind) + std::to_string(width);
}

ThreadNames::ThreadNames(const Test& test, const Plan& plan, int thread) : test_(test), plan_(plan), index_(thread) {
    const Thread& own = test.threads[static_cast<size_t>(thread)];
    find_registers(own);
    find_addresses(own);
    find_tensor_maps(own);
}

void ThreadNames::need(const std::string& reg, int width) {
    int& have = registers_[reg];
    have = std::max(have, width);
}

void ThreadNames::need(const Operand& operand, int width) {
    if (is_wide(operand)) return need(operand.name, bits(Type::b128));
    if (operand.kind == Operand::Kind::reg) need(operand.name, width);
    if (operand.kind == Operand::Kind::address && operand.indirect) need(operand.name, 32);
    for (const Operand& e : operand.elements) need(e, width);
}

void ThreadNames::find_registers(const Thread& thread) {
    for (const Instruction& i : thread.body) {
        if (i.guard) need(i.guard->reg, 1);
        for (const Operand& o : i.operands) need(o, register_bits(operand_type(i, o)));
        if (i.expect) need(i.expect->value, register_bits(data_type(i)));
    }
    for (const Word& w : plan_.words)
        if (w.kind == Word::Kind::reg && w.thread == index_ && w.reg.find('.') == std::string::npos) need(w.reg, register_bits(w.type));
    while (widen_vectors(thread)) {
    }
}

// The registers of one vector are of one width (the assembler asks for it). True: some register has become wider.
bool ThreadNames::widen_vectors(const Thread& thread) {
    const std::map<std::string, int> before = registers_;
    for (const Instruction& i : thread.body)
        for (const Operand& o : i.operands) {
            if (is_wide(o)) continue;
            int widest = 0;
            for (const Operand& e : o.elements)
                if (e.kind == Operand::Kind::reg) widest = std::max(widest, registers_.at(e.name));
            for (const Operand& e : o.elements) need(e, widest);
        }
    return registers_ != before;
}

void ThreadNames::find_addresses(const Thread& thread) {
    for (const Instruction& i : thread.body)
        for (const Operand& o : i.operands)
            if ((o.kind == Operand::Kind::address && !o.indirect) || o.kind == Operand::Kind::symbol) addresses_.insert(address_of(i, o));
}

void ThreadNames::find_tensor_maps(const Thread& thread) {
    for (const Instruction& i : thread.body)
        if (const Operand* box = i.find(Role::tensor)) {
            if (in_memory(box->name))
                addresses_.insert(memory_address(box->name));
            else
                tensor_maps_.insert(box->name);
        }
}

bool ThreadNames::in_memory(const std::string& map) const {
    return is_changeable(test_, *find_tensor_map(test_, map));
}

ThreadNames::Address ThreadNames::memory_address(const std::string& map) const {
    Address a;
    a.location = location_index(test_, map);
    return a;
}

std::string ThreadNames::map_address(const std::string& map) const {
    if (in_memory(map)) return name(memory_address(map));
    return "$tensor" + std::to_string(find_tensor_map(test_, map) - test_.tensor_maps.data());
}

// The copies name the space of the destination, then the source's; their mbarrier is where the shared one of the two is
// that is not the source (ISA 9.7.9.25.4). Elsewhere one space serves all. A location's name as a value is its address in
// its own space, as `mov` gives it in PTX.
Window ThreadNames::window_of(const Instruction& instruction, const Operand& operand) const {
    if (operand.kind == Operand::Kind::symbol)
        return find_location(test_, operand.name)->space == Space::global ? Window::global : Window::shared_cluster;
    if (operand.role == Role::matrix) return Window::descriptor;
    const std::vector<Window> all = windows(instruction);
    if (all.empty()) return Window::generic;
    return all.size() > 1 && operand.role == Role::copy_from ? all[1] : all[0];
}

ThreadNames::Address ThreadNames::address_of(const Instruction& instruction, const Operand& operand) const {
    Address a;
    a.location = location_index(test_, operand.name);
    a.window = window_of(instruction, operand);
    const Location& l = location(a);
    if (l.space == Space::global) {
        if (a.window != Window::global) a.window = Window::generic;
        return a;
    }
    a.cta = own_cta();
    const int number = operand.cta >= 0 ? operand.cta : l.cta.value_or(cta(a.cta).number);
    for (size_t c = 0; c < plan_.ctas.size(); ++c)
        if (plan_.ctas[c].number == number) a.cta = static_cast<int>(c);
    if (cta(a.cta).unit != cta(own_cta()).unit)
        throw Failure(test_.source, operand.span, "'" + l.name + "' is in the shared memory of another cluster");
    if (!in_other_cta(a) && a.window == Window::shared_cluster) a.window = Window::shared_cta;  // one address serves both
    return a;
}

std::string ThreadNames::name(const Address& address) const {
    std::string name = location(address).name;
    if (location(address).space == Space::shared && in_other_cta(address)) name += "$cta" + std::to_string(cta(address.cta).number);
    return name + (address.window == Window::generic ? "$generic" : address.window == Window::descriptor ? "$descriptor" : "");
}

int ThreadNames::bits_of(const Address& address) const {
    return location(address).space == Space::global || address.window == Window::generic || address.window == Window::descriptor ? 64 : 32;
}

void ThreadNames::write_address(const Address& a, PtxText& text) const {
    const auto l = static_cast<size_t>(a.location);
    const std::string name = this->name(a);
    if (location(a).space == Space::global) {
        emit_slot_address(text, plan_.region[l], name, location(a).alias_of.empty() ? "$region" : "$second");
        if (a.window == Window::global) text.line("cvta.to.global.u64 " + name + ", " + name + ";");
        return;
    }
    write_shared_address(a, text);
}

void ThreadNames::write_shared_address(const Address& a, PtxText& text) const {
    const auto l = static_cast<size_t>(a.location);
    const std::string name = this->name(a);
    const std::string own = "$shared+" + std::to_string(plan_.offset[l]);
    if (a.window == Window::descriptor) {
        // core matrices lie one behind the other: 128 bytes apart along a row, 256 from eight rows to the next (ISA 9.7.15.5.1.2)
        constexpr uint64_t strides = uint64_t{128 >> 4} << 16 | uint64_t{256 >> 4} << 32;
        // 18 bits of an address count (9.7.15.5.1.2.2); in a cluster, those from bit 24 on have the rank of the CTA
        text.line("mov.u64 " + name + ", " + own + ";");
        text.line("and.b64 " + name + ", " + name + ", 262143;");
        text.line("shr.u64 " + name + ", " + name + ", 4;");
        text.line("or.b64 " + name + ", " + name + ", " + std::to_string(strides) + ";", "a matrix descriptor");
        return;
    }
    const std::string rank = (plan_.turns ? "$rank" : "") + std::to_string(cta(a.cta).rank);
    if (a.window != Window::generic) {
        text.line("mov.u32 " + name + ", " + own + ";");
        if (in_other_cta(a)) text.line("mapa.shared::cluster.u32 " + name + ", " + name + ", " + rank + ";");
        return;
    }
    text.line("mov.u64 " + name + ", " + own + ";");
    text.line("cvta.shared.u64 " + name + ", " + name + ";");
    if (in_other_cta(a)) text.line("mapa.u64 " + name + ", " + name + ", " + rank + ";");
}

void ThreadNames::declare(PtxText& text) const {
    std::map<int, std::string> by_width;
    for (const auto& [reg, width] : registers_) by_width[width] += (by_width[width].empty() ? "%" : ", %") + reg;
    for (const auto& [width, list] : by_width)
        text.line(".reg " + (width == 1 ? std::string(".pred") : sized("b", width)) + " " + list + ";");
    for (const int width : {32, 64}) {
        std::string list;
        for (const Address& a : addresses_)
            if (bits_of(a) == width) list += (list.empty() ? "" : ", ") + name(a);
        if (!list.empty()) text.line(".reg " + sized("b", width) + " " + list + ";", "addresses");
    }
    for (const std::string& map : tensor_maps_) text.line(".reg .b32 " + map_slot(map) + ";", "the instance's part of the tensor");
}

void ThreadNames::initialise(PtxText& text) const {
    for (const Address& a : addresses_) write_address(a, text);
    for (const std::string& map : tensor_maps_) {
        const TensorMap& declared = *find_tensor_map(test_, map);
        const Location& array = tensor_array(test_, declared);
        emit_slot(text, plan_.region[static_cast<size_t>(location_index(test_, array.name))], map_slot(map));
        if (!copies_rows(test_, declared)) continue;
        text.line("div.u32 $slot, $stride, " + std::to_string(declared.dim[0] * bits(array.type) / 8) + ";", "the instance's first row");
        text.line("mul.lo.u32 " + map_slot(map) + ", " + map_slot(map) + ", $slot;");
    }
    clear_registers(text);
}

void ThreadNames::initialise_bare(PtxText& text) const {
    for (const Address& a : addresses_) {
        if (location(a).space == Space::shared) {
            write_shared_address(a, text);
            continue;
        }
        const std::string global = "$global" + std::to_string(a.location);
        text.line((a.window == Window::global ? "cvta.to.global.u64 " : "mov.b64 ") + name(a) + ", " + global + ";");
    }
    for (const std::string& map : tensor_maps_) text.line("mov.b32 " + map_slot(map) + ", 0;");
    clear_registers(text);
}

void ThreadNames::clear_registers(PtxText& text) const {
    for (const auto& [reg, width] : registers_)
        text.line("mov" + (width == 1 ? std::string(".pred") : sized("b", width)) + " %" + reg + (width == 128 ? ", {0, 0};" : ", 0;"));
}

}  // namespace litmus::gpu
