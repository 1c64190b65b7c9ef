// One block for all that are alike: where that is allowed, it shows what each order of the blocks shows.
#include "sweep/exchange.h"

#include <doctest/doctest.h>

#include <random>

#include "kernel/arguments.h"
#include "kernel/read.h"
#include "sweep/explore.h"
#include "sweep/orders.h"

using namespace litmus;
using kernel::testing::has;

namespace {

struct SameText {
    kernel::Module module;
    kernel::Launch launch;
};

// Each block has one thread. x = u32[16] is in %rd1, y = u32[16] in %rd2, and their words of the block in %rd3 and %rd4. The number of the
// block is in %r2, that of the thread in %r1. `outside`: what stands before the kernel.
SameText same_text(const std::string& text, const std::string& grid, const std::string& block = "1", const std::string& outside = "") {
    kernel::LaunchTexts texts;
    texts.grid = grid;
    texts.block = block;
    texts.arguments = {"x=u32[16]:iota", "y=u32[16]"};
    kernel::Module module = kernel::testing::module_of(
        outside +
        ".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)\n{\n.reg .pred %p<40>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n"
        ".shared .align 4 .b8 own[64];\nld.param.u64 %rd1, [k_param_0];\nld.param.u64 %rd2, [k_param_1];\nmov.u32 %r2, %ctaid.x;\nmov.u32 "
        "%r1, "
        "%tid.x;\nmul.wide.u32 %rd5, %r2, 4;\nadd.u64 %rd3, %rd1, %rd5;\nadd.u64 %rd4, %rd2, %rd5;\n" +
        text + "END:\nret;\n}\n");
    kernel::Launch launch = kernel::launch_of(module, texts, [](const std::string&) { return std::string(); });
    return {std::move(module), std::move(launch)};
}
SameText same_text(const std::string& text, int blocks) {
    return same_text(text, std::to_string(blocks));
}

sweep::Explored explored(const SameText& one, bool exchanges) {
    return sweep::explore(one.module, one.launch, {}, {.most_runs = 3000, .most_work = 40'000'000, .exchanges = exchanges});
}

std::string why_not(const std::string& text, int blocks = 3) {
    return explored(same_text(text, blocks), true).not_exchangeable;
}

const std::string ticket = "atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\n";
const std::string last_alone = ticket + "setp.ne.u32 %p1, %r3, 2;\n@%p1 bra END;\n";

// A text that all blocks execute.
class Text {
public:
    Text(uint64_t seed, int blocks) : blocks_(blocks), random_(seed) {}

    std::string draw() {
        say("mov.u32 %r0, 0;\nadd.u64 %rd0, %rd3, " + pick({"0", "0", "4"}) + ";");
        if (chance(60)) access("");
        if (chance(30)) access("");
        for (int n = 1 + below(2); n > 0; --n) {
            if (chance(30)) say("fence.acq_rel.gpu;");
            const int kind = below(10);
            kind < 6 ? draws() : kind < 8 || has_left_ ? locks() : meets();
        }
        return text_;
    }

private:
    void say(const std::string& line) { text_ += line + "\n"; }
    std::string fresh(const std::string& kind) { return "%" + kind + std::to_string(next_++); }
    // %rd0 is written before the first choice, and perhaps behind it. Other registers always hold the same, or a ticket was added.
    std::string address() {
        if (chance(60)) return pick({"[%rd3]", "[%rd3]", "[%rd1+4]", "[%rd1]", "[%rd3+4]", "[%rd1+8]"});
        if (chance(40)) return pick({"[%rd0]", "[%rd0+4]"});
        const std::string offset = fresh("rd"), at = fresh("rd");
        if (chance(60)) {
            say("mul.wide.u32 " + offset + ", %r2, 4;\nadd.u64 " + at + ", %rd1, " + offset + ";");
            return "[" + at + "]";
        }
        say("mul.wide.u32 " + offset + ", %r0, 4;\nadd.u64 " + at + ", " + pick({"%rd3", "%rd3", "%rd1"}) + ", " + offset + ";");
        return "[" + at + "]";
    }

