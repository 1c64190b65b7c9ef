// Fills a Program whose events all happen. What each relation holds is said beside its name in src/event/names.cpp.
#include "executions.h"

#include <algorithm>

#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus::naive {

Combination::Combination(const Test& test, Memory& memory, const std::set<int>& cells, const std::vector<Influence>& influences,
                         std::vector<const Trace*> traces)
    : test_(test), memory_(memory), influences_(influences), traces_(std::move(traces)) {
    program_.test = &test;
    program_.ctas = memory.ctas();
    for (const int c : cells) {
        cells_[c] = static_cast<int>(program_.cells.size());
        program_.cells.push_back(memory.cells()[static_cast<size_t>(c)]);
    }
    add_events();
    for (const char* name : {"po",
                             "addr",
                             "data",
                             "ctrl",
                             "blocks",
                             "decides",
                             "values",
                             "rmw",
                             "iss",
                             "aio",
                             "aio-multicast",
                             "aio-map",
                             "aio-warpgroup",
                             "grp",
                             "syncbar",
                             "clusterbar",
                             "waits",
                             "returned",
                             "outlived",
                             "faulty",
                             "leaves-live",
                             "leaves-dead",
                             "later-phase",
                             "confirms",
                             "performed",
                             "overfills",
                             "queried",
                             "failed",
                             "parts",
                             "elements",
                             "completes-grid",
                             "completes-in-order",
                             "completes-untriggered",
                             "begins-grid"})
        program_.relations.emplace(name, Relation(program_.size()));
    for (int t = 0; t < static_cast<int>(traces_.size()); ++t) {
        relate_thread(t);
        relate_performed(t);
    }
    relate_warpgroups();
    relate_aligned();
    relate_objects();
    relate_exits();
    add_blocked();
    own_faults_ = relation("faulty");
}

Relation& Combination::relation(const char* name) {
    return program_.relations.find(name)->second;
}

void Combination::add_events() {
    for (const auto& [c, number] : cells_) {
        Event init;
        init.cell = number;
        init.address = memory_.own_address(c);
        init.type = program_.cells[static_cast<size_t>(number)].type;
        program_.events.push_back(init);
        values_.push_back(memory_.initial(c));
    }
    for (const Trace* trace : traces_) {
        offsets_.push_back(program_.events.size());
        for (const Step& step : trace->steps) {
            Event e = step.event;
            if (e.cell >= 0) e.cell = cells_.at(e.cell);
            if (e.covered >= 0) e.covered = cells_.count(e.covered) > 0 ? cells_.at(e.covered) : -1;
            if (e.partner >= 0) e.partner += static_cast<int>(offsets_.back());
            if (e.operation >= 0) e.operation += e.thread * 1000;
            program_.events.push_back(e);
            values_.push_back(step.value);
        }
    }
    for (size_t e = 0; e < program_.size(); ++e) program_.events[e].value = program_.exprs.constant(values_[e], 64);
}

void Combination::relate_thread(int thread) {
    const Trace& trace = *traces_[static_cast<size_t>(thread)];
    const auto copy = [&](const char* name, const Pairs& pairs) {
        for (const auto& [a, b] : pairs) relation(name).add(at(thread, a), at(thread, b));
    };
    copy("addr", trace.addr);
    copy("data", trace.data);
    copy("ctrl", trace.ctrl);
    copy("blocks", trace.blocks);
    copy("iss", trace.iss);
    copy("aio", trace.aio);
    copy("aio-multicast", trace.aio_multicast);
    copy("aio-map", trace.aio_map);
    copy("grp", trace.grp);
    copy("queried", trace.queried);
    copy("parts", trace.parts);
    copy("elements", trace.elements);
    const auto& steps = trace.steps;
    for (size_t a = 0; a < steps.size(); ++a) {
        const Event& x = steps[a].event;
        if (x.kind == Event::Kind::read && x.partner >= 0) relation("rmw").add(at(thread, a), at(thread, static_cast<size_t>(x.partner)));
        if (steps[a].is_returned) relation("returned").add(at(thread, a), at(thread, a));
        if (steps[a].is_faulty) relation("faulty").add(at(thread, a), at(thread, a));
        if (steps[a].overfills) relation("overfills").add(at(thread, a), at(thread, a));
        for (size_t b = a + 1; b < steps.size(); ++b) {
            const Event& y = steps[b].event;
            const bool one_access = x.instruction == y.instruction && x.iteration == y.iteration && x.element != y.element;
            if (!x.asynchronous && !y.asynchronous && !one_access) relation("po").add(at(thread, a), at(thread, b));
        }
    }
    // What the thread takes from registers into an asynchronous operation decides that it is issued. Nothing decides what came before it:
    // in another run, where an earlier iteration failed, a read of the same number may have come first.
    const auto& decided = influences_[static_cast<size_t>(thread)].decides;
    for (size_t a = 0; a < steps.size(); ++a) {
        for (size_t b = a + 1; b < steps.size(); ++b) {
            if (decided.count({steps[a].id, steps[b].id}) == 0) continue;
            relation("decides").add(at(thread, a), at(thread, b));
            if (steps[a].event.asynchronous || !steps[b].event.asynchronous) continue;
            for (const auto& [issue, inside] : trace.iss)
                if (inside == b) relation("decides").add(at(thread, a), at(thread, issue));
        }
    }
}

