// The value table: forms, their cases with the results that ptx/value computes, their kernels.
//
// The arrays are flat and packed, a scalar after the other; block i of a kernel (pair i of blocks for the
// forms that need a cluster) works on the i-th `scalars_per_case` of them. Global destinations are changed in
// place; shared ones are filled from the `memory` array first and copied back at the end.
#include "gpu/emit/value_table.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "ptx/table.h"
#include "ptx/value.h"

namespace litmus::gpu {

namespace {

using Kind = ValueForm::Kind;

constexpr int warp = ValueForm::warp;
constexpr size_t random_pairs = 256;
constexpr int bulk_bytes = 16;  // the least that a bulk operation moves

bool is_redux(const ValueForm& form) {
    return form.kind == Kind::redux;
}
bool needs_cluster(const ValueForm& form) {
    return form.blocks() > 1;
}
bool takes_third(const ValueForm& form) {
    return form.operation == Operator::cas;
}
bool is_bulk(const ValueForm& form) {
    return form.kind == Kind::bulk_global || form.kind == Kind::bulk_shared;
}

int element_bytes(const ValueForm& form) {
    return bits(form.type) / 8;
}
// Bytes that one block of the kernel works on.
int case_bytes(const ValueForm& form) {
    if (is_redux(form)) return warp * 4;
    return is_bulk(form) ? bulk_bytes : element_bytes(form) * form.width;
}

// ---- the forms --------------------------------------------------------------------------------

std::string joined(const std::vector<std::string>& words) {
    std::string name;
    for (const std::string& word : words) name += (name.empty() ? "" : ".") + word;
    return name;
}

// The kernel that a name of the table asks for; none: the instruction leaves no value that its operand alone decides.
std::optional<Kind> kind_of(Op op, bool global) {
    switch (op) {
        case Op::atom:
            return Kind::atom;
        case Op::red:
            return Kind::red;
        case Op::red_async:
            return Kind::red_async;
        case Op::st_async:
            return Kind::st_async;
        case Op::bulk_reduce:
            return global ? Kind::bulk_global : Kind::bulk_shared;
        case Op::redux_sync:
            return Kind::redux;
        default:
            return std::nullopt;
    }
}

// Whether a name is the one that is run for all that compute alike: it says semantics, scope and space where it can, and has no hint.
bool is_usual(const ValueForm& form, const std::vector<std::string>& words) {
    const auto has = [&](std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); };
    if (form.hinted) return false;
    switch (form.kind) {
        case Kind::atom:
        case Kind::red:
            return has("relaxed") && has("gpu") && !has("shared") && !has("shared::cluster");
        case Kind::red_async:
        case Kind::st_async:
            if (form.global) return has("global") && (has("gpu") || has("mmio"));
            return has("shared::cluster") && has("mbarrier::complete_tx::bytes") && !has("weak");
        default:
            return true;
    }
}

// The forms that a name stands for: with a generic address one for each place where it may lead, of redux.sync one for each mask.
void add_forms(std::vector<ValueForm>& forms, const Form& row, const std::vector<std::string>& words, Version least, Names names) {
    const auto has = [&](std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); };
    const bool completes =
        std::any_of(row.operands.begin(), row.operands.end(), [](const Shape& shape) { return shape.role == Role::mbarrier; });
    const bool shared = has("shared") || has("shared::cta") || has("shared::cluster");
    ValueForm form;
    form.global = has("global") || (!completes && !shared);
    form.kind = kind_of(*row.op, form.global).value();
    form.name = joined(words);
    for (const std::string& word : words) {
        if (const Operator operation = operator_named(word); operation != Operator::none) form.operation = operation;
        if (const auto type = type_named(word)) form.type = *type;
        for (const int width : {2, 4, 8})
            if (word == "v" + std::to_string(width)) form.width = width;
    }
    form.generic = !shared && !has("global");
    form.hinted = has("L2::cache_hint");
    form.abs = has("abs");
    form.nan = has("NaN");
    form.least_sm = std::max(ValueForm{}.least_sm, least.sm);
    form.arch_specific = least.specific;
    if (names == Names::usual && !is_usual(form, words)) return;
    if (is_redux(form)) {
        for (const uint32_t mask : {0xffffffffU, 0x0000001fU, 0xaaaaaaaaU, 0x80000000U}) {
            form.mask = mask;
            forms.push_back(form);
        }
        return;
    }
    forms.push_back(form);
    const bool is_plain = form.kind == Kind::atom || form.kind == Kind::red;
    if (!form.generic || !is_plain || form.width > 1 || form.hinted) return;  // the others are for global memory
    form.global = false;
    forms.push_back(form);
}