    void access(const std::string& guard) {
        const std::string r = fresh("r");
        if (chance(45)) return say(guard + "st.global.u32 " + address() + ", " + pick({"5", "%r2"}) + ";");
        say("mov.u32 " + r + ", 0;");
        say(guard + "ld.global.u32 " + r + ", " + address() + ";");
        if (chance(30)) decide(r);
    }
    // The register, or the number of the block, decides about an access.
    void decide(const std::string& r) {
        const std::string p = fresh("p");
        const bool who = chance(15);
        say("setp." + pick({"eq", "ne", "eq"}) + ".u32 " + p + ", " + (who ? "%r2" : r) + ", " + std::to_string(below(3)) + ";");
        if (chance(40)) {
            has_left_ = true;
            return say("@" + p + " bra END;");
        }
        if (chance(15)) return say("@" + p + " " + pick({"mov.u64 %rd0, %rd3", "mov.u64 %rd0, %rd1", "add.u64 %rd0, %rd3, 4"}) + ";");
        if (chance(50)) {
            const std::string slot = fresh("rd"), at = fresh("rd");
            say("mul.wide.u32 " + slot + ", " + r + ", 4;");
            say("add.u64 " + at + ", %rd1, " + slot + ";");
            say("@" + p + " st.global.u32 [" + at + "+16], 1;");
        }
        access("@" + p + " ");
    }
    void draws() {
        const std::string r = fresh("r");
        say("atom." + pick({"acq_rel", "acq_rel", "relaxed", "release"}) + ".gpu.global.add.u32 " + r + ", [%rd2], 1;");
        say("mov.u32 %r0, " + r + ";");
        if (chance(75)) decide(r);
        if (chance(40)) access("");
    }
    // All blocks come to a barrier, or to one that orders too little.
    void meets() {
        const std::string r = fresh("r"), p = fresh("p"), label = "L" + std::to_string(next_++);
        const bool is_weak = chance(25);
        const std::string at = "[%rd2+" + std::to_string(32 + 4 * meetings_++) + "]";
        say("red." + std::string(is_weak ? "relaxed" : "release") + ".gpu.global.add.u32 " + at + ", 1;");
        say(label + ":\nld." + (is_weak ? "relaxed" : "acquire") + ".gpu.global.u32 " + r + ", " + at + ";");
        say("setp.ne.u32 " + p + ", " + r + ", " + std::to_string(blocks_) + ";\n@" + p + " bra " + label + ";");
        access("");
        if (chance(50)) access("");
    }
    void locks() {
        const std::string r = fresh("r"), p = fresh("p"), label = "L" + std::to_string(next_++);
        say(label + ":\natom." + pick({"acquire", "acquire", "relaxed"}) + ".gpu.global.cas.b32 " + r + ", [%rd2+4], 0, 1;");
        say("setp.ne.u32 " + p + ", " + r + ", 0;\n@" + p + " bra " + label + ";");
        access("");
        if (chance(50)) access("");
        say("st." + pick({"release", "release", "relaxed"}) + ".gpu.global.u32 [%rd2+4], 0;");
    }

    int below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
    bool chance(int percent) { return below(100) < percent; }
    std::string pick(const std::vector<std::string>& from) { return from[static_cast<size_t>(below(static_cast<int>(from.size())))]; }

    const int blocks_;
    std::mt19937_64 random_;
    std::string text_;
    int next_ = 6, meetings_ = 0;
    bool has_left_ = false;  // some blocks may have
};

}  // namespace

TEST_CASE("blocks that are alike are exchanged") {
    const std::string reads_all = "ld.global.u32 %r4, [%rd1];\nld.global.u32 %r5, [%rd1+4];\nld.global.u32 %r6, [%rd1+8];\n";
    CHECK(why_not("st.global.u32 [%rd3], %r2;\n" + last_alone + reads_all).empty());
    const sweep::Explored one = explored(same_text("st.global.u32 [%rd3], %r2;\n" + last_alone + reads_all, 3), true);
    CHECK(one.exchanged);
    CHECK(one.all);
    CHECK(one.runs == 1);
    CHECK(one.swept.findings.empty());
    // what a block does before its first choice may depend on its number: then it is not like others
    const std::string some = "setp.eq.u32 %p2, %r2, 1;\n@%p2 ld.global.u32 %r5, [%rd1+60];\n";
    const std::string in_block = "fence.acq_rel.cta;\n";  // no lives (lives.h), which would forget what block 1 has done
    const sweep::Explored apart = explored(same_text(in_block + some + last_alone, 3), true);
    CHECK(apart.not_exchangeable.empty());
    CHECK(apart.runs == 3);  // block 1 comes first, second, or last
    CHECK(explored(same_text(some + last_alone, 3), true).runs == 1);
    // clusters are alike, too; blocks of one cluster, of two GPUs, and some that have not started, are not
    const auto exchanges = [](const std::string& cluster, uint32_t gpus, uint32_t unlaunched) {
        kernel::LaunchTexts texts;
        texts.grid = "4";
        texts.block = "1";
        texts.cluster = cluster;
        texts.unlaunched = unlaunched;
        texts.arguments = {"x=u32[16]", "y=u32[16]"};
        const kernel::Module module = same_text(last_alone, 4).module;
        sweep::Options how;
        how.gpus = gpus;
        return sweep::explore(module, kernel::launch_of(module, texts, [](const std::string&) { return std::string(); }), how).exchanged;
    };
    CHECK(exchanges("1", 1, 0));
    CHECK(exchanges("2", 1, 0));
    CHECK(!exchanges("4", 1, 0));
    CHECK(!exchanges("1", 2, 0));
    CHECK(!exchanges("1", 1, 1));
}

