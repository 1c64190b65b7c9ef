// One instruction: its name is looked up in the table, and each operand is read as it stands and then held against the shape
// that the form has for it.
#include "language/syntax/native/dsl_instruction.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "language/syntax/native/dsl_advice.h"
#include "language/syntax/native/dsl_special.h"
#include "language/tensor.h"
#include "ptx/matrix.h"
#include "ptx/table.h"
#include "ptx/traits.h"

namespace litmus::dsl {

namespace {

constexpr size_t most_elements = 128;  // of a vector: the accumulators of wgmma.mma_async

// An operand as written, before the instruction's shape says what it means.
struct Written {
    Operand operand;
    std::optional<Literal> literal;
    std::vector<Written> elements = {};
    bool beside = false;  // behind `|`
};

class InstructionParser {
public:
    explicit InstructionParser(Reader& in) : in_(in) {}

    Instruction parse_instruction() {
        Instruction instruction;
        instruction.span = in_.lexer.peek().span;
        if (in_.accept("@")) {
            const bool negated = in_.accept("!");
            instruction.guard = Guard{in_.register_name(in_.take(DslToken::Kind::word, "a predicate register")), negated};
        }
        instruction.await = in_.accept("await");
        refuse_cuda(in_);
        const DslToken name = in_.take_dotted("an instruction");
        instruction.spelled = name.span;
        const auto found = resolve(name.text);
        if (const Refusal* refused = std::get_if<Refusal>(&found)) {
            const Refusal refusal =
                in_.errors.size() < max_errors ? advise(name.text, pasted_from(in_, name.span.begin), *refused) : *refused;
            in_.fail({name.span.begin + refusal.begin, name.span.begin + refusal.end}, refusal.message, refusal.hint);
        }
        const Spelling& spelled = std::get<Spelling>(found);
        instruction.op = *spelled.form->op;
        instruction.row.form = spelled.form;
        instruction.mnemonic = spelled.form->mnemonic;
        instruction.qualifiers = spelled.qualifiers;
        check_direction(instruction, name, *spelled.form);
        parse_operands(instruction, name, *spelled.form);
        parse_expectation(instruction, name);
        instruction.span.end = in_.lexer.last_end();
        in_.expect_semicolon("the instruction");
        return instruction;
    }

    Bound take_bound() {
        const Written written = parse_operand(0);
        const Operand::Kind kind = written.operand.kind;
        if ((kind != Operand::Kind::reg && kind != Operand::Kind::immediate && kind != Operand::Kind::symbol &&
             kind != Operand::Kind::tensor) ||
            written.operand.negated)
            in_.fail(written.operand.span,
                     "an operand of `asm` is a register, a location or a number here, not " + std::string(kind_name(kind)),
                     "load the value in an instruction of its own");
        return {written.operand, written.literal};
    }

private:
    // The two state spaces of a copy stand in this order only: they say which way it goes.
    void check_direction(const Instruction& instruction, const DslToken& name, const Form& form) const {
        if (!is_copy(instruction.op)) return;
        size_t at = 0;
        for (const std::string& qualifier : instruction.qualifiers) {
            if (qualifier != "global" && qualifier.substr(0, 6) != "shared") continue;
            at = name.text.find("." + qualifier, at);
            if (at == std::string_view::npos)
                in_.fail(name.span, "no form of `" + form.mnemonic + "` copies this way: the destination's state space stands first",
                         form.box + " (ISA " + form.section + ")");
        }
    }

    static bool is_wait(const Instruction& instruction) { return kind(instruction.op) == Traits::Kind::mbarrier_wait; }

