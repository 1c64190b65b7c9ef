// Placement of threads and locations, and the list of what is observed.
#include "gpu/emit/plan.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "language/compared.h"
#include "language/layout.h"
#include "language/tensor.h"
#include "ptx/matrix.h"
#include "ptx/table.h"

namespace litmus::gpu {

namespace {

[[noreturn]] void refuse(const Test& test, Span span, const std::string& reason) {
    throw Failure(test.source, span, "'" + test.name + "' cannot run on the GPU: " + reason);
}

// ---- what is refused ----------------------------------------------------------------------------

constexpr int newest = 90;  // the PTX of the assembler that emission is tried with

void check_instruction(const Test& test, const Instruction& instruction, Runner runner) {
    const Traits& what = traits(instruction.op);
    const bool cancels = what.kind == Traits::Kind::cancellation || what.kind == Traits::Kind::cancellation_query;
    const bool newer = what.family == Traits::Family::tcgen || instruction.op == Op::st_bulk;
    if (newer || (cancels && runner == Runner::gpu)) refuse(test, instruction.span, "instructions of sm_100 are not emitted");
    if (least_version(instruction).ptx > newest && runner == Runner::gpu)
        refuse(test, instruction.span, "what is newer than PTX 9.0 is not emitted");
    if (instruction.op == Op::discard) refuse(test, instruction.span, "`discard` is not emitted: what it leaves has no value to observe");
    if (instruction.op == Op::warp_mma)
        refuse(test, instruction.span, "products of a warp, which have no value to observe, are not emitted");
    if (instruction.op == Op::trap) refuse(test, instruction.span, "`trap` is not emitted: it ends all instances");
    if (instruction.mnemonic == "brkpt" || instruction.mnemonic == "setmaxnreg")
        refuse(test, instruction.span, "`" + instruction.mnemonic + "` is not emitted");
    for (const Operand& operand : instruction.operands)
        if (runner == Runner::gpu && operand.kind == Operand::Kind::immediate && width_of_unknown(operand.name))
            refuse(test, operand.span, "readings of `%" + operand.name + "` are not emitted");
    const Proxy used = instruction.op == Op::ld_nc ? Proxy::generic : proxy(instruction);  // PTX has it, in global memory
    if (used == Proxy::surface || used == Proxy::texture || used == Proxy::constant)
        refuse(test, instruction.span, "surfaces, textures and constant memory are not emitted");
    const Operand* address = instruction.find(Role::address);
    const Location* location = address != nullptr && !address->indirect ? find_location(test, address->name) : nullptr;
    if (location != nullptr && data_type(instruction) == Type::b128 && !location->wide && runner == Runner::gpu)
        refuse(test, instruction.span, "answers to instructions of sm_100 are not emitted");
}

// What other threads of a warpgroup would have to know of the one that the test has.
void check_matrices(const Test& test, const Thread& thread) {
    for (const Instruction& i : thread.body) {
        if (i.op == Op::bra || i.op == Op::exit) refuse(test, i.span, "branches of a thread that multiplies matrices are not emitted");
        if (is_of_warpgroup(i.op) && i.guard) refuse(test, i.span, "guarded operations of a warpgroup are not emitted");
        if (i.op != Op::wgmma_mma) continue;
        if (i.find(Role::fragment)) refuse(test, i.span, "matrices in registers are not emitted");
        if (i.at(Role::scale_d).kind != Operand::Kind::immediate) refuse(test, i.span, "scale-d in a register is not emitted");
        for (size_t nth = 0; const Operand* matrix = i.find(Role::matrix, nth); ++nth) {
            const Location* location = find_location(test, matrix->name);
            if (matrix->indirect || !location) refuse(test, matrix->span, "the address of a matrix in a register is not emitted");
            const int64_t size = int64_t{bits(location->type)} / 8 * location->count - matrix->offset;
            if (size < matrix_bytes(i, nth))
                refuse(test, matrix->span,
                       "the matrix has " + std::to_string(matrix_bytes(i, nth)) + " bytes, and the array " + std::to_string(size));
        }
    }
}

// The instances have one more dimension of the tensor. What has no room for it, rows and columns, finds them in the dimension that it has:
// the tensors of all instances as one.
void check_map(const Test& test, const TensorMap& map) {
    if (!map.column && map.dim.size() == most_dimensions)
        refuse(test, map.span, "a tensor of five dimensions is not emitted: the instances are one more");
    if (map.column && map.dim.back() != 1)
        refuse(test, map.span, "a tensor of several images is not emitted: the instances are its images");
    const int64_t row = int64_t{map.dim[0]} * bits(tensor_array(test, map).type);
    if (copies_rows(test, map) && (row & (row - 1)) != 0)
        refuse(test, map.span, "a tensor whose rows are gathered is emitted where the size of a row is a power of two");
}

// The instances have one more dimension, so that the rank of the map is another one; and where they are rows or images of one tensor, all
// else may be.
void check_map_field(const Test& test, const Instruction& i) {
    if (i.has("rank")) refuse(test, i.span, "the rank of a tensor map is not emitted: the instances are one more dimension");
    for (const TensorMap& map : test.tensor_maps)
        if (map.column || copies_rows(test, map))
            refuse(test, i.span, "fields of maps of which rows or columns are copied are not emitted");
}

void check_tensor_copy(const Test& test, const Instruction& i) {
    const TensorMap& map = *find_tensor_map(test, i.at(Role::tensor).name);
    const TensorMode mode = tensor_mode(i);
    if (mode == TensorMode::tile && !copies_rows(test, map)) return;
    if (mode == TensorMode::tile) refuse(test, i.span, "a map through which both boxes and rows are copied is not emitted");
    const auto place = written_place(i);
    if (!place || !begins_inside(map, mode, *place, map.dim.size() - 1))
        refuse(test, i.span, "a copy that may leave the tensor at its end is not emitted: the next instance lies there");
}

// All lanes give the address that the thread has, and hold what it holds: of several matrices that are stored the rows would lie in one
// place.
void check_rows(const Test& test, const Thread& thread, const Instruction& i) {
    if (thread.at.lane != 0) refuse(test, i.span, "`" + i.mnemonic + "` of another lane than the first is not emitted");
    if (i.op == Op::stmatrix && (!i.has("x1") || i.has("trans")))
        refuse(test, i.span, "of `stmatrix` the form `.x1` is emitted, without `.trans`");
}

// What all threads of a warp execute as one is emitted for all lanes of a warp that one thread stands for. Where the test has others of its
// lanes, these run code of their own.
void check_whole_warp(const Test& test, const Thread& thread, const Instruction& i) {
    if (!is_of_warp(i.op) && i.op != Op::wgmma_mma) return;
    if (kind(i.op) == Traits::Kind::warp_matrix) check_rows(test, thread, i);
    for (const Thread& other : test.threads)
        if (&other != &thread && same_cta(other.at, thread.at) && other.at.warp == thread.at.warp)
            refuse(test, i.span, "what a whole warp executes as one is not emitted beside other lanes of it");
}

void check(const Test& test, Runner runner) {
    for (const Location& location : test.locations)
        if (location.proxy != Proxy::generic)
            refuse(test, location.span, "surfaces, textures and constant memory are not emitted");
        else if (!location.points_to.empty() && runner == Runner::gpu)
            refuse(test, location.span, "multimem addresses are not emitted: they need a multicast object over several GPUs");
    for (const TensorMap& map : test.tensor_maps) check_map(test, map);
    for (const Thread& thread : test.threads) {
        for (const Instruction& instruction : thread.body) {
            check_instruction(test, instruction, runner);
            check_whole_warp(test, thread, instruction);
            if (instruction.op == Op::map_field) check_map_field(test, instruction);
            if (instruction.find(Role::tensor)) check_tensor_copy(test, instruction);
        }
        if (runs_warpgroup(thread)) check_matrices(test, thread);
    }
}

constexpr int warpgroup = 4;  // warps

// ---- layout -------------------------------------------------------------------------------------

// Whether instances need nothing but their own global memory: then 32 of them fit a warp.
bool can_pack(const Test& test) {
    const bool global_only = std::all_of(test.locations.begin(), test.locations.end(),
                                         [](const Location& l) { return l.space == Space::global && !l.is_mbarrier; });
    const auto meets_elsewhere = [](const Instruction& i) {
        const auto what = kind(i.op);
        return is_barrier(i.op) || is_asynchronous(i.op) || what == Traits::Kind::warp_barrier || what == Traits::Kind::warp_reduction;
    };
    std::set<std::tuple<int, int, int>> warps;
    for (const Thread& t : test.threads) warps.emplace(t.at.cluster, t.at.cta, t.at.warp);
    return global_only && warps.size() == test.threads.size() && !any_instruction(test, meets_elsewhere);
}

PlannedCta& cta_numbered(Plan& plan, int number, const Placement& at) {
    const auto found = std::find_if(plan.ctas.begin(), plan.ctas.end(), [&](const PlannedCta& c) { return c.number == number; });
    if (found != plan.ctas.end()) return *found;
    PlannedCta cta;
    cta.number = number;
    cta.gpu = at.gpu;
    cta.cluster = at.cluster;
    plan.ctas.push_back(cta);
    return plan.ctas.back();
}

// One stream orders the launches, so each grid has to depend on the one before it.
void place_grids(const Test& test, Plan& plan) {
    const std::vector<Grid> grids = grids_of(test);
    for (size_t g = 0; g < grids.size(); ++g) {
        const auto depends = [&](const std::vector<int>& on) { return std::find(on.begin(), on.end(), grids[g - 1].number) != on.end(); };
        const std::string name = "grid " + std::to_string(grids[g].number);
        if (g > 0 && !depends(grids[g].after) && !depends(grids[g].programmatic))
            refuse(test, grids[g].span, name + " does not depend on the one before it: grids of several streams are not emitted");
        plan.grids.push_back({grids[g].number, g > 0 && depends(grids[g].programmatic)});
    }
}

// The GPUs that are named, from 0 without gaps.
void number_gpus(Plan& plan) {
    std::set<int> named;
    for (const PlannedCta& c : plan.ctas) named.insert(c.gpu);
    for (PlannedCta& c : plan.ctas) c.gpu = static_cast<int>(std::distance(named.begin(), named.find(c.gpu)));
    plan.gpus = static_cast<int>(named.size());
}

// Launched clusters are the test's, each as large as the largest. Where nothing needs a cluster, CTAs go singly, which
// spreads them over the whole GPU: no scope but .cluster tells the difference.
void place_ctas(const Test& test, Plan& plan) {
    for (const Thread& t : test.threads) cta_numbered(plan, t.at.cta, t.at);
    for (const Location& l : test.locations)
        if (l.space == Space::shared && l.cta) cta_numbered(plan, *l.cta, {.gpu = plan.ctas.front().gpu});
    number_gpus(plan);
    if (plan.gpus > 1 && plan.grids.size() > 1) refuse(test, {}, "grids on several GPUs are not emitted");
    const auto order = [](const PlannedCta& c) { return std::tie(c.gpu, c.cluster, c.number); };
    std::sort(plan.ctas.begin(), plan.ctas.end(), [&](const PlannedCta& a, const PlannedCta& b) { return order(a) < order(b); });

    const bool clustered =
        plan.layout == Plan::ThreadLayout::grouped || any_instruction(test, [](const Instruction& i) { return i.has("cluster"); });
    std::vector<int> units(static_cast<size_t>(plan.gpus), 0);  // by GPU
    plan.cluster = 1;
    for (size_t c = 0; c < plan.ctas.size(); ++c) {
        PlannedCta& cta = plan.ctas[c];
        int& count = units[static_cast<size_t>(cta.gpu)];
        const bool same = clustered && count > 0 && cta.cluster == plan.ctas[c - 1].cluster;
        const auto of_cta = [&](const PlannedGrid& g) { return g.number == grid_of(cta.number); };
        cta.grid = static_cast<int>(std::find_if(plan.grids.begin(), plan.grids.end(), of_cta) - plan.grids.begin());
        cta.unit = same ? count - 1 : count++;
        cta.rank = same ? plan.ctas[c - 1].rank + 1 : 0;
        plan.cluster = std::max(plan.cluster, cta.rank + 1);
    }
    plan.units = *std::max_element(units.begin(), units.end());
    for (PlannedCta& cta : plan.ctas) cta.unit += cta.gpu * plan.units;
    const auto names_ranks = [](const Instruction& i) { return i.has("multicast::cluster") || i.has("cta_group::2"); };
    plan.turns = plan.cluster > 1 && !any_instruction(test, names_ranks);
    if (plan.cluster > 16) refuse(test, test.threads.back().span, "a cluster has 16 CTAs at most");
}

// The first of the four warps of a warpgroup has a number that is a multiple of four (ISA 9.7.15.1): warpgroups come first.
void place_warpgroups(const Test& test, Plan& plan) {
    for (size_t t = 0; t < test.threads.size(); ++t) {
        const Thread& thread = test.threads[t];
        if (!runs_warpgroup(thread)) continue;
        const auto beside = [&](const Thread& other) {
            const bool same_warp = same_cta(other.at, thread.at) && other.at.warp == thread.at.warp;
            return same_warp || (same_warpgroup(other.at, thread.at) && runs_warpgroup(other));
        };
        if (std::count_if(test.threads.begin(), test.threads.end(), beside) > 1)
            refuse(test, thread.span, "another thread of the test is in the warpgroup of `" + thread.name + "`");
        std::vector<int>& warps = plan.ctas[static_cast<size_t>(plan.cta_of[t])].warps;
        warps.erase(std::find(warps.begin(), warps.end(), thread.at.warp));
        warps.insert(warps.begin(), warpgroup, thread.at.warp);
        plan.turn = warpgroup;
    }
}

void place_threads(const Test& test, Plan& plan) {
    for (const Thread& t : test.threads) {
        const PlannedCta& cta = cta_numbered(plan, t.at.cta, t.at);
        plan.cta_of.push_back(static_cast<int>(&cta - plan.ctas.data()));
        std::vector<int>& warps = plan.ctas[static_cast<size_t>(plan.cta_of.back())].warps;
        if (std::find(warps.begin(), warps.end(), t.at.warp) == warps.end()) warps.push_back(t.at.warp);
    }
    for (PlannedCta& cta : plan.ctas) std::sort(cta.warps.begin(), cta.warps.end());
    place_warpgroups(test, plan);
    for (const PlannedCta& cta : plan.ctas) plan.warps = std::max(plan.warps, static_cast<int>(cta.warps.size()));
    plan.warps = (plan.warps + plan.turn - 1) / plan.turn * plan.turn;
    if (plan.warps > 32) refuse(test, test.threads.back().span, "a CTA has 32 warps at most");
    for (size_t t = 0; t < test.threads.size(); ++t) {
        const std::vector<int>& warps = plan.ctas[static_cast<size_t>(plan.cta_of[t])].warps;
        plan.warp_of.push_back(static_cast<int>(std::find(warps.begin(), warps.end(), test.threads[t].at.warp) - warps.begin()));
    }
}

// ---- locations (litmus/language.md, "Declarations") ---------------------------------------------------

int bytes_of(const Location& l) {
    return l.is_mbarrier ? 8 * l.count : l.is_tensor_map ? static_cast<int>(map_bytes) : bits(l.type) / 8 * l.count;
}

int alignment_of(const Location& l) {
    return l.is_mbarrier ? 8 : l.is_tensor_map ? static_cast<int>(map_bytes) : l.array ? 16 : element_bytes(l);
}

int aligned(int offset, int alignment) {
    return (offset + alignment - 1) / alignment * alignment;
}

// Each CTA's own locations start after those of every CTA, so the k-th CTA's first ones share an offset.
void place_shared(const Test& test, Plan& plan) {
    std::vector<int> end(plan.ctas.size(), 0);
    int common = 0;
    const auto place = [&](size_t l, int& at) {
        const Location& location = test.locations[l];
        plan.offset[l] = aligned(at, location.array ? static_cast<int>(array_alignment(test)) : alignment_of(location));
        at = plan.offset[l] + bytes_of(test.locations[l]);
        plan.shared_bytes = std::max(plan.shared_bytes, at);
    };
    for (size_t l = 0; l < test.locations.size(); ++l)
        if (test.locations[l].space == Space::shared && !test.locations[l].cta && test.locations[l].alias_of.empty()) place(l, common);
    std::fill(end.begin(), end.end(), common);
    for (size_t l = 0; l < test.locations.size(); ++l) {
        const Location& location = test.locations[l];
        if (location.space != Space::shared || !location.cta || !location.alias_of.empty()) continue;
        const auto cta = std::find_if(plan.ctas.begin(), plan.ctas.end(), [&](const PlannedCta& c) { return c.number == *location.cta; });
        place(l, end[static_cast<size_t>(cta - plan.ctas.begin())]);
    }
    if (plan.shared_bytes > 48 * 1024) refuse(test, test.locations.back().span, "its locations exceed 48 KiB of shared memory");
}

void place_global(const Test& test, Plan& plan) {
    for (size_t l = 0; l < test.locations.size(); ++l) {
        const Location& location = test.locations[l];
        if (location.space != Space::global || !location.alias_of.empty()) continue;
        plan.region[l] = plan.regions++;
        plan.slot_bytes = std::max(plan.slot_bytes, aligned(bytes_of(location), alignment_of(location)));
    }
    while ((plan.slot_bytes & (plan.slot_bytes - 1)) != 0) ++plan.slot_bytes;  // a power of two keeps every alignment
}

void place_locations(const Test& test, Plan& plan) {
    plan.offset.assign(test.locations.size(), -1);
    plan.region.assign(test.locations.size(), -1);
    place_shared(test, plan);
    place_global(test, plan);
    for (size_t l = 0; l < test.locations.size(); ++l) {
        const auto base = static_cast<size_t>(physical_location(test, static_cast<int>(l)));
        if (base == l) continue;
        if (test.locations[base].space == Space::shared) refuse(test, test.locations[l].span, "shared memory has no second address");
        plan.aliased = true;
        plan.region[l] = plan.region[base];
    }
}

// ---- observed values ----------------------------------------------------------------------------

Word register_word(const Test& test, int thread, const std::string& reg) {
    Term term;
    term.kind = Term::Kind::reg;
    term.thread = thread;
    term.name = reg;
    Word word;
    word.name = test.threads[static_cast<size_t>(thread)].name + ":" + reg;
    word.type = term_type(test, term).value_or(Type::u32);
    word.thread = thread;
    word.reg = reg;
    return word;
}

// `cta`: the instance that the condition names, a number of the test; -1: none.
Word location_word(const Test& test, const Plan& plan, const std::string& name, int cta, int element) {
    Word word;
    word.location = physical_location(test, location_index(test, name));
    word.element = element;
    const Location& location = test.locations[static_cast<size_t>(word.location)];
    word.type = location.type;
    word.kind = location.space == Space::global ? Word::Kind::global : Word::Kind::shared;
    word.name = name + (cta >= 0 ? "@" + cta_name(cta) : "") + element_suffix(location, element);
    const int owner = cta >= 0 ? cta : location.cta.value_or(-1);
    for (size_t c = 0; c < plan.ctas.size(); ++c)
        if (location.space == Space::shared && plan.ctas[c].number == owner) word.cta = static_cast<int>(c);
    return word;
}

void add(Plan& plan, Word word) {
    const bool known = std::any_of(plan.words.begin(), plan.words.end(), [&](const Word& w) { return w.name == word.name; });
    if (!known) plan.words.push_back(std::move(word));
}

void collect(const Condition& condition, std::vector<Term>& terms) {
    if (condition.kind == Condition::Kind::atom) {
        for (const Term& t : {condition.left, condition.right})
            if (t.kind != Term::Kind::constant) terms.push_back(t);
    }
    for (const Condition& c : condition.operands) collect(c, terms);
}

void add_all_registers(const Test& test, Plan& plan) {
    for (int t = 0; t < static_cast<int>(test.threads.size()); ++t) {
        std::set<std::string> written;  // in the order of their names
        for (const Instruction& instruction : test.threads[static_cast<size_t>(t)].body)
            for (const std::string& reg : written_registers(instruction))
                if (is_compared(test, t, reg)) written.insert(reg);
        for (const std::string& reg : written) add(plan, register_word(test, t, reg));
    }
}

void add_all_locations(const Test& test, Plan& plan) {
    for (const Location& location : test.locations) {
        if (!location.alias_of.empty() || is_opaque(location) || !is_compared(test, location)) continue;
        const bool everywhere = location.space == Space::shared && !location.cta;
        for (int e = 0; e < location.count; ++e) {
            if (!everywhere) add(plan, location_word(test, plan, location.name, -1, e));
            for (const PlannedCta& cta : plan.ctas)
                if (everywhere) add(plan, location_word(test, plan, location.name, cta.number, e));
        }
    }
}

// The coordinates of an outcome, as event/describe.cpp chooses and names them.
void choose_observed(const Test& test, Plan& plan) {
    std::vector<Term> terms;
    collect(test.claim.condition, terms);
    if (test.filter) collect(*test.filter, terms);
    for (const Term& t : terms)
        if (t.kind == Term::Kind::reg ? !is_compared(test, t.thread, t.name)
                                      : !is_compared(test, test.locations[static_cast<size_t>(location_index(test, t.name))]))
            refuse(test, {}, "its condition is about an address, and each instance has its own");
    const bool all = test.claim.kind == Claim::Kind::none;
    if (all) add_all_registers(test, plan);
    for (const Term& t : terms)
        if (t.kind == Term::Kind::reg) add(plan, register_word(test, t.thread, t.name));
    if (all) add_all_locations(test, plan);
    for (const Term& t : terms)
        if (t.kind == Term::Kind::location) add(plan, location_word(test, plan, t.name, t.cta, t.element));
}

// A weak load whose value nobody uses is left out by the assembler, so each loaded register is kept.
void keep_loads(const Test& test, Plan& plan) {
    for (size_t t = 0; t < test.threads.size(); ++t)
        for (const Instruction& instruction : test.threads[t].body) {
            if (!touches_memory(instruction.op) || written_type(instruction) == Type::pred) continue;
            for (const std::string& reg : written_registers(instruction)) {
                Word word = register_word(test, static_cast<int>(t), reg);
                word.shown = false;
                add(plan, word);
            }
        }
}

bool jumps_back(const Thread& thread, size_t at) {
    const Instruction& instruction = thread.body[at];
    if (instruction.op != Op::bra) return false;
    const std::string& target = instruction.at(Role::label).name;
    for (size_t i = 0; i <= at; ++i) {
        const auto& labels = thread.body[i].labels;
        if (std::find(labels.begin(), labels.end(), target) != labels.end()) return true;
    }
    return false;
}

void watch_time(const Test& test, Plan& plan) {
    for (size_t t = 0; t < test.threads.size(); ++t) {
        const Thread& thread = test.threads[t];
        bool spins = false;
        for (size_t i = 0; i < thread.body.size(); ++i) spins = spins || thread.body[i].await || jumps_back(thread, i);
        if (!spins && plan.gpus == 1) continue;  // several GPUs wait for one another before the test
        Word word;
        word.kind = Word::Kind::timeout;
        word.name = thread.name + ":timeout";
        word.thread = static_cast<int>(t);
        word.shown = false;
        plan.words.push_back(word);
    }
}

// "redux.sync" and the like: the first of the thread.
std::string first_exchange(const Thread& thread) {
    for (const Instruction& i : thread.body)
        if (kind(i.op) == Traits::Kind::warp_reduction) return i.mnemonic;
    return {};
}

// Waiting for memory is bounded, waiting at a barrier is not: a thread that may not come leaves the others there.
std::string hang_reason(const Test& test) {
    for (const Thread& thread : test.threads) {
        const bool barrier = std::any_of(thread.body.begin(), thread.body.end(), [](const Instruction& i) { return is_barrier(i.op); });
        const bool conditional = std::any_of(thread.body.begin(), thread.body.end(), [](const Instruction& i) {
            return i.op == Op::bra || i.op == Op::exit || (is_barrier(i.op) && i.guard);
        });
        if (barrier && conditional) return thread.name + " may not come to its barrier";
        const bool alone = std::count_if(test.threads.begin(), test.threads.end(), [&](const Thread& t) {
                               return t.at.cluster == thread.at.cluster && t.at.cta == thread.at.cta && t.at.warp == thread.at.warp;
                           }) == 1;
        const bool reduces = std::any_of(thread.body.begin(), thread.body.end(),
                                         [](const Instruction& i) { return kind(i.op) == Traits::Kind::warp_reduction; });
        const bool with_others = std::any_of(thread.body.begin(), thread.body.end(), [&](const Instruction& i) {
            if (kind(i.op) != Traits::Kind::warp_reduction) return false;
            const Operand& mask = i.at(Role::member_mask);
            return mask.kind != Operand::Kind::immediate || truncate(mask.value, 32) != uint64_t{1} << thread.at.lane;
        });
        if (alone && with_others) return "its " + first_exchange(thread) + " waits for lanes that the test does not place";
        if (!alone && reduces)
            return "the lanes of a warp must execute one " + first_exchange(thread) + " together, and each thread has its own code here";
        const bool copies_map = std::any_of(thread.body.begin(), thread.body.end(), [](const Instruction& i) { return is_of_warp(i.op); });
        if (!alone && copies_map) return "the lanes of a warp must execute one instruction together, and each thread has its own code here";
        if (!alone && barrier) return "the lanes of a warp must come to a barrier together, and each thread has its own code here";
        if (barrier && (test.claims_deadlock || test.claims_may_deadlock)) return "the test claims a deadlock, and has barriers";
    }
    return {};
}

// ---- versions -----------------------------------------------------------------------------------

// sm_90: cluster special registers, mapa, barrier.cluster; PTX 8.0: what is added around a test may be fence.mbarrier_init,
// barrier.cluster.arrive.relaxed, cp.async.bulk.prefetch.
constexpr Version least{80, 90};

void choose_versions(const Test& test, std::optional<int> sm, Plan& plan) {
    const Instruction* reason = nullptr;
    plan.ptx = least.ptx;
    for (const Thread& t : test.threads)
        for (const Instruction& i : t.body) {
            const Version needed = least_version(i);
            plan.ptx = std::max(plan.ptx, needed.ptx);
            if (needed.sm > least.sm) reason = &i;
        }
    plan.sm = sm.value_or(reason ? 100 : least.sm);
    if (reason && plan.sm < 100)
        throw Failure(test.source, reason->span, "'" + spelling(*reason) + "' needs sm_100a", "--sm 100a, or leave --sm out");
    const bool own_target = any_instruction(test, [](const Instruction& i) { return least_version(i).specific; });
    const bool makes_maps = std::any_of(test.locations.begin(), test.locations.end(), [](const Location& l) { return l.is_tensor_map; });
    if (makes_maps) plan.ptx = std::max(plan.ptx, 83);  // ISA 9.7.9.28: tensormap.replace gives each instance its own (kernel.cpp)
    plan.specific = plan.sm >= 100 || own_target || makes_maps;
    if (plan.sm >= 100) plan.ptx = std::max(plan.ptx, 86);  // ISA 11.1.2: sm_100a
}

}  // namespace

bool touches_memory(Op op) {
    using Kind = Traits::Kind;
    const Kind what = kind(op);
    if (what == Kind::load || what == Kind::store) return traits(op).proxy == Proxy::generic;
    if (is_arithmetic(op) || is_barrier(op) || what == Kind::quorum || is_of_warp(op)) return false;
    return what == Kind::map_write || what == Kind::atomic || what == Kind::fence || what == Kind::proxy_fence || meets_others(op);
}

bool is_of_warp(Op op) {
    return op == Op::map_copy || kind(op) == Traits::Kind::warp_matrix;
}

bool is_of_warpgroup(Op op) {
    using Kind = Traits::Kind;
    const Kind what = kind(op);
    return what == Kind::mma || what == Kind::mma_fence || what == Kind::mma_commit || what == Kind::mma_wait;
}

bool copies_rows(const Test& test, const TensorMap& map) {
    return any_instruction(test, [&](const Instruction& i) {
        const Operand* tensor = i.find(Role::tensor);
        return tensor && tensor->name == map.name && tensor_mode(i) == TensorMode::rows;
    });
}

bool runs_warpgroup(const Thread& thread) {
    return std::any_of(thread.body.begin(), thread.body.end(), [](const Instruction& i) { return is_of_warpgroup(i.op); });
}

Plan make_plan(const Test& test, std::optional<int> sm, Runner runner) {
    check(test, runner);
    Plan plan;
    place_grids(test, plan);
    plan.layout = plan.grids.size() == 1 && can_pack(test) ? Plan::ThreadLayout::packed : Plan::ThreadLayout::grouped;
    plan.hang = hang_reason(test);
    place_ctas(test, plan);
    place_threads(test, plan);
    place_locations(test, plan);
    choose_observed(test, plan);
    keep_loads(test, plan);
    watch_time(test, plan);
    plan.spoils = plan.layout == Plan::ThreadLayout::grouped &&
                  any_instruction(test, [](const Instruction& i) { return is_asynchronous(i.op); }) &&
                  std::any_of(plan.words.begin(), plan.words.end(), [](const Word& w) { return w.kind == Word::Kind::timeout; });
    choose_versions(test, sm, plan);
    return plan;
}

std::string test_kernel(size_t grid) {
    return grid == 0 ? "litmus_test" : "litmus_test_" + std::to_string(grid);
}

std::string kernel_of_thread(const Plan& plan, size_t t) {
    return test_kernel(static_cast<size_t>(plan.ctas[static_cast<size_t>(plan.cta_of[t])].grid));
}

int places(const Plan& plan) {
    return plan.gpus * plan.units * plan.cluster * plan.warps;
}

int place_of_thread(const Plan& plan, size_t t) {
    const PlannedCta& cta = plan.ctas[static_cast<size_t>(plan.cta_of[t])];
    return (cta.unit * plan.cluster + cta.rank) * plan.warps + plan.warp_of[t];
}

}  // namespace litmus::gpu
