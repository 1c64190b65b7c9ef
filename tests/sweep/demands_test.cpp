// The demands of instructions on their operands (ptx/demands.h). Each rule that the table has of a form is broken once in a test and once
// in a kernel, and both doors say so.
//
// The rules are not listed here: they are asked of each operand of each form of the table of instructions. So a new rule, or a new form, is
// tested without a change here, or the test says that it cannot write it. A rule that is gone would not be missed so: demands.txt lists all
// of them, and LITMUS_PROMOTE=1 rewrites it.
#include "ptx/demands.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "contents.h"
#include "event/program.h"
#include "kernel/arguments.h"
#include "kernel/read.h"
#include "language/syntax/native/dsl.h"
#include "ptx/matrix.h"
#include "ptx/table.h"
#include "ptx/traits.h"
#include "sweep/orders.h"

using namespace litmus;

namespace {

using Owner = OwnerDemand::Owner;

// An instruction that has something to ask, with its name word by word.
struct Written {
    const Form* form = nullptr;
    std::vector<std::string> words;
    Instruction instruction;  // without operands
    bool whole = false;       // with the operands that may be left out, as far as something is asked of them

    std::string name() const {
        std::string dotted;
        for (const std::string& word : words) dotted += (dotted.empty() ? "" : ".") + word;
        return dotted;
    }
    bool has(const std::string& word) const { return std::find(words.begin(), words.end(), word) != words.end(); }
    std::vector<const Shape*> shapes() const {
        std::vector<const Shape*> written;
        for (const Shape& shape : form->operands)
            if (!shape.optional || (whole && !number_demands(instruction, shape.role).empty())) written.push_back(&shape);
        return written;
    }
};

// One breach of a rule: the operand, what stands in its place, and what is said of it.
struct Broken {
    const Shape* shape = nullptr;
    uint64_t number = 0;   // of a number
    int64_t offset = 0;    // of an address
    bool foreign = false;  // of an address: in the memory of the other CTA, where else it is in that of the executing one
    std::string says;      // by the sweep
};

// Where an operand lies if nothing is broken: data of `red.async` and of a copy between blocks in the other CTA, and its object with it.
bool lies_elsewhere(const Written& written, Role role) {
    const auto asks = [&](Role other) { return owner_demand(written.instruction, other).owner == Owner::another; };
    const bool data_elsewhere = asks(Role::address) || asks(Role::copy_to) || written.instruction.op == Op::st_async;
    return data_elsewhere && (role == Role::address || role == Role::copy_to || role == Role::mbarrier);
}

// One breach of each demand of an instruction.
std::vector<Broken> rules_to_break(const Written& written) {
    std::vector<Broken> found;
    for (const Shape* shape : written.shapes()) {
        for (const NumberDemand& demand : number_demands(written.instruction, shape->role)) {
            uint64_t wrong = demand.least > 0 ? demand.least - 1 : demand.most + 1;
            if (demand.multiple > 1) wrong = demand.least + demand.multiple / 2;
            if (demand.power_of_two) wrong = demand.least + 1;
            if (demand.at_most != Role::none) wrong = 32;
            found.push_back({shape, wrong, 0, false, demand.says()});
        }
        if (shape->role == Role::member_mask) found.push_back({shape, 0xfffffffe, 0, false, "its mask leaves that lane out"});
        const AlignmentDemand alignment = alignment_demand(written.instruction, shape->role);
        const uint64_t bytes = alignment.to != Role::none ? 16 : alignment.bytes;
        if (bytes > 1) found.push_back({shape, 0, static_cast<int64_t>(bytes / 2), false, "not aligned to"});
        const Owner owner = owner_demand(written.instruction, shape->role).owner;
        if (owner == Owner::own || owner == Owner::own_window) found.push_back({shape, 0, 0, true, "for that of its own block"});
        if (owner == Owner::another) found.push_back({shape, 0, 0, false, "for the shared memory of another block"});
        if (owner == Owner::of_data)
            found.push_back({shape, 0, 0, !lies_elsewhere(written, shape->role), "its mbarrier object is in block"});
    }
    return found;
}

// The instruction with its operands, in the language of tests or in PTX; `broken`: with this breach.
class Worded {
public:
    Worded(const Written& written, bool kernel, const Broken* broken) : written_(written), kernel_(kernel), broken_(broken) {
        std::string operands;
        for (const Shape* shape : written.shapes()) operands += (operands.empty() ? " " : shape->beside ? "|" : ", ") + operand(*shape);
        text_ = before_ + written.name() + operands + ";\n";
    }
    const std::string& text() const { return text_; }

private:
    std::string reg(const std::string& name) const { return (kernel_ ? "%" : "") + name; }

