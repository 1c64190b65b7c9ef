// A number is changed where it stands. The phase tells how many arrivals or bytes it lacks; else the number is one that kernels often have.
#include "analysis/sweep/phase_advice.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/sweep/advice_places.h"
#include "kernel/program.h"

namespace litmus {

namespace {

using kernel::Statement;
using sweep::Breach;
using Where = PtxEdit::Where;

constexpr uint64_t lanes_of_warp = 32;

bool has_word(const Statement& statement, const char* word) {
    return std::find(statement.words.begin(), statement.words.end(), word) != statement.words.end();
}

class OfPhase {
public:
    OfPhase(const SweptModule& kernel, const sweep::Finding& finding) : kernel_(kernel), finding_(finding), tally_(*finding.tally) {}

    std::vector<Remedy> remedies() {
        const Statement* const first = finding_.places.front().statement;
        switch (finding_.breach) {
            case Breach::few_arrivals:
                count(tally_.count - tally_.arrivals);
                break;
            case Breach::few_bytes:
            case Breach::many_bytes:
                if (finding_.places.size() > 1) add_bytes(finding_.places.back().statement, -tally_.bytes);
                break;
            case Breach::bytes_unexpected:
            case Breach::phase_of_copy:
                expect();
                break;
            case Breach::no_first_arrival:
            case Breach::no_arrival:
                turn(first);
                arrive_before(first);
                break;
            case Breach::wait_late:
            case Breach::wait_at_once:
                turn(first);
                alternate(first);
                guess_count();
                meet_behind(first);
                break;
            default:
                guess_count();
        }
        return std::move(result_);
    }

private:
    std::string line(const Statement* statement) const { return advised_line(kernel_.module, {{}, statement}); }

    // The other objects of an array have the same count, in a line that a loop or calls repeat.
    void count(int64_t number) {
        if (tally_.init == nullptr || number < 1 || number == tally_.count) return;
        const std::string text = std::to_string(number), now = spelling_of(tally_.init->arguments[1]);
        std::vector<const Statement*> inits = {tally_.init};
        const auto propose = [&] {
            std::vector<PtxEdit> edits;
            for (const Statement* init : inits)
                edits.push_back({init, Where::instead, false, with_argument(kernel_.module, *init, 1, text)});
            result_.push_back(
                {"the count " + text + " in place of " + std::to_string(tally_.count) + " for `mbarrier.init` at " + line(tally_.init),
                 std::move(edits), "a phase ends with the last of the arrivals that its object was initialised for",
                 "async/deadlock/count-too-high.litmus"});
        };
        propose();
        for (const bool in_all_calls : {false, true}) {
            std::vector<const Statement*> more = alike(kernel_.module, *tally_.init, in_all_calls);
            more.erase(
                std::remove_if(more.begin(), more.end(), [&](const Statement* one) { return spelling_of(one->arguments[1]) != now; }),
                more.end());
            if (more.size() <= inits.size()) continue;
            inits = std::move(more);
            propose();
        }
    }
    // All threads arrive, or one of each warp, or of each of two groups.
    void guess_count() {
        const auto threads = uint64_t{kernel_.block[0]} * kernel_.block[1] * kernel_.block[2];
        std::set<int64_t> tried;
        for (const int64_t number : {static_cast<int64_t>(threads), static_cast<int64_t>((threads + lanes_of_warp - 1) / lanes_of_warp),
                                     tally_.count + 1, 2 * tally_.count})
            if (tried.insert(number).second) count(number);
    }

    // The number changes at one call of the line, or at all that it was inlined at.
    void add_bytes(const Statement* expects, int64_t more) {
        if (expects == nullptr || more == 0) return;
        const std::string change =
            std::to_string(std::abs(more)) + (more > 0 ? " more" : " fewer") + " bytes for `expect_tx` at " + line(expects);
        size_t before = 0;
        for (const bool in_all_calls : {false, true}) {
            std::vector<PtxEdit> edits;
            for (const Statement* one : alike(kernel_.module, *expects, in_all_calls))
                edits.push_back({one, Where::instead, false, with_more_bytes(*one, more)});
            if (edits.size() == before) continue;
            before = edits.size();
            expected(change, std::move(edits));
        }
    }
    // The operand is a number, or a register that has it.
    std::string with_more_bytes(const Statement& expects, int64_t more) const {
        const size_t last = expects.arguments.size() - 1;
        const kernel::Argument& bytes = expects.arguments[last];
        if (bytes.kind == kernel::Argument::Kind::immediate)
            return with_argument(kernel_.module, expects, last, std::to_string(static_cast<int64_t>(bytes.bits) + more));
        return "{ .reg .b32 %litmus_n; add.s32 %litmus_n, " + spelling_of(bytes) + ", " + std::to_string(more) + "; " +
               with_argument(kernel_.module, expects, last, "%litmus_n") + " }";
    }
    void expected(const std::string& change, std::vector<PtxEdit> edits) {
        result_.push_back({change, std::move(edits), "a phase ends when its arrivals have come, and just the bytes that it expects",
                           "async/expect-tx/one-of-two-operations.litmus"});
    }
    // The copy brings bytes that its phase does not expect: another number, or an arrival that expects none.
    void expect() {
        for (const Statement* expects : statements_with(kernel_.module, {"mbarrier", "expect_tx"})) add_bytes(expects, -tally_.bytes);
        for (const Statement* arrival : statements_with(kernel_.module, {"mbarrier", "arrive"})) {
            if (arrival->arguments.size() != 2 || tally_.bytes >= 0) continue;  // with a count, with bytes, or behind copies
            std::string text = spelled(kernel_.module, *arrival);
            text.replace(text.find("arrive"), 6, "arrive.expect_tx");
            text.insert(text.find(';'), ", " + std::to_string(-tally_.bytes));
            expected("`mbarrier.arrive.expect_tx` of " + std::to_string(-tally_.bytes) + " bytes at " + line(arrival),
                     {{arrival, Where::instead, false, text}});
        }
    }

