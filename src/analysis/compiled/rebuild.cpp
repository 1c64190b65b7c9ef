// A thread as a graph of items (instructions, the halves of split loads, labels), and an order of it that is nearest to the source's.
#include "analysis/compiled/rebuild.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "ptx/traits.h"

namespace litmus::compiled {

namespace {

// Why a thread cannot be rebuilt.
struct Unknown {
    std::string why;
};

using Names = std::set<std::string>;

struct Item {
    enum class Kind : uint8_t {
        watched,  // an instruction of which the code tells; it stays whole
        early,    // the access of a load that was split
        plain,    // everything else: arithmetic, branches, the movs of split and dropped loads
        label,
    };
    Kind kind = Kind::plain;
    size_t source = 0;  // its instruction in the body
    Instruction instruction;
    std::vector<std::string> labels;  // label
    Names reads, writes;

    bool is_control() const {
        if (kind == Kind::label) return true;
        return kind == Kind::plain && (instruction.op == Op::bra || instruction.op == Op::exit);
    }
};

void collect(const Operand& operand, Role role, Names& reads, Names& writes) {
    if (operand.kind == Operand::Kind::reg) {
        if (is_written(role)) writes.insert(operand.name);
        if (is_read(role) || !is_written(role)) reads.insert(operand.name);
    }
    if (operand.kind == Operand::Kind::address && operand.indirect) reads.insert(operand.name);
    for (const Operand& element : operand.elements)
        collect(element, operand.kind == Operand::Kind::vector ? role : Role::source, reads, writes);
}

Item item_of(Item::Kind kind, size_t source, Instruction instruction) {
    Item item;
    item.kind = kind;
    item.source = source;
    item.instruction = std::move(instruction);
    const Instruction& i = item.instruction;
    if (i.guard) item.reads.insert(i.guard->reg);
    for (const Operand& operand : i.operands) collect(operand, operand.role, item.reads, item.writes);
    if (i.expect && i.expect->value.kind == Operand::Kind::reg) item.reads.insert(i.expect->value.name);
    return item;
}

Instruction move(const std::string& to, Operand from, Type type, const std::optional<Guard>& guard) {
    Instruction result;
    result.op = Op::mov;
    result.mnemonic = "mov";
    result.qualifiers = {std::string(litmus::name(type))};
    Operand written;
    written.name = to;
    written.role = Role::result;
    from.role = Role::source;
    result.operands = {written, std::move(from)};
    result.guard = guard;
    bind(result);
    return result;
}

Operand reg(const std::string& name) {
    Operand operand;
    operand.name = name;
    return operand;
}

// The operands that a load writes, one for each element.
std::vector<Operand*> results(Instruction& load) {
    Operand& result = load.at(Role::result);
    if (result.kind != Operand::Kind::vector) return {&result};
    std::vector<Operand*> all;
    for (Operand& element : result.elements) all.push_back(&element);
    return all;
}

class ThreadBuilder {
public:
    ThreadBuilder(const Test& test, const ThreadCode& code, const std::vector<Change>& changes)
        : thread_(test.threads[code.thread]), code_(code), changes_(changes), body_(thread_.body) {
        for (const Instruction& i : body_) {
            const Item item = item_of(Item::Kind::plain, 0, i);
            names_.insert(item.reads.begin(), item.reads.end());
            names_.insert(item.writes.begin(), item.writes.end());
        }
    }

    // Throws Unknown.
    Thread build() {
        find_roles();
        try {
            return ordered(true);
        } catch (const Unknown&) {  // a load that is issued before its condition is known is issued without it
            return ordered(false);
        }
    }

private:
    // ---- what becomes of each instruction --------------------------------------------------------

    void find_roles() {
        for (const Change& change : changes_) {
            const Instruction& i = body_[change.instruction];
            if (change.kind == Change::Kind::dropped) {
                drop(change);
                continue;
            }
            if (change.kind == Change::Kind::merged) into_[change.instruction] = *change.other;
            split_if_load(change.instruction);
            split_if_load(*change.other);
            if (in_loop(change.instruction) || in_loop(*change.other))
                throw Unknown{"`" + print(i) + "` is in a loop, whose turns the assembler may have mixed"};
        }
    }

