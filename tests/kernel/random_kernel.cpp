// Statements drawn one after the other, blocks within blocks (see random_kernel.h).
#include "random_kernel.h"

#include <array>
#include <random>
#include <vector>

namespace litmus::kernel::testing {
namespace {

constexpr int known_registers = 8, wide_registers = 4, dynamic_registers = 4, predicates = 4;
constexpr int own_places = 8;  // of each thread, in the middle of its elements
constexpr int places = own_places + known_registers + dynamic_registers + 2 * wide_registers;  // all of them
constexpr int most_depth = 3;

class Writer {
public:
    explicit Writer(uint64_t seed) : random_(seed) {}

    RandomKernel kernel() {
        RandomKernel result;
        const int grid = 1 + below(3), x = 1 + below(4), y = 1 + below(2);
        const int threads = grid * x * y;
        result.launch.grid = std::to_string(grid);
        result.launch.block = std::to_string(x) + "," + std::to_string(y);
        result.launch.arguments = {"in=u32[64]:@words", "out=u32[" + std::to_string(threads * places) + "]:7",
                                   "n=" + std::to_string(below(1000))};
        begin();
        statements(6 + below(10), 0);
        end();
        result.ptx = text_;
        return result;
    }

private:
    int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }
    template <size_t N>
    std::string one_of(const std::array<const char*, N>& words) {
        return words[static_cast<size_t>(below(static_cast<int>(N)))];
    }
    void line(const std::string& text) { text_ += "\t" + text + "\n"; }

    std::string k() { return "%r" + std::to_string(below(known_registers)); }
    std::string w() { return "%w" + std::to_string(below(wide_registers)); }
    std::string d() { return "%d" + std::to_string(below(dynamic_registers)); }
    std::string p() { return "%p" + std::to_string(below(predicates)); }
    std::string immediate() { return std::to_string(below(3) == 0 ? below(1 << 30) - (1 << 29) : below(40) - 4); }
    std::string source() { return below(3) == 0 ? immediate() : k(); }
    std::string dynamic_source() { return below(3) == 0 ? immediate() : below(3) == 0 ? k() : d(); }
    std::string label() { return "L" + std::to_string(labels_++); }
    std::string comparison() { return one_of<6>({"eq", "ne", "lt", "le", "gt", "ge"}); }
    std::string sign() { return below(2) == 0 ? "s32" : "u32"; }

    void begin() {
        text_ =
            ".version 9.0\n.target sm_90a\n.address_size 64\n"
            ".visible .entry k(\n\t.param .u64 k_param_0,\n\t.param .u64 k_param_1,\n\t.param .u32 k_param_2\n)\n{\n";
        line(
            ".reg .pred %p<8>;\n\t.reg .b32 %r<10>;\n\t.reg .b32 %d<8>;\n\t.reg .b32 %c<8>;\n\t.reg .b32 %t<4>;\n\t.reg .b64 "
            "%w<8>;\n\t.reg .b64 %a<4>;");
        line(
            "ld.param.u64 %a0, [k_param_0];\n\tcvta.to.global.u64 %a0, %a0;\n\tld.param.u64 %a1, [k_param_1];\n\tcvta.to.global.u64 %a1, "
            "%a1;");
        line("mov.u32 %r0, %tid.x;\n\tmov.u32 %r1, %tid.y;\n\tmov.u32 %r2, %ctaid.x;\n\tmov.u32 %r3, %ntid.x;\n\tmov.u32 %r4, %ntid.y;");
        line("mad.lo.s32 %r5, %r2, %r4, %r1;\n\tmad.lo.s32 %r5, %r5, %r3, %r0;");
        line("mul.wide.u32 %a2, %r5, " + std::to_string(4 * places) + ";\n\tadd.s64 %a1, %a1, %a2;");
        line("ld.param.u32 %r6, [k_param_2];\n\tmul.lo.s32 %r7, %r5, " + std::to_string(below(1 << 30)) + ";");
        for (int i = 0; i < wide_registers; ++i) line("cvt.s64.s32 %w" + std::to_string(i) + ", " + k() + ";");
        for (int i = 0; i < dynamic_registers; ++i) line("mov.u32 %d" + std::to_string(i) + ", " + k() + ";");
        for (int i = 0; i < predicates; ++i)
            line("setp." + comparison() + ".s32 %p" + std::to_string(i) + ", " + k() + ", " + source() + ";");
    }

