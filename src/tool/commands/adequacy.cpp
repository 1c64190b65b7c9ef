// `litmus adequacy`: the parts of a model that no test needs.
//
// The tests one by one on the workers of a batch, the smallest first: what a part is needed by is then easy to read, and a part
// that is needed is soon not asked about any more.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <sstream>

#include "analysis/adequacy/text.h"
#include "analysis/verdict/support.h"
#include "tool/attempt.h"
#include "tool/batch.h"
#include "tool/command.h"
#include "tool/inputs.h"
#include "tool/named_tests.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/search_apart.h"

namespace litmus::adequacy_command {

namespace {

constexpr const char* footer = R"(
A part of a model is what can be deleted from its text so that a model is left: an axiom, a flag, a reading, a member of a union,
a conjunct, what a difference takes away, a step of a composition, a closure. A test needs a part if it has other outcomes,
undefined behaviour, races or hangs under the model without it. A part that no test needs could be wrong, and no test would notice.
Each part is examined under the default, the weakest and the strongest readings. A part that none of these has is examined under the
weakest and a reading that has it.
The list has every part that no test needs, except the parts for which --known says why no test can (lines PART | REASON). With
--synthesise, the missing tests are then searched for. Each search takes at most the time of --timeout.

Examples:
  litmus adequacy litmus --known model/redundant.txt
  litmus adequacy litmus --count --verbose
  litmus adequacy litmus --synthesise --max-instructions 3 --timeout 60
  litmus adequacy litmus/classic --model ptx-6.0 --format json

Exit status: 0 every part is needed, or known to be redundant; 1 some part is not; 2 bad input; 3 not decided (2 before 1 before 3).
)";

struct Options : LimitOptions {
    std::vector<std::string> inputs;
    std::string model = "ptx";
    bool count = false;  // all tests that need a part, not only the first
    std::string known;   // path of the list of parts that are known to be redundant
    int unroll = 2;
    unsigned jobs = 0;
    Format format = Format::text;
    bool verbose = false;
    bool synthesise = false;  // look for tests that need the parts which none needs
    SearchOptions search;
};

void define(CLI::App& app, Options& options) {
    add_inputs(app, options.inputs);
    add_model_name(app, options.model);
    add_flag(app, "--count", options.count, "Count all tests that need each part; without it, one is enough");
    add_text(app, "--known", options.known, "FILE", "Parts that are known to be redundant: lines PART | REASON");
    add_timeout(app, options.timeout);
    add_memory(app, options.memory);
    add_unroll(app, options.unroll);
    add_jobs(app, options.jobs);
    add_format(app, options.format, "adequacy");
    add_flag(app, "-v,--verbose", options.verbose, "List the parts that are needed, too");
    add_flag(app, "--synthesise", options.synthesise,
             "For each part that no test needs, search for a program that does, as `litmus distinguish` does");
    add_search(app, options.search);
}

// What one test said, by part.
struct Said {
    std::vector<Need> needs;
    std::vector<Diagnostic> errors;
    std::string internal_error;
    bool gave_up = false;  // nothing was decided
};

size_t instructions(const Input& input) {
    size_t count = 0;
    if (input.test)
        for (const Thread& thread : input.test->threads) count += thread.body.size();
    return count;
}

std::vector<Input> smallest_first(std::vector<Input> inputs) {
    std::stable_sort(inputs.begin(), inputs.end(), [](const Input& a, const Input& b) { return instructions(a) < instructions(b); });
    return inputs;
}

// Lines PART | REASON, of parts that are known to be redundant; `#` begins a comment line. Throws Failure for a part that the model
// does not have.
std::map<std::string, std::string> read_known(const std::string& path, const ModelParts& parts) {
    std::map<std::string, std::string> known;
    if (path.empty()) return known;
    const SourcePtr source = make_source(path, read_source(path)->text, false);  // it may be any file
    uint32_t begin = 0;
    std::istringstream in(source->text);
    for (std::string line; std::getline(in, line); begin += static_cast<uint32_t>(line.size()) + 1) {
        if (line.empty() || line.front() == '#') continue;
        const Span span{begin, begin + static_cast<uint32_t>(line.size())};
        const size_t bar = line.rfind(" | ");
        if (bar == std::string::npos) throw Failure(source, span, "expected PART | REASON");
        const std::string id = line.substr(0, bar);
        if (std::none_of(parts.parts.begin(), parts.parts.end(), [&](const PartUnder& p) { return p.part.id == id; }))
            throw Failure(source, span, "the model has no part `" + id + "`", "`litmus adequacy --format json` lists them");
        known[id] = line.substr(bar + 3);
    }
    return known;
}

class Asking {
public:
    Asking(const Options& options, const Model& model, const ModelParts& parts)
        : options_(options), model_(model), parts_(parts), needed_(parts.parts.size()) {}

