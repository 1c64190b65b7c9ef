// Parts are found in, and deleted from, the tree of a file, not the graph that it is elaborated to: there equal terms of
// different lines are one node.
#include "cat/parts.h"

#include <algorithm>
#include <array>
#include <map>

#include "cat/syntax.h"

namespace litmus {

namespace {

using cat::File;
using cat::Term;
using cat::TermId;
using Op = Node::Op;
using Kind = ModelPart::Kind;
using Edit = ModelPart::Edit;

// The text of a span with its line breaks and indentation as single spaces, comments included.
std::string on_one_line(const Source& source, Span span) {
    std::string text;
    for (uint32_t i = span.begin; i < span.end; ++i) {
        const char c = source.text[i];
        const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!space)
            text += c;
        else if (!text.empty() && text.back() != ' ')
            text += ' ';
    }
    return text;
}

// The parts of one file.
class Finder {
public:
    Finder(const File& file, std::vector<ModelPart>& parts) : file_(file), parts_(parts) {}

    void run() {
        for (size_t i = 0; i < file_.statements.size(); ++i) {
            if (const auto* let = std::get_if<cat::Let>(&file_.statements[i])) {
                for (const cat::Binding& binding : let->bindings) enter(binding.name, binding.body);
            } else if (const auto* check = std::get_if<cat::Check>(&file_.statements[i])) {
                within_ = check->name;
                add(check->flag ? Kind::flag : Kind::axiom, Edit::drop_statement, check->span, static_cast<uint32_t>(i)).text = check->name;
                enter(check->name, check->term);
            } else if (const auto* reading = std::get_if<Reading>(&file_.statements[i])) {
                within_ = reading->name;
                add(Kind::reading, Edit::switch_off, reading->span).text = reading->name;
            }
        }
    }

private:
    const Term& term(TermId id) const { return file_.terms[id]; }

    ModelPart& add(Kind kind, Edit edit, Span span, uint32_t target = 0, uint32_t instead = 0) {
        parts_.push_back({kind, file_.source, span, on_one_line(*file_.source, span), within_, {}, edit, target, instead, Op::empty});
        return parts_.back();
    }

    void enter(std::string_view name, TermId body) {
        within_ = name;
        visit(body);
    }

    void visit(TermId id) {
        const Term& t = term(id);
        if (t.kind == Term::Kind::choice && term(t.args[1]).kind != Term::Kind::zero)
            add(Kind::alternative, Edit::empty, term(t.args[1]).span, t.args[1]);
        if (t.kind == Term::Kind::operation) {
            if (t.op == Op::union_) take_operands(id, Kind::alternative);
            if (t.op == Op::intersection) take_operands(id, Kind::conjunct);
            if (t.op == Op::sequence) take_operands(id, Kind::step);
            if (t.op == Op::difference) add(Kind::exception, Edit::replace, term(t.args[1]).span, id, t.args[0]);
            if (t.op == Op::optional || t.op == Op::plus) add(Kind::closure, Edit::replace, t.span, id, t.args[0]);
            for (const Op op : {Op::plus, Op::optional})
                if (t.op == Op::star) {
                    ModelPart& part = add(Kind::closure, Edit::reshape, t.span, id);
                    part.op = op;
                    part.text += op == Op::plus ? " to +" : " to ?";
                }
        }
        for (const TermId arg : t.args) visit(arg);
    }

    // Each operand of an operation is deleted by putting the other one in its place. Of a | b | c, which is (a | b) | c, the
    // left operand of the whole is no part: its members are.
    void take_operands(TermId id, Kind kind) {
        const Term& t = term(id);
        for (const size_t side : {size_t{0}, size_t{1}}) {
            const TermId operand = t.args[side], other = t.args[1 - side];
            const Term& o = term(operand);
            const bool same = o.kind == Term::Kind::operation && o.op == t.op;
            if (!same) add(kind, Edit::replace, o.span, id, other);
        }
    }

    const File& file_;
    std::vector<ModelPart>& parts_;
    std::string within_;
};

// What stands in the place of the part's term when the part is deleted.
Term changed(const std::vector<Term>& terms, const ModelPart& part) {
    if (part.edit == Edit::replace) return terms[part.instead];
    Term term = terms[part.target];
    part.edit == Edit::reshape ? void(term.op = part.op) : void(term.kind = Term::Kind::zero);
    return term;
}

// The questions for a reading.
std::vector<TermId> questions(const std::vector<Term>& terms, const std::string& reading) {
    std::vector<TermId> result;
    for (TermId id = 0; id < terms.size(); ++id)
        if (terms[id].kind == Term::Kind::choice && terms[id].text == reading) result.push_back(id);
    return result;
}

void apply(File& file, const ModelPart& part) {
    if (part.edit == Edit::switch_off) {
        for (const TermId id : questions(file.terms, part.within)) file.terms[id] = Term(file.terms[file.terms[id].args[1]]);
        return;
    }
    if (file.source->name != part.source->name) return;
    if (part.edit == Edit::drop_statement)
        file.statements.erase(file.statements.begin() + static_cast<std::ptrdiff_t>(part.target));
    else
        file.terms[part.target] = changed(file.terms, part);
}

// Makes parts of one file choices. An operand of an operation becomes one between itself and what changes nothing beside the other: 0 in a
// union and on the right of a difference, all in an intersection, the identity in a composition. So no term has to be there twice, but for
// what a closure is of and the second branch of a reading.
//
// The choice gets the number of the term that it is about, and that term a new one: whoever refers to the term refers to the choice. A
// term may have several choices, one around the other. Since only one part is deleted at a time, it does not matter in which order they
// stand.
class Opener {
public:
    explicit Opener(File& file) : file_(file), before_(file.terms) {}