// Whether something between the two, the first included, writes the register.
static bool changes_between(const Instruction& first, const Instruction& last, const std::string& name) {
    return std::any_of(&first, &last, [&](const Instruction& i) {
        const std::vector<std::string> written = written_registers(i);
        return std::count(written.begin(), written.end(), name) > 0;
    });
}

// Whether the assembler keeps the instruction where it stands, whatever becomes of its result: a load or a redux.sync may be
// gone, and a weak store that a later access of the thread to the same place overwrites.
bool Combination::is_kept(int thread, size_t instruction) const {
    const std::vector<Instruction>& body = test_.threads[static_cast<size_t>(thread)].body;
    if (instruction >= body.size()) return false;  // the exit
    const Instruction& i = body[instruction];
    if (i.op == Op::ld || i.op == Op::ldmatrix || i.op == Op::ld_nc || i.op == Op::multimem_load || i.op == Op::redux_sync ||
        is_arithmetic(i.op) || i.op == Op::bra || i.op == Op::exit || i.op == Op::trap)
        return false;
    if ((i.op != Op::st && i.op != Op::stmatrix) || semantics(i) != Sem::weak || i.has("volatile")) return true;
    return std::none_of(body.begin() + static_cast<std::ptrdiff_t>(instruction) + 1, body.end(), [&](const Instruction& later) {
        const bool writes = later.op == Op::st || kind(later.op) == Traits::Kind::atomic;
        const auto place = [](const Instruction& from) {
            return *std::find_if(from.operands.begin(), from.operands.end(),
                                 [](const Operand& o) { return o.kind == Operand::Kind::address; });
        };
        if (!writes || place(later).name != place(i).name || place(later).offset != place(i).offset) return false;
        return !place(i).indirect || !changes_between(i, later, place(i).name);
    });
}

// Whether something before event `e` of the trace, or that event, depends on a branch or guard that this read decides.
bool Combination::test_matters(int thread, size_t read, const Mention& mention, size_t e) const {
    const Trace& trace = *traces_[static_cast<size_t>(thread)];
    const auto& decides = influences_[static_cast<size_t>(thread)].decides;
    const StepId& from = trace.steps[read].id;
    return std::any_of(decides.begin(), decides.end(), [&](const auto& pair) {
        const int decided = std::get<0>(pair.second);
        return pair.first == from && decided >= std::get<0>(mention.id) && decided <= std::get<0>(trace.steps[e].id) &&
               is_kept(thread, static_cast<size_t>(decided));
    });
}

