// From cat text to Model: includes read, names resolved, functions inlined, equal terms shared.
//
// A scope is a chain of definitions, newest first, so that shadowing (`let co = co+`) and the scope
// captured by a function need no copying: parameters of a function, and then what the file had defined before it. The latter
// is found by name: the definitions of one name are a chain, too. Every term becomes a node at once; nodes are hash-consed, and
// those no constraint needs are dropped at the end. Both branches of an `if` are elaborated, so that an
// error in a variant that is off shows too.
#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/nearest.h"
#include "base/paths.h"
#include "base/sha256.h"
#include "base/source.h"
#include "cat/citation.h"
#include "cat/equal_nodes.h"
#include "cat/fold.h"
#include "cat/model.h"
#include "cat/shipped.h"
#include "cat/syntax.h"
#include "event/program.h"

namespace litmus {

namespace cat {

namespace {

constexpr size_t max_nodes = 20000;
constexpr int max_node_depth = 2000;
constexpr size_t max_steps = 100000;  // terms elaborated, functions inlined included
constexpr int max_term_nesting = 600;
constexpr size_t max_files = 64;

// What every model may call by name beside the base names.
constexpr std::string_view derived_text = R"(
    let M = R | W
    let po-loc = po & loc
    let fr "A reads what B overwrites" = rf^-1; co
    let rfi = rf & int and rfe = rf & ext
    let coi = co & int and coe = co & ext
    let fri = fr & int and fre = fr & ext
)";

struct Definition {
    std::string_view name;
    size_t outer = 0;  // the definition before it in its scope, as a Scope
    bool is_parameter = false;
    size_t older = 0;                   // of what a `let` defines: the last one before that has the same name, as a Scope
    NodeId node = 0;                    // a set or relation
    const File* file = nullptr;         // a function: its text,
    const Binding* function = nullptr;  //   parameters and body,
    size_t scope = 0;                   //   and what its body sees
};

using Scope = size_t;  // 1 + index of the newest definition; 0: none

class Elaborator {
public:
    explicit Elaborator(const std::function<void(File&)>& edit) : edit_(edit) {}

    Model open_model(const SourcePtr& source) {
        static const SourcePtr derived = make_source(derived_names, std::string(derived_text));
        const File& main = open(source);
        run(open(derived));
        run(main);
        Model model;
        model.source = source;
        model.title = main.title;
        model.sources = sources_;
        model.variants = std::move(variants_);
        model.readings = std::move(readings_);
        model.constraints = std::move(constraints_);
        model.nodes = std::move(nodes_);
        return restricted(std::move(model), [](const Constraint&) { return true; });
    }

private:
    // ---- files ----

    const File& open(const SourcePtr& source) {
        sources_.push_back(source);
        citations_.emplace_back(*source);
        files_.push_back(parse(source));
        if (edit_) edit_(files_.back());
        return files_.back();
    }

    uint32_t index_of(const File& file) const {
        return static_cast<uint32_t>(std::find(sources_.begin(), sources_.end(), file.source) - sources_.begin());
    }

    static std::string quoted(std::string_view word) { return "`" + std::string(word) + "`"; }

    [[noreturn]] static void fail(const File& file, Span span, std::string message, std::string hint = {}) {
        throw Failure(file.source, span, std::move(message), std::move(hint));
    }

    void run(const File& file) {
        open_files_.push_back(file.source->name);
        for (const Statement& statement : file.statements) {
            if (const auto* let = std::get_if<Let>(&statement)) {
                let->recursive ? define_recursive(file, *let) : define(file, *let);
            } else if (const auto* include = std::get_if<Include>(&statement)) {
                run_include(file, *include);
            } else if (const auto* reading = std::get_if<Reading>(&statement)) {
                add_reading(file, *reading);
            } else {
                add_constraint(file, std::get<Check>(statement));
            }
        }
        open_files_.pop_back();
    }

    void add_reading(const File& file, const Reading& reading) {
        if (std::any_of(readings_.begin(), readings_.end(), [&](const Reading& r) { return r.name == reading.name; }))
            fail(file, reading.span, "two readings are named `" + reading.name + "`");
        readings_.push_back(reading);
    }

    void run_include(const File& file, const Include& include) {
        const SourcePtr source = find_included(file, include);
        if (std::find(open_files_.begin(), open_files_.end(), source->name) != open_files_.end()) {
            fail(file, include.span, quoted(include.file) + " includes itself");
        }
        if (sources_.size() == max_files) fail(file, include.span, "too many included files", "at most 64");
        run(open(source));
    }

