// The executable against input that means harm: tests that never end, links that lead elsewhere, names that act.
//
// Strangers' tests are run by people's CI. What such a run may cost is --timeout and --memory; what it may read is what was
// named; what it prints must not be a terminal's, a reader's or a runner's instruction.
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "tool/shell.h"
#include "turn.h"

namespace {

using litmus::Turn;

std::string repeated(size_t times, const std::string& text) {
    std::string result;
    for (size_t i = 0; i < times; ++i) result += text;
    return result;
}

// A test with one location; `threads` threads of this body, each in a CTA of its own or all in one.
std::string test_of(int threads, bool one_cta, const std::string& body, const std::string& claim = "exists (x == 1)") {
    std::string text = "test \"costly\"\n.global .u32 x = 1;\n";
    for (int t = 0; t < threads; ++t)
        text += "thread P" + std::to_string(t) + " @ cta" + std::to_string(one_cta ? 0 : t) + " {\n" + body + "}\n";
    return text + claim + "\n";
}

std::string loops_in_loops(int depth, const std::string& body) {
    std::string text = " ld.relaxed.gpu.u32 r9, [x];\n";
    for (int i = 0; i < depth; ++i) text += "L" + std::to_string(i) + ":\n";
    text += body;
    for (int i = depth - 1; i >= 0; --i) text += " @p bra L" + std::to_string(i) + ";\n";
    return text;
}

const char* const good = "test \"good\"\n.global .u32 x = 0;\nthread P0 @ cta0 { st.weak.global.u32 [x], 1; }\nexists (x == 1)\n";
const char* const failing = "test \"failing\"\n.global .u32 x = 0;\nthread P0 @ cta0 { st.weak.global.u32 [x], 1; }\n~exists (x == 1)\n";
const char* const secret = "PASSWORD=hunter2\n";

}  // namespace

// ---- time and memory -------------------------------------------------------------------------------

TEST_CASE("a test takes no more than twice its time, and running out of it is unknown") {
    const TemporaryFolder folder;
    const std::string product = " ld.relaxed.gpu.u32 r0, [x];\n atom.add.relaxed.gpu.u32 r1, [x], r0;\n" +
                                repeated(30, " mul.lo.u32 r1, r1, r1;\n") + " st.relaxed.gpu.u32 [x], r1;\n";
    folder.write("products.litmus", test_of(2, false, product, "exists (P1:r1 == 77)"));
    folder.write("barriers.litmus", test_of(30, true, repeated(24, " bar.sync 0;\n")));
    folder.write("fences.litmus", test_of(100, false, repeated(10, " fence.sc.gpu;\n")));
    folder.write("writes.litmus", test_of(100, false, repeated(10, " st.relaxed.gpu.u32 [x], 2;\n")));
    folder.write("copies.litmus", test_of(1, false, repeated(490, " ld.relaxed.gpu.u32 r0, [x];\n st.relaxed.gpu.u32 [x], r0;\n")));
    folder.write("loops.litmus", test_of(2, false, loops_in_loops(13, " add.u32 r0, r0, r9;\n setp.ne.u32 p, r0, 5;\n")));
    const Turn turn;
    size_t number = 0;
    for (const std::string name : {"products", "barriers", "fences", "writes", "copies", "loops"}) {
        if (!turn.has(number++)) continue;
        const Run run = shell(folder, "litmus check --timeout 1.5 " + name + ".litmus");
        INFO(name << ": status " << run.status << ", " << run.seconds << " s\n" << run.err);
        CHECK((run.status == 3 || run.status == 1 || run.status == 0));
        CHECK(run.seconds < 3);
        if (run.status == 3) CHECK(has(run.out, "not decided within the time limit"));
    }
    CHECK(shell(folder, "litmus show --timeout 1 writes.litmus").status == 3);
}

