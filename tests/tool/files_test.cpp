// The executable and files, from outside: what is written where, what is read, and what an end by a signal leaves behind.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include <tuple>

#include "tool/shell.h"

namespace {

const char* const good_test = "test \"good\"\n.global .u32 x = 0;\nthread P0 @ cta0 { st.weak.global.u32 [x], 1; }\nexists (x == 1)\n";
const char* const judged = "litmus kernel '" LITMUS_SOURCE_DIR
                           "/tests/kernel/cuda/neighbour.ptx' --grid 2 --block 32 --arg in=s32[64]:iota "
                           "--arg out=s32[64] --threads auto ";

// The test that such a command writes, and what it prints besides.
std::pair<std::string, std::string> test_and_words(const TemporaryFolder& folder) {
    const Run run = shell(folder, std::string(judged) + "-o written; mv written .written");
    const std::string test = folder.read(".written");
    fs::remove(folder.at(".written"));
    return {test, run.out};
}

}  // namespace

// ---- what is written ---------------------------------------------------------------------------------

TEST_CASE("what is no regular file is written into and stays what it is") {
    const TemporaryFolder folder;
    const auto [text, words] = test_and_words(folder);
    REQUIRE(has(text, "thread"));
    REQUIRE(::mkfifo(folder.at("fifo").c_str(), 0600) == 0);
    CHECK(shell(folder, "timeout 60 cat fifo > got & " + std::string(judged) + "-o fifo; status=$?; wait; exit $status").status == 0);
    CHECK(fs::is_fifo(folder.at("fifo")));
    CHECK(folder.read("got") == text);
    // through a link, and through the standard output of the process
    fs::create_symlink("fifo", folder.at("link"));
    CHECK(shell(folder, "timeout 60 cat fifo > got2 & " + std::string(judged) + "-o link; status=$?; wait; exit $status").status == 0);
    CHECK(fs::is_symlink(folder.at("link")));
    CHECK(fs::is_fifo(folder.at("fifo")));
    CHECK(folder.read("got2") == text);
    CHECK(shell(folder, std::string(judged) + "-o /dev/stdout | cat").out == text + words);
    // XML_OUTPUT_FILE is tried at the beginning of a run and written at its end: a FIFO is written once
    folder.write("good.litmus", good_test);
    CHECK(
        shell(folder, "timeout 60 cat fifo > xml & XML_OUTPUT_FILE=fifo litmus check good.litmus; status=$?; wait; exit $status").status ==
        0);
    CHECK(fs::is_fifo(folder.at("fifo")));
    CHECK(has(folder.read("xml"), "<testsuites"));

    // who reads it may come a little later, and nobody is waited for without an end: neither to open it nor to read it
    const std::string later = "(sleep 0.5; timeout 60 cat fifo > got3) & " + std::string(judged) + "-o fifo; status=$?; wait; exit $status";
    CHECK(shell(folder, later).status == 0);
    CHECK(folder.read("got3") == text);
    const auto soon = [&](const std::string& command) {
        return shell(folder, "SECONDS=0; " + command + "; status=$?; ((SECONDS < 20)) && exit $status");
    };
    const Run unread = soon(std::string(judged) + "-o fifo");
    CHECK(unread.status == 2);
    CHECK(has(unread.err, "cannot write 'fifo': nobody reads it"));
    CHECK(soon("XML_OUTPUT_FILE=fifo litmus check good.litmus").status == 2);

    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = folder.at("socket").string();
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const int listening = ::socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    const Run socket = shell(folder, std::string(judged) + "-o socket");
    ::close(listening);
    CHECK(socket.status == 2);  // a socket is not opened
    CHECK(has(socket.err, "cannot write 'socket'"));
    CHECK(fs::is_socket(path));
    fs::create_directory(folder.at("directory"));
    const Run directory = shell(folder, std::string(judged) + "-o directory");
    CHECK(directory.status == 2);
    CHECK(has(directory.err, "cannot write 'directory': Is a directory"));

    // a null of our own: the machine's would be lost where this fails
    if (::mknod(folder.at("null").c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0) {
        MESSAGE("skipped: only root makes devices");
        return;
    }
    CHECK(shell(folder, std::string(judged) + "-o null").status == 0);
    CHECK(fs::is_character_file(folder.at("null")));
}

TEST_CASE("what is open already keeps what is in it") {
    const TemporaryFolder folder;
    folder.write("good.litmus", good_test);
    const auto [text, words] = test_and_words(folder);
    REQUIRE(has(text, "thread"));
    for (const std::string name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/proc/thread-self/fd/1", "link"}) {
        const Run run = shell(folder, "ln -sfn /dev/stdout link; echo before > log; { " + std::string(judged) + "-o " + name +
                                          "; echo behind; } >> log; echo $?; ls -i log");
        INFO(name << "\n" << run.err);
        CHECK(folder.read("log") == "before\n" + text + words + "behind\n");
    }
    // not opened for appending: it goes on at its place, and what is printed comes behind it
    shell(folder, "{ echo before; " + std::string(judged) + "-o /dev/stdout; echo behind; } > log");
    CHECK(folder.read("log").rfind("before\n" + text + "right ", 0) == 0);
    CHECK(has(folder.read("log"), "\nbehind\n"));
    shell(folder, "exec 7> log; echo before >&7; " + std::string(judged) + "-o /dev/fd/7 > /dev/null; echo behind >&7");
    CHECK(folder.read("log") == "before\n" + text + "behind\n");
    shell(folder, "echo before > log; " + std::string(judged) + "-o /dev/stderr 2>> log");
    CHECK(folder.read("log") == "before\n" + text);
    shell(folder, "echo before > log; XML_OUTPUT_FILE=/dev/stdout litmus check good.litmus >> log");
    CHECK(folder.read("log").rfind("before\nProgram ", 0) == 0);
    CHECK(has(folder.read("log"), "</testsuites>"));
    // of another process
    shell(folder, "echo before > log; sleep 60 >> log & pid=$!; " + std::string(judged) + "-o /proc/$pid/fd/1; kill $pid");
    CHECK(folder.read("log") == "before\n" + text);
    // a descriptor that only reads
    const Run run = shell(folder, "echo before > log; " + std::string(judged) + "-o /dev/fd/3 3< log");
    CHECK(run.status == 2);
    CHECK(has(run.err, "cannot write '/dev/fd/3'"));
    CHECK(folder.read("log") == "before\n");
}

TEST_CASE("kernel: what is read is not written over") {
    const TemporaryFolder folder;
    shell(folder, "cp '" LITMUS_SOURCE_DIR
                  "/tests/kernel/cuda/'neighbour.* .; mv neighbour.ALONE.ptx k.ptx; ln k.ptx hard; ln -s k.ptx link; "
                  "head -c 256 /dev/zero > bytes; touch -d '1 minute ago' *");
    const std::string before = shell(folder, "cat *").out;
    const std::string launch = " --grid 2 --block 32 --arg in=s32[64]:@bytes --arg out=s32[64] ";
    for (const std::string files : {"k.ptx -o k.ptx", "k.ptx -o hard", "k.ptx -o ./link", "link -o k.ptx", "- -o k.ptx < k.ptx",
                                    "k.ptx -o bytes", "k.ptx -o neighbour.cu", "k.ptx -o k.ptx --needed"}) {
        const Run run = shell(folder, "litmus kernel" + launch + files);
        INFO(files << "\n" << run.err);
        CHECK(run.status == 2);
        CHECK(has(run.err, "is a file that is read, and would be written over"));
        CHECK(shell(folder, "cat *").out == before);
    }
    for (int i = 0; i < 2; ++i) CHECK(shell(folder, "litmus kernel k.ptx -o k.litmus" + launch).status == 1);
    CHECK(has(folder.read("k.litmus"), "thread"));
}

TEST_CASE("what is rewritten in its place is a regular file") {
    const TemporaryFolder folder;
    folder.write("plain.litmus", std::string(good_test) + "\n\n");
    REQUIRE(::mkfifo(folder.at("fifo.litmus").c_str(), 0600) == 0);
    for (const std::string command : {"fmt -i", "repair --apply", "weaken --apply"}) {  // nobody writes into the FIFO: it is not waited for
        const Run run = shell(folder, "timeout 20 '" LITMUS_EXE "' " + command + " fifo.litmus");
        CHECK(run.status == 2);
        CHECK(has(run.err, "'fifo.litmus' cannot be rewritten: it is no regular file"));
    }
    CHECK(fs::is_fifo(folder.at("fifo.litmus")));
    fs::create_symlink("plain.litmus", folder.at("link.litmus"));
    CHECK(shell(folder, "litmus fmt -i link.litmus").status == 0);
    CHECK(fs::is_symlink(folder.at("link.litmus")));
    CHECK(folder.read("plain.litmus") != std::string(good_test) + "\n\n");
}

// ---- what is read -------------------------------------------------------------------------------------

namespace {

const char* const password = "PASSWORD=hunter2\n";

// The complaint of a command that is to be refused soon, and that shows nothing of the secret.
std::string refusal(const TemporaryFolder& folder, const std::string& arguments) {
    const Run run = shell(folder, "timeout 20 '" LITMUS_EXE "' " + arguments);
    INFO(arguments << "\n" << run.out << run.err);
    CHECK(run.status == 2);
    CHECK_FALSE(has(run.out + run.err, "hunter2"));
    CHECK_FALSE(has(run.out + run.err, "PASSWORD"));
    return run.err;
}

}  // namespace

TEST_CASE("a baseline is read as tests are: a regular file of its folder, of which nothing is quoted unless it is one") {
    const TemporaryFolder folder;
    folder.write("t/good.litmus", good_test);
    folder.write("secret", password);
    const std::string place = folder.at("t/litmus.baseline");
    fs::create_symlink("../secret", place);
    CHECK(has(refusal(folder, "regress t"), "'t/litmus.baseline': it is a link that leads out of its folder"));
    CHECK(has(refusal(folder, "regress t --promote"), "it is a link that leads out of its folder"));
    CHECK(folder.read("secret") == password);
    folder.write("t/notes", password);
    shell(folder, "ln -sf notes t/litmus.baseline");
    CHECK(has(refusal(folder, "regress t"), "it is a link that leads out of its folder"));  // not called as what it leads to
    shell(folder, "ln -sf nowhere t/litmus.baseline");
    CHECK(has(refusal(folder, "regress t"), "there is no baseline"));
    shell(folder, "rm t/litmus.baseline; mkfifo t/litmus.baseline");
    CHECK(has(refusal(folder, "regress t"), "it is no regular file"));
    CHECK(has(refusal(folder, "regress t --promote"), "it is no regular file"));
    CHECK(has(refusal(folder, "regress t --baseline t/litmus.baseline"), "it is no regular file"));
    CHECK(has(refusal(folder, "regress t --baseline /dev/zero"), "it is no regular file"));
    CHECK(has(refusal(folder, "regress t --baseline secret"), "secret:1:1: error: this is no baseline"));
    shell(folder, "rm t/litmus.baseline; truncate -s 70M t/litmus.baseline");
    CHECK(has(refusal(folder, "regress t"), "larger than 64 MiB"));
    folder.write("t/litmus.baseline", "# litmus baseline 99 hunter2\n" + std::string(password));
    CHECK(has(refusal(folder, "regress t"), "a baseline of a version that this tool does not read"));
    // a link within the folder is followed, and what was named may lie anywhere
    shell(folder,
          "rm t/litmus.baseline; litmus regress t --promote; mv t/litmus.baseline t/a.baseline; ln -s a.baseline t/litmus.baseline");
    CHECK(shell(folder, "litmus regress t").status == 0);
    CHECK(shell(folder, "cp t/a.baseline b; ln -s b c; litmus regress t --baseline c").err.empty());
}

TEST_CASE("a model is a regular file that is called so") {
    const TemporaryFolder folder;
    folder.write("good.litmus", good_test);
    folder.write("secret", password);
    fs::create_symlink("secret", folder.at("link.cat"));
    REQUIRE(::mkfifo(folder.at("fifo.cat").c_str(), 0600) == 0);
    fs::create_symlink("/dev/zero", folder.at("zero.cat"));
    CHECK(has(refusal(folder, "check good.litmus --model fifo.cat"), "'fifo.cat': it is no regular file"));
    for (const char* model : {"./secret", "/dev/zero", "/proc/self/environ"})
        CHECK(has(refusal(folder, std::string("check good.litmus --model ") + model), "the name of a model's file ends in .cat"));
    for (const char* model : {"link.cat", "zero.cat"})
        CHECK(has(refusal(folder, std::string("check good.litmus --model ") + model),
                  "it is a link, and the name of what it leads to does not end in .cat"));
    shell(folder, "cp '" LITMUS_SOURCE_DIR "/model/sc.cat' mine.cat; ln -s mine.cat other.cat");
    CHECK(shell(folder, "litmus check good.litmus --model ./other.cat").status == 0);
}

TEST_CASE("parts are regular files, and no line of them has no end") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo(folder.at("fifo").c_str(), 0600) == 0);
    CHECK(has(refusal(folder, "merge fifo"), "'fifo': it is no regular file"));
    CHECK(has(refusal(folder, "merge /dev/zero"), "'/dev/zero': it is no regular file"));
    shell(folder, "truncate -s 300M zeros");
    CHECK(has(refusal(folder, "merge zeros"), "zeros:1: this is no result"));
    CHECK(has(refusal(folder, "merge /proc/self/mem"), "cannot read '/proc/self/mem': Input/output error"));
    CHECK(shell(folder, "ulimit -v 400000; litmus merge zeros").status == 2);  // of 300 MiB 64 are read
}

