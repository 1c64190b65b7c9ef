// Random tests with asynchronous operations.
//
// Whether an asynchronous operation is ordered with something is decided by what stands around it: accesses to what it
// reads and writes, what leads to its issue, its completion, who waits for that, and what leads on from there. So each
// program is drawn as such a story, every part of it optional and of random strength:
//
//     thread a accesses, fences -> synchronization -> thread b fences, issues the operation
//     thread w waits for it, fences -> synchronization -> thread c fences, accesses or issues the next operation
//
// where a, b, w and c are some of the two or three threads. Then pieces are dropped until the program is small enough,
// and sometimes one more to spoil it, and sometimes a fence or an arrival is put anywhere.
#include "random_async.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "random_helpers.h"
#include "random_multimem.h"
#include "random_program.h"
#include "random_tcgen05.h"
#include "random_tensor.h"
#include "random_wgmma.h"
#include "random_words.h"

namespace litmus {
namespace {

constexpr int most_events = 8;

// A few instructions of one thread, kept or dropped together.
struct Piece {
    int thread = 0;
    std::vector<std::string> text;
    int events = 0;
    bool essential = false;
};

struct Memory {
    std::string name;
    int cta = -1;  // -1: global; `each_cta`: one instance in each
    bool array = false;
    int initial = 0;
};
constexpr int each_cta = -2;

struct Place {
    int cluster = 0;
    int cta = 0;
    std::string text;
};

class Story {
public:
    explicit Story(uint64_t seed) : random_(seed), title_("async-" + std::to_string(seed)) {}

    std::string text() {
        draw_places();
        initialise();
        operation(chance(30));
        if (chance(25)) noise();
        fit();
        return print();
    }

private:
    bool chance(int percent) { return random_.chance(percent); }
    template <typename T>
    const T& pick(const std::vector<T>& from) {
        return random_.pick(from);
    }
    int any_thread() { return random_.below(static_cast<int>(threads_.size())); }

    // ---- where threads are -----------------------------------------------------------------------

    void draw_places() {
        const int shape = random_.below(100);
        const auto at = [&](int cluster, int cta, std::string more = {}) {
            const std::string prefix = cluster > 0 ? "cluster" + std::to_string(cluster) + "." : "";
            threads_.push_back({cluster, cta, prefix + "cta" + std::to_string(cta) + more});
        };
        if (shape < 55) {
            at(0, 0);
            at(0, 1);
        } else if (shape < 80) {
            at(0, 0);
            at(0, 0);
        } else if (shape < 85) {
            lanes_ = true;
            at(0, 0, ".warp0.lane0");
            at(0, 0, ".warp0.lane1");
        } else {
            at(0, 0);
            at(1, 1);
        }
        if (!chance(40)) return;
        const Place& like = pick(threads_);
        at(like.cluster, like.cta, lanes_ ? ".warp1" : "");
    }

    bool same_cta(int a, int b) const { return at(a).cta == at(b).cta; }
    bool same_cluster(int a, int b) const { return at(a).cluster == at(b).cluster; }
    const Place& at(int thread) const { return threads_[static_cast<size_t>(thread)]; }

    std::vector<int> threads_in(int cta) const {
        std::vector<int> result;
        for (size_t t = 0; t < threads_.size(); ++t)
            if (threads_[t].cta == cta) result.push_back(static_cast<int>(t));
        return result;
    }

    // A CTA of the thread's cluster other than its own; -1: there is none.
    int peer(int thread) const {
        for (const Place& p : threads_)
            if (p.cluster == at(thread).cluster && p.cta != at(thread).cta) return p.cta;
        return -1;
    }

    // ---- memory ----------------------------------------------------------------------------------

    // The location of that letter in a CTA.
    size_t memory(const std::string& name, int cta, bool array, int initial) {
        for (size_t m = 0; m < memory_.size(); ++m)
            if (memory_[m].name.rfind(name, 0) == 0 && memory_[m].cta == cta) return m;
        memory_.push_back({name + std::to_string(memory_.size()), cta, array, initial});
        return memory_.size() - 1;
    }

    bool reaches(int thread, const Memory& m) const {
        if (m.cta == -1 || m.cta == each_cta || m.cta == at(thread).cta) return true;
        for (const Place& p : threads_)
            if (p.cta == m.cta) return p.cluster == at(thread).cluster;
        return false;
    }

    std::string space(int thread, const Memory& m) const {
        if (m.cta == -1) return "global";
        return m.cta == each_cta || m.cta == at(thread).cta ? "shared::cta" : "shared::cluster";
    }