TEST_CASE("what was made in time is cleared up in time") {
    const TemporaryFolder folder;
    std::string conditions = "exists (x == 7";
    for (int i = 0; i < 10000; ++i) conditions += " /\\ (P0:r0 == " + std::to_string(i) + " \\/ x == 1)";
    folder.write("fences.litmus", test_of(1, false, repeated(1000, " fence.sc.gpu;\n")));
    folder.write("pairs.litmus", test_of(2, false, repeated(250, " st.relaxed.gpu.u32 [x], 1;\n ld.relaxed.gpu.u32 r0, [x];\n")));
    folder.write("atomics.litmus", test_of(5, false, repeated(100, " atom.add.relaxed.gpu.u32 r0, [x], 1;\n")));
    folder.write("rounds.litmus", test_of(4, true, repeated(250, " bar.sync 0;\n")));
    folder.write("threads.litmus", test_of(200, false, repeated(3, " fence.sc.gpu;\n")));
    folder.write("claim.litmus", test_of(3, false, repeated(2, " atom.add.relaxed.gpu.u32 r0, [x], 1;\n"), conditions + ")"));
    const Turn turn;
    size_t number = 0;
    for (const std::string name : {"fences", "pairs", "atomics", "rounds", "threads", "claim"}) {
        if (!turn.has(number++)) continue;
        const Run run = shell(folder, "litmus check --timeout 2 " + name + ".litmus");
        INFO(name << ": status " << run.status << ", " << run.seconds << " s\n" << run.err);
        CHECK((run.status == 3 || name == "claim"));  // that one may be decided in time
        CHECK(run.seconds < 3);
    }
}

TEST_CASE("show says what ran out") {
    const TemporaryFolder folder;
    folder.write("a.litmus", test_of(100, false, repeated(10, " st.relaxed.gpu.u32 [x], 2;\n")));
    const Run time = shell(folder, "litmus show --timeout 1 a.litmus");
    CHECK(time.status == 3);
    CHECK(has(time.err, "not decided within the time limit"));
    const Run memory = shell(folder, "litmus show --memory 100 a.litmus");
    CHECK(memory.status == 3);
    CHECK(has(memory.err, "not decided within the memory limit"));
    // sums in more orders than are listed
    std::string sums = "test \"sums\"\n.global .f32 x = 0.0;\n";
    for (const int i : {0, 1, 2, 3, 4, 5, 6, 7, 8}) {
        const std::string n = std::to_string(i), addend = std::to_string(1 + std::ldexp(1.0 / 3, 3 * i));
        sums += "thread P" + n + " @ cta" + n + " { red.relaxed.gpu.global.add.f32 [x], " + addend + "; }\n";
    }
    folder.write("sums.litmus", sums + "exists (x == 0.0)\n");
    const Run gave_up = shell(folder, "litmus show sums.litmus");
    CHECK(gave_up.status == 3);
    CHECK(has(gave_up.err, "the solver gave up: "));
}

TEST_CASE("reading is bounded by size: of a test, of a model, of all files together") {
    const TemporaryFolder folder;
    constexpr size_t mebibyte = size_t{1} << 20;
    const std::string body = " st.relaxed.gpu.u32 [x], 1;\n";
    folder.write("and.litmus", test_of(1, false, body, "exists (" + repeated(mebibyte / 10 - 50, "x == 1 /\\ ") + "x == 1)"));
    folder.write("deep.litmus", test_of(1, false, body, "exists " + repeated(mebibyte / 2 - 500, "(") + "x == 1"));
    folder.write("labels.litmus", test_of(1, false, repeated(mebibyte / 4 - 500, "L:\n") + body));
    folder.write("mistakes.litmus", test_of(1, false, repeated(mebibyte / 12 - 50, "foo [x], 1;\n")));
    const Turn turn;
    size_t number = 0;
    for (const char* name : {"and", "deep", "labels", "mistakes"}) {
        for (const char* command : {"check --timeout 2", "outcomes --timeout 2", "show --timeout 2", "fmt", "emit"}) {
            if (!turn.has(number++)) continue;
            const Run run = shell(folder, std::string("litmus ") + command + " " + name + ".litmus");
            INFO(command << " " << name << ": status " << run.status << ", " << run.seconds << " s");
            CHECK((run.status == 0 || run.status == 2));
            CHECK(run.seconds < 2);
        }
    }
    folder.write("long.litmus", test_of(1, false, repeated(mebibyte / 20, body)));
    CHECK(has(shell(folder, "litmus check long.litmus").err, "larger than 1 MiB"));
    folder.write("long.cat", "\"m\"\n" + repeated(mebibyte, "(**)") + "\nacyclic po\n");
    folder.write("good.litmus", good);
    CHECK(has(shell(folder, "litmus check --model long.cat good.litmus").err, "'long.cat': it is larger than 1 MiB"));
    for (int i = 0; i < 5; ++i) folder.write("many/" + std::to_string(i) + ".litmus", "PTX t\n" + std::string(15 * mebibyte, ' '));
    const Run many = shell(folder, "litmus fmt many");  // what reads them all at once
    CHECK(many.status == 2);
    CHECK(has(many.err, "'many/4.litmus': the files are larger than 64 MiB together"));
    CHECK_FALSE(has(many.err, "'many/3.litmus': the files"));
}

