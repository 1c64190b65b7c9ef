// Operands by what they begin with (see operand.h).
#include "kernel/read/operand.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/nearest.h"
#include "kernel/read/constant.h"

namespace litmus::kernel {
namespace {

constexpr int most_operand_nesting = 8;

// The special registers of section 10, without their dimensions.
constexpr std::array<std::string_view, 40> specials{
    "%tid",
    "%ntid",
    "%laneid",
    "%warpid",
    "%nwarpid",
    "%ctaid",
    "%nctaid",
    "%smid",
    "%nsmid",
    "%gridid",
    "%is_explicit_cluster",
    "%clusterid",
    "%nclusterid",
    "%cluster_ctaid",
    "%cluster_nctaid",
    "%cluster_ctarank",
    "%cluster_nctarank",
    "%lanemask_eq",
    "%lanemask_le",
    "%lanemask_lt",
    "%lanemask_ge",
    "%lanemask_gt",
    "%clock",
    "%clock_hi",
    "%clock64",
    "%globaltimer",
    "%globaltimer_lo",
    "%globaltimer_hi",
    "%reserved_smem_offset_begin",
    "%reserved_smem_offset_end",
    "%reserved_smem_offset_cap",
    "%reserved_smem_offset_0",
    "%reserved_smem_offset_1",
    "%total_smem_size",
    "%aggr_smem_size",
    "%dynamic_smem_size",
    "%current_graph_exec",
    "%envreg0",
    "%pm0",
    "%pm0_64",
};

// %envreg<32> and %pm0 .. %pm7 are named by the first of them.
bool is_special(std::string_view name) {
    if (std::find(specials.begin(), specials.end(), name) != specials.end()) return true;
    return name.substr(0, 7) == "%envreg" || name.substr(0, 3) == "%pm";
}

class OperandReader {
public:
    OperandReader(Cursor& cursor, Names& names, const OperandContext& context) : cursor_(cursor), names_(names), context_(context) {}

    // An operand, or a pair of them.
    Argument read(int depth = 0) {
        if (depth > most_operand_nesting) cursor_.fail(cursor_.peek().span, "these operands nest too deeply");
        Argument first = single(depth);
        const bool can_pair = first.kind == Argument::Kind::reg || first.kind == Argument::Kind::sink;
        if (!can_pair || !cursor_.accept("|")) return first;
        const uint32_t begin = first.span.begin;
        Argument pair;
        pair.kind = Argument::Kind::pair;
        pair.elements.push_back(std::move(first));
        pair.elements.push_back(single(depth));
        return closed(std::move(pair), begin);
    }

    Argument list(std::string_view open, std::string_view close, Argument::Kind kind, int depth) {
        Argument result;
        result.kind = kind;
        const uint32_t begin = cursor_.expect(open, "").span.begin;
        while (!cursor_.at(close)) {
            result.elements.push_back(read(depth + 1));
            if (!cursor_.accept(",")) break;
        }
        cursor_.expect(close, "after the operands");
        return closed(std::move(result), begin);
    }

private:
    Argument single(int depth) {
        if (cursor_.at("{")) return list("{", "}", Argument::Kind::vector, depth);
        if (cursor_.at("[")) return address(depth);
        const PtxToken token = cursor_.peek();
        if (token.is("!")) {
            const PtxToken next = cursor_.peek(1);
            if (next.kind == PtxToken::Kind::word && names_.find_register(next.text) >= 0) {
                cursor_.take();
                Argument negated = word();
                negated.negated = true;
                return closed(std::move(negated), token.span.begin);
            }
        }
        return token.kind == PtxToken::Kind::word ? word() : constant();
    }

    Argument word() {
        const PtxToken token = cursor_.peek();
        Argument result;
        result.span = token.span;
        if (token.is("_")) {
            cursor_.take();
            result.kind = Argument::Kind::sink;
            return result;
        }
        result.reg = names_.find_register(token.text);
        if (result.reg >= 0) {
            cursor_.take();
            if (cursor_.peek().kind == PtxToken::Kind::dotted && cursor_.peek().span.begin == token.span.end)
                cursor_.fail(cursor_.peek().span, "parts of a register are not read", "use registers that are declared one by one");
            return result;
        }
        if (token.text[0] == '%') return special();
        return constant();
    }

    // `%tid.x`
    Argument special() {
        const PtxToken token = cursor_.take();
        if (!is_special(token.text)) {
            const std::string near = nearest(token.text, names_.registers());
            cursor_.fail(
                token.span, "no register `" + std::string(token.text.substr(0, 80)) + "` is declared here",
                near.empty() ? "a register is declared with `.reg` in its block, before it is used" : "did you mean `" + near + "`?");
        }
        Argument result;
        result.kind = Argument::Kind::special;
        result.name = token.text;
        if (cursor_.peek().kind == PtxToken::Kind::dotted) result.name += cursor_.take().text;
        return closed(std::move(result), token.span.begin);
    }

    Argument constant() {
        const PtxToken first = cursor_.peek();
        if (first.kind != PtxToken::Kind::number && first.kind != PtxToken::Kind::word && !first.is("-") && !first.is("+") &&
            !first.is("~") && !first.is("!") && !first.is("("))
            cursor_.fail_expected("an operand");
        const Constant value = read_constant(cursor_, [&](std::string_view name) { return names_.find_variable(name); });
        Argument result;
        result.span = value.span;
        if (value.kind == Constant::Kind::address) {
            result.kind = Argument::Kind::symbol;
            result.name = value.symbol;
            result.offset = static_cast<int64_t>(value.bits);
            return result;
        }
        result.kind = Argument::Kind::immediate;
        result.is_float = value.kind != Constant::Kind::integer;
        result.bits = bits_in(value, context_.type);
        return result;
    }

    // `[%rd1+-8]`, `[x+4]`, `[%rd1, {%r1, %r2}]`
    Argument address(int depth) {
        Argument result;
        result.kind = Argument::Kind::address;
        const uint32_t begin = cursor_.take().span.begin;
        Argument inner = single(depth + 1);
        if (inner.kind == Argument::Kind::symbol) std::swap(result.offset, inner.offset);
        if (inner.kind == Argument::Kind::reg && (cursor_.at("+") || cursor_.at("-"))) {
            const Constant offset = read_constant(cursor_, [&](std::string_view name) { return names_.find_variable(name); });
            if (offset.kind != Constant::Kind::integer) cursor_.fail(offset.span, "an offset is a whole number");
            result.offset = static_cast<int64_t>(offset.bits);
        }
        result.elements.push_back(std::move(inner));
        while (cursor_.accept(",")) result.elements.push_back(read(depth + 1));
        cursor_.expect("]", "after the address");
        return closed(std::move(result), begin);
    }

    Argument closed(Argument argument, uint32_t begin) const {
        argument.span = Span{begin, cursor_.taken()};
        return argument;
    }

    Cursor& cursor_;
    Names& names_;
    const OperandContext& context_;
};

}  // namespace

Argument read_operand(Cursor& cursor, Names& names, const OperandContext& context) {
    return OperandReader(cursor, names, context).read();
}

Argument read_list(Cursor& cursor, Names& names, const OperandContext& context) {
    return OperandReader(cursor, names, context).list("(", ")", Argument::Kind::list, 0);
}

Argument label_of(const PtxToken& name) {
    Argument label;
    label.kind = Argument::Kind::label;
    label.name = name.text;
    label.span = name.span;
    return label;
}

}  // namespace litmus::kernel
