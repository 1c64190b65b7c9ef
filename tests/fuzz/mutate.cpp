// Each kind of change is a function that does nothing where it finds nothing to change.
#include "mutate.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "ptx/table.h"

namespace litmus {

namespace {

class Mutator {
public:
    Mutator(const std::vector<Test>& library, Random& random) : library_(library), random_(random), test_(pick(library)) {}

    Test run() {
        const std::array<std::function<void()>, 14> changes{
            [&] { change_qualifier(); }, [&] { change_qualifier(); },     [&] { change_operand(); },
            [&] { change_operand(); },   [&] { double_one(); },           [&] { leave_out(); },
            [&] { swap_two(); },         [&] { move_to_other_thread(); }, [&] { take_from_other(); },
            [&] { loop_around(); },      [&] { await_or_guard(); },       [&] { change_placement(); },
            [&] { change_location(); },  [&] { change_claim_and_name(); }};
        for (size_t n = 1 + below(4); n > 0; --n) changes[below(changes.size())]();
        return std::move(test_);
    }

private:
    size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }
    bool once_in(size_t n) { return below(n) == 0; }
    template <class T>
    const T& pick(const std::vector<T>& from) {
        return from[below(from.size())];
    }
    uint64_t number() {
        constexpr std::array<uint64_t, 14> some{0, 1, 2, 3, 4, 8, 16, 32, 64, 128, 0xffffffff, ~uint64_t{0}, 0x80000000, 4096};
        return some[below(some.size())];
    }

    Thread* thread() { return test_.threads.empty() ? nullptr : &test_.threads[below(test_.threads.size())]; }
    Thread* busy_thread() {
        Thread* t = thread();
        return t == nullptr || t->body.empty() ? nullptr : t;
    }
    Instruction* instruction() {
        Thread* t = busy_thread();
        return t == nullptr ? nullptr : &t->body[below(t->body.size())];
    }

    // ---- instructions -------------------------------------------------------------------------

    void change_qualifier() {
        Instruction* i = instruction();
        const Form* form = i == nullptr ? nullptr : i->row.form;
        if (form == nullptr || form->slots.empty()) return;
        const Slot& slot = pick(form->slots);
        if (slot.alternatives.empty() || slot.in_mnemonic) return;
        const std::string word(pick(slot.alternatives).word);
        const auto old = std::find_if(i->qualifiers.begin(), i->qualifiers.end(), [&](const std::string& q) {
            return std::any_of(slot.alternatives.begin(), slot.alternatives.end(), [&](const Alternative& a) { return a.word == q; });
        });
        if (old == i->qualifiers.end())
            i->qualifiers.insert(i->qualifiers.begin() + static_cast<std::ptrdiff_t>(below(i->qualifiers.size() + 1)), word);
        else if (slot.optional && once_in(3))
            i->qualifiers.erase(old);
        else
            *old = word;
        bind(*i);
    }

    void change_operand() {
        Instruction* i = instruction();
        if (i == nullptr || i->operands.empty()) return;
        Operand& operand = i->operands[below(i->operands.size())];
        switch (operand.kind) {
            case Operand::Kind::immediate:
                operand.value = once_in(2) ? number() : operand.value + 1 - 2 * below(2);
                operand.is_float = false;
                break;
            case Operand::Kind::address:
                change_address(operand);
                break;
            case Operand::Kind::reg:
                if (once_in(3)) {
                    const Operand span_only{};
                    operand = span_only;
                    operand.kind = Operand::Kind::immediate;
                    operand.value = number();
                } else {
                    operand.name = "r" + std::to_string(below(4));
                }
                break;
            default:
                if (i->operands.size() > 1) std::swap(operand, i->operands.front());
        }
        bind(*i);
    }

    void change_address(Operand& address) {
        switch (below(4)) {
            case 0:
                if (!test_.locations.empty()) address.name = pick(test_.locations).name, address.indirect = false;
                break;
            case 1:
                address.offset += static_cast<int64_t>(number() % 64) - 16;
                break;
            case 2:
                address.cta = once_in(2) ? -1 : static_cast<int>(below(3));
                break;
            default:
                address.indirect = true, address.name = "r" + std::to_string(below(4));
        }
    }

    void double_one() {
        Thread* t = busy_thread();
        if (t == nullptr) return;
        Instruction copy = pick(t->body);
        copy.labels.clear();
        for (size_t n = once_in(8) ? 12 : 1; n > 0; --n) t->body.insert(t->body.begin() + at(*t), copy);
    }
    std::ptrdiff_t at(const Thread& t) { return static_cast<std::ptrdiff_t>(below(t.body.size() + 1)); }

    void leave_out() {
        if (Thread* t = busy_thread()) t->body.erase(t->body.begin() + static_cast<std::ptrdiff_t>(below(t->body.size())));
    }

    void swap_two() {
        if (Thread* t = busy_thread()) std::swap(t->body[below(t->body.size())], t->body[below(t->body.size())]);
    }

