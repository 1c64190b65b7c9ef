// Program + model -> constraints.
//
// The solver is asked for rf, co, sc, the choices and values only; every other relation of the model
// is a definition over those, made pair by pair and only where a constraint asks for it. A model may be open: its choices
// are then the solver's, too, or those of an assumption.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "cat/model.h"
#include "event/execution.h"
#include "solve/bounds.h"
#include "solve/chains.h"
#include "solve/gates.h"
#include "solve/values.h"

namespace litmus {

class Encoding {
public:
    // Adds the candidate executions of `program` to the backend: which events happen, rf, co, sc. Where the model orders the writes to
    // a location totally only those in which it does: require_model() must follow.
    // `bounds` are those of compute_bounds; `counts_from` as Solver has it. All references outlive the encoding.
    Encoding(const Program& program, const Model& model, ModelBounds bounds, Backend& backend, size_t counts_from);

    // Adds the model's constraints that are not flags. Call it before negation() and pairs(). Throws Failure
    // for a model that uses a recursive relation negatively.
    void require_model();

    // Under this assumption the execution terminates: constraints hold, no loop is cut, no barrier
    // waits for itself.
    Lit terminates() const { return terminates_; }
    // Under this one some loop is cut at its bound, and all that threads have waited for until then has come. A thread may stay where it
    // waits for what would come behind the cut. Makes a new literal.
    Lit cut();
    // Under this one no thread stays at a wait and no await fails first: the execution gives an outcome. Makes a new literal.
    Lit straight();
    // Some thread stays. From now on, under terminates(), threads stay only where what they wait for does not hold in the end
    // (Blocked::hopeless). Call it at most once.
    Lit stays();
    // Of an open model: under this literal the variant is on, under its negation it is not.
    Lit variant(std::string_view name);

    // A new literal under which one of these holds; always_false for none.
    Lit some(const std::vector<Lit>& literals);

    Lit choice(uint32_t index) { return values_.choice(index); }
    // The pair is in the base relation, given that both events happen.
    Lit fact(const std::string& base, const Relation::Pair& pair);
    Lit condition(ExprId e) { return values_.literal(e); }
    Value value(ExprId e) { return values_.value(e); }
    Lit differs(ExprId e, uint64_t value);  // the expression's value is another one

    // A literal that makes a negated constraint hold: something is in the node of ~empty, or some pair of ~irreflexive leads back to where
    // it begins. Throws Failure for any other constraint.
    Lit negation(const Constraint& constraint);
    // The pairs that can be in a node, each with a literal that makes the pair hold (`down`); of a set, each member with itself.
    std::vector<std::pair<Relation::Pair, Lit>> pairs(NodeId node);

    // Reads the last model off the backend. nullopt: it is no candidate execution (a bug).
    std::optional<Execution> execution();
    // The write taken as final in that execution, by cell: the solver's choice where the end was asked for. nullopt: a write that
    // another is co-after was taken (a bug).
    std::optional<std::vector<size_t>> final_writes(const Execution& execution);

private:
    // ---- candidate executions
    void events();
    void reads_from();
    void coherence();
    void pasts();
    void fence_sc();
    void termination();
    void well_founded();
    Value leaf(const Expr& e);
    Value read_value(size_t read);
    Value circular_value(size_t read, const std::vector<uint64_t>& possible);
    Value final_value(size_t cell);

    // ---- what follows for locations that are chains (counting.cpp)
    void find_followed();
    void require_entry(const Chain& chain, size_t base, const std::vector<std::vector<Lit>>& numbers, Lit counts, size_t read);
    void count_updates(const Chain& chain);
    void count_reads(const Chain& chain);
    bool is_known(size_t read) const;
    bool is_settled(const Chain& chain, size_t read) const;
    Lit reads(size_t write, size_t read) const;
    EventSet in_order(NodeId node) const;
    Relation beside_communication(NodeId node) const;
    bool is_in_order(const Chain& chain, const EventSet& events, NodeId node) const;
    std::vector<Conjunction> ways(const Chain& chain, size_t write, const std::function<Lit(size_t)>& link);
    void find_tables();
    Word word_of(size_t read, int width);
    void fix_bits(size_t read, Word& word);
    Lit coherent(size_t a, size_t b);
    Lit between(size_t a, size_t middle, size_t b);
    Lit broken_off(const Chain& chain, size_t from, size_t to);
    Lit along_chain(const Chain& chain, NodeId node, size_t write, size_t reader);

    // ---- relations of the model
    void mark(NodeId node, Polarity polarity);
    void mark_constraint(const Constraint& constraint, bool holds);
    Lit pair(NodeId node, size_t a, size_t b);
    Lit define_pair(NodeId node, size_t a, size_t b);
    Lit closure(NodeId node, NodeId argument, size_t a, size_t b);
    Lit base(std::string_view name, size_t a, size_t b);
    Lit member(NodeId node, size_t e);
    Lit define_member(NodeId node, size_t e);
    void forbid(NodeId node, size_t a, size_t b, Conjunction context);
    void require(const Constraint& constraint);
    Lit happens(size_t a, size_t b);
    Lit nonempty(NodeId node);

    const Program& p_;
    const Model& m_;
    Backend& backend_;
    Gates gates_;
    Words word_gates_;
    Values values_;
    size_t n_;
    Lit terminates_ = always_true;
    std::vector<Lit> exec_;
    std::vector<std::vector<std::pair<size_t, Lit>>> rf_;  // by read: (write, literal)
    std::map<Relation::Pair, Lit> rf_pairs_, co_, sc_;
    std::map<size_t, std::vector<std::pair<size_t, Lit>>> finals_;  // by cell
    std::map<std::string, Lit, std::less<>> variants_;              // of an open model, by name
    std::map<std::string, std::map<Relation::Pair, std::vector<ExprId>>, std::less<>> conditional_;
    std::vector<bool> circular_;
    std::map<size_t, Word> words_;                                // of reads whose values flow in a circle
    std::optional<std::vector<std::vector<uint64_t>>> possible_;  // by read, where words do not do
    std::map<size_t, Value> circular_cases_;                      // in that case, instead of words_
    Bounds rf_bounds_, co_bounds_;
    Relation needs_, in_, out_;                             // ModelBounds
    std::map<size_t, std::vector<uint64_t>> known_values_;  // likewise
    std::vector<NodeBounds> bounds_;                        // by node
    std::vector<Polarity> polarity_;
    std::vector<std::unordered_map<uint64_t, Lit>> pairs_, members_;
    struct Closure {
        bool regular = false;  // must-edges compose to must-pairs
        std::map<Relation::Pair, Word> ranks;
        std::vector<std::vector<size_t>> dynamic_from;
    };
    std::map<NodeId, Closure> closures_;
    const std::vector<Chain> chains_;
    std::map<size_t, std::optional<std::vector<std::optional<uint64_t>>>> tables_;  // by base: values_by_count
    struct FixedBits {
        uint64_t ones = 0, zeros = 0;  // those that may be 1, and 0
    };
    std::map<size_t, FixedBits> fixed_bits_;                    // by read of an update, or of which the values are known
    std::map<NodeId, std::map<size_t, const Chain*>> follows_;  // node of the form x; (rmw; x)*, write: a chain whose every link is in x
    std::map<Relation::Pair, Lit> before_;                      // the write of an update is the one that a read is from, or co-before that
    std::map<NodeId, NodeId> links_;                            // for each node of that form: x
    int depth_ = 0;                                             // of pair() in pair()
};

}  // namespace litmus