TEST_CASE("what decides by the number of a block") {
    const std::string by_number = "setp.eq.u32 %p2, %r2, 1;\n@%p2 st.global.u32 [%rd1+60], 1;\n";
    CHECK(has(why_not(last_alone + by_number), "the number of a block decides"));
    // what was loaded by it, too, and what was stored there
    CHECK(has(why_not("ld.global.u32 %r4, [%rd3];\n" + last_alone + "setp.eq.u32 %p2, %r4, 1;\n@%p2 fence.acq_rel.gpu;\n"),
              "the number of a block"));
    const std::string stores = ticket + "setp.eq.u32 %p3, %r3, 0;\nselp.u32 %r4, 1, 2, %p3;\nmov.u32 %r5, 7;\n@%p3 mov.u32 %r5, 8;\n";
    CHECK(has(
        why_not(stores +
                "st.global.u32 [%rd3], %r5;\nfence.acq_rel.gpu;\natom.acq_rel.gpu.global.add.u32 %r6, [%rd2+4], 1;\n"
                "setp.ne.u32 %p4, %r6, 2;\n@%p4 bra END;\nld.global.u32 %r7, [%rd1];\nsetp.eq.u32 %p5, %r7, 7;\n@%p5 fence.acq_rel.gpu;\n"),
        "the number of a block decides"));
    // the grid has one row, so that the number of the row names nobody
    const std::string by_row = "mov.u32 %r7, %ctaid.y;\nsetp.eq.u32 %p2, %r7, 1;\n@%p2 st.global.u32 [%rd1+60], 1;\n";
    CHECK(why_not(last_alone + by_row).empty());
    // addresses of strong accesses, of shared memory, and of memory of the thread
    CHECK(has(why_not("red.relaxed.gpu.global.add.u32 [%rd4+16], 1;\n" + last_alone), "the number of a block"));
    CHECK(has(why_not("mov.u32 %r4, own;\nmad.lo.u32 %r5, %r2, 4, %r4;\nst.shared.u32 [%r5], 1;\n" + last_alone), "the number of a block"));
    CHECK(has(why_not("mov.u32 %r4, own;\nmad.lo.u32 %r5, %r2, 4, %r4;\nst.shared.u32 [%r4], 1;\nld.shared.u32 %r6, [%r5];\n" + last_alone),
              "the number of a block"));
    CHECK(has(why_not("mov.u32 %r4, own;\nmad.lo.u32 %r5, %r2, 8, %r4;\nst.bulk.weak.shared::cta [%r5], 8, 0;\n" + last_alone),
              "the number of a block"));
    CHECK(has(why_not("st.relaxed.gpu.global.u32 [%rd4+16], 1;\n" + last_alone), "the number of a block"));
}

TEST_CASE("what might meet under other names") {
    const std::string stores = "st.global.u32 [%rd3], 1;\n", reads = "ld.global.u32 %r4, [%rd1+8];\n";
    // the last block, which has the last ticket in the run, reads its own word
    const std::string relaxed = "atom.relaxed.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.ne.u32 %p1, %r3, 2;\n@%p1 bra END;\n";
    CHECK(has(why_not(stores + relaxed + reads), "might meet"));
    CHECK(explored(same_text(stores + relaxed + reads, 3), true).swept.findings.size() == 1);
    // behind the ticket, by the first block alone
    const std::string first =
        "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra OTHER;\n" + stores + "bra END;\nOTHER:\nsetp.ne.u32 %p1, %r3, 2;\n@%p1 bra END;\n";
    CHECK(has(why_not("atom.relaxed.gpu.global.add.u32 %r3, [%rd2], 1;\n" + first + reads), "not all blocks come to `st.global.u32`"));
    // what all touch behind the ticket is apart from what each has touched by its number, or is not
    const std::string loads = "ld.global.u32 %r4, [%rd4+16];\n", then = ticket + "setp.ne.u32 %p1, %r3, 1;\n@%p1 bra END;\n";
    CHECK(why_not(loads + then + "st.global.u32 [%rd2+32], 1;\n").empty());
    CHECK(has(why_not(loads + relaxed + "st.global.u32 [%rd2+24], 1;\n"), "might meet"));
    CHECK(why_not(loads + then + "st.global.u32 [%rd2+12], 1;\n").empty());  // the word before these
    // before it each touches its own word
    CHECK(why_not("ld.global.u32 %r4, [%rd3];\nst.global.u32 [%rd3], %r4;\n" + last_alone).empty());
}

TEST_CASE("who knows of a choice has made one") {
    // a flag tells block 3, which then reads a number that names the first block
    const std::string polls =
        "setp.eq.u32 %p9, %r2, 3;\n@%p9 bra POLL;\n" + ticket +
        "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra END;\nst.global.u32 [%rd1+8], %r2;\nst.release.gpu.global.u32 [%rd2+8], 1;\nbra END;\n"
        "POLL:\nld.acquire.gpu.global.u32 %r4, [%rd2+8];\nsetp.eq.u32 %p3, %r4, 0;\n@%p3 bra POLL;\n"
        "ld.global.u32 %r5, [%rd1+8];\nSPIN:\nsetp.eq.u32 %p4, %r5, 1;\n@%p4 bra SPIN;\n";
    CHECK(has(why_not(polls, 4), "the number of a block decides"));
    CHECK(explored(same_text(polls, 4), true).swept.findings.size() == 1);
}

