// stub
#include <fstream>
#include <iostream>
#include <sstream>
#include "cat/readings.h"
#include "pipeline.h"
#include "random_program.h"
#include "syntax/read.h"
#include "syntax/print.h"
using namespace litmus;
int main(int argc, char** argv) {
    ModelFamily family("ptx", {});
    std::vector<const Model*> models;
    for (const char* base : {"weakest", "default", "strongest"}) models.push_back(&family.under(resolve_readings(family.by_default(), base)));
    Solver solver;
    for (int i = 1; i < argc; ++i) {
        std::ifstream in(argv[i]); std::stringstream text; text << in.rdbuf();
        for (const Test& test : parse_tests(make_source(argv[i], text.str()))) {
            try {
                const auto c = naive::compare(solver, test, models, {});
                std::cout << argv[i] << ": " << c.naive.executions << " executions" << (c.naive.cut ? ", cut" : "") << "\n" << c.difference.value_or("  agree\n");
            } catch (const naive::Unsupported& u) { std::cout << argv[i] << ": skipped: " << u.what() << "\n"; }
              catch (const Failure& f) { std::cout << argv[i] << ": refused: " << f.what() << "\n"; }
              catch (const std::exception& f) { std::cout << argv[i] << ": error: " << f.what() << "\n"; }
        }
    }
}