TEST_CASE("of a folder of observations regular files are read, which no link leads to from elsewhere") {
    const TemporaryFolder folder;
    folder.write("good.litmus", good_test);
    folder.write("secret", password);
    folder.write("secret.json", password);
    fs::create_directory(folder.at("o"));
    shell(folder,
          "cp '" LITMUS_SOURCE_DIR
          "/litmus/observed/h100-fence-cta.json' o/a.json; mkfifo o/b.json; ln -s /dev/zero o/c.json; "
          "ln -s ../secret.json o/d.json; ln -s nowhere o/e.json; mkdir o/f.json; ln -s a.json o/g.json; ln -s /dev/stdin o/h.json");
    const std::string said = refusal(folder, "report good.litmus --observed o -o site");
    CHECK(fs::exists(folder.at("site/index.html")));
    for (const std::string name : {"b", "f"}) CHECK(has(said, "cannot read 'o/" + name + ".json': it is no regular file"));
    for (const std::string name : {"c", "d"})
        CHECK(has(said, "cannot read 'o/" + name + ".json': it is a link that leads out of its folder"));
    for (const std::string name : {"e", "h"}) CHECK(has(said, "cannot read 'o/" + name + ".json': "));
    CHECK(has(said, "'o/g.json' is the same as 'o/a.json'"));
    CHECK_FALSE(has(said, "o/a.json: "));
}