namespace {

// The parameters are in %rd0, %rd1 and so on, and the number of the block is in %r2.
sweep::Explored of_arguments(const std::string& text, const std::vector<std::string>& arguments) {
    kernel::LaunchTexts texts;
    texts.grid = "3";
    texts.block = "1";
    texts.arguments = arguments;
    std::string parameters, loads;
    for (size_t n = 0; n < arguments.size(); ++n) {
        const std::string name = "p" + std::to_string(n);
        parameters += (n == 0 ? ".param .u64 " : ", .param .u64 ") + name;
        loads += "ld.param.u64 %rd" + std::to_string(n) + ", [" + name + "];\n";
    }
    const kernel::Module module =
        kernel::testing::module_of(".visible .entry k(" + parameters + ")\n{\n.reg .pred %p<10>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<20>;\n" +
                                   loads + "mov.u32 %r2, %ctaid.x;\n" + text + "END:\nret;\n}\n");
    return sweep::explore(module, kernel::launch_of(module, texts, [](const std::string&) { return std::string(); }), {});
}

}  // namespace

TEST_CASE("behind a choice an address may name the block where all blocks come to it") {
    // it stores, or it does not
    const std::string first = ticket + "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra NEXT;\nst.global.u32 [%rd3], 5;\nNEXT:\n";
    CHECK(has(why_not(first + "atom.acq_rel.gpu.global.add.u32 %r6, [%rd2+4], 1;\nsetp.ne.u32 %p4, %r6, 2;\n@%p4 bra END;\n"
                              "ld.global.u32 %r7, [%rd1+4];\n"),
              "not all blocks come to `st.global.u32`"));
    CHECK(has(why_not(last_alone + "ld.global.u32 %r7, [%rd3+4];\n"), "not all blocks come to `ld.global.u32`"));
    // the last one reads all words, which each has written behind its first choice
    const std::string second = "atom.acq_rel.gpu.global.add.u32 %r6, [%rd2+4], 1;\nsetp.ne.u32 %p4, %r6, 2;\n@%p4 bra END;\n",
                      reads_all = "ld.global.u32 %r4, [%rd1];\nld.global.u32 %r5, [%rd1+4];\nld.global.u32 %r6, [%rd1+8];\n";
    const std::vector<std::pair<std::string, std::string>> right = {
        {"a register that was written before", "st.global.u32 [%rd3], 5;\n"},
        {"one that always holds the same", "mul.wide.u32 %rd10, %r2, 4;\nadd.u64 %rd11, %rd1, %rd10;\nst.global.u32 [%rd11], 5;\n"},
        {"it reads what it has written", "st.global.u32 [%rd3], 5;\nld.global.u32 %r7, [%rd3];\nst.global.u32 [%rd3], %r7;\n"},
        {"before, it was by another address, and ordered",
         "mov.u32 %r10, 0;\nadd.u64 %rd10, %rd4, 32;\nAGAIN:\nst.global.u32 [%rd3], 5;\nld.global.u32 %r7, [%rd10];\n"
         "add.u32 %r10, %r10, 1;\nsetp.eq.u32 %p5, %r10, 1;\n@%p5 bra AGAIN;\n"}};
    // a word that each has written before its first choice decides, by whichever address
    CHECK(why_not("st.global.u32 [%rd3], 5;\n" + last_alone +
                  "ld.global.u32 %r7, [%rd1+4];\nsetp.eq.u32 %p5, %r7, 0;\n"
                  "@%p5 st.global.u32 [%rd2+60], 1;\n")
              .empty());
    // all have read what each writes then
    CHECK(why_not(ticket + reads_all +
                  "red.release.gpu.global.add.u32 [%rd2+8], 1;\nMEET:\nld.acquire.gpu.global.u32 %r5, [%rd2+8];\nsetp.ne.u32 %p1, %r5, 3;\n"
                  "@%p1 bra MEET;\nst.global.u32 [%rd3], 5;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 st.global.u32 [%rd2+60], 1;\n")
              .empty());
    for (const auto& [what, text] : right) {
        CAPTURE(what);
        const sweep::Explored one = explored(same_text(ticket + text + second + reads_all, 3), true);
        CHECK(one.all);
        CHECK(one.exchanged);
        CHECK(one.swept.findings.empty());
        CHECK(one.not_exchangeable.empty());
        CHECK(one.runs <= 3);
    }
}

