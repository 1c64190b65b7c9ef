// By kind; of a race in race_advice.h.
#include "analysis/sweep/advice.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/sweep/advice_places.h"
#include "analysis/sweep/phase_advice.h"
#include "analysis/sweep/race_advice.h"
#include "kernel/program.h"
#include "ptx/cuda.h"

namespace litmus {

namespace {

using kernel::Statement;
using sweep::Breach;
using sweep::Finding;
using sweep::Place;
using Where = PtxEdit::Where;
using namespace meeting;

Advice of_init(const kernel::Module& module, const Finding& finding) {
    const Place &init = finding.places.front(), &use = finding.places.back();
    const bool one_block = init.seat.block == use.seat.block;
    Advice advice;
    const std::string line = advised_line(module, init);
    for (const Statement* join : around(module, init.statement).joins)
        advice.remedies.push_back({std::string(one_block ? of_block : of_cluster) + " behind " + line + ", where all threads of the " +
                                       (one_block ? "block" : "cluster") + " come by",
                                   {{join, Where::before, false, one_block ? ptx_of_block : ptx_of_cluster}}});
    advice.change = std::string(one_block ? of_block : of_cluster) + " between " + line + " and " + advised_line(module, use);
    advice.why = "a thread may use the object before it is there unless something tells that it is";
    advice.see = one_block ? "async/init/no-barrier.litmus" : "async/kernel-bugs/kb-cluster-init-not-synced.litmus";
    return advice;
}

Advice of_exit(const kernel::Module& module, const Finding& finding) {
    const Statement& access = *finding.places.front().statement;
    const bool asynchronous = std::find(access.words.begin(), access.words.end(), "async") != access.words.end();
    Advice advice;
    std::vector<PtxEdit> edits;
    for (const Statement* exit : exits(module)) edits.push_back({exit, Where::before, false, ptx_of_cluster});
    advice.change = std::string(of_cluster) + " as the last thing that all threads of the cluster do";
    advice.remedies.push_back({advice.change, std::move(edits)});
    if (asynchronous)
        advice.change = "a wait in that block for what " + advised_line(module, finding.places.front()) + " completes, before it ends";
    advice.why = "the block may have exited when " + advised_line(module, finding.places.front()) + " accesses its memory";
    advice.see = "async/cluster-barrier/exit-before-load.litmus";
    return advice;
}

Advice of_map(const kernel::Module& module, const Finding& finding) {
    const Statement& write = *finding.places.front().statement;
    const std::string release = "`fence.proxy.tensormap::generic.release.gpu` behind " + advised_line(module, finding.places.front());
    const std::string acquire =
        "`fence.proxy.tensormap::generic.acquire.gpu [map], 128` before " + advised_line(module, finding.places.back());
    const bool released = write.words[1] == "cp_fenceproxy";
    Advice advice;
    if (!released) advice.remedies.push_back({release, {{&write, Where::behind, true, "fence.proxy.tensormap::generic.release.gpu;"}}});
    const Statement& copy = *finding.places.back().statement;
    for (const kernel::Argument& argument : copy.arguments) {
        if (argument.elements.size() < 2) continue;  // not the map with its coordinates
        const auto [begin, end] = argument.elements[0].span;
        const std::string map = module.source->text.substr(begin, end - begin);
        advice.remedies.push_back(
            {acquire, {{&copy, Where::before, true, "fence.proxy.tensormap::generic.acquire.gpu [" + map + "], 128;"}}});
    }
    advice.change = released ? acquire : release + ", and " + acquire;
    advice.why = "a copy reads its map through a proxy of its own";
    advice.see = "async/tensormap/map-replace-unfenced.litmus";
    return advice;
}

// The fence is enough directly before the later access, since any thread may execute it.
Advice of_alias(const kernel::Module& module, const Finding& finding) {
    const std::string change = "`fence.proxy.alias` before " + advised_line(module, finding.places.back());
    return {{{change, {{finding.places.back().statement, Where::before, true, "fence.proxy.alias;"}}}},
            change,
            "a multimem address and an address of one of its buffers are two addresses",
            "async/multimem/mm-broadcast-fenced.litmus"};
}

Advice of_overlap(const kernel::Module& module, const Finding& finding) {
    const std::string change = "`griddepcontrol.wait` before " + advised_line(module, finding.places.back());
    return {{{change, {{finding.places.back().statement, Where::before, true, ptx_of(mends::wait_for_grids)}}}},
            change,
            "a programmatic dependent launch may begin before the one before it is over",
            "async/grids/pdl-no-wait.litmus"};
}

// The statement with other words in its name.
std::string with_words(const kernel::Module& module, const Statement& statement, const std::vector<std::string>& words) {
    const auto [begin, end] = statement.span;
    const std::string text = spelled(module, statement), whole = module.source->text.substr(begin, end - begin);
    return whole.substr(0, whole.size() - text.size()) + kernel::dotted(words) + text.substr(kernel::dotted(statement.words).size());
}

// The state space stands before the type; only a commit has a form for the whole cluster (9.7.16.12.1).
Advice of_space(const kernel::Module& module, const Finding& finding) {
    const Statement& statement = *finding.places.front().statement;
    const std::string space = statement.words[0] == "tcgen05" ? "shared::cluster" : "shared::cta";
    std::vector<std::string> words = statement.words;
    const auto is_behind = [](const std::string& word) { return word == "multicast::cluster" || word == "b64"; };
    words.insert(std::find_if(words.begin(), words.end(), is_behind), space);
    const std::string change = "`." + space + "` in the instruction at " + advised_line(module, finding.places.front());
    std::vector<PtxEdit> edits;
    for (const Statement* one : alike(module, statement, true))
        edits.push_back({one, Where::instead, false, with_words(module, *one, words)});
    return {{{change, std::move(edits)}},
            change + ", or a generic address (`cvta.shared`)",
            "without a state space an address is generic, and then shared memory begins at another number",
            ""};
}

// The row has all that depends on the line alone.
Advice of_row(Breach breach, const std::string& line) {
    const sweep::BreachRow& row = row_of(breach);
    return {{}, sweep::filled(row.change, {line}), std::string(row.why), std::string(row.see)};
}

// One instruction, at one place.
Advice of_instruction(const kernel::Module& module, const Finding& finding) {
    const Place& place = finding.places.front();
    const std::string line = advised_line(module, place);
    const auto mended = [&](const std::string& change, Where where, const std::string& ptx, const char* why, const char* see) {
        return Advice{{{change, {{place.statement, where, true, ptx}}}}, change, why, see};
    };
    switch (finding.breach) {
        case Breach::load_open:
            return mended("`tcgen05.wait::ld` before " + line, Where::before, ptx_of(mends::wait_for_tensor_loads),
                          "the load may write the register after this", "");
        case Breach::product_unfenced:
            return mended("`wgmma.fence` (`warpgroup_arrive()`) before " + line, Where::before, "wgmma.fence.sync.aligned;",
                          "a product may read its registers before earlier accesses to them",
                          "async/wgmma/wgmma-first-without-fence.litmus");
        case Breach::product_open:
            return mended("`wgmma.wait_group 0` (`warpgroup_wait<0>()`) before " + line, Where::before, "wgmma.wait_group.sync.aligned 0;",
                          "a product has its registers until it was waited for", "async/wgmma/wgmma-accumulator-read-early.litmus");
        case Breach::block_not_begun:
            return mended(std::string(of_cluster) + " before " + line, Where::before, ptx_of_cluster,
                          "blocks of a cluster may start one after the other", "async/helpers/arrive-at-peers-before-init.litmus");
        default:  // copy_at_exit
            return mended("`cp.async.bulk.wait_group.read 0` behind " + line + ", before its thread exits", Where::behind,
                          ptx_of(mends::wait_for_bulk_reads), "the copy reads shared memory that ends with the block",
                          "async/kernel-bugs/kb-exit-while-store-reads.litmus");
    }
}

std::vector<Remedy> of_stuck(const SweptModule& kernel, const Finding& finding) {
    const Statement* const waits = finding.places.front().statement;
    if (finding.tally) return phase_remedies(kernel, finding);
    if (finding.breach == Breach::few_lanes) return without_branches(kernel, waits);
    std::vector<Remedy> remedies = moved_barriers(kernel);
    if (finding.breach == Breach::few_threads)
        for (Remedy& remedy : smaller_counts(kernel.module, *waits)) remedies.push_back(std::move(remedy));
    return remedies;
}

// A wait by a token asks for no parity.
Breach told_of(const Finding& finding) {
    const Statement* const waits = finding.places.front().statement;
    const bool by_token = waits != nullptr && std::find(waits->words.begin(), waits->words.end(), "parity") == waits->words.end();
    return finding.breach == Breach::no_first_arrival && by_token ? Breach::no_arrival : finding.breach;
}

// Behind each instruction that CUDA has a name for, that name.
std::string with_cuda(const std::string& text) {
    std::string result;
    size_t begin = 0;
    for (size_t tick = text.find('`'); tick != std::string::npos; tick = text.find('`', begin)) {
        const size_t end = text.find('`', tick + 1);
        if (end == std::string::npos) break;
        result += text.substr(begin, end + 1 - begin);
        begin = end + 1;
        const std::string cuda = cuda_of(text.substr(tick + 1, end - tick - 1));
        if (!cuda.empty() && text.compare(begin, 3, " (`") != 0) result += " (`" + cuda + "`)";
    }
    return result + text.substr(begin);
}

Advice advice_of(const SweptModule& kernel, const Finding& finding) {
    const kernel::Module& module = kernel.module;
    const Place& place = finding.kind == sweep::Kind::phase ? finding.places.back() : finding.places.front();
    const std::string line = advised_line(module, place);
    const auto with_remedies = [](Advice advice, std::vector<Remedy> remedies) {
        advice.remedies = std::move(remedies);
        return advice;
    };
    switch (finding.kind) {
        case sweep::Kind::phase:
            return with_remedies(of_row(finding.breach, line), phase_remedies(kernel, finding));
        case sweep::Kind::stuck:
            return with_remedies(of_row(told_of(finding), line), of_stuck(kernel, finding));
        case sweep::Kind::race:
            if (finding.breach == Breach::overlap) return of_overlap(module, finding);
            if (finding.breach == Breach::alias) return of_alias(module, finding);
            return finding.breach == Breach::tensor_map ? of_map(module, finding) : advice_on_race(kernel, finding);
        default:
            if (finding.breach == Breach::not_known_initialised) return of_init(module, finding);
            if (finding.breach == Breach::block_ended) return of_exit(module, finding);
            if (finding.breach == Breach::not_generic) return of_space(module, finding);
            if (row_of(finding.breach).change.empty()) return of_instruction(module, finding);
            return with_remedies(of_row(finding.breach, line), phase_remedies(kernel, finding));
    }
}

}  // namespace

Advice advice_on(const SweptModule& kernel, const Finding& finding) {
    Advice advice = advice_of(kernel, finding);
    if (kernel.module.files.empty()) return advice;
    advice.change = with_cuda(advice.change);
    for (Remedy& remedy : advice.remedies) remedy.change = with_cuda(remedy.change);
    return advice;
}

namespace {

// A wait, or an arrival, in the scope of the cluster.
std::string in_cluster(const kernel::Module& module, const Statement& statement, const char* order) {
    const auto has = [&](const std::string& word) {
        return std::find(statement.words.begin(), statement.words.end(), word) != statement.words.end();
    };
    std::vector<std::string> words;
    bool is_said = has("cta") || has("cluster");
    for (const std::string& word : statement.words) {
        if (!is_said && (word.rfind("shared", 0) == 0 || word == "b64")) {
            words.insert(words.end(), {order, "cluster"});
            is_said = true;
        }
        words.push_back(word == "cta" ? "cluster" : word);
    }
    return with_words(module, statement, words);
}

}  // namespace

Advice advice_on_narrow_waits(const kernel::Module& module, const std::vector<Place>& waits) {
    Advice advice;
    advice.change = "`.acquire.cluster` (`cuda::ptx::scope_cluster`) on these waits, `.release.cluster` on the arrivals that they wait for";
    advice.why = "a scope of one block leaves the others out";
    advice.see = "async/completion/red-async-wait-cta.litmus";
    std::vector<PtxEdit> edits;
    std::set<const Statement*> changed;
    const auto widen = [&](const Statement& statement, const char* order) {
        for (const Statement* one : alike(module, statement, true))
            if (changed.insert(one).second) edits.push_back({one, Where::instead, false, in_cluster(module, *one, order)});
    };
    for (const Place& wait : waits) widen(*wait.statement, "acquire");
    advice.remedies.push_back({"`.acquire.cluster` (`cuda::ptx::scope_cluster`) on these waits", edits});
    for (const char* arrival : {"arrive", "arrive_drop"})
        for (const Statement* one : statements_with(module, {"mbarrier", arrival}))
            if (std::find(one->words.begin(), one->words.end(), "async") == one->words.end()) widen(*one, "release");
    advice.remedies.push_back({advice.change, std::move(edits)});
    return advice;
}

}  // namespace litmus