    void parse_operands(Instruction& instruction, const DslToken& name, const Form& form) {
        std::vector<Written> written;
        if (!in_.at(";") && !(in_.lexer.at_line_start() && form.operands.empty())) do {
                written.push_back(parse_operand(0));
                if (written.size() == 1 && in_.at("|")) parse_second_result(written, form);
            } while (in_.accept(","));
        // ISA 9.7.9.8: a cache policy needs the qualifier .L2::cache_hint
        const bool hinted = name.text.find(".L2::cache_hint") != std::string_view::npos;
        const std::vector<const Shape*> shapes = shapes_of(form, instruction.await, form.operands.size(), hinted);
        if (instruction.await && is_wait(instruction) && !written.empty() && written[0].operand.kind != Operand::Kind::address)
            in_.fail(written[0].operand.span, "an awaited wait has no predicate operand",
                     "leave it out: `await` says that the wait returned true");
        const auto required = static_cast<size_t>(std::count_if(shapes.begin(), shapes.end(), [](const Shape* s) { return !s->optional; }));
        if (written.size() < required && !in_.at(";") && !in_.lexer.at_line_start()) in_.expect(",", " before the next operand");
        if (written.size() < required || written.size() > shapes.size()) {
            const bool has_policy =
                std::any_of(form.operands.begin(), form.operands.end(), [](const Shape& s) { return s.role == Role::policy; });
            if (has_policy && !hinted && written.size() == shapes.size() + 1 && written.back().operand.kind == Operand::Kind::reg)
                in_.fail(written.back().operand.span, "a cache policy needs the qualifier `.L2::cache_hint` (ISA " + form.section + ")");
            if (is_wait(instruction) && !instruction.await && !written.empty() && written[0].operand.kind == Operand::Kind::address)
                in_.fail(name.span, "`" + form.mnemonic + "` writes a predicate, which stands first",
                         "write `p, [bar]`, or `await` before the instruction");
            const std::string wanted =
                required == shapes.size() ? std::to_string(required) : std::to_string(required) + " or " + std::to_string(shapes.size());
            in_.fail(join(name.span, {0, in_.lexer.last_end()}),
                     "`" + form.mnemonic + "` takes " + wanted + (wanted == "1" ? " operand" : " operands") + ", not " +
                         std::to_string(written.size()),
                     form.box + " (ISA " + form.section + ")");
        }
        const std::vector<const Shape*> filled = shapes_of(form, instruction.await, written.size(), hinted);
        for (size_t i = 0; i < written.size(); ++i) {
            if (filled[i]->beside != written[i].beside)
                in_.fail(written[i].operand.span, "`" + form.mnemonic + "` writes its predicate after the first result, and `|`",
                         form.box + " (ISA " + form.section + ")");
            Operand operand = conform(std::move(written[i]), *filled[i], instruction, form);
            operand.role = role_of(*filled[i], operand);
            if (written[i].beside && operand.kind == Operand::Kind::sink && instruction.operands.front().kind == Operand::Kind::sink)
                in_.fail(operand.span, "`_` stands for one of two results, not for both (ISA " + form.section + ")",
                         "name a register for the result that you want");
            if (operand.role != Role::policy) instruction.operands.push_back(std::move(operand));
        }
    }

    // `d|p`
    void parse_second_result(std::vector<Written>& written, const Form& form) {
        if (std::none_of(form.operands.begin(), form.operands.end(), [](const Shape& s) { return s.beside; }))
            in_.fail(in_.lexer.peek().span, "a second predicate, `p|q`, is known PTX (ISA 9.7.6.2) but not modelled yet",
                     "write an instruction for each predicate");
        in_.lexer.take();
        written.push_back(parse_operand(0));
        written.back().beside = true;
    }

    void parse_expectation(Instruction& instruction, const DslToken& name) {
        if (instruction.await && !is_load(instruction.op) && !is_wait(instruction))
            in_.fail(name.span, "`" + instruction.mnemonic + "` cannot be awaited",
                     traits(instruction.op).waits ? "leave out `await`: it blocks by itself"
                                                  : "await a load with a condition: await ld.acquire.gpu.u32 r0, [flag] == 1;");
        const DslToken token = in_.lexer.peek();
        const Operator comparison = comparison_of(token);
        const bool compares = comparison != Operator::none;
        if (instruction.await && is_wait(instruction)) {
            if (compares)
                in_.fail(token.span, "an awaited wait has no condition of its own", "leave it out: it waits until the wait returns true");
            return;
        }
        if (instruction.await && !compares)
            in_.fail({in_.lexer.last_end(), in_.lexer.last_end() + 1}, "an awaited load needs a condition", "add `== 1`");
        if (instruction.await && data_type(instruction) == Type::b128)
            in_.fail(
                name.span, "what is loaded with 128 bits cannot be awaited",
                "an answer comes with an mbarrier object, which can be; to wait for other data write a loop: `ld`, `mov.b128 {a, b}, q`, "
                "`setp`, `bra`");
        if (instruction.await && vector_width(instruction) > 1) in_.fail(name.span, "a vector cannot be awaited", "await one element");
        if (!compares) return;
        if (!instruction.await)
            in_.fail(token.span, "only an awaited load has a condition", "write `await` before it, or a `filter` for the test");
        in_.lexer.take();
        Expectation expectation{comparison, {}};
        Shape shape;
        shape.name = "the value";
        expectation.value = conform_value(parse_operand(0), shape, data_type(instruction));
        instruction.expect = std::move(expectation);
    }

