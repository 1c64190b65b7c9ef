// Each shipped model on executions drawn by hand: the named shapes, and each rule that sets the PTX
// models apart. What is checked is which axioms fail, not only that some do.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "sketch.h"

using namespace litmus;

namespace {

using Axioms = std::string;  // of axioms, in the order of the model

const Model& model(const std::string& name) {
    static std::map<std::string, Model> models;
    const auto it = models.find(name);
    return it != models.end() ? it->second : models.emplace(name, load_model(name, {})).first->second;
}

Axioms sc(Sketch& s) {
    return broken(model("sc"), s.execution());
}
Axioms tso(Sketch& s) {
    return broken(model("tso"), s.execution());
}
Axioms ptx60(Sketch& s) {
    return broken(model("ptx-6.0"), s.execution());
}
Axioms ptx75(Sketch& s) {
    return broken(model("ptx-7.5"), s.execution());
}
Axioms ptx(Sketch& s) {
    return broken(model("ptx"), s.execution());
}

void check_all_ptx(Sketch& s, const Axioms& expected) {
    CHECK(ptx60(s) == expected);
    CHECK(ptx75(s) == expected);
    CHECK(ptx(s) == expected);
}

const Axioms none, causality = "causality", sc_order = "sequential-consistency", global_order = "global-order";

// Two threads in different CTAs of one GPU. P0: data, flag. P1: flag seen, data missed.
void message_passing(Sketch& s, Sem write, Sem read, Scope scope) {
    s.thread(0);
    s.write(0);
    const size_t flag = s.write(1, write, scope);
    s.thread(1);
    s.rf(flag, s.read(1, read, scope));
    s.rf(s.init(0), s.read(0));
}

// Each thread writes its own location and misses the other's write; fences between, when given.
void store_buffering(Sketch& s, Sem fence, Scope scope) {
    size_t fences[2];
    for (const int t : {0, 1}) {
        s.thread(t);
        s.write(t);
        if (fence != Sem::weak) fences[t] = s.fence(fence, scope);
        s.rf(s.init(1 - t), s.read(1 - t));
    }
    if (fence == Sem::sc && scope != Scope::cta) s.sc(fences[0], fences[1]);
}

// Each thread reads what the other writes afterwards.
void load_buffering(Sketch& s, bool dependent) {
    size_t reads[2], writes[2];
    for (const int t : {0, 1}) {
        s.thread(t);
        s.init(1 - t);
        reads[t] = s.read(t);
        writes[t] = s.write(1 - t);
        if (dependent)
            for (const char* dependency : {"data", "decides"}) s.relate(dependency, reads[t], writes[t]);
    }
    s.rf(writes[0], reads[1]);
    s.rf(writes[1], reads[0]);
}

// One thread reads the new value, then the old one.
void read_read(Sketch& s, Sem sem, Scope scope) {
    s.thread(0);
    const size_t w = s.write(0, sem, scope);
    s.thread(1);
    s.rf(w, s.read(0, sem, scope));
    s.rf(s.init(0), s.read(0, sem, scope));
}

// Both threads write both locations, and each location keeps what its first writer wrote.
void two_plus_two_writes(Sketch& s, Sem sem, Scope scope, bool fenced) {
    size_t first[2], second[2], fences[2];
    for (const int t : {0, 1}) {
        s.thread(t);
        first[t] = s.write(t, sem, scope);
        if (fenced) fences[t] = s.fence(Sem::sc, Scope::gpu);
        second[t] = s.write(1 - t, sem, scope);
    }
    s.co(second[0], first[1]);
    s.co(second[1], first[0]);
    if (fenced) s.sc(fences[0], fences[1]);
}

}  // namespace