TEST_CASE("questions and lessons that come with tests are files of their folders") {
    const TemporaryFolder folder;
    const std::string md = ".md", questions = "t/questions" + md, lesson = "t/lessons/01-secret" + md;
    folder.write("t/good.litmus", good_test);
    folder.write("secret", password);
    folder.write("secret" + md, password);
    fs::create_symlink("../secret" + md, folder.at(questions));
    CHECK(has(refusal(folder, "report t -o site"), (fs::canonical(folder.path()) / questions).string() + "': it is a link that leads out"));
    fs::remove(folder.at(questions));
    fs::create_directory(folder.at("t/lessons"));
    fs::create_symlink("../../secret" + md, folder.at(lesson));
    CHECK(has(refusal(folder, "report t -o site"), "it is a link that leads out of its folder"));
    CHECK(has(refusal(folder, "quiz " + lesson), "it is a link that leads out of its folder"));
    // nor do their tests lie elsewhere
    fs::remove(folder.at(lesson));
    folder.write(lesson,
                 "# Secret\n\n> What nobody shall read.\n\n{{test}}\n\n## Question\n\nWhich?\n\n{{predict}}\n\n## "
                 "Answer\n\n{{outcomes}}\n\n## Why\n\n{{picture}}\n\n## "
                 "Exercise\n\n"
                 "{{exercise a b: change 1}}\n");
    fs::create_symlink("../../secret", folder.at("t/lessons/01-secret.litmus"));
    CHECK(has(refusal(folder, "quiz " + lesson), "01-secret.litmus': it is a link that leads out of its folder"));
}