// A read is performed at the first thing that waits for its value; what stands there or later comes after it. Where the
// thread itself waits, for what an await compares with or for what decides whether a loop repeats, that blocks all that follows.
void Combination::relate_performed(int thread) {
    const Trace& trace = *traces_[static_cast<size_t>(thread)];
    const auto& changes = influences_[static_cast<size_t>(thread)].changes;
    const auto same_access = [&](size_t a, size_t b) {
        const Event &x = trace.steps[a].event, &y = trace.steps[b].event;
        return x.kind == Event::Kind::read && y.kind == Event::Kind::read && x.instruction == y.instruction && x.iteration == y.iteration;
    };
    for (const Mention& m : trace.mentions) {
        for (const size_t named : m.reads) {
            if (m.direct.count(named) == 0 && changes.count({trace.steps[named].id, m.id}) == 0) continue;
            for (size_t e = m.before; m.compared && e < trace.steps.size(); ++e)
                if (relation("po").contains(at(thread, named), at(thread, e))) relation("blocks").add(at(thread, named), at(thread, e));
            for (size_t r = 0; r < trace.steps.size(); ++r) {
                if (!same_access(named, r)) continue;
                for (size_t e = m.before; e < trace.steps.size(); ++e) {
                    const bool operand = !m.tested && !m.compared && !m.awaited;
                    if (operand && !is_kept(thread, static_cast<size_t>(std::get<0>(m.id)))) continue;
                    if (m.tested && !test_matters(thread, named, m, e)) continue;
                    if (relation("po").contains(at(thread, r), at(thread, e))) relation("performed").add(at(thread, r), at(thread, e));
                }
            }
        }
    }
}

// The words of the instruction say how many threads have to execute it.
bool executes_with(const Test& test, const Thread& here, const Instruction& i, const Thread& other) {
    const auto begins = [](const Instruction& j, const char* with) { return j.mnemonic.rfind(with, 0) == 0; };
    if (&here == &other || !i.has("aligned") || !same_cta(here.at, other.at)) return false;
    if (begins(i, "bar.") || begins(i, "barrier.cta") || i.mnemonic == "barrier" || begins(i, "tcgen05") || begins(i, "tensormap"))
        return false;
    const bool one_warp = here.at.warp == other.at.warp;
    if (!begins(i, "wgmma") && i.mnemonic != "setmaxnreg") return one_warp;
    if (one_warp || !here.at.warp_named || !other.at.warp_named || here.at.warp / 4 != other.at.warp / 4) return false;
    const auto has_it = [&](const Thread& t) {  // a lane that has it stands for its warp
        return std::any_of(t.body.begin(), t.body.end(), [&](const Instruction& j) { return j.op == i.op && j.mnemonic == i.mnemonic; });
    };
    for (const Thread& lane : test.threads)
        if (same_cta(lane.at, other.at) && lane.at.warp == other.at.warp && has_it(lane) && !has_it(other)) return false;
    return true;
}

// The n-th execution of a name by one thread belongs to the n-th by each other that has to. It is undefined where that is another form, or
// where the other thread has ended without it.
void Combination::relate_aligned() {
    for (size_t t = 0; t < traces_.size(); ++t)
        for (size_t u = 0; u < traces_.size(); ++u) {
            std::map<std::string, size_t> executed;
            for (const auto& [step, i] : traces_[t]->aligned) {
                const size_t n = executed[i->mnemonic]++;
                if (!executes_with(test_, test_.threads[t], *i, test_.threads[u])) continue;
                std::vector<const Instruction*> theirs;
                for (const auto& [other_step, j] : traces_[u]->aligned)
                    if (j->mnemonic == i->mnemonic) theirs.push_back(j);
                bool wrong = n >= theirs.size() && traces_[u]->end == Trace::End::ended;
                if (n < theirs.size()) {
                    const Instruction& j = *theirs[n];
                    wrong = spelling(*i) != spelling(j);
                    for (size_t k = 0; k < std::min(i->operands.size(), j.operands.size()); ++k)
                        wrong = wrong || (i->operands[k].kind == Operand::Kind::immediate &&
                                          j.operands[k].kind == Operand::Kind::immediate && i->operands[k].value != j.operands[k].value);
                }
                if (wrong) relation("faulty").add(at(static_cast<int>(t), step), at(static_cast<int>(t), step));
            }
        }
}

// The warps of one warpgroup multiply n-th by one operation, of which each has a part.
void Combination::relate_warpgroups() {
    for (size_t t = 0; t < traces_.size(); ++t) {
        for (size_t u = 0; u < traces_.size(); ++u) {
            const Placement &one = test_.threads[t].at, &other = test_.threads[u].at;
            const bool apart = !one.warp_named || !other.warp_named || memory_.cta_of(one) != memory_.cta_of(other);
            if (t == u || apart || one.warp / 4 != other.warp / 4) continue;
            const auto &mine = traces_[t]->multiplications, &theirs = traces_[u]->multiplications;
            for (size_t n = 0; n < std::min(mine.size(), theirs.size()); ++n)
                for (const size_t read : mine[n].reads)
                    relation("aio-warpgroup").add(at(static_cast<int>(t), read), at(static_cast<int>(u), theirs[n].completion));
        }
    }
}

