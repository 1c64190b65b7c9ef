// FIFOs that nobody opens, or opens and does not read.
#include "base/writing.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>

using namespace litmus;

TEST_CASE("a FIFO is written while somebody reads it, and nobody is waited for without an end") {
    std::array<char, 32> folder{"/tmp/litmus-fifo-XXXXXX"};
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    const std::string path = std::string(folder.data()) + "/fifo";
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK(open_to_write(path) == -1);
    CHECK(writing_error(errno) == "nobody reads it");
    const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
    REQUIRE(reader >= 0);
    CHECK(write_and_close(open_to_write(path), "whole\n") == 0);
    std::array<char, 16> got{};
    CHECK(::read(reader, got.data(), got.size()) == 6);
    const int error = write_and_close(open_to_write(path), std::string(1 << 20, 'x'));  // more than a pipe holds
    CHECK(error != 0);
    CHECK(writing_error(error) == "nobody reads it");
    ::close(reader);
    ::unlink(path.c_str());
    ::rmdir(folder.data());
    CHECK(open_to_write(path) == -1);
    CHECK(writing_error(errno) == "No such file or directory");
}