    void drop(const Change& change) {
        const Instruction& i = body_[change.instruction];
        const std::optional<Footprint> own = footprint(i);
        if (!own && i.guard) {  // its predicate is known to be false, or nothing would be gone
            dropped_.insert(change.instruction);
            return;
        }
        if (!own) throw Unknown{"`" + print(i) + "` has no code of its own; whether it needs any cannot be seen"};
        if (in_loop(change.instruction)) throw Unknown{"`" + print(i) + "` is in a loop, whose turns the assembler may have mixed"};
        dropped_.insert(change.instruction);
        if (i.op == Op::st) return;
        if (!change.other) {
            if (!is_dead(change.instruction)) throw Unknown{"`" + print(i) + "` is dropped, and where its value comes from cannot be seen"};
            return;
        }
        from_[change.instruction] = *change.other;
        const Instruction& other = body_[*change.other];
        if (other.guard && !(i.guard && *i.guard == *other.guard))
            throw Unknown{"`" + print(i) + "` is dropped, and has the value of `" + print(other) + "`, which may not be executed"};
        if (data_type(other) != data_type(i) && bits(data_type(other)) != bits(data_type(i)))
            throw Unknown{"`" + print(i) + "` is dropped, and has a part of the value of `" + print(other) + "`"};
        split_if_load(*change.other);
    }

    void split_if_load(size_t instruction) {
        const Instruction& i = body_[instruction];
        const bool load = (i.op == Op::ld || i.op == Op::ld_nc) && !i.await && !dropped_.count(instruction);
        if (load && bits(data_type(i)) >= 16) split_.insert(instruction);
    }

    // Nobody reads what it writes before it is written again.
    bool is_dead(size_t instruction) const {
        const Item own = item_of(Item::Kind::plain, instruction, body_[instruction]);
        Names open = own.writes;
        for (size_t i = instruction + 1; i < body_.size() && !open.empty(); ++i) {
            const Item item = item_of(Item::Kind::plain, i, body_[i]);
            if (item.is_control()) return false;
            if (std::any_of(item.reads.begin(), item.reads.end(), [&](const std::string& r) { return open.count(r) > 0; })) return false;
            if (!body_[i].guard)
                for (const std::string& r : item.writes) open.erase(r);
        }
        return open.empty();
    }

    // Between a label and a branch back to it.
    bool in_loop(size_t instruction) const {
        for (size_t b = instruction; b < body_.size(); ++b) {
            if (body_[b].op != Op::bra) continue;
            const std::string& target = body_[b].at(Role::label).name;
            for (size_t l = 0; l <= instruction; ++l)
                if (std::find(body_[l].labels.begin(), body_[l].labels.end(), target) != body_[l].labels.end()) return true;
        }
        return false;
    }

    // ---- items -------------------------------------------------------------------------------------

    // The fresh register for what an instruction read or wrote as its n-th element.
    std::string fresh(size_t instruction, size_t element) {
        std::string& name = fresh_[{instruction, element}];
        for (size_t n = 0; name.empty(); ++n) {
            const std::string candidate = "early" + std::to_string(n);
            if (names_.insert(candidate).second) name = candidate;
        }
        return name;
    }

    // What holds the n-th element of the value that a dropped load was given.
    Operand value_for(size_t dropped, size_t element) {
        size_t from = from_.at(dropped);
        const Footprint own = *footprint(body_[dropped]);
        const int64_t offset = own.offset + static_cast<int64_t>(element) * own.element;
        if (dropped_.count(from)) {
            if (!from_.count(from)) throw Unknown{"`" + print(body_[dropped]) + "` is dropped, and so is where its value comes from"};
            return value_for(from, static_cast<size_t>((offset - footprint(body_[from])->offset) / own.element));
        }
        return reg(fresh(from, static_cast<size_t>((offset - footprint(body_[from])->offset) / own.element)));
    }

    void make_items(bool guarded) {
        items_.clear();
        for (size_t i = 0; i < body_.size(); ++i) {
            Instruction own = body_[i];
            if (!own.labels.empty()) {
                Item label;
                label.kind = Item::Kind::label;
                label.source = i;
                label.labels = std::exchange(own.labels, {});
                items_.push_back(label);
            }
            if (dropped_.count(i)) {
                for (size_t e = 0; from_.count(i) && e < results(own).size(); ++e)
                    if (results(own)[e]->kind == Operand::Kind::reg)
                        items_.push_back(
                            item_of(Item::Kind::plain, i, move(results(own)[e]->name, value_for(i, e), plain_type(own), own.guard)));
                continue;
            }
            if (split_.count(i)) {
                add_split(i, own, guarded);
                continue;
            }
            save_stored(i, own);
            items_.push_back(item_of(is_watched(i) ? Item::Kind::watched : Item::Kind::plain, i, own));
        }
        if (thread_.end_labels.empty()) return;
        Item label;
        label.kind = Item::Kind::label;
        label.source = body_.size();
        label.labels = thread_.end_labels;
        items_.push_back(label);
    }

