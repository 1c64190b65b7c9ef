// A thread's instructions in PTX.
//
// Registers and addresses have the names of thread_names.h; $name is the emitter's own. Instructions stand as the test has
// them; what is added between them is
//   await     a loop around the instruction, whose branch hangs on the value read. A failed turn costs fuel. When the
//             fuel is gone the instance has timed out, and of the rest of the thread only its barriers are executed. What
//             it did not wait for may come in a later round, so the rounds that its cluster still has in this launch are not run
//             and count as timed out, too.
//   branches  a backward one costs fuel too; without any it is not taken.
//   lanes     a thread that takes part in barriers is run by its whole warp, since barriers count warps: memory
//             operations by its own lane alone (a predicate), barriers by all 32, and so is tensormap.cp_fenceproxy,
//             which all lanes of a warp execute: each writes the same bytes to the same place. Where the other lanes must follow its
//             control flow, a shuffle hands them the predicate that the branch waits for anyway.
//   cvt       between registers of different widths, which the test's language has and PTX has not.
//   touch     before its first instruction a thread may read its locations, or have them fetched into L2 by
//             cp.async.bulk.prefetch, after their initial values are there. A read that comes first in program order and
//             whose value nobody observes orders nothing: without it every execution is one still. Where it reads what another
//             thread has written already, coherence lets the thread's own later reads show that value or newer ones only:
//             such an instance is weaker as a test, never wrong. (The values are folded into one word that decides a store to
//             scratch memory after all rounds, since the assembler leaves out loads that nobody uses; and they are relaxed
//             loads, which it does not merge with the test's.)
//   pins      with Pins::between, `@$never membar.sys;` before each instruction that accesses memory, orders or waits, and behind the
//             last; $never is false, but computed of a parameter. ptxas takes it for a fence of everything: it issues nothing across it
//             earlier, forgets what was loaded, and sinks no store. The GPU sees a branch over the fence that is always taken, and a
//             branch orders nothing: in the code it waits for no load (its scoreboards are empty; `membar` stands in the
//             branch not taken), it costs some cycles between two instructions, and that is all that it weakens. Tried
//             with ptxas 13.0 on all that it moves, merges or drops, and wanting: an empty branch, `exit` and `trap` (it moves accesses
//             across), `pmevent` (it merges and drops across), and never executed `nanosleep`, `bar.warp.sync`, `barrier.sync` and
//             `fence.acq_rel.cta` (ld.global.nc passes them). A `barrier.cluster.arrive` that is never executed holds as much as
//             the fence, with ten times the code.
// Of the others none touches memory, none is a fence. bar.warp.sync, used to bring a warp together before a barrier and after the
// thread's end, orders memory among the lanes of one warp, of which one alone accesses any.
#include "gpu/emit/thread_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "gpu/emit/thread_names.h"
#include "language/syntax/native/print.h"
#include "language/tensor.h"
#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus::gpu {

namespace {

// The name as the assembler wants it. ISA 9.7.13.7 lets the completion mechanism of red.async be left out, ptxas does not;
// 9.7.13.4 has membar.proxy.async, which ptxas knows as fence.proxy.async.
std::string assembler_spelling(const Instruction& instruction) {
    std::string text = spelling(instruction);
    const std::string mechanism = ".mbarrier::complete_tx::bytes";
    if (instruction.op == Op::red_async && instruction.find(Role::mbarrier) && text.find(mechanism) == std::string::npos)
        text.insert(text.find("." + std::string(name(operation(instruction))) + "."), mechanism);
    if (const int n = dimensions(instruction); n > 0 && tensor_mode(instruction) == TensorMode::tile) {  // one more tells instances apart
        const std::string own = "." + std::to_string(n) + "d", with_slots = "." + std::to_string(n + 1) + "d";
        text.replace(text.find(own), own.size(), with_slots);
    }
    const std::string membar = "membar.proxy.async";
    if (text.rfind(membar, 0) == 0) text.replace(0, 6, "fence");
    return text;
}

std::string hex(uint64_t value, int digits) {
    std::array<char, 24> out{};
    std::snprintf(out.data(), out.size(), "%0*llx", digits, static_cast<unsigned long long>(value));
    return out.data();
}

// A type that setp takes, with the comparison that `type` means.
std::string comparable(Type type, const std::string& word) {
    if (type == Type::f32 || type == Type::f64) return "." + std::string(name(type));
    const int width = register_bits(type);
    if (word == "eq" || word == "ne") return sized("b", width);
    return sized(is_signed(type) ? "s" : "u", width);
}

// "$W$2" of the thread W.2, with which its labels begin.
std::string prefix(const Thread& thread) {
    std::string text = "$" + thread.name;
    std::replace(text.begin(), text.end(), '.', '$');
    return text;
}

class ThreadText {
public:
    ThreadText(const Test& test, const Plan& plan, int thread, Pins pins, bool bare, PtxText& text, Specials specials = Specials::values)
        : test_(test),
          plan_(plan),
          index_(thread),
          thread_(test.threads[static_cast<size_t>(thread)]),
          pins_(pins),
          bare_(bare),
          specials_(specials),
          text_(text),
          names_(test, plan, thread),
          whole_warp_(!bare && whole_warp(test, thread)) {}