    void move_to_other_thread() {
        Thread *from = busy_thread(), *to = thread();
        if (from == nullptr || from == to) return;
        const auto moved = from->body.begin() + static_cast<std::ptrdiff_t>(below(from->body.size()));
        to->body.insert(to->body.begin() + at(*to), *moved);
        from->body.erase(moved);
    }

    // An instruction of another test, about a location of this one.
    void take_from_other() {
        Thread* t = thread();
        const Test& other = pick(library_);
        if (t == nullptr || other.threads.empty() || test_.locations.empty()) return;
        const Thread& from = pick(other.threads);
        if (from.body.empty()) return;
        Instruction taken = pick(from.body);
        taken.labels.clear();
        for (Operand& operand : taken.operands)
            if (operand.kind == Operand::Kind::address && !operand.indirect && location_index(test_, operand.name) < 0)
                operand.name = pick(test_.locations).name;
        t->body.insert(t->body.begin() + at(*t), std::move(taken));
    }

    // L: ...; setp.ne.u32 p, r, n; @p bra L; the loop runs on by what a register holds.
    void loop_around() {
        Thread* t = busy_thread();
        if (t == nullptr) return;
        const std::string label = "L" + std::to_string(below(1000));
        const size_t first = below(t->body.size()), last = first + below(t->body.size() - first);
        t->body[first].labels.push_back(label);
        const auto reg = [](const std::string& name) {
            Operand o;
            o.name = name;
            return o;
        };
        Instruction compare, jump;
        compare.op = Op::setp;
        compare.mnemonic = "setp";
        compare.qualifiers = {once_in(2) ? "ne" : "lt", "u32"};
        Operand bound;
        bound.kind = Operand::Kind::immediate;
        bound.value = below(3);
        compare.operands = {reg("again"), reg("r" + std::to_string(below(3))), bound};
        jump.op = Op::bra;
        jump.mnemonic = "bra";
        Operand target;
        target.kind = Operand::Kind::label;
        target.name = label;
        jump.operands = {target};
        bind(compare);
        bind(jump);
        if (!once_in(10)) jump.guard = Guard{"again", once_in(2)};
        t->body.insert(t->body.begin() + static_cast<std::ptrdiff_t>(last) + 1, {compare, jump});
    }

    void await_or_guard() {
        Instruction* i = instruction();
        if (i == nullptr) return;
        if (once_in(2))
            i->await = !i->await, bind(*i);
        else
            i->guard = Guard{"p" + std::to_string(below(2)), once_in(2)};
    }

    // ---- the rest of the test -----------------------------------------------------------------

    void change_placement() {
        Thread* t = thread();
        if (t == nullptr) return;
        if (once_in(4) && test_.threads.size() < 12) {
            Thread more = *t;
            more.name = "M" + std::to_string(test_.threads.size());
            more.at.warp_named = false;
            test_.threads.push_back(std::move(more));
            return;
        }
        constexpr std::array<int Placement::*, 3> parts{&Placement::gpu, &Placement::cluster, &Placement::cta};
        t->at.*parts[below(parts.size())] = static_cast<int>(below(3));
        if (once_in(4)) t->at.warp = static_cast<int>(below(3)), t->at.lane = static_cast<int>(below(3)), t->at.warp_named = true;
    }

    void change_location() {
        if (test_.locations.empty()) return;
        Location& location = test_.locations[below(test_.locations.size())];
        switch (below(5)) {
            case 0:
                location.type = pick(library_).locations.empty() ? location.type : Type::u64;
                break;
            case 1:
                location.array = true;
                location.count = static_cast<int>(1 + number() % 300);
                location.init.assign(static_cast<size_t>(location.count), number() & 0xff);
                break;
            case 2:
                location.space = location.space == Space::global ? Space::shared : Space::global;
                location.cta.reset();
                break;
            case 3:
                if (location.space == Space::shared) location.cta = static_cast<int>(below(3));
                break;
            default:
                if (location.is_mbarrier) location.arrivals = static_cast<uint32_t>(below(4));
        }
    }

    void change_claim_and_name() {
        constexpr std::array<Claim::Kind, 3> kinds{Claim::Kind::exists, Claim::Kind::not_exists, Claim::Kind::forall};
        if (test_.claim.kind != Claim::Kind::none) test_.claim.kind = kinds[below(kinds.size())];
        constexpr std::array<bool Test::*, 4> claims{&Test::claims_racefree, &Test::claims_undefined, &Test::claims_deadlock,
                                                     &Test::claims_may_deadlock};
        if (once_in(2)) test_.*claims[below(claims.size())] ^= true;
        if (once_in(4)) test_.name += "\n::error::\x1b[2J\xe2\x80\xae\xff";
    }

    const std::vector<Test>& library_;
    Random& random_;
    Test test_;
};

}  // namespace

Test mutant(const std::vector<Test>& library, Random& random) {
    return Mutator(library, random).run();
}

}  // namespace litmus