    // Everything to memory.
    void end() {
        int place = own_places;
        const auto store = [&](const std::string& type, const std::string& name, int i, int size) {
            line("st.global." + type + " [%a1+" + std::to_string(4 * place) + "], %" + name + std::to_string(i) + ";");
            place += size;
        };
        for (int i = 0; i < wide_registers; ++i) store("u64", "w", i, 2);
        for (int i = 0; i < known_registers; ++i) store("u32", "r", i, 1);
        for (int i = 0; i < dynamic_registers; ++i) store("u32", "d", i, 1);
        line("ret;");
        text_ += "}\n";
    }

    void statements(int count, int depth) {
        for (int i = 0; i < count; ++i) statement(depth);
    }

    void statement(int depth) {
        const int kind = below(depth < most_depth ? 20 : 16);
        if (kind < 6) return arithmetic();
        if (kind < 8) return wide_arithmetic();
        if (kind < 9) return predicate();
        if (kind < 10) return read_input();
        if (kind < 12) return store();
        if (kind < 13) return read_own();
        if (kind < 16) return dynamic_arithmetic();
        if (kind < 18) return branch(depth);
        if (kind < 19) return loop(depth);
        return dynamic_branch(depth);
    }

    void arithmetic() {
        const std::string to = k(), a = k(), b = source(), c = source(), type = sign();
        const std::string small = std::to_string(below(40));
        switch (below(26)) {
            case 0:
                return line("div." + type + " " + to + ", " + a + ", " + std::to_string(1 + below(9)) + ";");
            case 1:
                return line("or.b32 %t0, " + k() + ", 1;\n\trem." + type + " " + to + ", " + a + ", %t0;");
            case 2:
                return line("mul.hi." + type + " " + to + ", " + a + ", " + b + ";");
            case 3:
                return line("mad.lo." + type + " " + to + ", " + a + ", " + b + ", " + c + ";");
            case 4:
                return line("shf." + one_of<2>({"l", "r"}) + "." + one_of<2>({"wrap", "clamp"}) + ".b32 " + to + ", " + a + ", " + b +
                            ", " + source() + ";");
            case 5:
                return line("lop3.b32 " + to + ", " + a + ", " + b + ", " + c + ", " + std::to_string(below(256)) + ";");
            case 6:
                return line("prmt.b32 " + to + ", " + a + ", " + b + ", " + std::to_string(below(1 << 16)) + ";");
            case 7:
                return line("bfe." + type + " " + to + ", " + a + ", " + small + ", " + std::to_string(below(40)) + ";");
            case 8:
                return line("bfi.b32 " + to + ", " + a + ", " + b + ", " + small + ", " + std::to_string(below(40)) + ";");
            case 9:
                return line(one_of<6>({"abs.s32", "neg.s32", "not.b32", "cnot.b32", "popc.b32", "clz.b32"}) + " " + to + ", " + a + ";");
            case 10:
                return line(one_of<3>({"brev.b32", "bfind.u32", "bfind.s32"}) + " " + to + ", " + a + ";");
            case 11:
                return line(one_of<4>({"cvt.s32.s8", "cvt.u32.u16", "cvt.s16.s32", "cvt.u8.u32"}) + " " + to + ", " + a + ";");
            case 12:
                return line("selp.b32 " + to + ", " + a + ", " + b + ", " + p() + ";");
            case 13:
                return line("slct.u32.s32 " + to + ", " + a + ", " + b + ", " + k() + ";");
            case 14:
                return line("sad." + type + " " + to + ", " + a + ", " + b + ", " + c + ";");
            case 15:
                return line(one_of<2>({"shl.b32", "shr.s32"}) + " " + to + ", " + a + ", " + small + ";");
            case 16:
                return line("@" + std::string(below(2) == 0 ? "!" : "") + p() + " mov.u32 " + to + ", " + b + ";");
            default:
                return line(one_of<8>({"add.s32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32", "xor.b32", "min.s32", "max.u32"}) + " " +
                            to + ", " + a + ", " + b + ";");
        }
    }

    void wide_arithmetic() {
        switch (below(7)) {
            case 0:
                return line("mul.wide." + sign() + " " + w() + ", " + k() + ", " + source() + ";");
            case 1:
                return line("cvt.u32.u64 " + k() + ", " + w() + ";");
            case 2:
                return line("cvt." + one_of<2>({"s64.s32", "u64.u32"}) + " " + w() + ", " + k() + ";");
            case 3:
                return line(one_of<3>({"shl.b64", "shr.u64", "shr.s64"}) + " " + w() + ", " + w() + ", " + std::to_string(below(70)) + ";");
            case 4:
                return line("mad.wide.s32 " + w() + ", " + k() + ", " + k() + ", " + w() + ";");
            case 5:
                return line("setp." + comparison() + ".s64 " + p() + ", " + w() + ", " + w() + ";");
            default:
                return line(one_of<6>({"add.s64", "sub.s64", "mul.lo.s64", "and.b64", "xor.b64", "min.s64"}) + " " + w() + ", " + w() +
                            ", " + w() + ";");
        }
    }