    void write() {
        text_.label(thread_label(thread_));
        text_.line("{");
        text_.open();
        names_.declare(text_);
        begin();
        text_.line();
        body();
        pin();
        finish();
        text_.line("bra $finished;");
        text_.close();
        text_.line("}");
    }

    size_t write_bare() {
        names_.declare(text_);
        names_.initialise_bare(text_);
        body();
        size_t kept = 0;
        const auto keep = [&](const std::string& reg) {
            widen(reg);
            text_.line("mov.b64 $kept" + std::to_string(kept++) + ", $value;", reg);
        };
        for (const auto& [reg, width] : names_.registers()) {
            keep(width == 128 ? reg + ".lo" : reg);
            if (width == 128) keep(reg + ".hi");
        }
        return kept;
    }

private:
    using Address = ThreadNames::Address;

    void body() {
        for (size_t i = 0; i < thread_.body.size(); ++i) instruction(i);
        for (const std::string& l : thread_.end_labels) text_.label(label(l));
        text_.label(end_label());
    }

    // ---- before and after the body ---------------------------------------------------------------

    // Where whole warps run the thread: in $own, whether this is the one lane that is the thread.
    void find_own_lane() {
        if (whole_warp_) text_.line("setp.eq.u32 $own, $lane, " + std::to_string(thread_.at.lane) + ";", "this thread's own lane");
        if (runs_warpgroup(thread_))
            text_.line("setp.eq.and.u32 $own, $place, " + std::to_string(place_of_thread(plan_, static_cast<size_t>(index_))) + ", $own;",
                       "in the first warp of its warpgroup");
    }

    void begin() {
        names_.initialise(text_);
        find_own_lane();
        if (spins()) {
            text_.line("mov.b32 $fuel, $spins;");
            text_.line(plan_.spoils ? "selp.b32 $timeout, 1, 0, $spoilt;" : "mov.b32 $timeout, 0;");
            if (plan_.gpus > 1) text_.line("@$alone mov.b32 $timeout, 1;");
        }
        if (plan_.spoils) text_.line("@$spoilt bra " + spoilt_label() + ";");
        touch();
        wait();
    }

    // Each location the thread addresses, read by the generic proxy or fetched into L2 by the async one.
    void touch() {
        const auto touched = [&](const Address& a) {
            return a.window != Window::descriptor && !is_opaque(test_.locations[static_cast<size_t>(a.location)]);
        };
        if (std::none_of(names_.addresses().begin(), names_.addresses().end(), touched)) return;
        const std::string own = prefix(thread_) + "$$", guard = whole_warp_ ? "@$own " : "";
        text_.comment("touch");
        text_.line("@!$touching bra " + own + "touched;");
        text_.line("@$fetching bra " + own + "fetch;");
        for (const Address& a : names_.addresses())
            if (touched(a)) read_first(a, guard);
        text_.line("bra " + own + "touched;");
        text_.label(own + "fetch");
        for (const Address& a : names_.addresses())
            if (test_.locations[static_cast<size_t>(a.location)].space == Space::global && touched(a)) fetch_first(a, guard);
        text_.label(own + "touched");
    }

    void read_first(const Address& a, const std::string& guard) {
        static const std::map<Window, std::string> spaces = {{Window::generic, ""},
                                                             {Window::global, ".global"},
                                                             {Window::shared_cta, ".shared::cta"},
                                                             {Window::shared_cluster, ".shared::cluster"}};
        const int width = bits(test_.locations[static_cast<size_t>(a.location)].type);
        text_.line(guard + "ld.relaxed." + (names_.in_other_cta(a) && names_.bits_of(a) == 32 ? "cluster" : "cta") + spaces.at(a.window) +
                   sized("b", width) + " $value, [" + names_.name(a) + "];");
        text_.line(guard + "xor.b64 $touched, $touched, $value;");
    }

