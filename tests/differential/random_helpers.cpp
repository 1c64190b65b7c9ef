// Random tests with st.bulk, discard, clusterlaunchcontrol, the addresses of a cluster, reads past the coherent caches, elections and
// replicated threads.
//
// Each is a message between two threads: the first does something to memory, hands over in one of the ways there are, or in none, and the
// second looks. Hints stand in between, which change nothing.
#include "random_helpers.h"

#include <array>
#include <vector>

#include "random_program.h"

namespace litmus {
namespace {

class Message {
public:
    explicit Message(uint64_t seed) : random_(seed), title_("helpers-" + std::to_string(seed)) {}

    std::string text() {
        const int kind = random_.below(100);
        if (kind >= 92) return replicas();
        places_ = {"cta0", random_.pick(std::vector<std::string>{"cta0", "cta1"})};
        if (kind < 17)
            fill();
        else if (kind < 30)
            discard();
        else if (kind < 46)
            cancel();
        else if (kind < 64)
            requests();
        else if (kind < 74)
            addresses();
        else if (kind < 84)
            read_only();
        else
            elect();
        std::string threads;
        for (size_t t = 0; t < bodies_.size(); ++t)
            threads += "thread P" + std::to_string(t) + " @ " + places_[t] + " {\n" + bodies_[t] + "}\n";
        return "test \"" + title_ + "\"\n\n" + declarations_ + "\n" + threads + "\n" + claim();
    }

private:
    bool chance(int percent) { return random_.chance(percent); }
    std::string pick(const std::vector<std::string>& from) { return random_.pick(from); }
    void declare(const std::string& line) { declarations_ += line + ";\n"; }
    void say(size_t thread, const std::string& line) { bodies_[thread] += "  " + line + ";\n"; }
    void maybe(int percent, size_t thread, const std::string& line) {
        if (chance(percent)) say(thread, line);
    }
    bool together() const { return places_[0] == places_[1]; }

    std::string fresh() { return "r" + std::to_string(registers_++); }
    std::string result(size_t thread) {
        const std::string name = fresh();
        terms_.push_back("P" + std::to_string(thread) + ":" + name);
        return name;
    }

    std::string claim() {
        if (terms_.empty()) return "racefree\n";
        const auto atom = [&] { return pick(terms_) + " == " + pick({"0", "1", "3", "5", "7"}); };
        return pick({"exists", "~exists", "forall"}) + " (" + atom() + (chance(40) ? " /\\ " + atom() : "") + ")\n";
    }

    void hint(size_t thread) { maybe(12, thread, "nanosleep.u32 20"); }
    void proxy_fence(int percent, size_t thread) {
        maybe(percent, thread, "fence.proxy.async" + pick({"", "", ".shared::cta", ".global"}));
    }

    // From one thread to the other.
    void hand_over(size_t from, size_t to) {
        hint(from);
        const int way = random_.below(100);
        if (way < 12) return;
        if (way < 40 && together()) {
            for (const size_t t : {from, to}) say(t, "bar.sync 0");
        } else if (way < 62) {
            const bool relaxed = chance(30);
            for (const size_t t : {from, to}) {
                say(t, relaxed ? "barrier.cluster.arrive.relaxed" : "barrier.cluster.arrive");
                say(t, "barrier.cluster.wait");
            }
        } else {
            declare(".global .u32 f = 0");
            say(from, "st." + pick({"release.gpu", "release.gpu", "release.cta", "relaxed.gpu"}) + ".global.u32 [f], 1");
            hint(to);
            say(to, "await ld." + pick({"acquire.gpu", "acquire.gpu", "relaxed.gpu"}) + ".global.u32 " + fresh() + ", [f] == 1");
        }
    }

    // The tile leaves by a bulk copy, and is looked at where it went.
    void copy_out(size_t thread) {
        declare(".global .u64 g[2] = 9");
        proxy_fence(60, thread);
        say(thread, "cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16");
        maybe(90, thread, "cp.async.bulk.commit_group");
        maybe(85, thread, "cp.async.bulk.wait_group" + pick({"", "", ".read"}) + " 0");
        say(thread, "ld.weak.global.u64 " + result(thread) + ", [g" + pick({"", "+8"}) + "]");
    }

    // ---- ranges of memory ---------------------------------------------------------------------------------

    void fill() {
        places_[1] = "cta0";
        declare(".shared.cta0 .u64 s[2] = 5");
        maybe(40, 0, "st.weak.shared::cta.u64 [s], 3");
        say(0, "st.bulk.weak.shared::cta [s], 16, 0");
        maybe(20, 0, "st.weak.shared::cta.u64 [s+8], 1");
        proxy_fence(35, 0);
        const size_t who = chance(70) ? 1 : 0;
        if (who == 1) hand_over(0, 1);
        if (who == 0) say(1, "ld.weak.shared::cta.u64 " + result(1) + ", [s]");
        if (chance(45)) return copy_out(who);
        say(who,
            chance(70) ? "ld.weak.shared::cta.u64 " + result(who) + ", [s" + pick({"", "+8"}) + "]" : "st.weak.shared::cta.u64 [s], 7");
    }