    static SourcePtr find_included(const File& file, const Include& include) {
        namespace fs = std::filesystem;
        const std::string& from = file.source->name;
        const fs::path wanted(include.file);
        if (wanted.is_absolute() || wanted.extension() != ".cat" || std::find(wanted.begin(), wanted.end(), "..") != wanted.end())
            fail(file, include.span, quoted(include.file) + " cannot be included",
                 "name a shipped model, or a .cat file in the folder of this one or below");
        if (from.empty() || from[0] != '<') {
            const fs::path folder = fs::path(from).parent_path(), beside = (folder / wanted).lexically_normal();
            std::error_code ignored;
            if (fs::is_regular_file(beside, ignored)) {
                const fs::path target = fs::canonical(beside, ignored), root = fs::canonical(folder.empty() ? "." : folder, ignored);
                if (!is_inside(target, root) || target.extension() != ".cat")
                    fail(file, include.span, quoted(include.file) + " is a link to what is no .cat file in the folder of this one");
                return read_source(beside.string(), {.most_bytes = most_model_bytes});
            }
        }
        for (const ShippedText& text : shipped_texts()) {
            if (text.file == include.file) return make_source("<" + std::string(include.file) + ">", std::string(text.text));
        }
        fail(file, include.span, "cannot find " + quoted(include.file), "looked beside this file and among the shipped models");
    }

    // ---- definitions ----

    // A node keeps the first name that it is bound to.
    void bind(const File& file, const Binding& binding, NodeId node) {
        Node& target = nodes_[node];
        if (target.name.empty() && target.op != Node::Op::empty) {
            target.name = binding.name;
            target.phrase = binding.phrase;
            target.section = citations_[index_of(file)].at(binding.span.begin).section;
        }
        add_definition({.name = binding.name, .node = node});
    }

    void bind_function(const File& file, const Binding& binding, Scope visible) {
        add_definition({.name = binding.name, .file = &file, .function = &binding, .scope = visible});
    }

    // What a `let` defines.
    void add_definition(Definition definition) {
        definition.outer = scope_;
        scope_ = definitions_.size() + 1;
        definition.older = std::exchange(newest_[definition.name], scope_);
        definitions_.push_back(definition);
    }

    void define(const File& file, const Let& let) {
        const Scope visible = scope_;
        for (const Binding& binding : let.bindings) {
            if (binding.parameters.empty()) {
                const NodeId node = elaborate(file, binding.body, visible);
                bind(file, binding, node);
            } else {
                check_function(file, binding, visible);
                bind_function(file, binding, visible);
            }
        }
    }

    // A function that is never called would hide its misspelt names: look them up now.
    void check_function(const File& file, const Binding& binding, Scope visible) {
        std::vector<TermId> left{binding.body};
        std::vector<bool> seen(file.terms.size());
        while (!left.empty()) {
            const TermId id = left.back();
            left.pop_back();
            if (seen[id]) continue;
            seen[id] = true;
            const Term& term = file.terms[id];
            left.insert(left.end(), term.args.begin(), term.args.end());
            const bool named = term.kind == Term::Kind::name || term.kind == Term::Kind::call;
            const auto& own = binding.parameters;
            if (!named || std::find(own.begin(), own.end(), term.text) != own.end()) continue;
            if (!find(term.text, visible) && !is_builtin(term)) fail_undefined(file, term, visible, own);
        }
    }

    static bool is_builtin(const Term& term) {
        if (term.kind == Term::Kind::call) return term.text == "domain" || term.text == "range";
        return base(term.text) != nullptr;
    }

    // The variables of a `let rec` stand before their equations; what depends on one is marked, so that
    // `\` and `~` can refuse it (the least fixpoint needs monotone equations).
    void define_recursive(const File& file, const Let& let) {
        open_recursion_ = ++recursions_;
        std::vector<NodeId> variables;
        for (const Binding& binding : let.bindings) {
            if (!binding.parameters.empty()) fail(file, binding.span, "a function cannot be recursive");
            const NodeId variable =
                append({Node::Op::recursive, false, {}, {}, binding.span, {}, index_of(file), open_recursion_, {}, {}}, file);
            variables.push_back(variable);
            bind(file, binding, variable);
        }
        for (size_t i = 0; i < variables.size(); ++i) {
            const Binding& binding = let.bindings[i];
            const NodeId equation = elaborate(file, binding.body, scope_);
            if (is_set(equation)) {
                fail(file, file.terms[binding.body].span, quoted(binding.name) + " is a set: only relations can be recursive",
                     "write [S] for the set S");
            }
            nodes_[variables[i]].args = {equation};
        }
        deepen_recursion(variables.front());
        open_recursion_ = 0;
    }