// Operations on mbarrier objects: what their states say of lives and phases.
void Combination::relate_objects() {
    for (size_t e = 0; e < program_.size(); ++e) {
        const Event& event = program_.events[e];
        if (!event.is_write() || !program_.cells[static_cast<size_t>(event.cell)].is_mbarrier) continue;
        const bool live = is_live(memory_.state(values_[e]));
        relation(live ? "leaves-live" : "leaves-dead").add(e, e);
    }
    for (int t = 0; t < static_cast<int>(traces_.size()); ++t) {
        const auto& steps = traces_[static_cast<size_t>(t)]->steps;
        for (size_t a = 0; a < steps.size(); ++a) {
            if (!steps[a].is_arrival && !steps[a].fails) continue;
            if (steps[a].is_arrival && steps[a].phase > 0) relation("later-phase").add(at(t, a), at(t, a));
            for (int u = 0; u < static_cast<int>(traces_.size()); ++u) {
                const auto& others = traces_[static_cast<size_t>(u)]->steps;
                for (size_t w = 0; w < others.size(); ++w) {
                    if (!others[w].is_returned || others[w].life != steps[a].life || others[w].event.cell != steps[a].event.cell) continue;
                    if (steps[a].is_arrival && others[w].phase == steps[a].phase) relation("confirms").add(at(u, w), at(t, a));
                    if (steps[a].fails && others[w].phase > steps[a].phase) relation("failed").add(at(t, a), at(u, w));
                }
            }
        }
    }
}

// Shared memory of a CTA with a thread that stays blocked is there for ever.
void Combination::relate_exits() {
    for (size_t e = 0; e < program_.size(); ++e) {
        const Event& event = program_.events[e];
        if (event.cell < 0 || event.thread < 0) continue;
        const int owner = program_.cells[static_cast<size_t>(event.cell)].instance;
        for (size_t t = 0; owner >= 0 && t < traces_.size(); ++t)
            if (memory_.cta_of(test_.threads[t].at) == owner && traces_[t]->end != Trace::End::ended) relation("outlived").add(e, e);
    }
}

void Combination::add_blocked() {
    ExprPool& exprs = program_.exprs;
    for (size_t t = 0; t < traces_.size(); ++t) {
        const Trace& trace = *traces_[t];
        if (trace.end == Trace::End::trapped) program_.traps.push_back(ExprPool::yes);
        if (trace.end != Trace::End::stuck || trace.waits_for_grids) continue;
        const bool at_barrier =
            (!trace.uses.empty() && !trace.uses.back().passed) || (!trace.given_back.empty() && !trace.given_back.back().passed);
        ExprId hopeless = at_barrier ? ExprPool::yes : ExprPool::no;
        for (const auto& values : trace.hopeless) {
            ExprId all = ExprPool::yes;
            for (const auto& [cell, value] : values)
                all = exprs.both(all, exprs.compare(Operator::eq, Type::u64, final_cell(cell), exprs.constant(value, 64)));
            hopeless = exprs.either(hopeless, all);
        }
        program_.blocked.push_back({static_cast<int>(t), trace.stuck_at, ExprPool::yes, hopeless});
    }
}

ExprId Combination::final_cell(int cell) {
    return program_.exprs.final_value(static_cast<uint32_t>(cells_.at(cell)), 64);
}

ExprId Combination::final_halves(int low, int high) {
    ExprPool& exprs = program_.exprs;
    const ExprId upper = exprs.apply(Operator::mul, Type::u64, final_cell(high), exprs.constant(0x10000, 64));
    return exprs.apply(Operator::add, Type::u64, final_cell(low), upper);
}

ExprId Combination::final_register(int thread, const std::string& name, Type type) {
    const auto& registers = traces_[static_cast<size_t>(thread)]->registers;
    const auto found = registers.find(name);
    if (found == registers.end()) return program_.exprs.constant(0, 64);
    const auto [value, written] = found->second;
    const bool extend = is_signed(written) && bits(type) > bits(written);
    return program_.exprs.constant(truncate(extend ? static_cast<uint64_t>(sign_extend(value, bits(written))) : value, bits(type)), 64);
}

