// Each step is a function of its own; what holds after it stands beside it.
#include "analysis/verdict/check.h"

#include <vector>

#include "analysis/verdict/hazards.h"
#include "analysis/verdict/reliance.h"
#include "analysis/verdict/support.h"

namespace litmus {

CheckedTest check_test(const std::string& file, const Test& test, ModelFamily& family, const CheckOptions& options, Solver& solver) {
    const double start = now();
    const std::vector<std::string> on = family.readings(options.reading);
    const Model& model = family.under(on);

    // Events and their static relations: loops are unrolled, addresses known, values expressions.
    const BuildOptions build{.unroll = options.unroll, .blocked = true, .budget = options.budget};
    CheckedTest checked{std::make_unique<Program>(build_program(test, build)), {}, {}};
    Program& program = *checked.program;
    // The model speaks of everything the program does.
    require_support(program, model);
    // The claim is decided, then outcomes are listed and hazards looked for; each execution was evaluated again.
    const Answer& answer = checked.answer = solver.solve(program, model, options.solve);
    // A verdict, and all that is printed, apart from the program.
    Result& result = checked.result = make_result(file, test, program, model, answer, options.strict);
    add_hazards(result, test, explain(program, *answer.hazards));
    // Which readings of the ISA the verdict rests on.
    result.reliance = reliance({test, program, options.strict}, family, on, options.reading, answer, solver);
    result.partial = result.partial || (result.reliance && !result.reliance->depends.known);
    result.seconds = now() - start;
    result.solver = solver.backend().engine();
    result.model = model.name;
    result.model_hash = model.hash;
    result.reading = options.reading;
    return checked;
}

}  // namespace litmus