    // The other parity. A loop may repeat the wait, so that what the register holds stays as it is.
    void turn(const Statement* wait) {
        if (!has_word(*wait, "parity")) return;
        std::vector<PtxEdit> edits;
        for (const Statement* one : alike(kernel_.module, *wait)) {
            const kernel::Argument& parity = one->arguments[2];
            std::string text;
            if (parity.kind == kernel::Argument::Kind::immediate)
                text = with_argument(kernel_.module, *one, 2, std::to_string(1 - (parity.bits & 1)));
            else
                text = "{ .reg .b32 %litmus_n; xor.b32 %litmus_n, " + spelling_of(parity) + ", 1; " +
                       with_argument(kernel_.module, *one, 2, "%litmus_n") + " }";
            edits.push_back({one, Where::instead, false, text});
        }
        result_.push_back({"the other parity at " + line(wait), std::move(edits),
                           "for a fresh object a wait for parity 1 ends at once, and one for parity 0 with the first phase",
                           "async/phases/parity-not-flipped.litmus"});
    }

    // A parity that is the same in all rounds, and should be another one each time that the wait is over.
    void alternate(const Statement* wait) {
        const InCode at = in_code(kernel_.module, wait);
        if (at.function == nullptr || !has_word(*wait, "parity")) return;
        std::vector<PtxEdit> edits = {
            {&at.function->code.front(), Where::before, false, ".reg .b32 %litmus_turn; mov.b32 %litmus_turn, 0;"}};
        for (const Statement* one : alike(kernel_.module, *wait)) {
            const Statement* const end = end_of_loop(kernel_.module, one);
            if (end == nullptr || in_code(kernel_.module, one).function != at.function) return;
            edits.push_back({one, Where::instead, false,
                             "{ .reg .b32 %litmus_n; xor.b32 %litmus_n, " + spelling_of(one->arguments[2]) + ", %litmus_turn; " +
                                 with_argument(kernel_.module, *one, 2, "%litmus_n") + " }"});
            edits.push_back({end, Where::behind, false, "xor.b32 %litmus_turn, %litmus_turn, 1;"});
        }
        result_.push_back({"a parity that changes each time the wait is over (`phase ^= 1`) at " + line(wait), std::move(edits),
                           "the phases of an object have parity 0 and 1 in turn", "async/phases/parity-not-flipped.litmus"});
    }

    // An arrival of who waits, with its copies where it has some, before the loop of the wait.
    void arrive_before(const Statement* wait) {
        const InCode at = in_code(kernel_.module, wait);
        if (at.number == 0 || !has_word(*wait, "mbarrier")) return;
        const std::string object = spelling_of(wait->arguments[1]);
        const std::string names[] = {"cp.async.mbarrier.arrive.noinc.shared::cta.b64 ", "mbarrier.arrive.shared::cta.b64 _, "};
        for (const std::string& name : names)
            result_.push_back({"`" + name.substr(0, name.find(".shared")) + "` before the wait at " + line(wait),
                               {{&at.function->code[at.number - 1], Where::behind, false, name + object + ";"}},
                               "nobody comes to arrive in the phase that is waited for",
                               "async/phases/full-empty-parity-stuck.litmus"});
    }

    // Who waits late is met by the others before the phase can end again.
    void meet_behind(const Statement* wait) {
        const Statement* const end = end_of_loop(kernel_.module, wait);
        if (end == nullptr) return;
        result_.push_back({std::string(meeting::of_block) + " behind the wait at " + line(wait),
                           {{end, Where::behind, false, meeting::ptx_of_block}},
                           "a wait tells its phase from the next one, and from no other",
                           "async/phases/late-waiter.litmus"});
    }

    std::string spelling_of(const kernel::Argument& argument) const {
        return kernel_.module.source->text.substr(argument.span.begin, argument.span.end - argument.span.begin);
    }

    const SweptModule& kernel_;
    const sweep::Finding& finding_;
    const sweep::Tally& tally_;
    std::vector<Remedy> result_;
};

}  // namespace

std::vector<Remedy> phase_remedies(const SweptModule& kernel, const sweep::Finding& finding) {
    if (!finding.tally) return {};
    return OfPhase(kernel, finding).remedies();
}

}  // namespace litmus
