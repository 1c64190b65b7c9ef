// Answers are short: what decides comes first, lists end after a few.
#include "view/serve/agent_tools.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

#include "analysis/explain/exhibit.h"
#include "analysis/explain/explanation.h"
#include "analysis/kernel/report.h"
#include "analysis/repair/missing.h"
#include "analysis/repair/repair.h"
#include "analysis/repair/text.h"
#include "analysis/verdict/check.h"
#include "analysis/verdict/text.h"
#include "kernel/arguments.h"
#include "kernel/dimensions.h"
#include "kernel/module.h"
#include "language/syntax/outcome.h"
#include "language/syntax/read.h"
#include "print/columns.h"
#include "ptx/cuda.h"
#include "ptx/page.h"
#include "ptx/table.h"
#include "view/serve/messages.h"

namespace litmus {

namespace {

using Json = nlohmann::ordered_json;

constexpr size_t most_listed = 16, most_repairs = 4;
constexpr const char* test_file = "test.litmus";
constexpr const char* kernel_file = "kernel.ptx";

constexpr size_t longest_text = size_t{1} << 20, longest_ptx = size_t{16} << 20;  // as of files

Json text_type(const char* meaning) {
    return {{"type", "string"}, {"description", meaning}};
}
Json text_of_at_most(size_t characters, const char* meaning) {
    return {{"type", "string"}, {"maxLength", characters}, {"description", meaning}};
}
Json word_type(const char* meaning) {
    return text_of_at_most(4096, meaning);
}
Json list_of(const Json& type, const char* meaning) {
    return {{"type", "array"}, {"items", type}, {"description", meaning}};
}
Json schema(const Json& properties, const std::vector<std::string>& required) {
    return {{"type", "object"}, {"properties", properties}, {"required", required}, {"additionalProperties", false}};
}

const Json test_argument = text_of_at_most(
    longest_text,
    "One litmus test. Declarations (`.global .u32 x = 0;`, `.shared.cta0 .mbarrier bar = 1;`), then threads with PTX instructions "
    "(`thread P0 @ cta0 { st.release.gpu.global.u32 [x], 1; }`; `@ gpu1.cluster1.cta2` places it), then a claim: "
    "`~exists (P1:r0 == 1 /\\ P1:r1 == 0)`, `exists (...)`, `forall (...)`, and, after it or alone, `racefree`, `terminates`.");
const Json reading_argument = word_type("How to read the ISA where it is silent: weakest, default or strongest");

Json verdict_schema() {
    return schema(
        {{"verdict", text_type("ok, no, undefined, deadlock, may-deadlock, race, unknown")},
         {"meaning", text_type("the verdict in a line, with what it rests on")},
         {"outcomes", list_of(text_type("a final state; with * where the condition of the claim holds"), "those that can be")},
         {"more_outcomes", {{"type", "boolean"}}},
         {"findings",
          list_of(text_type("a race, undefined behaviour, a wait without an end"), "with the lines of the test or of the CUDA source")},
         {"rests_on", list_of(text_type("a reading of the ISA, or several that do together"), "without which the verdict is another one")},
         {"missing", list_of(text_type("kind: where: what to do"), "what the cheapest repair adds; more by the tool repair")}},
        {"verdict", "meaning", "outcomes", "more_outcomes", "findings", "rests_on", "missing"});
}

Json claim_schema() {
    return schema(
        {{"verdict", text_type("right, wrong, open")},
         {"meaning", text_type("what is claimed, of which orders of which threads")},
         {"findings",
          list_of(text_type("what is wrong | a place | another place"), "with the lines of the CUDA source, and what mends it")},
         {"open", list_of(text_type("what is open; to close it: what helps"), "read these before you trust that nothing is found")},
         {"about", list_of(text_type("what was judged, and what was left out"), "of a test of a few threads, where that has decided")}},
        {"verdict", "meaning", "findings", "open", "about"});
}

std::string string_in(const Json& arguments, const char* name, const std::string& otherwise) {
    return arguments.value(name, otherwise);
}

// What a value is not, in words, where it is not of the type that its schema has; those of arguments have no others.
std::string misfit(const Json& value, const Json& schema) {
    const std::string type = schema.at("type");
    if (type == "string") {
        if (!value.is_string()) return "no string";
        const size_t most = schema.at("maxLength");
        return display_width(value.get_ref<const std::string&>()) <= most ? "" : "longer than " + std::to_string(most) + " characters";
    }
    if (type == "boolean") return value.is_boolean() ? "" : "neither true nor false";
    if (type == "integer")
        return value.is_number_unsigned() && value.get<uint64_t>() <= schema.at("maximum").get<uint64_t>()
                   ? ""
                   : "no whole number from 0 to " + schema.at("maximum").dump();
    if (!value.is_array()) return "no list";
    for (const Json& one : value)
        if (const std::string is_not = misfit(one, schema.at("items")); !is_not.empty()) return "a list with something that is " + is_not;
    return "";
}

// What is asked with is among what the tool takes, and nothing that it needs is missing.
void require_fit(const Json& arguments, const Json& schema) {
    if (!arguments.is_object()) throw std::invalid_argument("the arguments are no object");
    for (const auto& [name, value] : arguments.items()) {
        if (!schema.at("properties").contains(name)) throw std::invalid_argument("there is no argument `" + name + "`");
        const std::string is_not = misfit(value, schema.at("properties").at(name));
        if (!is_not.empty()) throw std::invalid_argument("`" + name + "` is " + is_not);
    }
    for (const std::string name : schema.at("required"))
        if (!arguments.contains(name)) throw std::invalid_argument("the argument `" + name + "` is missing");
}

Test only_test(const std::string& text) {
    std::vector<Test> tests = parse_tests(make_source(test_file, text));
    if (tests.size() != 1) throw Failure(nullptr, {}, "the text has " + std::to_string(tests.size()) + " tests", "ask about one of them");
    return std::move(tests.front());
}

std::string said(const Missing& missing) {
    return std::string(row(missing.fault).name) + ": " + missing.sentence;
}

bool is_letter(char c) {
    return c >= 'a' && c <= 'z';
}

// Where the characters of a kind that begin at `at` end.
template <typename Belongs>
size_t end_of(std::string_view text, size_t at, const Belongs& belongs) {
    while (at < text.size() && belongs(text[at])) ++at;
    return at;
}

// Puts in the place of an option of the command line, whose name stands between `name` and `end`, the argument of the tool. Gives where
// that option ends, with its value.
size_t put_argument(std::string& out, std::string_view text, size_t name, size_t end) {
    const std::string option(text.substr(name, end - name));
    const size_t value = std::min(end + 1, text.size());
    const bool has_value = end < text.size() && text[end] == ' ';
    if (option == "arg") {
        const size_t stop = end_of(text, value, [](char c) { return c != ' '; });
        const size_t equals = text.substr(0, stop).find('=', value + 1);
        const bool is_argument = has_value && equals != std::string_view::npos && equals + 1 < stop;
        out += is_argument ? "\"" + std::string(text.substr(value, stop - value)) + "\"" : "`arguments`";
        return is_argument ? stop : end;
    }
    constexpr std::array<std::string_view, 5> arguments{"grid", "block", "cluster", "entry", "shared"};
    if (std::find(arguments.begin(), arguments.end(), option) == arguments.end()) {
        out += "`--" + option + "` (of the command line)";
        return end;
    }
    const size_t stop = end_of(text, value, [](char c) { return (c >= '0' && c <= '9') || c == ','; });
    out += "`" + option + "`";
    if (!has_value || stop == value) return end;
    out += ": \"" + std::string(text.substr(value, stop - value)) + "\"";
    return stop;
}

// Messages about a kernel speak of options of the command line. This puts the tool's arguments in their place, and leaves out files, which
// an agent cannot name. It takes one pass: a message may quote a stranger's text, of any length.
std::string in_arguments(std::string_view text) {
    constexpr std::array<std::string_view, 4> files{", or its bytes, @FILE", " or its bytes, @FILE", ", or @FILE", " or @FILE"};
    constexpr std::string_view one = "one --arg", dashes = "--";
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const std::string_view rest = text.substr(at);
        const auto file = std::find_if(files.begin(), files.end(), [&](std::string_view words) { return rest.starts_with(words); });
        const size_t name = at + dashes.size();
        if (file != files.end()) {
            at += file->size();
        } else if (rest.starts_with(one) && !rest.substr(one.size()).starts_with("-")) {
            out += "one of `arguments`";
            at += one.size();
        } else if (rest.starts_with(dashes) && name < text.size() && is_letter(text[name])) {
            at = put_argument(out, text, name, end_of(text, name, [](char c) { return is_letter(c) || c == '-'; }));
        } else {
            out += text[at++];
        }
    }
    return out;
}

Failure in_arguments(const Failure& failure) {
    std::vector<Diagnostic> said = failure.diagnostics();
    for (Diagnostic& one : said) {
        one.message = in_arguments(one.message);
        one.hint = in_arguments(one.hint);
        if (one.source && one.source->name != kernel_file) one.source = make_source(in_arguments(one.source->name), one.source->text);
    }
    return Failure(std::move(said));
}

// As claim_schema() has it.
Json judgement_said(const std::vector<KernelLaunch>& launches, const KernelJudgement& judgement) {
    Json object = {{"verdict", name(judgement.claim)},
                   {"meaning", claim_line(launches, judgement)},
                   {"findings", Json::array()},
                   {"open", Json::array()},
                   {"about", Json::array()}};
    for (const Case& one : judgement_cases(launches, judgement))
        for (const CaseFinding& finding : one.findings) {
            if (object["findings"].size() == most_listed) break;
            std::string text = finding.message;
            for (const Related& related : finding.related) text += " | " + related.message;
            object["findings"].push_back(std::move(text));
        }
    for (const KernelJudgement::Open& one : judgement.open)
        object["open"].push_back(in_arguments(one.what + "; to close it: " + one.closes));
    for (const std::string& taken : launches.front().launch->taken) object["about"].push_back(in_arguments(taken));
    if (judgement.threads)
        for (const std::string& note : judgement.threads->result.judged) object["about"].push_back(in_arguments(note));
    return object;
}

// As verdict_schema() has it.
Json verdict_json(const Result& result, const WhatIsMissing& missing) {
    Json object = {{"verdict", name(result.judgement.verdict)},
                   {"meaning", verdict_line(result)},
                   {"outcomes", Json::array()},
                   {"more_outcomes", !result.complete},
                   {"findings", Json::array()},
                   {"rests_on", Json::array()},
                   {"missing", Json::array()}};
    for (const Result::State& state : result.states) {
        std::string text;
        for (size_t i = 0; i < result.columns.size(); ++i) {
            text += (text.empty() ? "" : " ") + result.columns[i].name + "=" + format_value(state.values[i], result.columns[i].type) + ";";
        }
        if (state.satisfies) text += " *";
        Json& listed = object["outcomes"];
        if (std::find(listed.begin(), listed.end(), text) != listed.end()) continue;
        if (listed.size() == most_listed) {
            object["more_outcomes"] = true;
            break;
        }
        listed.push_back(std::move(text));
    }
    const auto place = [&](const Result::Access& access) {
        return access.text + (access.origin ? " (" + short_text(access.origin) + ")" : "");
    };
    for (const Result::RacingPair& race : result.races)
        if (object["findings"].size() < most_listed)
            object["findings"].push_back("data race on " + race.location + ": " + place(race.first) + " | " + place(race.second));
    for (const Result::Harm& harm : result.hazards) {
        if (object["findings"].size() == most_listed) break;
        std::string text = harm.title;
        for (const Result::Access& access : harm.accesses) text += " | " + place(access);
        object["findings"].push_back(text);
    }
    if (result.reliance)
        for (const std::vector<std::string>& set : result.reliance->rests_on) {
            std::string text;
            for (const std::string& reading : set) text += (text.empty() ? "" : " and ") + reading;
            object["rests_on"].push_back(text);
        }
    for (const Missing& one : missing.best) object["missing"].push_back(said(one));
    return object;
}

// Every text of an answer as one that can be shown; a patch is a text to be applied, and stays whole.
void make_sayable(Json& answer) {
    if (answer.is_string()) answer = sayable(answer.get<std::string>());
    if (!answer.is_structured()) return;
    for (auto part = answer.begin(); part != answer.end(); ++part) {
        if (answer.is_object() && part.key() == "patch")
            *part = patch_text(part->get<std::string>());
        else
            make_sayable(*part);
    }
}

}  // namespace