// An arrival comes before all that follows the use that waits for it.
void Combination::wait_for(size_t arrival, size_t use, Relation& waits) {
    for (const size_t later : relation("po").successors(use)) waits.add(arrival, later);
}

void Combination::relate_barriers(const std::vector<Meeting>& ways, const ClusterBarriers& clusters) {
    const size_t n = program_.size();
    Relation syncbar(n), waits(n), cluster(n), faulty = own_faults_;
    const auto event_of = [&](const UseOf& u) { return at(u.first, traces_[static_cast<size_t>(u.first)]->uses[u.second].step); };
    const auto exit_of = [&](int t) { return at(t, traces_[static_cast<size_t>(t)]->steps.size() - 1); };
    for (const Meeting& meeting : ways) {
        for (const Generation& g : meeting) {
            // 9.7.13.1: bar.red is not to be mixed with other uses
            const auto is_red = [&](const UseOf& u) { return traces_[static_cast<size_t>(u.first)]->uses[u.second].op == Op::bar_red; };
            const bool mixed = !g.uses.empty() && !std::all_of(g.uses.begin(), g.uses.end(),
                                                               [&](const UseOf& u) { return is_red(u) == is_red(g.uses.front()); });
            for (const UseOf& v : g.uses) {
                if (mixed) faulty.add(event_of(v), event_of(v));
                if (traces_[static_cast<size_t>(v.first)]->uses[v.second].op == Op::bar_arrive) continue;
                for (const UseOf& u : g.uses) {
                    if (u == v) continue;
                    syncbar.add(event_of(u), event_of(v));
                    wait_for(event_of(u), event_of(v), waits);
                }
                for (const int t : g.exited) wait_for(exit_of(t), event_of(v), waits);
            }
        }
    }
    for (const ClusterWait& w : clusters.waits) {
        for (const UseOf& u : w.arrivals) {
            cluster.add(event_of(u), event_of(w.wait));
            wait_for(event_of(u), event_of(w.wait), waits);
        }
        for (const int t : w.exited) wait_for(exit_of(t), event_of(w.wait), waits);
    }
    for (const UseOf& u : clusters.early) faulty.add(event_of(u), event_of(u));
    relation("faulty") = std::move(faulty);
    relation("syncbar") = std::move(syncbar);
    relation("clusterbar") = std::move(cluster);
    relation("waits") = std::move(waits);
}

// Barrier uses happen one after the other: program order, what waits, and the generations of a barrier in their order.
static bool can_be_played(const Program& program, const std::vector<Meeting>& ways, const std::function<size_t(const UseOf&)>& event_of) {
    Relation before = program.relations.find("waits")->second | program.relations.find("po")->second;
    for (const Meeting& meeting : ways)
        for (size_t g = 1; g < meeting.size(); ++g)
            for (const UseOf& u : meeting[g - 1].uses)
                for (const UseOf& v : meeting[g].uses) before.add(event_of(u), event_of(v));
    return before.acyclic();
}

// The n-th time that a CTA gives tensor memory back with its peer is the peer's n-th, too: who comes to it stays just when the peer never
// does.
bool Combination::pairs_possible() const {
    std::map<int, const Trace*> giving;  // by CTA
    for (size_t t = 0; t < traces_.size(); ++t)
        if (!traces_[t]->given_back.empty() && !giving.emplace(memory_.cta_of(test_.threads[t].at), traces_[t]).second)
            throw Unsupported("two threads of a CTA give tensor memory back");
    for (const auto& [cta, trace] : giving)
        for (size_t n = 0; n < trace->given_back.size(); ++n) {
            const auto peer = giving.find(trace->given_back[n].peer);
            const bool comes = peer != giving.end() && peer->second->given_back.size() > n;
            if (comes != trace->given_back[n].passed) return false;
        }
    return true;
}

