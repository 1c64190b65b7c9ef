// Candidate values, combinations of traces, and what the models say of their executions.
#include "naive.h"

#include <algorithm>
#include <bitset>
#include <functional>
#include <map>

#include "executions.h"
#include "influence.h"
#include "interpreter.h"
#include "ptx/traits.h"

namespace litmus::naive {
namespace {

// Pairs of a cell and a value, numbered; more than this are too many.
constexpr size_t most_pairs = 512;
using Values = std::bitset<most_pairs>;

class Search {
public:
    Search(const Test& test, const std::vector<const Model*>& models, const Limits& limits)
        : test_(test), limits_(limits), memory_(test), judge_(models, exhaustively()) {
        bounds_.failures = limits.failures;
        answers_.by_model.resize(models.size());
    }

    Answers run() {
        find_candidates();
        for (size_t t = 0; t < test_.threads.size(); ++t)
            influences_.push_back(influence(test_, memory_, bounds_, static_cast<int>(t), candidates_));
        name_coordinates();
        summarise();
        size_t combinations = 1;
        for (const auto& traces : traces_) combinations *= traces.size();
        if (combinations > limits_.combinations) throw Unsupported("too many combinations of traces");
        combine();
        leave_out_opaque();
        return std::move(answers_);
    }

private:
    static BruteForceOptions exhaustively() {
        BruteForceOptions options;
        options.chains = true;
        return options;
    }

    // ---- values ----------------------------------------------------------------------------------------

    // Which values a cell can ever have: initial ones, and whatever a trace writes that reads such values. The last traces are
    // those with all of them.
    void find_candidates() {
        const Interpreter interpreter(test_, memory_, bounds_);
        const size_t most_rounds = most_writes();
        for (size_t c = 0; c < memory_.cells().size(); ++c) candidates_.push_back({memory_.initial(static_cast<int>(c))});
        bool grew = true;
        for (size_t round = 0; grew && round <= most_rounds; ++round) {
            grew = false;
            traces_.clear();
            answers_.cut = false;
            std::vector<Candidates> written;
            for (size_t t = 0; t < test_.threads.size(); ++t) {
                Interpreter::All all = interpreter.all(static_cast<int>(t), candidates_);
                traces_.push_back(std::move(all.traces));
                written.push_back(std::move(all.written));
                answers_.cut = answers_.cut || all.cut;
            }
            for (const Candidates& by_cell : written)
                for (size_t c = 0; c < by_cell.size(); ++c)
                    for (const uint64_t value : by_cell[c]) grew = note(c, value) || grew;
        }
    }

    bool note(size_t cell, uint64_t value) {
        if (memory_.cells()[cell].is_mbarrier && memory_.state(value).age > most_updates(cell)) return false;
        if (!candidates_[cell].insert(value).second) return false;
        if (candidates_[cell].size() > bounds_.values) throw Unsupported("too many values of " + memory_.cells()[cell].name);
        return true;
    }

    // How often the program's instructions of some kind can happen: each once, inside a loop as often as that repeats.
    size_t times(const std::function<size_t(const Instruction&)>& weight) const {
        size_t result = 0;
        for (const Thread& thread : test_.threads) {
            std::vector<size_t> each(thread.body.size(), 1);
            for (size_t last = 0; last < thread.body.size(); ++last) {
                if (thread.body[last].op != Op::bra) continue;
                for (size_t first = 0; first <= last; ++first) {
                    const auto& labels = thread.body[first].labels;
                    if (std::count(labels.begin(), labels.end(), thread.body[last].operands.at(0).name) == 0) continue;
                    for (size_t i = first; i <= last; ++i) each[i] *= static_cast<size_t>(bounds_.failures) + 1;
                }
            }
            for (size_t i = 0; i < each.size(); ++i) result += weight(thread.body[i]) * each[i];
        }
        return result;
    }

    // No value comes of more writes, one after the other, than this.
    size_t most_writes() const {
        return times([](const Instruction& i) -> size_t {
            if (i.op == Op::async_arrive || is_copy(i.op) || kind(i.op) == Traits::Kind::from_registers) return 2;
            const Traits what = traits(i.op);
            if (what.family == Traits::Family::tcgen || what.kind == Traits::Kind::fill || what.kind == Traits::Kind::cancellation)
                return 2;
            return i.op == Op::st || i.op == Op::stmatrix || what.kind == Traits::Kind::atomic || is_multimem(i.op) || is_mbarrier(i.op) ||
                           what.kind == Traits::Kind::map_write
                       ? 1
                       : 0;
        });
    }

