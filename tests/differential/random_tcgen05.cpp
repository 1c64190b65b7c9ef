// Random tests with tcgen05: one or two parts of tensor memory, two slots in shared memory, an mbarrier object for commits and one for
// arrivals; operations, their commits, waits and fences, and plain stores to the slots between them.
#include "random_tcgen05.h"

#include <vector>

#include "random_program.h"

namespace litmus {
namespace {

constexpr int most_operations = 3;

class Tensors {
public:
    explicit Tensors(uint64_t seed) : random_(seed), title_("tcgen05-" + std::to_string(seed)) {}

    std::string text() {
        if (chance(15)) return across_ctas();
        if (chance(25)) return handed_over();
        if (chance(8)) return asked_once();
        if (chance(8)) return allocated();
        const int threads = chance(25) ? 1 : 2;
        std::vector<std::string> bodies(static_cast<size_t>(threads));
        for (int t = 0; t < threads; ++t) {
            std::string& body = bodies[static_cast<size_t>(t)];
            body = "  mov.b32 q, 3;\n";
            const int most = 1 + random_.below(3);
            for (int k = 0; k < most; ++k) body += instruction(t);
            if (t == 0 && threads == 2) meet(bodies[0], bodies[1]);
            if (t + 1 == threads) body += chance(70) ? load(t) : instruction(t);
            if (t + 1 == threads && chance(50)) body += "  st.weak.shared::cta.u64 [" + slot() + "], 2;\n";
        }
        std::string result = head();
        for (size_t t = 0; t < bodies.size(); ++t) result += "thread P" + std::to_string(t) + " @ cta0 {\n" + bodies[t] + "}\n";
        return result + "\n" + claim();
    }

private:
    std::string claim() {
        if (terms_.empty()) return "exists (b[0] == 2)\n";
        return pick({"exists", "~exists"}) + " (" + random_.pick(terms_) + " == " + pick({"0", "1", "2", "3"}) + asked_ + ")\n";
    }

    // A slot that a thread of another CTA writes again, behind the multiplication that reads it.
    std::string across_ctas() {
        std::string first = "  tcgen05.mma.cta_group::1.kind::i8 [d], [a], [b], 0x04020000, 0;\n" + commit() + wait("done", 0) + after();
        std::string second = chance(70) ? "  fence.proxy.async;\n" : proxy_fence();
        first += load(0) + (chance(40) ? proxy_fence() : "");
        for (std::string* body : {&first, &second}) {
            const std::string meets = "  barrier.cluster.arrive;\n  barrier.cluster.wait;\n";
            *body = body == &first ? *body + meets : meets + *body;
        }
        return "test \"" + title_ + "\"\n\n.tmem.cta0 d;\n.tmem.cta0 e;\n.shared.cta0 .u64 a[1] = 1;\n.shared.cta0 .u64 b[1] = 1;\n" +
               ".shared.cta0 .mbarrier done = 1;\n\nthread P0 @ cta0 {\n" + first + "}\nthread P1 @ cta1 {\n" + second +
               "  st.weak.shared::cluster.u64 [b], 2;\n}\n\n" + claim();
    }

    // A part or a slot that one thread hands to another: each of the fences and waits on the way may be missing.
    std::string handed_over() {
        std::string first, second;
        const bool of_slot = chance(35);
        if (of_slot) first += "  st.weak.shared::cta.u64 [b], 2;\n" + (chance(80) ? "  fence.proxy.async.shared::cta;\n" : proxy_fence());
        first += chance(70) || of_slot ? multiply("d", pick({"0", "1"})) : copy("d", slot());
        if (of_slot) {
            first += commit();
            second = wait("done", 1) + after() + proxy_fence() + "  st.weak.shared::cta.u64 [b], 3;\n";
        } else {
            first += before() + "  mbarrier.arrive.relaxed.cluster.shared::cta.b64 _, [free];\n";
            second = wait("free", 1) + after() + (chance(70) ? multiply("d", pick({"0", "1"})) : copy("d", slot())) + commit() +
                     wait("done", 1) + after() + load(1);
        }
        return head() + "thread P0 @ cta0 {\n" + first + "}\nthread P1 @ cta0 {\n" + second + "}\n\n" +
               (of_slot ? pick({"exists", "~exists"}) + " (b[0] == " + pick({"2", "3"}) + ")\n" : claim());
    }

    // A thread asks once whether the commit behind its operation has arrived, and loads what it wrote, whatever the answer.
    std::string asked_once() {
        const std::string how = pick({"relaxed.cluster", "acquire.cta"});
        const std::string body = copy("d", "a") + commit() + "  mbarrier.test_wait.parity." + how + ".shared::cta.b64 p, [done], " +
                                 pick({"0", "1"}) + ";\n" + after() + load(0);
        asked_ = " && P0:p == " + pick({"0", "1"});
        return head() + "thread P0 @ cta0 {\n" + body + "}\n\n" + claim();
    }

    // Two warps allocate columns and give them back, in an order that a barrier may force.
    std::string allocated() {
        std::string result = head() + ".shared.cta0 .u32 at = 0;\n\n";
        for (int t = 0; t < 2; ++t) {
            const std::string columns = pick({"256", "512", "512"});
            const std::string allocates = "  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [at], " + columns + ";\n";
            const std::string gives_back = "  tcgen05.dealloc.cta_group::1.sync.aligned.b32 " + part() + ", " + columns + ";\n";
            const std::string gives_up = chance(30) ? "  tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n" : "";
            const std::string meets = "  bar.sync 0;\n";
            result += "thread P" + std::to_string(t) + " @ cta0 {\n" + (chance(50) ? meets : "") + allocates +
                      (chance(80) ? gives_back : "") + gives_up + (chance(50) ? meets : "") + "}\n";
        }
        return result + "\nexists (at == 32)\n";
    }