    std::string scope_for(int a, int b) {
        if (chance(10)) return pick(std::vector<std::string>{"cta", "cluster", "gpu"});
        if (same_cta(a, b)) return pick(std::vector<std::string>{"cta", "cta", "cluster", "gpu"});
        if (same_cluster(a, b)) return pick(std::vector<std::string>{"cluster", "cluster", "gpu"});
        return "gpu";
    }

    std::string any_scope() { return pick(std::vector<std::string>{"cta", "cluster", "gpu"}); }
    std::string mbarrier_scope() { return chance(40) ? "cta" : "cluster"; }

    // ---- pieces ----------------------------------------------------------------------------------

    Piece& add(int thread, std::vector<std::string> text, int events, bool essential = false) {
        pieces_.push_back({thread, std::move(text), events, essential});
        return pieces_.back();
    }

    std::string new_register() { return "r" + std::to_string(registers_++); }
    std::string new_value() { return std::to_string(++value_); }

    // An access to what the story is about; a plain load, a plain store or anything.
    void access(int thread, size_t where, int kind) {
        const Memory& m = memory_[where];
        if (!reaches(thread, m)) return;
        const std::string in = space(thread, m);
        const std::string element = m.array && chance(6) ? "+4" : "";
        const std::string address = "[" + m.name + element + "]";
        if (kind < loads) {
            const std::string r = new_register();
            note(thread, r);
            const std::string load = m.cta == -1 && chance(8) ? "ld.global.nc" : "ld.weak." + in;  // 9.7.9.9
            add(thread, {load + ".u32 " + r + ", " + address}, 1);
        } else if (kind < stores) {
            add(thread, {"st.weak." + in + ".u32 " + address + ", " + new_value()}, 1);
        } else if (kind < 83) {
            const std::string r = new_register();
            note(thread, r);
            add(thread,
                {"ld." + pick(std::vector<std::string>{"relaxed", "acquire"}) + "." + any_scope() + "." + in + ".u32 " + r + ", " +
                 address},
                1);
        } else if (kind < 90) {
            add(thread, {"st.relaxed." + any_scope() + "." + in + ".u32 " + address + ", " + new_value()}, 1);
        } else {
            add(thread, {"red.relaxed." + any_scope() + "." + in + ".add.u32 " + address + ", 16"}, 1);
        }
    }

    static constexpr int loads = 45, stores = 75;  // below which a random number means a plain load, a plain store

    void note(int thread, const std::string& r) { observed_.push_back("P" + std::to_string(thread) + ":" + r); }

    std::string fence(const std::vector<std::string>& semantics) {
        const auto has = [&](const char* one) { return std::find(semantics.begin(), semantics.end(), one) != semantics.end(); };
        if (chance(18)) {
            const bool releases = has("release") && (!has("acquire") || chance(50));
            return releases ? "fence.release.sync_restrict::shared::cta.cluster" : "fence.acquire.sync_restrict::shared::cluster.cluster";
        }
        return "fence." + pick(semantics) + "." + any_scope();
    }

    // A fence of the async proxy, mostly one that covers `where`.
    void proxy_fence(int thread, size_t where) {
        static const std::vector<std::string> kinds = {"", ".global", ".shared::cta", ".shared::cluster"};
        std::string kind = pick(kinds);
        if (chance(60)) kind = chance(40) ? "" : "." + space(thread, memory_[where]);
        if (chance(space(thread, memory_[where]) == "shared::cluster" ? 35 : 8)) kind = ".shared::cta";
        add(thread, {"fence.proxy.async" + kind}, 0);
    }

    void pair_release(int thread) { add(thread, {"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster"}, 0); }
    void pair_acquire(int thread) { add(thread, {"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster"}, 0); }

    // ---- synchronization from one thread to another -------------------------------------------------

    void synchronize(int a, int b, bool strong = false) {
        if (a == b) return;
        const int way = random_.below(100);
        if (same_cta(a, b)) {
            if (way < 40) return cta_barrier(at(a).cta);
            if (way < 60) return flag(a, b);
            if (way < 82) return handover(a, b);
            if (way < 90) return cluster_barrier(at(a).cluster, strong);
        } else if (same_cluster(a, b)) {
            if (way < 40) return cluster_barrier(at(a).cluster, strong);
            if (way < 60) return flag(a, b);
            if (way < 90) return handover(a, b);
        } else if (way < 90) {
            return flag(a, b);
        }
    }

    void cta_barrier(int cta) {
        for (const int t : threads_in(cta)) add(t, {"bar.sync 0"}, 0, true);
    }

    void cluster_barrier(int cluster, bool strong) {
        const bool relaxed = !strong && chance(relaxed_ ? 75 : 35);
        for (int t = 0; t < static_cast<int>(threads_.size()); ++t) {
            if (at(t).cluster != cluster) continue;
            if (relaxed && chance(relaxed_ ? 10 : 45)) add(t, {fence({"release", "acq_rel", "acq_rel", "sc"})}, 0);
            add(t, {relaxed ? "barrier.cluster.arrive.relaxed" : "barrier.cluster.arrive", "barrier.cluster.wait"}, 0, true);
        }
    }