// ---- the cases ----------------------------------------------------------------------------------

// A linear congruential generator with a mixed result: the same cases on every machine.
uint64_t next_random(uint64_t& state) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state ^ state >> 31) * 0x9e3779b97f4a7c15U;
}

struct Pair {
    uint64_t a, b;
};

// Random operands: any bits, and for floats also ones of near exponents, where sums round.
std::vector<Pair> pairs_of(Type type) {
    std::vector<Pair> pairs;
    const std::vector<uint64_t> edges = edge_values(type);
    for (const uint64_t a : edges) {
        for (const uint64_t b : edges) pairs.push_back({a, b});
    }
    uint64_t state = static_cast<uint64_t>(type) + 1;
    const int n = bits(type);
    for (size_t i = 0; i < random_pairs; ++i) {
        const uint64_t a = truncate(next_random(state), n);
        uint64_t b = truncate(next_random(state), n);
        if (i % 2 == 1) b = truncate((a ^ next_random(state) >> (64 - n / 2)) ^ (next_random(state) & 1) << (n - 1), n);
        pairs.push_back({a, b});
    }
    return pairs;
}

// The scalars of redux.sync: each case takes 32 consecutive values of the edges, of random ones, and of both mixed.
std::vector<uint64_t> redux_values(Type type) {
    std::vector<uint64_t> values;
    const std::vector<uint64_t> edges = edge_values(type);
    uint64_t state = static_cast<uint64_t>(type) + 77;
    for (size_t i = 0; i < 64 * warp; ++i) {
        const size_t round = i / warp;
        if (round < 16) {
            values.push_back(edges[(i + round) % edges.size()]);
        } else if (round < 24) {
            values.push_back(edges[round % edges.size()]);  // all lanes alike
        } else if (round < 44) {
            values.push_back(edges[next_random(state) % edges.size()]);
        } else {
            values.push_back(truncate(next_random(state), 32));
        }
    }
    return values;
}

void fill_redux(const ValueForm& form, ValueCases& cases) {
    cases.operand = redux_values(form.type);
    cases.memory.assign(cases.operand.size(), 0x5555aaaa);
    cases.expected_memory = cases.memory;
    for (size_t first = 0; first < cases.operand.size(); first += warp) {
        std::vector<uint64_t> sources;
        for (size_t lane = 0; lane < warp; ++lane) {
            if ((form.mask >> lane & 1) != 0) sources.push_back(cases.operand[first + lane]);
        }
        const uint64_t result = redux(form.operation, form.type, form.abs, form.nan, sources).value();
        for (size_t lane = 0; lane < warp; ++lane) {
            if ((form.mask >> lane & 1) != 0) cases.expected_memory[first + lane] = result;
        }
    }
}

// ---- the kernels --------------------------------------------------------------------------------

// "{d0, d1}" or "d0": the operands of one instruction.
std::string vector_of(const char* name, int width) {
    if (width == 1) return std::string(name) + "0";
    std::string text = "{";
    for (int k = 0; k < width; ++k) text += (k == 0 ? "" : ", ") + std::string(name) + std::to_string(k);
    return text + "}";
}

// Copies the elements of one case to registers name0, name1, ... or from them.
void move_elements(std::ostream& out, const ValueForm& form, const char* instruction, const char* space, const char* name,
                   const char* address, bool load) {
    for (int k = 0; k < form.width; ++k) {
        const std::string at = std::string("[") + address + "+" + std::to_string(k * element_bytes(form)) + "]";
        const std::string reg = name + std::to_string(k);
        out << "    " << instruction << space << ".b" << bits(form.type) << " " << (load ? reg : at) << ", " << (load ? at : reg) << ";\n";
    }
}

void declare_elements(std::ostream& out, const ValueForm& form) {
    for (const char* name : {"a", "b", "c", "d"}) out << "    .reg .b" << bits(form.type) << " " << name << "<" << form.width << ">;\n";
}