    void predicate() {
        if (below(3) == 0) return line(one_of<3>({"and.pred", "or.pred", "xor.pred"}) + " " + p() + ", " + p() + ", " + p() + ";");
        if (below(3) == 0)
            return line("setp." + comparison() + "." + one_of<3>({"and", "or", "xor"}) + ".s32 " + p() + ", " + k() + ", " + source() +
                        ", " + p() + ";");
        line("setp." + comparison() + "." + sign() + " " + p() + ", " + k() + ", " + source() + ";");
    }

    void read_input() {
        line("and.b32 %t0, " + k() + ", 63;\n\tmul.wide.u32 %a2, %t0, 4;\n\tadd.s64 %a2, %a0, %a2;\n\tld.global" +
             std::string(below(3) == 0 ? ".nc" : "") + ".u32 " + k() + ", [%a2];");
    }

    // A place of the thread's own, known when it runs.
    std::string own_place() {
        if (below(2) == 0) return "[%a1+" + std::to_string(4 * below(own_places)) + "]";
        line("and.b32 %t0, " + k() + ", " + std::to_string(own_places - 1) + ";\n\tmul.wide.u32 %a2, %t0, 4;\n\tadd.s64 %a2, %a1, %a2;");
        return "[%a2]";
    }

    void store() {
        const std::string place = own_place();
        line("st.global." + one_of<4>({"u32", "u32", "u16", "u8"}) + " " + place + ", " + (below(2) == 0 ? k() : d()) + ";");
    }

    void read_own() {
        const std::string place = own_place();
        line("ld.global." + one_of<5>({"u32", "u32", "s32", "u16", "s8"}) + " " + d() + ", " + place + ";");
    }

    void dynamic_arithmetic() {
        const std::string to = d(), a = d(), b = dynamic_source();
        switch (below(6)) {
            case 0:
                return line("mad.lo.s32 " + to + ", " + a + ", " + b + ", " + d() + ";");
            case 1:
                return line("setp." + comparison() + "." + sign() + " %p7, " + a + ", " + b + ";\n\tselp.b32 " + to + ", " + d() + ", " +
                            source() + ", %p7;");
            case 2:
                return line(one_of<3>({"shl.b32", "shr.s32", "shr.u32"}) + " " + to + ", " + a + ", " + std::to_string(below(36)) + ";");
            default:
                return line(one_of<8>({"add.s32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32", "xor.b32", "min.s32", "max.u32"}) + " " +
                            to + ", " + a + ", " + b + ";");
        }
    }

    // if and else on a predicate
    void branch_on(const std::string& condition, int depth) {
        const std::string other = label(), after = label();
        line("@" + std::string(below(2) == 0 ? "!" : "") + condition + " bra " + other + ";");
        statements(1 + below(3), depth + 1);
        const bool has_else = below(2) == 0;
        if (has_else) line("bra.uni " + after + ";");
        text_ += other + ":\n";
        if (has_else) statements(1 + below(3), depth + 1);
        if (has_else) text_ += after + ":\n";
    }

    void branch(int depth) { branch_on(p(), depth); }

    void dynamic_branch(int depth) {
        line("setp." + comparison() + "." + sign() + " %p6, " + d() + ", " + dynamic_source() + ";");
        branch_on("%p6", depth);
    }

    // One to four turns, as many as a known register says.
    void loop(int depth) {
        const std::string counter = "%c" + std::to_string(depth), bound = "%c" + std::to_string(depth + most_depth + 1), top = label();
        line("and.b32 " + bound + ", " + k() + ", 3;\n\tmov.u32 " + counter + ", 0;");
        text_ += top + ":\n";
        statements(1 + below(3), depth + 1);
        line("add.s32 " + counter + ", " + counter + ", 1;\n\tsetp.le.u32 %p5, " + counter + ", " + bound + ";\n\t@%p5 bra " + top + ";");
    }

    std::mt19937_64 random_;
    std::string text_;
    int labels_ = 0;
};

}  // namespace

RandomKernel random_kernel(uint64_t seed) {
    return Writer(seed).kernel();
}

}  // namespace litmus::kernel::testing