    void flag(int a, int b) {
        const size_t f = memory("f", same_cta(a, b) && chance(40) ? at(a).cta : -1, false, 0);
        const Memory& m = memory_[f];
        const std::string scope = scope_for(a, b), in = space(a, m) + ".u32";
        const std::string value = new_value();
        const int release = random_.below(100);
        const std::string address = "[" + m.name + "]";
        if (release < 50)
            add(a, {"st.release." + scope + "." + in + " " + address + ", " + value}, 1);
        else if (release < 85)
            add(a, {fence({"acq_rel", "release", "sc"}), "st.relaxed." + scope + "." + in + " " + address + ", " + value}, 1);
        else
            add(a, {"st.relaxed." + scope + "." + in + " " + address + ", " + value}, 1);
        const int acquire = random_.below(100);
        if (chance(10)) {
            add(b, {"red.relaxed." + scope + "." + space(b, m) + ".add.u32 " + address + ", 16", fence({"acq_rel", "acquire", "sc"})}, 1);
            return;
        }
        const std::string r = new_register();
        const bool awaits = chance(80);
        if (!awaits) note(b, r);
        const auto load = [&](const std::string& semantics) {
            return (awaits ? "await " : "") + ("ld." + semantics) + "." + scope + "." + space(b, m) + ".u32 " + r + ", " + address +
                   (awaits ? " == " + value : "");
        };
        if (acquire < 50)
            add(b, {load("acquire")}, 1);
        else if (acquire < 85)
            add(b, {load("relaxed"), fence({"acq_rel", "acquire", "sc"})}, 1);
        else
            add(b, {load("relaxed")}, 1);
    }

    // By an mbarrier object of its own, in b's CTA.
    void handover(int a, int b) {
        const std::string go = object("go", at(b).cta, 1);
        const std::string in = at(a).cta == at(b).cta ? "shared::cta" : "shared::cluster";
        const std::string scope = chance(15) ? "cta" : mbarrier_scope_for(a, b);
        std::vector<std::string> arrival;
        const bool relaxed = chance(relaxed_ ? 75 : 35);
        if (relaxed && chance(relaxed_ ? 10 : 55)) arrival.push_back(fence({"release", "acq_rel"}));
        arrival.push_back(std::string("mbarrier.arrive.") + (relaxed ? "relaxed." : "release.") + (relaxed ? "cluster" : scope) + "." + in +
                          ".b64 _, [" + go + "]");
        add(a, arrival, 1);
        wait(b, go, "0", scope);
    }

    std::string mbarrier_scope_for(int a, int b) { return same_cta(a, b) && chance(60) ? "cta" : "cluster"; }

    // Awaits a phase of an object, or asks once.
    void wait(int thread, const std::string& object, const std::string& phase, const std::string& scope, bool token = false) {
        const bool relaxed = chance(25);
        const std::string what = std::string(token ? "" : ".parity") + (relaxed ? ".relaxed." : ".acquire.") +
                                 (relaxed ? "cluster" : scope) + ".shared::cta.b64 ";
        std::vector<std::string> text;
        if (chance(85)) {
            text.push_back("await mbarrier.try_wait" + what + "[" + object + "], " + phase);
        } else {
            const std::string r = new_register();
            note(thread, r);
            const std::string p = "p" + std::to_string(registers_);
            text = {"mbarrier.test_wait" + what + p + ", [" + object + "], " + phase, "selp.u32 " + r + ", 1, 0, " + p};
        }
        if (relaxed && chance(60)) text.push_back(fence({"acquire", "acq_rel", "sc"}));
        add(thread, std::move(text), 1, true);
    }

    // ---- mbarrier objects ---------------------------------------------------------------------------

    struct Object {
        std::string name;
        int cta = 0;  // or each_cta
        int count = 0;
        bool raw = false;
    };

    std::string object(const std::string& name, int cta, int count) {
        objects_.push_back({name + std::to_string(objects_.size()), cta, count, false});
        return objects_.back().name;
    }

    // The object on which the operation completes; now and then the program initialises it itself.
    void initialise() { raw_ = chance(18); }

