// The vocabulary as a table, and the enumeration of skeletons.
#include "analysis/distinguish/vocabulary.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "base/nearest.h"
#include "language/syntax/read.h"

namespace litmus {

namespace {

// A word of an instruction, replaced.
struct Word {
    std::string_view name;
    std::string value;
};

std::string filled(std::string text, const std::vector<Word>& words) {
    for (const Word& word : words)
        for (size_t at = text.find(word.name); at != std::string::npos; at = text.find(word.name, at + word.value.size()))
            text.replace(at, word.name.size(), word.value);
    return text;
}

constexpr int first_value = 5;  // the initial values are below

bool one_cta(const Skeleton& skeleton) {
    const std::vector<int>& ctas = skeleton.ctas;
    return std::all_of(ctas.begin(), ctas.end(), [&](int cta) { return cta == ctas.front(); });
}

std::string instruction(const Skeleton& skeleton, size_t thread, size_t index, size_t slot, const std::string& text) {
    return filled(text, {{"{other}", "cta" + std::to_string(skeleton.ctas[thread] == 1 ? 0 : 1)},
                         {"{r}", "r" + std::to_string(index)},
                         {"{before}", "r" + std::to_string(index == 0 ? 0 : index - 1)},
                         {"{v}", std::to_string(first_value + slot)}});
}

// The instructions that a slot can have: where all threads are in one CTA, none that names another.
std::vector<std::string> choices(const Skeleton& skeleton, size_t thread, size_t index, size_t slot) {
    std::vector<std::string> result;
    for (const std::string& text : vocabulary()[skeleton.threads[thread][index]].instructions)
        if (text.find("{other}") == std::string::npos || !one_cta(skeleton))
            result.push_back("  " + instruction(skeleton, thread, index, slot, text) + "\n");
    return result;
}

struct Declaration {
    std::string_view name, text;
};
constexpr std::array<Declaration, 5> declarations{{{"[g", ".global .u32 g[4] = 1;\n"},
                                                   {"[f", ".global .u32 f = 2;\n"},
                                                   {"[s", ".shared .u32 s[4] = 3;\n"},
                                                   {"[t", ".shared .u32 t[4] = 4;\n"},
                                                   {"[bar", ".shared .mbarrier bar = 1;\n"}}};

// The text of a test of these threads; what no instruction names is not declared.
Test test_from(const std::vector<int>& ctas, const std::vector<std::string>& bodies) {
    std::string threads, text = "test \"apart\"\n\n";
    for (size_t t = 0; t < bodies.size(); ++t)
        threads += "thread P" + std::to_string(t) + " @ cluster0.cta" + std::to_string(ctas[t]) + " {\n" + bodies[t] + "}\n";
    for (const Declaration& d : declarations)
        if (threads.find(d.name) != std::string::npos) text += d.text;
    return parse_tests(make_source("<vocabulary>", text + "\n" + threads)).at(0);
}

bool contains(const Families& families, const std::vector<std::string>& names) {
    return std::any_of(families.begin(), families.end(),
                       [&](size_t f) { return std::find(names.begin(), names.end(), vocabulary()[f].name) != names.end(); });
}

// Whether each instruction of one thread is of use where it stands, as far as the thread shows.
bool useful(const Families& thread) {
    for (size_t i = 0; i < thread.size(); ++i) {
        const Family& family = vocabulary()[thread[i]];
        const bool first = i == 0, last = i + 1 == thread.size();
        if ((family.inside && (first || last)) || (family.not_first && first)) return false;
        if (family.inside && thread[i] == thread[i - 1]) return false;  // of two fences in a row one is enough
        if (family.takes && (first || !vocabulary()[thread[i - 1]].gives)) return false;
        const Families earlier(thread.begin(), thread.begin() + static_cast<std::ptrdiff_t>(i));
        const Families later(thread.begin() + static_cast<std::ptrdiff_t>(i) + 1, thread.end());
        if (!family.earlier.empty() && !contains(earlier, family.earlier)) return false;
        if (!family.later.empty() && !contains(later, family.later)) return false;
    }
    return true;
}

// The same, as far as the whole program shows.
bool useful(const Skeleton& skeleton, const std::vector<Families>& required) {
    Families all;
    for (const Families& thread : skeleton.threads) all.insert(all.end(), thread.begin(), thread.end());
    for (const Families& one_of : required)
        if (std::find_first_of(all.begin(), all.end(), one_of.begin(), one_of.end()) == all.end()) return false;
    for (size_t t = 0; t < skeleton.threads.size(); ++t) {
        if (vocabulary()[skeleton.threads[t].back()].not_last && one_cta(skeleton)) return false;
        for (const size_t f : skeleton.threads[t]) {
            const Family& family = vocabulary()[f];
            for (const std::vector<std::string>& one_of : family.with)
                if (!contains(all, one_of)) return false;
            if (family.apart && one_cta(skeleton)) return false;
            if (!family.meets) continue;
            bool met = false;
            for (size_t u = 0; u < skeleton.threads.size(); ++u)
                met = met || (u != t && skeleton.ctas[u] == skeleton.ctas[t] && contains(skeleton.threads[u], {family.name}));
            if (!met) return false;
        }
    }
    return true;
}

// Where threads can stand, but for the order of threads and the names of CTAs.
const std::vector<std::vector<int>>& placements(size_t threads) {
    static const std::vector<std::vector<std::vector<int>>> all{{}, {{0}}, {{0, 0}, {0, 1}}, {{0, 0, 0}, {0, 0, 1}, {0, 1, 2}}};
    return all.at(threads);
}

// Threads that can change places, CTAs changing their names, stand in one order: of those of one CTA, and of two threads in
// two CTAs. (Three CTAs are not alike: what is another one for the third is the first.)
bool in_order(const Skeleton& skeleton) {
    for (size_t t = 0; t + 1 < skeleton.threads.size(); ++t) {
        const bool alike = skeleton.ctas[t] == skeleton.ctas[t + 1] || skeleton.threads.size() == 2;
        if (alike && skeleton.threads[t] < skeleton.threads[t + 1]) return false;
    }
    return true;
}

class Enumeration {
public:
    Enumeration(const Families& families, const std::vector<Families>& required, size_t instructions)
        : families_(families), required_(required), instructions_(instructions), bodies_(instructions + 1) {
        for (size_t n = 1; n <= instructions; ++n) add_bodies(n, {});
    }

