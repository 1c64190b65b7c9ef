// Random litmus tests.
//
// Most programs drawn uniformly from all instructions are dull: nothing is strong enough to forbid
// anything. So each program first draws a *style* (how strong its accesses are, how often it fences,
// how many locations, which atomics), and instructions are drawn within it; some programs start from
// the skeleton of a classic shape (which thread loads and stores what), so that axioms which only
// speak of a certain shape get their share. Values are chosen so that outcomes tell writes apart: each
// store of a constant stores one of its own.
//
// Some programs compute with floating-point numbers: their locations are floats, some packed, their
// atomics are sums (and, on vectors of halves, minima and maxima), and their constants come from a small
// pool of numbers whose sums round, overflow, cancel, flush or are NaNs.
#include "random_program.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "ptx/table.h"
#include "ptx/value.h"

namespace litmus {

uint64_t Random::next() {
    state_ += 0x9e3779b97f4a7c15U;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

uint64_t program_seed(uint64_t run_seed, uint64_t i) {
    return Random(run_seed ^ (i * 0xd1342543de82ef95U)).next();
}

namespace {

Operand reg(const std::string& name) {
    Operand o;
    o.kind = Operand::Kind::reg;
    o.name = name;
    return o;
}

Operand immediate(uint64_t value) {
    Operand o;
    o.kind = Operand::Kind::immediate;
    o.value = value;
    return o;
}

Operand named(Operand::Kind kind, const std::string& name) {
    Operand o;
    o.kind = kind;
    o.name = name;
    return o;
}

Operand address_of(const std::string& location, int64_t offset) {
    Operand o = named(Operand::Kind::address, location);
    o.offset = offset;
    return o;
}

Operand address_in(const std::string& reg) {
    Operand o = named(Operand::Kind::address, reg);
    o.indirect = true;
    return o;
}

Operand vector_of(std::vector<Operand> elements) {
    Operand o;
    o.kind = Operand::Kind::vector;
    o.elements = std::move(elements);
    return o;
}

Instruction instruction(Op op, const std::string& mnemonic, std::vector<std::string> qualifiers, std::vector<Operand> operands) {
    Instruction i;
    i.op = op;
    i.mnemonic = mnemonic;
    i.qualifiers = std::move(qualifiers);
    i.operands = std::move(operands);
    return i;
}

std::string text(std::string_view s) {
    return std::string(s);
}

// How the accesses of one program tend to look.
struct Style {
    int strong = 50;    // per cent of loads and stores that are not weak
    int ordered = 50;   // of those, acquire or release
    int fence = 25;     // before a memory operation
    int fence_sc = 30;  // of fences
    int atomic = 25;    // of memory operations
    int first_location = 50;
    int dependency = 20;
    int await = 8;
    bool floats = false;
    std::vector<std::string> scopes;
    std::vector<std::string> operations;
};

class Generator {
public:
    Generator(uint64_t seed, const RandomOptions& options) : random_(seed), options_(options) {}

    Test test() {
        draw_style();
        place_threads();
        declare_locations();
        draw_bodies();
        for (size_t t = 0; t < drafts_.size(); ++t) close_labels(t, true);
        for (size_t t = 0; t < drafts_.size(); ++t) give_values(t);
        if (options_.barriers && random_.chance(20)) add_barriers();
        draw_claim();
        test_.name = "random";
        return std::move(test_);
    }

private:
    // What a thread has so far.
    struct Draft {
        std::vector<std::pair<std::string, Type>> values;  // registers that hold something read
        int registers = 0;
        int predicates = 0;
        int labels = 0;
        std::vector<std::pair<std::string, size_t>> open;  // label and the length of the body it stands at
    };

    // ---- the frame ---------------------------------------------------------------------------

    void draw_style() {
        static const std::vector<int> often = {0, 10, 50, 90, 100};
        style_.strong = random_.pick(std::vector<int>{20, 60, 90, 100, 100});
        style_.ordered = random_.pick(often);
        style_.fence = random_.pick(std::vector<int>{0, 15, 35, 60});
        style_.fence_sc = random_.pick(often);
        style_.atomic = random_.pick(std::vector<int>{0, 20, 35, 70});
        style_.first_location = random_.pick(std::vector<int>{50, 50, 75, 100});
        style_.dependency = random_.pick(std::vector<int>{0, 20, 60, 90});
        style_.await = random_.pick(std::vector<int>{0, 0, 15});
        style_.floats = options_.floats && random_.chance(25);
        if (style_.floats) style_.atomic = random_.pick(std::vector<int>{50, 80, 100});
        static const std::vector<std::string> all = {"cta", "cluster", "gpu", "sys"};
        style_.scopes = random_.chance(50) ? all : std::vector<std::string>{random_.pick(all), random_.pick(all)};
        static const std::vector<std::string> operations = {"add", "exch", "cas", "inc", "dec", "min", "max", "and", "or", "xor"};
        style_.operations = random_.chance(60) ? operations : std::vector<std::string>{random_.pick(operations)};
    }

    void place_threads() {
        const int n = options_.threads > 2 && random_.chance(50) ? 3 : 2;
        std::map<int, int> warps;
        Placement at;
        int clusters = 0, ctas = 0;
        for (int t = 0; t < n; ++t) {
            if (t > 0) move_on(at, clusters, ctas);
            Thread thread;
            thread.name = "P" + std::to_string(t);
            thread.at = at;
            thread.at.warp = warps[at.cta]++;
            test_.threads.push_back(thread);
        }
        drafts_.resize(test_.threads.size());
        if (random_.chance(8)) share_a_warp();
    }

    // The next thread: beside the last one, in a new CTA, a new cluster or a new GPU.
    void move_on(Placement& at, int& clusters, int& ctas) {
        const int where = random_.below(100);
        if (where < 35) return;
        at.cta = ++ctas;
        if (where < 60) return;
        at.cluster = ++clusters;
        if (where >= 85) ++at.gpu;
    }

    // The first two threads as lanes of one warp.
    void share_a_warp() {
        Placement &a = test_.threads[0].at, &b = test_.threads[1].at;
        if (a.cta != b.cta) return;
        for (Thread& thread : test_.threads) thread.at.warp_named = true;
        b.warp = a.warp;
        b.lane = 1;
        lanes_ = true;
    }

    void declare_locations() {
        static const std::vector<Type> integers = {Type::u32, Type::u32, Type::u32, Type::s32, Type::u64, Type::s64, Type::b32};
        static const std::vector<Type> floats = {Type::f32, Type::f32, Type::f32, Type::f64, Type::f16, Type::bf16, Type::f16x2};
        const std::vector<Type>& types = style_.floats ? floats : integers;
        for (const char* name : {"x", "y"}) {
            Location l;
            l.name = name;
            l.type = test_.locations.empty() || random_.chance(60) ? random_.pick(types) : test_.locations[0].type;
            if (random_.chance(style_.floats ? 30 : 12) && lanes(l.type) == 1) {
                l.array = true;
                l.count = 2;
            }
            l.init.assign(static_cast<size_t>(l.count), random_.chance(15) ? 1U : 0U);
            if (random_.chance(style_.floats ? 40 : 10) && one_cta()) {
                l.space = Space::shared;
                l.cta = test_.threads[0].at.cta;
            }
            test_.locations.push_back(l);
        }
        if (options_.aliases && test_.locations[0].space == Space::global && random_.chance(60)) {
            Location alias = test_.locations[0];
            alias.name = "z";
            alias.alias_of = "x";
            test_.locations.push_back(alias);
        }
    }

    bool one_cta() const {
        return std::all_of(test_.threads.begin(), test_.threads.end(),
                           [&](const Thread& t) { return t.at.cta == test_.threads[0].at.cta; });
    }

    // ---- bodies ------------------------------------------------------------------------------

    void draw_bodies() {
        int left = 4 + random_.below(std::max(1, options_.memory_events - 3));
        left = std::min(left, options_.memory_events);
        std::vector<size_t> order;
        for (size_t t = 0; t < test_.threads.size(); ++t) order.push_back(t);
        const bool skeleton = random_.chance(30) && !style_.floats;
        if (skeleton) left -= draw_skeleton();
        for (size_t turn = 0; left > 0; ++turn) {
            const size_t t = !skeleton && turn < order.size() ? turn : static_cast<size_t>(random_.below(static_cast<int>(order.size())));
            left -= step(t, left);
        }
    }

    // A classic shape in this program's style; the number of its memory events.
    int draw_skeleton() {
        static const std::vector<std::vector<const char*>> two = {{"WxWy", "RyRx"}, {"WxRy", "WyRx"}, {"RxWy", "RyWx"},
                                                                  {"RxWy", "RyWx"}, {"WxWy", "WyRx"}, {"WxWy", "RyWx"},
                                                                  {"WxWy", "WyWx"}, {"Wx", "RxRx"},   {"WxRx", "Wx"}};
        static const std::vector<std::vector<const char*>> three = {
            {"Wx", "RxWy", "RyRx"}, {"Wx", "RxRy", "WyRx"}, {"Wx", "RxWy", "RyWx"}, {"Wx", "Wx", "RxRx"}};
        const std::vector<const char*>& shape = random_.pick(test_.threads.size() == 2 ? two : three);
        int events = 0;
        only_dependency_ = shape[0][0] == 'R' && random_.chance(60);  // load buffering: dependencies decide
        for (size_t t = 0; t < shape.size(); ++t) {
            const std::string body = shape[t];
            for (size_t i = 0; i < body.size(); i += 2, ++events) {
                if (i > 0 && random_.chance(style_.fence)) add(t, fence());
                const Location& at = test_.locations[body[i + 1] == 'x' ? 0 : 1];
                if (body[i] == 'R')
                    add_load(t, at, false);
                else
                    add_store(t, at, false);
            }
        }
        only_dependency_ = false;
        return events;
    }

    // One memory operation and what stands before it; the number of memory events it has.
    int step(size_t t, int left) {
        if (random_.chance(style_.fence) && !test_.threads[t].body.empty()) add(t, fence());
        if (left >= 2 && random_.chance(style_.atomic)) return style_.floats ? add_float_atomic(t, left) : add_atomic(t);
        const Location& at = location();
        if (lanes(at.type) > 1) {  // a packed location is written by packed atomics only
            add_load(t, at, false);
            return lanes(at.type);
        }
        const bool wide = at.array && left >= 2 && random_.chance(60);
        if (random_.chance(50)) {
            add_load(t, at, wide);
        } else {
            add_store(t, at, wide);
        }
        return wide ? 2 : 1;
    }

    void add(size_t t, Instruction i) {
        Thread& thread = test_.threads[t];
        close_labels(t, false);
        for (std::string& label : pending_labels_) i.labels.push_back(std::move(label));
        pending_labels_.clear();
        bind(i);
        thread.body.push_back(std::move(i));
    }

    // Labels whose place is reached; at the end of the thread, all of them.
    void close_labels(size_t t, bool at_end) {
        Thread& thread = test_.threads[t];
        auto& open = drafts_[t].open;
        for (auto it = open.begin(); it != open.end();) {
            if (!at_end && it->second > thread.body.size()) {
                ++it;
                continue;
            }
            (at_end ? thread.end_labels : pending_labels_).push_back(it->first);
            it = open.erase(it);
        }
    }

    const Location& location() {
        if (test_.locations.size() > 2 && random_.chance(30)) return test_.locations[2];
        return test_.locations[random_.chance(style_.first_location) ? 0 : 1];
    }

    int64_t offset_in(const Location& l) { return l.array ? random_.below(l.count) * (bits(l.type) / 8) : 0; }

    static std::string space_of(const Location& l) { return l.space == Space::shared ? "shared::cta" : "global"; }

    std::vector<std::string> access(const Location& l, bool load, bool wide) {
        std::vector<std::string> q;
        if (!random_.chance(style_.strong)) {
            if (random_.chance(60)) q = {"weak"};
        } else if (random_.chance(6)) {
            q = {"volatile"};
        } else if (!wide && l.space == Space::global && random_.chance(4)) {
            q = {"mmio", "relaxed", "sys"};
        } else {
            const char* ordered = load ? "acquire" : "release";
            q = {random_.chance(style_.ordered) ? ordered : "relaxed", random_.pick(style_.scopes)};
        }
        q.push_back(space_of(l));
        if (wide) q.emplace_back("v2");
        q.push_back(text(name(access_type(l.type))));
        return q;
    }

    // The type that loads and stores of a location have: there are none of 16-bit and packed floats.
    static Type access_type(Type type) {
        if (!is_float(type) || bits(lane_type(type)) > 16) return type;
        return lanes(type) > 1 ? Type::b32 : Type::b16;
    }

    Instruction fence() {
        const std::string scope = random_.pick(style_.scopes);
        if (test_.locations.size() > 2 && random_.chance(40)) return instruction(Op::fence_proxy, "fence.proxy", {"alias"}, {});
        if (random_.chance(style_.fence_sc)) {
            if (random_.chance(80) || scope == "cluster") return instruction(Op::fence, "fence", {"sc", scope}, {});
            return instruction(Op::fence, "membar", {scope == "gpu" ? "gl" : scope}, {});
        }
        return instruction(Op::fence, "fence", {random_.pick(std::vector<std::string>{"acq_rel", "acq_rel", "acquire", "release"}), scope},
                           {});
    }

    std::string fresh_register(size_t t, Type type) {
        const std::string r = "r" + std::to_string(drafts_[t].registers++);
        drafts_[t].values.emplace_back(r, type);
        return r;
    }

    // A constant no other store of the program uses.
    uint64_t fresh_value() { return ++last_value_; }

    void add_load(size_t t, const Location& at, bool wide) {
        Instruction load = instruction(Op::ld, "ld", access(at, true, wide), {});
        const int64_t offset = wide ? 0 : offset_in(at);
        const Operand from = wide ? address_of(at.name, 0) : address(t, at, offset);
        if (!wide && random_.chance(style_.await) && await_value_.count(at.name)) {
            load.await = true;
            load.expect = Expectation{random_.chance(80) ? Operator::eq : Operator::ne, stored(at, await_value_[at.name])};
        } else if (random_.chance(style_.dependency / 4)) {
            guard(t, load);
        }
        Operand to;
        if (wide) {
            const std::string first = fresh_register(t, at.type);
            to = vector_of({reg(first), reg(fresh_register(t, at.type))});
        } else {
            to = reg(fresh_register(t, at.type));
        }
        load.operands = {to, from};
        add(t, load);
    }

    void add_store(size_t t, const Location& at, bool wide) {
        const std::vector<std::string> qualifiers = access(at, false, wide);
        const Operand to = wide ? address_of(at.name, 0) : address(t, at, offset_in(at));
        Operand value;
        if (wide) {
            const Operand first = value_for(t, at);
            value = vector_of({first, value_for(t, at)});
        } else {
            value = value_for(t, at);
        }
        Instruction store = instruction(Op::st, "st", qualifiers, {to, value});
        if (!only_dependency_ && random_.chance(style_.dependency)) guard(t, store);
        add(t, store);
    }

    // Numbers of the type whose sums differ with their order: each vanishes beside the next larger one. And
    // the least subnormals, -0, the largest number, a NaN.
    uint64_t float_constant(Type type) {
        const uint64_t minus = uint64_t{1} << (bits(type) - 1);
        const double large = type == Type::f64 ? 0x1p53 : type == Type::f32 ? 0x1p24 : type == Type::f16 ? 2048 : 256;
        const uint64_t infinity = float_bits(type, HUGE_VAL);
        const std::vector<uint64_t> pool = {float_bits(type, 1),
                                            float_bits(type, 1),
                                            float_bits(type, -1),
                                            float_bits(type, large),
                                            float_bits(type, large),
                                            float_bits(type, 3),
                                            1,
                                            1 | minus,
                                            minus,
                                            infinity - 1,
                                            infinity + 1};
        return random_.pick(pool);
    }

    // A constant as loads and stores of the location have it.
    static Operand stored(const Location& at, uint64_t value) {
        Operand o = immediate(value);
        o.is_float = is_float(access_type(at.type));
        return o;
    }

    // The operand of one element: both lanes of a packed one.
    Operand float_operand(Type type) {
        uint64_t value = float_constant(lane_type(type));
        if (lanes(type) > 1) value |= float_constant(lane_type(type)) << 16;
        Operand o = immediate(value);
        o.is_float = true;
        return o;
    }

    // A sum of floats, scalar, of a vector or packed; an exchange now and then. The number of its memory events.
    int add_float_atomic(size_t t, int left) {
        const Location& at = location();
        const bool half = bits(lane_type(at.type)) == 16;
        const bool both = at.array && left >= 4 && at.space == Space::global && bits(at.type) < 64 && random_.chance(60);
        const bool packed = both && half && random_.chance(50);  // two neighbouring halves as one packed operand
        const bool vector = both && !packed;
        std::string operation = "add";
        if (vector && half) operation = random_.pick(std::vector<std::string>{"add", "min", "max"});
        const bool exchange = !both && lanes(at.type) == 1 && !half && random_.chance(20);
        if (exchange) operation = "exch";
        const bool returns = exchange || random_.chance(50);
        const Type type = exchange ? (bits(at.type) == 64 ? Type::b64 : Type::b32) : !packed ? at.type : packed_type(at.type);
        std::vector<std::string> q;
        if (random_.chance(90)) {
            q = {returns && random_.chance(style_.ordered) ? random_.pick(std::vector<std::string>{"acquire", "acq_rel"}) : "relaxed",
                 random_.pick(style_.scopes)};
        }
        q.push_back(space_of(at));
        q.push_back(operation);
        if (half) q.emplace_back("noftz");
        if (vector) q.emplace_back("v2");
        q.push_back(text(name(type)));
        Instruction i = instruction(returns ? Op::atom : Op::red, returns ? "atom" : "red", q, {});
        const auto operand = [&] { return exchange ? immediate(float_constant(at.type)) : float_operand(type); };
        if (returns) {
            const Operand first = reg(fresh_register(t, access_type(type)));
            i.operands.push_back(vector ? vector_of({first, reg(fresh_register(t, access_type(type)))}) : first);
        }
        i.operands.push_back(address_of(at.name, both ? 0 : offset_in(at)));
        const Operand first = operand();
        i.operands.push_back(vector ? vector_of({first, operand()}) : first);
        add(t, i);
        return both || lanes(at.type) > 1 ? 4 : 2;
    }

    static Type packed_type(Type half) { return half == Type::f16 ? Type::f16x2 : Type::bf16x2; }

    int add_atomic(size_t t) {
        const Location& at = location();
        const bool returns = random_.chance(65);
        std::string operation = random_.pick(style_.operations);
        if (!returns && (operation == "exch" || operation == "cas")) operation = "add";
        if ((operation == "inc" || operation == "dec") && bits(at.type) != 32) operation = "add";
        std::vector<std::string> q;
        if (random_.chance(90)) {
            std::string sem = "relaxed";
            if (random_.chance(style_.ordered))
                sem = returns ? random_.pick(std::vector<std::string>{"acquire", "release", "acq_rel"}) : "release";
            q = {sem, random_.pick(style_.scopes)};
        }
        q.push_back(space_of(at));
        q.push_back(operation);
        const Type type = operand_type(operation, at.type);
        q.push_back(text(name(type)));
        Instruction i = instruction(returns ? Op::atom : Op::red, returns ? "atom" : "red", q, {});
        const Operand stored =
            operation == "exch" || operation == "cas" ? value_for(t, at) : immediate(static_cast<uint64_t>(1 + random_.below(3)));
        if (random_.chance(style_.dependency / 2)) guard(t, i);
        std::vector<Operand>& operands = i.operands;
        if (returns) operands.push_back(random_.chance(92) ? reg(fresh_register(t, type)) : named(Operand::Kind::sink, ""));
        operands.push_back(address_of(at.name, offset_in(at)));
        if (operation == "cas") operands.push_back(immediate(random_.chance(60) || last_value_ == 0 ? 0 : last_value_));
        operands.push_back(stored);
        add(t, i);
        return 2;
    }

    // The type of the location's width that the operation takes.
    static Type operand_type(const std::string& operation, Type type) {
        const bool wide = bits(type) == 64;
        if (operation == "add") return wide ? Type::u64 : (type == Type::s32 ? Type::s32 : Type::u32);
        if (operation == "min" || operation == "max")
            return wide ? (is_signed(type) ? Type::s64 : Type::u64) : (is_signed(type) ? Type::s32 : Type::u32);
        if (operation == "inc" || operation == "dec") return Type::u32;
        return wide ? Type::b64 : Type::b32;
    }

    // ---- dependencies ------------------------------------------------------------------------

    // A register of the thread that something was read into, of the given width; empty when there is none.
    std::string earlier_value(size_t t, int width) {
        std::vector<std::string> fitting;
        for (const auto& [r, type] : drafts_[t].values)
            if (bits(type) == width) fitting.push_back(r);
        return fitting.empty() ? std::string() : random_.pick(fitting);
    }

    // A register that only a guarded instruction, or one that a branch leaves out, writes must have a value before.
    void give_values(size_t t) {
        const auto& body = test_.threads[t].body;
        if (std::none_of(body.begin(), body.end(), [](const Instruction& i) { return i.guard.has_value(); })) return;
        std::map<std::string, int> written;  // and the widths
        for (const Instruction& i : body)
            for (const Operand& o : i.operands) {
                if (o.role != Role::result) continue;
                const int width = i.op == Op::setp ? 1 : std::max(bits(data_type(i)), 16);
                for (const Operand& r : o.elements.empty() ? std::vector<Operand>{o} : o.elements)
                    if (r.kind == Operand::Kind::reg) written[r.name] = std::max(written[r.name], width);
            }
        for (const auto& [r, width] : written) {
            if (width == 1)
                insert(t, 0, instruction(Op::setp, "setp", {"ne", "u32"}, {reg(r), immediate(0), immediate(0)}));
            else
                insert(t, 0, instruction(Op::mov, "mov", {typed("b", width)}, {reg(r), immediate(0)}));
        }
    }

    static std::string typed(const char* prefix, int width) { return prefix + std::to_string(width); }

    // What a store stores: a constant of its own, or something computed from an earlier read.
    Operand value_for(size_t t, const Location& at) {
        const uint64_t value = is_float(at.type) ? float_constant(at.type) : fresh_value();
        const bool depend = only_dependency_ || random_.chance(style_.dependency);
        const std::string r = depend ? earlier_value(t, bits(at.type)) : std::string();
        if (r.empty()) {
            await_value_[at.name] = value;
            return stored(at, value);
        }
        if (!only_dependency_ && random_.chance(30)) return reg(r);
        const std::string result = "t" + std::to_string(drafts_[t].registers++);
        const int width = bits(at.type);
        switch (only_dependency_ ? 1 : random_.below(3)) {
            case 0:
                add(t, instruction(Op::binary, "add", {typed("u", width)}, {reg(result), reg(r), immediate(value)}));
                break;
            case 1:
                // the value is constant, the dependency is not
                add(t, instruction(Op::binary, "xor", {typed("b", width)}, {reg(result), reg(r), reg(r)}));
                break;
            default: {
                const std::string p = predicate_on(t, r, width);
                add(t, instruction(Op::selp, "selp", {typed("u", width)}, {reg(result), immediate(value), immediate(0), reg(p)}));
            }
        }
        return reg(result);
    }

    // [x], or a register that holds x's address after a computation on an earlier read.
    Operand address(size_t t, const Location& at, int64_t offset) {
        const std::string r = random_.chance(style_.dependency / 3) ? earlier_value(t, 64) : std::string();
        if (r.empty() || at.space != Space::global || offset != 0) return address_of(at.name, offset);
        const std::string zero = "t" + std::to_string(drafts_[t].registers++);
        const std::string base = "t" + std::to_string(drafts_[t].registers++);
        add(t, instruction(Op::binary, "xor", {"b64"}, {reg(zero), reg(r), reg(r)}));
        add(t, instruction(Op::mov, "mov", {"u64"}, {reg(base), named(Operand::Kind::symbol, at.name)}));
        add(t, instruction(Op::binary, "add", {"u64"}, {reg(base), reg(base), reg(zero)}));
        return address_in(base);
    }

    std::string predicate_on(size_t t, const std::string& r, int width) {
        static const std::vector<std::string> comparisons = {"eq", "ne", "lt", "ge"};
        const std::string p = "p" + std::to_string(drafts_[t].predicates++);
        const auto bound = static_cast<uint64_t>(random_.below(3));
        add(t, instruction(Op::setp, "setp", {random_.pick(comparisons), typed("u", width)}, {reg(p), reg(r), immediate(bound)}));
        return p;
    }

    // Makes the instruction depend on an earlier read: by its guard, or by a branch around it and
    // perhaps around what follows.
    void guard(size_t t, Instruction& i) {
        const int width = random_.chance(50) ? 32 : 64;
        const std::string r = earlier_value(t, width);
        if (r.empty()) return;
        const std::string p = predicate_on(t, r, width);
        const bool negated = random_.chance(40);
        if (random_.chance(55)) {
            i.guard = Guard{p, negated};
            return;
        }
        const std::string label = "L" + std::to_string(drafts_[t].labels++);
        Instruction branch = instruction(Op::bra, "bra", {}, {named(Operand::Kind::label, label)});
        branch.guard = Guard{p, negated};
        add(t, branch);
        drafts_[t].open.emplace_back(label, test_.threads[t].body.size() + 1 + static_cast<size_t>(random_.below(2)));
    }

    // ---- barriers ----------------------------------------------------------------------------

    void insert(size_t t, size_t at, Instruction i) {
        auto& body = test_.threads[t].body;
        if (at < body.size()) i.labels = std::exchange(body[at].labels, {});
        bind(i);
        body.insert(body.begin() + static_cast<std::ptrdiff_t>(at), std::move(i));
    }

    size_t somewhere(size_t t) { return static_cast<size_t>(random_.below(static_cast<int>(test_.threads[t].body.size()) + 1)); }

    std::vector<size_t> threads_where(bool same_cta) {
        const Placement first = test_.threads[0].at;
        std::vector<size_t> result;
        for (size_t t = 0; t < test_.threads.size(); ++t) {
            const Placement& at = test_.threads[t].at;
            if (at.gpu == first.gpu && at.cluster == first.cluster && (!same_cta || at.cta == first.cta)) result.push_back(t);
        }
        return result;
    }

    void add_barriers() {
        const int kind = random_.below(10);
        if (lanes_ && kind < 5) return warp_barrier();
        if (kind < 5 || lanes_) return cta_barrier();
        if (kind < 8) return cluster_barrier();
        counted_barrier();
    }

    void warp_barrier() {
        for (size_t t = 0; t < 2; ++t) insert(t, somewhere(t), instruction(Op::bar_warp_sync, "bar.warp.sync", {}, {immediate(3)}));
    }

    void cta_barrier() {
        const bool reduce = random_.chance(25);
        for (const size_t t : threads_where(true)) {
            if (random_.chance(6)) continue;  // then the thread's exit counts, or nobody proceeds
            Instruction i = instruction(Op::bar_sync, "bar.sync", {}, {immediate(0)});
            const size_t at = somewhere(t);
            if (reduce) {
                const std::string r = "r" + std::to_string(drafts_[t].registers++), p = "q" + std::to_string(drafts_[t].predicates++);
                insert(t, at, instruction(Op::bar_red, "bar.red", {"popc", "u32"}, {reg(r), immediate(0), reg(p)}));
                insert(t, at,
                       instruction(Op::setp, "setp", {"eq", "u32"}, {reg(p), immediate(1), immediate(random_.chance(50) ? 1U : 0U)}));
            } else {
                insert(t, at, i);
            }
        }
    }

    // Arrivals of some threads, waits of others, with a count that may or may not be met.
    void counted_barrier() {
        const std::vector<size_t> threads = threads_where(true);
        const uint64_t count = 32 * (random_.chance(85) ? threads.size() : threads.size() + 1);
        for (const size_t t : threads) {
            const bool waits = random_.chance(60);
            insert(t, somewhere(t),
                   instruction(waits ? Op::bar_sync : Op::bar_arrive, waits ? "bar.sync" : "bar.arrive", {},
                               {immediate(1), immediate(count)}));
        }
    }

    void cluster_barrier() {
        const bool relaxed = random_.chance(35);
        for (const size_t t : threads_where(false)) {
            const size_t arrive = somewhere(t);
            std::vector<std::string> q;
            if (relaxed)
                q = {"relaxed"};
            else if (random_.chance(30))
                q = {"release"};
            insert(t, arrive, instruction(Op::cluster_arrive, "barrier.cluster.arrive", q, {}));
            q.clear();
            if (random_.chance(30)) q = {"acquire"};
            const int room = static_cast<int>(test_.threads[t].body.size() - arrive);
            const size_t wait = arrive + 1 + static_cast<size_t>(random_.below(room));
            insert(t, wait, instruction(Op::cluster_wait, "barrier.cluster.wait", q, {}));
        }
    }

    // ---- the claim ---------------------------------------------------------------------------

    Condition equals(Term left) {
        Condition c;
        c.kind = Condition::Kind::atom;
        c.comparison = Operator::eq;
        c.right.kind = Term::Kind::constant;
        const Type type = term_type(test_, left).value_or(Type::u32);
        if (is_float(type)) {
            c.right.value = float_operand(type).value;
            c.right.raw = true;
            c.right.is_float = bits(lane_type(type)) > 16;  // halves are written 0x...
        } else {
            c.right.value = static_cast<uint64_t>(random_.below(static_cast<int>(last_value_) + 1));
        }
        c.left = std::move(left);
        return c;
    }

    Term any_term() {
        std::vector<Term> terms;
        for (size_t t = 0; t < drafts_.size(); ++t) {
            for (const auto& [r, type] : drafts_[t].values) {
                Term term;
                term.kind = Term::Kind::reg;
                term.thread = static_cast<int>(t);
                term.name = r;
                terms.push_back(term);
            }
        }
        for (size_t l = 0; l < 2; ++l) {
            const Location& at = test_.locations[l];
            Term term;
            term.kind = Term::Kind::location;
            term.name = at.name;
            term.element = at.array ? random_.below(at.count) : 0;
            terms.push_back(term);
        }
        return random_.pick(terms);
    }

    Condition any_condition() {
        Condition both;
        both.kind = random_.chance(75) ? Condition::Kind::conjunction : Condition::Kind::disjunction;
        const int n = 1 + random_.below(3);
        for (int k = 0; k < n; ++k) {
            both.operands.push_back(equals(any_term()));
        }
        return n == 1 ? both.operands[0] : both;
    }

    void draw_claim() {
        test_.claim.kind = random_.pick(std::vector<Claim::Kind>{Claim::Kind::exists, Claim::Kind::not_exists, Claim::Kind::forall});
        test_.claim.condition = any_condition();
        if (random_.chance(8)) test_.filter = any_condition();
    }

    Random random_;
    RandomOptions options_;
    Style style_;
    Test test_;
    std::vector<Draft> drafts_;
    std::vector<std::string> pending_labels_;
    std::map<std::string, uint64_t> await_value_;  // a value that some store before gives the location
    uint64_t last_value_ = 0;
    bool lanes_ = false;            // the first two threads are lanes of one warp
    bool only_dependency_ = false;  // stores depend on earlier reads, their values do not
};

}  // namespace

Test random_program(uint64_t seed, const RandomOptions& options) {
    return Generator(seed, options).test();
}

}  // namespace litmus