struct AgentTools::Tool {
    std::string name, title, description;
    Json input, output;  // schemas
    Json (AgentTools::*answer)(const Json& arguments);
};

const std::vector<AgentTools::Tool>& AgentTools::tools() {
    static const std::vector<Tool> table = {
        {"check", "Can this outcome happen?",
         "Decides a litmus test under the PTX memory model: every outcome that can be, data races, undefined behaviour, hangs. Write down "
         "the few accesses and fences in question and claim what must not be. Exhaustive for the test; a test says nothing of code that "
         "is not in it.",
         schema({{"test", test_argument}, {"reading", reading_argument}}, {"test"}), verdict_schema(), &AgentTools::check},
        {"explain", "Why, or why not?",
         "Says how an outcome of a test comes about, or which axiom of the model, by its section of the ISA, forbids it.",
         schema({{"test", test_argument},
                 {"outcome", word_type("\"P1:r0=1; P1:r1=0\" (default: the condition of the claim)")},
                 {"reading", reading_argument}},
                {"test"}),
         schema({{"possible", {{"type", "boolean"}}}, {"because", text_type("an execution, or a proof, in lines")}},
                {"possible", "because"}),
         &AgentTools::explain},
        {"repair", "Which line must I change?",
         "Finds the cheapest changes that make a failing test hold (a fence, a scope, a wait), each verified. Use it before you add a "
         "fence by guess, and to see that one is not needed.",
         schema({{"test", test_argument}, {"reading", reading_argument}}, {"test"}),
         schema({{"status", text_type("nothing_to_repair, repaired, none_found, undecided")},
                 {"repairs", list_of(schema({{"what", list_of(text_type("kind: where: what to do"), "all of these together")},
                                             {"holds_under_weakest", {{"type", {"boolean", "null"}}}},
                                             {"patch", text_type("a unified diff of the test")}},
                                            {"what", "holds_under_weakest", "patch"}),
                                     "cheapest first")}},
                {"status", "repairs"}),
         &AgentTools::repair},
        {"judge_kernel", "Is this kernel right?",
         "Judges a whole kernel, with all its threads: the PTX that nvcc makes of it (`nvcc --ptx -lineinfo -gencode "
         "arch=compute_90a,code=compute_90a`), launched with a small grid. Finds races, missing proxy fences, hangs, with the lines of the "
         "CUDA source, and says what mends them. It lists what is open.",
         schema({{"ptx", text_of_at_most(longest_ptx, "the text of the PTX file")},
                 {"entry", word_type("the kernel, where there are several")},
                 {"grid", word_type("\"2\" or \"2,1,1\": as small as shows what is asked")},
                 {"block", word_type("\"64\" or \"32,2,1\"")},
                 {"cluster", word_type("\"2,1,1\"")},
                 {"shared",
                  {{"type", "integer"},
                   {"minimum", 0},
                   {"maximum", kernel::most_shared_bytes},
                   {"description", "bytes of dynamic shared memory: the third number of <<<...>>>"}}},
                 {"arguments",
                  list_of(word_type("NAME=value: \"in=s32[256]:iota\", \"out=s32[2]\", \"n=256\""), "in the order of the parameters")},
                 {"reading", reading_argument}},
                {"ptx", "grid", "block"}),
         claim_schema(), &AgentTools::judge_kernel},
        {"instruction", "Is this PTX, and what does it do?",
         "Looks up a dotted name, such as `ld.acquire.gpu.global.u32`: its section of the ISA, its box, its events, or why it is no PTX. "
         "Of a name "
         "or a line of CUDA, such as `__syncthreads` or `flag.load(cuda::memory_order_acquire)`, what it is in PTX.",
         schema({{"name", text_of_at_most(256, "the instruction without its operands, or CUDA")}}, {"name"}),
         schema({{"known", {{"type", "boolean"}}}, {"text", text_type("Markdown; what is wrong with the name where it is not known")}},
                {"known", "text"}),
         &AgentTools::instruction},
    };
    return table;
}

