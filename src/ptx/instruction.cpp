// What the qualifiers of an instruction mean, with the ISA's defaults (semantics.md section 2).
#include "ptx/instruction.h"

#include <algorithm>
#include <array>

namespace litmus {
namespace {

bool is_atomic(Op op) {
    return op == Op::atom || op == Op::red;
}

bool is_access(Op op) {
    return op == Op::ld || op == Op::st || op == Op::suld || op == Op::sust || op == Op::tld || op == Op::ldc || is_atomic(op);
}

// Those with a state to synchronize through; init and inval are plain writes.
bool is_mbarrier_access(Op op) {
    return op >= Op::mbarrier_expect_tx && op <= Op::mbarrier_try_wait;
}

// ISA 9.7.13.4: on sm_70 and later, membar.{cta,gl,sys} is fence.sc.{cta,gpu,sys}.
bool is_membar(const Instruction& instruction) {
    return instruction.op == Op::fence && instruction.mnemonic == "membar";
}

}  // namespace

bool is_computation(Op op) {
    return op >= Op::mov && op <= Op::selp;
}

bool is_copy(Op op) {
    return op == Op::bulk_copy || op == Op::bulk_reduce || op == Op::async_copy;
}

bool is_asynchronous(Op op) {
    switch (op) {
        case Op::red_async:
        case Op::st_async:
        case Op::bulk_commit:
        case Op::bulk_wait:
        case Op::async_commit:
        case Op::async_wait:
        case Op::async_arrive:
            return true;
        default:
            return is_copy(op);
    }
}

bool is_mbarrier(Op op) {
    return op >= Op::mbarrier_init && op <= Op::mbarrier_pending_count;
}

bool is_arithmetic(Op op) {
    switch (op) {
        case Op::mov:
        case Op::add:
        case Op::sub:
        case Op::mul:
        case Op::and_:
        case Op::or_:
        case Op::xor_:
        case Op::not_:
        case Op::neg:
        case Op::shl:
        case Op::shr:
        case Op::min:
        case Op::max:
        case Op::cvt:
        case Op::setp:
        case Op::selp:
        case Op::mbarrier_pending_count:
            return true;
        default:
            return false;
    }
}

namespace {

constexpr std::array<std::string_view, 6> sem_names = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc"};
constexpr std::array<std::string_view, 5> scope_names = {"", "cta", "cluster", "gpu", "sys"};
constexpr std::array<std::string_view, 5> proxy_names = {"generic", "async", "surface", "texture", "constant"};

constexpr std::array<std::string_view, 12> operations = {"add", "inc", "dec", "min",  "max",  "and",
                                                         "or",  "xor", "cas", "exch", "popc", "sub"};

Sem default_semantics(const Instruction& instruction) {
    if (is_membar(instruction)) return Sem::sc;
    if (is_atomic(instruction.op)) return Sem::relaxed;
    switch (instruction.op) {
        case Op::fence:
            return Sem::acq_rel;
        case Op::cluster_arrive:
            return Sem::release;
        case Op::cluster_wait:
            return Sem::acquire;
        case Op::bulk_reduce:  // ISA 9.7.9.25.4.2: each reduction is relaxed.gpu
        case Op::mbarrier_expect_tx:
        case Op::mbarrier_complete_tx:  // the ISA names no default for these two
            return Sem::relaxed;
        case Op::mbarrier_arrive:
        case Op::mbarrier_arrive_drop:
            return Sem::release;
        case Op::mbarrier_test_wait:
        case Op::mbarrier_try_wait:
            return Sem::acquire;
        default:
            return Sem::weak;
    }
}

}  // namespace

bool Instruction::has(std::string_view qualifier) const {
    return std::find(qualifiers.begin(), qualifiers.end(), qualifier) != qualifiers.end();
}

Sem semantics(const Instruction& instruction) {
    if (instruction.has("volatile")) return Sem::relaxed;  // ISA 8.4.1
    for (size_t i = 0; i < sem_names.size(); ++i)
        if (instruction.has(sem_names[i])) return static_cast<Sem>(i);
    return default_semantics(instruction);
}

Scope scope(const Instruction& instruction) {
    const bool has_scope = is_access(instruction.op) || is_mbarrier_access(instruction.op) || instruction.op == Op::fence ||
                           instruction.op == Op::fence_proxy || instruction.op == Op::red_async || instruction.op == Op::st_async;
    if (instruction.op == Op::bulk_reduce) return Scope::gpu;
    if (!has_scope) return Scope::none;
    if (instruction.has("volatile")) return Scope::sys;  // ISA 8.4.1
    if (is_membar(instruction) && instruction.has("gl")) return Scope::gpu;
    for (size_t i = 1; i < scope_names.size(); ++i)
        if (instruction.has(scope_names[i])) return static_cast<Scope>(i);
    if (is_mbarrier_access(instruction.op)) return Scope::cta;
    return is_atomic(instruction.op) ? Scope::gpu : Scope::none;
}

Proxy proxy(const Instruction& instruction) {
    switch (instruction.op) {
        case Op::suld:
        case Op::sust:
            return Proxy::surface;
        case Op::tld:
            return Proxy::texture;
        case Op::ldc:
            return Proxy::constant;
        case Op::bulk_reduce:
        case Op::bulk_copy:
            return Proxy::async;
        case Op::fence_proxy:
            if (instruction.has("async::generic")) return Proxy::async;
            for (size_t i = 0; i < proxy_names.size(); ++i)
                if (instruction.has(proxy_names[i])) return static_cast<Proxy>(i);
            return Proxy::generic;
        default:
            return Proxy::generic;
    }
}

Type data_type(const Instruction& instruction) {
    for (const std::string& qualifier : instruction.qualifiers)
        if (const auto type = type_named(qualifier)) return *type;
    return Type::u32;
}

Type source_type(const Instruction& instruction) {
    Type last = Type::u32;
    for (const std::string& qualifier : instruction.qualifiers)
        if (const auto type = type_named(qualifier)) last = *type;
    return last;
}

int vector_width(const Instruction& instruction) {
    if (instruction.has("v2")) return 2;
    if (instruction.has("v4")) return 4;
    return instruction.has("v8") ? 8 : 1;
}

std::string_view operation(const Instruction& instruction) {
    switch (instruction.op) {
        case Op::atom:
        case Op::red:
        case Op::red_async:
        case Op::bulk_reduce:
        case Op::redux_sync:
        case Op::bar_red:
            break;
        default:
            return {};
    }
    for (const std::string_view operation : operations)
        if (instruction.has(operation)) return operation;
    return {};
}

std::string_view name(Sem sem) {
    return sem_names[static_cast<size_t>(sem)];
}
std::string_view name(Scope scope) {
    return scope_names[static_cast<size_t>(scope)];
}
std::string_view name(Proxy proxy) {
    return proxy_names[static_cast<size_t>(proxy)];
}

}  // namespace litmus