    Written parse_operand(int depth) {
        Written written;
        const DslToken first = in_.lexer.peek();
        const uint32_t begin = first.span.begin;
        if (first.text == "[" && first.kind == DslToken::Kind::mark) {
            written = parse_address();
        } else if (first.text == "{" && first.kind == DslToken::Kind::mark) {
            if (depth > 0) in_.fail(first.span, "a vector holds registers and values only");
            in_.lexer.take();
            written.operand.kind = Operand::Kind::vector;
            do written.elements.push_back(parse_operand(depth + 1));
            while (in_.accept(",") && written.elements.size() < most_elements);
            in_.expect("}");
        } else if (in_.accept("!")) {
            written.operand.name = in_.register_name(in_.take(DslToken::Kind::word, "a predicate register"));
            written.operand.negated = true;
        } else if (const Bound* bound = find_bound(first)) {
            in_.lexer.take();
            written = {bound->operand, bound->literal};
            if (written.operand.kind == Operand::Kind::reg) written.operand.name = first.text;  // until it is bound (dsl_asm.h)
            if (written.operand.kind == Operand::Kind::symbol) in_.parse_offset(written.operand, nullptr);
        } else if (first.kind == DslToken::Kind::number || in_.at("-") || in_.at_replica()) {
            written.literal = in_.take_literal("a value");
            written.operand.kind = Operand::Kind::immediate;
        } else {
            written.operand = parse_named_operand();
        }
        written.operand.span = {begin, in_.lexer.last_end()};
        return written;
    }

    // What `%0` stands for in pasted assembly; null: the token is no such operand.
    const Bound* find_bound(const DslToken& token) const {
        for (size_t k = 0; k < in_.bound.size(); ++k)
            if (token.kind == DslToken::Kind::word && token.text == "%" + std::to_string(k)) return &in_.bound[k];
        return nullptr;
    }

    // A register, `_`, a label, or a location: `x`, `s@cta1+4`, `s[1]`.
    Operand parse_named_operand() {
        Operand operand;
        const DslToken token = in_.take(DslToken::Kind::word, "an operand");
        if (token.text == "_") {
            operand.kind = Operand::Kind::sink;
            return operand;
        }
        if (const Location* location = find_location(in_.test, token.text)) {
            operand.name = location->name;
            operand.cta = in_.parse_instance();
            operand.kind = in_.at("[") ? Operand::Kind::address : Operand::Kind::symbol;  // ISA 6.4.2 puts no brackets around `s[1]`
            in_.parse_offset(operand, location);
            return operand;
        }
        if (find_tensor_map(in_.test, token.text)) {
            operand.kind = Operand::Kind::tensor;
            operand.name = token.text;
            return operand;
        }
        if (auto special = take_special_register(in_, token)) return *special;
        operand.name = in_.register_name(token);
        const bool joined = in_.lexer.peek().span.begin == token.span.end;  // `s[1]`; `r0 [x]` lacks a comma
        if (joined && (in_.at("[") || in_.at("@"))) in_.fail_undeclared(token);
        return operand;
    }