Json AgentTools::list() {
    Json list = Json::array();
    for (const Tool& tool : tools())
        list.push_back({{"name", tool.name},
                        {"title", tool.title},
                        {"description", tool.description},
                        {"inputSchema", tool.input},
                        {"outputSchema", tool.output}});
    return list;
}

const AgentTools::Tool* AgentTools::find(const std::string& name) {
    const auto tool = std::find_if(tools().begin(), tools().end(), [&](const Tool& one) { return one.name == name; });
    return tool == tools().end() ? nullptr : &*tool;
}

Json AgentTools::call(const std::string& name, const Json& arguments) {
    const Tool* tool = find(name);
    if (!tool) throw std::invalid_argument("there is no tool `" + name + "`");
    require_fit(arguments, tool->input);
    Json answer = (this->*tool->answer)(arguments);
    make_sayable(answer);
    return answer;
}

Json AgentTools::check(const Json& arguments) {
    const Test test = only_test(string_in(arguments, "test", ""));
    const std::string reading = string_in(arguments, "reading", "");
    Solver solver(Solver::usually, Engine::cdcl);
    const Result result = check_test(test_file, test, family_, {.reading = reading, .budget = Budget::of_work(seconds_)}, solver).result;
    WhatIsMissing missing;
    if (result.judgement.verdict != Verdict::ok && result.judgement.verdict != Verdict::unknown) {
        const Repairs repairs = litmus::repair(test, family_, family_.readings(reading), solver,
                                               {.most_effort = 150'000, .budget = Budget::of_work(seconds_ / 2)});
        missing = what_is_missing(test, repairs);
    }
    return verdict_json(result, missing);
}

Json AgentTools::explain(const Json& arguments) {
    Test test = only_test(string_in(arguments, "test", ""));
    const std::string outcome = string_in(arguments, "outcome", "");
    const Model& model = family_.under(family_.readings(string_in(arguments, "reading", "")));
    const Budget budget = Budget::of_work(seconds_);
    if (outcome.empty() && test.claim.kind == Claim::Kind::none)
        throw Failure(nullptr, {}, "the test claims no condition", "name an outcome");
    const bool negated = outcome.empty() && test.claim.kind == Claim::Kind::forall;
    const Condition wanted = outcome.empty() ? in_question(test.claim) : parse_outcome(test, outcome);
    test.claim.kind = Claim::Kind::exists;
    test.claim.condition = wanted;
    Solver solver(Solver::usually, Engine::cdcl);
    Program program = build_program(test, {.budget = budget});
    SolveOptions options;
    options.want_hazards = false;
    const Answer answer = solver.solve(program, model, options);
    if (answer.satisfiable == Answer::Truth::unknown) throw OverBudget(OverBudget::What::time);
    Json object = {{"possible", answer.satisfiable == Answer::Truth::yes}};
    std::string because;
    if (answer.satisfiable == Answer::Truth::yes) {
        size_t number = 1;
        while (number < answer.outcomes.size() && !answer.outcomes[number - 1].satisfies) ++number;
        if (const auto drawing = exhibit(program, model, answer, number)) because = execution_text(*drawing);
    } else {
        Explanation explanation;
        explanation.file = test_file;
        explanation.test = test.name;
        explanation.model = model.name;
        explanation.question = outcome;
        const Forbidden forbidden = why_none(test, wanted, model, {.budget = budget, .most_cases = 1, .most_ways = most_repairs}, solver);
        add_forbidden(explanation, forbidden, model);
        because = explanation_text(explanation);
    }
    object["because"] = negated ? "Of what would break `forall`:\n" + because : because;
    return object;
}

Json AgentTools::repair(const Json& arguments) {
    const Test test = only_test(string_in(arguments, "test", ""));
    Solver solver(Solver::usually, Engine::cdcl);
    const Repairs repairs =
        litmus::repair(test, family_, family_.readings(string_in(arguments, "reading", "")), solver, {.budget = Budget::of_work(seconds_)});
    const char* status = repairs.status == Repairs::Status::nothing_to_repair ? "nothing_to_repair"
                         : !repairs.repairs.empty()                           ? "repaired"
                         : repairs.status == Repairs::Status::partial         ? "undecided"
                                                                              : "none_found";
    Json object = {{"status", status}, {"repairs", Json::array()}};
    const RepairReport report = make_report(test_file, test, repairs);
    for (size_t i = 0; i < report.repairs.size() && i < most_repairs; ++i) {
        const RepairReport::Entry& entry = report.repairs[i];
        Json one = {{"what", Json::array()}, {"holds_under_weakest", Json()}, {"patch", entry.patch}};
        for (const Missing& missing : entry.missing) one["what"].push_back(said(missing));
        if (entry.under_weakest) one["holds_under_weakest"] = *entry.under_weakest;
        object["repairs"].push_back(std::move(one));
    }
    return object;
}

Json AgentTools::judge_kernel(const Json& arguments) {
    kernel::LaunchTexts texts;
    texts.entry = string_in(arguments, "entry", "");
    texts.grid = string_in(arguments, "grid", "");
    texts.block = string_in(arguments, "block", "");
    texts.cluster = string_in(arguments, "cluster", "");
    texts.shared_bytes = arguments.value("shared", uint32_t{0});
    texts.arguments = arguments.value("arguments", std::vector<std::string>{});
    JudgeQuestion question;
    question.check.reading = string_in(arguments, "reading", "");
    question.file = "kernel.litmus";
    question.budget = Budget::of_work(seconds_);
    (void)family_.readings(question.check.reading);  // a wrong name is an error where the model is not asked, too
    Solver solver(Solver::usually, Engine::cdcl);
    const kernel::ReadBytes no_files = [](const std::string& path) -> std::string {
        throw Failure(nullptr, {}, "there is no file `" + path + "`", "arguments name none here");
    };
    try {
        const auto module = std::make_shared<const kernel::Module>(
            kernel::read_module(make_source(kernel_file, string_in(arguments, "ptx", "")), question.budget));
        const auto launch = std::make_shared<const kernel::Launch>(kernel::launch_of(*module, texts, no_files, question.budget));
        const std::vector<KernelLaunch> launches{{module, launch, kernel_file, ""}};
        return judgement_said(launches, judge_launches(launches, question, family_, solver));
    } catch (const Failure& failure) {
        throw in_arguments(failure);
    }
}

Json AgentTools::instruction(const Json& arguments) {
    const std::string name = string_in(arguments, "name", "");
    const auto found = resolve(name);
    if (const auto* spelling = std::get_if<Spelling>(&found)) return {{"known", true}, {"text", form_text(*spelling->form)}};
    const Refusal& refusal = std::get<Refusal>(found);
    if (const std::string hint = cuda_hint(name); !hint.empty()) return {{"known", false}, {"text", hint}};
    return {{"known", false}, {"text", refusal.message + (refusal.hint.empty() ? "" : "\nhint: " + refusal.hint)}};
}

}  // namespace litmus