    // Every node of a let rec gets the depth of its deepest one: what is built on any of them is deeper than all.
    void deepen_recursion(NodeId first) {
        const int depth = *std::max_element(depths_.begin() + static_cast<std::ptrdiff_t>(first), depths_.end());
        for (NodeId node = first; node < nodes_.size(); ++node) {
            if (nodes_[node].recursion == open_recursion_) depths_[node] = depth;
        }
    }

    const Definition* find(std::string_view name, Scope scope) const {
        for (; scope != 0 && definitions_[scope - 1].is_parameter; scope = definitions_[scope - 1].outer) {
            if (definitions_[scope - 1].name == name) return &definitions_[scope - 1];
        }
        const auto newest = newest_.find(name);
        Scope found = newest == newest_.end() ? 0 : newest->second;
        while (found > scope) found = definitions_[found - 1].older;
        return found == 0 ? nullptr : &definitions_[found - 1];
    }

    static const BaseName* base(std::string_view name) {
        static const std::unordered_map<std::string_view, const BaseName*> names = [] {
            std::unordered_map<std::string_view, const BaseName*> result;
            for (const BaseName& b : base_names()) result.emplace(b.name, &b);
            return result;
        }();
        const auto it = names.find(name);
        return it == names.end() ? nullptr : it->second;
    }

    [[noreturn]] void fail_undefined(const File& file, const Term& term, Scope scope,
                                     const std::vector<std::string_view>& parameters) const {
        std::vector<std::string_view> known = parameters;
        const bool call = term.kind == Term::Kind::call;
        if (call) known = {"domain", "range"};
        for (; scope != 0; scope = definitions_[scope - 1].outer) {
            const Definition& definition = definitions_[scope - 1];
            if (call == (definition.function != nullptr)) known.push_back(definition.name);
        }
        if (!call) {
            for (const BaseName& b : base_names()) known.push_back(b.name);
        }
        const std::string near = nearest(term.text, known, {.shortest = 2});
        fail(file, term.span, (call ? "no function is named " : "no set or relation is named ") + quoted(term.text),
             near.empty() ? "" : "did you mean `" + near + "`?");
    }

    // ---- terms ----

    bool is_set(NodeId node) const { return nodes_[node].is_set; }
    static std::string kind(bool set) { return set ? "a set" : "a relation"; }
    static std::string quote(const File& file, Span span) {
        const std::string text = file.source->text.substr(span.begin, span.end - span.begin);
        return text.size() <= 40 && text.find('\n') == std::string::npos ? "`" + text + "`" : "this";
    }

    // An edited tree may have a term in several places, at each level again: it is elaborated once.
    NodeId elaborate(const File& file, TermId id, Scope scope) {
        if (!edit_) return elaborate_anew(file, id, scope);
        const std::tuple key(&file, id, scope);
        const auto known = elaborated_.find(key);
        return known != elaborated_.end() ? known->second : elaborated_[key] = elaborate_anew(file, id, scope);
    }

    NodeId elaborate_anew(const File& file, TermId id, Scope scope) {
        const Term& term = file.terms[id];
        if (++steps_ > max_steps) fail(file, term.span, "this model is too large", "functions are inlined: at most 100000 terms in all");
        if (++nesting_ > max_term_nesting) fail(file, term.span, "this term is nested too deeply", "name its parts with let");
        NodeId result = 0;
        switch (term.kind) {
            case Term::Kind::name:
                result = elaborate_name(file, term, scope);
                break;
            case Term::Kind::zero:
                result = make(file, term, Node::Op::empty, false, {});
                break;
            case Term::Kind::operation:
                result = elaborate_operation(file, term, scope);
                break;
            case Term::Kind::call:
                result = elaborate_call(file, term, scope);
                break;
            case Term::Kind::choice:
                result = elaborate_choice(file, term, scope);
                break;
        }
        --nesting_;
        return result;
    }

    NodeId elaborate_name(const File& file, const Term& term, Scope scope) {
        if (const Definition* definition = find(term.text, scope)) {
            if (!definition->function) return definition->node;
            fail(file, term.span, quoted(term.text) + " is a function: give it " + arguments(definition->function->parameters.size()));
        }
        const BaseName* known = base(term.text);
        if (!known) fail_undefined(file, term, scope, {});
        return make(file, term, Node::Op::base, known->is_set, {}, known->name);
    }