TEST_CASE("message passing") {
    SUBCASE("weak") {
        Sketch s;
        message_passing(s, Sem::weak, Sem::weak, Scope::none);
        CHECK(sc(s) == sc_order);
        CHECK(tso(s) == global_order);
        check_all_ptx(s, none);
        CHECK(raised(model("ptx"), s.execution()) == "data-race");
    }
    SUBCASE("release and acquire, in scope") {
        Sketch s;
        message_passing(s, Sem::release, Sem::acquire, Scope::gpu);
        CHECK(sc(s) == sc_order);
        CHECK(tso(s) == global_order);
        check_all_ptx(s, causality);
        CHECK(raised(model("ptx"), s.execution()) == none);
    }
    SUBCASE("release and acquire, out of scope") {
        Sketch s;
        message_passing(s, Sem::release, Sem::acquire, Scope::cta);
        check_all_ptx(s, none);
        CHECK(raised(model("ptx"), s.execution()) == "data-race");
    }
    SUBCASE("relaxed") {
        Sketch s;
        message_passing(s, Sem::relaxed, Sem::relaxed, Scope::sys);
        check_all_ptx(s, none);
    }
    SUBCASE("fences") {
        const auto with = [](Sketch& s, Sem writer, Sem reader) {
            s.thread(0);
            s.write(0);
            s.fence(writer, Scope::gpu);
            const size_t flag = s.write(1, Sem::relaxed, Scope::gpu);
            s.thread(1);
            s.rf(flag, s.read(1, Sem::relaxed, Scope::gpu));
            s.fence(reader, Scope::gpu);
            s.rf(s.init(0), s.read(0));
        };
        for (const auto& [writer, reader, expected] : {std::tuple(Sem::acq_rel, Sem::acq_rel, causality),
                                                       {Sem::release, Sem::acquire, causality},
                                                       {Sem::acquire, Sem::acquire, none},
                                                       {Sem::release, Sem::release, none}}) {
            Sketch s;
            with(s, writer, reader);
            check_all_ptx(s, expected);
        }
    }
}

TEST_CASE("store buffering") {
    SUBCASE("without fences") {
        Sketch s;
        store_buffering(s, Sem::weak, Scope::none);
        CHECK(sc(s) == sc_order);
        CHECK(tso(s) == none);
        check_all_ptx(s, none);
    }
    SUBCASE("fence.acq_rel is not enough") {
        Sketch s;
        store_buffering(s, Sem::acq_rel, Scope::gpu);
        CHECK(tso(s) == none);
        check_all_ptx(s, none);
    }
    SUBCASE("fence.sc") {
        Sketch s;
        store_buffering(s, Sem::sc, Scope::gpu);
        CHECK(tso(s) == global_order);
        check_all_ptx(s, causality);
    }
    SUBCASE("fence.sc out of scope") {
        Sketch s;
        store_buffering(s, Sem::sc, Scope::cta);
        CHECK(tso(s) == global_order);
        check_all_ptx(s, none);
    }
    SUBCASE("on x86 a locked instruction empties the buffer") {
        Sketch s;
        for (const int t : {0, 1}) {
            s.thread(t);
            s.rf(s.init(t), s.atomic(t, Sem::relaxed, Sem::relaxed, Scope::gpu));
            s.rf(s.init(1 - t), s.read(1 - t));
        }
        CHECK(tso(s) == global_order);
        check_all_ptx(s, none);
    }
}

TEST_CASE("load buffering") {
    Sketch independent, dependent;
    load_buffering(independent, false);
    load_buffering(dependent, true);
    CHECK(sc(independent) == sc_order);
    CHECK(tso(independent) == global_order);
    check_all_ptx(independent, none);
    check_all_ptx(dependent, "no-thin-air");
}

TEST_CASE("two reads of one location") {
    Sketch strong, weak, narrow;
    read_read(strong, Sem::relaxed, Scope::gpu);
    read_read(narrow, Sem::relaxed, Scope::cta);
    read_read(weak, Sem::weak, Scope::none);
    CHECK(sc(weak) == sc_order);
    CHECK(tso(weak) == "sc-per-location global-order");
    check_all_ptx(strong, "sc-per-location causality");
    check_all_ptx(narrow, none);
    check_all_ptx(weak, none);
}

TEST_CASE("2+2W") {
    Sketch weak, strong, fenced;
    two_plus_two_writes(weak, Sem::weak, Scope::none, false);
    two_plus_two_writes(strong, Sem::relaxed, Scope::gpu, false);
    two_plus_two_writes(fenced, Sem::weak, Scope::none, true);
    CHECK(sc(weak) == sc_order);
    CHECK(tso(weak) == global_order);
    check_all_ptx(weak, none);
    check_all_ptx(strong, none);
    check_all_ptx(fenced, "coherence");
}

TEST_CASE("coherence is total where the model says so") {
    Sketch weak, strong;
    for (const int t : {0, 1}) {
        weak.thread(t);
        weak.write(0);
        strong.thread(t);
        strong.write(0, Sem::relaxed, Scope::gpu);
    }
    const Axioms untotal = "coherence-total";
    CHECK(sc(weak) == untotal);
    CHECK(tso(weak) == untotal);
    check_all_ptx(weak, none);
    check_all_ptx(strong, untotal);
}