    // `[x]`, `[s@cta1+8]`, `[s[1]]`, `[r0]`, `[r0+4]`, `[tm, {4, 0}]`
    Written parse_address() {
        in_.lexer.take();
        Written written;
        Operand& operand = written.operand;
        operand.kind = Operand::Kind::address;
        const DslToken token = in_.lexer.peek();
        if (token.kind == DslToken::Kind::number) in_.fail(token.span, "an address names a location or a register");
        in_.take(DslToken::Kind::word, "a location or a register");
        if (const Bound* bound = find_bound(token)) {
            if (bound->literal) in_.fail(token.span, "an address names a location or a register, and this operand is a number");
            operand = bound->operand;
            operand.indirect = operand.kind == Operand::Kind::reg;
            if (operand.kind != Operand::Kind::tensor) operand.kind = Operand::Kind::address;
            if (operand.indirect) operand.name = token.text;  // until it is bound (dsl_asm.h)
            if (operand.kind != Operand::Kind::tensor) in_.parse_offset(operand, nullptr);
        } else if (find_tensor_map(in_.test, token.text) && (in_.at(",") || !find_location(in_.test, token.text))) {
            operand.kind = Operand::Kind::tensor;
            operand.name = token.text;
        } else if (const Location* location = find_location(in_.test, token.text)) {
            operand.name = location->name;
            operand.cta = in_.parse_instance();
            in_.parse_offset(operand, location);
        } else {
            operand.name = in_.register_name(token);
            operand.indirect = true;
            if (in_.at("@") || in_.at("[")) in_.fail_undeclared(token);
            in_.parse_offset(operand, nullptr);
        }
        if (in_.at(",")) parse_coordinates(written, token);
        in_.expect("]");
        return written;
    }

    // `, {4, 0}` behind the name of a tensor map.
    void parse_coordinates(Written& written, const DslToken& name) {
        if (written.operand.kind != Operand::Kind::tensor && !written.operand.indirect)
            in_.fail(name.span, "`" + written.operand.name + "` is no tensor map (ISA 5.5.8)",
                     "declare one: .tensormap tm = " + written.operand.name + ", dim 8, 2, box 4, 2;");
        if (written.operand.kind != Operand::Kind::tensor) {
            if (!in_.declarations_complete) throw Failure(std::vector<Diagnostic>{});
            std::vector<std::string_view> names;
            for (const TensorMap& map : in_.test.tensor_maps)
                if (const Location* location = find_location(in_.test, map.name); !location || location->space == Space::global)
                    names.push_back(map.name);
            const std::string near = nearest(name.text, names);
            in_.fail(
                name.span, "`" + std::string(name.text) + "` is no tensor map, which is named directly here",
                near.empty() ? "declare it before it is used: .tensormap tm = g, dim 8, 2, box 4, 2;" : "the nearest is `" + near + "`");
        }
        in_.lexer.take();
        in_.expect("{", " before the coordinates");
        do written.elements.push_back(parse_operand(1));
        while (in_.accept(",") && written.elements.size() < most_elements);
        in_.expect("}");
    }

    // ---- operands against their shapes -------------------------------------------------------------------------

    static const char* kind_name(Operand::Kind kind) {
        switch (kind) {
            case Operand::Kind::reg:
                return "a register";
            case Operand::Kind::immediate:
                return "a value";
            case Operand::Kind::address:
                return "an address";
            case Operand::Kind::vector:
                return "a vector";
            case Operand::Kind::sink:
                return "`_`";
            case Operand::Kind::label:
                return "a label";
            case Operand::Kind::symbol:
                return "a location";
            case Operand::Kind::tensor:
                return "a tensor map";
        }
        return "";
    }

    [[noreturn]] void wrong_kind(const Operand& operand, const Shape& shape, const std::string& wanted, const Form& form) const {
        in_.fail(operand.span, "operand `" + shape.name + "` of `" + form.mnemonic + "` is " + wanted + ", not " + kind_name(operand.kind),
                 form.box + " (ISA " + form.section + ")");
    }

