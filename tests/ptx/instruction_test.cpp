// Decoding of qualifiers with the ISA's defaults.
#include "ptx/instruction.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "ptx/table.h"

using namespace litmus;

namespace {

Instruction named(std::string_view dotted) {
    const auto found = resolve(dotted);
    REQUIRE_MESSAGE(std::holds_alternative<Spelling>(found), dotted);
    const Spelling& spelled = std::get<Spelling>(found);
    Instruction instruction;
    instruction.op = *spelled.form->op;
    instruction.mnemonic = spelled.form->mnemonic;
    instruction.qualifiers = spelled.qualifiers;
    return instruction;
}

struct Row {
    const char* text;
    Sem sem;
    Scope scope;
};

}  // namespace

TEST_CASE("semantics and scope") {
    const Row rows[] = {
        {"ld.u32", Sem::weak, Scope::none},
        {"ld.weak.u32", Sem::weak, Scope::none},
        {"ld.acquire.cta.u32", Sem::acquire, Scope::cta},
        {"ld.volatile.u32", Sem::relaxed, Scope::sys},
        {"ld.mmio.relaxed.sys.u32", Sem::relaxed, Scope::sys},
        {"st.release.cluster.u32", Sem::release, Scope::cluster},
        {"atom.add.u32", Sem::relaxed, Scope::gpu},
        {"atom.cta.add.u32", Sem::relaxed, Scope::cta},
        {"atom.acq_rel.sys.cas.b32", Sem::acq_rel, Scope::sys},
        {"red.release.add.u32", Sem::release, Scope::gpu},
        {"fence.cta", Sem::acq_rel, Scope::cta},
        {"fence.sc.gpu", Sem::sc, Scope::gpu},
        {"membar.gl", Sem::sc, Scope::gpu},
        {"membar.cta", Sem::sc, Scope::cta},
        {"membar.sys", Sem::sc, Scope::sys},
        {"barrier.cluster.arrive", Sem::release, Scope::none},
        {"barrier.cluster.arrive.relaxed", Sem::relaxed, Scope::none},
        {"barrier.cluster.wait", Sem::acquire, Scope::none},
        {"suld.u32", Sem::weak, Scope::none},
        {"bar.cta.sync", Sem::weak, Scope::none},
        {"red.async.relaxed.cluster.add.u32", Sem::relaxed, Scope::cluster},
        {"red.async.release.gpu.add.u32", Sem::release, Scope::gpu},
        {"red.async.mmio.release.sys.add.u32", Sem::release, Scope::sys},
        {"st.async.mbarrier::complete_tx::bytes.u32", Sem::weak, Scope::none},
        {"st.async.release.sys.u32", Sem::release, Scope::sys},
        {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", Sem::relaxed, Scope::gpu},
        {"cp.async.bulk.global.shared::cta.bulk_group", Sem::weak, Scope::none},
        {"cp.async.ca.shared.global", Sem::weak, Scope::none},
        {"cp.async.bulk.wait_group", Sem::weak, Scope::none},
        {"mbarrier.init.b64", Sem::weak, Scope::none},
        {"mbarrier.inval.b64", Sem::weak, Scope::none},
        {"mbarrier.expect_tx.b64", Sem::relaxed, Scope::cta},
        {"mbarrier.complete_tx.relaxed.cluster.b64", Sem::relaxed, Scope::cluster},
        {"mbarrier.arrive.b64", Sem::release, Scope::cta},
        {"mbarrier.arrive.expect_tx.relaxed.cluster.b64", Sem::relaxed, Scope::cluster},
        {"mbarrier.arrive.noComplete.b64", Sem::release, Scope::cta},
        {"mbarrier.arrive_drop.shared::cluster.b64", Sem::release, Scope::cta},
        {"mbarrier.test_wait.b64", Sem::acquire, Scope::cta},
        {"mbarrier.try_wait.parity.relaxed.cluster.b64", Sem::relaxed, Scope::cluster},
        {"mbarrier.pending_count.b64", Sem::weak, Scope::none},
        {"redux.sync.add.u32", Sem::weak, Scope::none},
        {"fence.mbarrier_init.release.cluster", Sem::release, Scope::cluster},
        {"fence.acquire.sync_restrict::shared::cluster.cluster", Sem::acquire, Scope::cluster},
        {"fence.proxy.async.global", Sem::weak, Scope::none},
        {"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", Sem::release, Scope::cluster},
    };
    for (const Row& row : rows) {
        const Instruction instruction = named(row.text);
        CHECK_MESSAGE(semantics(instruction) == row.sem, row.text);
        CHECK_MESSAGE(scope(instruction) == row.scope, row.text);
    }
}

TEST_CASE("proxy, type, vector width and operation") {
    CHECK(proxy(named("suld.u32")) == Proxy::surface);
    CHECK(proxy(named("sust.u32")) == Proxy::surface);
    CHECK(proxy(named("tld.u32")) == Proxy::texture);
    CHECK(proxy(named("ldc.u32")) == Proxy::constant);
    CHECK(proxy(named("fence.proxy.texture")) == Proxy::texture);
    CHECK(proxy(named("fence.proxy.alias")) == Proxy::generic);
    CHECK(proxy(named("ld.u32")) == Proxy::generic);
    CHECK(proxy(named("fence.proxy.async.shared::cluster")) == Proxy::async);
    CHECK(proxy(named("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster")) == Proxy::async);
    CHECK(proxy(named("cp.async.bulk.global.shared::cta.bulk_group")) == Proxy::async);
    CHECK(proxy(named("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32")) == Proxy::async);
    CHECK(proxy(named("cp.async.ca.shared.global")) == Proxy::generic);
    CHECK(proxy(named("red.async.relaxed.cluster.add.u32")) == Proxy::generic);
    CHECK(data_type(named("ld.v4.s16")) == Type::s16);
    CHECK(vector_width(named("ld.v4.s16")) == 4);
    CHECK(vector_width(named("ld.s16")) == 1);
    CHECK(data_type(named("cvt.u64.s32")) == Type::u64);
    CHECK(source_type(named("cvt.u64.s32")) == Type::s32);
    CHECK(operation(named("atom.exch.b32")) == Operator::exch);
    CHECK(operation(named("red.min.s64")) == Operator::min);
    CHECK(operation(named("bar.red.popc.u32")) == Operator::popc);
    CHECK(operation(named("min.s64")) == Operator::min);
    CHECK(operation(named("neg.s64")) == Operator::none);
    CHECK(operation(named("red.async.relaxed.cluster.dec.u32")) == Operator::dec);
    CHECK(operation(named("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16")) == Operator::add);
    CHECK(operation(named("redux.sync.max.NaN.f32")) == Operator::max);
    CHECK(operation(named("mbarrier.arrive.b64")) == Operator::none);
    CHECK(name(Sem::acq_rel) == "acq_rel");
    CHECK(name(Scope::cluster) == "cluster");
    CHECK(name(Proxy::surface) == "surface");
}

TEST_CASE("operands are asked for by role") {
    Instruction add = named("add.u32");
    add.operands.resize(3);
    for (size_t i = 0; i < 3; ++i) add.operands[i].name = "r" + std::to_string(i);
    CHECK(add.find(Role::result) == nullptr);
    bind(add);
    CHECK(add.at(Role::result).name == "r0");
    CHECK(add.at(Role::source).name == "r1");
    CHECK(add.at(Role::source, 1).name == "r2");
    CHECK(add.find(Role::source, 2) == nullptr);
    CHECK(add.find(Role::address) == nullptr);
    CHECK_THROWS_AS(add.at(Role::address), std::out_of_range);
    add.op = Op::bar_quorum;  // an operation that only a foreign format has is none of the table's, whatever its name
    bind(add);
    CHECK(add.row.form == nullptr);
    CHECK(add.at(Role::result).name == "r0");
}
