// A derivation in sentences, down to the base edges.
//
// What the model has a phrase for ("A synchronizes with B") is a sentence, and what it follows from stands below it; terms
// without a phrase are passed over, and their parts told in their place. What an event is (a release, a write) is seen from its
// instruction and not said.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/explain/derivation.h"
#include "analysis/explain/event_names.h"

namespace litmus {

struct Sentence {
    std::string text;
    std::string section = {};  // of the ISA; empty: none
    std::vector<Sentence> because = {};
    // What it says, for programs: a term of the model by its name, and two events as the sentences name them ("P0:9 ...");
    // empty for several facts in one sentence.
    std::string relation = {};
    std::string from = {}, to = {};
};

class Storyteller {
public:
    // Both outlive it.
    Storyteller(const Model& model, const Execution& execution);

    // What the derivations say, one after the other. What was told before is mentioned, and its reasons are not repeated.
    std::vector<Sentence> tell(const std::vector<Derivation>& derivations);

private:
    struct Fact;
    using Pair = std::pair<size_t, size_t>;
    void collect(const Derivation& d, std::vector<Fact>& facts) const;
    void collect_absent(const Derivation& d, std::vector<Fact>& facts) const;
    void collect_parts(const Derivation& d, std::vector<Fact>& facts) const;
    std::vector<Fact> facts_of(const Derivation& step, std::string& section) const;
    std::vector<Sentence> sentences(const std::vector<Fact>& facts, const Pair* subject);
    Sentence step(const Derivation& d, const Pair* subject);
    std::optional<NodeId> one_direction(const Node& node) const;
    Sentence edge(const Derivation& d);
    std::string reading(const Derivation& d);
    void name_ends(Sentence& sentence, const Derivation& d) const;
    std::string absence(const Derivation& d);
    std::vector<Sentence> conditions(const std::vector<Fact>& facts, const Pair* subject, bool of_subject);
    std::string predicate(const Derivation& d) const;
    std::string said(std::string_view phrase, size_t a, size_t b);

    const Model& model_;
    const Execution& execution_;
    EventNames names_;
    std::vector<bool> is_condition_;  // by node: whether it is about events alone
    std::set<std::tuple<NodeId, size_t, size_t>> told_;
};

// As lines: reasons stand below what they are for, indented, or after a colon where they fit.
std::vector<std::string> lines(const std::vector<Sentence>& story);

}  // namespace litmus