// M, B, C and D point to this case's part of the four arrays.
void open_kernel(std::ostream& out, const ValueForm& form, size_t index) {
    out << "// " << form.name << "\n";
    out << ".visible .entry " << value_kernel(index)
        << "(.param .u64 memory, .param .u64 operand, .param .u64 third, .param .u64 old)\n{\n";
    out << "    .reg .u32 case, rank;\n    .reg .u64 M, B, C, D;\n    .reg .pred p, first;\n";
    out << "    mov.u32 case, " << (needs_cluster(form) ? "%clusterid.x" : "%ctaid.x") << ";\n";
    const std::pair<const char*, const char*> arrays[] = {{"M", "memory"}, {"B", "operand"}, {"C", "third"}, {"D", "old"}};
    for (const auto& [reg, parameter] : arrays) {
        out << "    ld.param.u64 " << reg << ", [" << parameter << "];\n";
        out << "    cvta.to.global.u64 " << reg << ", " << reg << ";\n";
        out << "    mad.wide.u32 " << reg << ", case, " << case_bytes(form) << ", " << reg << ";\n";
    }
}

void close_kernel(std::ostream& out) {
    out << "    ret;\n}\n\n";
}

void make_policy(std::ostream& out) {
    out << "    .reg .b64 policy;\n    createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n";
}
std::string policy_of(const ValueForm& form) {
    return form.hinted ? ", policy" : "";
}

void atomic_kernel(std::ostream& out, const ValueForm& form) {
    declare_elements(out, form);
    const bool shared = !form.global, generic = form.generic;
    out << "    .reg .u64 address;\n";
    if (form.hinted) make_policy(out);
    if (shared) out << "    .shared .align 16 .b8 box[16];\n";
    move_elements(out, form, "ld", ".global", "b", "B", true);
    if (takes_third(form)) move_elements(out, form, "ld", ".global", "c", "C", true);
    if (shared) {
        move_elements(out, form, "ld", ".global", "a", "M", true);
        move_elements(out, form, "st", ".shared", "a", "box", false);
        out << "    mov.u64 address, box;\n";
        if (generic) out << "    cvta.shared.u64 address, address;\n";
    } else {
        out << "    " << (generic ? "cvta.global.u64" : "mov.u64") << " address, M;\n";
    }
    out << "    " << form.name << " ";
    if (form.kind == Kind::atom) out << vector_of("d", form.width) << ", ";
    out << "[address], " << vector_of("b", form.width) << (takes_third(form) ? ", c0" : "") << policy_of(form) << ";\n";
    if (form.kind == Kind::atom) move_elements(out, form, "st", ".global", "d", "D", false);
    if (!shared) return;
    move_elements(out, form, "ld", ".shared", "a", "box", true);
    move_elements(out, form, "st", ".global", "a", "M", false);
}

// 16 bytes from global to shared memory or back.
void copy_block(std::ostream& out, const char* to_shared, const char* from_global) {
    out << "    ld.global.v4.b32 {w0, w1, w2, w3}, [" << from_global << "];\n";
    out << "    st.shared.v4.b32 [" << to_shared << "], {w0, w1, w2, w3};\n";
}

void bulk_global_kernel(std::ostream& out, const ValueForm& form) {
    out << "    .reg .b32 w<4>;\n    .shared .align 16 .b8 source[16];\n";
    copy_block(out, "source", "B");
    out << "    fence.proxy.async.shared::cta;\n";
    if (form.hinted) make_policy(out);
    out << "    " << form.name << " [M], [source], " << bulk_bytes << policy_of(form) << ";\n";
    out << "    cp.async.bulk.commit_group;\n    cp.async.bulk.wait_group 0;\n";
}

