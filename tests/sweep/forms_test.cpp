// The table of instructions has names of red, red.async, cp.reduce.async.bulk, st.async, redux.sync and atom. Each gets a kernel of its own
// (gpu/emit/value_table.h): the sweep executes it, and leaves in memory, bit for bit, what the arithmetic of tests gives. A GPU runs the
// same kernels with `litmus-gpu values`. model/forms.md counts the names by row; LITMUS_PROMOTE=1 rewrites it.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "contents.h"
#include "gpu/emit/value_table.h"
#include "kernel/arguments.h"
#include "ptx/table.h"
#include "sweep/sweep.h"
#include "turn.h"

using namespace litmus;
using gpu::ValueCases;
using gpu::ValueForm;

namespace {

// So many of the cases, from all over them.
ValueCases some_of(const ValueCases& all, size_t most) {
    ValueCases some;
    some.scalars_per_case = all.scalars_per_case;
    const size_t count = std::min(most, all.cases());
    for (size_t n = 0; n < count; ++n) {
        const size_t first = n * all.cases() / count * all.scalars_per_case;
        for (const auto& [from, to] :
             {std::pair(&all.memory, &some.memory), std::pair(&all.operand, &some.operand), std::pair(&all.third, &some.third),
              std::pair(&all.expected_memory, &some.expected_memory), std::pair(&all.expected_old, &some.expected_old)})
            if (!from->empty())
                to->insert(to->end(), from->begin() + static_cast<std::ptrdiff_t>(first),
                           from->begin() + static_cast<std::ptrdiff_t>(first + all.scalars_per_case));
    }
    return some;
}

std::string packed(const std::vector<uint64_t>& scalars, int bytes) {
    std::string text;
    for (const uint64_t scalar : scalars)
        for (int i = 0; i < bytes; ++i) text += static_cast<char>(scalar >> (8 * i));
    return text;
}

kernel::Launch launch_for(const kernel::Module& module, const ValueForm& form, const std::string& entry, const ValueCases& cases) {
    const int bytes = bits(form.scalar()) / 8;
    const std::map<std::string, std::string> files{{"memory", packed(cases.memory, bytes)},
                                                   {"operand", packed(cases.operand, bytes)},
                                                   {"third", packed(cases.third.empty() ? cases.operand : cases.third, bytes)},
                                                   {"old", packed(cases.memory, bytes)}};
    kernel::LaunchTexts texts;
    texts.entry = entry;
    texts.grid = std::to_string(cases.cases() * static_cast<size_t>(form.blocks()));
    texts.block = std::to_string(form.threads());
    texts.cluster = std::to_string(form.blocks());
    for (const char* name : {"memory", "operand", "third", "old"})
        texts.arguments.push_back(std::string(name) + "=u" + std::to_string(8 * bytes) + "[" +
                                  std::to_string(files.at(name).size() / static_cast<size_t>(bytes)) + "]:@" + name);
    return kernel::launch_of(module, texts, [&](const std::string& name) { return files.at(name); });
}

// "": as expected.
std::string differs(const char* what, const sweep::Contents& found, const std::string& expected) {
    for (size_t i = 0; i < expected.size(); ++i) {
        if (!found.known[i]) return std::string(what) + ": byte " + std::to_string(i) + " is not computed";
        if (found.bytes[i] != static_cast<uint8_t>(expected[i])) return std::string(what) + ": byte " + std::to_string(i) + " differs";
    }
    return {};
}

// Executes the form on these cases by the sweep. Returns what is wrong; "": nothing.
std::string wrong_of(const kernel::Module& module, const ValueForm& form, const std::string& entry, const ValueCases& cases) {
    const kernel::Launch launch = launch_for(module, form, entry, cases);
    sweep::Options options;
    options.leaves = true;
    const sweep::Swept swept = sweep::sweep(module, launch, options);
    std::string wrong;
    for (const sweep::Finding& finding : swept.findings) wrong += finding.text + "; ";
    for (const std::string& condition : swept.conditions) wrong += condition + "; ";
    const int bytes = bits(form.scalar()) / 8;
    wrong += differs("memory", swept.left->arrays.at(0), packed(cases.expected_memory, bytes));
    if (!cases.expected_old.empty()) wrong += differs("old", swept.left->arrays.at(3), packed(cases.expected_old, bytes));
    return wrong;
}

// Calls `visit` with each form, its kernel and a few cases of those that it shares with the forms that compute alike.
template <typename Visit>
void each_form(gpu::Names names, size_t most, const litmus::Turn& turn, const Visit& visit) {
    constexpr size_t at_once = 16;  // kernels of one module
    std::map<std::tuple<ValueForm::Kind, Operator, Type, int, bool, bool, bool, uint32_t>, ValueCases> known;
    const std::vector<ValueForm> forms = gpu::value_forms(names);
    for (size_t first = 0; first < forms.size(); first += at_once) {
        if (!turn.has(first / at_once)) continue;
        const std::vector<ValueForm> some(forms.begin() + static_cast<std::ptrdiff_t>(first),
                                          forms.begin() + static_cast<std::ptrdiff_t>(std::min(forms.size(), first + at_once)));
        const kernel::Module module = kernel::read_module(make_source("values.ptx", gpu::values_ptx(some, "sm_100a")));
        for (size_t i = 0; i < some.size(); ++i) {
            const ValueForm& form = some[i];
            const auto [at, fresh] = known.try_emplace(
                {form.kind, form.operation, form.type, form.width, form.global, form.abs, form.nan, form.mask}, ValueCases());
            if (fresh) at->second = some_of(gpu::value_cases(form), most);
            visit(module, form, gpu::value_kernel(i), at->second);
        }
    }
}

std::string refused_with(const std::function<void()>& call) {
    try {
        call();
    } catch (const Failure& failure) {
        return failure.diagnostics().front().message;
    }
    return {};
}

// A row: its names, its forms, and how many of these are executed.
struct Counted {
    size_t names = 0, forms = 0, swept = 0;
};

std::string forms_page(const std::map<std::pair<std::string, std::string>, Counted>& rows) {
    std::ostringstream out;
    out << "# Forms of reductions\n\nGenerated from the instruction table (`src/ptx/rows.h`); `LITMUS_PROMOTE=1` and `test_sweep` write it "
           "anew.\n\n"
           "The rows are those of `atom` and of the five pages of reductions. A row has so many names; each counts once for every place "
           "where a\n"
           "generic address may lead, and for every mask that is tried. The forms are those names that differ in what they compute. The "
           "column\n"
           "`sweep` counts those that a run of all threads executes with the value that the page gives. Tests have all forms.\n\n"
           "| ISA | row | names | forms | sweep |\n|---|---|---|---|---|\n";
    for (const auto& [row, counted] : rows)
        out << "| " << row.first << " | `" << row.second << "` | " << counted.names << " | " << counted.forms << " | " << counted.swept
            << " |\n";
    return out.str();
}

std::pair<std::string, std::string> row_of(const ValueForm& form) {
    const auto found = resolve(form.name);
    const Form& row = *std::get<Spelling>(found).form;
    return {row.section, row.box};
}

}  // namespace