bool Combination::each_execution(const Visit& visit) {
    const ClusterBarriers clusters = cluster_barriers(test_, traces_);
    if (!clusters.possible) return true;
    const GridEdges grids(test_, traces_);
    if (!grids.possible() || !pairs_possible()) return true;
    const auto event_of = [&](const UseOf& u) { return at(u.first, traces_[static_cast<size_t>(u.first)]->uses[u.second].step); };
    for (const std::vector<Meeting>& ways : meetings(test_, memory_, traces_)) {
        for (const std::map<int, int>& first : grids.orders()) {
            relate_barriers(ways, clusters);
            relate_grids(grids, first);
            if (!can_be_played(program_, ways, event_of)) continue;
            const size_t n = program_.size();
            Execution x;
            x.program = &program_;
            x.executed = EventSet::all(n);
            x.values = values_;
            x.rf = x.co = x.sc = Relation(n);
            FixedBases bases(program_);
            if (!each_rf(0, x, [&] { return visit(x, bases); })) return false;
        }
    }
    return true;
}

void Combination::relate_grids(const GridEdges& grids, const std::map<int, int>& first) {
    const auto last_of = [&](int t) { return at(t, traces_[static_cast<size_t>(t)]->steps.size() - 1); };
    const auto complete_before = [&](const char* name, const std::set<int>& over, size_t event) {
        for (int t = 0; t < static_cast<int>(traces_.size()); ++t)
            for (size_t s = 0;
                 over.count(grid_of(test_.threads[static_cast<size_t>(t)].at.cta)) > 0 && s < traces_[static_cast<size_t>(t)]->steps.size();
                 ++s)
                relation(name).add(at(t, s), event);
    };
    const auto come_after = [&](size_t event, size_t start) {
        relation("waits").add(event, start);
        wait_for(event, start, relation("waits"));
    };
    for (const char* name : {"completes-grid", "completes-in-order", "completes-untriggered", "begins-grid"})
        relation(name) = Relation(program_.size());
    for (int t = 0; t < static_cast<int>(traces_.size()); ++t) {
        const Trace& trace = *traces_[static_cast<size_t>(t)];
        if (trace.steps.empty() || trace.steps[0].event.kind != Event::Kind::grid_start) continue;
        const int grid = grid_of(test_.threads[static_cast<size_t>(t)].at.cta);
        const auto wait_for_exits = [&](const std::set<int>& over, size_t event) {
            for (int u = 0; u < static_cast<int>(traces_.size()); ++u)
                if (over.count(grid_of(test_.threads[static_cast<size_t>(u)].at.cta)) > 0) come_after(last_of(u), event);
        };
        complete_before("completes-grid", grids.over_at_start(grid), at(t, 0));
        complete_before("completes-in-order", grids.with_ancestors(grids.over_at_start(grid)), at(t, 0));
        if (grids.none_triggers(grid)) complete_before("completes-untriggered", grids.programmatic(grid), at(t, 0));
        wait_for_exits(grids.over_at_start(grid), at(t, 0));
        for (const size_t wait : trace.grid_waits) {
            complete_before("completes-grid", grids.over_at_wait(grid), at(t, wait));
            complete_before("completes-in-order", grids.with_ancestors(grids.over_at_wait(grid)), at(t, wait));
            wait_for_exits(grids.over_at_wait(grid), at(t, wait));
        }
        for (int u = 0; u < static_cast<int>(traces_.size()); ++u) {
            const int cta = test_.threads[static_cast<size_t>(u)].at.cta;
            if (grids.programmatic(grid).count(grid_of(cta)) == 0) continue;
            const auto chosen = first.find(cta);
            if (chosen == first.end()) {  // none triggers
                come_after(last_of(u), at(t, 0));
            } else if (chosen->second == u) {
                const size_t trigger = at(u, traces_[static_cast<size_t>(u)]->triggers[0]);
                relation("begins-grid").add(trigger, at(t, 0));
                come_after(trigger, at(t, 0));
            }
        }
    }
}

bool Combination::each_rf(size_t event, Execution& x, const std::function<bool()>& visit) {
    while (event < program_.size() && program_.events[event].kind != Event::Kind::read) ++event;
    if (event == program_.size()) return visit();
    for (size_t w = 0; w < program_.size(); ++w) {
        const Event &write = program_.events[w], &read = program_.events[event];
        if (!write.is_write() || write.cell != read.cell || values_[w] != values_[event] || read.partner == static_cast<int>(w)) continue;
        x.rf.add(w, event);
        const bool go_on = each_rf(event + 1, x, visit);
        x.rf.remove(w, event);
        if (!go_on) return false;
    }
    return true;
}

}  // namespace litmus::naive
