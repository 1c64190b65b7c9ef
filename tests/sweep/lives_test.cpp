// A block that comes back to a choice stands for those that are alike there: where that is allowed, few runs show what each order shows.
#include "sweep/lives.h"

#include <doctest/doctest.h>

#include <random>

#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/explore.h"

using namespace litmus;
using kernel::testing::has;

namespace {

struct Blocks {
    kernel::Module module;
    kernel::Launch launch;
};

// x = u32[256], each its own number, is in %rd1, y = u32[256] in %rd2, and their words of the block in %rd3 and %rd4. The number of the
// block is in %r2, that of the thread in %r1, and how many blocks there are in %r9.
Blocks blocks_of(const std::string& text, int blocks, int threads = 1) {
    kernel::LaunchTexts texts;
    texts.grid = std::to_string(blocks);
    texts.block = std::to_string(threads);
    texts.arguments = {"x=u32[256]:iota", "y=u32[256]"};
    kernel::Module module = kernel::testing::module_of(
        ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)\n{\n.reg .pred %p<99>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<99>;\n"
        ".shared .align 4 .b8 own[256];\nld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\nmov.u32 %r2, %ctaid.x;\n"
        "mov.u32 %r1, %tid.x;\nmov.u32 %r9, %nctaid.x;\nmul.wide.u32 %rd5, %r2, 4;\nadd.u64 %rd3, %rd1, %rd5;\nadd.u64 %rd4, %rd2, "
        "%rd5;\n" +
        text + "END:\nret;\n}\n");
    kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    return {std::move(module), std::move(launch)};
}

sweep::Explored explored(const Blocks& one, bool exchanges = true) {
    return sweep::explore(one.module, one.launch, {}, {.most_runs = 3000, .most_work = 40'000'000, .exchanges = exchanges});
}

// Whether each order was run, nothing was found, and no other orders come about.
bool is_shown_right(const sweep::Explored& all) {
    return all.all && all.swept.findings.empty() && all.swept.out_of_line.empty() && all.swept.circles.find(all.exchanged) == nullptr;
}

// How many runs show that it is right.
size_t runs(const std::string& text, int blocks, int threads = 1) {
    const sweep::Explored all = explored(blocks_of(text, blocks, threads));
    CHECK(is_shown_right(all));
    for (const std::string& why : all.swept.out_of_line) FAIL_CHECK(why);
    return all.runs;
}

std::string number(int n) {
    return std::to_string(n);
}

// Takes items from a queue of so many, and does this with %r3, and with its words in x and y in %rd6 and %rd7.
std::string queue(int items, const std::string& work, const std::string& sem = "relaxed") {
    return "NEXT:\natom." + sem + ".gpu.global.add.u32 %r3, [%rd2+1020], 1;\nsetp.ge.u32 %p1, %r3, " + number(items) +
           ";\n@%p1 bra END;\nmul.wide.u32 %rd8, %r3, 4;\nadd.u64 %rd6, %rd1, %rd8;\nadd.u64 %rd7, %rd2, %rd8;\n" + work + "bra NEXT;\n";
}
const std::string copies_item = "ld.global.u32 %r4, [%rd6];\nst.global.u32 [%rd7], %r4;\n";

// All blocks come to it, by one thread of each, the nth time. The count is at word 252 of y, and the generation behind it.
std::string grid_barrier(int n, int blocks, const std::string& before = "st.relaxed.gpu.global.u32 [%rd2+1008], 0;\n",
                         const std::string& behind = "") {
    const std::string id = number(n);
    return "atom.acq_rel.gpu.global.add.u32 %r21, [%rd2+1008], 1;\nsetp.ne.u32 %p20, %r21, " + number(blocks - 1) + ";\n@%p20 bra POLL" +
           id + ";\n" + before + "st.release.gpu.global.u32 [%rd2+1012], " + id + ";\n" + behind + "bra DONE" + id + ";\nPOLL" + id +
           ":\nld.acquire.gpu.global.u32 %r23, [%rd2+1012];\nsetp.lt.u32 %p21, %r23, " + id + ";\n@%p21 bra POLL" + id + ";\nDONE" + id +
           ":\n";
}

const std::string takes = "TAKE:\natom.acquire.gpu.global.cas.b32 %r10, [%rd2+1000], 0, 1;\nsetp.ne.u32 %p10, %r10, 0;\n@%p10 bra TAKE;\n",
                  gives = "st.release.gpu.global.u32 [%rd2+1000], 0;\n";

}  // namespace

