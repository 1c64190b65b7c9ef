// The instruction table: its own consistency, the look-up, and what is said of illegal names.
#include "ptx/table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace litmus;

namespace {

std::string canonical(std::string_view dotted) {
    const auto found = resolve(dotted);
    if (const Refusal* refusal = std::get_if<Refusal>(&found)) return "refused: " + refusal->message;
    const Spelling& spelled = std::get<Spelling>(found);
    std::string text = spelled.form->mnemonic;
    for (const std::string& qualifier : spelled.qualifiers) text += "." + qualifier;
    return text;
}

Version least(std::string_view dotted) {
    const auto found = resolve(dotted);
    REQUIRE_MESSAGE(std::holds_alternative<Spelling>(found), dotted);
    return std::get<Spelling>(found).least;
}

std::string message(std::string_view dotted) {
    const auto found = resolve(dotted);
    REQUIRE_MESSAGE(std::holds_alternative<Refusal>(found), dotted);
    return std::get<Refusal>(found).message;
}

std::string hint(std::string_view dotted) {
    const auto found = resolve(dotted);
    REQUIRE_MESSAGE(std::holds_alternative<Refusal>(found), dotted);
    return std::get<Refusal>(found).hint;
}

// Calls visit with every name that a form accepts.
template <typename Visit>
void each_name(const Form& form, Visit visit, size_t slot = 0, const std::string& text = {}) {
    if (slot == form.slots.size()) return visit(text);
    if (form.slots[slot].optional) each_name(form, visit, slot + 1, text);
    for (const Alternative& alternative : form.slots[slot].alternatives)
        each_name(form, visit, slot + 1, text + (text.empty() ? "" : ".") + alternative.word);
}

}  // namespace

TEST_CASE("the rows are well formed") {
    for (const Form& form : forms()) {
        CHECK(!form.section.empty());
        CHECK(form.least.ptx >= 60);
        CHECK((form.least.sm == 70 || known_target(form.least.sm)));
        if (form.any_qualifiers) continue;
        std::string mnemonic;
        for (const Slot& slot : form.slots) {
            CHECK(!slot.alternatives.empty());
            if (slot.in_mnemonic) mnemonic += (mnemonic.empty() ? "" : ".") + slot.name;
            std::set<std::string> words;
            for (const Alternative& alternative : slot.alternatives) CHECK(words.insert(alternative.word).second);
        }
        CHECK_MESSAGE(mnemonic == form.mnemonic, form.box);
    }
}

TEST_CASE("every name of every modelled form resolves to its operation, and its canonical text to itself") {
    for (const Form& form : forms()) {
        if (!form.op) continue;
        size_t count = 0;
        each_name(form, [&](const std::string& name) {
            if (++count > 400) return;
            const auto found = resolve(name);
            const Spelling* spelled = std::get_if<Spelling>(&found);
            REQUIRE_MESSAGE(spelled, name);
            CHECK(spelled->form->op == form.op);
            const std::string text = canonical(name);
            CHECK_MESSAGE(canonical(text) == text, name);
        });
    }
}

TEST_CASE("forms that accept one name take the same operands") {
    // the parser uses the first of them
    for (const char* name : {"ld.weak.u32", "ld.u32", "st.v2.u64", "ld.relaxed.gpu.global.v4.u32", "st.weak.global.b8"}) {
        const auto found = resolve(name);
        REQUIRE(std::holds_alternative<Spelling>(found));
        CHECK(std::get<Spelling>(found).form->operands.size() == 3);
    }
}

