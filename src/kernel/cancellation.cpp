// Answers of clusterlaunchcontrol.try_cancel (ISA 9.7.13.17, 9.7.13.18): 16 bytes in shared memory, which say whether a cluster was
// cancelled, and which.
//
// A kernel loads them as it likes, as two words mostly, and packs these into a register of 128 bits for `query_cancel`. A test loads an
// answer whole. So the words that are loaded of it are opaque and know in which register of the test the answer is (Word::answer), as long
// as that is not loaded again; what is packed of them is that register.
#include <algorithm>
#include <utility>

#include "kernel/walk.h"

namespace litmus::kernel {

namespace {

constexpr uint64_t bytes_of_answer = 16;

}  // namespace

// Whether some thread has an answer written to the 16 bytes that have this place.
bool Walker::is_answer(const Pointee& place) const {
    return place.kind == Pointee::Kind::object &&
           walks_.assumed.answers.contains({place.object, place.offset - place.offset % bytes_of_answer});
}

Walker::Went Walker::load_answer(State& state, size_t block, const Statement& statement, const Pointee& place) {
    const std::vector<size_t> to = results(statement, true);
    if (to.size() * static_cast<uint64_t>(bits(*type_named(statement.words.back())) / 8) != bytes_of_answer)
        fail(state, "a part of an answer of `clusterlaunchcontrol.try_cancel` is loaded: it is read whole",
             "load its 16 bytes at once, as `ld.shared.v2.u64` or `ld.shared.b128`");
    const auto [at, fresh] = answers_.try_emplace(&statement, 0);
    if (fresh) at->second = named(fresh_name("answer"), 128);
    const int answer = at->second;
    state.each_word([answer](Word& word) {
        if (word.answer == answer) word.answer = -1;
    });
    emit(block, state,
         *make("ld.shared.b128", {reg_operand(registers_[static_cast<size_t>(answer)].name), object_operand(state, statement, place)}));
    for (const size_t reg : to)
        if (reg != no_register) set_answer(state, reg, answer);
    return Went::next;
}

void Walker::set_answer(State& state, size_t reg, int answer) {
    set_known(state, reg, 0, true);
    state.top().registers[reg].answer = answer;
}

// The answer that an operand holds, or of which all its registers hold a part; -1: none.
int Walker::answer_in(State& state, size_t block, const Argument& argument) {
    if (argument.kind != Argument::Kind::vector) return read(state, block, argument).answer;
    int answer = -1;
    for (size_t i = 0; i < argument.elements.size(); ++i) {
        const int part = read(state, block, argument.elements[i]).answer;
        if (part < 0 || (i > 0 && part != answer)) return -1;
        answer = part;
    }
    return answer;
}

// What `query_cancel` gives: whether there is a cluster; or its first block, which is one of those that have not started. Where there is
// none the ISA says nothing of the block (9.7.13.18).
Walker::Went Walker::set_canceled(State& state, const Statement& statement) {
    const bool all_three = std::find(statement.words.begin(), statement.words.end(), "v4") != statement.words.end();
    bool is_x = all_three || statement.words[2] == "get_first_ctaid::x";  // of the next result
    std::vector<Case> blocks;
    for (uint32_t block = walks_.geometry.started(); block < walks_.geometry.blocks(); block += walks_.geometry.cluster_size())
        blocks.push_back({block, block});
    for (const size_t reg : results(statement, true)) {
        const bool has_blocks = std::exchange(is_x, false);
        if (reg == no_register) continue;
        set_dynamic(state, reg, false);
        if (has_blocks)
            state.top().registers[reg] = split_word(name_of(state, reg), blocks);
        else if (width(state, reg) > 1)
            set_known(state, reg, 0);
    }
    return Went::next;
}

void Walker::check_cancellation(const State& state, const Statement& statement, Op op) const {
    const auto has = [&](std::string_view word) {
        return std::find(statement.words.begin(), statement.words.end(), word) != statement.words.end();
    };
    const std::string name = "`" + dotted(statement.words) + "`";
    if (has("multicast::cluster::all")) fail(state, name + " is not read from kernels", "without `.multicast::cluster::all` it is");
    if (op == Op::try_cancel && walks_.launch.unlaunched == 0)
        fail(state, name + " asks for a cluster that has not started, and all have",
             "--unlaunched says how many clusters of the grid have not, as in --grid 3 --unlaunched 2");
    if (walks_.launch.grid[1] * walks_.launch.grid[2] > 1)
        fail(state, name + " in a grid of several dimensions is not read from kernels", "give --grid one dimension");
}

}  // namespace litmus::kernel