    void make_raw(const std::string& name, int cta, size_t before) {
        Object& o = *std::find_if(objects_.begin(), objects_.end(), [&](const Object& x) { return x.name == name; });
        if (cta == each_cta || threads_in(cta).empty()) return;
        o.raw = true;
        std::vector<Piece> later(pieces_.begin() + static_cast<std::ptrdiff_t>(before), pieces_.end());
        pieces_.resize(before);
        const int t = pick(threads_in(cta));
        add(t, {"mbarrier.init.shared::cta.b64 [" + name + "], " + std::to_string(o.count)}, 1, true);
        const bool fenced = chance(50);
        if (fenced) add(t, {"fence.mbarrier_init.release.cluster"}, 0);
        if (chance(85)) {
            if (threads_in(cta).size() == threads_.size() && chance(60))
                cta_barrier(cta);
            else
                cluster_barrier(at(t).cluster, false);
        }
        pieces_.insert(pieces_.end(), later.begin(), later.end());
    }

    // ---- the operation ------------------------------------------------------------------------------

    // What an asynchronous operation is made of.
    struct Operation {
        std::vector<std::string> text;  // with %m for the object
        size_t source = SIZE_MAX, target = SIZE_MAX;
        int bytes = 0;
        int events = 0;
        int cta = -1;  // of the mbarrier object; -1: none
        bool bulk_group = false;
        bool copy_group = false;
        bool mma_group = false;
        bool arrives = false;  // by cp.async.mbarrier.arrive, not by bytes
        bool multicast = false;
        bool polled = false;  // an atomic or strong write that a load may poll
    };

    size_t global_array(const char* name = "g") { return memory(name, -1, true, 40 + static_cast<int>(memory_.size())); }
    size_t shared_array(int cta, const char* name = "s") { return memory(name, cta, true, 50 + static_cast<int>(memory_.size())); }

    Operation draw_operation(int issuer) {
        const int other = peer(issuer), own = at(issuer).cta;
        const char* const global_source = second_ ? "h" : "g";  // so that two operations bring different values
        const char* const shared_source = second_ ? "u" : "s";
        const int kind = random_.below(100);
        Operation x;
        const auto name = [&](size_t m) { return "[" + memory_[m].name + "]"; };
        if (other >= 0 && kind < 20) {
            x.target = memory("x", other, false, 0);
            x.text = {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." +
                      pick(std::vector<std::string>{"add", "max"}) + ".u32 " + name(x.target) + ", " +
                      std::to_string(pick(std::vector<int>{1, 1, 1, 32})) + ", [%m]"};
            x.bytes = 4, x.events = 2, x.cta = other, x.polled = true;
        } else if (other >= 0 && kind < 32) {
            const int cta = chance(80) ? other : own;
            const bool two = chance(35);
            x.target = two ? shared_array(cta, "v") : memory("x", cta, false, 0);
            x.text = {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes." + std::string(two ? "v2." : "") + "u32 " +
                      name(x.target) + ", " + (two ? "{" + new_value() + ", " + new_value() + "}" : new_value()) + ", [%m]"};
            x.bytes = two ? 8 : 4, x.events = two ? 3 : 2, x.cta = cta;
        } else if (other >= 0 && kind < 44) {
            const bool reduces = chance(50);
            x.source = shared_array(own, shared_source), x.target = shared_array(other);
            x.text = {std::string(reduces ? "cp.reduce" : "cp") + ".async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes" +
                      (reduces ? ".add.u32 " : " ") + name(x.target) + ", " + name(x.source) + ", 16, [%m]"};
            x.bytes = 16, x.events = 3, x.cta = other;
        } else if (other >= 0 && kind < 56) {
            x.source = global_array(global_source), x.target = memory("m", each_cta, true, 0);
            x.text = {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster " + name(x.target) + ", " +
                      name(x.source) + ", 16, [%m], 3"};
            x.bytes = 16, x.events = 5, x.cta = each_cta, x.multicast = true;
        } else if (kind < 70) {
            const int cta = other >= 0 && chance(50) ? other : own;
            x.source = global_array(global_source), x.target = shared_array(cta);
            x.text = {std::string("cp.async.bulk.") + (cta == own ? "shared::cta" : "shared::cluster") +
                      ".global.mbarrier::complete_tx::bytes " + name(x.target) + ", " + name(x.source) + ", 16, [%m]"};
            x.bytes = 16, x.events = 3, x.cta = cta;
        } else if (kind < 74 && !lanes_) {  // two lanes of a warp would both have to do it
            x.source = x.target = shared_array(own, shared_source);
            const size_t ones = memory("w", own, true, 1);
            const std::string d = new_register();
            note(issuer, d);
            x.text = {"wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.u8 {" + d + ", " + d + "x, " + d + "y, " + d + "z}, " + name(ones) +
                      ", " + name(x.source) + ", 0"};
            if (chance(95)) x.text.insert(x.text.begin(), "wgmma.fence.sync.aligned");
            x.events = 3, x.mma_group = true;
        } else if (kind < 86) {
            const bool reduces = chance(60);
            x.source = shared_array(own, shared_source), x.target = global_array();
            x.text = {std::string(reduces ? "cp.reduce" : "cp") + ".async.bulk.global.shared::cta.bulk_group" +
                      (reduces ? ".add.u32 " : " ") + name(x.target) + ", " + name(x.source) + ", 16"};
            x.events = 2, x.bulk_group = true;
        } else if (kind < 93) {
            x.source = global_array(global_source), x.target = shared_array(own);
            x.text = {"cp.async.ca.shared::cta.global " + name(x.target) + ", " + name(x.source) + ", 4"};
            x.events = 2;
            x.arrives = chance(50);
            x.copy_group = !x.arrives;
            if (x.arrives) x.cta = own, x.events = 3;
        } else {
            const bool reduces = chance(50);
            x.target = memory("f", -1, false, 0);
            const std::string scope = chance(80) ? "gpu" : "sys";
            x.text = {reduces ? "red.async.release." + scope + ".global.add.u32 " + name(x.target) + ", 1"
                              : "st.async.release." + scope + ".global.u32 " + name(x.target) + ", 1"};
            x.events = 1, x.polled = true;
        }
        return x;
    }

