// The value table: its forms and cases, and that its kernels assemble.
#include "gpu/emit/value_table.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

using namespace litmus;
using namespace litmus::gpu;

namespace {

std::vector<ValueForm> forms_for(int sm) {
    std::vector<ValueForm> forms;
    for (const ValueForm& form : value_forms()) {
        if (runs_on(form, sm)) forms.push_back(form);
    }
    return forms;
}

const ValueForm& find(const std::vector<ValueForm>& forms, const std::string& text) {
    const auto it = std::find_if(forms.begin(), forms.end(), [&](const ValueForm& form) { return form.name == text; });
    REQUIRE_MESSAGE(it != forms.end(), text);
    return *it;
}

// What the table expects in memory for one pair of operands.
uint64_t expected(const ValueForm& form, uint64_t memory, uint64_t operand) {
    const ValueCases cases = value_cases(form);
    for (size_t i = 0; i < cases.operand.size(); ++i) {
        if (cases.memory[i] == memory && cases.operand[i] == operand) return cases.expected_memory[i];
    }
    FAIL("no such case");
    return 0;
}

std::string assembler() {
    for (const std::string path : {"/usr/local/cuda/bin/ptxas", "/usr/bin/ptxas"}) {
        if (std::filesystem::exists(path)) return path;
    }
    return {};
}

}  // namespace

TEST_CASE("the table has thousands of cases, whole ones, of every kind of form") {
    size_t cases = 0;
    std::set<ValueForm::Kind> kinds;
    for (const ValueForm& form : forms_for(90)) {
        const ValueCases all = value_cases(form);
        CHECK(all.cases() >= 64);
        CHECK(all.operand.size() == all.cases() * all.scalars_per_case);
        CHECK(all.memory.size() == all.operand.size());
        CHECK(all.expected_memory.size() == all.operand.size());
        CHECK(all.expected_old.empty() == (form.kind != ValueForm::Kind::atom));
        cases += all.operand.size();
        kinds.insert(form.kind);
    }
    CHECK(cases > 100000);
    CHECK(kinds.size() == 7);
}

TEST_CASE("forms are written as the ISA has them, each once for its space") {
    const auto forms = forms_for(90);
    find(forms, "red.relaxed.gpu.global.add.noftz.v8.bf16");
    find(forms, "atom.relaxed.gpu.shared::cta.cas.b16");
    find(forms, "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f16");
    find(forms, "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.dec.u32");
    find(forms, "redux.sync.add.s32");
    find(forms, "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32");
    find(forms, "atom.relaxed.gpu.global.cas.b128");
    std::set<std::tuple<std::string, bool, uint32_t>> seen;
    for (const ValueForm& form : forms) CHECK(seen.emplace(form.name, form.global, form.mask).second);
    CHECK(std::none_of(forms.begin(), forms.end(), [](const ValueForm& f) { return f.name.find(".NaN") != std::string::npos; }));
    find(forms_for(100), "redux.sync.min.abs.NaN.f32");
}

TEST_CASE("f32 sums flush in global memory, in bulk ones too, and not in shared memory") {
    const auto forms = forms_for(90);
    CHECK(expected(find(forms, "red.relaxed.gpu.global.add.f32"), 1, 1) == 0);
    CHECK(expected(find(forms, "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32"), 1, 1) == 0);
    CHECK(expected(find(forms, "red.relaxed.gpu.shared::cta.add.f32"), 1, 1) == 2);
    CHECK(expected(find(forms, "red.relaxed.gpu.global.add.noftz.f16"), 1, 1) == 2);
    CHECK(expected(find(forms, "red.relaxed.gpu.global.add.f64"), 1, 1) == 2);
}

TEST_CASE("edge values are different ones of the type") {
    for (const Type type : {Type::b16, Type::u32, Type::s64, Type::f16, Type::bf16, Type::f32, Type::f64}) {
        std::vector<uint64_t> values = edge_values(type);
        CHECK(values.size() >= 14);
        for (const uint64_t value : values) CHECK(value == truncate(value, bits(type)));
        std::sort(values.begin(), values.end());
        CHECK_MESSAGE(std::adjacent_find(values.begin(), values.end()) == values.end(), name(type));
    }
}

TEST_CASE("every kernel assembles, where ptxas is at hand") {
    const std::string ptxas = assembler();
    if (ptxas.empty()) return;
    for (const auto& [sm, target] : {std::pair{90, "sm_90"}, std::pair{100, "sm_100a"}}) {
        const auto path = std::filesystem::temp_directory_path() / ("litmus-values-" + std::string(target) + ".ptx");
        std::ofstream(path) << values_ptx(forms_for(sm), target);
        const std::string command = ptxas + " -arch " + target + " " + path.string() + " -o /dev/null";
        CHECK_MESSAGE(std::system(command.c_str()) == 0, command);
        std::filesystem::remove(path);
    }
}
