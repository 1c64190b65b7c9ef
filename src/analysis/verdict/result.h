// Result: what one test came to, as plain data that outlives its program and can be printed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/verdict/hazards.h"
#include "analysis/verdict/reliance.h"
#include "analysis/verdict/verdict.h"
#include "language/origin.h"

namespace litmus {

// What was asked: of which test, and under which model.
struct ResultQuestion {
    // Where the result stands among those of its run, of which it is a part (litmus merge).
    struct Place {
        std::string run;             // a digest of what was asked of which files: equal for all parts of one run
        size_t file = 0, files = 0;  // its file, from 1, of so many that were named
        size_t test = 0, tests = 0;  // the test, from 1, of so many in that file
        friend bool operator==(const Place&, const Place&) = default;
    };

    std::string file;
    std::string test;
    std::string hash;  // of the test: its canonical text without comments, doc and ref; as observed.json has it
    std::string key;   // of the question: what equal results have in common, whatever the file is called
    std::string model;
    std::string model_hash;
    std::string reading;  // of the ISA, as it was asked for
    Claim::Kind claim = Claim::Kind::none;
    std::string claim_kind = "none";  // "exists", "~exists", "forall"; else "deadlock", "racefree" or "none"
    std::string claim_text;           // as the DSL writes it, with its filter and the other claims
    std::string condition;            // the condition alone
    Position begin, end;              // of the claim in the file, the end exclusive
    std::string made_of;              // of a test that is in no file: the file that it was made of, which findings name
    std::optional<Place> place;       // of one part of a run
};

// What was found, with the verdict that follows.
struct ResultFindings {
    struct Column {
        std::string name;  // "P1:r0", "x", "s[1]"
        Type type = Type::u32;
    };
    struct State {
        std::vector<uint64_t> values;  // parallel to `columns`
        bool satisfies = false;        // the claim's condition
    };
    struct Access {
        std::string text;     // one line, as event/program.h describes it
        Position begin, end;  // in the test's file, the end exclusive
        CudaPlace origin;     // in the CUDA source that the test stands for, where that is known
    };
    struct RacingPair {
        std::string location;
        Access first, second;
    };
    struct Harm {
        Hazard::Kind kind = Hazard::Kind::undefined;
        std::string title;               // as HazardText has it
        std::vector<std::string> lines;  // who and where, with what the witness shows
        std::vector<Access> accesses;
        std::string flag = {};  // of the model, as HazardText has it
    };

    // What an assembler made of the test, of which the result then is: the worst of all settings (litmus check --compiled).
    struct Compiled {
        std::vector<std::string> settings;  // "ptxas 13.0.88, -O3, sm_90a, plain": under which it became this
        std::vector<std::string> changes;   // in words; empty: nothing is changed
        std::vector<std::string> refused;   // settings in which it was not assembled, with the reason
        friend bool operator==(const Compiled&, const Compiled&) = default;
    };

    Judgement judgement;
    std::vector<Column> columns;
    std::vector<State> states;
    bool complete = false;
    Answer::Truth satisfiable = Answer::Truth::unknown;
    Answer::Truth violable = Answer::Truth::unknown;
    std::vector<RacingPair> races;
    bool races_complete = false;
    std::vector<std::string> flags;
    std::vector<Harm> hazards;                  // undefined behaviour, and threads that wait for ever
    std::vector<Harm> flagged;                  // where the flags hold that are neither undefined behaviour nor a race; not printed
    std::optional<Reliance> reliance;           // on readings; none: no reading concerns the test
    bool never_ends = false;                    // no execution terminates
    bool unrolled = false;                      // a loop was cut at the unroll bound
    std::vector<std::string> unrolled_at = {};  // and unrolled: the loops that it cuts, "P0 line 12"
    std::optional<Compiled> compiled;
    std::vector<std::string> judged;        // of a kernel: which threads, arguments and bounds the verdict is about
    std::vector<std::string> reservations;  // of a kernel: why less follows from `ok` than it seems
};

// What it took.
struct ResultCost {
    std::string solver = "z3";  // that decided; "both" where two did and agree
    double seconds = 0;
    bool partial = false;  // time or memory ran out: more of either could say more
};

// What stood in the way.
struct ResultTroubles {
    std::vector<Diagnostic> warnings;
    std::vector<Diagnostic> errors;  // verdict error: why the input is wrong
    std::string internal_error;      // verdict error: a bug of ours
};

struct Result : ResultQuestion, ResultFindings, ResultCost, ResultTroubles {};

// The printable part of an answer. `file` is the name the input is shown under; `strict` is as judge() has it.
Result make_result(const std::string& file, const Test& test, const Program& program, const Model& model, const Answer& answer,
                   bool strict);

// Puts the hazards of the test into its result: races apart from the others, flags by their names alone.
void add_hazards(Result& result, const Test& test, std::vector<HazardText> hazards);

// The result of an input that could not be checked. `test` may be empty when not even that is known.
Result error_result(const std::string& file, const std::string& test, const Failure& failure);

// The result of a test for which there was not the time or the memory to build it.
Result unknown_result(const std::string& file, const Test& test, const std::string& why);

// The result of an input on which the tool itself failed.
Result internal_error_result(const std::string& file, const std::string& test, const std::string& what);

// Whether all that a result says of its test without having asked anything is true of this one: name, claim, places.
bool is_about(const Result& result, const Test& test);

// Whether the verdict is the one that follows from what else the result says. That of make_result() is; a line that somebody changed may
// say otherwise.
bool is_consistent(const Result& result);

// What differs between two results of one test, witnesses and times apart: "verdict", "outcomes", ...; empty: nothing.
std::string_view difference(const Result& a, const Result& b);

// Whether the verdict is `ok` with reservations: that passes no check.
bool is_reserved(const Result& result);

size_t satisfying(const Result& result);  // how many of the states satisfy the condition

}  // namespace litmus