    static std::string arguments(size_t count) { return std::to_string(count) + (count == 1 ? " argument" : " arguments"); }

    NodeId elaborate_call(const File& file, const Term& term, Scope scope) {
        const Definition* called = find(term.text, scope);
        if (called && !called->function)
            fail(file, term.span, quoted(term.text) + " is " + kind(is_set(called->node)) + ", not a function");
        if (!called && !is_builtin(term)) fail_undefined(file, term, scope, {});
        const size_t wanted = called ? called->function->parameters.size() : 1;
        if (term.args.size() != wanted) {
            fail(file, term.span, quoted(term.text) + " takes " + arguments(wanted) + ", not " + std::to_string(term.args.size()));
        }
        std::vector<NodeId> values;
        for (const TermId argument : term.args) values.push_back(elaborate(file, argument, scope));
        if (!called) return elaborate_ends(file, term, values[0]);
        const Definition function = *called;  // definitions_ grows below
        Scope inner = function.scope;
        for (size_t i = 0; i < values.size(); ++i) {
            definitions_.push_back({.name = function.function->parameters[i], .outer = inner, .is_parameter = true, .node = values[i]});
            inner = definitions_.size();
        }
        return elaborate(*function.file, function.function->body, inner);
    }

    NodeId elaborate_ends(const File& file, const Term& term, NodeId relation) {
        want(file, term.args[0], relation, false, [&] { return quoted(term.text); });
        return make(file, term, term.text == "domain" ? Node::Op::domain : Node::Op::range, true, {relation});
    }

    NodeId elaborate_choice(const File& file, const Term& term, Scope scope) {
        if (std::find(variants_.begin(), variants_.end(), term.text) == variants_.end()) variants_.emplace_back(term.text);
        NodeId yes = elaborate(file, term.args[0], scope);
        NodeId no = elaborate(file, term.args[1], scope);
        same_kind(file, term, yes, no, [] { return "the branches of `if`"; });
        return yes == no ? yes : make(file, term, Node::Op::choice, is_set(yes), {yes, no}, term.text);
    }

    // The operand must be a set (or a relation) for what `what` says.
    template <class What>
    void want(const File& file, TermId operand, NodeId node, bool set, const What& what) const {
        if (is_set(node) == set) return;
        const Span span = file.terms[operand].span;
        const std::string text = quote(file, span);
        fail(file, span, what() + " takes " + kind(set) + ", but " + text + " is " + kind(!set),
             set ? "domain(r) and range(r) are the ends of a relation r" : "write [S] for the identity on the set S, S * T for all pairs");
    }

    // `0` takes the kind of the other operand, and so does `~0`.
    template <class What>
    void same_kind(const File& file, const Term& term, NodeId& left, NodeId& right, const What& what) {
        if (is_set(left) == is_set(right)) return;
        if (is_constant(left)) {
            left = constant(file, term, left, is_set(right));
        } else if (is_constant(right)) {
            right = constant(file, term, right, is_set(left));
        } else {
            const Span l = file.terms[term.args[0]].span, r = file.terms[term.args[1]].span;
            fail(file, term.span,
                 what() + std::string(" takes two sets or two relations, but ") + quote(file, l) + " is " + kind(is_set(left)) + " and " +
                     quote(file, r) + " is " + kind(is_set(right)),
                 "write [S] for the identity on the set S, S * T for all pairs");
        }
    }

    bool is_constant(NodeId node) const { return empty(node) || (nodes_[node].op == Node::Op::complement && empty(nodes_[node].args[0])); }

    NodeId constant(const File& file, const Term& term, NodeId node, bool set) {
        const NodeId nothing = make(file, term, Node::Op::empty, set, {});
        return empty(node) ? nothing : make(file, term, Node::Op::complement, set, {nothing});
    }

    static std::string symbol(Node::Op op) {
        switch (op) {
            case Node::Op::union_:
                return "`|`";
            case Node::Op::intersection:
                return "`&`";
            case Node::Op::difference:
                return "`\\`";
            case Node::Op::sequence:
                return "`;`";
            case Node::Op::product:
                return "`*` before an operand";
            case Node::Op::optional:
                return "`?`";
            case Node::Op::plus:
                return "`+`";
            case Node::Op::star:
                return "`*`";
            case Node::Op::inverse:
                return "`^-1`";
            default:
                return "`[]`";
        }
    }