TEST_CASE("addresses that name the block behind a choice, and what only another order of the blocks shows") {
    struct Case {
        std::string what;
        std::string text;
        const char* block = "1";
    };
    const std::string draws = "atom.relaxed.gpu.global.add.u32 %r3, [%rd2], 1;\n", last = "setp.eq.u32 %p1, %r3, 2;\n",
                      own = "st.global.u32 [%rd3], 5;\n", spins = "SPIN:\n@%p5 bra SPIN;\n";
    // one after the other, by their tickets
    const std::string waits = "WAIT:\nld.acquire.gpu.global.u32 %r5, [%rd2+4];\nsetp.ne.u32 %p1, %r5, %r3;\n@%p1 bra WAIT;\n",
                      tells = "add.u32 %r5, %r3, 1;\nst.release.gpu.global.u32 [%rd2+4], %r5;\n";
    // offset by a word for the last block alone
    const std::string offset = last + "selp.u32 %r4, 4, 0, %p1;\n";
    const std::vector<Case> cases = {
        // the address
        {"its own word and the ticket", draws + "mul.wide.u32 %rd10, %r3, 4;\nadd.u64 %rd11, %rd3, %rd10;\nst.global.u32 [%rd11], 5;\n"},
        {"the ticket tells in which of two places a register is written",
         draws + last +
             "@%p1 bra OTHER;\nmov.u64 %rd10, %rd3;\nbra BOTH;\nOTHER:\nadd.u64 %rd10, %rd3, 4;\nBOTH:\n"
             "st.global.u32 [%rd10], 5;\n"},
        {"a number that its own word has held",
         draws + offset +
             "st.global.u32 [%rd4+16], %r4;\nld.global.u32 %r5, [%rd4+16];\ncvt.u64.u32 %rd10, %r5;\n"
             "add.u64 %rd11, %rd3, %rd10;\nst.global.u32 [%rd11], 5;\n"},
        {"a number that its shared memory has held", draws + offset +
                                                         "st.shared.u32 [own], %r4;\nld.shared.u32 %r5, [own];\ncvt.u64.u32 %rd10, %r5;\n"
                                                         "add.u64 %rd11, %rd3, %rd10;\nst.global.u32 [%rd11], 5;\n"},
        // who comes to it
        {"the first one alone", draws + "setp.eq.u32 %p1, %r3, 0;\n@%p1 " + own + last + "@%p1 ld.global.u32 %r4, [%rd1+8];\n"},
        {"of each block one thread, of the last one another one",
         "setp.ne.u32 %p2, %r1, 0;\n@%p2 bra MEET;\n" + draws +
             "st.shared.u32 [own], %r3;\nMEET:\nbar.sync 0;\n"
             "ld.shared.u32 %r3, [own];\n" +
             last +
             "selp.u32 %r4, 1, 0, %p1;\nadd.u64 %rd10, %rd3, %rd5;\n"
             "mul.wide.u32 %rd11, %r1, 4;\nadd.u64 %rd12, %rd10, %rd11;\nsetp.eq.u32 %p3, %r4, %r1;\n@%p3 st.global.u32 [%rd12], 5;\n"
             "setp.eq.u32 %p4, %r3, 0;\n@%p4 ld.global.u32 %r5, [%rd1+4];\n",
         "2"},
        {"all come to it, by an address that names the last one alone", "mov.u64 %rd10, %rd3;\n" + draws + last +
                                                                            "@!%p1 add.u64 %rd10, %rd2, 60;\nld.global.u32 %r4, [%rd10];\n"
                                                                            "setp.eq.u32 %p2, %r3, 0;\n@%p2 st.global.u32 [%rd1], 5;\n"},
        {"all came to it before, by another address, and the last one comes to it again",
         "add.u64 %rd10, %rd3, 32;\nmov.u32 %r10, 0;\nAGAIN:\nld.global.u32 %r11, [%rd10];\nsetp.ne.u32 %p3, %r10, 0;\n@%p3 bra END;\n"
         "mov.u32 %r10, 1;\nmov.u64 %rd10, %rd3;\n" +
             draws + last +
             "@%p1 bra AGAIN;\nsetp.eq.u32 %p1, %r3, 1;\n"
             "@%p1 st.global.u32 [%rd1], 9;\n"},
        // what else is there
        {"the last one reads a word that is its own in the run", draws + own + last + "@%p1 ld.global.u32 %r4, [%rd1+8];\n"},
        {"the first one does so, before it writes", draws + "setp.eq.u32 %p1, %r3, 0;\n@%p1 ld.global.u32 %r4, [%rd1];\n" + own},
        {"each reads the word of the block before, which has come before in the run",
         draws + "st.global.u32 [%rd3+4], 5;\n" + waits + "ld.global.u32 %r4, [%rd3];\n" + tells},
        {"each reads a word of what the first block has written", "mul.wide.u32 %rd10, %r2, 16;\nadd.u64 %rd11, %rd1, %rd10;\n" + draws +
                                                                      "st.global.v4.u32 [%rd11], {%r2, %r2, %r2, %r2};\n" + waits +
                                                                      "ld.global.u32 %r4, [%rd3+4];\n" + tells},
        {"the first two read the word of the first, which has come before in the run",
         "mul.wide.u32 %rd10, %r2, 8;\nadd.u64 %rd11, %rd1, %rd10;\nshr.u32 %r6, %r2, 1;\nmul.wide.u32 %rd12, %r6, 4;\n"
         "add.u64 %rd13, %rd1, %rd12;\n" +
             draws + "st.global.u32 [%rd11], 5;\n" + waits + "ld.global.u32 %r4, [%rd13];\n" + tells},
        {"the last one comes to its own word, and then to one that is its own in the run",
         "mov.u64 %rd10, %rd3;\n" + draws + "AGAIN:\nst.global.u32 [%rd10], 5;\n" + last +
             "@!%p1 bra END;\nmov.u32 %r3, 7;\n"
             "add.u64 %rd10, %rd1, 8;\nbra AGAIN;\n"},
        // what is found there
        {"the ticket of a block decides", draws +
                                              "st.global.u32 [%rd3], %r3;\natom.acq_rel.gpu.global.add.u32 %r6, [%rd2+4], 1;\n"
                                              "setp.ne.u32 %p4, %r6, 2;\n@%p4 bra END;\nld.global.u32 %r7, [%rd1+4];\n"
                                              "setp.eq.u32 %p5, %r7, 0;\n" +
                                              spins},
    };
    for (const Case& one : cases) {
        CAPTURE(one.what);
        const SameText text = same_text(one.text, "3", one.block);
        CHECK_FALSE(explored(text, false).swept.findings.empty());
        CHECK_FALSE(explored(text, true).swept.findings.empty());
    }
}