    std::string head() const {
        return "test \"" + title_ + "\"\n\n.tmem.cta0 d;\n.tmem.cta0 e;\n.shared.cta0 .u64 a[1] = 1;\n.shared.cta0 .u64 b[1] = 1;\n" +
               ".shared.cta0 .mbarrier done = 1;\n.shared.cta0 .mbarrier free = 1;\n\n";
    }

    std::string multiply(const std::string& part, const std::string& accumulate) {
        return "  tcgen05.mma.cta_group::1.kind::i8 [" + part + "], [a], [b], " + pick({"0x04020000", "0x04020000", "0x08020000"}) + ", " +
               accumulate + ";\n";
    }
    static std::string copy(const std::string& part, const std::string& slot) {
        return "  tcgen05.cp.cta_group::1.4x256b [" + part + "], [" + slot + "];\n";
    }

    bool chance(int percent) { return random_.chance(percent); }
    std::string pick(const std::vector<std::string>& from) { return random_.pick(from); }
    std::string part() { return chance(85) ? "d" : "e"; }
    std::string slot() { return chance(85) ? "b" : "a"; }
    std::string before() { return chance(75) ? "  tcgen05.fence::before_thread_sync;\n" : ""; }
    std::string after() { return chance(75) ? "  tcgen05.fence::after_thread_sync;\n" : ""; }
    std::string proxy_fence() {
        return chance(60) ? "  fence.proxy.async" + pick({".shared::cta", ".shared::cta", "", ".global"}) + ";\n" : "";
    }

    std::string wait(const std::string& object, int thread) {
        const std::string how = pick({"relaxed.cluster", "relaxed.cluster", "acquire.cluster", "acquire.cta"}) + ".shared::cta.b64 ";
        if (chance(85)) return "  await mbarrier.try_wait.parity." + how + "[" + object + "], 0;\n";
        asked_ = " && P" + std::to_string(thread) + ":p == 0";
        return "  mbarrier.test_wait.parity." + how + "p, [" + object + "], " + pick({"0", "1"}) + ";\n";
    }

    std::string commit() {
        committed_ = true;
        return "  tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];\n";
    }

    // From the one thread to the other, or nothing.
    void meet(std::string& from, std::string& to) {
        const int way = random_.below(100);
        if (way < 15) return;
        if (way < 40 && !committed_) {
            from += commit();
            to += wait("done", 1) + after();
        } else if (way < 65) {
            from += before() + "  bar.sync 0;\n";
            to += "  bar.sync 0;\n" + after();
        } else {
            from += before() + "  mbarrier.arrive." + pick({"relaxed.cluster", "release.cluster"}) + ".shared::cta.b64 _, [free];\n";
            to += wait("free", 1) + after();
        }
        to += chance(40) ? proxy_fence() : "";
    }

    std::string load(int thread) {
        const std::string name = "r" + std::to_string(terms_.size());
        terms_.push_back("P" + std::to_string(thread) + ":" + name);
        return "  tcgen05.ld.sync.aligned.32x32b.x1.b32 {" + name + "}, [" + part() + "];\n" +
               (chance(70) ? "  tcgen05.wait::ld.sync.aligned;\n" : "") + (chance(25) ? use(name) : "");
    }

    // What becomes of a result: it is read, or written again, or loaded again.
    std::string use(const std::string& name) {
        const std::string write =
            chance(60) ? "  mov.b32 " + name + ", 1;\n" : "  tcgen05.ld.sync.aligned.32x32b.x1.b32 {" + name + "}, [" + part() + "];\n";
        return (chance(40) ? "  add.u32 s, " + name + ", 1;\n" : "") + (chance(70) ? write : "");
    }

    std::string instruction(int thread) {
        const int kind = random_.below(100);
        if (kind < 20 || operations_ >= most_operations)
            return (chance(30) ? proxy_fence() : "") + "  st.weak.shared::cta.u64 [" + slot() + "], " + pick({"2", "3"}) + ";\n" +
                   proxy_fence();
        ++operations_;
        if (kind < 55)
            return multiply(part(), pick({"0", "1"})) +
                   (chance(40) && !committed_ ? commit() + (chance(70) ? wait("done", thread) + after() : "") : "");
        if (kind < 75) return copy(part(), slot());
        if (kind < 92)
            return "  tcgen05.st.sync.aligned.32x32b.x1.b32 [" + part() + "], {q};\n" +
                   (chance(60) ? "  tcgen05.wait::" + pick({"st", "st", "ld"}) + ".sync.aligned;\n" : "");
        return "  tcgen05.dealloc.cta_group::1.sync.aligned.b32 " + part() + ", 32;\n";
    }

    Random random_;
    std::string title_;
    std::vector<std::string> terms_;  // what the claim may speak of
    std::string asked_;               // and what a wait that may return false returned
    bool committed_ = false;          // the one arrival that `done` expects is there
    int operations_ = 0;
};

}  // namespace

std::string random_tcgen05(uint64_t seed) {
    return Tensors(seed).text();
}

}  // namespace litmus