    // An operation that mostly meets another one in memory.
    Operation draw_meeting(const Operation& x, int issuer) {
        second_ = true;
        Operation result = draw_operation(issuer);
        for (int k = 0; k < 8 && chance(80); ++k) {
            if (result.target == x.target || result.target == x.source || result.source == x.target) break;
            result = draw_operation(issuer);
        }
        return result;
    }

    // What one side of the story accesses, and how.
    struct Focus {
        size_t where = 0;
        int kind = 0;
    };

    Focus focus_on(const Operation& x, size_t payload) {
        const int which = random_.below(100);
        const size_t where = which < 40 ? x.target : which < 65 && x.source != SIZE_MAX ? x.source : payload;
        return {where, x.polled && where == x.target && chance(30) ? 95 : random_.below(100)};
    }

    // The other side: often the same location, with a load for a store.
    Focus answer_to(const Focus& first, const Operation& x, size_t payload) {
        if (chance(40)) return focus_on(x, payload);
        const bool stored = first.kind >= loads;
        return {first.where, stored && chance(85) ? 0 : random_.below(100)};
    }

    size_t about(const Operation& x) { return x.source != SIZE_MAX && chance(50) ? x.source : x.target; }

    void operation(bool another) {
        const size_t start = pieces_.size();
        const int b = any_thread();
        int a = chance(30) ? b : any_thread();
        const Operation x = draw_operation(b);
        const size_t payload = memory("y", chance(50) ? -1 : at(b).cta, false, 0);
        // before
        const bool paired = chance(14);
        Focus focus = focus_on(x, payload);
        polls_ = x.polled && chance(35);
        if (polls_ && chance(50)) {
            focus = {payload, loads};
            a = b;
        }
        if (paired && a == b) a = any_thread();
        if (paired && chance(70)) focus = {about(x), chance(70) ? loads : 0};
        if (chance(80)) access(a, focus.where, focus.kind);
        if (chance(15)) access(a, focus_on(x, payload).where, random_.below(100));
        relaxed_ = paired && chance(60);
        if (paired)
            pair_release(a);
        else if (chance(30))
            proxy_fence(a, about(x));
        if (chance(15)) {
            const int relay = any_thread();
            synchronize(a, relay);
            if (chance(70)) proxy_fence(relay, about(x));
            synchronize(relay, b);
        } else {
            synchronize(a, b);
        }
        if (paired && chance(90))
            pair_acquire(b);
        else if (chance(30))
            proxy_fence(b, about(x));
        if (chance(polls_ ? 50 : 20)) add(b, {fence({"release", "acq_rel", "sc"})}, 0);
        relaxed_ = false;
        const int w = issue(x, b, a);
        // after
        if (chance(12)) access(b, focus_on(x, payload).where, random_.below(100));
        const int c = (another || x.multicast) && chance(60) ? any_thread() : pick(std::vector<int>{w, w, any_thread()});
        const Focus last = x.multicast && chance(60) ? Focus{x.target, 0} : answer_to(focus, x, payload);
        if (chance(15)) proxy_fence(w, about(x));
        synchronize(w, c);
        if (chance(20)) proxy_fence(c, about(x));
        if (another) {
            polls_ = false;
            const int e = issue(draw_meeting(x, c), c, c);
            synchronize(e, w);
            if (chance(60)) access(pick(std::vector<int>{e, w}), last.where, last.kind);
        } else {
            access(c, last.where, last.kind);
            if (chance(30)) access(c, focus_on(x, payload).where, random_.below(100));
        }
        if (raw_ && first_object_ != "") make_raw(first_object_, first_cta_, start);
    }