TEST_CASE("an address that names the block behind a choice may lead to another array") {
    const std::string text =
        "mul.wide.u32 %rd8, %r2, 8;\nadd.u64 %rd9, %rd1, %rd8;\nld.global.u64 %rd11, [%rd9];\n"
        "atom.relaxed.gpu.global.add.u32 %r3, [%rd0], 1;\nst.global.u32 [%rd11], 1;\nsetp.ne.u32 %p1, %r3, 2;\n@%p1 bra END;\n"
        "ld.global.u32 %r4, [%rd4];\n";
    // the last one, which has written the last array in the run, reads that
    const std::vector<std::string> arguments = {"t=u32[1]", "w=ptrs(a,b,c)", "a=u32[1]", "b=u32[1]", "c=u32[1]"};
    CHECK(of_arguments(text, arguments).swept.findings.size() == 1);
    const auto another = of_arguments(text, {"t=u32[1]", "w=ptrs(a,b,c)", "a=u32[1]", "b=u32[1]", "d=u32[1]", "c=u32[1]"});
    CHECK(another.swept.findings.empty());
    CHECK(another.exchanged);
    // two reads are in no race
    std::string reads = text;
    reads.replace(reads.find("st.global.u32 [%rd11], 1"), 24, "ld.global.u32 %r5, [%rd11]");
    CHECK(of_arguments(reads, arguments).exchanged);
    CHECK(of_arguments(reads, arguments).not_exchangeable.empty());
}

TEST_CASE("what only another order of the blocks shows is found, since blocks are not alike or must not be exchanged") {
    struct Case {
        std::string what;
        const char* grid;
        const char* block;
        std::string text;
    };
    const std::vector<Case> cases = {
        {"the row of the grid is a name, though the first two blocks share it", "2,2", "1",
         "mov.u32 %r5, %ctaid.y;\natom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.ne.u32 %p1, %r3, 3;\n"
         "@%p1 bra END;\nsetp.ne.u32 %p2, %r5, 0;\n@%p2 bra END;\nSPIN:\nbra SPIN;\n"},
        {"of two blocks other warps are marked", "2", "64",
         "and.b32 %r6, %r1, 31;\nsetp.ne.u32 %p2, %r6, 0;\n@%p2 bra END;\nmov.u32 %r9, 0;\nshr.u32 %r5, %r1, 5;\n"
         "setp.eq.u32 %p1, %r5, %r2;\n@%p1 mov.u32 %r9, 1;\natom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\n"
         "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra END;\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra END;\nsetp.eq.u32 %p2, %r9, 1;\n"
         "@%p2 bra END;\nSPIN:\nbra SPIN;\n"},
        {"a compare-and-swap writes, and then does not", "3", "1",
         "ld.global.u32 %r4, [%rd3];\natom.relaxed.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.ne.u32 %p1, %r3, 2;\n"
         "@%p1 bra END;\nmov.u32 %r5, 0;\nAGAIN:\natom.relaxed.gpu.global.cas.b32 %r6, [%rd1+8], 2, 7;\n"
         "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 2;\n@%p2 bra AGAIN;\n"},
        {"the end of a wide read", "3", "1",
         "mul.wide.u32 %rd9, %r2, 8;\nadd.u64 %rd9, %rd9, %rd1;\nst.global.u32 [%rd9+4], 1;\n"
         "atom.relaxed.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.ne.u32 %p1, %r3, 2;\n@%p1 bra END;\n"
         "ld.global.u64 %rd9, [%rd1+16];\n"},
        {"a block that waits executes last what another one does behind its ticket", "3", "1",
         "st.global.u32 [%rd3], 1;\nred.release.gpu.global.add.u32 [%rd2+8], 1;\nmov.u32 %r8, 0;\n"
         "setp.eq.u32 %p1, %r2, 2;\n@%p1 mov.u32 %r8, 1;\n@%p1 bra WAIT;\n"
         "atom.relaxed.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra LOOKS;\nREAD:\n"
         "ld.acquire.gpu.global.u32 %r4, [%rd2+12];\nsetp.ne.u32 %p2, %r4, 1;\n@%p2 bra READ;\nWAIT:\n"
         "ld.acquire.gpu.global.u32 %r4, [%rd2+8];\nsetp.ne.u32 %p2, %r4, 3;\n@%p2 bra WAIT;\n"
         "setp.eq.u32 %p3, %r8, 1;\n@%p3 bra LOOKS;\nst.release.gpu.global.u32 [%rd1], 9;\nbra END;\nLOOKS:\n"
         "ld.acquire.gpu.global.u32 %r5, [%rd1];\nsetp.eq.u32 %p3, %r5, 9;\n@%p3 bra END;\nsetp.eq.u32 %p3, %r8, 1;\n"
         "@%p3 bra LOOKS;\nred.release.gpu.global.add.u32 [%rd2+12], 1;\n"},
    };
    for (const Case& one : cases) {
        CAPTURE(one.what);
        CHECK(explored(same_text(one.text, one.grid, one.block), true).swept.findings.size() == 1);
    }
}