// Rank 0 issues the operation, rank 1 owns the destination and the mbarrier. Both leave together, since
// the source and the destination must live until it is done.
void cluster_kernel(std::ostream& out, const ValueForm& form) {
    const bool bulk = is_bulk(form);
    if (!bulk) declare_elements(out, form);
    out << "    .reg .b32 w<4>, target, remote;\n    .reg .u64 address;\n    .reg .pred owner;\n";
    out << "    .shared .align 16 .b8 source[16];\n    .shared .align 16 .b8 box[16];\n    .shared .align 8 .b64 bar;\n";
    out << "    mov.u32 rank, %cluster_ctarank;\n    setp.eq.u32 owner, rank, 1;\n";
    out << "    mov.u32 target, box;\n    mov.u32 remote, bar;\n";
    out << "    mapa.shared::cluster.u32 target, target, 1;\n    mapa.shared::cluster.u32 remote, remote, 1;\n";
    out << "    @!owner bra prepare_source;\n";
    if (bulk) {
        copy_block(out, "box", "M");
    } else {
        move_elements(out, form, "ld", ".global", "a", "M", true);
        move_elements(out, form, "st", ".shared", "a", "box", false);
    }
    out << "    mbarrier.init.shared::cta.b64 [bar], 1;\n    fence.mbarrier_init.release.cluster;\n";
    out << "    mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], " << case_bytes(form) << ";\n";
    out << "    bra ready;\nprepare_source:\n";
    if (bulk) {
        copy_block(out, "source", "B");
    } else {
        move_elements(out, form, "ld", ".global", "b", "B", true);
    }
    out << "ready:\n    fence.proxy.async;\n";
    out << "    barrier.cluster.arrive.release;\n    barrier.cluster.wait.acquire;\n";
    out << "    @owner bra wait;\n    fence.proxy.async;\n";
    if (form.generic) {
        out << "    .reg .u64 object;\n    cvt.u64.u32 address, target;\n    cvt.u64.u32 object, remote;\n";
        out << "    cvta.shared::cluster.u64 address, address;\n    cvta.shared::cluster.u64 object, object;\n";
    }
    out << "    " << form.name;
    if (form.generic) {
        out << " [address], " << vector_of("b", form.width) << ", [object];\n";
    } else if (bulk) {
        out << " [target], [source], " << bulk_bytes << ", [remote];\n";
    } else {
        out << " [target], " << vector_of("b", form.width) << ", [remote];\n";
    }
    out << "    bra done;\nwait:\n";
    out << "    mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [bar], 0;\n    @!p bra wait;\n";
    if (bulk) {
        out << "    ld.shared.v4.b32 {w0, w1, w2, w3}, [box];\n    st.global.v4.b32 [M], {w0, w1, w2, w3};\n";
    } else {
        move_elements(out, form, "ld", ".shared", "a", "box", true);
        move_elements(out, form, "st", ".global", "a", "M", false);
    }
    out << "done:\n    barrier.cluster.arrive.release;\n    barrier.cluster.wait.acquire;\n";
}

void redux_kernel(std::ostream& out, const ValueForm& form) {
    out << "    .reg .b32 lane, member, a, b;\n";
    out << "    mov.u32 lane, %laneid;\n    shr.b32 member, " << form.mask << ", lane;\n    and.b32 member, member, 1;\n";
    out << "    setp.eq.u32 p, member, 0;\n    @p ret;\n";
    out << "    mad.wide.u32 B, lane, 4, B;\n    mad.wide.u32 M, lane, 4, M;\n";
    out << "    ld.global.b32 b, [B];\n    " << form.name << " a, b, " << form.mask << ";\n    st.global.b32 [M], a;\n";
}

}  // namespace

int ValueForm::threads() const {
    return kind == Kind::redux ? warp : 1;
}

int ValueForm::blocks() const {
    return !global && (kind == Kind::bulk_shared || kind == Kind::red_async || kind == Kind::st_async) ? 2 : 1;
}

Type ValueForm::scalar() const {
    return type == Type::b128 ? Type::b64 : lane_type(type);
}

std::vector<ValueForm> value_forms(Names names) {
    std::vector<ValueForm> forms;
    for (const Form& row : litmus::forms())
        if (row.op && kind_of(*row.op, true))
            each_name(row, [&](const std::vector<std::string>& words, Version least) { add_forms(forms, row, words, least, names); });
    return forms;
}

bool runs_on(const ValueForm& form, int sm) {
    return form.arch_specific ? sm / 10 == form.least_sm / 10 : sm >= form.least_sm;
}