    // `{result0, result1}`, or the one register.
    std::string several(const std::string& name, int n) const {
        std::string list = reg(name) + "0";
        for (int i = 1; i < n; ++i) list += ", " + reg(name) + std::to_string(i);
        return n > 1 || name == "tile" ? "{" + list + "}" : list;
    }

    // A place in a tensor of as many dimensions as the instruction says, at coordinates 0.
    std::string place_in_tensor() const {
        for (const std::string& word : written_.words)
            if (word.size() == 2 && word[1] == 'd') {
                std::string zeros = "0";
                for (int d = 1; d < word[0] - '0'; ++d) zeros += ", 0";
                return "[" + reg("map") + word[0] + ", {" + zeros + "}]";
            }
        return {};
    }

    std::string number(const Shape& shape, uint64_t value) {
        if (shape.constant) return std::to_string(value);
        const std::string held = reg("number" + std::to_string(numbers_++));
        before_ += "mov.u32 " + held + ", " + std::to_string(value) + ";\n";
        return held;
    }

    bool in_global(Role role) const {
        if (const std::string_view space = named_space(written_.instruction, role); !space.empty()) return space == "global";
        const auto& slots = written_.form->slots;  // forms that can name global memory alone reach nothing else
        return role != Role::mbarrier && std::any_of(slots.begin(), slots.end(), [](const Slot& slot) {
                   return std::all_of(slot.alternatives.begin(), slot.alternatives.end(), [](const auto& a) { return a.word == "global"; });
               });
    }

    // A test has generic addresses where no space is named, as a kernel has.
    std::string address(const Shape& shape) {
        const bool here = broken_ != nullptr && broken_->shape == &shape;
        const bool elsewhere = here && broken_->offset == 0 ? broken_->foreign : lies_elsewhere(written_, shape.role);
        const std::string offset = here && broken_->offset != 0 ? "+" + std::to_string(broken_->offset) : "";
        const std::string what = shape.role == Role::mbarrier ? "bar" : in_global(shape.role) ? "g" : "s";
        const bool generic = what != "g" && named_space(written_.instruction, shape.role).empty();
        if (!kernel_) return "[" + what + (what == "g" ? "" : elsewhere ? "@cta1" : "@cta0") + offset + "]";
        return "[%" + what + (what != "g" && elsewhere ? "_there" : "") + (generic ? "_generic" : "") + offset + "]";
    }

    std::string operand(const Shape& shape) {
        const bool here = broken_ != nullptr && broken_->shape == &shape;
        const int width = vector_width(written_.instruction);
        switch (shape.role) {
            case Role::address:
            case Role::copy_to:
            case Role::copy_from:
            case Role::mbarrier:
                return address(shape);
            case Role::result:
                if (shape.only_sink) return "_";
                if (shape.beside || (shape.type && *shape.type == Type::pred) || data_type(written_.instruction) == Type::pred || waits())
                    return reg("done");
                return several("result", width);
            case Role::tile:
            case Role::fragment:
                return several("tile", tile_registers(written_.words, shape.name));
            case Role::tensor:
                return place_in_tensor();
            case Role::predicate:
            case Role::scale_d:
                return reg("done");
            case Role::source:
            case Role::compare:
            case Role::swap:
                return several("value", shape.type ? 1 : width);
            case Role::state:
                return reg("state");
            case Role::tensor_memory:
            case Role::metadata:
                return kernel_ ? "[%columns]" : shape.role == Role::metadata ? "[other_columns]" : "[columns]";
            case Role::matrix:
                return kernel_ ? "%value0" : "[s]";
            case Role::descriptor:
                return number(shape, described + (written_.words[2] == "sp" ? sparse : 0));
            case Role::member_mask:
                return number(shape, here ? broken_->number : 0xffffffff);
            case Role::threads:
                return number(shape, here ? broken_->number : 32);
            case Role::columns:
                return number(shape, here ? broken_->number : 32);
            case Role::cta_mask:
            case Role::count:
                return number(shape, here ? broken_->number : 1);
            case Role::size:
                return number(shape, here ? broken_->number : written_.instruction.op == Op::discard ? 128 : 16);
            case Role::source_size:
                return number(shape, here ? broken_->number : 8);
            case Role::tx_count:
                return number(shape, here ? broken_->number : 16);
            default:
                return number(shape, here ? broken_->number : 0);
        }
    }

    static constexpr uint64_t described = 0x08100000, sparse = 4;  // M is 128, N is 64