TEST_CASE("atomicity, for morally strong writes") {
    for (const Scope scope : {Scope::cta, Scope::gpu}) {
        Sketch s;
        size_t writes[2];
        for (const int t : {0, 1}) {
            s.thread(t);
            const size_t r = s.atomic(0, Sem::relaxed, Sem::relaxed, scope);
            s.rf(s.init(0), r);
            writes[t] = r + 1;
        }
        s.co(writes[0], writes[1]);
        CHECK(sc(s) == "atomicity");
        CHECK(tso(s) == "atomicity");
        check_all_ptx(s, scope == Scope::gpu ? "atomicity" : "");
    }
}

TEST_CASE("a release is carried through atomics, and only by morally strong links") {
    for (const Scope middle : {Scope::cta, Scope::gpu}) {
        Sketch s;
        s.thread(0);
        s.write(0);
        const size_t flag = s.write(1, Sem::release, Scope::gpu);
        s.thread(1);
        const size_t r = s.atomic(1, Sem::relaxed, Sem::relaxed, middle);
        s.rf(flag, r);
        s.co(flag, r + 1);
        s.thread(2);
        s.rf(r + 1, s.read(1, Sem::acquire, Scope::gpu));
        s.rf(s.init(0), s.read(0));
        check_all_ptx(s, middle == Scope::gpu ? causality : none);
    }
}

TEST_CASE("the read of a reduction begins no acquire pattern today (8.11.1)") {
    for (const bool reduction : {false, true}) {
        Sketch s;
        s.thread(0);
        s.write(0);
        const size_t flag = s.write(1, Sem::release, Scope::gpu);
        s.thread(1);
        const size_t r = s.atomic(1, Sem::relaxed, Sem::relaxed, Scope::sys, reduction);
        s.rf(flag, r);
        s.co(flag, r + 1);
        s.fence(Sem::acquire, Scope::gpu);
        s.rf(s.init(0), s.read(0));
        CHECK(ptx(s) == (reduction ? none : causality));
    }
}

TEST_CASE("Fence-SC order agrees with causality") {
    Sketch s;  // P1's fence is after P0's in causality, and before it in Fence-SC order
    s.thread(0);
    const size_t f = s.fence(Sem::sc, Scope::gpu);
    const size_t flag = s.write(0, Sem::release, Scope::gpu);
    s.thread(1);
    s.rf(flag, s.read(0, Sem::acquire, Scope::gpu));
    const size_t g = s.fence(Sem::sc, Scope::gpu);
    s.sc(g, f);
    for (const char* name : {"ptx-6.0", "ptx-7.5", "ptx"}) CHECK(broken(model(name), s.execution()) == "coherence fence-sc causality");
}

TEST_CASE("barriers of a CTA") {
    for (const int cta : {0, 1}) {
        Sketch s;
        size_t barriers[2];
        for (const int t : {0, 1}) {
            s.thread(t * cta);
            s.write(t);
            barriers[t] = s.barrier();
            s.rf(s.init(1 - t), s.read(1 - t));
        }
        s.meet("syncbar", barriers[0], barriers[1]);
        s.meet("syncbar", barriers[1], barriers[0]);
        CHECK(sc(s) == sc_order);
        CHECK(tso(s) == global_order);
        check_all_ptx(s, cta == 0 ? causality : none);
    }
}

TEST_CASE("a barrier alone breaks no axiom") {
    Sketch s;
    size_t barriers[2];
    for (const int t : {0, 1}) {
        s.thread();
        const size_t w = s.write(t);
        barriers[t] = s.barrier();
        s.rf(w, s.read(t));
    }
    s.meet("syncbar", barriers[0], barriers[1]);
    s.meet("syncbar", barriers[1], barriers[0]);
    CHECK(sc(s) == none);
    CHECK(tso(s) == none);
    check_all_ptx(s, none);
}

TEST_CASE("barriers of a cluster (9.7.13.4)") {
    enum class Arrive { release, relaxed, fenced, fenced_narrowly, acquire_fenced };
    const auto run = [](Arrive arrive) {
        Sketch s;
        s.thread(0);
        s.write(0);
        if (arrive == Arrive::fenced) s.fence(Sem::release, Scope::cluster);
        if (arrive == Arrive::fenced_narrowly) s.fence(Sem::release, Scope::cta);
        if (arrive == Arrive::acquire_fenced) s.fence(Sem::acquire, Scope::cluster);
        const size_t a = s.barrier(arrive == Arrive::release ? Sem::release : Sem::relaxed, Scope::cluster);
        s.thread(1);
        const size_t w = s.barrier(Sem::acquire, Scope::cluster);
        s.meet("clusterbar", a, w);
        s.rf(s.init(0), s.read(0));
        CHECK(sc(s) == sc_order);
        CHECK(tso(s) == global_order);
        return ptx(s);
    };
    CHECK(run(Arrive::release) == causality);
    CHECK(run(Arrive::relaxed) == none);
    CHECK(run(Arrive::fenced) == causality);
    CHECK(run(Arrive::fenced_narrowly) == none);
    CHECK(run(Arrive::acquire_fenced) == none);
}