TEST_CASE("a queue is one run") {
    CHECK(runs(queue(3, copies_item), 2) == 1);
    CHECK(runs(queue(64, copies_item), 32) == 1);
}

TEST_CASE("a barrier of the grid") {
    const std::string reads = "ld.global.u32 %r30, [%rd1];\nld.global.u32 %r31, [%rd1+4];\n";
    const auto times = [&](int n, int blocks) {
        std::string text = "st.global.u32 [%rd3], %r2;\n";
        for (int k = 1; k <= n; ++k) text += grid_barrier(k, blocks) + reads;
        return text;
    };
    CHECK(runs(times(2, 3), 3) <= 9);
    CHECK(runs(times(3, 3), 3) <= 18);
    CHECK(runs(times(2, 16), 16) <= 48);
    // the last one writes what all have read: before the barrier all of them have, and not before the last barrier
    const auto writes = [&](const std::string& before) {
        return "st.global.u32 [%rd3], %r2;\n" + grid_barrier(1, 3) + reads +
               grid_barrier(2, 3, before + "st.relaxed.gpu.global.u32 [%rd2+1008], 0;\n") + reads;
    };
    CHECK(runs(writes("st.global.u32 [%rd1], 9;\n"), 3) <= 9);
    CHECK(explored(blocks_of(writes("st.global.u32 [%rd1], 9;\n"), 3)).has_lives);
    CHECK_FALSE(is_shown_right(explored(blocks_of(writes("") + "@!%p20 st.global.u32 [%rd1], 9;\n", 3))));
}

TEST_CASE("a lock that is taken again and again") {
    const std::string text = takes +
                             "ld.global.u32 %r11, [%rd1];\nsetp.gt.u32 %p11, %r11, 6;\n@%p11 bra LAST;\nadd.u32 %r11, %r11, 1;\n"
                             "st.global.u32 [%rd1], %r11;\n" +
                             gives + "bra TAKE;\nLAST:\n" + gives;
    CHECK(runs(text, 3) == 1);
    CHECK(runs(text, 16) == 1);
}

TEST_CASE("blocks of several threads take items from a queue") {
    const auto text = [](const std::string& behind, const std::string& first = "") {
        return "NEXT:\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra WAIT;\natom.relaxed.gpu.global.add.u32 %r3, [%rd2+1020], 1;\n"
               "st.shared.u32 [own], %r3;\n" +
               first + "WAIT:\nbar.sync 0;\nld.shared.u32 %r4, [own];\n" + behind +
               "setp.ge.u32 %p2, %r4, 3;\n@%p2 bra END;\nmad.lo.u32 %r5, %r4, 33, %r1;\nmul.wide.u32 %rd8, %r5, 4;\n"
               "add.u64 %rd6, %rd1, %rd8;\nadd.u64 %rd7, %rd2, %rd8;\n" +
               copies_item + "bra NEXT;\n";
    };
    CHECK(runs(text("bar.sync 0;\n"), 2, 33) == 1);
    // nobody waits until all have read the number of the item
    CHECK_FALSE(explored(blocks_of(text(""), 2, 33)).swept.findings.empty());
    // a table that each block makes for itself, and another one for each item
    const std::string table = "mov.u32 %r10, own;\nmad.lo.u32 %r10, %r1, 4, %r10;\nst.shared.u32 [%r10+64], 5;\nbar.sync 0;\n",
                      uses = "bar.sync 0;\nld.shared.u32 %r11, [own+64];\nst.shared.u32 [%r10+128], %r11;\n";
    CHECK(runs(table + text(uses), 2, 8) == 1);
    // one thread reads what another one has left in an earlier item, and nobody waits
    const std::string leaves = "bar.sync 0;\nsetp.eq.u32 %p3, %r1, 1;\n@%p3 st.shared.u32 [own+64], 5;\n";
    CHECK(runs(text(leaves), 2, 8) == 1);
    CHECK_FALSE(explored(blocks_of(text(leaves, "ld.shared.u32 %r11, [own+64];\n"), 2, 8)).swept.findings.empty());
}