    void open(const ModelPart& part, std::string_view variant) {
        if (part.edit == Edit::switch_off) {
            for (const TermId id : questions(before_, part.within)) choose(id, variant, before_[id].args[1]);
            return;
        }
        if (file_.source->name != part.source->name) return;
        if (part.edit == Edit::drop_statement) {
            cat::Check& check = std::get<cat::Check>(file_.statements[part.target]);
            check.term = add({Term::Kind::choice, Op::empty, variant, {idle(check), check.term}, check.span});
            return;
        }
        const Term& term = before_[part.target];
        if (part.edit != Edit::replace) return choose(part.target, variant, add(changed(before_, part)));
        if (part.kind == Kind::closure) return choose(part.target, variant, part.instead);
        choose(term.args[term.args[0] == part.instead ? 1 : 0], variant, neutral(term));
    }

private:
    TermId add(Term term) {
        file_.terms.push_back(std::move(term));
        return static_cast<TermId>(file_.terms.size() - 1);
    }

    void choose(TermId target, std::string_view variant, TermId instead) {
        const TermId as_it_was = add(Term(file_.terms[target]));
        file_.terms[target] = {Term::Kind::choice, Op::empty, variant, {instead, as_it_was}, before_[target].span};
    }

    TermId zero(Span span) { return add({Term::Kind::zero, Op::empty, {}, {}, span}); }
    TermId operation(Op op, std::vector<TermId> args, Span span) { return add({Term::Kind::operation, op, {}, std::move(args), span}); }

    // An operand that leaves of the operation the other one.
    TermId neutral(const Term& term) {
        const TermId nothing = zero(term.span);
        if (term.op == Op::intersection) return operation(Op::complement, {nothing}, term.span);
        if (term.op == Op::sequence) return operation(Op::optional, {nothing}, term.span);
        return nothing;
    }

    // A term with which an axiom holds of every execution, and a flag of none.
    TermId idle(const cat::Check& check) {
        const TermId nothing = zero(check.span);
        return check.negated == check.flag ? nothing : operation(Op::complement, {nothing}, check.span);
    }

    File& file_;
    const std::vector<Term> before_;
};

}  // namespace

std::string_view name(ModelPart::Kind kind) {
    constexpr std::array<std::string_view, 8> names{"axiom", "flag", "reading", "alternative", "conjunct", "exception", "step", "closure"};
    return names[static_cast<size_t>(kind)];
}

std::vector<ModelPart> parts_of(const Model& open) {
    std::vector<ModelPart> parts;
    for (const SourcePtr& source : open.sources) {
        if (source->name == cat::derived_names) continue;
        std::vector<ModelPart> of_file;
        Finder(cat::parse(source), of_file).run();
        std::stable_sort(of_file.begin(), of_file.end(),
                         [](const ModelPart& a, const ModelPart& b) { return a.span.begin < b.span.begin; });
        parts.insert(parts.end(), of_file.begin(), of_file.end());
    }
    std::map<std::string, int> alike;
    for (ModelPart& part : parts) {
        part.id = part.within + ": " + std::string(name(part.kind));
        if (part.text != part.within) part.id += " " + part.text;
        if (const int count = ++alike[part.id]; count > 1) part.id += " #" + std::to_string(count);
    }
    return parts;
}

Model without(const Model& open, const ModelPart& part) {
    Model model = cat::elaborate(open.source, [&](File& file) { apply(file, part); });
    model.name = open.name;
    return model;
}

std::string variant_of(const ModelPart& part) {
    return "\"" + part.id;
}

Model with_open_parts(const Model& open, const std::vector<ModelPart>& parts) {
    std::string text;
    for (const ModelPart& part : parts) text += variant_of(part);
    const SourcePtr names = make_source("<parts>", text);  // the variants of nodes lie in a source of their model
    Model model = cat::elaborate(open.source, [&](File& file) {
        Opener opener(file);
        size_t begin = 0;
        for (const ModelPart& part : parts) {
            const std::string_view variant = std::string_view(names->text).substr(begin, variant_of(part).size());
            opener.open(part, variant);
            begin += variant.size();
        }
    });
    model.name = open.name;
    model.sources.push_back(names);
    model.variants = open.variants;
    return model;
}

}  // namespace litmus
