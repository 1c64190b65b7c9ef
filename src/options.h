// The command line as one plain struct.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/share.h"
#include "kernel/arguments.h"
#include "language/test.h"
#include "solve/sat/backend.h"

namespace litmus {

// Of from-ptx alone: the launch, which of its threads become the test, and what is done with it.
struct FromPtxOptions {
    kernel::LaunchTexts launch;
    std::string threads = "auto";      // or "0.5,1.0": blocks and threads of them
    size_t per_role = 1;               // threads of each role and block
    size_t most_threads = 16;          // of the test
    std::vector<std::string> ignored;  // beginnings of instructions that are left out
    bool check = false, needed = false;
};

// Through which assemblers, and in what surroundings. Words are as the command line has them.
struct CompiledOptions {
    bool wanted = false;                  // check, repair, from-ptx: --compiled
    std::vector<std::string> assemblers;  // paths; none: the first that is found
    std::vector<int> levels = {1, 2, 3};
    std::vector<std::string> targets = {"sm_90a", "sm_100a"};
    std::vector<std::string> bodies = {"plain", "fixed", "loop", "pressure"};
    // compiled alone
    bool all = false;         // print what is kept, too
    bool print_test = false;  // print compiled tests
    // in place of tests, a campaign; also `seed` and `into`, the folder for the smallest programs
    size_t random = 0, triples = 0, waits = 0;
    bool is_campaign() const { return random + triples + waits > 0; }
};

struct Options {
    enum class Command {
        check,
        outcomes,
        show,
        explain,
        models,
        fmt,
        emit,
        conform,
        repair,
        weaken,
        compare,
        compiled,
        adequacy,
        distinguish,
        merge,
        regress,
        gen,
        report,
        quiz,
        from_ptx
    };
    enum class Format { text, json, junit, sarif, github };

    Command command = Command::check;
    std::vector<std::string> inputs;  // files, directories, "-" for standard input

    // check, outcomes, show
    std::string model = "ptx";
    std::vector<std::string> variants;  // of the model, switched on
    std::string reading;                // of the ISA (model/semantics.md section 10); empty: the default
    unsigned jobs = 0;                  // workers; 0: one per core
    double timeout = 0;                 // seconds for each test; 0: none
    size_t memory = 0;                  // 2^20 bytes for each test; 0: no bound
    size_t max_outcomes = 1024;
    bool all_state = false;
    int unroll = 2;
    std::optional<Engine> engine = Engine::by_size;  // none: Z3 and CaDiCaL decide every test, and are compared (check, outcomes)
    Format format = Format::text;
    bool times = true;
    bool strict = false;  // check: a race that the test says nothing of is a failure

    // check, regress
    std::optional<Share> shard;  // of the files; none: as the environment says
    std::string resume;          // the file that keeps what was found out; empty: none
    std::string cache;           // the folder of results that are known; empty: none

    // regress
    std::string baseline;  // path; empty: beside the first input
    bool promote = false;  // write it

    // show
    size_t outcome = 0;  // number in the listing of `outcomes`, from 1; 0: the claim's witness
    std::string test;    // which test of a file with several; empty: the only one
    bool dot = false, svg = false;

    // explain; also `test`, `dot`, `svg`, as show
    std::string asked;     // an outcome, "P1:r0=1"; empty: what the test claims
    size_t explained = 2;  // outcomes, at most
    size_t ways = 4;       // in which each could come about, at most

    // emit; also `test`, as show
    std::optional<int> sm;  // 90 or 100; none: the least that the test needs

    // conform
    std::string known;             // path of the list of known disagreements
    std::string tests = "litmus";  // where tests are found by their names: a file, a folder, or "-"
    bool verbose = false;

    // repair, weaken; also `test` and `strict`
    size_t max_edits = 2;
    bool all = false;    // every minimal repair, not the cheapest only
    bool apply = false;  // write the best into the file

    // report; also `into`
    std::vector<std::string> observed;  // what GPUs did: files, or folders of such
    bool lab = false;                   // with the laboratory

    // compare: of each side; one stands for both, none for the usual one
    std::vector<std::string> models, readings;

    // adequacy; also `known`, the parts that are known to be redundant, and `verbose`
    bool count = false;       // all tests that need a part, not only the first
    bool synthesise = false;  // look for tests that need the parts which none needs; as distinguish, with its options

    // distinguish; `inputs` are the two models
    size_t max_instructions = 5, max_threads = 3;
    std::vector<std::string> families;  // of instructions; none: all
    bool undefined = false;             // programs that only one model leaves undefined count

    // gen; `inputs` are the words of one cycle, or nothing; also `families`
    size_t count_of_tests = 100, max_events = 4;
    std::vector<std::string> shapes;  // of cycles; none: all
    std::optional<uint64_t> seed;     // of a random sample; none: all tests in order
    std::string into;                 // gen: the folder for the tests, empty: standard output; report: that for the pages
    bool claims = false;              // what the model says of each test is what it claims
    bool list = false;                // only say what there is

    // quiz; also `seed`
    size_t questions = 0;  // rounds, at most; 0: all there are

    // from-ptx; also `into`, the file for the test
    FromPtxOptions from_ptx;

    // compiled, check, repair, from-ptx
    CompiledOptions compiled;

    // fmt
    std::optional<Dialect> to;
    bool check_only = false;
    bool in_place = false;
};

// What a command line asks for: options to act on, or only an exit status, its text being printed.
struct Invocation {
    std::optional<Options> options;
    int status = 0;
};

// Parses the command line. Help and version go to standard output with status 0; a mistake goes to
// standard error, with the nearest legal option, and has status 2.
Invocation parse_options(int argc, const char* const* argv);

}  // namespace litmus