TEST_CASE("a test takes no more than its memory, and the next one is none the worse") {
    const TemporaryFolder folder;
    folder.write("a.litmus", test_of(100, false, repeated(10, " st.relaxed.gpu.u32 [x], 2;\n")));
    folder.write("b.litmus", good);
    const Run run = shell(folder, "litmus check --memory 100 -j 1 a.litmus b.litmus");
    CHECK(run.status == 3);
    CHECK(has(run.out, "not decided within the memory limit"));
    CHECK(has(run.out, "1 ok, 1 unknown"));
    // what the solver takes while it solves counts, too
    const std::string product = " ld.relaxed.gpu.u64 r0, [y];\n" + repeated(60, " mul.lo.u64 r0, r0, r0;\n add.u64 r0, r0, 12345;\n");
    folder.write("c.litmus", "test \"c\"\n.global .u64 y = 3;\nthread P0 @ cta0 { st.relaxed.gpu.u64 [y], 5; }\nthread P1 @ cta0 {\n" +
                                 repeated(1, " atom.add.relaxed.gpu.u64 r0, [y], 1;\n st.relaxed.gpu.u64 [y], r0;\n") + product +
                                 " st.relaxed.gpu.u64 [y], r0;\n}\nexists (P1:r0 == 99)\n");
    CHECK(shell(folder, "litmus check --memory 60 --timeout 30 c.litmus").status != 70);
    CHECK(has(shell(folder, "litmus check --help").out, "--memory MB"));
}

TEST_CASE("memory that is spent at any moment leaves a test unknown, and is no failure of ours") {
    const TemporaryFolder folder;
    const Turn turn(4);
    size_t number = 0;
    // How much a test needs depends on the machine and on how the tool was built: on some the largest of these is enough for
    // all. The smallest is enough for none.
    for (const std::string megabytes : {"12", "15", "16", "17"}) {
        if (!turn.has(number++)) continue;
        const Run run = shell(folder, "litmus check '" LITMUS_SOURCE_DIR "/litmus/readings' '" LITMUS_SOURCE_DIR
                                      "/litmus/async/pipelines' '" LITMUS_SOURCE_DIR "/litmus/async/tensor' --memory " +
                                          megabytes);
        INFO(megabytes << "\n" << run.err);
        CHECK(run.status == (has(run.out, " unknown") ? 3 : 0));
        if (megabytes == "12") CHECK(run.status == 3);
        CHECK_FALSE(has(run.out, " error"));
    }
}

TEST_CASE("the variables of a PTX file have so much memory together, however small the file is") {
    const TemporaryFolder folder;
    std::string text = ".version 9.0\n.target sm_90a\n.address_size 64\n";
    for (int i = 0; i < 2000; ++i) text += ".global .align 4 .b8 g" + std::to_string(i) + "[67108864];\n";
    folder.write("k.ptx", text + ".visible .entry k()\n{\nret;\n}\n");
    const Run run = shell(folder, "ulimit -v 2000000; litmus kernel k.ptx --grid 1 --block 1");
    INFO(run.err);
    CHECK(run.status == 2);
    CHECK(has(run.err, "k.ptx:8:"));
    CHECK(has(run.err, "the variables of this file are larger than 256 MiB together"));
}