TEST_CASE("who is allocated memory has an address that names the block") {
    const std::string text =
        "{\n.param .b64 size;\n"
        ".param .b64 address;\nst.param.b64 [size], 256;\ncall (address), malloc, (size);\n"
        "ld.param.b64 %rd9, [address];\n}\ncvt.u32.u64 %r9, %rd9;\natom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\n"
        "setp.ne.u32 %p1, %r3, 2;\n@%p1 bra END;\nand.b32 %r9, %r9, 256;\nsetp.eq.u32 %p1, %r9, 0;\n@%p1 bra END;\n"
        "SPIN:\nbra SPIN;\n";
    const SameText one = same_text(text, "3", "1", ".extern .func (.param .b64 func_retval0) malloc(.param .b64 malloc_param_0);\n");
    CHECK(explored(one, true).not_exchangeable == "the kernel allocates memory");
}

TEST_CASE("two reads do not meet, though one of the statements writes later") {
    CHECK(why_not("ld.global.u32 %r4, [%rd3];\nmov.u32 %r5, 99;\nmov.u32 %r6, 0;\n"
                  "atom.relaxed.gpu.global.add.u32 %r3, [%rd2+4], 1;\nAGAIN:\n"
                  "atom.relaxed.gpu.global.cas.b32 %r7, [%rd1+8], %r5, 7;\nsetp.ne.u32 %p1, %r6, 0;\n@%p1 bra END;\n"
                  "atom.acq_rel.gpu.global.add.u32 %r3, [%rd2], 1;\nsetp.ne.u32 %p1, %r3, 2;\n@%p1 bra END;\n"
                  "mov.u32 %r6, 1;\nmov.u32 %r5, 2;\nbra AGAIN;\n")
              .empty());
}

TEST_CASE("the number of a block decides whether it waits") {
    const std::string first = ticket + "mov.u32 %r5, 0;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra FIRST;\n",
                      raises = "st.relaxed.gpu.global.u32 [%rd2+8], 9;\nbra END;\n", spins = "SPIN:\nbra SPIN;\n";
    const std::string polls = "ld.relaxed.gpu.global.u32 %r4, [%rd2+8];\n", ends = "setp.eq.u32 %p2, %r4, 9;\n@%p2 bra END;\n";
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"it decides in a poll", first + raises + "FIRST:\n" + polls + ends + "setp.eq.u32 %p3, %r2, 1;\n@!%p3 bra FIRST;\n" + spins},
        {"a round hands on a value that is the same for block 0 alone",
         first + raises + "FIRST:\n" + polls + "fence.acq_rel.gpu;\n" + ends +
             "setp.eq.u32 %p3, %r5, 1;\n@%p3 bra SPIN;\nand.b32 %r5, %r2, 1;\nbra FIRST;\n" + spins},
        {"another block finds it", first + "setp.ne.u32 %p1, %r3, 1;\n@%p1 bra END;\nPOLL:\n" + polls + ends +
                                       "setp.eq.u32 %p3, %r4, 0;\n@%p3 bra POLL;\n" + spins +
                                       "FIRST:\nand.b32 %r4, %r2, 1;\nst.relaxed.gpu.global.u32 [%rd2+8], %r4;\n" + raises},
    };
    for (const auto& [what, text] : cases) {
        CAPTURE(what);
        CHECK(has(why_not(text), "the number of a block decides"));
        CHECK(explored(same_text(text, 3), true).swept.findings.size() == 1);
    }
}

TEST_CASE("blocks of a launch are exchanged whatever was launched before") {
    const SameText first = same_text("st.global.u32 [%rd3], %r2;\n", 3),
                   second = same_text("ld.global.u32 %r4, [%rd3];\nst.global.u32 [%rd4+16], %r4;\n" + last_alone, 3),
                   by_number =
                       same_text("ld.global.u32 %r4, [%rd3];\n" + ticket + "setp.eq.u32 %p2, %r4, 1;\n@%p2 fence.acq_rel.gpu;\n", 3);
    sweep::Options how;
    how.explores = true;
    const auto of = [&](const SameText& then) {
        return std::move(sweep::sweep_stream({{&first.module, &first.launch}, {&then.module, &then.launch}}, how).at(1));
    };
    const sweep::Streamed alike = of(second);
    CHECK(alike.all_orders);
    CHECK(alike.exchanged);
    CHECK(has(of(by_number).not_exchangeable, "the number of a block decides"));
}