    void add_split(size_t i, const Instruction& own, bool guarded) {
        Instruction early = own;
        if (!guarded) early.guard.reset();
        std::vector<Item> movs;
        for (size_t e = 0; e < results(early).size(); ++e) {
            Operand& result = *results(early)[e];
            if (result.kind != Operand::Kind::reg) continue;
            const std::string to = std::exchange(result.name, fresh(i, e));
            movs.push_back(item_of(Item::Kind::plain, i, move(to, reg(fresh(i, e)), plain_type(own), own.guard)));
        }
        items_.push_back(item_of(Item::Kind::early, i, early));
        items_.insert(items_.end(), movs.begin(), movs.end());
    }

    // Of a store whose value a dropped load gets: kept for it, since its register may be written again.
    void save_stored(size_t i, const Instruction& own) {
        if (own.op != Op::st || std::none_of(from_.begin(), from_.end(), [&](const auto& f) { return f.second == i; })) return;
        const Operand& value = own.at(Role::source);
        for (size_t e = 0; e < static_cast<size_t>(vector_width(own)); ++e)
            items_.push_back(
                item_of(Item::Kind::plain, i,
                        move(fresh(i, e), value.kind == Operand::Kind::vector ? value.elements[e] : value, plain_type(own), {})));
    }

    static Type plain_type(const Instruction& i) {
        const Type type = data_type(i);
        if (bits(type) < 16) throw Unknown{"`" + print(i) + "` changes, and the test has no mov of 8 bits"};
        return bits(type) == 16 ? Type::b16 : bits(type) == 32 ? Type::b32 : Type::b64;
    }

    bool is_watched(size_t i) const {
        return std::find(code_.instructions.begin(), code_.instructions.end(), i) != code_.instructions.end();
    }

    // ---- the order -----------------------------------------------------------------------------------

    // Whether of two watched instructions the code does a, which stands first, first.
    bool stays_before(size_t a, size_t b) const {
        const auto place = [&](size_t i) {
            const auto into = into_.find(i);
            return into == into_.end() ? i : into->second;
        };
        const size_t first = place(a), second = place(b);
        if (first == second) return true;
        const auto changed = [&](size_t earlier, size_t later) {
            return std::any_of(changes_.begin(), changes_.end(), [&](const Change& c) {
                return is_earlier(c) && c.instruction == later &&
                       (c.other == earlier || (c.kind == Change::Kind::stale && is_passed(c, earlier)));
            });
        };
        return first < second ? !changed(first, second) : changed(second, first);
    }

    static bool is_earlier(const Change& c) {
        return c.kind == Change::Kind::moved || c.kind == Change::Kind::unwaited || c.kind == Change::Kind::stale;
    }

    // What a cache holds from before the acquire is also from before the accesses between, which leave it as it is: those of other places
    // that order nothing, and do not read so themselves.
    bool is_passed(const Change& stale, size_t between) const {
        const std::optional<Footprint> own = footprint(body_[stale.instruction]), other = footprint(body_[between]);
        const bool orders = semantics(body_[between]) != Sem::weak && semantics(body_[between]) != Sem::relaxed;
        if (between <= *stale.other || between >= stale.instruction || !own || !other || own->base == other->base || orders) return false;
        return std::none_of(changes_.begin(), changes_.end(), [&](const Change& c) {
            return c.kind == Change::Kind::stale && c.instruction == between && c.other == stale.other;
        });
    }