TEST_CASE("what a block that takes the first and the third item does in its shared memory") {
    // Thread 0 looks there when it has taken the third item. A thread was there behind the first, or the second.
    const auto text = [](const std::string& looks, const std::string& leaves) {
        return "setp.eq.u32 %p9, %r1, 0;\n@%p9 st.shared.u32 [own+64], 0;\nNEXT:\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra WAIT;\n"
               "atom.relaxed.gpu.global.add.u32 %r3, [%rd2+1020], 1;\nst.shared.u32 [own], %r3;\nsetp.eq.u32 %p4, %r3, 2;\n" +
               looks + "WAIT:\nbar.sync 0;\nld.shared.u32 %r4, [own];\nbar.sync 0;\n" + leaves +
               "setp.lt.u32 %p2, %r4, 3;\n@%p2 bra NEXT;\n";
    };
    const std::string of_first = "setp.eq.and.u32 %p5, %r4, 0, %p3;\n@%p5 st.shared.u32 [own+64], 5;\n",
                      of_second = "setp.eq.and.u32 %p5, %r4, 1, %p3;\n@%p5 st.shared.u32 [own+64], 0;\n";
    const auto is_wrong = [&](const std::string& one) { return !explored(blocks_of("bar.sync 0;\n" + one, 2, 2)).swept.findings.empty(); };
    // it writes what thread 1 has read behind the first item, unless the barriers of the second item lie between
    CHECK(is_wrong(text("@%p4 st.shared.u32 [own+128], 5;\n",
                        "setp.eq.u32 %p3, %r1, 1;\nsetp.eq.and.u32 %p5, %r4, 0, %p3;\n@%p5 ld.shared.u32 %r10, [own+128];\n")));
    // it finds what it has left there itself behind the first item, unless the second item has changed it
    CHECK(is_wrong(text("mov.u32 %r10, 0;\n@%p4 ld.shared.u32 %r10, [own+64];\nsetp.eq.u32 %p6, %r10, 5;\nSPIN:\n@%p6 bra SPIN;\n",
                        "setp.eq.u32 %p3, %r1, 0;\n" + of_first + of_second)));
}