    // 16 bytes at least, aligned to them (ISA 9.7.9.25.4.3).
    void fetch_first(const Address& a, const std::string& guard) {
        const std::string address = names_.name(a);
        if (a.window == Window::generic) text_.line("cvta.to.global.u64 $at, " + address + ";");
        text_.line("and.b64 $at, " + (a.window == Window::generic ? "$at" : address) + ", -16;");
        text_.line(guard + "cp.async.bulk.prefetch.L2.global [$at], 16;");
    }

    // Skew, which is random, and lag, which is not.
    void wait() {
        const std::string own = prefix(thread_) + "$$";
        text_.comment("start skew and lag");
        text_.line("@!$late bra " + own + "start;");
        text_.line("xor.b32 $noise, $noise, " + std::to_string(0x9e3779b9U * static_cast<uint32_t>(index_ + 1)) + ";");
        text_.line("mul.lo.u32 $noise, $noise, 2246822519;");
        text_.line("shr.u32 $wait, $noise, 15;");
        text_.line("xor.b32 $noise, $noise, $wait;");
        text_.line("and.b32 $noise, $noise, $skew;");
        text_.line("shr.u32 $wait, $lag, " + std::to_string(4 * (index_ % 8)) + ";");
        text_.line("and.b32 $wait, $wait, 15;");
        text_.line("mad.lo.u32 $noise, $wait, 64, $noise;");
        text_.line("mov.u32 $start, %clock;");
        text_.label(own + "wait");
        text_.line("mov.u32 $wait, %clock;");
        text_.line("sub.u32 $wait, $wait, $start;");
        text_.line("setp.lt.u32 $go, $wait, $noise;");
        text_.line("@$go bra " + own + "wait;");
        text_.label(own + "start");
    }

    bool spins() const {
        return std::any_of(plan_.words.begin(), plan_.words.end(),
                           [&](const Word& w) { return w.kind == Word::Kind::timeout && w.thread == index_; });
    }

    void finish() {
        if (spins()) find_own_lane();  // a thread that has timed out has none
        const std::string guard = whole_warp_ ? "@$own " : "";
        drain(guard);
        if (plan_.spoils) {
            spoil();
            text_.label(spoilt_label());
        }
        for (size_t w = 0; w < plan_.words.size(); ++w) {
            const Word& word = plan_.words[w];
            if (word.thread != index_) continue;
            text_.line("mad.lo.u64 $at, $row, " + std::to_string(w) + ", $column;", word.name);
            if (word.kind == Word::Kind::timeout) text_.line("cvt.u64.u32 $value, $timeout;");
            if (word.kind == Word::Kind::reg) widen(word.reg);
            text_.line(guard + "st.global.u64 [$at], $value;");
        }
    }

    // Tells the CTAs of the cluster that this round has timed out.
    void spoil() {
        if (!spins()) return;
        const std::string past = prefix(thread_) + "$$unspoilt";
        text_.line("setp.eq.u32 $go, $timeout, 0;");
        text_.line("@$go bra " + past + ";");
        if (plan_.cluster == 1) text_.line("st.relaxed.cta.shared.u32 [$left_behind], 1;");
        if (plan_.cluster > 1) text_.line("mov.u32 $line, $left_behind;");
        for (int rank = 0; rank < plan_.cluster && plan_.cluster > 1; ++rank) {
            text_.line("mapa.shared::cluster.u32 $read, $line, " + std::to_string(rank) + ";");
            text_.line("st.relaxed.cluster.shared::cluster.u32 [$read], 1;");
        }
        text_.label(past);
    }
    std::string spoilt_label() const { return prefix(thread_) + "$$spoilt"; }

    // `q.hi` is a half of a register of 128 bits.
    void widen(const std::string& reg) {
        const size_t dot = reg.find('.');
        if (dot != std::string::npos)
            return text_.line("mov.b128 " + std::string(reg.substr(dot) == ".lo" ? "{$value, _}" : "{_, $value}") + ", %" +
                              reg.substr(0, dot) + ";");
        const int width = names_.registers().at(reg);
        if (width == 1) text_.line("selp.b64 $value, 1, 0, %" + reg + ";");
        if (width == 64) text_.line("mov.b64 $value, %" + reg + ";");
        if (width == 16 || width == 32) text_.line("cvt.u64" + sized("u", width) + " $value, %" + reg + ";");
    }