    bool comes_before(const Item& a, const Item& b, bool has_control) const {
        const auto watched = [](const Item& i) { return i.kind == Item::Kind::watched || i.kind == Item::Kind::early; };
        if (watched(a) && watched(b)) return stays_before(a.source, b.source);
        const auto meet = [](const Names& x, const Names& y) {
            return std::any_of(x.begin(), x.end(), [&](const std::string& name) { return y.count(name) > 0; });
        };
        if (meet(a.writes, b.reads) || meet(a.reads, b.writes) || meet(a.writes, b.writes)) return true;
        if (!has_control) return false;
        if (!watched(a) && !watched(b)) return true;
        const Item& one = watched(a) ? a : b;
        const Item& other = watched(a) ? b : a;
        return one.kind == Item::Kind::watched && other.is_control();
    }

    // The thread in the order that is nearest to the source's. Throws Unknown where there is none.
    Thread ordered(bool guarded) {
        make_items(guarded);
        const bool has_control = std::any_of(items_.begin(), items_.end(), [](const Item& i) { return i.is_control(); });
        const size_t count = items_.size();
        std::vector<std::vector<bool>> before(count, std::vector<bool>(count));
        for (size_t a = 0; a < count; ++a)
            for (size_t b = a + 1; b < count; ++b) {
                const auto watched = [&](size_t i) { return items_[i].kind == Item::Kind::watched || items_[i].kind == Item::Kind::early; };
                const bool first = comes_before(items_[a], items_[b], has_control);
                before[a][b] = first;
                before[b][a] = !first && watched(a) && watched(b);
                if (before[b][a] && comes_before_by_registers(items_[a], items_[b]))
                    throw Unknown{"`" + print(items_[b].instruction) + "` needs what it is issued before"};
            }
        Thread result = thread_;
        result.body.clear();
        result.end_labels.clear();
        std::vector<bool> done(count);
        std::vector<std::string> labels;
        for (size_t n = 0; n < count; ++n) {
            size_t next = 0;
            while (next < count && (done[next] || !is_free(next, before, done))) ++next;
            if (next == count) throw Unknown{"no order of the instructions has the machine's and keeps what they compute"};
            done[next] = true;
            Item& item = items_[next];
            if (item.kind == Item::Kind::label) {
                labels.insert(labels.end(), item.labels.begin(), item.labels.end());
                continue;
            }
            item.instruction.labels = std::exchange(labels, {});
            item.instruction.span = body_[item.source].span;
            result.body.push_back(item.instruction);
        }
        result.end_labels = labels;
        return result;
    }

    static bool comes_before_by_registers(const Item& a, const Item& b) {
        return std::any_of(b.reads.begin(), b.reads.end(), [&](const std::string& name) { return a.writes.count(name) > 0; });
    }

    static bool is_free(size_t item, const std::vector<std::vector<bool>>& before, const std::vector<bool>& done) {
        for (size_t other = 0; other < done.size(); ++other)
            if (!done[other] && before[other][item]) return false;
        return true;
    }

    const Thread& thread_;
    const ThreadCode& code_;
    const std::vector<Change>& changes_;
    const std::vector<Instruction>& body_;
    Names names_;  // of registers that are taken
    std::set<size_t> dropped_, split_;
    std::map<size_t, size_t> from_, into_;
    std::map<std::pair<size_t, size_t>, std::string> fresh_;
    std::vector<Item> items_;
};

}  // namespace

CompiledTest compiled_test(const Test& test, const std::vector<ThreadCode>& codes) {
    CompiledTest result;
    Test compiled = test;
    for (const ThreadCode& code : codes) {
        const std::vector<Change> changes = changes_of(test, code);
        result.changes.insert(result.changes.end(), changes.begin(), changes.end());
        if (result.unknown.empty() && !code.order.strays.empty())
            result.unknown = test.threads[code.thread].name + ": an access of the code stands under no instruction of the thread";
        if (changes.empty() || !result.unknown.empty()) continue;
        try {
            compiled.threads[code.thread] = ThreadBuilder(test, code, changes).build();
        } catch (const Unknown& unknown) {
            result.unknown = test.threads[code.thread].name + ": " + unknown.why;
        }
    }
    if (!result.unknown.empty()) return result;
    // what was claimed is of the source
    compiled.claims_racefree = compiled.claims_undefined = compiled.claims_deadlock = compiled.claims_may_deadlock =
        compiled.claims_terminates = false;
    try {
        parse_tests(make_source(test.name + ", compiled", print(compiled)));
        result.test = std::move(compiled);
    } catch (const Failure& failure) {
        result.unknown = "the compiled test is none: " + failure.diagnostics().front().message;
    }
    return result;
}

}  // namespace litmus::compiled