// ---- permissions, and what a signal leaves ---------------------------------------------------------------

TEST_CASE("new files and folders have the permissions that the umask leaves, and old ones theirs") {
    const TemporaryFolder folder;
    folder.write("good.litmus", good_test);
    const std::string write_all =
        std::string(judged) +
        "-o a.litmus; XML_OUTPUT_FILE=a.xml litmus check good.litmus; litmus regress . --promote; "
        "litmus report good.litmus -o site; find . -mindepth 1 -type f -newer good.litmus -o -mindepth 1 -type d | grep -v '^./[.]' | "
        "xargs stat -c '%a %F'";
    for (const auto& [mask, file, directory] : {std::tuple("077", "600", "700"), std::tuple("002", "664", "775")}) {
        const Run run = shell(
            folder, std::string("rm -rf a.* litmus.baseline site; touch -d '1 minute ago' good.litmus; umask ") + mask + "; { " +
                        write_all + "; } | grep -c -x -e '" + file + " regular.*file' -e '" + directory +
                        " directory'; find . -mindepth 1 -type f -newer good.litmus -o -mindepth 1 -type d | grep -v '^./[.]' | wc -l");
        INFO(mask << "\n" << run.out << run.err);
        const std::vector<std::string> counts = lines(run.out);
        REQUIRE(counts.size() == 2);
        CHECK(std::stoi(counts[0]) >= 9);
        CHECK(counts[0] == counts[1]);
    }
    // what is believed when it is found again, nobody else may write to
    const Run believed = shell(folder,
                               "umask 002; litmus check good.litmus --cache c; litmus check good.litmus --format json --resume r.jsonl; "
                               "find c r.jsonl -printf '%m %y\\n' | sort -u");
    CHECK(has(believed.out, "\n644 f\n755 d\n"));
    CHECK(lines(believed.out.substr(believed.out.find("644 f"))).size() == 2);
    shell(folder, "chmod 640 a.litmus; umask 077; " + std::string(judged) + "-o a.litmus");
    CHECK(shell(folder, "stat -c %a a.litmus").out == "640\n");
}

