// Statements with operands that their instruction does not take: each form of the table, and what is executed though the table lacks it.
#include "kernel/operands.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "kernel/program.h"

using namespace litmus;
using namespace litmus::kernel;

namespace {

using Kind = Argument::Kind;

Argument argument(Kind kind) {
    Argument made;
    made.kind = kind;
    made.reg = kind == Kind::reg ? 0 : -1;
    return made;
}

Argument composed(Kind kind, size_t count) {
    Argument made = argument(kind);
    made.elements.assign(count, argument(Kind::reg));
    return made;
}

// With as many registers, or an address where one is due.
Statement statement_of(const Form& form, size_t count) {
    Statement made;
    made.words = form.mnemonic_words;
    for (const Shape* shape : shapes_of(form, false, count)) {
        const bool in_memory = is_address(shape->role) || shape->role == Role::tensor;
        made.arguments.push_back(argument(in_memory ? Kind::address : Kind::reg));
    }
    made.arguments.resize(count);
    return made;
}

std::string wrong(const std::vector<std::string>& words, const std::vector<Argument>& arguments) {
    Statement made;
    made.words = words;
    made.arguments = arguments;
    return wrong_operands(made, nullptr);
}

}  // namespace

TEST_CASE("operands: a form takes as many as it has, or those that it asks for") {
    size_t looked = 0;
    for (const Form& form : forms()) {
        if (!form.op) continue;
        const std::vector<const Shape*> all = shapes_of(form, false, form.operands.size());
        const auto least = static_cast<size_t>(std::count_if(all.begin(), all.end(), [](const Shape* s) { return !s->optional; }));
        INFO(form.box);
        for (size_t count = 0; count <= all.size() + 1; ++count) {
            const std::string why = wrong_operands(statement_of(form, count), &form);
            CHECK(why == (count < least ? "operands are missing" : count > all.size() ? "too many operands" : ""));
        }
        ++looked;
    }
    CHECK(looked > 50);
}

TEST_CASE("operands: each stands where it can") {
    for (const Form& form : forms()) {
        if (!form.op) continue;
        const std::vector<const Shape*> all = shapes_of(form, false, form.operands.size());
        for (size_t i = 0; i < all.size(); ++i) {
            const auto refused = [&](const Argument& other) {
                Statement made = statement_of(form, all.size());
                made.arguments[i] = other;
                return !wrong_operands(made, &form).empty();
            };
            INFO(form.box << " " << i);
            CHECK(refused(composed(Kind::vector, 0)));
            CHECK(refused(argument(Kind::list)));
            if (steers(all[i]->role)) CHECK(refused(composed(Kind::vector, 2)));
            if (all[i]->role == Role::result) CHECK(refused(argument(Kind::immediate)));
            if (all[i]->role == Role::address) CHECK(refused(argument(Kind::reg)));
            if (!is_address(all[i]->role) && all[i]->role != Role::tensor) CHECK(refused(argument(Kind::address)));
        }
    }
}

TEST_CASE("operands: of instructions that the table lacks") {
    const Argument reg = argument(Kind::reg), address = argument(Kind::address), number = argument(Kind::immediate);
    CHECK(wrong({"ld", "param", "u32"}, {}) == "operands are missing");
    CHECK(wrong({"ld", "param", "u32"}, {reg, reg}) == "an address in brackets is due");
    CHECK(wrong({"ld", "param", "u32"}, {number, address}) == "a register for the result is due");
    CHECK(wrong({"ld", "param", "u32"}, {reg, address}).empty());
    CHECK(wrong({"st", "param", "u32"}, {address}) == "operands are missing");
    CHECK(wrong({"st", "param", "u32"}, {reg, reg}) == "an address in brackets is due");
    CHECK(wrong({"st", "param", "u32"}, {address, address}) == "a value is due");
    CHECK(wrong({"st", "param", "u32"}, {address, composed(Kind::vector, 2)}).empty());
    CHECK(wrong({"sqrt", "f32"}, {reg}) == "operands are missing");
    CHECK(wrong({"sqrt", "f32"}, {number, reg}) == "a register for the result is due");
    CHECK(wrong({"sqrt", "f32"}, {reg, reg}).empty());
    CHECK(wrong({"cvta", "u64"}, {reg}) == "operands are missing");
    CHECK(wrong({"trap"}, {}).empty());
}
