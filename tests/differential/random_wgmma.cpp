// Random tests with wgmma.mma_async: a slot in shared memory is filled, multiplied with, and filled again, by plain stores or bulk copies
// of the same thread or another one, with the fences, commits and waits that this needs, or others. Some have two warps of one warpgroup,
// which multiply the same.
#include "random_wgmma.h"

#include <array>
#include <vector>

#include "random_program.h"

namespace litmus {
namespace {

class WgmmaTest {
public:
    explicit WgmmaTest(uint64_t seed) : random_(seed), title_("wgmma-" + std::to_string(seed)) {}

    std::string text() {
        const bool filled_first = chance(60), other_fills = chance(60), refilled = chance(65), other_refills = chance(60);
        if (filled_first) fill(other_fills ? 1 : 0, other_fills);
        multiply();
        if (refilled) refill(other_refills);
        if (two_warps_) join();
        std::string threads;
        for (size_t t = 0; t < bodies_.size(); ++t) {
            if (t != 0 && bodies_[t].empty()) continue;
            const std::string place = !two_warps_ ? "" : t == 0 ? ".warp0" : t == 1 ? ".warp4" : ".warp1";
            threads += "thread P" + std::to_string(t) + " @ cta0" + place + " {\n" + bodies_[t] + "}\n";
        }
        const std::string term = pick(terms_);
        return "test \"" + title_ + "\"\n\n.shared.cta0 .u64 a[2] = 1;\n.shared.cta0 .u64 b[2] = 0;\n" + declarations_ + "\n" + threads +
               "\n" + pick({"exists", "~exists"}) + " (" + term + " == " + pick({"0", "1", "2", "3"}) + ")\n";
    }

private:
    bool chance(int percent) { return random_.chance(percent); }
    std::string pick(const std::vector<std::string>& from) { return random_.pick(from); }
    void say(size_t thread, const std::string& line) { bodies_[thread] += "  " + line + ";\n"; }
    void maybe(int percent, size_t thread, const std::string& line) {
        if (chance(percent)) say(thread, line);
    }
    void proxy_fence(int percent, size_t thread) { maybe(percent, thread, "fence.proxy.async" + pick({"", ".shared::cta", ".global"})); }

    // What the multiplication is to find, before it, by the other thread or by the same.
    void fill(size_t thread, bool other) {
        if (chance(30)) {
            load(thread, "full");
        } else {
            say(thread, "st.weak.shared::cta.u64 [b], 1");
            proxy_fence(55, thread);
        }
        if (!other) return;
        if (chance(50)) {
            for (const size_t t : {0, 1}) say(t, "bar.sync 0");
        } else {
            declarations_ += ".shared.cta0 .mbarrier go = 1;\n";
            say(1, "mbarrier.arrive." + pick({"release.cta", "release.cta", "relaxed.cta"}) + ".shared::cta.b64 _, [go]");
            say(0, "await mbarrier.try_wait.parity." + pick({"acquire.cta", "acquire.cta", "relaxed.cta"}) + ".shared::cta.b64 [go], 0");
        }
        proxy_fence(20, 0);
    }

    // A bulk copy into the slot, mostly waited for.
    void load(size_t thread, const std::string& object) {
        declarations_ += ".global .u64 g[2] = 2;\n.shared.cta0 .mbarrier " + object + " = 1;\n";
        say(thread, "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [" + object + "], 16");
        say(thread, "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [b], [g], 16, [" + object + "]");
        maybe(80, thread, "await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 [" + object + "], 0");
        loaded_ = true;
    }

    // Another warp of the warpgroup takes part in the multiplication; in some programs it overwrites the slot, mostly behind its own wait.
    void join() {
        say(2, "wgmma.fence.sync.aligned");
        say(2, "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {d0, d1, d2, d3}, [a], [b], 0");
        maybe(90, 2, "wgmma.commit_group.sync.aligned");
        maybe(85, 2, "wgmma.wait_group.sync.aligned " + pick({"0", "0", "1"}));
        if (chance(50)) say(2, "st.weak.shared::cta.u64 [b], 3");
    }

    void multiply() {
        maybe(92, 0, "wgmma.fence.sync.aligned");
        const int operations = !two_warps_ && chance(25) ? 2 : 1;
        for (int k = 0; k < operations; ++k) {
            const bool adds = k > 0 && chance(40);
            const std::string d = k == 0 || adds ? "d" : "e";
            say(0, "wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {" + d + "0, " + d + "1, " + d + "2, " + d + "3}, [a], [b], " +
                       (adds ? "1" : "0"));
            terms_.push_back("P0:" + d + "0");
            maybe(90, 0, "wgmma.commit_group.sync.aligned");
        }
        maybe(85, 0, "wgmma.wait_group.sync.aligned " + pick({"0", "0", "1"}));
    }

    void refill(bool other) {
        if (other) {
            declarations_ += ".shared.cta0 .mbarrier empty = 1;\n";
            say(0, "mbarrier.arrive." + pick({"release.cta", "relaxed.cta"}) + ".shared::cta.b64 _, [empty]");
            say(1, "await mbarrier.try_wait.parity." + pick({"acquire.cta", "relaxed.cta"}) + ".shared::cta.b64 [empty], 0");
        }
        const size_t thread = other ? 1 : 0;
        if (chance(50) && !loaded_) return load(thread, "again");
        say(thread, "st.weak.shared::cta.u64 [b], 3");
    }

    Random random_;
    std::string title_, declarations_;
    std::array<std::string, 3> bodies_;
    std::vector<std::string> terms_;  // what the claim may speak of
    bool two_warps_ = chance(20);
    bool loaded_ = false;
};

}  // namespace

std::string random_wgmma(uint64_t seed) {
    return WgmmaTest(seed).text();
}

}  // namespace litmus