// Integers: zero, one, the bounds of both signednesses and their neighbours. Floats: zeros, the bounds of the
// subnormal and normal ranges, ones and what rounds against them (halves of the last place, ties to even
// and to odd), infinities, and NaNs quiet and signalling, with payloads and signs.
std::vector<uint64_t> edge_values(Type type) {
    const int n = bits(type);
    const uint64_t ones = truncate(~uint64_t{0}, n), top = uint64_t{1} << (n - 1);
    if (!is_float(type)) return {0, 1, 2, 3, 7, 0x55, top - 2, top - 1, top, top + 1, ones - 2, ones - 1, ones, ones / 3};
    const uint64_t infinity = float_bits(type, HUGE_VAL), one = float_bits(type, 1);
    const uint64_t quiet = infinity | (infinity & ~(infinity << 1)) >> 1;
    const auto precision = static_cast<int>(std::lround(-std::log2(float_value(type, one + 1) - 1)));
    const double half_place = std::ldexp(1.0, -precision - 1);
    const uint64_t least_normal = infinity & (~infinity + 1);
    std::vector<uint64_t> values;
    for (const uint64_t value :
         {uint64_t{0}, uint64_t{1}, uint64_t{2}, least_normal - 1, least_normal, least_normal + 1, one - 1, one, one + 1,
          float_bits(type, half_place), float_bits(type, half_place) + 1, float_bits(type, half_place * 3), infinity - 1,
          float_bits(type, half_place * float_value(type, infinity - 1)), infinity, infinity + 1, quiet, quiet + 3, top - 1}) {
        values.push_back(value);
        values.push_back(value | top);
    }
    return values;
}

ValueCases value_cases(const ValueForm& form) {
    ValueCases cases;
    const Type scalar = form.scalar();
    cases.scalars_per_case = static_cast<size_t>(case_bytes(form) * 8 / bits(scalar));
    if (is_redux(form)) {
        fill_redux(form, cases);
        return cases;
    }
    std::vector<Pair> pairs = pairs_of(scalar);
    if (form.operation == Operator::cas) {
        const size_t different = pairs.size();
        for (size_t i = 0; i < different; ++i) pairs.push_back({pairs[i].a, pairs[i].a});
    }
    while (pairs.size() % cases.scalars_per_case != 0) pairs.push_back({0, 0});
    const bool stores = form.kind == Kind::st_async;
    const Operator operation = stores ? Operator::exch : memory_operation(form.operation, scalar, form.global);
    const bool contradicted = form.kind == Kind::bulk_global && operation == Operator::add_ftz;
    if (contradicted)
        cases.contradicted = "9.7.9.25.4.2: \"cp.reduce.async.bulk.add.f32 flushes subnormal inputs and results\"; sm_90 keeps them";
    for (const auto& [a, b] : pairs) {
        if (contradicted) cases.hardware_memory.push_back(apply(Operator::add, scalar, a, b).value());
        cases.memory.push_back(a);
        cases.operand.push_back(b);
        if (takes_third(form)) {
            const uint64_t third = truncate(~b * 3, bits(scalar));
            cases.third.push_back(third);
            cases.expected_memory.push_back(a);
        } else {
            cases.expected_memory.push_back(apply(operation, scalar, a, b).value());
        }
        if (form.kind == Kind::atom) cases.expected_old.push_back(a);
    }
    for (size_t first = 0; takes_third(form) && first < pairs.size(); first += cases.scalars_per_case) {
        const auto begin = pairs.begin() + static_cast<std::ptrdiff_t>(first),
                   end = begin + static_cast<std::ptrdiff_t>(cases.scalars_per_case);
        if (!std::all_of(begin, end, [](const Pair& pair) { return pair.a == pair.b; })) continue;
        for (size_t i = first; i < first + cases.scalars_per_case; ++i) cases.expected_memory[i] = cases.third[i];
    }
    return cases;
}

std::string value_kernel(size_t index) {
    return "value" + std::to_string(index);
}

std::string values_ptx(const std::vector<ValueForm>& forms, const std::string& target) {
    std::ostringstream out;
    out << ".version 8.7\n.target " << target << "\n.address_size 64\n\n";
    for (size_t i = 0; i < forms.size(); ++i) {
        open_kernel(out, forms[i], i);
        if (needs_cluster(forms[i])) {
            cluster_kernel(out, forms[i]);
        } else if (forms[i].kind == Kind::bulk_global) {
            bulk_global_kernel(out, forms[i]);
        } else if (is_redux(forms[i])) {
            redux_kernel(out, forms[i]);
        } else {
            atomic_kernel(out, forms[i]);
        }
        close_kernel(out);
    }
    return out.str();
}

}  // namespace litmus::gpu