    // The updates of an object: of those that name it, or may mean it.
    int most_updates(size_t cell) const {
        const std::string& name = test_.locations[static_cast<size_t>(memory_.cells()[cell].location)].name;
        return static_cast<int>(times([&](const Instruction& i) -> size_t {
            if (i.op == Op::mbarrier_test_wait || i.op == Op::mbarrier_try_wait || (!is_mbarrier(i.op) && !is_asynchronous(i.op))) return 0;
            const bool means = std::any_of(i.operands.begin(), i.operands.end(), [&](const Operand& o) {
                return o.kind == Operand::Kind::address && (o.indirect || o.name == name || i.has("multicast::cluster"));
            });
            if (!means) return 0;
            return i.op == Op::async_arrive ? 2 : 1;
        }));
    }

    // ---- coordinates ------------------------------------------------------------------------------------

    struct Coordinate {
        int thread = -1;
        std::string name;
        Type type = Type::u32;
        int cell = -1;
    };

    void name_coordinates() {
        for (int t = 0; t < static_cast<int>(test_.threads.size()); ++t) {
            std::set<std::string> written;
            for (const Instruction& i : test_.threads[static_cast<size_t>(t)].body)
                for (const std::string& r : written_registers(i)) written.insert(r);
            for (const std::string& r : written) {
                Term term;
                term.kind = Term::Kind::reg;
                term.thread = t;
                term.name = r;
                coordinates_.push_back({t, r, term_type(test_, term).value_or(Type::u32), -1});
                answers_.coordinates.push_back(test_.threads[static_cast<size_t>(t)].name + ":" + r);
            }
        }
        for (const auto& traces : traces_)
            for (const Trace& trace : traces)
                for (const Step& s : trace.steps)
                    if (s.event.cell >= 0) cells_.insert(s.event.cell);
        for (size_t c = 0; c < memory_.cells().size(); ++c) {
            const Location& l = test_.locations[static_cast<size_t>(memory_.cells()[c].location)];
            if (!l.array && !l.is_mbarrier && !l.is_tensor_map && (l.space == Space::global || l.cta)) cells_.insert(static_cast<int>(c));
        }
        const std::set<int> touched = cells_;
        for (const int c : touched)
            if (memory_.cells()[static_cast<size_t>(c)].lane >= 0) cells_.insert({memory_.half(c, 0), memory_.half(c, 1)});
        for (const int c : cells_) {
            const Cell& cell = memory_.cells()[static_cast<size_t>(c)];
            if (cell.lane > 0) continue;  // with the lower half
            if (is_opaque(test_.locations[static_cast<size_t>(cell.location)])) continue;
            coordinates_.push_back({-1, cell.name, cell.type, c});
            answers_.coordinates.push_back(cell.name);
        }
    }

    void leave_out_opaque() {
        std::vector<bool> opaque(coordinates_.size());
        for (const Answer& a : answers_.by_model)
            for (const auto& outcome : a.outcomes)
                for (size_t i = 0; i < outcome.size(); ++i) opaque[i] = opaque[i] || Memory::is_opaque(outcome[i]);
        const auto kept = [&](const auto& from) {
            std::decay_t<decltype(from)> result;
            for (size_t i = 0; i < from.size(); ++i)
                if (!opaque[i]) result.push_back(from[i]);
            return result;
        };
        answers_.coordinates = kept(answers_.coordinates);
        for (Answer& a : answers_.by_model) {
            OutcomeSet outcomes;
            for (const auto& outcome : a.outcomes) outcomes.insert(kept(outcome));
            a.outcomes = std::move(outcomes);
        }
    }

    // ---- combinations -----------------------------------------------------------------------------------

    // What a trace needs of others and gives them, at a glance.
    struct Summary {
        Values reads, writes;
        Values states;  // of mbarrier objects, which nobody else may write
    };

    size_t number(int cell, uint64_t value) {
        const auto [at, fresh] = numbers_.try_emplace({cell, value}, numbers_.size());
        if (fresh && numbers_.size() > most_pairs) throw Unsupported("too many values");
        return at->second;
    }

