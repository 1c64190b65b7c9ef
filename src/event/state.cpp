// What one path of a thread knows, and how two paths become one where they meet.
#include "event/state.h"

#include <algorithm>
#include <set>

namespace litmus {

namespace {

// The dependencies where two ways meet: what both have alike stays as it is, the rest holds on its own way only.
Dependencies merge_reads(ExprPool& pool, const Dependencies& x, ExprId x_guard, const Dependencies& y, ExprId y_guard) {
    Dependencies result;
    for (const auto& [read, when] : x) {
        const auto other = y.find(read);
        result[read] = other != y.end() && other->second == when ? when : pool.both(when, x_guard);
    }
    for (const auto& [read, when] : y) {
        const auto other = x.find(read);
        if (other != x.end() && other->second == when) continue;
        const ExprId here = pool.both(when, y_guard);
        const auto [it, fresh] = result.try_emplace(read, here);
        if (!fresh) it->second = pool.either(it->second, here);
    }
    return result;
}

}  // namespace

void add_reads(ExprPool& pool, Dependencies& to, const Dependencies& from) {
    for (const auto& [read, when] : from) {
        const auto [it, fresh] = to.try_emplace(read, when);
        if (!fresh) it->second = pool.either(it->second, when);
    }
}

Dependencies under(ExprPool& pool, const Dependencies& reads, ExprId condition) {
    Dependencies result;
    for (const auto& [read, when] : reads) {
        const ExprId both = pool.both(when, condition);
        if (both != ExprPool::no) result[read] = both;
    }
    return result;
}

ExprId read_register(ExprPool& pool, const State& state, const std::string& name, Type type) {
    const auto it = state.registers.find(name);
    if (it == state.registers.end()) return pool.constant(0, bits(type));
    return pool.resize(it->second.value, bits(type), it->second.sign);
}

ExprId written(const State& state, const std::string& name) {
    const auto it = state.registers.find(name);
    return it == state.registers.end() ? ExprPool::no : it->second.written;
}

const Dependencies& register_reads(const State& state, const std::string& name) {
    static const Dependencies none;
    const auto it = state.registers.find(name);
    return it == state.registers.end() ? none : it->second.reads;
}

State merge(ExprPool& pool, State a, const State& b) {
    const ExprId either = pool.either(a.guard, b.guard);
    std::set<std::string> names;
    for (const auto& [name, r] : a.registers) names.insert(name);
    for (const auto& [name, r] : b.registers) names.insert(name);
    for (const std::string& name : names) {
        const bool in_a = a.registers.count(name) != 0, in_b = b.registers.count(name) != 0;
        RegisterState x = in_a ? a.registers[name] : RegisterState{};
        RegisterState y = in_b ? b.registers.at(name) : RegisterState{};
        if (!in_a) x.value = pool.constant(0, pool[y.value].bits);
        if (!in_b) y.value = pool.constant(0, pool[x.value].bits);
        RegisterState merged;
        merged.sign = in_a ? x.sign : y.sign;
        const int width = std::max(pool[x.value].bits, pool[y.value].bits);
        merged.value = pool.ite(a.guard, pool.resize(x.value, width, x.sign), pool.resize(y.value, width, y.sign));
        merged.reads = merge_reads(pool, x.reads, a.guard, y.reads, b.guard);
        merged.written = pool.either(pool.both(a.guard, in_a ? x.written : ExprPool::no),
                                     pool.both(pool.negate(a.guard), in_b ? y.written : ExprPool::no));
        a.registers[name] = std::move(merged);
    }
    a.control = merge_reads(pool, a.control, a.guard, b.control, b.guard);
    a.blocking = merge_reads(pool, a.blocking, a.guard, b.blocking, b.guard);
    a.awaited = merge_reads(pool, a.awaited, a.guard, b.awaited, b.guard);
    a.guard = either;
    return a;
}

}  // namespace litmus