TEST_CASE("an address that names the block may lead to another array") {
    const std::string text =
        "mul.wide.u32 %rd8, %r2, 8;\nadd.u64 %rd9, %rd1, %rd8;\nadd.u64 %rd10, %rd2, %rd8;\nld.global.u64 %rd11, [%rd9];\n"
        "st.global.u32 [%rd11], 1;\natom.relaxed.gpu.global.add.u32 %r3, [%rd0], 1;\nsetp.ne.u32 %p1, %r3, 2;\n@%p1 bra END;\n"
        "ld.global.u64 %rd12, [%rd10];\nld.global.u32 %r4, [%rd12];\n";
    const auto led = [&](const std::string& reads) {
        return of_arguments(text, {"t=u32[1]", "w=ptrs(a,b,c)", "r=ptrs(" + reads + ")", "a=u32[1]", "b=u32[1]", "c=u32[1]"});
    };
    // block 1 reads what block 0 has written, if it comes last
    CHECK(led("a,a,c").swept.findings.size() == 1);
    CHECK(led("a,b,c").swept.findings.empty());
    // two reads are in no race, whatever array they are of
    CHECK(of_arguments(
              "mul.wide.u32 %rd8, %r2, 8;\nadd.u64 %rd9, %rd1, %rd8;\nld.global.u64 %rd10, [%rd9];\nld.global.u32 %r4, [%rd10];\n"
              "atom.relaxed.gpu.global.add.u32 %r3, [%rd0], 1;\nsetp.ne.u32 %p1, %r3, 2;\n@%p1 bra END;\nld.global.u32 %r4, [%rd2];\n",
              {"t=u32[1]", "r=ptrs(a,b,c)", "a=u32[1]", "b=u32[1]", "c=u32[1]"})
              .not_exchangeable.empty());
    // in the run the last block reads the array that it has written itself
    const std::string by_pointer =
        "mul.wide.u32 %rd8, %r2, 8;\nadd.u64 %rd9, %rd1, %rd8;\nld.global.u64 %rd11, [%rd9];\nst.global.u32 [%rd11], 1;\n"
        "atom.relaxed.gpu.global.add.u32 %r3, [%rd0], 1;\nsetp.ne.u32 %p1, %r3, 2;\n@%p1 bra END;\nld.global.u32 %r4, [%rd4];\n";
    CHECK(of_arguments(by_pointer, {"t=u32[1]", "w=ptrs(a,b,c)", "a=u32[1]", "b=u32[1]", "c=u32[1]"}).swept.findings.size() == 1);
}

TEST_CASE("an access past the coherent caches is ordered by itself") {
    const std::string text =
        "mul.wide.u32 %rd8, %r2, 4;\nadd.u64 %rd9, %rd1, %rd8;\nadd.u64 %rd10, %rd2, %rd8;\nld.global.u32 %r8, [%rd10];\n"
        "st.global.u32 [%rd9], 1;\natom.acq_rel.gpu.global.add.u32 %r3, [%rd0], 1;\nsetp.ne.u32 %p1, %r3, 2;\n@%p1 bra END;\n"
        "mul.wide.u32 %rd11, %r8, 4;\nadd.u64 %rd12, %rd1, %rd11;\nld.global.u32 %r4, [%rd9];\nld.global.nc.u32 %r5, [%rd12];\n";
    const std::vector<std::string> arguments = {"t=u32[1]", "x=u32[8]", "i=u32[3]:iota"};
    CHECK(!of_arguments(text, arguments).swept.findings.empty());
}

TEST_CASE("with exchange or without, random kernels show the same") {
    int exchanged = 0, wrong = 0;
    for (uint64_t seed = 1; seed <= 400; ++seed) {
        CAPTURE(seed);
        const int blocks = seed % 4 == 0 ? 2 : 3;
        const std::string text = Text(seed, blocks).draw();
        CAPTURE(text);
        const SameText one = same_text(text, blocks);
        const sweep::Explored alike = explored(one, true), all = explored(one, false);
        // a search that finds something does not come to its end
        if (alike.all) CHECK(all.swept.findings.empty());
        if (all.all) CHECK(alike.swept.findings.empty());
        if (alike.all && alike.not_exchangeable.empty() && all.all) {
            CHECK(alike.swept.out_of_line.empty() == all.swept.out_of_line.empty());
            exchanged += alike.exchanged ? 1 : 0;
        }
        wrong += all.swept.findings.empty() ? 0 : 1;
    }
    CHECK(exchanged > 40);
    CHECK(wrong > 40);
}

TEST_CASE("with exchange of threads or without, random kernels show the same") {
    const std::string of_thread =
        "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd5, %r2, 4;\nadd.u64 %rd3, %rd1, %rd5;\nadd.u64 %rd4, %rd2, %rd5;\n";
    int exchanged = 0, wrong = 0;
    for (uint64_t seed = 1; seed <= 400; ++seed) {
        CAPTURE(seed);
        const std::string text = of_thread + Text(seed, 3).draw();
        CAPTURE(text);
        const SameText one = same_text(text, "1", "3");
        const sweep::Explored alike = explored(one, true), all = explored(one, false);
        if (alike.all) CHECK(all.swept.findings.empty());
        if (all.all) CHECK(alike.swept.findings.empty());
        if (alike.all && all.all) {
            CHECK(alike.swept.out_of_line.empty() == all.swept.out_of_line.empty());
            exchanged += alike.exchanged ? 1 : 0;
        }
        wrong += all.swept.findings.empty() ? 0 : 1;
    }
    CHECK(exchanged > 40);
    CHECK(wrong > 40);
}
