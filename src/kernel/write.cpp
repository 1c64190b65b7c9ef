// Choice, scaling and carving in turn until nothing more is needed, then the test and its text.
#include "kernel/write.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/visible.h"
#include "kernel/bounds.h"
#include "kernel/carve.h"
#include "kernel/convergence.h"
#include "kernel/masks.h"
#include "kernel/roles.h"
#include "kernel/scale.h"
#include "kernel/started.h"
#include "language/static_rules.h"
#include "language/syntax/native/print.h"
#include "language/syntax/read.h"
#include "ptx/traits.h"

namespace litmus::kernel {

namespace {

// Refuses what would have to be known to scale and to carve: addresses, sizes, counts and masks.
void check_known(const Module& module, const Traces& traces) {
    constexpr std::array roles = {Role::size,    Role::source_size, Role::cta_mask,    Role::tx_count, Role::count,
                                  Role::barrier, Role::threads,     Role::member_mask, Role::byte_mask};
    for (const Trace& trace : traces.threads)
        for (size_t i = 0; i < trace.body.size(); ++i)
            for (const Operand& operand : trace.body[i].operands) {
                const bool number = std::find(roles.begin(), roles.end(), operand.role) != roles.end();
                if (!operand.indirect && !(number && operand.kind == Operand::Kind::reg)) continue;
                const std::string line = text_of(module, shown_line(module, trace.origins[i]));
                throw Failure(module.source, statement_span(module, trace.statements[i]),
                              (line.empty() ? "" : line + ": ") + "`" + print(trace.body[i]) + "`: what `" + operand.name +
                                  "` holds depends on memory, and has to be known",
                              "give the memory that it is read from as an argument that nobody writes");
            }
}

// What a load through the cache that is not coherent (ld.global.nc, 9.7.9.9) gives of data that the kernel writes, before or after, the
// ISA does not say, and the model has no word for it.
void check_coherent(const Module& module, const Traces& traces, const Memory& memory, const Budget& budget) {
    struct Write {
        Touch touch;
        size_t thread = 0, instruction = 0;
    };
    std::map<size_t, std::vector<Write>> writes;  // by object, of those that are read so
    for (const Trace& trace : traces.threads)
        for (const size_t i : trace.non_coherent) writes[memory.touches(trace.body[i], trace.seat).front().object];
    if (writes.empty()) return;
    for (size_t t = 0; t < traces.threads.size(); ++t)
        for (size_t i = 0; i < traces.threads[t].body.size(); ++i)
            for (const Touch& touch : memory.touches(traces.threads[t].body[i], traces.threads[t].seat))
                if (touch.writes && writes.contains(touch.object)) writes[touch.object].push_back({touch, t, i});
    const auto place = [&](const Trace& trace, size_t i) {
        const std::string line = text_of(module, shown_line(module, trace.origins[i]));
        return thread_name(traces, trace.seat) + (line.empty() ? "" : " (" + line + ")");
    };
    const auto grid = [](const Trace& trace) { return grid_of(static_cast<int>(trace.seat.block)); };
    std::set<std::tuple<size_t, uint64_t, uint64_t>> seen;
    for (const Trace& trace : traces.threads)
        for (const size_t i : trace.non_coherent) {
            budget.check();
            const Touch read = memory.touches(trace.body[i], trace.seat).front();
            if (!seen.insert({read.object, read.offset, read.bytes}).second) continue;
            for (const Write& write : writes[read.object])
                if (read.same_cells(write.touch) && grid(traces.threads[write.thread]) == grid(trace))
                    throw Failure(module.source, statement_span(module, trace.statements[i]),
                                  place(trace, i) + " reads `" + memory.object(read.object).name +
                                      "` through the cache that is not coherent, and " +
                                      place(traces.threads[write.thread], write.instruction) +
                                      " writes it: what it reads is not defined (ISA 9.7.9.9)",
                                  "no `const __restrict__` and no __ldg for data that the kernel writes");
        }
}

// ---- the threads -----------------------------------------------------------------------------------------------

// The threads chosen, closed over what they need, with their counts scaled.
struct Settled {
    Choice choice;
    Granules granules;
    Scaled scaled;
};

// `want`: what made the test so large; null: nothing but the roles.
void check_size(const Module& module, const Traces& traces, const Choice& choice, const ChoiceOptions& options, const Want* want) {
    if (choice.threads.size() <= std::max(options.most_threads, options.threads.size())) return;
    const bool has_place = want && want->statement;
    throw Failure(has_place ? module.source : nullptr, has_place ? statement_span(module, *want->statement) : Span{},
                  "the test would have " + std::to_string(choice.threads.size()) + " threads, and may have " +
                      std::to_string(options.most_threads) + ": " + (want ? want->why : thread_names(traces, choice.threads)),
                  "start the kernel with fewer blocks or threads, choose threads with --threads, or name a few with --threads");
}

Settled settle(const Module& module, const Traces& traces, const Memory& memory, const ChoiceOptions& options) {
    Choice choice = choose(traces, memory, options);
    check_size(module, traces, choice, options, nullptr);
    Granules granules(traces, memory, choice.threads);
    for (;;) {
        options.budget.check();
        Scaled scaled = scale(module, traces, memory, choice, granules);
        if (scaled.wants.empty() && scaled.whole.empty()) return {std::move(choice), std::move(granules), std::move(scaled)};
        std::set<std::string> whys;
        for (const Want& want : scaled.wants) {
            if (choice.has(want.thread)) continue;
            choice.add(want.thread, thread_name(traces, traces.threads[want.thread].seat) + " is here because " + want.why);
            check_size(module, traces, choice, options, &want);
        }
        granules = Granules(traces, memory, choice.threads);
        for (const Touch& touch : scaled.whole) granules.keep_whole(touch);
    }
}

// ---- what is said of them --------------------------------------------------------------------------------------

std::string dimensions(const Dimensions& d) {
    std::string text = std::to_string(d[0]);
    for (size_t i = 1; i < d.size(); ++i)
        if (d[1] * d[2] > 1 && (i == 1 || d[2] > 1)) text += "," + std::to_string(d[i]);
    return text;
}

std::string launch_text(const Module& module, const Launch& launch) {
    const std::string file = module.source ? module.source->name : "";
    std::string text = launch.entry + (file.empty() ? "" : " of " + file.substr(file.rfind('/') + 1)) + ", grid " +
                       dimensions(launch.grid) + ", block " + dimensions(launch.block);
    if (dimensions(launch.cluster) != "1") text += ", cluster " + dimensions(launch.cluster);
    std::string arguments;
    for (const Value& value : launch.arguments) arguments += (arguments.empty() ? "" : ", ") + value.text;
    return text + (arguments.empty() ? "" : ", arguments " + arguments);
}

// Who is in the test, for whom each stands, and who is left out.
void say_threads(const Traces& traces, const Choice& choice, std::vector<std::string>& lines) {
    for (const Group& group : choice.groups) {
        std::vector<size_t> chosen;
        std::copy_if(group.threads.begin(), group.threads.end(), std::back_inserter(chosen), [&](size_t t) { return choice.has(t); });
        const std::string all = thread_names(traces, group.threads);
        if (chosen.empty())
            lines.push_back(all + (group.threads.size() > 1 ? " are" : " is") + " left out" +
                            (group.idle ? ": at most they wait at barriers, which changes nothing" : ", and what they do is not judged"));
        else if (chosen.size() < group.threads.size())
            lines.push_back(thread_names(traces, chosen) + (chosen.size() > 1 ? " stand for " : " stands for ") + all +
                            ", which do the same at other places and with other numbers");
        else
            lines.push_back(all + (chosen.size() > 1 ? " are" : " is") + " here");
    }
}

// What happens between threads of the launch and between none that are here.
void say_unmet(const Module& module, const Traces& traces, const Memory& memory, const Choice& choice, const Budget& budget,
               std::vector<std::string>& lines) {
    constexpr size_t most = 8;
    const auto side = [&](const Meeting::Side& side) {
        const Trace& trace = traces.threads[side.thread];
        const std::string line = text_of(module, shown_line(module, trace.origins[side.instruction]));
        return thread_name(traces, trace.seat) + (line.empty() ? "" : " (" + line + ")");
    };
    std::set<std::pair<Line, Line>> places;
    for (const Meeting& meeting : Meetings(traces, memory, choice.group_of, budget).unmet(choice.threads)) {
        const auto line = [&](const Meeting::Side& side) {
            return shown_line(module, traces.threads[side.thread].origins[side.instruction]);
        };
        if (!places.insert(std::minmax(line(meeting.first), line(meeting.second))).second || places.size() > most) continue;
        lines.push_back("not judged: " + side(meeting.first) + " and " + side(meeting.second) +
                        " touch the same data, and no two threads like them that are here do it there (--threads names such threads)");
    }
    if (places.size() > most) lines.push_back("not judged: " + std::to_string(places.size() - most) + " more pairs of lines like these");
}

void say_notes(const Module& module, const std::vector<Trace>& threads, std::vector<std::string>& lines) {
    std::set<std::pair<Line, std::string>> said;
    for (const Trace& trace : threads)
        for (const Note& note : trace.notes) {
            const Line line = shown_line(module, note.origin);
            if (!said.insert({line, note.text}).second) continue;
            const std::string place = text_of(module, line);
            lines.push_back((place.empty() ? "" : place + ": ") + note.text);
        }
}

// ---- the test --------------------------------------------------------------------------------------------------

void set_target(Test& test, const std::string& target) {
    if (target.rfind("sm_", 0) != 0) return;
    int number = 0;
    size_t i = 3;
    for (; i < target.size() && target[i] >= '0' && target[i] <= '9'; ++i) number = 10 * number + (target[i] - '0');
    if (!known_target(number)) return;
    test.target = number;
    test.target_specific = i < target.size() && target[i] == 'a';
}

void set_origin(Test& test, Instruction& instruction, const Module& module, const Origin& origin) {
    const Line line = shown_line(module, origin);
    const auto file = module.files.find(line.file);
    if (line.line <= 0 || file == module.files.end()) return;
    instruction.origin = CudaLine{line.file, line.line, 0};
    test.files[line.file] = file->second;
}

// st.relaxed.sys.global.u32 [name], 1
Instruction store_of_one(const std::string& name) {
    Instruction store;
    store.op = Op::st;
    store.mnemonic = "st";
    store.qualifiers = {"relaxed", "sys", "global", "u32"};
    store.operands.resize(2);
    store.operands[0].kind = Operand::Kind::address;
    store.operands[0].name = name;
    store.operands[1].kind = Operand::Kind::immediate;
    store.operands[1].value = 1;
    bind(store);
    return store;
}

using Statements = std::vector<std::optional<size_t>>;

// Where the kernel traps, the thread says so in memory and ends; that nobody does is what the test claims.
void claim_no_trap(Test& test, Thread& thread, Statements& statements, const std::vector<size_t>& traps, const std::string& name) {
    if (traps.empty()) return;
    if (!find_location(test, name)) {
        Location location;
        location.name = name;
        location.init = {0};
        test.locations.push_back(location);
        test.claim.kind = Claim::Kind::not_exists;
        test.claim.condition.kind = Condition::Kind::atom;
        test.claim.condition.comparison = Operator::ne;
        test.claim.condition.left.kind = Term::Kind::location;
        test.claim.condition.left.name = name;
    }
    for (auto at = traps.rbegin(); at != traps.rend(); ++at) {
        const auto place = thread.body.begin() + static_cast<std::ptrdiff_t>(*at);
        Instruction store = store_of_one(name);
        store.guard = place->guard;
        store.origin = place->origin;
        std::swap(store.labels, place->labels);
        thread.body.insert(place, std::move(store));
        statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(*at), std::nullopt);
    }
}

Test make_test(const Module& module, const std::vector<Launch>& launches, const Traces& traces, const Carved& carved,
               std::vector<Statements>& all) {
    Test test;
    for (size_t l = 0; l < launches.size(); ++l) {
        test.name += (l > 0 ? "-" : "") + launches[l].entry;
        if (const int grid = static_cast<int>(l); l > 0 && launches[l].programmatic) test.grids.push_back({grid, false, {}, {grid - 1}});
    }
    if (launches.front().unlaunched > 0) test.unlaunched = static_cast<int>(launches.front().unlaunched);
    test.doc = "Some threads of a kernel, as the lines above say.";
    test.claims_racefree = true;  // what is asked of every kernel
    set_target(test, module.target);
    for (const CarvedPiece& piece : carved.pieces) test.locations.push_back(piece.location);
    std::string trapped = "trapped";
    while (find_location(test, trapped)) trapped += "_";
    for (const Trace& trace : carved.threads) {
        Thread thread;
        thread.name = thread_name(traces, trace.seat);
        thread.at.gpu = static_cast<int>(trace.seat.gpu);
        thread.at.cluster = static_cast<int>(trace.seat.cluster);
        thread.at.cta = static_cast<int>(trace.seat.block);
        thread.at.warp = static_cast<int>(trace.seat.warp());
        thread.at.lane = static_cast<int>(trace.seat.lane());
        thread.at.warp_named = true;
        thread.body = trace.body;
        thread.end_labels = trace.end_labels;
        for (size_t i = 0; i < thread.body.size(); ++i) {
            bind(thread.body[i]);
            set_origin(test, thread.body[i], module, trace.origins[i]);
        }
        Statements statements(trace.statements.begin(), trace.statements.end());
        claim_no_trap(test, thread, statements, trace.traps, trapped);
        all.push_back(std::move(statements));
        test.threads.push_back(std::move(thread));
    }
    return test;
}

std::vector<KnownOperand> known_operands(const Test& test, const Thread& thread, const Instruction& instruction) {
    std::vector<KnownOperand> known(instruction.operands.size());
    for (size_t i = 0; i < known.size(); ++i) {
        const Operand& operand = instruction.operands[i];
        if (operand.kind == Operand::Kind::immediate) known[i].value = operand.value;
        if (operand.kind != Operand::Kind::address || operand.indirect) continue;
        known[i].location = find_location(test, operand.name);
        known[i].offset = operand.offset;
        if (known[i].location->space == Space::shared) known[i].cta = operand.cta >= 0 ? operand.cta : thread.at.cta;
    }
    return known;
}

// Clusters that have not started have the numbers behind the last block of the test, which has to be the kernel's.
void check_numbers_of_unlaunched(const Launch& launch, const Traces& traces, const Carved& carved) {
    const uint32_t last = traces.threads.back().seat.block;
    const auto is_there = [last](const Trace& trace) { return trace.seat.block == last; };
    if (launch.unlaunched > 0 && std::none_of(carved.threads.begin(), carved.threads.end(), is_there))
        throw Failure(nullptr, {},
                      "no thread of block " + std::to_string(last) + " is in the test, which numbers the blocks that have not started",
                      "choose one with --threads, or start fewer blocks");
}

// A thread that draws places from a queue, until there are no more, goes round as often as there are places, and once more. With few
// places the test follows it so far; a loop that only waits needs no number (litmus/language.md, "Bodies").
void set_unroll(Test& test, const Carved& carved) {
    constexpr size_t most_turns = 4, usual_turns = 2;
    size_t turns = 0;
    for (const Trace& trace : carved.threads) {
        std::set<std::string> labels;
        const auto leads_back = [&](const Instruction& instruction) {
            labels.insert(instruction.labels.begin(), instruction.labels.end());
            return instruction.op == Op::bra && labels.contains(instruction.at(Role::label).name);
        };
        if (std::any_of(trace.body.begin(), trace.body.end(), leads_back)) turns = std::max(turns, std::min(trace.turns, most_turns));
    }
    if (turns > usual_turns) test.unroll = static_cast<int>(turns);
}

constexpr uint64_t most_bytes_of_array = uint64_t{32} << 10;  // that a test has (event/places.h)

// Of the arrays of a test, those that it can have in the numbers of the kernel.
std::vector<KernelArray> arrays_of(const Test& test, const Carved& carved, const std::vector<Object>& objects) {
    std::set<std::string> copied;  // whole ranges of them, which lie in one piece in the test
    for (const Thread& thread : test.threads)
        for (const Instruction& instruction : thread.body)
            for (const Operand& operand : instruction.operands)
                if (is_bulk(instruction)) copied.insert(operand.name);
    std::vector<KernelArray> arrays;
    for (const CarvedPiece& piece : carved.pieces) {
        const uint64_t bytes = objects[piece.object].bytes.size();
        const bool in_one_piece = piece.granules.back() - piece.granules.front() == (piece.granules.size() - 1) * piece.granule;
        if (!piece.location.array || bytes > most_bytes_of_array || (copied.contains(piece.location.name) && !in_one_piece)) continue;
        arrays.push_back({piece.location.name, static_cast<int>((bytes + piece.width - 1) / piece.width), piece.granule, piece.granules});
    }
    return arrays;
}

std::vector<BrokenRule> broken_in(const Test& test) {
    std::vector<BrokenRule> broken;
    for (size_t t = 0; t < test.threads.size(); ++t)
        for (size_t i = 0; i < test.threads[t].body.size(); ++i) {
            const Instruction& instruction = test.threads[t].body[i];
            if (!instruction.row.form) continue;
            const auto known = known_operands(test, test.threads[t], instruction);
            for (Diagnostic& found : broken_rules({test, test.threads[t], instruction, known}))
                broken.push_back(
                    {test.threads[t].name, instruction, origin_of(test, instruction), std::move(found.message), std::move(found.hint)});
        }
    return broken;
}

// Of a thread that may not be in the test.
BrokenRule broken_by(const Module& module, const Traces& traces, const KernelFinding& finding) {
    const Trace& trace = traces.threads[finding.thread];
    const Line line = shown_line(module, trace.origins[finding.instruction]);
    const auto file = module.files.find(line.file);
    const CudaPlace origin = file == module.files.end() ? CudaPlace{} : CudaPlace{file->second, line.line, 0};
    return {thread_name(traces, trace.seat), trace.body[finding.instruction], origin, finding.message, {}};
}

// ---- its text --------------------------------------------------------------------------------------------------

std::string trimmed(const std::string& text) {
    const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t\r");
    return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

// The CUDA line that `  .loc 1 38` names, where its file can be quoted.
std::string quoted_line(const std::string& loc, const ChoiceOptions& options) {
    std::istringstream words(loc);
    std::string directive;
    int number = 0;
    size_t line = 0;
    words >> directive >> number >> line;
    const auto file = options.cuda.find(number);
    return file != options.cuda.end() && line > 0 && line <= file->second.size() ? trimmed(file->second[line - 1]) : "";
}

// The printed test, with the CUDA line behind each `.loc`.
std::string annotated(const Test& test, const ChoiceOptions& options) {
    constexpr std::string_view loc = "  .loc ";
    constexpr size_t column = 16;
    std::istringstream printed(print(test));
    std::string text;
    for (std::string line; std::getline(printed, line);) {
        if (line.rfind(loc, 0) == 0)
            if (const std::string cuda = quoted_line(line, options); !cuda.empty())
                line += std::string(std::max(column, line.size() + 1) - line.size(), ' ') + "// " + visible(cuda);
        text += line + "\n";
    }
    return text;
}

// Strong accesses do not race (ISA 8.7.1), so that racefree says nothing of what such a load reads. A wait reads until it has what it
// wants.
bool reads_what_is_not_judged(const Test& test) {
    for (const Thread& thread : test.threads)
        for (const Instruction& i : thread.body)
            if (i.op == Op::ld && !i.expect && semantics(i) == Sem::relaxed) return true;
    return false;
}

// Whether it begins before another kernel has ended, or lets another one begin (ISA 9.7.13.13).
bool depends_on_others(const Test& test) {
    for (const Thread& thread : test.threads)
        for (const Instruction& i : thread.body)
            if (traits(i.op).family == Traits::Family::grids) return true;
    return false;
}

// Why a test in which nothing comes up says little of the kernel.
std::vector<std::string> reservations_about(const Module& module, const Traces& traces, const Carved& carved) {
    const auto at = [&module](const Origin& origin) {
        const std::string line = text_of(module, shown_line(module, origin));
        return line.empty() ? "" : " (" + line + ")";
    };
    std::vector<std::string> lines;
    for (const auto& [name, origin] : traces.left_out) lines.push_back("`" + name + "`" + at(origin) + " accesses memory, and is left out");
    if (!carved.shared) lines.emplace_back("no data is touched by more than one of the threads of the test");
    const Coverage& coverage = traces.synchronization;
    if (coverage.reached < coverage.statements)
        lines.push_back(std::to_string(coverage.reached) + " of " + std::to_string(coverage.statements) +
                        " barriers and asynchronous instructions of this kernel ran, and no thread came to the others" +
                        at(coverage.missed));
    return lines;
}

}  // namespace

Test in_numbers_of_kernel(Test test, const std::vector<KernelArray>& arrays) {
    std::map<std::string, const KernelArray*> named;
    for (const KernelArray& array : arrays) named[array.name] = &array;
    const auto names_place = [](const Operand& operand) {
        return (operand.kind == Operand::Kind::address && !operand.indirect) || operand.kind == Operand::Kind::symbol;
    };
    const auto in_kernel = [](const KernelArray& array, uint64_t offset) {
        const size_t granule = std::min<size_t>(offset / array.granule, array.granules.size() - 1);
        return array.granules[granule] + (offset - granule * array.granule);
    };
    for (Location& location : test.locations) {
        const auto found = named.find(location.name);
        if (found == named.end()) continue;
        const auto width = static_cast<uint64_t>(bits(location.type) / 8);
        std::vector<uint64_t> init(static_cast<size_t>(found->second->count) * (location.wide ? 2 : 1));
        for (size_t e = 0; e < location.init.size(); ++e)
            if (const uint64_t at = in_kernel(*found->second, e * width) / width; at < init.size()) init[at] = location.init[e];
        location.count = static_cast<int>(init.size());
        location.init = std::move(init);
    }
    for (Thread& thread : test.threads)
        for (Instruction& instruction : thread.body)
            for (Operand& operand : instruction.operands) {
                const auto found = named.find(operand.name);
                if (found == named.end() || !names_place(operand)) continue;
                operand.offset = static_cast<int64_t>(in_kernel(*found->second, static_cast<uint64_t>(operand.offset)));
                instruction.wording.own = false;  // the text has the numbers of the test
            }
    return test;
}

Written write_test(const Module& module, const Launch& launch, const Traces& traces, const ChoiceOptions& options) {
    return write_test(module, std::vector<Launch>{launch}, traces, options);
}

Written write_test(const Module& module, const std::vector<Launch>& launches, const Traces& traces, const ChoiceOptions& options) {
    if (traces.threads.empty()) throw Failure(module.source, {}, "the launch has no threads");
    check_known(module, traces);
    const Memory memory(traces);
    check_bounds(module, traces, memory);
    check_coherent(module, traces, memory, options.budget);
    Settled settled = settle(module, traces, memory, options);
    const Carved carved = carve(module, traces, memory, std::move(settled.scaled.threads), settled.granules);

    Written written;
    std::vector<std::string>& lines = written.lines_about_choice;
    const auto say = [&lines](const std::vector<std::string>& more) { lines.insert(lines.end(), more.begin(), more.end()); };
    for (size_t l = 0; l < launches.size(); ++l) {
        if (launches[l].gpus > 1)
            lines.push_back("the blocks are those of " + std::to_string(launches[l].gpus) +
                            " GPUs, as many of each in the order of their numbers");
        if (launches[l].unlaunched > 0)
            lines.push_back("not started: " + std::to_string(launches[l].unlaunched) + " of the clusters, the last ones of the grid");
        const std::string number = launches.size() > 1 ? "launch " + std::to_string(l) + " of the stream: " : "";
        lines.push_back(number + launch_text(module, launches[l]) +
                        (l == 0                     ? ""
                         : launches[l].programmatic ? ", begins when each block of the one before has triggered it or ended"
                                                    : ", begins when the one before has ended"));
        say(launches[l].taken);
        say(launches[l].notes);
    }
    say_threads(traces, settled.choice, lines);
    say(settled.choice.lines);
    say(settled.scaled.lines);
    say(carved.lines);
    if (carved.threads.size() < traces.threads.size()) lines.emplace_back("threads of one role are taken to move together");
    say_unmet(module, traces, memory, settled.choice, options.budget, lines);
    say_notes(module, carved.threads, lines);
    options.budget.check();
    const std::array about_all{convergence(module, traces), accesses_before_start(module, traces, memory),
                               lanes_outside_masks(module, traces)};
    for (const Findings& findings : about_all) say(findings.presumed);
    if (std::any_of(carved.pieces.begin(), carved.pieces.end(),
                    [](const CarvedPiece& piece) { return piece.location.space == Space::shared && !piece.location.is_mbarrier; }))
        lines.emplace_back("shared memory holds 0 at the start of this test; on a GPU it holds anything");
    written.reservations = reservations_about(module, traces, carved);
    for (const std::string& line : written.reservations) lines.push_back("reservation: " + line);
    lines.emplace_back("A verdict is about these threads, these arguments and this PTX.");

    check_numbers_of_unlaunched(launches.front(), traces, carved);
    options.budget.check();
    written.test = make_test(module, launches, traces, carved, written.statements);
    set_unroll(written.test, carved);
    if (launches.size() == 1 && depends_on_others(written.test))
        lines.insert(lines.end() - 1, "not judged: what kernels before and after this one do; --then has the next one in the test");
    if (reads_what_is_not_judged(written.test))
        lines.insert(lines.end() - 1, "volatile and relaxed loads do not race: whether what they read is stale is not judged");
    written.arrays = arrays_of(written.test, carved, traces.objects);
    for (const CarvedPiece& piece : carved.pieces) {
        const auto is_piece = [&](const KernelArray& array) { return array.name == piece.location.name; };
        const bool as_in_kernel = std::any_of(written.arrays.begin(), written.arrays.end(), is_piece);
        if (piece.kept.empty()) continue;
        if (as_in_kernel)
            written.lines_about_numbers.push_back(piece.kept);
        else
            lines.insert(lines.end() - 1, piece.kept);
    }
    written.broken = broken_in(in_numbers_of_kernel(written.test, written.arrays));
    for (const Findings& findings : about_all)
        for (const KernelFinding& finding : findings.broken) written.of_kernel.push_back(broken_by(module, traces, finding));
    for (const std::vector<BrokenRule>* rules : {&written.broken, &written.of_kernel})
        for (const BrokenRule& rule : *rules) lines.push_back("undefined: " + short_text(rule.origin) + ": " + rule.message);
    for (const std::string& line : written.lines_about_numbers) written.text += "// " + visible(line) + "\n";
    for (const std::string& line : lines) written.text += "// " + visible(line) + "\n";
    written.text += annotated(written.test, options);
    if (written.broken.empty()) written.test = parse_tests(make_source(written.test.name + ".litmus", written.text)).front();
    return written;
}

}  // namespace litmus::kernel
