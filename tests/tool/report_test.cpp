// `litmus report` from outside: the files that it writes, what it refuses, its exit status. What the pages look like and do is
// tests/page's.
#include "tool/shell.h"

namespace {

constexpr const char* copy_mp = "cp '" LITMUS_SOURCE_DIR "/litmus/classic/mp/mp-relaxed.litmus' . && ";

}  // namespace

TEST_CASE("report: a page for each test, the index, the readings, and what they need") {
    const TemporaryFolder folder;
    const Run run = shell(folder, copy_mp + std::string("litmus report mp-relaxed.litmus -o site && find site -type f | LC_ALL=C sort"));
    CHECK(run.status == 0);
    CHECK(run.err.empty());
    CHECK(run.out ==
          "1 test: site/index.html\nsite/.litmus-report\nsite/index.html\nsite/page.js\nsite/readings.html\nsite/style.css\n"
          "site/tests/mp-relaxed.html\n");
    const std::string page = folder.read("site/tests/mp-relaxed.html");
    CHECK(has(page, "data-standing=\"allowed\""));
    CHECK(has(page, "data-picture=\"0\""));
    CHECK(has(page, "<script type=\"text/plain\" id=\"pictures\">"));
    CHECK(has(folder.read("site/style.css"), ".litmus-picture .box{"));
}

TEST_CASE("report --lab: each page leads to the laboratory; a litmus without it says so and writes nothing") {
    const TemporaryFolder folder;
    const Run run = shell(folder, copy_mp + std::string("litmus report mp-relaxed.litmus --lab -o site"));
    if (run.status != 0) {
        CHECK(run.status == 2);
        CHECK(has(run.err, "error: this litmus was built without the laboratory\n    hint: it takes emscripten"));
        CHECK(shell(folder, "ls").out == "mp-relaxed.litmus\n");
        return;
    }
    CHECK(has(folder.read("site/tests/mp-relaxed.html"), "href=\"../laboratory.html#source=dGVzdC"));  // "test" in base64
    CHECK(has(folder.read("site/index.html"), "href=\"laboratory.html\""));
    CHECK(has(folder.read("site/laboratory.html"), "<title>The laboratory"));
}

TEST_CASE("report: a file that does not parse has a page with its error, and costs the others nothing") {
    const TemporaryFolder folder;
    folder.write("tests/bad.litmus", "test \"bad\"\nthread P0 @ cta0 {\n  ld.nonsense r0, [x];\n}\n");
    const Run run = shell(folder, copy_mp + std::string("mv mp-relaxed.litmus tests && litmus report tests -o site"));
    CHECK(run.status == 2);
    CHECK(has(run.err, "tests/bad.litmus:3:"));
    CHECK(has(folder.read("site/tests/bad.html"), "Not checked"));
    CHECK(has(folder.read("site/tests/bad.html"), "bad.litmus:3:"));
    CHECK(has(folder.read("site/index.html"), "data-v=\"error\""));
    CHECK(has(folder.read("site/index.html"), "tests/mp-relaxed.html"));
}

TEST_CASE("report: every page says what it loads: its style and its script") {
    const TemporaryFolder folder;
    REQUIRE(shell(folder, copy_mp + std::string("litmus report mp-relaxed.litmus -o site")).status == 0);
    for (const char* page : {"site/index.html", "site/readings.html", "site/tests/mp-relaxed.html"}) {
        const std::string text = folder.read(page);
        const size_t policy = text.find("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self';");
        INFO(page << "\n" << text.substr(0, 500));
        CHECK(policy < text.find("<link"));  // it holds for what follows
        CHECK_FALSE(has(text, "<script>"));
        CHECK_FALSE(has(text, " onclick="));
    }
}

