// SHA-256 against the examples of NIST and, at every length around a block, against coreutils' sha256sum where that is.
#include "base/sha256.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace litmus;

// https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values.
TEST_CASE("SHA-256: the examples of NIST") {
    CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sha256(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256: lengths around a block, as sha256sum has them") {
    if (std::system("command -v sha256sum > /dev/null") != 0) {
        MESSAGE("skipped: there is no sha256sum");
        return;
    }
    const std::string file = (std::filesystem::temp_directory_path() / "litmus-sha256-test").string();
    for (size_t length = 50; length <= 130; ++length) {
        std::string text;
        for (size_t i = 0; i < length; ++i) text += static_cast<char>(37 * i + length);
        std::ofstream(file, std::ios::binary) << text;
        std::FILE* const pipe = popen(("sha256sum < '" + file + "'").c_str(), "r");
        REQUIRE(pipe != nullptr);
        std::array<char, 65> digits{};
        CHECK(std::fread(digits.data(), 1, 64, pipe) == 64);
        pclose(pipe);
        CHECK(sha256(text) == digits.data());
    }
    std::filesystem::remove(file);
}