TEST_CASE("PTX files take time in proportion to their size, and no more than they may") {
    const TemporaryFolder folder;
    const auto many = [](int times, const std::function<std::string(const std::string&)>& text) {
        std::string result;
        for (int i = 0; i < times; ++i) result += text(std::to_string(i));
        return result;
    };
    const std::string head = ".version 8.0\n.target sm_90a\n.address_size 64\n",
                      kernel = ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\nld.param.u64 %rd1, [p];\n";
    folder.write("globals.ptx", head + many(100000, [](const auto& i) { return ".global .u32 g" + i + ";\n"; }) + kernel + "ret;\n}\n");
    folder.write("locals.ptx", head + many(2000, [](const auto& i) { return ".local .u32 l" + i + ";\n"; }) +
                                   many(2000, [](const auto& i) { return ".func f" + i + "()\n{\nret;\n}\n"; }) + kernel + "ret;\n}\n");
    folder.write("labels.ptx", head + kernel + many(20000, [](const auto& i) { return "bra L" + i + ";\nL" + i + ":\n"; }) + "ret;\n}\n");
    folder.write("registers.ptx", head + kernel + many(20000, [](const auto& i) {
                                      return ".reg .b32 a" + i + ";\nmov.b32 a" + i + ", 1;\n";
                                  }) + "ret;\n}\n");
    for (const char* name : {"globals", "locals", "labels", "registers"}) {
        const Run run = shell(folder, std::string("ulimit -v 1000000; litmus kernel --grid 1 --block 32 --arg p=u32[64] ") + name + ".ptx");
        INFO(name << ": " << run.seconds << " s\n" << run.err);
        CHECK(run.status == 0);
        CHECK(run.seconds < 8);
    }
    // what is large, or quadratic by what it means, has its limits
    folder.write("large.ptx", head +
                                  many(8,
                                       [&](const auto& f) {
                                           return ".func f" + f + "()\n{\n.reg .b32 %r<3>;\n" + repeated(100000, "add.s32 %r1, %r1, 1;\n") +
                                                  "ret;\n}\n";
                                       }) +
                                  kernel + "ret;\n}\n");
    folder.write("stores.ptx", head + kernel + repeated(15000, "st.global.u32 [%rd1], 1;\n") + "ret;\n}\n");
    for (const char* name : {"globals", "labels", "large", "stores"}) {
        const std::string launch = std::string("litmus kernel --grid 1 --block 32 --arg p=u32[64] ") + name + ".ptx ";
        const Run made = shell(folder, launch + "-o t --threads auto --timeout 0.2"), judged = shell(folder, launch + "--timeout 0.2"),
                  needed = shell(folder, launch + "--needed --timeout 0.2");
        for (const Run& run : {made, judged, needed}) {
            INFO(name << ": " << run.seconds << " s\n" << run.err);
            CHECK((run.status == 3) == has(run.err, "not decided within the time limit"));
            CHECK(run.seconds < 2);
        }
    }
    const Run memory = shell(folder, "ulimit -v 600000; litmus kernel --grid 1 --block 32 --arg p=u32[64] large.ptx --memory 100 --needed");
    CHECK(memory.status == 3);
    CHECK(has(memory.err, "not decided within the memory limit"));
    const Run stores = shell(folder, "litmus kernel --grid 1 --block 32 --arg p=u32[64] stores.ptx -o t --threads auto --timeout 8");
    CHECK(stores.status == 1);
    CHECK(stores.seconds < 10);
}

TEST_CASE("what the solver learns while it searches counts as memory, too") {
    const TemporaryFolder folder;
    // quickly told, and long to decide: what is added is not known and differs from thread to thread, so that neither counting
    // (solve/chains.h) nor symmetry (solve/symmetry.h) helps
    std::string text = "test \"sum\"\n.global .u32 x = 0;\n.global .u32 y = 0;\nthread Q @ cta20 { st.relaxed.gpu.u32 [y], 1; }\n";
    for (int i = 0; i < 9; ++i)
        text += "thread P" + std::to_string(i) + " @ cta" + std::to_string(i) + " { ld.relaxed.gpu.u32 r0, [y]; add.u32 r0, r0, " +
                std::to_string(i) + "; red.relaxed.gpu.add.u32 [x], r0; }\n";
    folder.write("sum.litmus", text + "~exists (x == 46)\n");
    const Run run = shell(folder, "litmus check --memory 26 --timeout 50 sum.litmus");
    CHECK(run.status == 3);
    CHECK(has(run.out, "not decided within the memory limit"));
}

TEST_CASE("memory that the machine does not have leaves a test unknown, and is no failure of ours") {
    const TemporaryFolder folder;
    folder.write("a.litmus", test_of(100, false, repeated(10, " st.relaxed.gpu.u32 [x], 2;\n")));
    const Run run = shell(folder, "ulimit -v 600000; litmus check -j 1 a.litmus");
    CHECK(run.status == 3);
    CHECK_FALSE(has(run.err, "internal error"));
}

TEST_CASE("a machine that gives no threads, or no memory from the beginning") {
    const TemporaryFolder folder;
    folder.write("a.litmus", good);
    folder.write("b.litmus", good);
    // of stacks of 2 GB it has room for none
    const Run threads = shell(folder, "ulimit -s 2000000; ulimit -v 1500000; litmus check -j 4 a.litmus b.litmus");
    CHECK(threads.status == 0);
    CHECK(has(threads.out, "2 tests: 2 ok"));
    const Turn turn;
    for (int kilobytes = 40000; kilobytes < 200000; kilobytes += 4000) {
        if (!turn.has(static_cast<size_t>(kilobytes / 4000))) continue;
        const Run run = shell(folder, "ulimit -v " + std::to_string(kilobytes) + "; litmus check -j 1 a.litmus");
        INFO(kilobytes << "\n" << run.err);
        CHECK(run.status != 70);
        CHECK(run.status != 134);
    }
}

