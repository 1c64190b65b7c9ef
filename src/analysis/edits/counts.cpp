// What mbarrier objects count: arrivals and bytes.
#include <algorithm>
#include <optional>
#include <set>

#include "analysis/edits/catalogue.h"
#include "analysis/edits/edits.h"
#include "language/tensor.h"
#include "ptx/effects.h"
#include "ptx/traits.h"
#include "ptx/type.h"

namespace litmus {

namespace {

template <class Visit>
void each_instruction(const Test& test, const Visit& visit) {
    for (int t = 0; t < static_cast<int>(test.threads.size()); ++t) {
        const std::vector<Instruction>& body = test.threads[static_cast<size_t>(t)].body;
        for (int i = 0; i < static_cast<int>(body.size()); ++i) visit(ProgramPoint{t, i}, body[static_cast<size_t>(i)]);
    }
}

// The name of the object that an instruction acts on; empty: none, or one in a register.
std::string object_of(const Instruction& instruction) {
    const Operand* object = instruction.find(Role::mbarrier);
    return object == nullptr || object->indirect ? std::string() : object->name;
}

// ---- how many arrivals a phase takes ------------------------------------------------------------

// Changes by which the object takes that many arrivals more; none where their number is not written as one.
std::vector<Change> more_arrivals(const Test& test, const Location& object, int more) {
    const auto sum = [&](uint64_t now) { return static_cast<int64_t>(now) + more; };
    if (object.arrivals) {
        if (sum(*object.arrivals) < 1) return {};
        return {arrivals(test, object, static_cast<uint32_t>(sum(*object.arrivals)))};
    }
    std::vector<Change> changes;
    each_instruction(test, [&](ProgramPoint, const Instruction& instruction) {
        if (instruction.op != Op::mbarrier_init || object_of(instruction) != object.name) return;
        const Operand& count = instruction.at(Role::count);
        if (count.kind == Operand::Kind::immediate && sum(count.value) >= 1)
            changes.push_back({count.span, std::to_string(sum(count.value))});
    });
    return changes;
}

// Where an object gets its number of arrivals: the instruction, or the declaration (thread -1).
ProgramPoint place_of_count(const Test& test, const Location& object) {
    ProgramPoint place{-1, static_cast<int>(&object - test.locations.data())};
    if (!object.arrivals)
        each_instruction(test, [&](ProgramPoint at, const Instruction& instruction) {
            if (instruction.op == Op::mbarrier_init && object_of(instruction) == object.name) place = at;
        });
    return place;
}

}  // namespace

std::optional<uint64_t> most_arrivals(const Test& test, const Location& object) {
    std::optional<uint64_t> sum = 0;
    each_instruction(test, [&](ProgramPoint, const Instruction& instruction) {
        const Traits::Kind k = kind(instruction.op);
        if (k == Traits::Kind::branch) sum.reset();
        if (k != Traits::Kind::mbarrier_arrival && k != Traits::Kind::copy_arrive && k != Traits::Kind::tcgen_commit) return;
        const Operand* count = instruction.find(Role::count);
        const bool written = !object_of(instruction).empty() && (count == nullptr || count->kind == Operand::Kind::immediate);
        if (!written) sum.reset();
        if (sum && object_of(instruction) == object.name) *sum += count == nullptr ? 1 : count->value;
    });
    return sum;
}

std::optional<uint64_t> arrivals_now(const Test& test, const Location& object) {
    if (object.arrivals) return *object.arrivals;
    std::optional<uint64_t> now;
    each_instruction(test, [&](ProgramPoint, const Instruction& instruction) {
        if (instruction.op != Op::mbarrier_init || object_of(instruction) != object.name) return;
        const Operand& count = instruction.at(Role::count);
        if (count.kind == Operand::Kind::immediate) now = count.value;
    });
    return now;
}

namespace {

void change_arrivals(EditList& list, const Location& object) {
    const std::optional<uint64_t> most = most_arrivals(list.test, object), now = arrivals_now(list.test, object);
    for (const int more : {1, -1}) {
        // A phase that takes more arrivals than there are never ends.
        if (more > 0 && most && now && *now + 1 > *most) continue;
        std::vector<Change> changes = more_arrivals(list.test, object, more);
        if (changes.empty()) continue;
        const std::string what = "let " + as_code(object.name) + " take one arrival " + (more > 0 ? "more" : "less") + " to a phase";
        list.put({Fault::wrong_arrival_count, place_of_count(list.test, object), what, std::move(changes), price::at(Scope::cta)});
    }
}

// ---- bytes --------------------------------------------------------------------------------------

// How many bytes an operation writes, and completes on its object; nothing for others.
std::optional<uint64_t> bytes_of(const Test& test, const Instruction& instruction) {
    const Traits::Kind k = kind(instruction.op);
    if (k == Traits::Kind::bulk) {
        const Operand* size = instruction.find(Role::size);
        if (size != nullptr && size->kind == Operand::Kind::immediate) return size->value;
    }
    if (k == Traits::Kind::tensor) return static_cast<uint64_t>(tensor_bytes(test, instruction));
    if (k == Traits::Kind::from_registers) return access_bytes(instruction);
    return std::nullopt;
}

// Numbers of bytes that may complete on an object in one phase: of each operation, of the first ones together.
std::set<uint64_t> sizes_of(const Test& test, const std::string& object) {
    std::set<uint64_t> sizes;
    uint64_t sum = 0;
    each_instruction(test, [&](ProgramPoint, const Instruction& instruction) {
        const std::optional<uint64_t> size = bytes_of(test, instruction);
        if (size && object_of(instruction) == object) sizes.insert({*size, sum += *size});
    });
    return sizes;
}

void change_bytes(EditList& list, ProgramPoint place, const Instruction& expectation) {
    const Operand* bytes = expectation.find(Role::tx_count);
    if (bytes == nullptr || bytes->kind != Operand::Kind::immediate) return;
    for (const uint64_t other : sizes_of(list.test, object_of(expectation)))
        if (other != bytes->value)
            list.put({Fault::wrong_byte_count,
                      place,
                      "expect " + std::to_string(other) + " bytes",
                      {{bytes->span, std::to_string(other)}},
                      price::at(Scope::cta)});
}

// An arrival that expects nothing, where bytes come.
void expect_with_arrival(EditList& list, ProgramPoint place, const Instruction& arrival) {
    if (arrival.has("expect_tx") || arrival.has("noComplete") || arrival.find(Role::count) != nullptr) return;
    const std::string now = list.test.source->text.substr(arrival.spelled.begin, arrival.spelled.end - arrival.spelled.begin);
    const std::string dotted = "mbarrier.arrive.expect_tx" + now.substr(std::string("mbarrier.arrive").size());
    if (!list.catalogue.has(dotted)) return;
    const std::string& text = list.test.source->text;
    const std::string operands = text.substr(arrival.spelled.end, arrival.span.end - arrival.spelled.end);
    for (const uint64_t bytes : sizes_of(list.test, object_of(arrival))) {
        const std::string instead = dotted + operands + ", " + std::to_string(bytes);
        list.put(
            {Fault::wrong_byte_count, place, "make it " + as_code(instead), {replacement(list.test, place, instead)}, price::of(arrival)});
    }
}

std::string without_noinc(const EditList& list, const Instruction& arrival) {
    std::string dotted = source_text(list.test, arrival.spelled);
    return dotted.erase(dotted.find(".noinc"), std::string(".noinc").size());
}

// ---- arrivals put in ----------------------------------------------------------------------------

bool is_remote(const Location& object, const Thread& thread) {
    return object.cta && *object.cta != thread.at.cta;
}

bool issues_to(const Thread& thread, const Location& object) {
    return std::any_of(thread.body.begin(), thread.body.end(), [&](const Instruction& i) {
        const Traits::Kind k = kind(i.op);
        return (k == Traits::Kind::from_registers || k == Traits::Kind::bulk || k == Traits::Kind::tensor ||
                k == Traits::Kind::copy_arrive) &&
               object_of(i) == object.name;
    });
}

std::vector<std::string> arrivals_for(const EditList& list, const Thread& thread, const Location& object) {
    std::vector<std::string> result;
    const bool remote = is_remote(object, thread);
    const Scope widest = list.catalogue.scopes().back();
    const std::string scope = remote || widest >= Scope::cluster ? "cluster" : "cta";
    const std::string where = "." + scope + (remote ? ".shared::cluster.b64" : ".shared::cta.b64");
    const std::string plain = "mbarrier.arrive.release" + where;
    if (list.catalogue.has(plain)) result.push_back(plain + " _, [" + object.name + "]");
    // Who does not issue announces what others send, and has nothing to publish.
    const std::string expecting = "mbarrier.arrive.expect_tx" + std::string(issues_to(thread, object) ? ".release" : ".relaxed") + where;
    if (list.catalogue.has(expecting))
        for (const uint64_t bytes : sizes_of(list.test, object.name))
            result.push_back(expecting + " _, [" + object.name + "], " + std::to_string(bytes));
    const bool copies = std::any_of(thread.body.begin(), thread.body.end(), [](const Instruction& i) { return i.op == Op::async_copy; });
    if (!remote && copies)
        for (const char* dotted : {"cp.async.mbarrier.arrive.shared::cta.b64", "cp.async.mbarrier.arrive.noinc.shared::cta.b64"})
            if (list.catalogue.has(dotted)) result.push_back(std::string(dotted) + " [" + object.name + "]");
    return result;
}

// How an arrival more may be made up for: not at all, by a phase that takes one more, by an arrival of copies that counts itself.
struct Counted {
    std::vector<Change> changes;
    std::string what;
};

std::vector<Counted> ways_to_count_one_more(const EditList& list, const Location& object) {
    std::vector<Counted> ways{{}};
    std::vector<Change> more = more_arrivals(list.test, object, 1);
    if (!more.empty()) ways.push_back({std::move(more), ", and let " + as_code(object.name) + " take one arrival more to a phase"});
    each_instruction(list.test, [&](ProgramPoint place, const Instruction& instruction) {
        if (instruction.op != Op::async_arrive || !instruction.has("noinc") || object_of(instruction) != object.name) return;
        const std::string counting = without_noinc(list, instruction);
        ways.push_back({{respelling(list.test, place, counting)}, ", and make the arrival of the copies " + as_code(counting)});
    });
    return ways;
}

void put_arrivals(EditList& list, int t, const Location& object) {
    const Thread& thread = list.thread(t);
    const std::vector<Counted> ways_to_count = ways_to_count_one_more(list, object);
    const Fault fault = issues_to(thread, object) ? Fault::completion_does_not_carry : Fault::arrival_missing;
    for (const std::string& text : arrivals_for(list, thread, object)) {
        for (const int gap : gaps(thread, true, true)) {
            if (list.full()) return;
            for (const Counted& counted : ways_to_count) {
                Edit edit{fault, {t, gap}, "put " + as_code(text) + counted.what, {insertion(list.test, {t, gap}, text)}, 0};
                edit.changes.insert(edit.changes.end(), counted.changes.begin(), counted.changes.end());
                edit.price = price::at(is_remote(object, thread) ? Scope::cluster : Scope::cta);
                if (!counted.changes.empty()) edit.price += price::at(Scope::cta);
                edit.inserts = true;
                list.put(std::move(edit));
            }
        }
    }
}

// ---- arrivals that expect -----------------------------------------------------------------------

// `mbarrier.arrive.expect_tx` in place of `mbarrier.expect_tx`: with a place for one arrival more, or instead of an arrival elsewhere.
void arrive_with_expectation(EditList& list, ProgramPoint place, const Instruction& expectation) {
    const std::string& text = list.test.source->text;
    const std::string operands = text.substr(expectation.spelled.end, expectation.span.end - expectation.spelled.end);
    const Location* object = find_location(list.test, object_of(expectation));
    if (object == nullptr) return;
    for (const Sem sem : {Sem::relaxed, Sem::release}) {
        std::string dotted = "mbarrier.arrive.expect_tx." + std::string(name(sem)) + "." + std::string(name(scope(expectation)));
        dotted += std::string(expectation.has("shared::cluster") ? ".shared::cluster" : ".shared::cta") + ".b64";
        if (!list.catalogue.has(dotted)) continue;
        const Change arrival = replacement(list.test, place, dotted + " _," + operands);
        const std::string what = "make it " + as_code(dotted + " _," + operands);
        const int price = price::at(scope(expectation)) + price::at(Scope::cta);
        std::vector<Change> more = more_arrivals(list.test, *object, 1);
        if (!more.empty()) {
            more.push_back(arrival);
            list.put({Fault::arrival_missing, place, what + ", and let " + as_code(object->name) + " take one arrival more to a phase",
                      more, price});
        }
        each_instruction(list.test, [&](ProgramPoint other, const Instruction& instruction) {
            if (instruction.op != Op::mbarrier_arrive || instruction.has("expect_tx") || object_of(instruction) != object->name) return;
            list.put({Fault::expectation_misplaced,
                      place,
                      what + " instead of the arrival of " + list.thread(other.thread).name,
                      {arrival, deletion(list.test, other)},
                      price});
        });
    }
}

// `mbarrier.expect_tx` and an arrival beside it as one step: nothing comes between.
void expect_in_one_step(EditList& list, ProgramPoint place, const Instruction& expectation) {
    const std::vector<Instruction>& body = list.thread(place.thread).body;
    const Operand* bytes = expectation.find(Role::tx_count);
    if (bytes == nullptr || expectation.guard || !expectation.labels.empty()) return;
    for (const int beside : {place.instruction - 1, place.instruction + 1}) {
        if (beside < 0 || beside >= static_cast<int>(body.size())) continue;
        const Instruction& arrival = body[static_cast<size_t>(beside)];
        if (arrival.op != Op::mbarrier_arrive || arrival.has("expect_tx") || arrival.has("noComplete") || arrival.guard ||
            arrival.find(Role::count) != nullptr || object_of(arrival) != object_of(expectation))
            continue;
        std::string text = written(list.test, {place.thread, beside}) + ", " + source_text(list.test, bytes->span);
        text.insert(std::string("mbarrier.arrive").size(), ".expect_tx");
        list.put({Fault::expectation_misplaced,
                  place,
                  "make it and the arrival beside it " + as_code(text),
                  {replacement(list.test, {place.thread, beside}, text), deletion(list.test, place)},
                  price::of(arrival)});
    }
}

// Of a state that is asked for its count: an arrival that leaves one in it.
void arrive_without_completing(EditList& list, ProgramPoint place, const Instruction& arrival) {
    bool asked = false;
    each_instruction(list.test, [&](ProgramPoint, const Instruction& i) { asked = asked || kind(i.op) == Traits::Kind::mbarrier_query; });
    const Operand* state = arrival.find(Role::result);
    if (!asked || state == nullptr || state->kind != Operand::Kind::reg || arrival.has("expect_tx") || arrival.has("noComplete")) return;
    std::string text = written(list.test, place) + (arrival.find(Role::count) == nullptr ? ", 1" : "");
    text.insert(std::string("mbarrier.arrive").size(), ".noComplete");
    list.put({Fault::state_without_count, place, "make it " + as_code(text), {replacement(list.test, place, text)}, price::of(arrival)});
}

// An object that is initialised anew has to end first.
void put_inval(EditList& list, ProgramPoint place, const Instruction& init) {
    bool other = false;
    each_instruction(list.test, [&](ProgramPoint at, const Instruction& instruction) {
        other = other || (at != place && instruction.op == Op::mbarrier_init && object_of(instruction) == object_of(init));
    });
    const std::string text = "mbarrier.inval.shared::cta.b64 [" + object_of(init) + "]";
    if (!other || object_of(init).empty()) return;
    Edit edit{Fault::inval_missing, place, "put " + as_code(text), {insertion(list.test, place, text)}, price::at(Scope::cta)};
    edit.inserts = true;
    list.put(std::move(edit));
}

// An arrival made by another thread, which issues to the object and so publishes what it did before.
void arrive_elsewhere(EditList& list, ProgramPoint place, const Instruction& arrival) {
    const Location* object = find_location(list.test, object_of(arrival));
    if (object == nullptr || arrival.guard || !arrival.labels.empty()) return;
    const std::string& text = list.test.source->text;
    const std::string operands = text.substr(arrival.spelled.end, arrival.span.end - arrival.spelled.end);
    const std::string dotted =
        std::string(arrival.has("expect_tx") ? "mbarrier.arrive.expect_tx" : "mbarrier.arrive") + ".release.cluster.shared::cluster.b64";
    if (!list.catalogue.has(dotted)) return;
    for (int t = 0; t < static_cast<int>(list.test.threads.size()); ++t) {
        const Thread& thread = list.thread(t);
        if (t == place.thread || !issues_to(thread, *object) || !is_remote(*object, thread)) continue;
        for (const int gap : gaps(thread, true, true)) {
            Edit edit{Fault::completion_does_not_carry,
                      {t, gap},
                      "put " + as_code(dotted + operands) + " instead of the arrival of " + list.thread(place.thread).name,
                      {deletion(list.test, place), insertion(list.test, {t, gap}, dotted + operands)},
                      0};
            edit.price = price::at(Scope::cluster) + price::at(Scope::cta);
            edit.inserts = true;
            list.put(std::move(edit));
        }
    }
}

void toggle_noinc(EditList& list, ProgramPoint place, const Instruction& arrival) {
    std::string dotted = source_text(list.test, arrival.spelled);
    if (arrival.has("noinc"))
        dotted = without_noinc(list, arrival);
    else
        dotted.insert(dotted.find(".arrive") + std::string(".arrive").size(), ".noinc");
    list.put(
        {Fault::wrong_arrival_count, place, "make it " + as_code(dotted), {respelling(list.test, place, dotted)}, price::at(Scope::cta)});
}

}  // namespace

void add_counts(EditList& list) {
    if (list.test.dialect != Dialect::native) return;
    for (const Location& object : list.test.locations) {
        if (!object.is_mbarrier) continue;
        change_arrivals(list, object);
        for (int t = 0; t < static_cast<int>(list.test.threads.size()); ++t) put_arrivals(list, t, object);
    }
    each_instruction(list.test, [&](ProgramPoint place, const Instruction& instruction) {
        change_bytes(list, place, instruction);
        if (instruction.op == Op::mbarrier_expect_tx) arrive_with_expectation(list, place, instruction);
        if (instruction.op == Op::mbarrier_expect_tx) expect_in_one_step(list, place, instruction);
        if (instruction.op == Op::mbarrier_init) put_inval(list, place, instruction);
        if (instruction.op == Op::mbarrier_arrive) arrive_elsewhere(list, place, instruction);
        if (instruction.op == Op::mbarrier_arrive) arrive_without_completing(list, place, instruction);
        if (instruction.op == Op::mbarrier_arrive) expect_with_arrival(list, place, instruction);
        if (instruction.op == Op::async_arrive) toggle_noinc(list, place, instruction);
    });
}

}  // namespace litmus