TEST_CASE("every form leaves what the arithmetic of tests gives, and the page counts them") {
    std::map<std::pair<std::string, std::string>, Counted> rows;
    for (const ValueForm& form : gpu::value_forms(gpu::Names::all)) ++rows[row_of(form)].names;
    each_form(gpu::Names::usual, 48, litmus::Turn(1),
              [&](const kernel::Module& module, const ValueForm& form, const std::string& entry, const ValueCases& cases) {
                  Counted& counted = rows[row_of(form)];
                  std::string wrong;
                  const std::string refused = refused_with([&] { wrong = wrong_of(module, form, entry, cases); });
                  CHECK_MESSAGE((wrong + refused).empty(), form.name, (form.global ? " (global)" : " (shared)"), ": ", wrong, refused);
                  ++counted.forms;
                  counted.swept += (wrong + refused).empty() ? 1 : 0;
              });
    const std::string path = LITMUS_SOURCE_DIR "/model/forms.md", text = forms_page(rows);
    if (std::getenv("LITMUS_PROMOTE")) std::ofstream(path) << text;
    CHECK_MESSAGE(contents(path) == text, "run test_sweep with LITMUS_PROMOTE=1 and look at the difference");
    CHECK(rows.size() > 20);
    for (const auto& [row, counted] : rows) CHECK_MESSAGE((counted.forms > 0 && counted.swept == counted.forms), row.second);
}

TEST_CASE("every name is executed by the sweep") {
    size_t names = 0;
    each_form(gpu::Names::all, 1, litmus::Turn(12),
              [&](const kernel::Module& module, const ValueForm& form, const std::string& entry, const ValueCases& cases) {
                  ++names;
                  std::string wrong;
                  const std::string refused = refused_with([&] { wrong = wrong_of(module, form, entry, cases); });
                  if (!(wrong + refused).empty()) FAIL_CHECK(form.name, (form.global ? " (global)" : " (shared)"), ": ", wrong, refused);
              });
    CHECK(names > 500);
}