TEST_CASE("expressions as deep as the loops make them") {
    const TemporaryFolder folder;
    folder.write("sum.litmus",
                 test_of(1, false, loops_in_loops(12, " add.u32 r0, r0, r9;\n xor.b32 r9, r0, r9;\n setp.ne.u32 p, r0, 5;\n")));
    folder.write("choice.litmus",
                 test_of(1, false, loops_in_loops(12, " add.u32 r0, r0, r9;\n @p mov.u32 r4, 7;\n setp.eq.u32 p, r4, r0;\n")));
    for (const char* name : {"sum", "choice"}) {
        const Run run = shell(folder, std::string("litmus check --timeout 3 ") + name + ".litmus");
        INFO(name << "\n" << run.out << run.err);
        CHECK((run.status == 0 || run.status == 1 || run.status == 2 || run.status == 3));
        CHECK(run.seconds < 6);
    }
}

TEST_CASE("pipes: one without a writer ends with the time, one with a writer is read") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo(folder.at("silent.litmus").c_str(), 0600) == 0);
    const Run silent = shell(folder, "litmus check --timeout 0.3 silent.litmus");
    CHECK(silent.status == 2);
    CHECK(has(silent.err, "cannot read 'silent.litmus': it does not end within the time limit"));
    for (const char* command :
         {"conform silent.litmus", "conform --known silent.litmus silent.litmus", "check --format json silent.litmus"}) {
        INFO(command);
        CHECK(shell(folder, std::string("litmus ") + command + " --timeout 0.3").status == 2);
    }
    folder.write("good.litmus", good);
    CHECK(shell(folder, "litmus check <(sleep 0.2; cat good.litmus)").status == 0);
    const Run endless = shell(folder, "litmus check /dev/zero");
    CHECK(endless.status == 2);
    CHECK(has(endless.err, "larger than 16 MiB"));
}

// ---- what is read ----------------------------------------------------------------------------------

TEST_CASE("a bad entry of a directory costs itself; a link that leads out is passed over") {
    const TemporaryFolder folder;
    folder.write("tests/good.litmus", good);
    folder.write("secret", secret);
    folder.write("elsewhere.litmus", failing);
    fs::create_symlink("../elsewhere.litmus", folder.at("tests/out.litmus"));
    fs::create_symlink("../secret", folder.at("tests/secret.litmus"));
    fs::create_symlink("good.litmus", folder.at("tests/inside.litmus"));
    folder.write("tests/notes", secret);
    fs::create_symlink("notes", folder.at("tests/notes.litmus"));
    fs::create_directory_symlink(".", folder.at("tests/again"));
    const Run links = shell(folder, "litmus check tests");
    CHECK(links.status == 0);
    CHECK(has(links.err, "'tests/notes.litmus' is skipped"));
    CHECK(has(links.err, "warning: 'tests/out.litmus' is skipped: it is a link to what is no test in 'tests'"));
    CHECK(has(links.err, "'tests/secret.litmus' is skipped"));
    CHECK(has(links.out, "2 tests: 2 ok"));
    CHECK_FALSE(has(links.out + links.err, "hunter2"));
    fs::create_symlink("itself.litmus", folder.at("tests/itself.litmus"));
    fs::create_symlink("nowhere", folder.at("tests/dangling.litmus"));
    REQUIRE(::mkfifo(folder.at("tests/pipe.litmus").c_str(), 0600) == 0);
    fs::create_directories(folder.at("tests/folder.litmus"));
    const Run bad = shell(folder, "litmus check tests");
    CHECK(bad.status == 2);
    CHECK(has(bad.err, "cannot read 'tests/itself.litmus'"));
    CHECK(has(bad.err, "cannot read 'tests/dangling.litmus'"));
    CHECK(has(bad.err, "cannot read 'tests/pipe.litmus': it is no regular file"));
    CHECK(has(bad.out, "2 ok, 3 error"));
    const Run gone = shell(folder, "mkdir here && cd here && rmdir ../here && litmus check .");
    CHECK(gone.status == 2);
    CHECK(has(gone.err, "cannot read '.'"));
    if (::geteuid() == 0) return;  // who may enter everything
    fs::create_directories(folder.at("tests/closed"));
    fs::permissions(folder.at("tests/closed"), fs::perms::none);
    const Run closed = shell(folder, "litmus check tests");
    CHECK(has(closed.err, "cannot read 'tests/closed'"));
    CHECK(has(closed.out, "2 ok, 4 error"));
    fs::permissions(folder.at("tests/closed"), fs::perms::owner_all);  // to be removed
}

