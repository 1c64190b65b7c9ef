// Cat text to model: what terms mean (precedence, shadowing, functions, variants, recursion), and what
// is said about text that is wrong.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cat/model.h"

using namespace litmus;

namespace {

Model parse(const std::string& text, const std::vector<std::string>& variants = {}) {
    return parse_model(make_source("<test>", text), variants);
}

// A node written out with every parenthesis; the variable of a let rec by its name.
std::string text(const Model& model, NodeId id) {
    const Node& node = model.nodes[id];
    const auto arg = [&](size_t i) { return text(model, node.args[i]); };
    switch (node.op) {
        case Node::Op::base:
            return std::string(node.name);
        case Node::Op::empty:
            return node.is_set ? "{}" : "0";
        case Node::Op::union_:
            return "(" + arg(0) + " | " + arg(1) + ")";
        case Node::Op::intersection:
            return "(" + arg(0) + " & " + arg(1) + ")";
        case Node::Op::difference:
            return "(" + arg(0) + " \\ " + arg(1) + ")";
        case Node::Op::sequence:
            return "(" + arg(0) + "; " + arg(1) + ")";
        case Node::Op::complement:
            return "~" + arg(0);
        case Node::Op::optional:
            return arg(0) + "?";
        case Node::Op::plus:
            return arg(0) + "+";
        case Node::Op::star:
            return arg(0) + "*";
        case Node::Op::inverse:
            return arg(0) + "^-1";
        case Node::Op::restriction:
            return "[" + arg(0) + "]";
        case Node::Op::product:
            return "(" + arg(0) + " x " + arg(1) + ")";
        case Node::Op::domain:
            return "domain(" + arg(0) + ")";
        case Node::Op::range:
            return "range(" + arg(0) + ")";
        case Node::Op::recursive:
            return std::string(node.name);
        case Node::Op::choice:
            return "if " + std::string(node.variant) + "(" + arg(0) + ", " + arg(1) + ")";
    }
    return "?";
}

std::string text(const Model& model, const Constraint& c) {
    static const char* words[] = {"empty", "irreflexive", "acyclic"};
    return std::string(c.flag ? "flag " : "") + (c.negated ? "~" : "") + words[static_cast<int>(c.kind)] + " " + text(model, c.node) +
           " as " + c.name;
}

// The constraints of a model, one a line.
std::string constraints(const Model& model) {
    std::string result;
    for (const Constraint& c : model.constraints) result += text(model, c) + "\n";
    return result;
}

std::string term(const std::string& t, const std::vector<std::string>& variants = {}) {
    const Model model = parse("\"t\" empty " + t, variants);
    return text(model, model.constraints.at(0).node);
}

std::string error(const std::string& model_text, const std::vector<std::string>& variants = {}) {
    try {
        parse(model_text, variants);
    } catch (const Failure& failure) {
        std::string result;
        for (const Diagnostic& d : failure.diagnostics()) result += render(d, false);
        return result;
    }
    return "no error";
}

// The message without the excerpt.
std::string message(const std::string& model_text) {
    try {
        parse(model_text);
    } catch (const Failure& failure) {
        const Diagnostic& d = failure.diagnostics().at(0);
        return d.message + (d.hint.empty() ? "" : "; " + d.hint);
    }
    return "no error";
}

// A folder of its own for files that include each other.
struct Folder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / ("litmus-cat-" + std::to_string(getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string write(const std::string& name, const std::string& content) const {
        std::ofstream(path / name) << content;
        return (path / name).string();
    }
};

}  // namespace

TEST_CASE("operators bind as in herd") {
    CHECK(term("po | rf ; co \\ id & loc") == "(po | (rf; (co \\ (id & loc))))");
    CHECK(term("po & rf; co | id") == "(((po & rf); co) | id)");
    CHECK(term("rf; co; po") == "((rf; co); po)");
    CHECK(term("rf \\ co \\ po") == "((rf \\ co) \\ po)");
    CHECK(term("W * R & loc") == "((W x R) & loc)");
    CHECK(term("~po & rf") == "(~po & rf)");
    CHECK(term("~rf+") == "~rf+");
    CHECK(term("rf^-1?; sc+") == "(rf^-1?; sc+)");
    CHECK(term("([W]; po?)+ | 0") == "([W]; po?)+");
    CHECK(term("[W & REL]; po") == "([(W & REL)]; po)");
    CHECK(term("domain(rmw) | range(rmw)") == "(domain(rmw) | range(rmw))");
}

TEST_CASE("* is a product before an operand and the closure elsewhere") {
    CHECK(term("W * R") == "(W x R)");
    CHECK(term("W*R") == "(W x R)");
    CHECK(term("W * (R | W)") == "(W x (R | W))");
    CHECK(term("W * ~R") == "(W x ~R)");
    CHECK(term("po*") == "po*");
    CHECK(term("po*; rf") == "(po*; rf)");
    CHECK(term("(po | rf)* & loc") == "((po | rf)* & loc)");
    CHECK(term("po**") == "po**");
    CHECK(term("po*\nlet x = rf") == "po*");
    CHECK(constraints(parse("\"t\" acyclic po* as a acyclic rf as b")) == "acyclic po* as a\nacyclic rf as b\n");
}

TEST_CASE("derived names") {
    CHECK(term("M") == "(R | W)");
    CHECK(term("fr") == "(rf^-1; co)");
    CHECK(term("po-loc") == "(po & loc)");
    CHECK(term("rfe | coi") == "((rf & ext) | (co & int))");
}

TEST_CASE("let: simultaneous, shadowing, and what stays of the old meaning") {
    CHECK(constraints(parse("\"t\" let sc = sc+ let fr = rf^-1; sc empty fr as fr")) == "empty (rf^-1; sc+) as fr\n");
    CHECK(constraints(parse("\"t\" let a = rf and b = co let a = b and b = a empty a as a empty b as b")) ==
          "empty co as a\nempty rf as b\n");
    CHECK(constraints(parse("\"t\" let a = rf let f(x) = x; a let a = co empty f(po) as f")) == "empty (po; rf) as f\n");
    CHECK(constraints(parse("\"t\" let co = co+ empty fr as fr")) == "empty (rf^-1; co) as fr\n");
}

TEST_CASE("functions are inlined") {
    CHECK(constraints(parse("\"t\" let f(x, y) = x; y let g(x) = f(x, x) | f(po, x) empty g(rf) as g")) ==
          "empty ((rf; rf) | (po; rf)) as g\n");
    CHECK(constraints(parse("\"t\" let both(A, B) = [A]; po; [B] empty both(W, R) as wr")) == "empty (([W]; po); [R]) as wr\n");
    CHECK(constraints(parse("\"t\" let domain(r) = [range(r)] empty domain(po) as d")) == "empty [range(po)] as d\n");
}

TEST_CASE("let rec") {
    const Model model = parse("\"t\" let rec a = rf | (b; po) and b = co | a acyclic a as a");
    CHECK(constraints(model) == "acyclic a as a\n");
    std::vector<std::string> equations;
    for (const Node& node : model.nodes) {
        if (node.op == Node::Op::recursive) equations.push_back(std::string(node.name) + " = " + text(model, node.args[0]));
    }
    CHECK(equations == std::vector<std::string>{"a = (rf | (b; po))", "b = (co | a)"});
    for (NodeId id = 0; id < model.nodes.size(); ++id) {
        for (const NodeId arg : model.nodes[id].args) CHECK((arg < id || model.nodes[id].op == Node::Op::recursive));
        CHECK((model.nodes[id].recursion != 0) == (model.nodes[id].op != Node::Op::base));
    }
}

TEST_CASE("equal terms are one node, and nodes that no constraint needs are gone") {
    const Model model = parse("\"t\" let a = po; rf let b = po; rf let unused = co; co empty a | b as x empty a & (po; rf) as y");
    CHECK(model.nodes.size() == 3);
    CHECK(model.constraints[0].node == model.constraints[1].node);
    CHECK(model.nodes[model.constraints[0].node].name == "a");
    CHECK(model.mentions("rf"));
    CHECK_FALSE(model.mentions("co"));
}

TEST_CASE("0 is the empty relation, or the empty set where a set is wanted") {
    CHECK(term("0") == "0");
    CHECK(term("po; 0") == "0");
    CHECK(term("W & 0") == "{}");
    CHECK(term("(W | 0) * R") == "(W x R)");
    CHECK(term("0?") == "id");
}

TEST_CASE("variants") {
    CHECK(term("rf | if \"strong\" then co else 0", {"strong"}) == "(rf | co)");
    CHECK(term("rf | if \"strong\" then co else 0") == "rf");
    CHECK(term("(if \"a\" then W else 0) * R", {"a"}) == "(W x R)");
    const std::string two = "\"t\" empty if \"a\" then po else if \"b\" then rf else co";
    CHECK(parse(two).variants == std::vector<std::string>{"a", "b"});
    CHECK(parse(two, {"b"}).active_variants == std::vector<std::string>{"b"});
    CHECK(error(two, {"c"}).find("this model has no variant `c`") != std::string::npos);
}

TEST_CASE("titles, comments and names") {
    CHECK(parse("PTX\n(* a (* nested *) one *) // and\nempty po").title == "PTX");
    CHECK(parse("\"a title\" empty po").title == "a title");
    CHECK(parse("let x.y-z_1 = po empty x.y-z_1").title.empty());
    CHECK(parse("").constraints.empty());
    CHECK(constraints(parse("\"t\" empty po acyclic rf as mine flag ~empty co irreflexive id")) ==
          "empty po as empty#1\nacyclic rf as mine\nflag ~empty co as empty#3\nirreflexive id as irreflexive#4\n");
}

TEST_CASE("hashes differ with the text, what it includes and the active variants") {
    const std::string one = "\"t\" empty if \"a\" then po else rf";
    CHECK(parse(one).hash.size() == 64);
    CHECK(parse(one).hash == parse(one).hash);
    CHECK(parse(one).hash != parse(one + " ").hash);
    CHECK(parse(one).hash != parse(one, {"a"}).hash);
    const Folder folder;
    const std::string main = folder.write("main.cat", "\"t\" include \"part.cat\" empty x");
    folder.write("part.cat", "let x = po");
    const std::string before = load_model(main, {}).hash;
    folder.write("part.cat", "let x = rf");
    CHECK(load_model(main, {}).hash != before);
}

TEST_CASE("include: beside the file, then what is shipped") {
    const Folder folder;
    folder.write("mine.cat", "let x = po | rf");
    const std::string main = folder.write("main.cat", "\"t\" include \"mine.cat\" include \"prelude.cat\" empty x | same-proxy as x");
    const Model model = load_model(main, {});
    CHECK(model.mentions("SUR"));
    CHECK(model.name == main);
    const auto x = std::find_if(model.nodes.begin(), model.nodes.end(), [](const Node& n) { return n.name == "x"; });
    REQUIRE(x != model.nodes.end());
    CHECK(model.sources.at(x->file)->name.find("mine.cat") != std::string::npos);
    CHECK(model.sources.at(x->file)->text.substr(x->span.begin, x->span.end - x->span.begin) == "po | rf");
    folder.write("prelude.cat", "let same-proxy = co");
    CHECK_FALSE(load_model(main, {}).mentions("SUR"));
}

TEST_CASE("errors show the place") {
    CHECK(error("\"t\"\nlet a = po\n  empty a; prf as x\n") ==
          "<test>:3:12: error: no set or relation is named `prf`\n"
          "      empty a; prf as x\n"
          "               ^~~\n"
          "    hint: did you mean `rf`?\n");
    CHECK(error("\"t\" acyclic po;") ==
          "<test>:1:16: error: expected a set or relation, found the end of the file\n"
          "    \"t\" acyclic po;\n"
          "                   ^\n");
}

TEST_CASE("errors in included files show the place there") {
    const Folder folder;
    folder.write("part.cat", "let x =\n  po |");
    try {
        load_model(folder.write("main.cat", "include \"part.cat\""), {});
        FAIL("no error");
    } catch (const Failure& failure) {
        CHECK(failure.diagnostics()[0].source->name.find("part.cat") != std::string::npos);
        CHECK(position(*failure.diagnostics()[0].source, failure.diagnostics()[0].span.begin).line == 2);
    }
    folder.write("part.cat", "include \"main.cat\"");
    CHECK_THROWS_WITH_AS(load_model((folder.path / "main.cat").string(), {}), doctest::Contains("`main.cat` includes itself"), Failure);
}

TEST_CASE("syntax errors") {
    CHECK(message("\"t\" empty (po") == "expected `)` to close the parenthesis, found the end of the file");
    CHECK(message("\"t\" empty [W") == "expected `]` after the set, found the end of the file");
    CHECK(message("\"t\" let = po") == "expected a name to define, found `=`");
    CHECK(message("\"t\" let rec = po") == "expected a name to define, found `=`");
    CHECK(message("\"t\" let x po") == "expected `=` after `x`, found `po`");
    CHECK(message("\"t\" empty po rf") ==
          "`rf` does not begin a statement of the cat fragment read here; a statement is: let, include, reading, [flag] [~] empty | "
          "irreflexive | "
          "acyclic");
    CHECK(message("\"t\" acylic po") == "`acylic` does not begin a statement of the cat fragment read here; did you mean `acyclic`?");
    CHECK(message("\"t\" flag po") == "expected `empty`, `irreflexive` or `acyclic`, found `po`");
    CHECK(message("\"t\" empty po as") == "expected the name of the constraint, found the end of the file");
    CHECK(message("\"t\" empty po as let") == "expected the name of the constraint, found `let`");
    CHECK(message("\"t\" empty po^1") == "unexpected character; the inverse of a relation is written r^-1");
    CHECK(message("\"t\" empty po @ rf") == "unexpected character");
    CHECK(message("\"t\" (* open (* twice *)") == "this comment has no end; write `*)` where it ends; comments nest");
    CHECK(message("\"t") == "this string has no end; write `\"` on the same line");
    CHECK(message("\"t\" include prelude") == "expected the name of a file, \"prelude.cat\", found `prelude`");
    CHECK(message("\"t\" empty if \"a\" po else rf") == "expected `then` after the variant, found `po`");
    CHECK(message("\"t\" empty if \"a\" then po") == "expected `else` after what `then` gives, found the end of the file");
    CHECK(message("\"t\" let f(x, x) = x") == "two parameters are named `x`");
    CHECK(message("\"t\" let f(x = x") == "expected `)` after the parameters of `f`, found `=`");
}

TEST_CASE("errors of meaning") {
    const std::string pairs_hint = "; write [S] for the identity on the set S, S * T for all pairs";
    CHECK(message("\"t\" empty Wx") == "no set or relation is named `Wx`; did you mean `W`?");
    CHECK(message("\"t\" empty completely-else") == "no set or relation is named `completely-else`");
    CHECK(message("\"t\" empty domian(po)") == "no function is named `domian`; did you mean `domain`?");
    CHECK(message("\"t\" empty po; W") == "`;` takes a relation, but `W` is a set" + pairs_hint);
    CHECK(message("\"t\" empty [po]") == "`[]` takes a set, but `po` is a relation; domain(r) and range(r) are the ends of a relation r");
    CHECK(message("\"t\" empty W * po") ==
          "`*` before an operand takes a set, but `po` is a relation; domain(r) and range(r) are the ends of a relation r");
    CHECK(message("\"t\" empty W+") == "`+` takes a relation, but `W` is a set" + pairs_hint);
    CHECK(message("\"t\" empty W | po") == "`|` takes two sets or two relations, but `W` is a set and `po` is a relation" + pairs_hint);
    CHECK(message("\"t\" acyclic W") == "`acyclic` takes a relation, but `W` is a set" + pairs_hint);
    CHECK(message("\"t\" empty domain(W)") == "`domain` takes a relation, but `W` is a set" + pairs_hint);
    CHECK(message("\"t\" empty if \"a\" then W else po") ==
          "the branches of `if` takes two sets or two relations, but `W` is a set and `po` is a relation" + pairs_hint);
    CHECK(message("\"t\" let f(x) = x empty f") == "`f` is a function: give it 1 argument");
    CHECK(message("\"t\" let f(x, y) = x empty f(po)") == "`f` takes 2 arguments, not 1");
    CHECK(message("\"t\" empty domain(po, rf)") == "`domain` takes 1 argument, not 2");
    CHECK(message("\"t\" let a = po empty a(rf)") == "`a` is a relation, not a function");
    CHECK(message("\"t\" let f(x) = x; undefined-there") == "no set or relation is named `undefined-there`");
    CHECK(message("\"t\" let a = a") == "no set or relation is named `a`");
    CHECK(message("\"t\" empty po as x empty rf as x") == "a constraint named `x` stands before");
    CHECK(message("\"t\" include \"none.cat\"") == "cannot find `none.cat`; looked beside this file and among the shipped models");
}

TEST_CASE("errors of recursion") {
    const std::string unsound =
        "recursion under `~` or to the right of `\\` has no least solution; define the relation taken away outside this let rec";
    CHECK(message("\"t\" let rec a = po \\ a") == unsound);
    CHECK(message("\"t\" let rec a = po | ~(b; po) and b = a") == unsound);
    CHECK(message("\"t\" let f(x, y) = x \\ y let rec a = f(po, a)") == unsound);
    CHECK(message("\"t\" let rec a = (a; po) \\ rf empty a") == "no error");
    CHECK(message("\"t\" let rec a = a | po let rec b = rf \\ a empty b") == "no error");
    CHECK(message("\"t\" let rec A = W | range([A]; po)") ==
          "`[]` takes a set, but `A` is a relation; domain(r) and range(r) are the ends of a relation r");
    CHECK(message("\"t\" let rec a = W") == "`a` is a set: only relations can be recursive; write [S] for the set S");
    CHECK(message("\"t\" let rec f(x) = f(x)") == "a function cannot be recursive");
    CHECK(message("\"t\" let f(x) = f(x)") == "no function is named `f`");
}

TEST_CASE("deep and large texts are refused, not run") {
    const auto repeated = [](const std::string& part, int times) {
        std::string result;
        for (int i = 0; i < times; ++i) result += part;
        return result;
    };
    CHECK(message("\"t\" empty " + repeated("(", 100000) + "po") == "this term is nested too deeply; at most 200 levels");
    CHECK(message("\"t\" empty " + repeated("~", 100000) + "po") == "this term is nested too deeply; at most 200 levels");
    CHECK(message("\"t\" empty po" + repeated("|rf;co", 3000)) == "this term is nested too deeply; name its parts with let");
    CHECK(message("\"t\" empty po" + repeated("+", 30000)) == "this file is too large; at most 20000 terms");
    CHECK(message("\"t\" let x = po " + repeated("let x = x; po ", 5000) + "empty x") ==
          "this definition builds on too many others in a row; at most 2000");
    CHECK(message("\"t\" let rec x = po " + repeated("let rec y = y | x; x let x = y ", 1500) + "empty x") ==
          "this definition builds on too many others in a row; at most 2000");
    std::string doubling = "\"t\" let f0(x) = x | x ";
    for (int i = 1; i < 40; ++i)
        doubling += "let f" + std::to_string(i) + "(x) = f" + std::to_string(i - 1) + "(f" + std::to_string(i - 1) + "(x)) ";
    CHECK(message(doubling + "empty f39(po)") == "this model is too large; functions are inlined: at most 100000 terms in all");
}

TEST_CASE("models are found by name") {
    CHECK(load_model("ptx", {}).name == "ptx");
    CHECK_THROWS_WITH_AS(load_model("ptxx", {}), doctest::Contains("no model is named `ptxx`, and no file"), Failure);
    CHECK_THROWS_AS(load_model("/", {}), Failure);
}