TEST_CASE("a barrier that waits for its own consequence comes out of thin air") {
    for (const bool guarded : {false, true}) {
        Sketch s;  // P0 reads what P1 writes after waiting for P0's arrival
        s.thread(0);
        const size_t r = s.read(0);
        const size_t a = s.barrier(Sem::relaxed, Scope::cluster);
        if (guarded) s.relate("decides", r, a);
        s.thread(1);
        const size_t b = s.barrier(Sem::acquire, Scope::cluster);
        const size_t w = s.write(0);
        s.meet("clusterbar", a, b);
        s.rf(w, r);
        CHECK(ptx(s) == (guarded ? "no-thin-air" : ""));
    }
}

TEST_CASE("initial values race with nothing, and ordered accesses do not race") {
    Sketch s;
    s.thread(0);
    s.rf(s.init(0), s.read(0));
    s.write(1);
    s.thread(1);
    s.rf(s.init(0), s.read(0));
    for (const char* name : {"ptx-6.0", "ptx-7.5", "ptx"}) CHECK(raised(model(name), s.execution()).empty());
}

// ---- proxies: a write one way and a later read another way misses it, unless fences let it through ----

namespace {

struct Way {
    Proxy proxy = Proxy::generic;
    bool alias = false;
};
enum class Fence { surface, texture, constant, alias };

void fence(Sketch& s, Fence f) {
    switch (f) {
        case Fence::surface:
            s.proxy_fence(Proxy::surface);
            break;
        case Fence::texture:
            s.proxy_fence(Proxy::texture);
            break;
        case Fence::constant:
            s.proxy_fence(Proxy::constant);
            break;
        case Fence::alias:
            s.alias_fence();
            break;
    }
}

size_t by(Sketch& s, size_t access, Way way) {
    s.through(access, way.proxy);
    return way.alias ? s.alias(access) : access;
}

// Message passing with the data written and read in these ways, the fences on the two sides, the reader
// in the given CTA. Whether both proxy models forbid missing the data; they agree.
bool ordered(Way write, const std::vector<Fence>& writer, const std::vector<Fence>& reader, Way read, int reader_cta = 0) {
    Sketch s;
    s.thread(0);
    by(s, s.write(0), write);
    for (const Fence f : writer) fence(s, f);
    const size_t flag = s.write(1, Sem::release, Scope::gpu);
    s.thread(reader_cta);
    s.rf(flag, s.read(1, Sem::acquire, Scope::gpu));
    for (const Fence f : reader) fence(s, f);
    s.rf(s.init(0), by(s, s.read(0), read));
    CHECK(ptx75(s) == ptx(s));
    CHECK((ptx(s) == none || ptx(s) == causality));
    return ptx(s) == causality;
}

const Way plain{}, aliased{Proxy::generic, true}, surface{Proxy::surface, false}, aliased_surface{Proxy::surface, true},
    texture{Proxy::texture, false}, constant{Proxy::constant, false};

}  // namespace

TEST_CASE("one proxy fence, either side, in the CTA of the access that is not generic") {
    CHECK(ordered(plain, {}, {}, plain));
    CHECK_FALSE(ordered(plain, {}, {}, surface));
    CHECK(ordered(plain, {Fence::surface}, {}, surface));
    CHECK(ordered(plain, {}, {Fence::surface}, surface));
    CHECK(ordered(surface, {Fence::surface}, {}, plain));
    CHECK(ordered(surface, {}, {Fence::surface}, plain));
    CHECK(ordered(plain, {}, {Fence::constant}, constant));
    CHECK_FALSE(ordered(plain, {Fence::texture}, {}, surface));
    CHECK(ordered(surface, {Fence::surface}, {}, plain, 1));
    CHECK_FALSE(ordered(surface, {}, {Fence::surface}, plain, 1));
    CHECK(ordered(plain, {}, {Fence::surface}, surface, 1));
    CHECK_FALSE(ordered(plain, {Fence::surface}, {}, surface, 1));
}

TEST_CASE("between two proxies that are not generic: out, then in") {
    CHECK(ordered(surface, {}, {}, surface));
    CHECK_FALSE(ordered(surface, {}, {}, surface, 1));
    CHECK(ordered(surface, {Fence::surface}, {Fence::surface}, surface, 1));
    CHECK_FALSE(ordered(surface, {Fence::surface}, {}, texture));
    CHECK_FALSE(ordered(surface, {Fence::texture}, {}, texture));
    CHECK_FALSE(ordered(surface, {Fence::texture, Fence::surface}, {}, texture));
    CHECK(ordered(surface, {Fence::surface, Fence::texture}, {}, texture));
    CHECK(ordered(surface, {Fence::surface}, {Fence::texture}, texture));
    CHECK_FALSE(ordered(surface, {Fence::texture}, {Fence::surface}, texture));
}