TEST_CASE("qualifiers may come in any order and are put in the ISA's") {
    CHECK(canonical("ld.global.acquire.gpu.u32") == "ld.acquire.gpu.global.u32");
    CHECK(canonical("ld.u32.gpu.global.acquire") == "ld.acquire.gpu.global.u32");
    CHECK(canonical("st.global.relaxed.sys.u32") == "st.relaxed.sys.global.u32");
    CHECK(canonical("ld.global.sys.relaxed.mmio.u32") == "ld.mmio.relaxed.sys.global.u32");
    CHECK(canonical("atom.global.cas.b32") == "atom.global.cas.b32");
    CHECK(canonical("atom.add.acq_rel.u32.gpu") == "atom.acq_rel.gpu.add.u32");
    CHECK(canonical("fence.cluster.acq_rel") == "fence.acq_rel.cluster");
    CHECK(canonical("cvt.u32.s64") == "cvt.u32.s64");
    CHECK(canonical("cvt.u32.u32") == "cvt.u32.u32");
    CHECK(canonical("fence.alias.proxy") == "fence.proxy.alias");
}

TEST_CASE("hints and .aligned are accepted without effect") {
    CHECK(canonical("ld.global.L2::cache_hint.b64") == "ld.global.b64");
    CHECK(canonical("ld.L2::128B.f64") == "ld.f64");
    CHECK(canonical("ld.global.L1::evict_last.u32") == "ld.global.u32");
    CHECK(canonical("st.wt.u32") == "st.u32");
    CHECK(canonical("bar.cta.sync") == "bar.sync");
    CHECK(canonical("barrier.cta.sync.aligned") == "barrier.sync");
    CHECK(canonical("barrier.cluster.arrive.relaxed.aligned") == "barrier.cluster.arrive.relaxed");
    CHECK(canonical("red.global.and.L2::cache_hint.b32") == "red.global.and.b32");
}

TEST_CASE("least versions") {
    CHECK(least("ld.relaxed.gpu.u32").sm == 70);
    CHECK(least("ld.relaxed.cluster.u32").sm == 90);
    CHECK(least("ld.relaxed.cluster.u32").ptx == 78);
    CHECK(least("ld.weak.shared::cluster.u32").sm == 90);
    CHECK(least("ld.weak.shared::cta.u32").sm == 70);
    CHECK(least("fence.acquire.gpu").sm == 90);
    CHECK(least("fence.acquire.gpu").ptx == 86);
    CHECK(least("fence.acq_rel.gpu").sm == 70);
    CHECK(least("ld.global.v8.b32").sm == 100);
    CHECK(least("ld.global.v4.u64").ptx == 88);
    CHECK(least("barrier.cluster.wait").sm == 90);
    CHECK(least("ld.L2::256B.u32").sm == 80);
    CHECK(least("ld.mmio.relaxed.sys.u32").ptx == 82);
}

TEST_CASE("illegal names are refused, with the nearest legal one") {
    CHECK(message("ld.acquire.u32") == "`ld.acquire.u32` lacks `.scope`, one of .cta .cluster .gpu .sys");
    CHECK(hint("ld.acquire.u32").find("ld.acquire.gpu.u32") != std::string::npos);
    CHECK(message("ld.mmio.relaxed.gpu.u32") == "`.gpu` is not allowed in `ld.mmio.relaxed.gpu.u32`");
    CHECK(hint("ld.mmio.relaxed.gpu.u32").find("ld.mmio.relaxed.sys.u32") != std::string::npos);
    CHECK(hint("ld.mmio.u32").find("ld.mmio.relaxed.sys.u32") != std::string::npos);
    CHECK(message("ld.weak.gpu.u32") == "`.gpu` is not allowed in `ld.weak.gpu.u32`");
    CHECK(message("ld.weak").find("lacks `.type`") != std::string::npos);
    CHECK(message("ld.aquire.gpu.u32") == "unknown qualifier `.aquire` of `ld`");
    CHECK(hint("ld.aquire.gpu.u32").find("ld.acquire.gpu.u32") != std::string::npos);
    CHECK(hint("st.acquire.gpu.u32").find("st.release.gpu.u32") != std::string::npos);
    CHECK(hint("atom.inc.s32").find("atom.inc.u32") != std::string::npos);
    CHECK(message("red.acquire.gpu.add.u32") == "`.acquire` is not allowed in `red.acquire.gpu.add.u32`");
    CHECK(message("fence.gpu.gpu") == "`.gpu` stands twice");
    CHECK(message("ld.relaxed.gpu.ca.u32") == "`.ca` is not allowed in `ld.relaxed.gpu.ca.u32`");
    CHECK(message("fence.sc") == "`fence.sc` lacks `.scope`, one of .cta .cluster .gpu .sys");
    CHECK(message("fence.release.sync_restrict::shared::cta.cluster").find("not modelled yet") != std::string::npos);
    CHECK(message("shl.u32").find("`.u32` is not allowed") == 0);
    CHECK(message("setp.lo.s32").find("is not allowed") != std::string::npos);
    CHECK(hint("bra.foo").find("bra") != std::string::npos);
}