// Two tests that war-mbarrier changes, of which the first is smaller, and a repair of it that no reading changes.
TEST_CASE("report: the page of readings has the smallest test that a reading changes, and a repair that is right either way") {
    const TemporaryFolder folder;
    const std::string library = "'" LITMUS_SOURCE_DIR "/litmus/";
    const std::string tests = library + "lessons/12-slots.litmus' " + library + "lessons/12-slots-broken.litmus' " + library +
                              "lessons/12-slots-fenced.litmus' " + library + "lessons/12-slots-used.litmus'";
    REQUIRE(shell(folder, "cp " + tests + " . && litmus report *.litmus -o site").status == 0);
    const std::string page = folder.read("site/readings.html");
    const auto section = [&](const std::string& reading) {
        const size_t begin = page.find("id=\"" + reading + "\"");
        return page.substr(begin, page.find("</section>", begin) - begin);
    };
    const std::string war = section("war-mbarrier");
    const size_t smallest = war.find("<h3>The smallest test"), safe = war.find("<h3>Right either way");
    CHECK(war.find("The text of lesson-12-slots\"") > smallest);
    CHECK(war.find("Without the reading it can end with <code>P0:r0=2") > smallest);
    CHECK(war.find("The text of lesson-12-slots-fenced\"") > safe);
    CHECK(has(section("multimem-whole"), "No test of this report tells it."));
}

TEST_CASE("report: what the program does comes before what the test claims") {
    const TemporaryFolder folder;
    REQUIRE(shell(folder, copy_mp + std::string("litmus report mp-relaxed.litmus -o site")).status == 0);
    const std::string page = folder.read("site/tests/mp-relaxed.html");
    const size_t program =
        page.find("<p class=\"program can-happen\" data-hide=\"guess\">The program <strong>can end with P1:r0 == 1 /\\ P1:r1 == 0");
    const size_t verdict =
        page.find("<span class=\"label\">The test claims so</span>: <code>exists (P1:r0 == 1 /\\ P1:r1 == 0); racefree</code>. ");
    CHECK(program != std::string::npos);
    CHECK_MESSAGE(verdict != std::string::npos, page.substr(program, 600));
    CHECK(program < verdict);
    CHECK(has(folder.read("site/index.html"), "data-p=\"can-happen\""));
}

TEST_CASE("report: no page says where on this machine the tests are") {
    const TemporaryFolder folder;
    folder.write("lib/broken.litmus", "test \"broken\"\nthread P0 @ cta0 {\n  ld.nonsense r0, [x];\n}\n");
    std::string stores;
    for (int i = 1; i <= 12; ++i) stores += "  st.relaxed.gpu.global.u32 [x], " + std::to_string(i) + ";\n";
    folder.write("lib/many.litmus", "test \"many\"\n.global .u32 x = 0;\nthread P0 @ cta0 {\n" + stores +
                                        "}\nthread P1 @ cta1 {\n  ld.relaxed.gpu.global.u32 r0, [x];\n}\nexists (P1:r0 == 5)\n");
    const std::string all = "cp '" LITMUS_SOURCE_DIR "/litmus/classic/mp/mp-relaxed.litmus' lib && litmus report \"$PWD/lib\" -o site";
    const Run run = shell(folder, all);
    CHECK(run.status == 2);
    CHECK(has(run.err, folder.at("lib/broken.litmus").string() + ":3:"));  // who runs it is told where
    CHECK(shell(folder, "grep -rl \"$PWD\" site").out.empty());
    CHECK(has(folder.read("site/tests/broken.html"), "lib/broken.litmus:3:"));
    CHECK(has(folder.read("site/tests/many.html"), "<code>litmus show lib/many.litmus --outcome 13 --svg</code>"));
    CHECK(has(folder.read("site/tests/mp-relaxed.html"), "<p class=\"file\">lib/mp-relaxed.litmus</p>"));
}