TEST_CASE("no message quotes what is no test, no model and no observation") {
    const TemporaryFolder folder;
    folder.write("x.litmus", secret);
    folder.write("x.test", secret);
    folder.write("hash.test", "d41d8cd98f00b204 hunter2\n");
    folder.write("env.test", ".env hunter2\n");
    folder.write("x.json", secret);
    folder.write("known.txt", secret);
    for (const char* command : {"check x.litmus", "check x.test", "check hash.test", "check env.test", "show x.litmus", "fmt x.litmus",
                                "check --format json x.litmus", "conform x.json", "conform x.json --known known.txt"}) {
        const Run run = shell(folder, std::string("litmus ") + command);
        INFO(command << "\n" << run.out << run.err);
        CHECK(run.status == 2);
        CHECK_FALSE(has(run.out + run.err, "hunter2"));
        CHECK_FALSE(has(run.out + run.err, "PASSWORD"));
    }
    CHECK(has(shell(folder, "litmus check x.litmus").err, "x.litmus:1:1: error: this is no litmus test"));
}

TEST_CASE("a model includes what is shipped, and what lies in its own folder or below") {
    const TemporaryFolder folder;
    folder.write("good.litmus", good);
    folder.write("secret.cat", "let hunter2 = (\n");
    folder.write("model/inner/part.cat", "let here = rf | co\n");
    fs::create_symlink("../secret.cat", folder.at("model/link.cat"));
    folder.write("model/.git/config", secret);
    folder.write("model/inner/notes", "let hunter2 = (\n");
    fs::create_symlink("inner/notes", folder.at("model/notes.cat"));
    fs::create_symlink("inner/part.cat", folder.at("model/part"));
    const auto checked = [&](const std::string& include) {
        folder.write("model/m.cat", "\"m\"\ninclude \"prelude.cat\"\n" + include + "\nacyclic po | rf | co | fr as order\n");
        return shell(folder, "litmus check good.litmus --model model/m.cat");
    };
    CHECK(checked("include \"inner/part.cat\"").status == 0);
    for (const std::string& file :
         {std::string("../secret.cat"), folder.at("secret.cat").string(), std::string("link.cat"), std::string(".git/config"),
          std::string("inner/../../secret.cat"), std::string("notes.cat"),
          // in the folder, but not named as what is
          std::string("part"), std::string("inner/../inner/part.cat"), folder.at("model/inner/part.cat").string()}) {
        const Run run = checked("include \"" + file + "\"");
        INFO(file << "\n" << run.err);
        CHECK(run.status == 2);
        CHECK(has(run.err, "include"));
        CHECK_FALSE(has(run.err, "hunter2"));
    }
}

// ---- what is printed -------------------------------------------------------------------------------

namespace {

// ESC, a line break, C1's CSI, a right-to-left override, no UTF-8.
const char* const hostile_name =
    "\\n::error::a\\x1b[2J\xc2\x9b"
    "1m\xe2\x80\xae\\xff";

void check_harmless(const std::string& text) {
    INFO(text);
    for (const char* part : {"\x1b[2J", "\xc2\x9b", "\xe2\x80\xae", "\xff", "\n::"}) CHECK_FALSE(has(text, part));
    CHECK(text.rfind("::", 0) == std::string::npos);
}

}  // namespace

TEST_CASE("names act on no terminal, reader or runner, whatever the output") {
    const TemporaryFolder folder;
    const std::string text = std::string("test \"") + hostile_name + "\"\ndoc \"" + hostile_name +
                             "\"\n.global .u32 x = 0;\nthread P0 @ cta0 { st.weak.global.u32 [x], 1; }\n";
    const std::string file = "::error::\x1b[2J\n\xe2\x80\xae\xff.litmus";
    folder.write("a.litmus", text + "~exists (x == 1)\n");
    folder.write("b.litmus", text + "exists (x == 1)\n");
    folder.write(file, text + "exists (y == 1)\n");
    for (const char* command : {"check a.litmus", "check a.litmus b.litmus", "check ./*", "check --format json ./*", "outcomes a.litmus",
                                "show b.litmus", "show a.litmus --outcome 9", "show --dot b.litmus", "emit b.litmus", "fmt --check ./*"}) {
        INFO(command);
        const Run run = shell(folder, std::string("litmus ") + command);
        check_harmless(run.out);
        check_harmless(run.err);
    }
    folder.write(file, text + "exists (x == 1)\n");
    const Run unformatted = shell(folder, "litmus fmt --check ./*");
    check_harmless(unformatted.out);
    CHECK(has(unformatted.out, "::error::\\x1b[2J\\n\\u202e\\xff.litmus"));
    folder.write("line.litmus", good + std::string("  ::error::\x1b[2J\xe2\x80\xae\n"));
    const Run quoted = shell(folder, "litmus check line.litmus");
    CHECK(quoted.status == 2);
    check_harmless(quoted.err);
    CHECK_FALSE(has(quoted.err, "  ::error"));
    folder.write("azure.litmus", "test \"##vso[task.setvariable]x\"\n.global .u32 x = 0;\nexists (x == 0)\n");
    CHECK_FALSE(has(shell(folder, "litmus check azure.litmus").out, "##vso["));
}