TEST_CASE("virtual aliases: an alias fence where both sides are generic") {
    CHECK_FALSE(ordered(plain, {}, {}, aliased));
    CHECK(ordered(plain, {Fence::alias}, {}, aliased));
    CHECK(ordered(aliased, {}, {Fence::alias}, plain));
    CHECK_FALSE(ordered(surface, {Fence::alias}, {}, aliased));
    CHECK_FALSE(ordered(surface, {Fence::surface}, {}, aliased));
    CHECK(ordered(surface, {Fence::surface, Fence::alias}, {}, aliased));
    CHECK_FALSE(ordered(surface, {Fence::alias, Fence::surface}, {}, aliased));
    CHECK(ordered(plain, {Fence::alias}, {Fence::surface}, aliased_surface));
    CHECK_FALSE(ordered(plain, {}, {Fence::surface, Fence::alias}, aliased_surface));
    CHECK_FALSE(ordered(surface, {}, {}, aliased_surface));
}

TEST_CASE("accesses of different proxies are not morally strong") {
    Sketch s;
    s.thread();
    const size_t w = s.write(0);
    s.rf(s.init(0), by(s, s.read(0), surface));
    CHECK(ptx(s) == none);
    CHECK(ptx75(s) == none);
    CHECK(raised(model("ptx"), s.execution()) == "data-race");
    CHECK(w != s.init(0));
}

// ---- the models as files ----------------------------------------------------------------------------

TEST_CASE("what a model knows of") {
    CHECK(model("ptx").mentions("SUR"));
    CHECK(model("ptx").mentions("clusterbar"));
    CHECK(model("ptx-7.5").mentions("ALIAS"));
    CHECK_FALSE(model("ptx-7.5").mentions("clusterbar"));
    CHECK_FALSE(model("ptx-6.0").mentions("SUR"));
    CHECK_FALSE(model("ptx-6.0").mentions("vloc"));
    CHECK(model("ptx-6.0").mentions("syncbar"));
    CHECK_FALSE(model("sc").mentions("sr"));
}

TEST_CASE("shipped models have a name, a title and named axioms") {
    std::set<std::string> names;
    for (const ShippedModel& shipped : shipped_models()) {
        names.insert(std::string(shipped.name));
        CHECK(shipped.title == model(std::string(shipped.name)).title);
        for (const Constraint& c : model(std::string(shipped.name)).constraints) CHECK(c.name.find('#') == std::string::npos);
    }
    CHECK(names == std::set<std::string>{"sc", "tso", "ptx-6.0", "ptx-7.5", "ptx"});
}

TEST_CASE("the race relation has a name") {
    const Model& m = model("ptx");
    const auto found = std::find_if(m.constraints.begin(), m.constraints.end(), [](const Constraint& c) { return c.name == "data-race"; });
    REQUIRE(found != m.constraints.end());
    const Constraint& flag = *found;
    CHECK(flag.flag);
    CHECK(flag.negated);
    CHECK(m.nodes[flag.node].name == "race");
}

TEST_CASE("the corpus' cat files are read as they are") {
    namespace fs = std::filesystem;
    const char* given = std::getenv("LITMUS_CORPUS");
    const fs::path corpus = given ? fs::path(given) : fs::path(LITMUS_SOURCE_DIR) / ".." / "shared" / "corpus";
    if (!fs::is_directory(corpus)) {
        const char* required = std::getenv("LITMUS_REQUIRE");
        CHECK_FALSE_MESSAGE((required && std::string(required).find("corpus") != std::string::npos), "no corpus");
        MESSAGE("skipped: no corpus");
        return;
    }
    const Model old = load_model((corpus / "models" / "ptx-v6.0.cat").string(), {});
    const Model proxies = load_model((corpus / "models" / "ptx-v7.5.cat").string(), {});
    CHECK(old.title == "PTX");
    CHECK(old.constraints.size() == 7);
    CHECK(proxies.constraints.size() == 6);
    CHECK(proxies.mentions("ALIAS"));
    Sketch s;
    message_passing(s, Sem::release, Sem::acquire, Scope::gpu);
    CHECK(broken(old, s.execution()) == "axiom-Causality");
    CHECK(broken(proxies, s.execution()) == "axiom-Causality");
}