    Operand conform(Written written, const Shape& shape, const Instruction& instruction, const Form& form) const {
        Operand& operand = written.operand;
        const Type type = shape.from_source_type ? source_type(instruction) : shape.type.value_or(data_type(instruction));
        const int width = shape.role == Role::accumulator        ? fragment_registers(instruction, shape.role)
                          : shape.type || shape.from_source_type ? 1
                                                                 : vector_width(instruction);
        if (shape.fragment && operand.kind == Operand::Kind::vector)
            return conform_vector(std::move(written), shape, Type::b32, fragment_registers(instruction, Role::fragment), form);
        if (shape.role == Role::tensor) return conform_tensor(std::move(written), shape, form);
        if (shape.role == Role::image)
            return conform_vector(std::move(written), shape, type, static_cast<int>(offset_count(instruction)), form);
        if (shape.role == Role::tile || shape.role == Role::fragment) {
            Shape held = shape;
            held.fragment = instruction.op != Op::tcgen_store;  // the others take registers alone
            std::vector<std::string> words = instruction.qualifiers;
            words.push_back(instruction.mnemonic);
            return conform_vector(std::move(written), held, type, tile_registers(words, shape.name), form);
        }
        if (is_address(shape.role)) {
            const bool object = shape.role == Role::mbarrier;
            if (operand.kind != Operand::Kind::address)
                wrong_kind(operand, shape, object ? "the address of an mbarrier object such as `[bar]`" : "an address such as `[x]`", form);
            return operand;
        }
        if (shape.only_sink) {
            if (operand.kind != Operand::Kind::sink)
                in_.fail(operand.span, "an arrival by `.shared::cluster` returns no state (ISA " + form.section + ")",
                         "write `_` in its place");
            return operand;
        }
        if (shape.role == Role::label) {
            if (operand.kind != Operand::Kind::reg || operand.negated) wrong_kind(operand, shape, "a label", form);
            operand.kind = Operand::Kind::label;
            return operand;
        }
        if (shape.role == Role::policy) {
            if (operand.kind != Operand::Kind::reg) wrong_kind(operand, shape, "a register", form);
            return operand;
        }
        if (width > 1) return conform_vector(std::move(written), shape, type, width, form);
        if (operand.kind == Operand::Kind::vector && instruction.op == Op::mov)
            return conform_packed(std::move(written), shape, instruction, form);
        if (shape.constant) return conform_constant(std::move(written), shape, form);
        if (type == Type::b128 && !(operand.kind == Operand::Kind::sink && shape.sink)) {
            if (operand.kind != Operand::Kind::reg || operand.negated) wrong_kind(operand, shape, "a register of 128 bits", form);
            widen(operand);
            return operand;
        }
        if (operand.kind == Operand::Kind::vector)
            wrong_kind(operand, shape, shape.role == Role::result ? "a register" : "a register or a value", form);
        if (operand.kind == Operand::Kind::sink && shape.sink) return operand;
        if (operand.kind == Operand::Kind::symbol && shape.symbol) return operand;
        if (shape.role == Role::result) {
            if (operand.kind == Operand::Kind::reg && !operand.negated) return operand;
            wrong_kind(operand, shape, "a register", form);
        }
        if (operand.negated && !shape.negatable) in_.fail(operand.span, "this operand cannot be negated");
        if (const auto wide = operand.kind == Operand::Kind::immediate ? width_of_unknown(operand.name) : std::nullopt) {
            if (instruction.op == Op::mov && bits(type) == *wide) return operand;
            const std::string width = std::to_string(*wide), name = "%" + operand.name;
            in_.fail(operand.span, "`" + name + "` is read by a `mov` of " + width + " bits (ISA 10)",
                     "mov.u" + width + " r0, " + name + ";");
        }
        if (operand.kind == Operand::Kind::immediate && !operand.name.empty() &&
            ((instruction.op != Op::mov && instruction.op != Op::cvt) || bits(type) > 32))
            in_.fail(operand.span, "a special register is read by a `mov` of 32 bits (ISA 10)", "mov.u32 r0, %" + operand.name + ";");
        if (operand.kind == Operand::Kind::reg || operand.kind == Operand::Kind::immediate)
            return conform_value(std::move(written), shape, type);
        wrong_kind(operand, shape, "a register or a value", form);
    }

    // Several registers as one of `mov` (ISA 9.7.9.4).
    Operand conform_packed(Written written, const Shape& shape, const Instruction& instruction, const Form& form) const {
        const Type type = data_type(instruction);
        const auto count = static_cast<int>(written.elements.size());
        const bool good =
            (count == 2 && (type == Type::b32 || type == Type::b64 || type == Type::b128)) || (count == 4 && type == Type::b64);
        if (!good)
            in_.fail(written.operand.span,
                     "`" + spelling(instruction) + "` with a vector of " + std::to_string(count) + " is not modelled (ISA 9.7.9.4)",
                     "`mov.b32`, `mov.b64` and `mov.b128` pack and unpack two registers, `mov.b64` also four");
        if (!instruction.operands.empty() && instruction.operands[0].kind == Operand::Kind::vector && !is_wide(instruction.operands[0]))
            in_.fail(written.operand.span, "only one operand of `mov` is a vector (ISA 9.7.9.4)");
        Shape packed = shape;
        packed.sink = is_written(shape.role);
        return conform_vector(std::move(written), packed, part_type(type, count), count, form);
    }