TEST_CASE("what models, observations, recordings and PTX say acts on nobody, either") {
    const TemporaryFolder folder;
    folder.write("good.litmus", good);
    const std::string act = "\x1b[2J\xe2\x80\xae", escaped = "\\u001b[2J\\u202e";
    const auto check = [&](const std::string& command, int status) {
        INFO(command);
        const Run run = shell(folder, command);
        check_harmless(run.out);
        check_harmless(run.err);
        CHECK(run.status == status);
    };
    folder.write("m.cat", "\"m\"\nreading \"r" + act + "\" default \"means" + act + "\"\nacyclic (if \"r" + act + "\" then po else rf)\n");
    check("litmus check --model ./m.cat good.litmus", 2);
    folder.write("known.txt", "t" + act + " | x=1;\n");
    folder.write(
        "o.json",
        R"({"schema":"litmus-observed","version":1,"device":{"name":"D)" + escaped +
            R"(","sm":90,"driver":12000},"tests":[)"
            R"({"name":"good","file":"good.litmus","hash":"fnv1a-0000000000000000","instances":1,"timeouts":0,"unlisted":0,"seconds":0,)"
            R"("hung":false,"observables":[{"name":"x)" +
            escaped + R"(","type":"u32"}],"histogram":[{"outcome":{"x)" + escaped +
            R"(":"1"},"count":1,"satisfies":false}]}],"skipped":[{"name":"s)" + escaped + R"(","file":"f)" + escaped +
            R"(","reason":"why)" + escaped + R"("}]})");
    check("litmus conform -v o.json --tests good.litmus", 2);
    check("litmus conform -v o.json --known known.txt", 2);
    // names in the command line itself
    check("litmus check --no" + act + " good.litmus", 2);
    check("litmus che" + act, 2);
    check("litmus kernel nowhere" + act + ".ptx --grid 1 --block 1", 2);
    // PTX whose file names and CUDA lines act
    folder.write("k" + act + ".cu", "line one" + act + "\n");
    folder.write("k.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"k" + act +
                              ".cu\"\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\n"
                              "mov.u32 %r1, %ctaid.x;\n.loc 1 1 1\nst.global.u32 [%rd1], %r1;\nret;\n}\n");
    const std::string launch = "litmus kernel k.ptx --grid 2 --block 1 --arg p=u32[1] ";
    for (const std::string how : {"", "--format json", "--format sarif", "--needed", "--needed --format json", "-o t --threads auto"}) {
        INFO(how);
        const Run run = shell(folder, launch + how);
        check_harmless(run.out);
        check_harmless(run.err);
        CHECK(run.status < 3);
    }
    CHECK(shell(folder, launch + "--html page.html --svg picture.svg").status == 1);
    for (const char* file : {"page.html", "picture.svg"}) check_harmless(folder.read(file));
}

TEST_CASE("a reader that goes away makes no failure a success") {
    const TemporaryFolder folder;
    for (int i = 0; i < 40; ++i) folder.write("t" + std::to_string(100 + i) + ".litmus", i < 39 ? good : failing);
    for (const char* format : {"text", "json"}) {
        const Run run =
            shell(folder, std::string("litmus check . -j 1 --format ") + format + " | head -1 >/dev/null; exit ${PIPESTATUS[0]}");
        CHECK(run.status != 0);
        CHECK(run.status != 70);
    }
}

TEST_CASE("outcomes that nobody reads are not known to be all") {
    const TemporaryFolder folder;
    folder.write("a.litmus", good);
    folder.write("b.litmus", good);
    CHECK(shell(folder, "litmus outcomes a.litmus b.litmus >/dev/null").status == 0);
    CHECK(shell(folder, "(sleep 0.3; litmus outcomes a.litmus b.litmus) | true; exit ${PIPESTATUS[0]}").status == 3);
}