    Said ask(const Input& input) {
        Said said;
        const Trouble trouble = attempt([&] {
            if (input.failure) throw Failure(*input.failure);
            const auto budget = [&] { return options_.budget(); };
            Program program = build_program(*input.test, {.unroll = options_.unroll, .blocked = true, .budget = budget()});
            require_support(program, model_);
            Solver solver(Solver::usually, faster);
            said.needs = needs(*input.test, program, parts_, solver, budget, [&](size_t p) { return options_.count || !needed_[p]; });
            for (size_t p = 0; p < parts_.parts.size(); ++p)
                if (said.needs[p] == Need::answer || said.needs[p] == Need::verdict) needed_[p] = true;
        });
        said.errors = trouble.errors();
        said.gave_up = !trouble.undecided.empty();
        said.internal_error = trouble.internal_error;
        return said;
    }

private:
    const Options& options_;
    const Model& model_;
    const ModelParts& parts_;
    std::vector<std::atomic<bool>> needed_;
};

void take(const Input& input, const Said& said, AdequacyReport& report) {
    ++report.tests;
    for (size_t p = 0; p < report.parts.size(); ++p) {
        PartReport& part = report.parts[p];
        const Need need = said.gave_up ? Need::undecided : said.needs.empty() ? Need::no : said.needs[p];
        if (need == Need::undecided) ++part.undecided;
        if (need == Need::verdict) ++part.noticed;
        if ((need != Need::verdict && need != Need::answer) || ++part.needed > 1) continue;
        part.test = input.test->name;
        part.file = input.file;
    }
}

// Asks all tests, in order, about all parts. The status of what went wrong with single tests.
int ask_all(const Options& options, const Model& model, const std::vector<Input>& inputs, const ModelParts& parts, AdequacyReport& report) {
    Asking asking(options, model, parts);
    std::vector<Said> said(inputs.size());
    int status = 0;
    Progress progress(inputs.size());
    const auto make_worker = [&]() -> Job { return [&](size_t i) { said[i] = asking.ask(inputs[i]); }; };
    run_batch(inputs.size(), workers_for(options.jobs), make_worker, [&](size_t i) {
        if (!said[i].errors.empty() || !said[i].internal_error.empty()) {
            progress.clear();
            complain(said[i].errors);
            complain_internal(said[i].internal_error);
            status = combine_status(status, said[i].internal_error.empty() ? 2 : 70);
        } else {
            take(inputs[i], said[i], report);
        }
        said[i] = {};
        progress.at(i + 1);
        return true;
    });
    return status;
}

// For each part that no test needs: the smallest program under which the model without it has another outcome, as a test.
void synthesise(const Options& options, const ModelFamily& family, const ModelParts& parts, const AdequacyReport& report, Output& out) {
    const ApartOptions searched{options.search, options, options.jobs};
    for (size_t p = 0; p < parts.parts.size(); ++p) {
        if (is_settled(report.parts[p]) || report.parts[p].undecided > 0) continue;
        DistinguishReport found;
        const ModelPart& part = parts.parts[p].part;
        found.models = {report.model, report.model + " without `" + part.id + "`"};
        std::string text;
        try {
            const std::vector<std::string>& readings = parts.settings[parts.parts[p].under.front()];
            const Model whole = under(family.open(), readings), deleted = under(without(family.open(), part), readings);
            search_apart(searched, {&whole, &deleted}, false, found);
            text = distinguish_text(found);
        } catch (const Failure& failure) {  // what is left cannot be asked about
            text = found.models[1] + ": " + failure.diagnostics().front().message + "\n";
        }
        if (!out.put("\n" + text)) return;
    }
}

int run(const Options& options, Output& out) {
    ModelFamily family(options.model, {});
    const ModelParts parts = model_parts(family);
    const std::map<std::string, std::string> known = read_known(options.known, parts);
    std::vector<Input> inputs = smallest_first(tests_of(options.inputs, options.timeout));

    AdequacyReport report{options.model, 0, options.count, {}};
    for (const PartUnder& p : parts.parts) {
        const auto reason = known.find(p.part.id);
        report.parts.push_back({p.part, !p.under.empty(), 0, 0, 0, {}, {}, reason == known.end() ? "" : reason->second});
    }
    const int status = ask_all(options, family.by_default(), inputs, parts, report);
    if (report.tests == 0 && status != 0) return status;  // of no test nothing follows
    if (options.format == Format::json) {
        for (const std::string& line : adequacy_json(report))
            if (!out.put(line + "\n")) break;
    } else {
        out.put(adequacy_text(report, {use_colour(STDOUT_FILENO), false, output_width()}, options.verbose));
        if (options.synthesise) synthesise(options, family, parts, report, out);
    }
    return combine_status(status, exit_status(report));
}

}  // namespace

Command command() {
    return make_command("adequacy", "List the parts of a model that no test needs", footer, define, run);
}

}  // namespace litmus::adequacy_command