    void discard() {
        declare(".global .u64 g[16] = 3");
        const size_t who = chance(50) ? 0 : 1;
        maybe(50, 0, chance(50) ? "ld.weak.global.u64 " + result(0) + ", [g]" : "st.weak.global.u64 [g], 1");
        if (who == 1) hand_over(0, 1);
        say(who, "discard.global.L2 [g], 128");
        maybe(45, who, "st.weak.global.u64 [g], 5");
        if (who == 0) hand_over(0, 1);
        maybe(60, 1, "ld.weak.global.u64 " + result(1) + ", [g" + pick({"", "", "+8"}) + "]");
    }

    // ---- an asynchronous request ----------------------------------------------------------------------------

    void cancel() {
        const bool everywhere = !together() && chance(50);
        declare(everywhere ? ".shared .u64 s[2] = 7" : ".shared.cta0 .u64 s[2] = 7");
        declare(everywhere ? ".shared .mbarrier bar = 1" : ".shared.cta0 .mbarrier bar = 1");
        const std::string expect = "mbarrier.arrive.expect_tx." + pick({"release.cta", "relaxed.cta"}) + ".shared::cta.b64 _, [bar], ";
        const std::string wait =
            "await mbarrier.try_wait.parity." + pick({"acquire.cta", "acquire.cluster", "relaxed.cluster"}) + ".shared::cta.b64 [bar], 0";
        const std::string look = "ld.weak.shared::cta.u64 ";
        if (everywhere) {
            say(1, expect + "16");
            if (chance(70)) hand_over(1, 0);
        } else {
            maybe(25, 0, "st.weak.shared::cta.u64 [s], 3");
            proxy_fence(25, 0);
        }
        say(0, expect + pick({"16", "16", "16", "8"}));
        say(0, "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes" +
                   std::string(everywhere ? ".multicast::cluster::all" : "") + ".b128 [s], [bar]");
        maybe(85, 0, wait);
        maybe(60, 0, look + result(0) + ", [s]");
        if (everywhere) {
            maybe(85, 1, wait);
            say(1, look + result(1) + ", [s" + pick({"", "+8"}) + "]");
        } else if (together()) {
            if (chance(50)) hand_over(0, 1);
            say(1, chance(60) ? look + result(1) + ", [s]" : "st.weak.shared::cta.u64 [s], 1");
        } else {
            hand_over(0, 1);
        }
    }

    std::string expect(int bytes) const {
        return "mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [bar], " + std::to_string(bytes);
    }
    std::string wait(const std::string& bar) {
        return "await mbarrier.try_wait.parity." + pick({"acquire.cluster", "acquire.cluster", "relaxed.cluster"}) + ".shared::cta.b64 [" +
               bar + "], 0";
    }

    // What the thread makes of an answer.
    void ask(size_t thread) {
        say(thread, "ld." + pick({"", "weak."}) + "shared::cta.b128 h, [s]");
        say(thread, "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, h");
        say(thread, "selp.u32 " + result(thread) + ", 1, 0, p");
        if (chance(35))
            say(thread, pick({"@p ", "@p ", "", "@!p "}) + "clusterlaunchcontrol.query_cancel.get_first_ctaid" +
                            pick({"::x.b32.b128 x", "::z.b32.b128 x", ".v4.b32.b128 {x, _, _, _}"}) + ", h");
    }

    // Two requests one after the other, the second perhaps by another thread, or to where the answer to the first one comes.
    void requests() {
        if (chance(50)) declare(".unlaunched " + pick({"0", "1", "1"}));
        const bool everywhere = !together() && chance(50), over = chance(25), asks = chance(75);
        const std::string where = together() ? ".shared.cta0" : ".shared";
        declare(where + " .u64 s[2] = " + pick({"7", "0", "1"}));
        declare(where + " .mbarrier bar = 1");
        const std::string request = "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes";
        const std::string all = everywhere ? ".multicast::cluster::all" : "";
        if (everywhere) {
            say(1, expect(16));
            for (const size_t t : {0, 1}) {
                say(t, "barrier.cluster.arrive");
                say(t, "barrier.cluster.wait");
            }
        }
        const bool early = chance(25);
        if (early) {
            ask(0);
            proxy_fence(80, 0);
        }
        say(0, expect(over ? 32 : 16));
        say(0, request + (over ? "" : all) + ".b128 [s], [bar]");
        if (over) say(0, request + ".b128 [s], [bar]");
        maybe(85, 0, wait("bar"));
        if (asks && !early) ask(0);
        if (over) return;
        declare(where + " .u64 t[2] = 7");
        declare(where + " .mbarrier next = 2");
        const size_t who = chance(60) ? 1 : 0;
        if (everywhere && chance(80)) {
            say(1, wait("bar"));
            if (chance(40)) ask(1);
        }
        if (who == 1) hand_over(0, 1);
        const std::string guard = who == 0 && asks ? pick({"@p ", "@p ", "", "@!p "}) : "";
        say(who, guard + request + ".b128 [t], [next]");
    }