    // Issues the operation, and waits for it: in which thread is returned. `helper` may bring an arrival of its own.
    int issue(const Operation& x, int b, int helper) {
        if (x.bulk_group || x.copy_group || x.mma_group) return issue_grouped(x, b);
        if (x.cta == -1) {
            add(b, x.text, x.events, true);
            return poll(x, b);
        }
        return issue_on_object(x, b, helper);
    }

    int issue_grouped(const Operation& x, int b) {
        std::vector<std::string> text = x.text;
        const std::string prefix = x.mma_group ? "wgmma." : x.bulk_group ? "cp.async.bulk." : "cp.async.";
        const std::string aligned = x.mma_group ? ".sync.aligned" : "";
        if (chance(95)) text.push_back(prefix + "commit_group" + aligned);
        add(b, text, x.events, true);
        if (chance(10)) return b;
        if (x.copy_group && chance(25))
            add(b, {"cp.async.wait_all"}, 0);
        else
            add(b, {prefix + "wait_group" + (x.bulk_group && chance(35) ? ".read" : "") + aligned + (chance(90) ? " 0" : " 1")}, 0);
        return b;
    }

    // A load that takes the operation's own write for its signal.
    int poll(const Operation& x, int b) {
        const int w = any_thread();
        const Memory& m = memory_[x.target];
        if (!reaches(w, m)) return b;
        const std::string r = new_register();
        const bool acquires = chance(60);
        note(w, r);
        const std::string load = std::string(acquires ? "ld.acquire." : "ld.relaxed.") + (m.cta == -1 ? "gpu." : "cluster.") + space(w, m) +
                                 ".u32 " + r + ", [" + m.name + "]";
        std::vector<std::string> text{(chance(60) ? "await " + load + " == 1" : load)};
        if (!acquires && chance(70)) text.push_back(fence({"acquire", "acq_rel"}));
        add(w, std::move(text), 1);
        return w;
    }

    int issue_on_object(const Operation& x, int b, int helper) {
        const int cta = x.multicast ? pick(std::vector<int>{at(b).cta, peer(b)}) : x.cta;
        const std::vector<int> near = threads_in(cta);
        const int w = near.empty() ? b : pick(near);
        const bool joins = !x.multicast && helper != w && (helper != b || chance(50)) && same_cluster(helper, w) && chance(22);
        const bool no_increment = x.arrives && chance(60);
        const std::string bar = object("bar", x.cta, 1 + (joins ? 1 : 0));
        if (first_object_.empty()) first_object_ = bar, first_cta_ = x.cta;
        std::vector<std::string> text = x.text;
        if (const size_t m = text[0].find("%m"); m != std::string::npos) text[0].replace(m, 2, bar);
        if (x.arrives)
            text.push_back(std::string("cp.async.mbarrier.arrive") + (no_increment ? ".noinc" : "") + ".shared::cta.b64 [" + bar + "]");
        const std::string bytes = std::to_string(chance(96) ? x.bytes : x.bytes * 2);
        bool token = false;
        const std::string state = "t" + bar;
        const auto expect = [&] {
            const int who = random_.below(100);
            if (x.arrives) {
                if (!no_increment) add(w, {"mbarrier.arrive.release." + mbarrier_scope() + ".shared::cta.b64 _, [" + bar + "]"}, 1, true);
            } else if (who < 12 && b != w && !x.multicast) {
                const std::string in = same_cta(b, w) ? "shared::cta" : "shared::cluster";
                add(b, {"mbarrier.arrive.expect_tx." + sem_scope() + "." + in + ".b64 _, [" + bar + "], " + bytes}, 1, true);
            } else if (who < 20) {
                const std::string expects = "mbarrier.expect_tx.relaxed." + mbarrier_scope() + ".shared::cta.b64 [" + bar + "], " + bytes;
                const std::string arrives = arrival() + sem_scope() + ".shared::cta.b64 _, [" + bar + "]";
                add(w, chance(75) ? std::vector<std::string>{expects, arrives} : std::vector<std::string>{arrives, expects}, 2, true);
            } else {
                token = chance(15);
                add(w,
                    {(chance(10) ? "mbarrier.arrive_drop.expect_tx." : "mbarrier.arrive.expect_tx.") + sem_scope() + ".shared::cta.b64 " +
                     (token ? state : "_") + ", [" + bar + "], " + bytes},
                    1, true);
            }
        };
        const bool first = b != w || chance(75);
        if (first) expect();
        if (joins) {
            const std::string in = at(helper).cta == cta ? "shared::cta" : "shared::cluster";
            add(helper, {arrival() + sem_scope() + "." + in + ".b64 _, [" + bar + "]"}, 1, true);
        }
        add(b, text, x.events, true);
        if (!first) expect();
        if (polls_) return poll(x, b);
        if (chance(4)) return w;
        wait(w, bar, token ? state : chance(94) ? "0" : "1", mbarrier_scope(), token);
        if (chance(7)) add(w, {arrival() + sem_scope() + ".shared::cta.b64 _, [" + bar + "]"}, 1);
        return w;
    }