TEST_CASE("a signal ends a run with its status and leaves no temporary") {
    const TemporaryFolder folder;
    // a run of some seconds, whose pages, entries and baseline are written all along
    shell(folder, "cp -r '" LITMUS_SOURCE_DIR "/litmus/classic' t");
    for (const auto& [signal, status] : {std::pair("INT", 130), std::pair("TERM", 143), std::pair("HUP", 129), std::pair("QUIT", 131),
                                         std::pair("XCPU", 152), std::pair("USR1", 138), std::pair("ALRM", 142)}) {
        const Run report = shell(folder, std::string("timeout --preserve-status -s ") + signal + " 0.7 '" LITMUS_EXE "' report t -o site");
        INFO(signal << "\n" << report.err);
        CHECK(report.status == status);
        CHECK(shell(folder, "ls").out == "t\n");
    }
    const Run check = shell(folder, "timeout --preserve-status -s INT 0.5 '" LITMUS_EXE "' check t --cache c");
    CHECK(check.status == 130);
    CHECK(shell(folder, "find c -type f | grep -v -E '/[0-9a-f]{2}/[0-9a-f]{62}$'").out.empty());
    // what was told to ignore a signal does, as under nohup
    folder.write("good.litmus", good_test);
    const std::string ignoring =
        "(trap '' INT; exec '" LITMUS_EXE "' check <(sleep 0.6; cat good.litmus)) & sleep 0.2; kill -INT $!; wait $!";
    CHECK(shell(folder, ignoring).status == 0);
}