    // What the thread itself can wait for must not reach into the next round.
    void drain(const std::string& guard) {
        const auto any = [&](auto predicate) { return std::any_of(thread_.body.begin(), thread_.body.end(), predicate); };
        if (any([](const Instruction& i) { return i.has("bulk_group"); })) {
            text_.line(guard + "cp.async.bulk.commit_group;", "after the thread's end");
            text_.line(guard + "cp.async.bulk.wait_group 0;");
        }
        if (any([](const Instruction& i) { return i.op == Op::async_copy; }))
            text_.line(guard + "cp.async.wait_all;", "after the thread's end");
    }

    // ---- instructions --------------------------------------------------------------------------

    std::string label(const std::string& name) const { return prefix(thread_) + "$" + name; }
    std::string end_label() const { return prefix(thread_) + "$$end"; }
    std::string fresh_label() { return prefix(thread_) + "$$" + std::to_string(labels_++); }

    void instruction(size_t index) {
        const Instruction& i = thread_.body[index];
        for (const std::string& l : i.labels) text_.label(label(l));
        number_ = index;
        comment_ = print(i) + ";";
        if (i.await)
            await(i);
        else if (i.op == Op::bra)
            branch(i, index);
        else if (i.op == Op::exit)
            jump(i, end_label());
        else
            plain(i);
    }

    // What keeps apart what stands before it and behind.
    void pin() {
        if (pins_ == Pins::between) text_.line("@$never membar.sys;");
    }

    // The line of the test stands beside the first line written for an instruction.
    void code(const std::string& line) { text_.line(line, std::exchange(comment_, {})); }

    std::string guard_text(const Instruction& i) const {
        return i.guard ? std::string(i.guard->negated ? "@!%" : "@%") + i.guard->reg + " " : std::string();
    }

    // In a whole warp, other lanes get the own lane's predicate (`%p`, `!%p`); its name is returned.
    std::string shared_predicate(const std::string& predicate) {
        if (!whole_warp_) return predicate;
        const bool negated = predicate[0] == '!';
        code("selp.b32 $told, 1, 0, " + predicate.substr(negated ? 1 : 0) + ";");
        code("shfl.sync.idx.b32 $told, $told, " + std::to_string(thread_.at.lane) + ", 31, 0xffffffff;");
        code("setp.ne.u32 $all, $told, 0;");
        return negated ? "!$all" : "$all";
    }

    void jump(const Instruction& i, const std::string& target) {
        if (!i.guard) return code("bra " + target + ";");
        const std::string predicate = shared_predicate((i.guard->negated ? "!%" : "%") + i.guard->reg);
        code("@" + predicate + " bra " + target + ";");
    }

    void branch(const Instruction& i, size_t index) {
        const std::string target = i.at(Role::label).name;
        if (bare_ || !goes_back(target, index)) return jump(i, label(target));
        const std::string past = fresh_label();
        if (i.guard) {
            const std::string predicate = shared_predicate((i.guard->negated ? "%" : "!%") + i.guard->reg);
            code("@" + predicate + " bra " + past + ";");
        }
        burn(i);
        const std::string more = shared_predicate("$go");
        code("@" + more + " bra " + label(target) + ";");
        give_up();
        text_.label(past);
    }

    bool goes_back(const std::string& target, size_t index) const {
        for (size_t i = 0; i <= index; ++i) {
            const auto& labels = thread_.body[i].labels;
            if (std::find(labels.begin(), labels.end(), target) != labels.end()) return true;
        }
        return false;
    }

    // $go: there is fuel for one more turn. try_wait may sleep, so it costs more.
    void burn(const Instruction& i) {
        const bool sleeps = i.op == Op::mbarrier_try_wait;
        code(std::string("sub.s32 $fuel, $fuel, ") + (sleeps ? "16" : "1") + ";");
        code("setp.gt.s32 $go, $fuel, 0;");
    }

    // After a time-out the thread does nothing more but its barriers.
    void give_up() {
        code("mov.b32 $timeout, 1;");
        code(whole_warp_ ? "setp.ne.u32 $own, $lane, $lane;" : "bra " + end_label() + ";");
    }