    void summarise() {
        for (const int c : cells_) initial_.set(number(c, memory_.initial(c)));
        for (const auto& traces : traces_) {
            summaries_.emplace_back();
            for (const Trace& trace : traces) {
                Summary s;
                for (const Step& step : trace.steps) {
                    if (step.event.cell < 0) continue;
                    const size_t n = number(step.event.cell, step.value);
                    (step.event.kind == Event::Kind::read ? s.reads : s.writes).set(n);
                    const bool state = memory_.cells()[static_cast<size_t>(step.event.cell)].is_mbarrier;
                    if (state && step.event.kind == Event::Kind::write) s.states.set(n);
                }
                summaries_.back().push_back(s);
            }
        }
        // what any trace of a thread writes
        for (const auto& summaries : summaries_) {
            anything_.emplace_back();
            for (const Summary& s : summaries) anything_.back() |= s.writes;
        }
    }

    void combine() {
        std::vector<const Trace*> chosen;
        add_thread(chosen, {}, initial_, {});
    }

    // `need`: values read so far; `have`: values written so far; `states`: those of mbarrier objects among these.
    void add_thread(std::vector<const Trace*>& chosen, const Values& need, const Values& have, const Values& states) {
        const size_t t = chosen.size();
        Values could = have;
        for (size_t later = t; later < traces_.size(); ++later) could |= anything_[later];
        if ((need & ~could).any()) return;
        if (t == traces_.size()) return execute(chosen);
        for (size_t k = 0; k < traces_[t].size(); ++k) {
            const Summary& s = summaries_[t][k];
            if ((states & s.states).any()) continue;
            chosen.push_back(&traces_[t][k]);
            add_thread(chosen, need | s.reads, have | s.writes, states | s.states);
            chosen.pop_back();
        }
    }

    void execute(const std::vector<const Trace*>& chosen) {
        int cancelled = 0;
        for (const Trace* trace : chosen) cancelled += trace->cancelled;
        if (cancelled > test_.unlaunched.value_or(cancelled)) return;
        std::set<uint64_t> named;
        for (const Trace* trace : chosen)
            for (const uint64_t cluster : trace->named)
                if (!named.insert(cluster).second) return;
        Combination combination(test_, memory_, cells_, influences_, chosen);
        std::vector<ExprId> observables;
        for (const Coordinate& c : coordinates_)
            observables.push_back(c.cell < 0                ? combination.final_register(c.thread, c.name, c.type)
                                  : memory_.is_half(c.cell) ? combination.final_halves(c.cell, memory_.half(c.cell, 1))
                                                            : combination.final_cell(c.cell));
        const bool ends = std::all_of(chosen.begin(), chosen.end(), [](const Trace* t) { return t->end == Trace::End::ended; });
        combination.each_execution([&](Execution& x, FixedBases& bases) {
            if (++answers_.executions > limits_.executions) throw Unsupported("too many executions");
            const std::vector<Exhaustive> found = judge_.judge(x, bases, observables);
            for (size_t m = 0; m < found.size(); ++m) note(x, found[m], ends, answers_.by_model[m]);
            return true;
        });
    }

    static void note(const Execution& x, const Exhaustive& found, bool ends, Answer& answer) {
        if (!found.nonempty) return;
        if (ends) answer.outcomes.insert(found.outcomes.begin(), found.outcomes.end());
        answer.terminates = answer.terminates || ends;
        answer.blocked = answer.blocked || found.blocked;
        answer.undefined.insert(found.undefined.begin(), found.undefined.end());
        for (const auto& [a, b] : found.races) {
            const Event &first = x.program->events[a], &second = x.program->events[b];
            const At one{first.thread, first.instruction}, other{second.thread, second.instruction};
            answer.races.emplace(std::min(one, other), std::max(one, other));
        }
    }

    const Test& test_;
    Limits limits_;
    Bounds bounds_;
    Memory memory_;
    Judge judge_;
    Candidates candidates_;
    std::vector<std::vector<Trace>> traces_;
    std::vector<Influence> influences_;
    std::set<int> cells_;
    std::vector<Coordinate> coordinates_;
    std::map<std::pair<int, uint64_t>, size_t> numbers_;
    Values initial_;
    std::vector<std::vector<Summary>> summaries_;
    std::vector<Values> anything_;
    Answers answers_;
};

}  // namespace

Answers answer(const Test& test, const std::vector<const Model*>& models, const Limits& limits) {
    return Search(test, models, limits).run();
}

}  // namespace litmus::naive