TEST_CASE("what a block brings from one life into the next") {
    struct Case {
        const char* what;
        std::string text;
        int blocks = 2;
    };
    const std::string spins = "SPIN:\nbra SPIN;\n";
    const std::vector<Case> wrong = {
        {"two blocks have one slot at once",
         queue(3, "and.b32 %r5, %r3, 1;\nmul.wide.u32 %rd9, %r5, 4;\nadd.u64 %rd9, %rd9, %rd2;\nst.global.u32 [%rd9+400], %r3;\n")},
        {"the third item is begun with what the first has left",
         queue(3,
               "setp.eq.u32 %p3, %r3, 0;\n@%p3 st.global.u32 [%rd2+400], 1;\nsetp.eq.u32 %p3, %r3, 2;\n@%p3 ld.global.u32 %r5, "
               "[%rd2+400];\n")},
        {"a register has the item before, and decides",
         "mov.u32 %r6, 7;\n" +
             queue(4, "setp.eq.u32 %p3, %r6, 1;\nmov.u32 %r6, %r3;\nsetp.ne.u32 %p4, %r3, 3;\n@%p4 bra NEXT;\n@!%p3 bra NEXT;\n" + spins)},
        {"the count is reset behind the generation",
         grid_barrier(1, 3, "", "st.relaxed.gpu.global.u32 [%rd2+1008], 0;\n") + grid_barrier(2, 3), 3},
        {"a register counts the items of its block, and decides",
         "mov.u32 %r6, 0;\n" + queue(4, "add.u32 %r6, %r6, 1;\nsetp.ne.u32 %p4, %r6, 2;\n@%p4 bra NEXT;\nst.global.u32 [%rd2+400], 1;\n")},
        {"a fence behind the first item covers nothing for who takes the second",
         "setp.eq.u32 %p9, %r2, 2;\n@%p9 bra READER;\n" +
             queue(2,
                   "setp.eq.u32 %p3, %r3, 0;\n@%p3 st.global.u32 [%rd2+400], 1;\nsetp.eq.u32 %p4, %r3, 1;\n"
                   "fence.acq_rel.gpu;\n@%p4 st.relaxed.gpu.global.u32 [%rd2+404], 1;\n") +
             "READER:\nld.acquire.gpu.global.u32 %r40, [%rd2+404];\nsetp.eq.u32 %p5, %r40, 0;\n@%p5 bra READER;\n"
             "ld.global.u32 %r41, [%rd2+400];\n",
         3},
        {"who has taken the first item looks at it again, and does not know which it has taken",
         "atom.relaxed.gpu.global.add.u32 %r3, [%rd2], 1;\nmul.wide.u32 %rd10, %r3, 4;\nadd.u64 %rd11, %rd1, %rd10;\n"
         "st.global.u32 [%rd11], 5;\natom.relaxed.gpu.global.add.u32 %r6, [%rd2+4], 1;\nsetp.ne.u32 %p1, %r6, 0;\n@%p1 bra END;\n"
         "ld.global.u32 %r4, [%rd1];\n"},
        {"a fence behind the first item covers nothing for who takes the second, which has none",
         "setp.eq.u32 %p9, %r2, 2;\n@%p9 bra READER;\n" +
             queue(2,
                   "setp.eq.u32 %p3, %r3, 0;\n@%p3 st.global.u32 [%rd2+400], 1;\n@%p3 fence.acq_rel.gpu;\nsetp.eq.u32 %p4, %r3, 1;\n"
                   "@%p4 st.relaxed.gpu.global.u32 [%rd2+404], 1;\n") +
             "READER:\nld.acquire.gpu.global.u32 %r40, [%rd2+404];\nsetp.eq.u32 %p5, %r40, 0;\n@%p5 bra READER;\n"
             "ld.global.u32 %r41, [%rd2+400];\n",
         3},
        {"each item is read by who takes the next one", queue(3, "st.global.u32 [%rd7+4], 1;\nld.global.u32 %r5, [%rd7];\n")},
    };
    for (const Case& one : wrong) {
        CAPTURE(one.what);
        CHECK_FALSE(explored(blocks_of(one.text, one.blocks)).swept.findings.empty());
    }
    // a register has the item before, and decides: each block that has had one item may have another one later
    for (const auto& [before, item] : {std::pair(0, 1), {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}}) {
        CAPTURE(before);
        CAPTURE(item);
        const std::string text =
            "mov.u32 %r6, 7;\n" + queue(4, "setp.eq.u32 %p3, %r6, " + number(before) + ";\nmov.u32 %r6, %r3;\nsetp.ne.u32 %p4, %r3, " +
                                               number(item) + ";\n@%p4 bra NEXT;\n@!%p3 bra NEXT;\n" + spins);
        CHECK_FALSE(explored(blocks_of(text, 2)).swept.findings.empty());
    }
    // load buffering: a read in one life, and a write in a later one
    const std::string reads_early =
        "setp.eq.u32 %p9, %r2, 2;\n@%p9 bra OTHER;\nld.relaxed.gpu.global.u32 %r10, [%rd2+400];\nsetp.eq.u32 %p5, %r10, 1;\n"
        "@%p5 st.global.u32 [%rd2+500], 5;\nred.release.gpu.global.add.u32 [%rd2+600], 1;\nMEET:\n"
        "ld.acquire.gpu.global.u32 %r10, [%rd2+600];\nsetp.ne.u32 %p1, %r10, 2;\n@%p1 bra MEET;\n"
        "atom.relaxed.gpu.global.add.u32 %r6, [%rd2+700], 1;\nsetp.ne.u32 %p1, %r6, 0;\n@%p1 bra END;\n"
        "st.relaxed.gpu.global.u32 [%rd2+404], 1;\nbra END;\nOTHER:\nld.relaxed.gpu.global.u32 %r10, [%rd2+404];\n"
        "setp.eq.u32 %p5, %r10, 1;\n@%p5 st.relaxed.gpu.global.u32 [%rd2+400], 1;\n";
    CHECK_FALSE(is_shown_right(explored(blocks_of(reads_early, 3), false)));
    CHECK_FALSE(is_shown_right(explored(blocks_of(reads_early, 3))));
    // program order alone: a block looks at its last item again, and keeps its number
    const std::string kept =
        "mov.u32 %r6, 40;\n" + queue(3,
                                     "mul.wide.u32 %rd9, %r6, 4;\nadd.u64 %rd9, %rd9, %rd2;\nld.global.u32 %r7, [%rd9];\n"
                                     "st.global.u32 [%rd7], %r7;\nmov.u32 %r6, %r3;\n");
    CHECK(runs(kept, 2) > 1);
    // its own word, which names it
    CHECK(runs(queue(3, "ld.global.u32 %r5, [%rd3+400];\nadd.u32 %r5, %r5, %r3;\nst.global.u32 [%rd3+400], %r5;\n"), 2) > 1);
    // before the first choice each has its own word
    CHECK(runs("st.global.u32 [%rd3+400], 1;\nld.global.u32 %r5, [%rd3+400];\n" + queue(3, copies_item), 2) == 1);
}