    bool waits() const { return kind(written_.instruction.op) == Traits::Kind::mbarrier_wait; }

    const Written& written_;
    const bool kernel_;
    const Broken* const broken_;
    std::string before_, text_;
    size_t numbers_ = 0;
};

constexpr int most_dimensions = 5;

// "4, 4": the sizes of a tensor, and of a box of it.
std::string sizes(int dimensions) {
    std::string list = "4";
    for (int d = 1; d < dimensions; ++d) list += ", 4";
    return list;
}

// The findings of the sweep, a line for each. In a cluster of two blocks the first one executes the instruction; both do if it is for a
// pair.
std::string findings_of(const Written& written, const Broken* broken) {
    std::string parameters, maps, values;
    for (int n = 0; n < 8; ++n) values += "mov.u64 %value" + std::to_string(n) + ", 0;\n";
    kernel::LaunchTexts texts;
    texts.grid = texts.cluster = "2";
    texts.block = "32";
    texts.arguments = {"array=u32[256]"};
    for (int d = 1; d <= most_dimensions; ++d) {
        const std::string name = "map" + std::to_string(d);
        parameters += ", .param .align 64 .b8 " + name + "[128]";
        maps += "mov.b64 %" + name + ", " + name + ";\ncvta.param.u64 %" + name + ", %" + name + ";\n";
        texts.arguments.push_back(name + "=tensor(u32[" + sizes(d) + "],box=" + sizes(d) + ")");
    }
    const std::string body = Worded(written, true, broken).text();
    const kernel::Module module = kernel::testing::module_of(
        ".visible .entry k(.param .u64 array" + parameters +
        ")\n{\n.shared .align 128 .b8 memory[8192];\n.shared .align 128 .b64 object;\n.reg .pred %done, %other;\n"
        ".reg .b32 %s, %s_there, %bar, %bar_there, %number<9>, %rank, %columns, %tile<129>;\n.reg .b64 %result<9>, %value<9>, %state, %g, "
        "%s_generic, %s_there_generic, %bar_generic, %bar_there_generic, %map<6>;\n"
        "ld.param.u64 %g, [array];\nmov.u32 %s, memory;\nmov.u32 %bar, object;\nmov.u32 %columns, 0;\nmov.u32 %rank, 1;\n" +
        maps + values +
        "mapa.shared::cluster.u32 %s_there, %s, %rank;\nmapa.shared::cluster.u32 %bar_there, %bar, %rank;\n"
        "cvt.u64.u32 %s_generic, %s;\ncvta.shared.u64 %s_generic, %s_generic;\ncvt.u64.u32 %bar_generic, %bar;\n"
        "cvta.shared.u64 %bar_generic, %bar_generic;\nmapa.u64 %s_there_generic, %s_generic, %rank;\n"
        "mapa.u64 %bar_there_generic, %bar_generic, %rank;\nmov.u64 %state, 0;\nmov.u32 %rank, %tid.x;\n"
        "setp.ne.u32 %other, %rank, 0;\n" +
        std::string(written.instruction.op == Op::mbarrier_init ? "" : "@!%other mbarrier.init.shared::cta.b64 [%bar], 100;\n") +
        "fence.mbarrier_init.release.cluster;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nmov.u32 %rank, %ctaid.x;\n"
        "setp.ne.u32 %other, %rank, 0;\n" +
        std::string(written.has("cta_group::2") ? "" : "@%other bra END;\n") + "setp.eq.u32 %done, %rank, 0;\n" + body +
        "END:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n}\n");
    std::string said;
    try {
        const sweep::Swept found = sweep::sweep(module, kernel::launch_of(module, texts, [](const std::string&) { return std::string(); }));
        for (const sweep::Finding& finding : found.findings) said += finding.text + "\n";
        for (const std::string& condition : found.conditions) said += "where " + condition + "\n";
    } catch (const Failure& failure) {
        said += std::string("refused: ") + failure.what() + "\n";
    }
    return said;
}

// Says why a test is refused if a thread of cta0 has the instruction; empty: it is not.
std::string refusal_of(const Written& written, const Broken* broken) {
    const std::string width = std::to_string(std::max(8, bits(lane_type(data_type(written.instruction)))));
    const std::string element =
        width == "128" || width == "8" || (is_copy(written.instruction.op) && !traits(written.instruction.op).reduces) ? "32" : width;
    std::string maps;
    for (int d = 1; d <= most_dimensions; ++d)
        maps += ".tensormap map" + std::to_string(d) + " = elements, dim " + sizes(d) + ", box " + sizes(d) + ";\n";
    std::string registers;
    for (const std::string name : {"value", "tile"})
        for (int n = 0; n < 8; ++n) registers += "mov.u64 " + name + std::to_string(n) + ", 0;\n";
    const std::string text =
        "test \"t\"\n.shared .u" + element + " s[1024];\n.global .u" + element +
        " g[64];\n.global .u32 elements[1024];\n.shared .mbarrier bar;\n.tmem columns;\n.tmem other_columns;\n" + maps +
        "thread P0 @ cta0 {\n" + registers + "setp.eq.u32 done, 1, 1;\nmbarrier.arrive" +
        (written.instruction.op == Op::mbarrier_pending_count ? ".noComplete.b64 state, [bar], 1" : ".b64 state, [bar]") + ";\n" +
        Worded(written, false, broken).text() + "}\nthread P1 @ cta1 { }\n";
    try {
        build_program(parse_dsl(make_source("t.litmus", text)), {});
    } catch (const Failure& failure) {
        return failure.what();
    }
    return {};
}

// Nothing if the words are another form's name, too, and that comes first.
std::optional<Written> written_as(const Form& form, const std::vector<std::string>& words) {
    Written written{&form, words, {}, false};
    const auto spelled = resolve(written.name());
    const auto* const spelling = std::get_if<Spelling>(&spelled);
    if (spelling == nullptr || spelling->form != &form) return std::nullopt;
    written.instruction.op = *form.op;
    written.instruction.mnemonic = form.mnemonic;
    written.instruction.qualifiers = spelling->qualifiers;
    written.instruction.row.form = &form;
    return written;
}

// The plainest name of each form, and the one with the most words.
std::vector<Written> all_that_ask() {
    std::vector<Written> all;
    for (const Form& form : forms()) {
        if (!form.op || form.any_qualifiers) continue;
        std::vector<std::vector<std::string>> names;
        each_name(form, [&](const std::vector<std::string>& words, Version) {
            if (std::find(words.begin(), words.end(), "L2::cache_hint") != words.end()) return;
            if (names.size() == 2) names.pop_back();
            names.push_back(words);
        });
        for (const auto& words : names)
            if (std::optional<Written> written = written_as(form, words)) {
                const size_t needed = written->shapes().size();
                if (!rules_to_break(*written).empty()) all.push_back(*written);
                written->whole = true;
                if (written->shapes().size() > needed) all.push_back(std::move(*written));
            }
    }
    return all;
}

std::string text_of(Owner owner) {
    switch (owner) {
        case Owner::any:
            return {};
        case Owner::own:
            return "lies in the executing CTA";
        case Owner::own_window:
            return "lies in the executing CTA, as its window is named";
        case Owner::another:
            return "lies in another CTA";
        case Owner::of_data:
            return "lies in the CTA of the data";
        case Owner::of_pair:
            return "lies in the CTA of the data, or in that of its pair";
    }
    return {};
}

// The rules of an instruction, a text for each.
std::vector<std::string> asked_by(const Written& written) {
    const Instruction& i = written.instruction;
    std::vector<std::string> rules;
    for (const Shape* shape : written.shapes()) {
        const std::string operand = "`" + shape->name + "` ";
        for (const NumberDemand& demand : number_demands(i, shape->role))
            rules.push_back(operand + "is a number: " + demand.says() + citation(demand.section, i));
        const AlignmentDemand alignment = alignment_demand(i, shape->role);
        if (alignment.bytes > 1 || alignment.to != Role::none)
            rules.push_back(operand + "is aligned to " + (alignment.bytes > 1 ? std::to_string(alignment.bytes) + " bytes" : "the size") +
                            citation(alignment.section, i));
        const OwnerDemand owner = owner_demand(i, shape->role);
        if (owner.owner != Owner::any) rules.push_back(operand + text_of(owner.owner) + citation(owner.section, i));
    }
    if (needs_whole_warp(i)) rules.push_back("no lane of the warp has exited" + citation({}, i));
    if (needs_coordinates_inside(i)) rules.push_back("no coordinate is negative" + citation({}, i));
    return rules;
}

// The M that an instruction descriptor may have, and the least and the largest N.
void add_shapes(const std::string& name, std::map<std::string, std::set<std::string>>& all) {
    const auto spelled = resolve(name);
    const auto* const spelling = std::get_if<Spelling>(&spelled);
    REQUIRE(spelling != nullptr);
    Instruction instruction;
    instruction.op = *spelling->form->op;
    instruction.mnemonic = spelling->form->mnemonic;
    instruction.qualifiers = spelling->qualifiers;
    instruction.row.form = spelling->form;
    constexpr uint64_t most_m = 31 * 16, most_n = 63 * 8;  // of their fields
    const auto is_right = [&](uint64_t m, uint64_t n) { return fault_of_shape(instruction, m / 16 << 24 | n / 8 << 17).empty(); };
    for (uint64_t m = 0; m <= most_m; m += 16)
        if (is_right(m, 64)) all["M of " + name].insert(std::to_string(m));
    uint64_t least = 0, most = most_n;
    while (least < most_n && !is_right(128, least)) least += 8;
    while (most > 0 && !is_right(128, most)) most -= 8;
    all["N of " + name].insert("from " + std::to_string(least) + " to " + std::to_string(most));
}

// Each rule, and the mnemonics of those that have it.
std::string list_of_rules() {
    std::map<std::string, std::set<std::string>> all;
    for (const Form& form : forms())
        if (form.op && !form.any_qualifiers)
            each_name(form, [&](const std::vector<std::string>& words, Version) {
                std::optional<Written> written = written_as(form, words);
                if (!written) return;
                written->whole = true;
                for (const std::string& rule : asked_by(*written)) all[rule].insert(form.mnemonic);
            });
    for (const std::string name :
         {"tcgen05.mma.cta_group::1.kind::f16", "tcgen05.mma.cta_group::2.kind::f16", "tcgen05.mma.ws.cta_group::1.kind::f16",
          "tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X", "tcgen05.mma.cta_group::2.kind::mxf4.block_scale.scale_vec::2X"})
        add_shapes(name, all);
    for (const Type type : {Type::u8, Type::u16, Type::u32, Type::s32, Type::u64, Type::s64, Type::f16, Type::bf16, Type::f32, Type::f64})
        for (const Operator does :
             {Operator::add, Operator::min, Operator::max, Operator::inc, Operator::dec, Operator::and_, Operator::or_, Operator::xor_})
            if (has_tensor_reduction(does, type))
                all["reductions of a tensor of `." + std::string(name(type)) + "`"].insert(std::string(name(does)));
    std::string text;
    for (const auto& [rule, those] : all) {
        text += rule + ":";
        for (const std::string& one : those) text += " " + one;
        text += "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("no rule about operands is gone, and none is new") {
    const std::string path = LITMUS_SOURCE_DIR "/tests/sweep/demands.txt", text = list_of_rules();
    if (std::getenv("LITMUS_PROMOTE")) std::ofstream(path) << text;
    CHECK_MESSAGE(contents(path) == text, "run test_sweep with LITMUS_PROMOTE=1 and look at the difference");
}

TEST_CASE("both doors know each rule about operands") {
    // Reasons of refusals that these operands have in a test: it needs other places, elements or maps.
    constexpr std::array<std::string_view, 12> not_for_these_places = {
        "partial overlaps",  "multimem address", "constant address", "surface address", "texture address", "tensor map in memory",
        "coordinates, not ", "`im2colInfo`",     "column of pixels", "tensor memory",   "`new_val`",       "128 bits"};
    const std::set<std::string> known_not_swept = {"cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor", "tcgen05.mma.sp"};
    std::set<std::string> not_swept;  // mnemonics of forms
    size_t in_kernels = 0, in_tests = 0;
    for (const Written& written : all_that_ask()) {
        const std::string name = written.name(), right_kernel = findings_of(written, nullptr), right_test = refusal_of(written, nullptr);
        CAPTURE(name);
        CAPTURE(right_kernel);
        CAPTURE(right_test);
        const bool is_swept = right_kernel.find("is not executed by the sweep") == std::string::npos;
        if (!is_swept) not_swept.insert(written.form->mnemonic);
        const auto has = [&](std::string_view reason) { return right_test.find(reason) != std::string::npos; };
        CHECK((right_test.empty() || std::any_of(not_for_these_places.begin(), not_for_these_places.end(), has)));
        for (const Broken& broken : rules_to_break(written)) {
            CAPTURE(broken.says);
            CHECK(right_kernel.find(broken.says) == std::string::npos);
            if (is_swept) {
                const std::string said = findings_of(written, &broken);
                CAPTURE(said);
                CHECK(said.find(broken.says) != std::string::npos);
                ++in_kernels;
            }
            if (right_test.empty()) {
                CHECK(!refusal_of(written, &broken).empty());
                ++in_tests;
            }
        }
    }
    CHECK(not_swept == known_not_swept);
    CHECK(in_kernels > 400);
    CHECK(in_tests > 400);
}