    // ---- the addresses of a cluster, reads past the coherent caches ------------------------------------------

    void addresses() {
        declare(".shared .u32 s = 0");
        say(0, "mapa.shared::cluster.u32 there, s, " + (together() ? "0" : pick({"0", "1", "1"})));
        maybe(40, 0, "getctarank.shared::cluster.u32 " + result(0) + ", there");
        say(0, "st." + pick({"weak", "relaxed.cluster"}) + ".shared::cluster.u32 [there], 7");
        hand_over(0, 1);
        if (chance(50)) {
            say(1, "mov.u64 at, s");
            say(1, "cvta.shared.u64 at, at");
            say(1, "isspacep." + pick({"shared::cta", "shared::cluster", "global"}) + " p, at");
            say(1, "selp.u32 " + result(1) + ", 1, 0, p");
            say(1, pick({"@p ", "@!p ", ""}) + "ld.weak.u32 " + result(1) + ", [at]");
        } else {
            say(1, "ld.weak.shared::cta.u32 " + result(1) + ", [s]");
        }
        if (chance(50)) return;  // who leaves early takes its memory along
        for (const size_t t : {0, 1}) {
            say(t, "barrier.cluster.arrive");
            say(t, "barrier.cluster.wait");
        }
    }

    void read_only() {
        declare(".global .u32 x = 0");
        maybe(35, 0, "ld.global.nc.u32 " + result(0) + ", [x]");
        say(0, "st." + pick({"weak", "relaxed.gpu"}) + ".global.u32 [x], 1");
        maybe(30, 0, "prefetch.global.L2 [x]");
        hand_over(0, 1);
        say(1, "ld.global.nc.u32 " + result(1) + ", [x]");
        maybe(50, 1, "ld.weak.global.u32 " + result(1) + ", [x]");
    }

    // ---- a warp's leader, replicas ----------------------------------------------------------------------------

    void elect() {
        places_ = {"cta0.warp0", "cta0.warp0.lane1"};
        declare(".global .u32 x = 0");
        const std::string store = "st." + pick({"weak", "relaxed.gpu"}) + ".global.u32 [x], ";
        const bool meets = chance(50), looks = chance(50);
        for (const size_t t : {0, 1}) {
            const std::string number = std::to_string(t + 1);
            maybe(15, t, store + number);
            say(t, "elect.sync " + result(t) + "|p, 3");
            say(t, pick({"@p ", "@p ", "@!p "}) + store + number);
            if (meets) say(t, "bar.warp.sync 3");
            if (looks || chance(30)) say(t, "ld.weak.global.u32 " + result(t) + ", [x]");
        }
    }

    std::string replicas() {
        const std::string n = pick({"2", "2", "3"}), sem = pick({"release", "relaxed", "acq_rel"});
        const bool asks = chance(50);
        std::string body = "  st.weak.global.u32 [part[%i]], %i+1;\n  " +
                           (asks ? "atom." + sem + ".gpu.global.add.u32 r0, [count], 1;\n  setp.ne.u32 p, r0, " : std::string());
        if (asks)
            body += std::to_string(std::stoi(n) - 1) + ";\n  @p exit;\n";
        else
            body += "red." + std::string(sem == "acq_rel" ? "release" : sem) + ".gpu.global.add.u32 [count], 1;\n  await ld." +
                    pick({"acquire", "acquire", "relaxed"}) + ".gpu.global.u32 r0, [count] >= " + n + ";\n";
        body += "  ld.weak.global.u32 r1, [part];\n";
        return "test \"" + title_ + "\"\n\n.global .u32 part[3] = 0;\n.global .u32 count = 0;\n\nthread W[" + n + "] @ " +
               pick({"cta%i", "cluster%i.cta%i", "cta0"}) + " {\n" + body + "}\n\n" + pick({"exists", "~exists"}) +
               " (W.1:r1 == " + pick({"0", "1"}) + ")\n";
    }

    Random random_;
    std::string title_, declarations_;
    std::array<std::string, 2> places_, bodies_;
    std::vector<std::string> terms_;  // what the claim may speak of
    int registers_ = 0;
};

}  // namespace

std::string random_helpers(uint64_t seed) {
    return Message(seed).text();
}

}  // namespace litmus
