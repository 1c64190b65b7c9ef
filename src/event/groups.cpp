// Groups of asynchronous operations: bulk groups and the groups of cp.async (ISA 9.7.9.25.3, 9.7.9.25.4, model/semantics.md
// section 6).
//
// Each thread has its operations, and its commits, in program order. A commit closes the group of all operations since the
// commit before. Operations and commits may be under conditions, so which group an operation is in is an expression: it is
// found by counting the commits that happen between the operation and a wait.
#include <algorithm>

#include "event/builder.h"
#include "ptx/traits.h"

namespace litmus {

using Kind = Traits::Kind;

size_t Builder::group_completion(const Context& c, size_t start, const std::vector<size_t>& before) {
    Event e = event_of(c, Event::Kind::completion);
    e.scope = Scope::none;
    e.asynchronous = true;
    e.completes = true;
    e.operation = draft_.events[start].operation;
    const size_t id = add_event(e);
    draft_.notes.pairs.push_back({"iss", start, id, ExprPool::yes});
    for (const size_t b : before) inside(b, id);
    return id;
}

bool Builder::waits_for_reads() const {
    const auto& body = thread().body;
    return std::any_of(body.begin(), body.end(), [](const Instruction& i) { return kind(i.op) == Kind::bulk_wait && i.has("read"); });
}

bool Builder::waits_for_groups() const {
    const auto& body = thread().body;
    return std::any_of(body.begin(), body.end(), [](const Instruction& i) { return kind(i.op) == Kind::bulk_wait; });
}

void Builder::commit(const Context& c, Groups& groups) {
    if (&groups == &draft_.thread.copy_groups) check_group(c.guard);
    groups.commits.emplace_back(draft_.events.size(), c.guard);
}

// Undefined behaviour (ISA 9.7.9.25.3.2): two cp.async of one group write one location. The group ends here, when `closed`.
void Builder::check_group(ExprId closed) {
    std::vector<std::pair<size_t, ExprId>> writes;  // of the operations so far, each with the condition that it is in this group
    for (const auto& events : draft_.thread.copies) {
        for (const size_t e : events) {
            if (draft_.events[e].kind != Event::Kind::write) continue;
            ExprId member = exprs_.both(draft_.events[e].guard, closed);
            for (const auto& [position, guard] : draft_.thread.copy_groups.commits)
                if (position > e) member = exprs_.both(member, exprs_.negate(guard));
            if (member != ExprPool::no) writes.emplace_back(e, member);
        }
    }
    for (size_t i = 0; i < writes.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
            if (draft_.events[writes[i].first].cell != draft_.events[writes[j].first].cell) continue;
            draft_.violations.push_back({writes[i].first, exprs_.both(writes[i].second, writes[j].second),
                                         "another `cp.async` of the same group writes this location (ISA 9.7.9.25.3.2)"});
        }
    }
}

void Builder::wait_group(const Context& c, State& state, Groups& groups) {
    const Instruction& i = c.instruction;
    Event e = event_of(c, Event::Kind::group_wait);
    e.scope = Scope::none;
    const size_t id = add_event(e);
    depend_control(state, id);
    depend("ctrl", c.guard_reads, id);
    const Operand* left = i.find(Role::groups);  // cp.async.wait_all has none: it closes a group and waits for all
    if (!left) commit(c, groups);
    finish_groups(groups, id, left ? constant_operand(state, *left, "the number of groups") : 0, i.has("read"));
    block(state, {{id, ExprPool::yes}});
}

// A wait_group N waits for all groups but the N latest: for the completion of each operation after which more than N commits
// happen before the wait.
void Builder::finish_groups(const Groups& groups, size_t wait, uint64_t pending, bool reads) {
    for (const Groups::Member& member : groups.members) {
        ExprId commits = exprs_.constant(0, 16);
        for (const auto& [position, guard] : groups.commits)
            if (position > member.position)
                commits =
                    exprs_.apply(Operator::add, Type::u16, commits, exprs_.ite(guard, exprs_.constant(1, 16), exprs_.constant(0, 16)));
        const ExprId done = exprs_.compare(Operator::lt, Type::u16, exprs_.constant(pending, 16), commits);
        if (done == ExprPool::no) continue;
        const size_t from = reads ? member.read_completion.value_or(member.completion) : member.completion;
        draft_.notes.pairs.push_back({"grp", from, wait, done});
    }
}

}  // namespace litmus