    void with_threads(size_t threads, std::vector<Skeleton>& result) {
        for (const std::vector<int>& ctas : placements(threads)) {
            Skeleton skeleton{ctas, {}};
            fill(skeleton, instructions_, result);
        }
    }

private:
    void add_bodies(size_t length, Families body) {
        if (body.size() == length) {
            if (useful(body)) bodies_[length].push_back(std::move(body));
            return;
        }
        for (const size_t f : families_) {
            body.push_back(f);
            add_bodies(length, body);
            body.pop_back();
        }
    }

    void fill(Skeleton& skeleton, size_t left, std::vector<Skeleton>& result) {
        const size_t to_come = skeleton.ctas.size() - skeleton.threads.size();
        if (to_come == 0) {
            if (left == 0 && in_order(skeleton) && useful(skeleton, required_)) result.push_back(skeleton);
            return;
        }
        const size_t least = to_come == 1 ? left : 1;
        for (size_t length = least; length + to_come - 1 <= left; ++length)
            for (const Families& body : bodies_[length]) {
                skeleton.threads.push_back(body);
                fill(skeleton, left - length, result);
                skeleton.threads.pop_back();
            }
    }

    const Families& families_;
    const std::vector<Families>& required_;
    size_t instructions_;
    std::vector<std::vector<Families>> bodies_;  // useful ones, by length
};

}  // namespace

const std::vector<Family>& vocabulary() {
    static const std::vector<Family> families{
        {.name = "load",
         .instructions = {"ld.weak.global.u32 {r}, [g];", "ld.weak.shared::cta.u32 {r}, [s];",
                          "ld.weak.shared::cluster.u32 {r}, [s@{other}];", "ld.acquire.gpu.global.u32 {r}, [f];",
                          "ld.relaxed.gpu.global.u32 {r}, [f];"},
         .gives = true},
        {.name = "await",
         .instructions = {"await ld.acquire.gpu.global.u32 {r}, [f] != 2;", "await ld.relaxed.gpu.global.u32 {r}, [f] != 2;"},
         .gives = true,
         .with = {{"store", "store-read"}}},
        {.name = "store",
         .instructions = {"st.weak.global.u32 [g], {v};", "st.weak.shared::cta.u32 [s], {v};",
                          "st.weak.shared::cluster.u32 [s@{other}], {v};", "st.release.gpu.global.u32 [f], {v};",
                          "st.relaxed.gpu.global.u32 [f], {v};"}},
        {.name = "store-read",
         .instructions = {"st.weak.global.u32 [g], {before};", "st.relaxed.gpu.global.u32 [f], {before};",
                          "st.weak.shared::cta.u32 [s], {before};"},
         .takes = true},
        {.name = "cancel", .instructions = {"xor.b32 {r}, {before}, {before};"}, .gives = true, .takes = true, .later = {"store-read"}},
        {.name = "fence", .instructions = {"fence.acq_rel.gpu;", "fence.sc.gpu;"}, .inside = true},
        {.name = "proxy-fence",
         .instructions = {"fence.proxy.async;", "fence.proxy.async.global;", "fence.proxy.async.shared::cta;"},
         .inside = true},
        {.name = "arrive",
         .instructions = {"mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];",
                          "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [bar@{other}];"},
         .not_first = true,
         .with = {{"wait"}}},
        {.name = "expect",
         .instructions = {"mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [bar], 16;",
                          "mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [bar], 4;",
                          "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [bar@{other}], 16;"},
         .with = {{"wait"}, {"copy-in", "copy-across", "multicast", "store-async"}}},
        {.name = "wait",
         .instructions = {"await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [bar], 0;",
                          "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 [bar], 0;",
                          "await mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 [bar], 0;"},
         .not_last = true,
         .with = {{"arrive", "expect"}}},
        {.name = "copy-in", .instructions = {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [g], 16, [bar];"}},
        {.name = "copy-out",
         .instructions = {"cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16;",
                          "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [g], [s], 16;"}},
        {.name = "copy-across",
         .instructions = {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [s@{other}], [t], 16, [bar@{other}];"},
         .apart = true},
        {.name = "multicast",
         .instructions = {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [g], 16, [bar], 3;"},
         .apart = true},
        {.name = "store-async",
         .instructions = {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [s@{other}], {v}, [bar@{other}];",
                          "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [s@{other}], 16, [bar@{other}];"},
         .apart = true},
        {.name = "commit", .instructions = {"cp.async.bulk.commit_group;"}, .earlier = {"copy-out"}, .later = {"wait-group"}},
        {.name = "wait-group", .instructions = {"cp.async.bulk.wait_group 0;"}, .not_last = true, .earlier = {"commit"}},
        {.name = "barrier", .instructions = {"bar.sync 0;"}, .meets = true},
    };
    return families;
}

size_t family_named(const std::string& name) {
    const std::vector<Family>& families = vocabulary();
    const auto found = std::find_if(families.begin(), families.end(), [&](const Family& f) { return f.name == name; });
    if (found != families.end()) return static_cast<size_t>(found - families.begin());
    std::vector<std::string_view> names;
    std::string list;
    for (const Family& family : families) {
        names.push_back(family.name);
        list += (list.empty() ? "" : ", ") + family.name;
    }
    const std::string near = nearest(name, names);
    throw Failure(nullptr, {}, "no family of instructions is named `" + name + "`",
                  near.empty() ? "families: " + list : "did you mean `" + near + "`?");
}

size_t Skeleton::size() const {
    size_t size = 0;
    for (const Families& thread : threads) size += thread.size();
    return size;
}

std::vector<Skeleton> skeletons(const Families& families, const std::vector<Families>& required, size_t instructions, size_t most_threads) {
    std::vector<Skeleton> result;
    Enumeration enumeration(families, required, instructions);
    for (size_t threads = 1; threads <= std::min({most_threads, instructions, size_t{3}}); ++threads)
        enumeration.with_threads(threads, result);
    return result;
}

OpenTest open_test(const Skeleton& skeleton) {
    std::vector<std::string> bodies;
    Slots slots;
    size_t slot = 0;
    for (size_t t = 0; t < skeleton.threads.size(); ++t) {
        bodies.emplace_back();
        slots.emplace_back();
        for (size_t i = 0; i < skeleton.threads[t].size(); ++i, ++slot) {
            const std::vector<std::string> lines = choices(skeleton, t, i, slot);
            for (const std::string& line : lines) bodies.back() += line;
            slots.back().insert(slots.back().end(), lines.size(), lines.size() == 1 ? -1 : static_cast<int>(slot));
        }
    }
    return {test_from(skeleton.ctas, bodies), std::move(slots)};
}

Test one_test(const Skeleton& skeleton, const std::vector<size_t>& instructions) {
    std::vector<std::string> bodies;
    size_t slot = 0;
    for (size_t t = 0; t < skeleton.threads.size(); ++t) {
        bodies.emplace_back();
        for (size_t i = 0; i < skeleton.threads[t].size(); ++i, ++slot) bodies.back() += choices(skeleton, t, i, slot)[instructions[slot]];
    }
    return test_from(skeleton.ctas, bodies);
}

Test test_of_all(const Families& families) {
    const Skeleton skeleton{{0, 0, 1, 1}, {families, families, families, families}};
    std::vector<std::string> bodies(4);
    for (size_t t = 0; t < 4; ++t) {
        for (size_t i = 0; i < families.size(); ++i)
            for (const std::string& text : vocabulary()[families[i]].instructions) {
                const Family& family = vocabulary()[families[i]];
                const bool has_before = i > 0 && vocabulary()[families[i - 1]].gives;
                if (!family.takes || has_before) bodies[t] += "  " + instruction(skeleton, t, i, i, text) + "\n";
            }
    }
    return test_from(skeleton.ctas, bodies);
}

}  // namespace litmus
