// A finding stands under each line that it is about, with the access that is made there.
#include "view/page/kernel_page.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "analysis/verdict/text.h"
#include "base/visible.h"
#include "view/page/assets.h"
#include "view/page/html.h"
#include "view/page/pieces.h"
#include "view/picture/style.h"

namespace litmus {

namespace {

std::string name_of_file(const std::string& path) {
    return std::filesystem::path(path).filename().string();
}

class KernelWriter {
public:
    explicit KernelWriter(const KernelPage& page) : page_(page) {
        for (const Result::Harm& harm : page.result.hazards) add(harm.title, harm.accesses);
        for (const Result::RacingPair& race : page.result.races) add("race on " + race.location, {race.first, race.second});
    }

    std::string run() {
        const Result& r = page_.result;
        html_.markup("<!DOCTYPE html>\n");
        html_.open("html", {{"lang", "en"}}).line_end().open("head");
        html_.leaf("meta", {{"charset", "utf-8"}});
        html_.leaf("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", "default-src 'none'; style-src 'unsafe-inline'"}});
        html_.leaf("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
        html_.element("title", r.test + " - litmus");
        html_.open("style").markup(std::string(asset("style.css")) + picture::picture_style()).close().close().line_end();
        html_.open("body", {{"class", "test kernel"}}).line_end().open("main", {{"id", "main"}}).line_end();
        put_head();
        put_findings();
        put_figure_of_it();
        put_missing();
        for (const KernelPage::Source& source : page_.sources) put_lines(source);
        html_.close().line_end();
        html_.open("footer").element("p", "Made by " + page_.made + ". Section numbers are those of PTX ISA 9.1.").close().line_end();
        html_.close().line_end().close().line_end();
        return html_.take();
    }

private:
    using Line = std::pair<std::string, int>;  // of a file, by its name without folders

    Line line_of(const Result::Access& access) const {
        if (access.origin) return {name_of_file(access.origin.file), access.origin.line};
        return {name_of_file(page_.result.file), static_cast<int>(access.begin.line)};
    }

    void add(const std::string& title, const std::vector<Result::Access>& accesses) {
        for (const Result::Access& access : accesses) {
            std::vector<std::string>& said = at_[line_of(access)];
            const std::string text = title + ": " + access.text;
            if (std::find(said.begin(), said.end(), text) == said.end()) said.push_back(text);
        }
    }

    void put_head() {
        const Result& r = page_.result;
        html_.element("h1", visible(r.test)).line_end();
        const std::string verdict(name(r.judgement.verdict));
        html_.open("p", {{"class", "verdict " + verdict}}).element("span", {{"class", "label"}}, "Verdict").text(" ");
        html_.element("strong", verdict_line(r)).close().line_end();
        for (const std::string& line : r.reservations) html_.element("p", {{"class", "alarm"}}, visible(line)).line_end();
        for (const Diagnostic& error : r.errors) html_.element("pre", render(error, false)).line_end();
        if (r.judged.empty()) return;
        html_.open("details").element("summary", "What was judged").open("ul");
        for (const std::string& line : r.judged) html_.element("li", visible(line));
        html_.close().close().line_end();
    }

    void put_findings() {
        const Result& r = page_.result;
        if (r.hazards.empty() && r.races.empty()) return;
        html_.open("section", {{"class", "hazards"}, {"aria-labelledby", "found"}}).element("h2", {{"id", "found"}}, "What can go wrong");
        for (const Result::Harm& harm : r.hazards) put_finding(harm.title, harm.lines);
        for (const Result::RacingPair& race : r.races) put_finding("race on " + race.location, {race.first.text, race.second.text});
        html_.close().line_end();
    }

    void put_finding(const std::string& title, const std::vector<std::string>& lines) {
        html_.element("h3", visible(title)).open("ul");
        for (const std::string& line : lines) html_.element("li", visible(line));
        html_.close().line_end();
    }

    void put_figure_of_it() {
        if (!page_.figure) return;
        html_.open("section", {{"aria-labelledby", "when"}}).element("h2", {{"id", "when"}}, "When it happens").line_end();
        put_figure(html_, *page_.figure);
        html_.close().line_end();
    }

    void put_missing() {
        if (page_.missing.empty()) return;
        html_.open("section", {{"class", "missing"}, {"aria-labelledby", "missing"}})
            .element("h2", {{"id", "missing"}}, "What would mend it")
            .open("ul");
        std::istringstream lines(page_.missing);
        for (std::string line; std::getline(lines, line);) html_.element("li", visible(line));
        html_.close().close().line_end();
    }

    void put_lines(const KernelPage::Source& source) {
        const std::string file = name_of_file(source.file);
        html_.open("section", {{"class", "source"}, {"aria-label", visible(file)}}).element("h2", visible(file));
        html_.open("pre", {{"tabindex", "0"}, {"aria-label", "The text of " + visible(file)}}).open("code");
        int number = 0;
        for (const std::string& line : source.lines) {
            const auto found = at_.find({file, ++number});
            const std::string digits = std::to_string(number);
            html_.open("span", {{"class", found == at_.end() ? "line" : "line lit"}, {"data-line", digits}, {"id", "L" + digits}});
            html_.text(line + "\n").close();
            if (found == at_.end()) continue;
            for (const std::string& text : found->second) html_.element("span", {{"class", "finding"}}, visible(text));
        }
        html_.close().close().close().line_end();
    }

    const KernelPage& page_;
    std::map<Line, std::vector<std::string>> at_;  // what stands below a line
    Html html_;
};

}  // namespace

std::string kernel_page(const KernelPage& page) {
    return KernelWriter(page).run();
}

}  // namespace litmus
