// The executable and files, from outside: what is written where, what is read, and what an end by a signal leaves behind.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "shell.h"

namespace {

const char* const good = "test \"good\"\n.global .u32 x = 0;\nthread P0 @ cta0 { st.weak.global.u32 [x], 1; }\nexists (x == 1)\n";
const char* const from_ptx = "litmus from-ptx '" LITMUS_SOURCE_DIR
                             "/tests/kernel/cuda/neighbour.ALONE.ptx' --grid 2 --block 32 --arg in=s32[64]:iota "
                             "--arg out=s32[64] ";

}  // namespace

// ---- what is written ---------------------------------------------------------------------------------

TEST_CASE("what is no regular file is written into and stays what it is") {
    const TemporaryFolder folder;
    const std::string text = shell(folder, from_ptx).out;
    REQUIRE(has(text, "thread"));
    REQUIRE(::mkfifo(folder.at("fifo").c_str(), 0600) == 0);
    CHECK(shell(folder, "timeout 60 cat fifo > got & " + std::string(from_ptx) + "-o fifo; status=$?; wait; exit $status").status == 0);
    CHECK(fs::is_fifo(folder.at("fifo")));
    CHECK(folder.read("got") == text);
    // through a link, and through the standard output of the process
    fs::create_symlink("fifo", folder.at("link"));
    CHECK(shell(folder, "timeout 60 cat fifo > got2 & " + std::string(from_ptx) + "-o link; status=$?; wait; exit $status").status == 0);
    CHECK(fs::is_symlink(folder.at("link")));
    CHECK(fs::is_fifo(folder.at("fifo")));
    CHECK(folder.read("got2") == text);
    CHECK(shell(folder, std::string(from_ptx) + "-o /dev/stdout | cat").out == text);
    // XML_OUTPUT_FILE is tried at the beginning of a run and written at its end: a FIFO is written once
    folder.write("good.litmus", good);
    CHECK(
        shell(folder, "timeout 60 cat fifo > xml & XML_OUTPUT_FILE=fifo litmus check good.litmus; status=$?; wait; exit $status").status ==
        0);
    CHECK(fs::is_fifo(folder.at("fifo")));
    CHECK(has(folder.read("xml"), "<testsuites"));

    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = folder.at("socket").string();
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    const int listening = ::socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(::bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    const Run socket = shell(folder, std::string(from_ptx) + "-o socket");
    ::close(listening);
    CHECK(socket.status == 2);  // a socket is not opened
    CHECK(has(socket.err, "cannot write 'socket'"));
    CHECK(fs::is_socket(path));
    fs::create_directory(folder.at("directory"));
    const Run directory = shell(folder, std::string(from_ptx) + "-o directory");
    CHECK(directory.status == 2);
    CHECK(has(directory.err, "cannot write 'directory': Is a directory"));

    // a null of our own: the machine's would be lost where this fails
    if (::mknod(folder.at("null").c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0) {
        MESSAGE("skipped: only root makes devices");
        return;
    }
    CHECK(shell(folder, std::string(from_ptx) + "-o null").status == 0);
    CHECK(fs::is_character_file(folder.at("null")));
}

TEST_CASE("what is rewritten in its place is a regular file") {
    const TemporaryFolder folder;
    folder.write("plain.litmus", std::string(good) + "\n\n");
    REQUIRE(::mkfifo(folder.at("fifo.litmus").c_str(), 0600) == 0);
    const Run run = shell(folder, "timeout 60 cat plain.litmus > fifo.litmus & litmus fmt -i fifo.litmus; status=$?; wait; exit $status");
    CHECK(run.status == 2);
    CHECK(has(run.err, "'fifo.litmus' cannot be rewritten: it is no regular file"));
    CHECK(fs::is_fifo(folder.at("fifo.litmus")));
    fs::create_symlink("plain.litmus", folder.at("link.litmus"));
    CHECK(shell(folder, "litmus fmt -i link.litmus").status == 0);
    CHECK(fs::is_symlink(folder.at("link.litmus")));
    CHECK(folder.read("plain.litmus") != std::string(good) + "\n\n");
}