    Operand conform_tensor(Written written, const Shape& shape, const Form& form) const {
        Operand& operand = written.operand;
        if (operand.kind != Operand::Kind::tensor || written.elements.empty())
            wrong_kind(operand, shape, "a tensor map with coordinates, such as `[tm, {0, 0}]`", form);
        for (Written& element : written.elements) {
            const bool plain = (element.operand.kind == Operand::Kind::reg && !element.operand.negated) ||
                               (element.operand.kind == Operand::Kind::immediate && element.operand.name.empty());
            if (!plain)
                in_.fail(element.operand.span,
                         "a coordinate is a register or a number, not " + std::string(kind_name(element.operand.kind)));
            if (element.literal && !bits_of(*element.literal, Type::s32))
                in_.fail(element.operand.span, "a coordinate is a `.s32` (ISA 9.7.9.27.1.2)");
            operand.elements.push_back(conform_value(std::move(element), shape, Type::s32));
        }
        return operand;
    }

    Operand conform_constant(Written written, const Shape& shape, const Form& form) const {
        const bool number =
            written.literal && (written.literal->kind == Literal::Kind::integer || written.literal->kind == Literal::Kind::hex);
        const bool may_be_negative = is_signed(*shape.type);
        if (!number || (written.literal->negative && !may_be_negative))
            in_.fail(written.operand.span,
                     "operand `" + shape.name + "` of `" + form.mnemonic + "` is a constant" + (may_be_negative ? "" : ", 0 or more") +
                         " (ISA " + form.section + ")",
                     "write a number such as 0");
        return conform_value(std::move(written), shape, *shape.type);
    }

    Operand conform_value(Written written, const Shape& shape, Type type) const {
        Operand& operand = written.operand;
        if (operand.kind != Operand::Kind::reg && operand.kind != Operand::Kind::immediate)
            in_.fail(operand.span, shape.name + " must be a register or a value, not " + kind_name(operand.kind));
        if (written.literal) {
            if (shape.type && !bits_of(*written.literal, type))
                in_.fail(operand.span,
                         "the value does not fit operand `" + shape.name + "`, which is a `." + std::string(name(type)) + "`");
            operand.value = in_.value_of(*written.literal, type);
            operand.is_float =
                is_float(type) || written.literal->kind == Literal::Kind::float32 || written.literal->kind == Literal::Kind::float64;
        }
        return operand;
    }

    Operand conform_vector(Written written, const Shape& shape, Type type, int width, const Form& form) const {
        Operand& operand = written.operand;
        if (operand.kind != Operand::Kind::vector) wrong_kind(operand, shape, "a vector of " + std::to_string(width), form);
        if (written.elements.size() != static_cast<size_t>(width))
            in_.fail(operand.span,
                     "a vector of " + std::to_string(width) + " is needed here, not of " + std::to_string(written.elements.size()));
        for (Written& element : written.elements) {
            const Operand::Kind kind = element.operand.kind;
            const bool is_register = kind == Operand::Kind::reg && !element.operand.negated;
            const bool allowed = is_register || (kind == Operand::Kind::sink && shape.sink) ||
                                 (kind == Operand::Kind::immediate && !is_written(shape.role) && !shape.fragment);
            if (!allowed) in_.fail(element.operand.span, "a vector cannot hold " + std::string(kind_name(kind)) + " here");
            operand.elements.push_back(kind == Operand::Kind::sink ? element.operand : conform_value(std::move(element), shape, type));
        }
        return operand;
    }

    Reader& in_;
};

}  // namespace

Instruction parse_instruction(Reader& in) {
    return InstructionParser(in).parse_instruction();
}

Bound take_bound(Reader& in) {
    return InstructionParser(in).take_bound();
}

}  // namespace litmus::dsl