TEST_CASE("report: what a test says becomes no markup") {
    const TemporaryFolder folder;
    folder.write("x.litmus",
                 "test \"<script>alert(1)</script>\"\ndoc \"<b>&\"\n.global .u32 x = 0;\nthread P0 @ cta0 {\n}\nforall (x == 0)\n");
    CHECK(shell(folder, "litmus report x.litmus -o site").status == 0);
    for (const char* file : {"site/index.html", "site/tests/x.html"}) {
        CHECK(!has(folder.read(file), "<script>alert"));
        CHECK(!has(folder.read(file), "<b>&"));
        CHECK(has(folder.read(file), "&lt;script&gt;"));
    }
}

TEST_CASE("report: a claim that fails, and one that is not decided, are the exit status") {
    const TemporaryFolder folder;
    folder.write("no.litmus", "test \"no\"\n.global .u32 x = 0;\nthread P0 @ cta0 {\n  st.weak.global.u32 [x], 1;\n}\nexists (x == 0)\n");
    CHECK(shell(folder, "litmus report no.litmus -o site").status == 1);
    CHECK(has(folder.read("site/tests/no.html"), "class=\"verdict no\""));
    const Run late = shell(folder, copy_mp + std::string("litmus report mp-relaxed.litmus -o site --timeout 1e-9"));
    CHECK(late.status == 3);
    CHECK(has(folder.read("site/tests/mp-relaxed.html"), "class=\"verdict unknown\""));
}

TEST_CASE("report: an outcome for whose picture there is no room names the command that draws it") {
    const TemporaryFolder folder;
    std::string stores;
    for (int i = 1; i <= 12; ++i) stores += "  st.relaxed.gpu.global.u32 [x], " + std::to_string(i) + ";\n";
    folder.write("many.litmus", "test \"many\"\n.global .u32 x = 0;\nthread P0 @ cta0 {\n" + stores +
                                    "}\nthread P1 @ cta1 {\n  ld.relaxed.gpu.global.u32 r0, [x];\n}\nexists (P1:r0 == 5)\n");
    CHECK(shell(folder, "litmus report many.litmus -o site").status == 0);
    const std::string page = folder.read("site/tests/many.html");
    CHECK(has(page, "A picture of it: <code>litmus show many.litmus --outcome 13 --svg</code>"));
    CHECK(!has(page, "--outcome 12 --svg"));
    CHECK(has(shell(folder, "litmus show many.litmus --outcome 13 --svg").out, "<svg "));
}

