// Where the time goes: checks files in one process, one solver, and prints seconds by phase.
//
//     bench_engine [--model M] [--claim] [--repeat N] FILE...     a line per file and run
//     bench_engine --corpus DIR                                   all lines of expected.csv, one line
//
// Columns, tab-separated: name, parse, events, bounds, encode, solve, check, total, outcomes, answer.
// --claim decides the claim only; otherwise outcomes are enumerated as `litmus check` does.
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/budget.h"
#include "language/syntax/read.h"
#include "solve/solve.h"

using namespace litmus;

namespace {

struct Row {
    double parse = 0, events = 0, total = 0;
    Timing solving;
    size_t outcomes = 0;
    bool complete = true;
    Answer::Truth satisfiable = Answer::Truth::unknown;
};

void print(const std::string& name, const Row& row) {
    static const char* const truth[] = {"no", "yes", "unknown"};
    const Timing& t = row.solving;
    std::cout << name << '\t' << row.parse << '\t' << row.events << '\t' << t.bounds << '\t' << t.encode << '\t' << t.solve << '\t'
              << t.check << '\t' << row.total << '\t' << row.outcomes << (row.complete ? "" : "+") << '\t'
              << truth[static_cast<size_t>(row.satisfiable)] << '\n';
}

Row check(Solver& solver, const std::string& file, const Model& model, const SolveOptions& options) {
    Row row;
    const double start = now();
    for (const Test& test : parse_tests(read_source(file))) {
        const double parsed = now();
        Program program = build_program(test, {});
        row.events += now() - parsed;
        const Answer answer = solver.solve(program, model, options);
        row.solving.bounds += answer.timing.bounds;
        row.solving.encode += answer.timing.encode;
        row.solving.solve += answer.timing.solve;
        row.solving.check += answer.timing.check;
        row.outcomes += answer.outcomes.size();
        row.complete = row.complete && (answer.complete || !options.want_outcomes);
        row.satisfiable = answer.satisfiable;
        row.parse -= now() - parsed;  // what is left of the whole is reading
    }
    row.total = now() - start;
    row.parse += row.total;
    return row;
}

Row corpus(const std::string& folder) {
    Solver solver;
    SolveOptions options;
    options.want_outcomes = false;
    options.want_hazards = false;
    Row sum;
    const double start = now();
    std::map<std::string, Model> models;
    std::ifstream in(folder + "/expected.csv");
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        const size_t first = line.find(','), second = line.rfind(',');
        const std::string model = line.substr(0, first), test = line.substr(first + 1, second - first - 1);
        if (!models.count(model)) models.emplace(model, load_model(folder + "/models/" + model + ".cat", {}));
        const Row row = check(solver, folder + "/" + test, models.at(model), options);
        sum.parse += row.parse;
        sum.events += row.events;
        sum.solving.bounds += row.solving.bounds;
        sum.solving.encode += row.solving.encode;
        sum.solving.solve += row.solving.solve;
        sum.solving.check += row.solving.check;
        ++sum.outcomes;
    }
    sum.total = now() - start;
    return sum;
}

}  // namespace

int main(int argc, char** argv) try {
    std::string model = "ptx";
    SolveOptions options;
    int repeat = 1;
    std::vector<std::string> files;
    for (int i = 1; i < argc; ++i) {
        const std::string arg = argv[i];
        if (arg == "--corpus" && i + 1 < argc) {
            print("corpus", corpus(argv[i + 1]));
            return 0;
        }
        if (arg == "--claim")
            options.want_outcomes = options.want_hazards = false;
        else if (arg == "--model" && i + 1 < argc)
            model = argv[++i];
        else if (arg == "--repeat" && i + 1 < argc)
            repeat = std::stoi(argv[++i]);
        else
            files.push_back(arg);
    }
    Solver solver;
    const Model loaded = load_model(model, {});
    for (int run = 0; run < repeat; ++run)
        for (const std::string& file : files) print(file, check(solver, file, loaded, options));
} catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
}