    void await(const Instruction& i) {
        const std::string again = fresh_label(), done = fresh_label();
        if (whole_warp_) text_.line("@!$own bra " + done + ";");
        if (i.guard) text_.line(std::string("@") + (i.guard->negated ? "%" : "!%") + i.guard->reg + " bra " + done + ";");
        text_.label(again);
        if (i.expect) {
            operation(i, "", "");
            const std::string word(name(i.expect->comparison));
            const Type type = data_type(i);
            const std::string read = source(i.at(Role::result), type, i), wanted = source(i.expect->value, type, i);
            code("setp." + word + comparable(type, word) + " $go, " + read + ", " + wanted + ";");
        } else {
            operation(i, "", "$go");
        }
        code(bare_ ? "@!$go bra " + again + ";" : "@$go bra " + done + ";");
        if (!bare_) {
            burn(i);
            code("@$go bra " + again + ";");
            give_up();
        }
        text_.label(done);
        diverged_ = whole_warp_;
    }

    void plain(const Instruction& i) {
        if (!whole_warp_) return operation(i, guard_text(i), "");
        if (is_of_warp(i.op)) {
            const std::string guard =
                i.guard ? "@" + shared_predicate((i.guard->negated ? "!%" : "%") + i.guard->reg) + " " : std::string();
            text_.line("bar.warp.sync 0xffffffff;");
            if (kind(i.op) == Traits::Kind::warp_matrix) share_operands(i);
            return operation(i, guard, "");
        }
        if (is_of_warpgroup(i.op)) {
            if (std::exchange(diverged_, false)) text_.line("bar.warp.sync 0xffffffff;");
            return operation(i, "", "");
        }
        if (is_barrier(i.op)) {
            std::string guard = i.guard ? "@" + shared_predicate((i.guard->negated ? "!%" : "%") + i.guard->reg) + " " : std::string();
            if (runs_warpgroup(thread_) && i.find(Role::threads)) {  // which counts the thread's own warp
                text_.line("setp.eq.u32 $go, $place, " + std::to_string(place_of_thread(plan_, static_cast<size_t>(index_))) + ";");
                guard = "@$go ";
            }
            text_.line("bar.warp.sync 0xffffffff;");
            return operation(i, guard, "");
        }
        if (!touches_memory(i.op)) return operation(i, guard_text(i), "");
        if (!i.guard) return operation(i, "@$own ", "");
        code("selp.b32 $told, 1, 0, %" + i.guard->reg + ";");
        code(std::string("setp.") + (i.guard->negated ? "eq" : "ne") + ".and.u32 $go, $told, 0, $own;");
        operation(i, "@$go ", "");
    }

    // In all lanes the registers that are read get what they hold in the own lane: others have loaded nothing.
    void share_operands(const Instruction& i) {
        std::set<std::string> names;
        for (const Operand& o : i.operands) {
            if (o.indirect) names.insert(o.name);
            for (const Operand& e : o.elements)
                if (is_read(o.role) && e.kind == Operand::Kind::reg) names.insert(e.name);
        }
        for (const std::string& name : names) {
            const int width = names_.registers().at(name);
            const auto told = [&](const std::string& word) {
                code("shfl.sync.idx.b32 " + word + ", " + word + ", " + std::to_string(thread_.at.lane) + ", 31, 0xffffffff;");
            };
            const std::string reg = "%" + name;
            if (width == 32) {
                told(reg);
            } else if (width == 64) {
                const std::string low = temporary(32), high = temporary(32);
                code("mov.b64 {" + low + ", " + high + "}, " + reg + ";");
                told(low);
                told(high);
                code("mov.b64 " + reg + ", {" + low + ", " + high + "};");
            }
        }
    }

    // The instruction itself; `first`: an operand before its own.
    void operation(const Instruction& i, const std::string& guard, const std::string& first) {
        std::vector<std::string> after;
        std::string list = first;
        temporaries_ = 0;
        for (const Operand& o : i.operands) {
            const Shape* shape = shape_of(i, o);
            list += (list.empty() ? "" : shape && shape->beside ? "|" : ", ") + operand(i, o, after);
        }
        const bool placed = has_place(i.op);
        if (placed) pin();
        code(guard + assembler_spelling(i) + (list.empty() ? "" : " " + list) + ";");
        if (placed) text_.mark(static_cast<size_t>(index_), number_);
        for (const std::string& line : after) code(guard + line);
    }