    std::string arrival() { return chance(90) ? "mbarrier.arrive." : "mbarrier.arrive_drop."; }
    std::string sem_scope() {
        return chance(50) ? "release." + mbarrier_scope() : "relaxed." + std::string(chance(40) ? "cta" : "cluster");
    }

    // ---- disturbances -------------------------------------------------------------------------------

    // Two threads each store what only mentions a value, or depends on it, read from the other: load buffering.
    void circle(int a, int b) {
        if (a == b) return;
        const size_t x = memory("k", -1, false, 0), y = memory("l", -1, false, 0);
        for (const auto& [thread, from, to] : {std::tuple(a, x, y), std::tuple(b, y, x)}) {
            const std::string r = new_register(), v = new_register();
            note(thread, r);
            std::vector<std::string> text = {"ld.relaxed.gpu.global.u32 " + r + ", [" + memory_[from].name + "]"};
            if (chance(70)) {
                text.push_back("and.b32 " + v + ", " + r + ", " + (chance(70) ? "0" : "3"));
                text.push_back("add.u32 " + v + ", " + v + ", 1");
            } else {
                text.push_back("mov.u32 " + v + ", 1");
            }
            text.push_back("st.relaxed.gpu.global.u32 [" + memory_[to].name + "], " + v);
            add(thread, std::move(text), 2);
        }
    }

    void noise() {
        const int t = any_thread();
        const int kind = random_.below(100);
        Piece piece;
        piece.thread = t;
        if (kind < 10) return circle(t, any_thread());
        if (kind < 25) return exchange(t);
        if (kind < 45) {
            piece.text = {fence({"acq_rel", "sc", "acquire", "release"})};
        } else if (kind < 65 || objects_.empty()) {
            piece.text = {"fence.proxy.async" + pick(std::vector<std::string>{"", ".global", ".shared::cta", ".shared::cluster"})};
        } else if (lanes_) {
            for (const int lane : {0, 1}) {
                const std::string r = new_register();
                note(lane, r);
                pieces_.insert(pieces_.begin() + random_.below(static_cast<int>(pieces_.size()) + 1),
                               {lane, {"redux.sync.add.u32 " + r + ", " + new_value() + ", 3"}, 0, true});
            }
            return;
        } else {
            const Object& o = pick(objects_);
            if (o.cta != at(t).cta) return;
            const int what = random_.below(100);
            if (what < 60)
                piece.text = {arrival() + sem_scope() + ".shared::cta.b64 _, [" + o.name + "]"};
            else if (what < 80)
                piece.text = std::vector<std::string>(chance(30) ? 2 : 1, "mbarrier.inval.shared::cta.b64 [" + o.name + "]");
            else
                piece.text = {"mbarrier.init.shared::cta.b64 [" + o.name + "], 1"};
            piece.events = 1;
        }
        pieces_.insert(pieces_.begin() + random_.below(static_cast<int>(pieces_.size()) + 1), piece);
    }

    // Exchanges two neighbours in a thread.
    void exchange(int thread) {
        std::vector<size_t> own;
        for (size_t i = 0; i < pieces_.size(); ++i)
            if (pieces_[i].thread == thread) own.push_back(i);
        if (own.size() < 2) return;
        const auto k = static_cast<size_t>(random_.below(static_cast<int>(own.size()) - 1));
        std::swap(pieces_[own[k]], pieces_[own[k + 1]]);
    }

    // Drops pieces until the program is small enough; now and then one more.
    void fit() {
        if (chance(10) && pieces_.size() > 3) pieces_.erase(pieces_.begin() + random_.below(static_cast<int>(pieces_.size())));
        for (;;) {
            int events = 0;
            std::vector<size_t> optional, all;
            for (size_t i = 0; i < pieces_.size(); ++i) {
                events += pieces_[i].events;
                if (pieces_[i].events == 0) continue;
                all.push_back(i);
                if (!pieces_[i].essential) optional.push_back(i);
            }
            if (events <= most_events) return;
            const size_t gone = optional.empty() ? all.back() : pick(optional);
            pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(gone));
        }
    }

    // ---- text ---------------------------------------------------------------------------------------

    // A wait by a state token that nothing before it gives becomes one by parity.
    static std::string by_known_token(const std::string& line, const std::string& before) {
        const size_t token = line.rfind(" tbar"), wait = line.find("_wait.");
        if (wait == std::string::npos || token == std::string::npos) return line;
        const std::string name = line.substr(token);
        if (before.find(name + ",") != std::string::npos) return line;
        return line.substr(0, wait + 5) + ".parity" + line.substr(wait + 5, token - wait - 5) + " 0";
    }