TEST_CASE("rows come as they are known") {
    const TemporaryFolder folder;
    folder.write("a.litmus", good);
    folder.write("b.litmus", test_of(100, false, repeated(10, " st.relaxed.gpu.u32 [x], 2;\n")));
    const std::string rows =
        "litmus check -j 1 --timeout 10 a.litmus b.litmus | { read header; read row; echo $((SECONDS - start)); cat; }";
    const Run run = shell(folder, "start=$SECONDS; " + rows);
    INFO(run.out);
    CHECK(std::stoi(run.out) < 8);
    CHECK(has(run.out, "1 ok, 1 unknown"));
}

// ---- the same bytes --------------------------------------------------------------------------------

TEST_CASE("what is printed of a test does not depend on the workers, or on the tests before it") {
    const TemporaryFolder folder;
    std::vector<std::string> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(LITMUS_SOURCE_DIR "/litmus/async/proxy-raw"))
        files.push_back(entry.path());
    for (const fs::directory_entry& entry : fs::directory_iterator(LITMUS_SOURCE_DIR "/litmus/async/expect-tx"))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::string forwards, backwards;
    for (const std::string& file : files) forwards += " '" + file + "'", backwards = " '" + file + "'" + backwards;
    const auto printed = [&](const std::string& how) { return shell(folder, "litmus check --no-time --format json " + how).out; };
    const std::string one = printed("-j 1" + forwards);
    CHECK(printed("-j 2" + forwards) == one);
    const auto sorted = [](const std::string& text) {
        std::vector<std::string> lines;
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);) lines.push_back(line);
        std::sort(lines.begin(), lines.end());
        return lines;
    };
    CHECK(sorted(printed("-j 1" + backwards)) == sorted(one));
    CHECK(has(one, "\"kind\":"));  // witnesses of hazards are among it
}

TEST_CASE("runs of one test are added up in linear time") {
    const TemporaryFolder folder;
    folder.write("good.litmus", good);
    std::string entries;
    for (int i = 0; i < 20000; ++i)
        entries += std::string(i > 0 ? "," : "") +
                   R"({"name":"good","file":"good.litmus","hash":"fnv1a-0000000000000000","instances":1,"timeouts":0,"unlisted":0,)"
                   R"("seconds":0,"hung":false,"observables":[{"name":"x","type":"u32"}],"histogram":[{"outcome":{"x":")" +
                   std::to_string(i) + R"("},"count":1,"satisfies":false}]})";
    folder.write("o.json",
                 R"({"schema":"litmus-observed","version":1,"device":{"name":"D","sm":90,"driver":12000},"tests":[)" + entries + "]}");
    const Run run = shell(folder, "litmus conform --timeout 5 o.json --tests good.litmus");
    INFO(run.err.substr(0, 300));
    CHECK(has(run.out, "good"));
    CHECK(run.status == 2);
    CHECK(run.seconds < 3);
}

TEST_CASE("observations are read in linear time") {
    const TemporaryFolder folder;
    std::string entries;
    for (int i = 0; i < 200000; ++i)
        entries += std::string(i > 0 ? "," : "") + R"({"name":"t)" + std::to_string(i) +
                   R"(","file":"f","hash":"fnv1a-0000000000000000","instances":0,"timeouts":0,"unlisted":0,"seconds":0,"hung":false,)"
                   R"("observables":[],"histogram":[]})";
    folder.write("o.json",
                 R"({"schema":"litmus-observed","version":1,"device":{"name":"D","sm":90,"driver":12000},"tests":[)" + entries + "]}");
    const Run run = shell(folder, "litmus conform --timeout 5 o.json");
    INFO(run.err.substr(0, 300));
    CHECK(run.status != 70);
    CHECK(run.seconds < 5);
    // a path that a run names is no leave to read it
    folder.write("secret", secret);
    folder.write("p/o.json",
                 R"({"schema":"litmus-observed","version":1,"device":{"name":"D","sm":90,"driver":12000},"tests":[{"name":"t","file":")" +
                     folder.at("secret").string() +
                     R"(","hash":"fnv1a-0000000000000000","instances":1,"timeouts":1,"unlisted":0,"seconds":0,"hung":false,)"
                     R"("observables":[],"histogram":[]}]})");
    const Run outside = shell(folder, "cd p && litmus conform -v o.json");
    CHECK_FALSE(has(outside.out + outside.err, "hunter2"));
    CHECK(has(outside.out + outside.err, "there is no"));
    folder.write("secret", std::string(good).replace(6, 4, "t"));
    CHECK_FALSE(has(shell(folder, "cd p && litmus conform -v o.json").out, "its text changed"));
    CHECK(has(shell(folder, "litmus conform -v p/o.json").out, "its text changed"));  // below where one works
}