TEST_CASE("a refusal points at the wrong word") {
    const auto found = resolve("ld.aquire.gpu.u32");
    const Refusal& refusal = std::get<Refusal>(found);
    CHECK(refusal.begin == 3);
    CHECK(refusal.end == 9);
}

TEST_CASE("known PTX is named, unknown gets the nearest mnemonic") {
    CHECK(message("red.async.relaxed.cluster.add.u32") == "`red.async` is known PTX (ISA 9.7.13.7) but not modelled yet");
    CHECK(message("red.relaxed.async.u32") == "`red.async` is known PTX (ISA 9.7.13.7) but not modelled yet");
    CHECK(message("mbarrier.arrive.expect_tx.b64") == "`mbarrier.arrive` is known PTX (ISA 9.7.13.15) but not modelled yet");
    CHECK(message("cp.async.bulk.tensor.1d.global") == "`cp.async.bulk.tensor` is known PTX (ISA 9.7.9.25) but not modelled yet");
    CHECK(message("atom.global.add.f32") == "`atom.global.add.f32` is known PTX (ISA 9.7.13.5) but not modelled yet");
    CHECK(message("ld.global.b128") == "`ld.global.b128` is known PTX (ISA 9.7.9.8) but not modelled yet");
    CHECK(message("ld.local.u32").find("not modelled yet") != std::string::npos);
    CHECK(message("ld.global.nc.u32") == "`ld.nc` is known PTX (ISA 9.7.9.9) but not modelled yet");
    CHECK(message("fence.proxy.async.global").find("not modelled yet") != std::string::npos);
    CHECK(message("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster").find("not modelled yet") !=
          std::string::npos);
    for (const char* name : {"shfl.sync.idx.b32", "vote.sync.any.pred", "redux.sync.add.u32", "wgmma.fence.sync.aligned", "tcgen05.mma.x",
                             "multimem.red.add.u32", "st.async.b32", "cvta.global.u64", "mapa.u64", "elect.sync", "suld.b.1d.b32.trap"})
        CHECK_MESSAGE(message(name).find("not modelled yet") != std::string::npos, name);
    CHECK(message("lod.u32") == "unknown instruction `lod.u32`");
    CHECK(hint("lod.u32") == "the nearest is `ld`");
    CHECK(hint("bar.snc") == "the nearest is `bar.sync`");
    CHECK(hint("zzzzzzzz") == "");
}

TEST_CASE("hostile names are refused at once") {
    CHECK(message("ld" + std::string(40, '.')).find("lacks") != std::string::npos);
    std::string many = "ld";
    for (int i = 0; i < 50; ++i) many += ".u32";
    CHECK(message(many) == "too many qualifiers");
    CHECK(message(std::string(100000, 'x')).find("unknown instruction") == 0);
    CHECK(message("ld." + std::string(100000, 'x')).find("unknown qualifier") == 0);
    CHECK(message("") == "expected an instruction");
}

TEST_CASE("nearest") {
    CHECK(nearest("foo", {"fob", "bar"}) == "fob");
    CHECK(nearest("foo", {"quux"}) == "");
    CHECK(nearest("acquired", {"acquire", "release"}) == "acquire");
}