    std::string body(int thread) const {
        std::string result;
        for (const Piece& p : pieces_) {
            if (p.thread != thread) continue;
            for (const std::string& line : p.text) result += "  " + by_known_token(line, result) + ";\n";
        }
        return result;
    }

    std::string print() {
        std::string bodies;
        for (int t = 0; t < static_cast<int>(threads_.size()); ++t)
            bodies += "thread P" + std::to_string(t) + " @ " + at(t).text + " {\n" + body(t) + "}\n";
        const auto used = [&](const std::string& name) {
            return bodies.find("[" + name + "]") != std::string::npos || bodies.find("[" + name + "+") != std::string::npos;
        };
        std::string result = "test \"" + title_ + "\"\n\n";
        // those without a CTA first, as they are laid out
        for (const bool each : {true, false}) {
            for (const Memory& m : memory_) {
                if (!used(m.name) || (m.cta == each_cta) != each) continue;
                const std::string where = m.cta == -1 ? ".global" : m.cta == each_cta ? ".shared" : ".shared.cta" + std::to_string(m.cta);
                result += where + " .u32 " + m.name + (m.array ? "[4]" : "") + " = " + std::to_string(m.initial) + ";\n";
                if (!each) named_.push_back(m.array ? m.name + "[0]" : m.name);
            }
            for (const Object& o : objects_) {
                if (!used(o.name) || (o.cta == each_cta) != each) continue;
                result += (each ? ".shared" : ".shared.cta" + std::to_string(o.cta)) + " .mbarrier " + o.name +
                          (o.raw ? "" : " = " + std::to_string(o.count)) + ";\n";
            }
        }
        result += "\n" + bodies + "\n" + claim(bodies) + "\n";
        return result;
    }

    std::string claim(const std::string& bodies) {
        std::vector<std::string> terms = named_;
        for (const std::string& r : observed_) {
            const std::string name = r.substr(r.find(':') + 1);
            if (bodies.find(" " + name + ",") != std::string::npos) terms.push_back(r);
        }
        if (terms.empty()) return "";
        const auto atom = [&] { return pick(terms) + " == " + std::to_string(random_.below(value_ + 1)); };
        std::string condition = atom();
        if (chance(50)) condition += (chance(75) ? " /\\ " : " \\/ ") + atom();
        const std::string filter = chance(6) ? "filter (" + atom() + ")\n" : "";
        return filter + pick(std::vector<std::string>{"exists", "~exists", "forall"}) + " (" + condition + ")";
    }

    Random random_;
    std::string title_;
    std::vector<Place> threads_;
    std::vector<Memory> memory_;
    std::vector<Object> objects_;
    std::vector<Piece> pieces_;
    std::vector<std::string> observed_;  // "P1:r0"
    std::vector<std::string> named_;     // what the claim may speak of
    std::string first_object_;
    int first_cta_ = 0;
    int registers_ = 0;
    int value_ = 2;
    bool lanes_ = false;    // the first two threads are lanes of one warp
    bool relaxed_ = false;  // synchronization is mostly by relaxed operations
    bool raw_ = false;
    bool second_ = false;  // the operation being drawn is
    bool polls_ = false;   // the operation's write is taken for its signal
};

}  // namespace

namespace {

struct Kind {
    std::string name;
    std::string (*random)(uint64_t seed);
    int share;  // of a hundred programs of any kind; the rest are stories
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all = {
        {"story", [](uint64_t seed) { return Story(seed).text(); }, 0},
        {"multimem", random_multimem, 8},
        {"tensor", random_tensor, 8},
        {"tcgen05", random_tcgen05, 8},
        {"wgmma", random_wgmma, 4},
        {"helpers", random_helpers, 6},
        {"words", random_words, 4},
    };
    return all;
}

}  // namespace

const std::vector<std::string>& async_kinds() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> result;
        for (const Kind& kind : kinds()) result.push_back(kind.name);
        return result;
    }();
    return names;
}

const std::string& any_async_kind(uint64_t seed) {
    int drawn = static_cast<int>(seed % 100);
    for (const Kind& kind : kinds()) {
        if (drawn < kind.share) return kind.name;
        drawn -= kind.share;
    }
    return kinds().front().name;
}

std::string random_async(uint64_t seed, const std::string& kind) {
    const auto found = std::find_if(kinds().begin(), kinds().end(), [&](const Kind& k) { return k.name == kind; });
    if (found == kinds().end()) throw std::logic_error("no kind of asynchronous programs: " + kind);
    return found->random(seed);
}

}  // namespace litmus