    NodeId elaborate_operation(const File& file, const Term& term, Scope scope) {
        const NodeId left = elaborate(file, term.args[0], scope);
        if (term.args.size() == 2) {
            const NodeId right = elaborate(file, term.args[1], scope);
            return elaborate_infix(file, term, left, right);
        }
        if (term.op == Node::Op::complement) {
            refuse_recursion(file, term.args[0], left);
            return make(file, term, term.op, is_set(left), {left});
        }
        want(file, term.args[0], left, term.op == Node::Op::restriction, [&] { return symbol(term.op); });
        return fold(file, term, left);
    }

    NodeId elaborate_infix(const File& file, const Term& term, NodeId left, NodeId right) {
        if (term.op == Node::Op::sequence || term.op == Node::Op::product) {
            for (const auto& [operand, node] : {std::pair(term.args[0], left), std::pair(term.args[1], right)}) {
                want(file, operand, node, term.op == Node::Op::product, [&] { return symbol(term.op); });
            }
            if (empty(left) || empty(right)) return make(file, term, Node::Op::empty, false, {});
            return make(file, term, term.op, false, {left, right});
        }
        if (term.op == Node::Op::difference) refuse_recursion(file, term.args[1], right);
        same_kind(file, term, left, right, [&] { return symbol(term.op); });
        if (term.op == Node::Op::union_) {
            if (empty(right) || left == right) return left;
            if (empty(left)) return right;
        } else if (term.op == Node::Op::intersection) {
            if (empty(left) || left == right) return left;
            if (empty(right)) return right;
        } else if (empty(left) || empty(right)) {
            return left;
        }
        return make(file, term, term.op, is_set(left), {left, right});
    }

    NodeId fold(const File& file, const Term& term, NodeId operand) {
        const bool lasting = term.op == Node::Op::optional || term.op == Node::Op::star;
        if (empty(operand) && !lasting) return make(file, term, Node::Op::empty, false, {});
        return make(file, term, term.op, false, {operand});
    }

    bool empty(NodeId node) const { return nodes_[node].op == Node::Op::empty; }

    void refuse_recursion(const File& file, TermId operand, NodeId node) const {
        if (open_recursion_ == 0 || nodes_[node].recursion != open_recursion_) return;
        fail(file, file.terms[operand].span, "recursion under `~` or to the right of `\\` has no least solution",
             "define the relation taken away outside this let rec");
    }

    // ---- nodes ----

    NodeId make(const File& file, const Term& term, Node::Op op, bool set, Arguments args, std::string_view word = {}) {
        Node node;
        node.op = op;
        node.is_set = set;
        node.args = args;
        (op == Node::Op::base ? node.name : node.variant) = word;
        NodeId& number = shared_.number_of(node);
        if (number != EqualNodes::free) return number;
        node.span = term.span;
        node.file = index_of(file);
        for (const NodeId arg : args)
            if (open_recursion_ != 0 && nodes_[arg].recursion == open_recursion_) node.recursion = open_recursion_;
        return number = append(node, file);
    }

    NodeId append(const Node& node, const File& file) {
        int depth = 0;
        for (const NodeId arg : node.args) depth = std::max(depth, depths_[arg] + 1);
        if (depth > max_node_depth) fail(file, node.span, "this definition builds on too many others in a row", "at most 2000");
        if (nodes_.size() == max_nodes) fail(file, node.span, "this model is too large", "at most 20000 different terms");
        nodes_.push_back(node);
        depths_.push_back(depth);
        return static_cast<NodeId>(nodes_.size() - 1);
    }

    // ---- constraints ----

    static std::string word(Constraint::Kind kind) {
        switch (kind) {
            case Constraint::Kind::empty:
                return "empty";
            case Constraint::Kind::irreflexive:
                return "irreflexive";
            case Constraint::Kind::acyclic:
                break;
        }
        return "acyclic";
    }

    void add_constraint(const File& file, const Check& check) {
        const NodeId node = elaborate(file, check.term, scope_);
        if (check.kind != Constraint::Kind::empty) want(file, check.term, node, false, [&] { return quoted(word(check.kind)); });
        const bool taken = std::any_of(constraints_.begin(), constraints_.end(), [&](const Constraint& c) { return c.name == check.name; });
        if (taken) fail(file, check.span, "a constraint named " + quoted(check.name) + " stands before");
        std::string name(check.name);
        if (name.empty()) name = word(check.kind) + "#" + std::to_string(constraints_.size() + 1);
        const Citation& cited = citations_[index_of(file)].at(check.span.begin);
        constraints_.push_back({check.kind, check.negated, check.flag, node, std::move(name), check.span, index_of(file),
                                std::string(cited.section), cited.meaning});
    }

