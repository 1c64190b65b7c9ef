// The instruction table: its own consistency, the look-up, and what is said of illegal names.
#include "ptx/table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "turn.h"

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
            if (slot.in_mnemonic) mnemonic += (mnemonic.empty() ? "" : ".") + std::string(slot.name);
            std::set<std::string> words;
            for (const Alternative& alternative : slot.alternatives) CHECK(words.insert(std::string(alternative.word)).second);
        }
        CHECK_MESSAGE(mnemonic == form.mnemonic, form.box);
    }
}

TEST_CASE("every name of every modelled form resolves to its operation, and its canonical text to itself") {
    const Turn turn = turn_in_brief();
    size_t number = 0;
    for (const Form& form : forms()) {
        if (!form.op || !turn.has(number++)) continue;
        size_t count = 0;
        each_name(form, [&](const std::vector<std::string>& words, Version) {
            if (++count > 400) return;
            std::string name;
            for (const std::string& word : words) name += (name.empty() ? "" : ".") + word;
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

TEST_CASE("hints are accepted without effect, and .aligned is kept") {
    CHECK(canonical("ld.global.L2::cache_hint.b64") == "ld.global.b64");
    CHECK(canonical("ld.L2::128B.f64") == "ld.f64");
    CHECK(canonical("ld.global.L1::evict_last.u32") == "ld.global.u32");
    CHECK(canonical("st.wt.u32") == "st.u32");
    CHECK(canonical("bar.cta.sync") == "bar.sync");
    CHECK(canonical("barrier.cta.sync.aligned") == "barrier.sync.aligned");
    CHECK(canonical("barrier.cluster.arrive.relaxed.aligned") == "barrier.cluster.arrive.relaxed.aligned");
    CHECK(canonical("red.global.and.L2::cache_hint.b32") == "red.global.and.b32");
    CHECK(canonical("red.and.L2::cache_hint.b32") == "red.and.b32");
}

TEST_CASE("hints are for global memory") {
    CHECK(message("red.shared.and.L2::cache_hint.b32") == "`.L2::cache_hint` is not allowed in `red.shared.and.L2::cache_hint.b32`");
    CHECK(hint("red.shared.and.L2::cache_hint.b32").find("red.shared.and.b32") != std::string::npos);
    CHECK(message("ld.shared::cta.L1::evict_last.u32").find("`.L1::evict_last` is not allowed") == 0);
    CHECK(message("ld.weak.shared.L2::64B.u32").find("`.L2::64B` is not allowed") == 0);
    CHECK(canonical("cp.async.ca.shared.global.L2::cache_hint") == "cp.async.ca.shared.global");
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
    CHECK(hint("fence.release.sync_restrict::shared::cluster.cluster").find("fence.acquire.sync_restrict::shared::cluster.cluster") !=
          std::string::npos);
    CHECK(message("shl.u32").find("`.u32` is not allowed") == 0);
    CHECK(message("setp.lo.s32").find("is not allowed") != std::string::npos);
    CHECK(hint("bra.foo").find("bra") != std::string::npos);
}

TEST_CASE("the nearest form of a copy has the state spaces that are written, in their order") {
    const auto suggests = [](std::string_view dotted, const std::string& legal) {
        CHECK_MESSAGE(hint(dotted).find("nearest legal form: " + legal + " ") == 0, hint(dotted));
    };
    CHECK(message("cp.async.bulk.global.shared::cta") == "`cp.async.bulk.global.shared::cta` lacks `.bulk_group`");
    CHECK(message("cp.async.bulk.shared::cta.global") == "`cp.async.bulk.shared::cta.global` lacks `.mbarrier::complete_tx::bytes`");
    CHECK(message("cp.async.bulk.tensor.2d.global.shared::cta.tile") ==
          "`cp.async.bulk.tensor.2d.global.shared::cta.tile` lacks `.bulk_group`");
    suggests("cp.async.bulk.tensor.2d.global.shared.bulk_group", "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group");
    suggests("cp.async.bulk.tensor.2d.shared::cluster.global.bulk_grp",
             "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes");
    suggests("cp.async.bulk.tensor.2d.global.shared::cta.mbarrier::complete_tx::byte",
             "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group");
    suggests("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete",
             "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes");
}

TEST_CASE("an unknown word may be the last of a longer mnemonic") {
    CHECK(message("cp.async.bulk.wait_grup.read") == "unknown qualifier `.wait_grup` of `cp.async.bulk`");
    CHECK(hint("cp.async.bulk.wait_grup.read").find("cp.async.bulk.wait_group.read") != std::string::npos);
    CHECK(hint("cp.async.bulk.comit_group").find("cp.async.bulk.commit_group") != std::string::npos);
    CHECK(hint("cp.async.wait_al").find("cp.async.wait_all") != std::string::npos);
}

TEST_CASE("the asynchronous forms are put in the ISA's order") {
    CHECK(canonical("red.relaxed.async.cluster.u32.add") == "red.async.relaxed.cluster.add.u32");
    CHECK(canonical("red.async.release.sys.global.add.u32") == "red.async.release.sys.global.add.u32");
    CHECK(canonical("st.async.sys.release.global.u32") == "st.async.release.sys.global.u32");
    CHECK(canonical("mbarrier.arrive_drop.shared::cta.release.cluster.b64") == "mbarrier.arrive_drop.release.cluster.shared::cta.b64");
    CHECK(canonical("mbarrier.arrive.release.cluster.expect_tx.b64") == "mbarrier.arrive.expect_tx.release.cluster.b64");
    CHECK(canonical("mbarrier.try_wait.acquire.cta.parity.shared.b64") == "mbarrier.try_wait.parity.acquire.cta.shared.b64");
    CHECK(canonical("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint") == "cp.async.bulk.global.shared::cta.bulk_group");
    CHECK(canonical("cp.async.cg.shared.global.L2::128B") == "cp.async.cg.shared.global");
    CHECK(canonical("fence.mbarrier_init.release.cluster") == "fence.mbarrier_init.release.cluster");
    CHECK(canonical("fence.proxy.async.shared::cta") == "fence.proxy.async.shared::cta");
    CHECK(canonical("redux.sync.min.abs.NaN.f32") == "redux.sync.min.abs.NaN.f32");
}

TEST_CASE("slots that are filled together") {
    CHECK(canonical("mbarrier.arrive.b64") == "mbarrier.arrive.b64");
    CHECK(message("mbarrier.arrive.release.b64") == "`mbarrier.arrive.release.b64` lacks `.scope`, one of .cta .cluster");
    CHECK(message("mbarrier.test_wait.cluster.b64") == "`mbarrier.test_wait.cluster.b64` lacks `.sem`, one of .acquire .relaxed");
    CHECK(hint("mbarrier.test_wait.cluster.b64").find("{.sem.scope}{.space}") != std::string::npos);
    CHECK(message("mbarrier.arrive.noComplete.release.b64") == "`mbarrier.arrive.noComplete.release.b64` lacks `.scope`");
    CHECK(message("mbarrier.expect_tx.release.cta.b64") == "`.release` is not allowed in `mbarrier.expect_tx.release.cta.b64`");
}

TEST_CASE("what the operands of a form are") {
    using Roles = std::vector<Role>;
    const auto roles = [](std::string_view dotted, bool optional) {
        const auto found = resolve(dotted);
        REQUIRE_MESSAGE(std::holds_alternative<Spelling>(found), dotted);
        Roles result;
        for (const Shape& shape : std::get<Spelling>(found).form->operands)
            if (shape.optional == optional) result.push_back(shape.role);
        return result;
    };
    const auto needed = [&](std::string_view dotted) { return roles(dotted, false); };
    CHECK(needed("st.u32") == Roles{Role::address, Role::source});
    CHECK(needed("atom.add.u32") == Roles{Role::result, Role::address, Role::source});
    CHECK(needed("atom.cas.b32") == Roles{Role::result, Role::address, Role::compare, Role::swap});
    CHECK(needed("add.u32") == Roles{Role::result, Role::source, Role::source});
    CHECK(needed("selp.u32") == Roles{Role::result, Role::source, Role::source, Role::predicate});
    CHECK(needed("bar.red.popc.u32") == Roles{Role::result, Role::barrier, Role::predicate});
    CHECK(roles("bar.red.popc.u32", true) == Roles{Role::threads});
    CHECK(needed("red.async.relaxed.cluster.add.u32") == Roles{Role::address, Role::source, Role::mbarrier});
    CHECK(needed("red.async.release.gpu.add.u32") == Roles{Role::address, Role::source});
    CHECK(needed("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32") ==
          Roles{Role::copy_to, Role::copy_from, Role::size, Role::mbarrier});
    CHECK(needed("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster") ==
          Roles{Role::copy_to, Role::copy_from, Role::size, Role::mbarrier, Role::cta_mask});
    CHECK(needed("cp.async.ca.shared.global") == Roles{Role::copy_to, Role::copy_from, Role::size});
    CHECK(roles("cp.async.ca.shared.global", true) == Roles{Role::source_size, Role::policy});
    CHECK(needed("cp.async.bulk.wait_group.read") == Roles{Role::groups});
    CHECK(needed("mbarrier.arrive.b64") == Roles{Role::result, Role::mbarrier});
    CHECK(roles("mbarrier.arrive.b64", true) == Roles{Role::count});
    CHECK(needed("mbarrier.arrive.expect_tx.shared::cluster.b64") == Roles{Role::result, Role::mbarrier, Role::tx_count});
    CHECK(needed("mbarrier.try_wait.parity.b64") == Roles{Role::result, Role::mbarrier, Role::parity});
    CHECK(roles("mbarrier.try_wait.b64", true) == Roles{Role::time_hint});
    CHECK(needed("mbarrier.pending_count.b64") == Roles{Role::result, Role::state});
    CHECK(needed("redux.sync.add.u32") == Roles{Role::result, Role::source, Role::member_mask});
}

TEST_CASE("a role is played once, but that of a source, of a second result, and of what each of two matrices has") {
    const std::set<Role> several = {Role::source, Role::matrix, Role::scale, Role::transpose, Role::fragment, Role::scales};
    for (const Form& form : forms()) {
        std::set<Role> seen;
        for (const Shape& shape : form.operands) {
            CHECK(shape.role != Role::none);
            CHECK_MESSAGE((several.count(shape.role) > 0 || shape.beside || seen.insert(shape.role).second), form.box);
        }
    }
}

TEST_CASE("of several operands that may be left out the last ones are, a cache policy after all others") {
    const Form& form = *std::get<Spelling>(resolve("cp.async.ca.shared.global.L2::cache_hint")).form;
    const auto last = [&](size_t count, bool policy) { return shapes_of(form, false, count, policy).back()->role; };
    CHECK(last(3, true) == Role::size);
    CHECK(last(4, true) == Role::policy);
    CHECK(last(4, false) == Role::source_size);
    CHECK(shapes_of(form, false, 5, true).size() == 5);
    const Form& wait = *std::get<Spelling>(resolve("mbarrier.try_wait.parity.b64")).form;
    CHECK(shapes_of(wait, true, 2).front()->role == Role::mbarrier);
}

TEST_CASE("least versions of operands and of architecture-specific forms") {
    CHECK(least("redux.sync.add.u32").sm == 80);
    CHECK(!least("redux.sync.add.u32").specific);
    CHECK(least("redux.sync.min.f32").sm == 100);
    CHECK(least("redux.sync.min.f32").specific);
    CHECK(least("red.async.release.gpu.add.u32").sm == 100);
    CHECK(least("mbarrier.arrive.relaxed.cta.b64").ptx == 86);
    CHECK(least("mbarrier.arrive.release.cta.b64").ptx == 80);
    CHECK(least("bar.cta.sync").ptx == 78);
    CHECK(least("bar.sync").ptx == 60);
    Instruction arrive;
    arrive.op = Op::mbarrier_arrive;
    arrive.mnemonic = "mbarrier.arrive";
    arrive.qualifiers = {"b64"};
    arrive.operands.resize(2);
    bind(arrive);
    CHECK(least_version(arrive).sm == 80);
    arrive.operands.resize(3);  // with a count
    bind(arrive);
    CHECK(least_version(arrive).sm == 90);
    CHECK(least_version(arrive).ptx == 78);
}

TEST_CASE("a refusal points at the wrong word") {
    const auto found = resolve("ld.aquire.gpu.u32");
    const Refusal& refusal = std::get<Refusal>(found);
    CHECK(refusal.begin == 3);
    CHECK(refusal.end == 9);
}

TEST_CASE("known PTX is named, unknown gets the nearest mnemonic") {
    CHECK(message("cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w") ==
          "`cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w` is known PTX (ISA 9.7.9.27.1.4) but not modelled yet");
    CHECK(std::holds_alternative<Spelling>(resolve("mbarrier.init.layout::v1.shared.b64")));
    for (const char* name : {"ld.shared.b128", "ld.weak.shared::cta.b128", "ld.b128", "ld.global.b128", "ld.volatile.shared.b128",
                             "ld.relaxed.cta.shared.b128", "ld.shared.ca.b128", "ld.global.nc.b128", "st.shared.b128",
                             "st.release.gpu.global.b128", "atom.global.cas.b128", "atom.shared.exch.b128", "mov.b128"})
        CHECK_MESSAGE(std::holds_alternative<Spelling>(resolve(name)), name);
    CHECK(message("atom.global.add.b128").find("not allowed") != std::string::npos);
    CHECK(message("cp.async.bulk.relaxed.gpu.shared::cta.global.mbarrier::complete_tx::bytes.b128").find("not modelled yet") !=
          std::string::npos);
    CHECK(message("ld.local.u32").find("not modelled yet") != std::string::npos);
    CHECK(message("cp.async.bulk.global.shared::cta.bulk_group.cp_mask").find("not modelled yet") != std::string::npos);
    for (const char* name : {"shfl.idx.b32", "vote.any.pred", "wmma.mma.sync.aligned", "tcgen05.shift.x", "multimem.ld_reduce.add.e5m2x4",
                             "cvta.local.u64", "mbarrier.check_layout.layout::v1.b64", "suld.b.1d.b32.trap"})
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

TEST_CASE("hints that keep a name from being one are left out, and nothing else is") {
    CHECK(without_hints_refused("ld.acquire.gpu.global.cg.u32") == "ld.acquire.gpu.global.u32");
    CHECK(without_hints_refused("st.release.gpu.global.wt.L2::cache_hint.u32") == "st.release.gpu.global.L2::cache_hint.u32");
    CHECK(without_hints_refused("ld.global.cg.u32") == "ld.global.cg.u32");
    CHECK(without_hints_refused("ld.acquire.gpu.global.nothing.cg.u32") == "ld.acquire.gpu.global.nothing.cg.u32");
}