    std::string operand(const Instruction& i, const Operand& o, std::vector<std::string>& after) {
        const Type type = operand_type(i, o);
        const bool written = is_written(o.role);
        switch (o.kind) {
            case Operand::Kind::address:
                if (o.role == Role::matrix) return descriptor(i, o);
                return "[" + (o.indirect ? "%" + o.name : names_.name(names_.address_of(i, o))) +
                       (o.offset != 0 ? "+" + std::to_string(o.offset) : "") + "]";  // "+-16": the assembler takes no other form
            case Operand::Kind::sink:
                return "_";
            case Operand::Kind::label:
                return label(o.name);
            case Operand::Kind::symbol:
                return symbol(i, o, type);
            case Operand::Kind::vector: {
                if (is_wide(o)) return "%" + o.name;
                std::string list;
                for (const Operand& e : o.elements) list += (list.empty() ? "" : ", ") + value(i, e, type, written, after);
                return "{" + list + "}";
            }
            case Operand::Kind::tensor:
                return "[" + names_.map_address(o.name) + ", {" + coordinates(i, o) + "}]";
            default:
                return value(i, o, type, written, after);
        }
    }

    // Coordinates in the tensor of all instances (kernel.cpp): of a box one more, of a column that of the image, and added to those of
    // rows.
    std::string coordinates(const Instruction& i, const Operand& o) {
        const TensorMode mode = tensor_mode(i);
        const std::string slot = names_.map_slot(o.name);
        std::string list;
        for (size_t d = 0; d < o.elements.size(); ++d) {
            const bool image = mode == TensorMode::column && d + 1 == o.elements.size();
            std::string one = image ? slot : source(o.elements[d], Type::s32, i);
            if (mode == TensorMode::rows && d > 0) {
                const std::string row = temporary(32);
                code("add.s32 " + row + ", " + one + ", " + slot + ";");
                one = row;
            }
            list += (list.empty() ? "" : ", ") + one;
        }
        return mode == TensorMode::tile ? list + ", " + slot : list;
    }

    // The matrix descriptor; an offset is in units of 16 bytes there (ISA 9.7.15.5.1.2.2).
    std::string descriptor(const Instruction& i, const Operand& o) {
        const std::string base = names_.name(names_.address_of(i, o));
        if (o.offset == 0) return base;
        const std::string t = temporary(64);
        code("add.s64 " + t + ", " + base + ", " + std::to_string(o.offset / 16) + ";");
        return t;
    }

    std::string value(const Instruction& i, const Operand& o, Type type, bool written, std::vector<std::string>& after) {
        if (o.kind == Operand::Kind::sink) return "_";
        return written && o.kind == Operand::Kind::reg ? destination(o, type, i, after) : source(o, type, i);
    }

    std::string temporary(int width) { return "$t" + std::to_string(width) + "$" + std::to_string(temporaries_++ % 16); }

    // ld and st take registers wider than their type (ISA 9.4.1).
    static bool takes_wider(const Instruction& i) { return i.op == Op::ld || i.op == Op::ld_nc || i.op == Op::st; }

    std::string source(const Operand& o, Type type, const Instruction& i) {
        const bool of_lane = specials_ == Specials::names_of_lanes && (o.name.rfind("lane", 0) == 0 || o.name == "tid.x");
        if (o.kind == Operand::Kind::immediate && (of_lane || width_of_unknown(o.name))) return "%" + o.name;
        if (o.kind == Operand::Kind::immediate) {
            const bool plain = type == Type::f32 || type == Type::f64 || !is_float(type);
            if (plain) return literal(type, o.value);
            const std::string t = temporary(bits(type));
            code("mov" + sized("b", bits(type)) + " " + t + ", 0x" + hex(truncate(o.value, bits(type)), bits(type) / 4) + ";");
            return t;
        }
        const std::string reg = "%" + o.name;
        const bool bytes = i.op == Op::st_async && bits(type) == 8;  // takes no wider register, unlike st
        const int width = bytes ? 8 : register_bits(type), have = names_.registers().at(o.name);
        if (type == Type::pred && i.op == Op::bar_red) return shared_predicate((o.negated ? "!" : "") + reg);
        if (have == width || width == 1 || takes_wider(i)) return (o.negated ? "!" : "") + reg;
        const std::string t = temporary(width);
        code("cvt" + sized("u", width) + sized("u", have) + " " + t + ", " + reg + ";");
        return t;
    }