namespace {

// Blocks do this with items of a queue, with locks and counters beside it.
class Work {
public:
    Work(uint64_t seed, int blocks) : blocks_(blocks), random_(seed) {}

    std::string draw() {
        say("add.u64 %rd40, %rd3, " + pick({"0", "0", "4"}) + ";");
        if (chance(30)) access();
        if (chance(10)) meets(1);
        const std::string before = std::exchange(text_, "");
        for (int n = 1 + below(3); n > 0; --n) {
            if (chance(20)) say("fence.acq_rel.gpu;");
            const int kind = below(10);
            kind < 6 ? access() : kind < 8 ? locks() : counts();
        }
        const std::string sem = pick({"relaxed", "acq_rel", "acq_rel", "acquire", "release"});
        const std::string loop = queue(2 + below(2), text_, sem);
        text_.clear();
        if (chance(10)) meets(2);
        if (chance(30)) access();
        return before + loop.substr(0, loop.find("@%p1 bra END")) + "@%p1 bra LAST" + loop.substr(loop.find("@%p1 bra END") + 12) +
               "LAST:\n" + text_;
    }

private:
    void say(const std::string& line) { text_ += line + "\n"; }
    std::string fresh(const std::string& kind) { return "%" + kind + std::to_string(next_++); }
    void access() {
        const std::string r = fresh("r"), at = address();
        std::string guard;
        if (chance(30)) {
            const std::string p = fresh("p");
            say("setp." + pick({"eq", "ne"}) + ".u32 " + p + ", " + pick({"%r3", "%r3", "%r40"}) + ", " + std::to_string(below(3)) + ";");
            guard = "@" + p + " ";
        }
        if (chance(50)) return say(guard + "st.global.u32 " + at + ", " + pick({"5", "%r3", "%r2"}) + ";");
        say("mov.u32 " + r + ", 0;\n" + guard + "ld.global.u32 " + r + ", " + at + ";");
        if (chance(15)) say("mov.u32 %r40, " + r + ";");
    }
    // %rd40 is written before the first choice, and perhaps behind it. Other registers always hold the same, or the item was added.
    std::string address() {
        if (chance(70)) return pick({"[%rd6]", "[%rd7]", "[%rd7]", "[%rd7+4]", "[%rd1+4]", "[%rd1+8]", "[%rd2+600]"});
        if (chance(40)) return pick({"[%rd3]", "[%rd4]", "[%rd4+600]"});
        if (chance(15)) say("add.u64 %rd40, " + pick({"%rd1", "%rd3"}) + ", 4;");
        if (chance(50)) return "[%rd40]";
        const std::string offset = fresh("rd"), at = fresh("rd");
        say("mul.wide.u32 " + offset + ", " + pick({"%r2", "%r2", "%r3"}) + ", 4;\nadd.u64 " + at + ", " + pick({"%rd1", "%rd3"}) + ", " +
            offset + ";");
        return "[" + at + "]";
    }
    void meets(int n) {
        const std::string barrier = grid_barrier(n, blocks_);
        say(barrier);
        access();
        if (chance(50)) access();
    }
    void locks() {
        const std::string r = fresh("r"), p = fresh("p"), label = "L" + std::to_string(next_++);
        say(label + ":\natom." + pick({"acquire", "acquire", "relaxed"}) + ".gpu.global.cas.b32 " + r + ", [%rd2+700], 0, 1;");
        say("setp.ne.u32 " + p + ", " + r + ", 0;\n@" + p + " bra " + label + ";");
        access();
        say("st." + pick({"release", "release", "relaxed"}) + ".gpu.global.u32 [%rd2+700], 0;");
    }
    void counts() {
        const std::string r = fresh("r");
        say("atom." + pick({"acq_rel", "relaxed"}) + ".gpu.global.add.u32 " + r + ", [%rd2+704], 1;");
        if (chance(40)) say("mov.u32 %r40, " + r + ";");
    }

