// `litmus fmt`: canonical text of whole files, and conversion between the three formats.
#include <optional>
#include <string>

#include "analysis/verdict/verdict.h"
#include "base/visible.h"
#include "language/syntax/canonical.h"
#include "tool/command.h"
#include "tool/inputs.h"
#include "tool/options.h"
#include "tool/output.h"
#include "tool/rewrite.h"

namespace litmus::fmt_command {

namespace {

constexpr const char* footer = R"(
Without options, prints the canonical form of each test in its own format.

Examples:
  litmus fmt mp.litmus
  litmus fmt --to column mp.litmus
  litmus fmt --check litmus
  litmus fmt -i mp.litmus

Exit status: 0 done; 1 --check found a file that is not canonical; 2 bad input, or a test that the
target format cannot express.
)";

struct Options {
    std::vector<std::string> inputs;
    std::optional<Dialect> to;
    bool check_only = false;
    bool in_place = false;
};

void define(CLI::App& app, Options& options) {
    add_inputs(app, options.inputs);
    add_choice<std::optional<Dialect>, Dialect>(app, "--to", options.to,
                                                {{"native", Dialect::native}, {"column", Dialect::column}, {"braces", Dialect::braces}},
                                                "Convert to this format");
    CLI::Option* const check_only = add_flag(app, "--check", options.check_only, "Print the names of files that are not canonical");
    exclude(add_flag(app, "-i,--in-place", options.in_place, "Rewrite the files"), {check_only});
}

void rewrite(const InputFile& file, const std::string& text, const Options& options) {
    if (file.file == "<stdin>") throw Failure(nullptr, {}, "standard input cannot be rewritten", "leave out -i");
    require_rewritable(file.file);
    require_no_lost_comments(file.source, text, options.to);
    if (text != file.source->text) write_file(file.file, text);
}

int format_file(const InputFile& file, const Options& options, Output& out) {
    if (file.failure) throw Failure(*file.failure);
    const std::string text = canonical(file.source, options.to, options.in_place || options.check_only);
    if (options.in_place) {
        rewrite(file, text, options);
    } else if (options.check_only) {
        if (text == file.source->text) return 0;
        out.put(visible(file.file) + "\n");
        return 1;
    } else {
        out.put(text);
    }
    return 0;
}

int run(const Options& options, Output& out) {
    int status = 0;
    if (options.in_place) require_all_rewritable(options.inputs);
    const FilesRead read = read_inputs(options.inputs);
    complain(read.warnings);
    for (const InputFile& file : read.files) {
        try {
            status = combine_status(status, format_file(file, options, out));
        } catch (const Failure& failure) {
            complain(failure.diagnostics());
            status = combine_status(status, 2);
        }
    }
    return status;
}

}  // namespace

Command command() {
    return make_command("fmt", "Print tests canonically, or convert them between formats", footer, define, run);
}

}  // namespace litmus::fmt_command