TEST_CASE("report: a folder with files of others is refused; the pages of one of its own are replaced") {
    const TemporaryFolder folder;
    folder.write("mine/notes.txt", "kept");
    const Run refused = shell(folder, copy_mp + std::string("litmus report mp-relaxed.litmus -o mine; echo $?; ls -A mine"));
    CHECK(refused.out == "2\nnotes.txt\n");
    CHECK(has(refused.err, "'mine' holds files that `litmus report` did not write"));
    const Run twice = shell(folder,
                            "cp mp-relaxed.litmus old.litmus; litmus report mp-relaxed.litmus old.litmus -o site && ls site/tests && "
                            "litmus report mp-relaxed.litmus -o site && echo again && ls -A site/tests && ls -A");
    CHECK(twice.status == 0);
    const size_t again = twice.out.find("again\n");
    CHECK(twice.out.find("old.html\n") < again);
    CHECK(twice.out.find("old.html\n", again) == std::string::npos);
    CHECK(has(twice.out.substr(again), "mp-relaxed.html\n"));
    CHECK(!has(twice.out, "site."));
    // a page that somebody has changed since, a file that somebody put there, a folder, a link: nothing is deleted
    for (const std::string change :
         {"echo mine >> site/index.html", "echo mine > site/tests/notes.txt", "mkdir site/empty", "ln -s ../mine site/link"}) {
        INFO(change);
        const Run kept =
            shell(folder, "rm -rf site; litmus report mp-relaxed.litmus -o site >/dev/null; " + change +
                              "; before=$(find site -printf '%p %s %l\\n' | sort); litmus report mp-relaxed.litmus -o site; echo $?; "
                              "[ \"$before\" = \"$(find site -printf '%p %s %l\\n' | sort)\" ] && echo kept; cat mine/notes.txt");
        CHECK(kept.out == "2\nkept\nkept");
        CHECK(has(kept.err, "holds files that `litmus report` did not write, such as '"));
    }
    // nor does a list do that somebody else wrote: an empty one, one of other digests, one that leads out of the folder
    const std::string title = "This folder was written by `litmus report`, which replaces these files:\n";
    for (const std::string& list :
         {std::string(), title, title + std::string(64, '0') + "  notes.txt\n", title + std::string(64, '0') + "  ../mine/notes.txt\n",
          title + std::string(64, '0') + "  /etc/passwd\n"}) {
        INFO(list);
        folder.write("mine/.litmus-report", list);
        CHECK(shell(folder, "litmus report mp-relaxed.litmus -o mine").status == 2);
        CHECK(folder.read("mine/notes.txt") == "kept");
    }
    shell(folder, "rm -rf site; litmus report mp-relaxed.litmus -o site");
    CHECK(shell(folder, "litmus report mp-relaxed.litmus -o mp-relaxed.litmus").status == 2);
    const Run inside =
        shell(folder, "mkdir site/mine; cp mp-relaxed.litmus site/mine; litmus report site/mine -o site; echo $?; ls site/mine");
    CHECK(inside.out == "2\nmp-relaxed.litmus\n");
    CHECK(has(inside.err, "'site' holds files that `litmus report` did not write, such as 'mine'"));
    CHECK(shell(folder, "mkdir -p theirs/.litmus-report; litmus report mp-relaxed.litmus -o theirs").status == 2);
}

TEST_CASE("report: long lines, and folders with names of pages") {
    const TemporaryFolder folder;
    const std::string test = "test \"t\"\n.global .u32 x = 0;\nthread P0 @ cta0 {\n}\nforall (x == 0)\n";
    folder.write("t/a.litmus", test + "// " + std::string(100000, 'n') + "\n");
    folder.write("t/a.html/b.litmus", test + "/* " + std::string(100000, '9') + "\n*/ // " + std::string(100000, 'x') + "\n");
    const Run run = shell(folder, "litmus report t -o site && ls site/tests site/tests/*");
    CHECK(run.status == 0);
    CHECK(has(run.out, "a.html"));
    CHECK(has(run.out, "b.html"));
}

TEST_CASE("report: observations that cannot be read are said, and cost nothing else") {
    const TemporaryFolder folder;
    folder.write("observed.json", "{");
    const Run run = shell(folder, copy_mp + std::string("litmus report mp-relaxed.litmus --observed observed.json -o site"));
    CHECK(run.status == 2);
    CHECK(has(run.err, "observed.json"));
    CHECK(has(folder.read("site/index.html"), "mp-relaxed"));
    CHECK(shell(folder, "litmus report mp-relaxed.litmus").status == 2);  // no -o
}

TEST_CASE("report: questions beside the tests lead to them") {
    const TemporaryFolder folder;
    folder.write("questions.md",
                 "| question | tests | |\n|---|---|---|\n| *Flags* | | |\n| Is `f` enough? | `mp-relaxed`, `gone` | no |\n");
    CHECK(shell(folder, copy_mp + std::string("litmus report mp-relaxed.litmus -o site")).status == 0);
    CHECK(has(folder.read("site/index.html"), "Is <code>f</code> enough?"));
    CHECK(has(folder.read("site/tests/mp-relaxed.html"), "index.html#q0"));
    folder.write("questions.md", "| question | tests | |\n|---|---|---|\n| Why? | | |\n");
    const Run wrong = shell(folder, "litmus report mp-relaxed.litmus -o site");
    CHECK(wrong.status == 2);
    CHECK(has(wrong.err, "questions.md:3:1: error: the question names no test"));
}
