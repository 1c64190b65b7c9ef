// The slice with a head, and the verdict of a kernel where it is another one than that of a test.
#include "analysis/kernel/threads_test.h"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "analysis/verdict/hazards.h"
#include "base/visible.h"
#include "language/syntax/read.h"
#include "sweep/slice.h"

namespace litmus {

namespace {

std::vector<std::vector<size_t>> places_of(const sweep::Slice& slice) {
    std::vector<std::vector<size_t>> places;
    for (const auto& thread : slice.statements) {
        auto& here = places.emplace_back();
        for (const kernel::Statement* const statement : thread) here.push_back(statement->span.begin);
    }
    return places;
}

// The line of the source that `.loc FILE LINE COLUMN` names, without the blanks at its ends; empty: it is not known.
std::string quoted_line(const std::string& loc, const SourceLines& sources) {
    constexpr std::string_view blanks = " \t\r";
    std::istringstream words(loc);
    std::string directive;
    int number = 0;
    size_t line = 0;
    words >> directive >> number >> line;
    const auto file = sources.find(number);
    if (file == sources.end() || line == 0 || line > file->second.size()) return {};
    const std::string& text = file->second[line - 1];
    const size_t begin = text.find_first_not_of(blanks);
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

// The test with the CUDA line behind each `.loc`.
std::string annotated(const std::string& test, const SourceLines& sources) {
    constexpr std::string_view loc = "  .loc ";
    constexpr size_t column = 16;
    std::istringstream printed(test);
    std::string text;
    for (std::string line; std::getline(printed, line);) {
        if (line.rfind(loc, 0) == 0)
            if (const std::string cuda = quoted_line(line, sources); !cuda.empty())
                line += std::string(std::max(column, line.size() + 1) - line.size(), ' ') + "// " + visible(cuda);
        text += line + "\n";
    }
    return text;
}

std::string dimensions_text(const kernel::Dimensions& d) {
    std::string text = std::to_string(d[0]);
    for (size_t i = 1; i < d.size(); ++i)
        if (d[1] * d[2] > 1 && (i == 1 || d[2] > 1)) text += "," + std::to_string(d[i]);
    return text;
}

// "ring of kernel.ptx, grid 1, block 64, arguments ...".
std::string launch_text(const KernelLaunch& one) {
    const kernel::Launch& launch = *one.launch;
    const std::string file = one.module->source ? one.module->source->name : "";
    std::string text = launch.entry + (file.empty() ? "" : " of " + file.substr(file.rfind('/') + 1)) + ", grid " +
                       dimensions_text(launch.grid) + ", block " + dimensions_text(launch.block);
    if (dimensions_text(launch.cluster) != "1") text += ", cluster " + dimensions_text(launch.cluster);
    std::string arguments;
    for (const kernel::Value& value : launch.arguments) arguments += (arguments.empty() ? ", arguments " : ", ") + value.text;
    return text + arguments;
}

ThreadsTest with_head(const KernelLaunch& launch, sweep::Slice slice, const SourceLines& sources) {
    ThreadsTest made;
    made.about = {launch_text(launch)};
    if (slice.runs == 1)
        made.about.emplace_back("The threads do what they did in a run of all threads. No order of all has them do anything else.");
    else
        made.about.insert(made.about.end(), {"The threads do what they did in one of " + std::to_string(slice.runs) +
                                                 " runs of all threads, in several orders.",
                                             "A strong read that finds what it found in none of them ends the test (`trap`)."});
    made.about.emplace_back("A verdict is about these threads, these arguments and this PTX.");
    made.about.emplace_back("Places that the same instructions touch are one place here. Counts and bytes are those of these threads.");
    for (const std::string& why : slice.open) made.reservations.push_back("another run may have them do something else: " + why);
    if (!slice.shares) made.reservations.emplace_back("no data is touched by more than one of the threads of the test");
    for (const std::string& line : made.about) made.text += "// " + line + "\n";
    for (const std::string& line : made.reservations) made.text += "// reservation: " + line + "\n";
    made.text += annotated(slice.text, sources);
    made.statements = places_of(slice);
    made.runs = slice.runs;
    made.test = std::move(slice.test);
    return made;
}

std::string why_none(const std::vector<KernelLaunch>& launches) {
    if (launches.size() > 1) return "there are several launches, and such a test is of one";
    if (launches.front().launch->unlaunched > 0) return "some clusters have not started";
    return {};
}

// A test may be the middle of a kernel, of which nothing follows from a bulk operation that may still be under way at its end. A kernel
// ends there: its shared memory is given to another CTA, which the operation reads or writes.
void add_in_flight(Result& result) {
    for (Result::Harm harm : result.flagged) {
        if (harm.flag != in_flight_at_exit) continue;
        harm.kind = Hazard::Kind::undefined;
        harm.title =
            "copy in flight when its CTA exits: a wait for its completion must come before, as it reads or writes the CTA's shared memory "
            "(ISA 9.7.9.25.2)";
        harm.lines.clear();
        for (const Result::Access& access : harm.accesses) harm.lines.push_back(access.text);
        result.hazards.push_back(std::move(harm));
        result.judgement.verdict = Verdict::undefined;
        result.judgement.notes.clear();
    }
}

}  // namespace

ThreadsTest test_of_threads(const std::vector<KernelLaunch>& launches, const ThreadNumbers& threads, const Budget& budget,
                            const SourceLines& sources) {
    ThreadsTest none;
    none.why = why_none(launches);
    if (!none.why.empty()) return none;
    const KernelLaunch& one = launches.front();
    sweep::Options how;
    how.budget = budget;
    how.gpus = one.launch->gpus;
    sweep::Slice slice = sweep::slice_of(*one.module, *one.launch, how, threads);
    if (!slice.text.empty()) return with_head(one, std::move(slice), sources);
    none.why = std::move(slice.why);
    return none;
}

Test unclaimed_test(const ThreadsTest& made, const std::string& file) {
    Test test = parse_tests(make_source(file, made.text)).front();
    test.claims_racefree = false;
    return test;
}

Result threads_verdict(const ThreadsTest& made, const std::string& file, const CheckUnclaimed& check) {
    Result result = check(std::make_shared<const Test>(unclaimed_test(made, file)));
    add_in_flight(result);
    result.judged = made.about;
    result.reservations = made.reservations;
    return result;
}

}  // namespace litmus