    std::string destination(const Operand& o, Type type, const Instruction& i, std::vector<std::string>& after) {
        const int width = register_bits(type), have = names_.registers().at(o.name);
        if (have == width || width == 1 || takes_wider(i)) return "%" + o.name;
        const std::string t = temporary(width);
        const std::string kind = is_signed(type) ? "s" : "u";
        after.push_back("cvt" + sized(kind, have) + sized(kind, width) + " %" + o.name + ", " + t + ";");
        return t;
    }

    std::string symbol(const Instruction& i, const Operand& o, Type type) {
        const Address a = names_.address_of(i, o);
        const int have = names_.bits_of(a), width = register_bits(type);
        std::string name = names_.name(a);
        if (have != width) {
            const std::string t = temporary(width);
            code("cvt" + sized("u", width) + sized("u", have) + " " + t + ", " + name + ";");
            name = t;
        }
        if (o.offset != 0) {
            const std::string t = temporary(width);
            code("add" + sized("s", width) + " " + t + ", " + name + ", " + std::to_string(o.offset) + ";");
            name = t;
        }
        return name;
    }

    const Test& test_;
    const Plan& plan_;
    int index_;
    const Thread& thread_;
    const Pins pins_;
    const bool bare_;  // without the harness
    const Specials specials_;
    PtxText& text_;
    const ThreadNames names_;
    const bool whole_warp_;
    bool diverged_ = false;  // lanes of the warp have gone different ways since it was last brought together
    std::string comment_;
    size_t number_ = 0;  // of the instruction that is written
    int labels_ = 0;
    int temporaries_ = 0;
};

}  // namespace

bool has_place(Op op) {
    using Kind = Traits::Kind;
    switch (kind(op)) {
        case Kind::load:
        case Kind::store:
        case Kind::cta_barrier:
        case Kind::quorum:
        case Kind::cluster_barrier:
            return true;
        case Kind::warp_barrier:
        case Kind::warp_reduction:
        case Kind::mbarrier_query:
        case Kind::mma:
        case Kind::mma_fence:
        case Kind::mma_commit:
            return false;
        default:
            return touches_memory(op) || is_of_warp(op);
    }
}

bool whole_warp(const Test& test, int thread) {
    const Thread& own = test.threads[static_cast<size_t>(thread)];
    const auto same_warp = [&](const Thread& t) {
        return t.at.cluster == own.at.cluster && t.at.cta == own.at.cta && t.at.warp == own.at.warp;
    };
    return std::count_if(test.threads.begin(), test.threads.end(), same_warp) == 1 &&
           std::any_of(own.body.begin(), own.body.end(),
                       [](const Instruction& i) { return is_barrier(i.op) || is_of_warp(i.op) || is_of_warpgroup(i.op); });
}

std::string thread_label(const Thread& thread) {
    return prefix(thread) + "$$thread";
}

void emit_slot(PtxText& text, int region, const std::string& slot) {
    text.line("mad.lo.u32 " + slot + ", $shift, " + std::to_string(region) + ", $spread;");
    text.line("and.b32 " + slot + ", " + slot + ", $mask;");
}

void emit_slot_address(PtxText& text, int region, const std::string& address, const std::string& base) {
    emit_slot(text, region, "$slot");
    text.line("mad.wide.u32 " + address + ", $slot, $stride, " + base + std::to_string(region) + ";");
}

std::string literal(Type type, uint64_t value) {
    const int width = bits(type);
    value = truncate(value, width);
    if (type == Type::f32) return "0f" + hex(value, 8);
    if (type == Type::f64) return "0d" + hex(value, 16);
    if (is_signed(type)) return std::to_string(sign_extend(value, width));
    if (value > 0x7fffffffffffffffU) return "0x" + hex(value, 16) + "U";
    return std::to_string(value);
}

void emit_thread(const Test& test, const Plan& plan, int thread, Pins pins, PtxText& text) {
    ThreadText(test, plan, thread, pins, false, text).write();
}

size_t emit_bare_thread(const Test& test, const Plan& plan, int thread, PtxText& text, Specials specials) {
    return ThreadText(test, plan, thread, Pins::none, true, text, specials).write_bare();
}

}  // namespace litmus::gpu