TEST_CASE("a disk that is full leaves nothing half done") {
    const TemporaryFolder folder;
    folder.write("good.litmus", good_test);
    folder.write("t/good.litmus", good_test);
    for (const std::string command :
         {"report good.litmus -o site", "kernel k.ptx --grid 2 --block 32 --arg in=s32[64] --arg out=s32[64] -o test",
          "regress t --promote", "check good.litmus --resume journal"}) {
        shell(folder, "cp '" LITMUS_SOURCE_DIR "/tests/kernel/cuda/neighbour.ALONE.ptx' k.ptx");
        const std::string before = shell(folder, "find . | grep -v journal | sort").out;
        // a file that may not grow, as on a disk that is full; what is printed goes through a pipe
        const Run run = shell(folder, "(ulimit -f 0; litmus " + command + " 2>&1; echo status $?) | cat");
        INFO(command << "\n" << run.out);
        CHECK(has(run.out, "status 2\n"));
        CHECK(has(run.out, "error: cannot write"));
        CHECK(shell(folder, "find . | grep -v journal | sort").out == before);
    }
}

TEST_CASE("XML_OUTPUT_FILE is written when all is known, and what is known to be wrong with it is said before") {
    const TemporaryFolder folder;
    shell(folder, "cp -r '" LITMUS_SOURCE_DIR "/litmus/classic' t");
    folder.write("old.xml", "of yesterday\n");
    CHECK(shell(folder, "XML_OUTPUT_FILE=old.xml timeout --preserve-status -s INT 0.3 '" LITMUS_EXE "' check t").status == 130);
    CHECK(folder.read("old.xml") == "of yesterday\n");
    fs::create_directory(folder.at("d"));
    for (const auto& [name, why] :
         {std::pair("d", "Is a directory"), std::pair("nowhere/x", "No such file or directory"), std::pair("good/x", "Not a directory")}) {
        folder.write("good", good_test);
        const Run run = shell(folder, std::string("XML_OUTPUT_FILE=") + name + " litmus check t --cache c");
        INFO(run.err);
        CHECK(run.status == 2);
        CHECK(has(run.err, std::string("cannot write '") + name + "': " + why));
        CHECK_FALSE(fs::exists(folder.at("c")));  // nothing was asked
    }
    folder.write("good.litmus", good_test);
    CHECK(shell(folder, "XML_OUTPUT_FILE=new.xml litmus check good.litmus").status == 0);
    CHECK(has(folder.read("new.xml"), "</testsuites>"));
}

TEST_CASE("kernel: a file for `litmus repair` is named only where one is") {
    const TemporaryFolder folder;
    // orders that are weaker than those of whole steps are asked of a test of a few threads
    const std::string judge = "litmus kernel '" LITMUS_SOURCE_DIR
                              "/tests/kernel/cuda/dekker.UNFENCED.ptx' --grid 2 --block 32 --arg flags=u32[2] --arg result=s32[1] ";
    const std::string alone = shell(folder, judge).out;
    CHECK_FALSE(has(alone, "has the patch"));
    CHECK(has(alone, "`-o dekker.UNFENCED.litmus` writes the test into a file, for `litmus repair dekker.UNFENCED.litmus`\n"));
    CHECK(has(shell(folder, judge + "-o k.litmus").out, "`litmus repair k.litmus` has the patch\n"));
    CHECK(shell(folder, "litmus repair k.litmus").status == 0);
    const std::string written = shell(folder, judge + "--reading weakest -o /dev/null").out;
    CHECK(has(written,
              "`-o dekker.UNFENCED.litmus` writes the test into a file, for `litmus repair --reading weakest dekker.UNFENCED.litmus`\n"));
}

TEST_CASE("a run that is interrupted ends as such, and goes on as if it had not been") {
    const TemporaryFolder folder;
    shell(folder, "cp -r '" LITMUS_SOURCE_DIR "/litmus/async' t");
    const std::string check = " check t -j 2 --no-time --format json --resume r.jsonl";
    for (const char* seconds : {"0.1", "0.2", "0.3"}) {
        const Run run = shell(folder, std::string("timeout --preserve-status -s INT ") + seconds + " '" LITMUS_EXE "'" + check);
        CHECK(run.status == 130);
        CHECK_FALSE(has(folder.read("r.jsonl"), "\"partial\":true"));
        CHECK_FALSE(has(run.err, "internal error"));
    }
    CHECK(shell(folder, "litmus" + check).out == shell(folder, "litmus check t --no-time --format json").out);
}