    const std::function<void(File&)>& edit_;
    std::vector<SourcePtr> sources_;    // the main file, the derived names, what is included
    std::vector<Citations> citations_;  // of each
    std::deque<File> files_;            // definitions point into these
    std::vector<std::string> open_files_;
    std::deque<Definition> definitions_;
    std::unordered_map<std::string_view, Scope> newest_;  // of what a `let` defines, by name
    Scope scope_ = 0;
    std::vector<Node> nodes_;
    std::vector<int> depths_;
    EqualNodes shared_{nodes_};
    std::map<std::tuple<const File*, TermId, Scope>, NodeId> elaborated_;  // of an edited tree
    std::vector<Constraint> constraints_;
    std::vector<Reading> readings_;
    std::vector<std::string> variants_;
    uint32_t recursions_ = 0;
    uint32_t open_recursion_ = 0;  // 0: not inside a let rec
    size_t steps_ = 0;
    int nesting_ = 0;
};

}  // namespace

Model elaborate(const SourcePtr& source, const std::function<void(File&)>& edit) {
    return Elaborator(edit).open_model(source);
}

}  // namespace cat

Model restricted(Model model, const std::function<bool(const Constraint&)>& keep) {
    Model result{static_cast<ModelText&&>(model), {}, {}};
    std::copy_if(std::make_move_iterator(model.constraints.begin()), std::make_move_iterator(model.constraints.end()),
                 std::back_inserter(result.constraints), keep);
    std::vector<bool> needed(model.nodes.size(), false);
    std::vector<NodeId> left;
    for (const Constraint& c : result.constraints) left.push_back(c.node);
    while (!left.empty()) {
        const NodeId node = left.back();
        left.pop_back();
        if (needed[node]) continue;
        needed[node] = true;
        left.insert(left.end(), model.nodes[node].args.begin(), model.nodes[node].args.end());
    }
    std::vector<NodeId> renamed(model.nodes.size(), 0);
    NodeId count = 0;
    for (NodeId node = 0; node < model.nodes.size(); ++node)
        if (needed[node]) renamed[node] = count++;
    result.nodes.reserve(count);
    for (NodeId node = 0; node < model.nodes.size(); ++node) {
        if (!needed[node]) continue;
        result.nodes.push_back(model.nodes[node]);
        for (NodeId& arg : result.nodes.back().args) arg = renamed[arg];
    }
    for (Constraint& c : result.constraints) c.node = renamed[c.node];
    return result;
}

bool Model::mentions(std::string_view base) const {
    return std::any_of(nodes.begin(), nodes.end(), [&](const Node& node) { return node.op == Node::Op::base && node.name == base; });
}

namespace {

// Two lists of texts have the same digest when they are the same list: each text stands behind its length.
std::string digest(const std::vector<std::string_view>& texts) {
    std::string all;
    for (const std::string_view text : texts) all += std::to_string(text.size()) + " " + std::string(text);
    return sha256(all);
}

void check_variants(const Model& open, const std::vector<std::string>& variants) {
    for (const std::string& name : variants) {
        if (std::find(open.variants.begin(), open.variants.end(), name) != open.variants.end()) continue;
        const std::string near = nearest(name, {open.variants.begin(), open.variants.end()});
        throw Failure(nullptr, {}, "this model has no variant `" + name + "`", near.empty() ? "" : "did you mean `" + near + "`?");
    }
}

}  // namespace

Model with_variants(const Model& open, const std::vector<std::string>& variants) {
    check_variants(open, variants);
    const auto is_active = [&](std::string_view v) { return std::find(variants.begin(), variants.end(), v) != variants.end(); };
    Model model = folded(open, {nullptr, is_active});
    std::copy_if(open.variants.begin(), open.variants.end(), std::back_inserter(model.active_variants), is_active);
    std::vector<std::string_view> parts(model.active_variants.begin(), model.active_variants.end());
    std::sort(parts.begin(), parts.end());
    parts.emplace_back(open.hash);
    model.hash = digest(parts);
    return model;
}

Model parse_open_model(const SourcePtr& source) {
    Model model = cat::elaborate(source);
    model.name = source->name;
    std::vector<std::string_view> texts;
    for (const SourcePtr& read : model.sources) texts.emplace_back(read->text);
    model.hash = digest(texts);
    return model;
}

}  // namespace litmus