    int below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
    bool chance(int percent) { return below(100) < percent; }
    std::string pick(const std::vector<std::string>& from) { return from[static_cast<size_t>(below(static_cast<int>(from.size())))]; }

    const int blocks_;
    std::mt19937_64 random_;
    std::string text_;
    int next_ = 42;
};

}  // namespace

TEST_CASE("with lives or without, random kernels show the same") {
    const uint64_t first = 1, last = 300;
    int with_lives = 0, wrong = 0, right = 0;
    for (uint64_t seed = first; seed <= last; ++seed) {
        CAPTURE(seed);
        const int blocks = 2 + static_cast<int>(seed % 2);
        const std::string text =
            "mov.u32 %r3, 9;\nmov.u32 %r40, 1;\nmov.u64 %rd6, %rd1;\nmov.u64 %rd7, %rd2;\n" + Work(seed, blocks).draw();
        CAPTURE(text);
        const Blocks one = blocks_of(text, blocks);
        const sweep::Explored alike = explored(one), all = explored(one, false);
        // a search that finds something does not come to its end
        if (alike.all) CHECK(all.swept.findings.empty());
        if (all.all) CHECK(alike.swept.findings.empty());
        if (alike.all && all.all) {
            // a life acquires less, so that fewer places may decide
            if (is_shown_right(alike) && alike.places == all.places) CHECK(is_shown_right(all));
            with_lives += alike.has_lives ? 1 : 0;
            right += is_shown_right(all) ? 1 : 0;
        }
        wrong += all.swept.findings.empty() ? 0 : 1;
    }
    MESSAGE(with_lives << " with lives, " << wrong << " wrong, " << right << " right");
    CHECK(with_lives > 20);
    CHECK(wrong > 40);
}
