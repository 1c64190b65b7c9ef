// Files that many runs share, perhaps on a network file system: the folder of --cache with many writers, --resume where there are no locks.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <thread>

#include "tool/rewrite.h"
#include "tool/shell.h"

namespace {

// Tests whose entries take a while to write: each has a comment of a megabyte.
class LongTests : public TemporaryFolder {
public:
    static constexpr int many = 16;
    static constexpr size_t size = 1'000'000;
    LongTests() {
        for (int i = 0; i < many; ++i)
            write("t/" + std::to_string(i) + ".litmus", "test \"t" + std::to_string(i) + "\"\n// " + std::string(size, 'x') +
                                                            "\n.global .u32 x = 0;\nthread P0 @ cta0 { st.relaxed.gpu.u32 [x], " +
                                                            std::to_string(i + 1) +
                                                            "; }\nthread P1 @ cta1 { ld.relaxed.gpu.u32 r0, [x]; }\nexists (P1:r0 == 0)\n");
    }
};

// Of the entries that the cache has now, how many are shorter than the test that they answer.
size_t torn_entries(const fs::path& cache) {
    size_t torn = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator at(cache, error), end; !error && at != end; at.increment(error)) {
        if (!at->is_regular_file(error) || at->path().filename().string().find('.') != std::string::npos) continue;
        const auto size = at->file_size(error);
        torn += !error && size < LongTests::size;
    }
    return torn;
}

// Runs a bash command as on a file system without locks: flock() fails with this error.
int status_without_locks(const TemporaryFolder& folder, int error, const std::string& command) {
    const pid_t child = ::fork();
    if (child == 0) {
        std::array<sock_filter, 4> filter = {{{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
                                              {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_flock},
                                              {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)},
                                              {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}}};
        const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
        if (::chdir(folder.path().c_str()) != 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
            ::_exit(99);
        ::execl("/bin/bash", "bash", "-c", command.c_str(), nullptr);
        ::_exit(98);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

// As pods of a cluster do, each writer runs under the same process number, where this machine lets us make it so: names that have the
// number in them are no names of one process. Entries are deleted all the while, so that they are written again and again.
TEST_CASE("many processes write one cache at a time, and some are killed") {
    const LongTests folder;
    const std::string all = shell(folder, "litmus check t/*.litmus --no-time --format json | sort").out;
    REQUIRE(lines(all).size() == LongTests::many);
    std::atomic<bool> ended = false;
    size_t torn = 0;
    std::thread reader([&] {
        while (!ended) torn += torn_entries(folder.at("c"));
    });
    const Run run = shell(folder, R"(
apart='unshare --pid --fork --kill-child'; $apart true 2> /dev/null || apart=
check() { $apart "$@" ')" LITMUS_EXE R"(' check $(ls t/*.litmus | sort -R) -j 2 --no-time --format json --cache c; }
writers=()
for i in $(seq 6); do
    { for round in 1 2; do check timeout 100 | sort; done > $i.out 2> $i.err; } & writers+=($!)
    { for round in 1 2 3; do check timeout -s KILL 0.$((i * round)); done > killed 2>&1; } & writers+=($!)
done
while [ ! -e end ]; do find c -type f -not -name '*.*' -delete; sleep 0.02; done 2> /dev/null &
wait "${writers[@]}"; touch end; wait
for i in $(seq 6); do cmp <(cat 1.out) $i.out || exit 1; done
cat *.err 1.out; echo $apart >&2)");
    ended = true;
    reader.join();
    if (run.err == "\n") MESSAGE("skipped under equal process numbers: this user cannot make them");
    CHECK(run.status == 0);
    CHECK(run.out == all + all);  // and no note that anything could not be kept
    CHECK(torn == 0);
    // What was killed is in nobody's way.
    CHECK(shell(folder, "litmus check t/*.litmus --no-time --format json --cache c | sort").out == all);
    CHECK(torn_entries(folder.at("c")) == 0);
    CHECK(lines(shell(folder, "find c -type f -not -name '*.*'").out).size() == LongTests::many);
    // All is known: there is no time to ask anything.
    CHECK(shell(folder, "litmus check t/*.litmus --no-time --format json --cache c --timeout 0.000001 | sort").out == all);
}

TEST_CASE("a file is written that others delete and write meanwhile") {
    const TemporaryFolder folder;
    const std::string entry = folder.at("entry");
    std::atomic<bool> ended = false;
    std::thread deletes([&] {
        while (!ended) ::unlink(entry.c_str());
    });
    std::thread writes([&] {
        while (!ended) CHECK_NOTHROW(litmus::write_file(entry, "theirs"));
    });
    for (int i = 0; i < 2000; ++i) CHECK_NOTHROW(litmus::write_file(entry, "ours"));
    ended = true;
    deletes.join();
    writes.join();
}

TEST_CASE("entries that others tear while they are read are asked again") {
    const LongTests folder;
    const std::string check = "litmus check t --no-time --format json --cache c";
    const std::string all = shell(folder, check).out;
    const Run run =
        shell(folder,
              "while [ ! -e end ]; do for e in $(find c -type f -not -name '*.*'); do truncate -s $((RANDOM * 32)) $e; done; done &\n"
              "for i in $(seq 6); do " +
                  check + " > $i.out || exit 1; done\ntouch end; wait; cat ?.out");
    CHECK(run.status == 0);
    std::string wanted;
    for (int i = 0; i < 6; ++i) wanted += all;
    CHECK(run.out == wanted);
}

TEST_CASE("a run is resumed where the file system has no locks") {
    const LongTests folder;
    const std::string all = shell(folder, "litmus check t --no-time --format json").out,
                      check = "'" LITMUS_EXE "' check t --no-time --format json --resume r.jsonl > out 2>&1";
    for (const int error : {ENOSYS, ENOLCK, EOPNOTSUPP}) {
        folder.write("r.jsonl", all.substr(0, all.size() / 2));
        CHECK(status_without_locks(folder, error, check) == 0);
        CHECK(folder.read("r.jsonl") == all);
    }
    CHECK(status_without_locks(folder, EWOULDBLOCK, check) == 2);
    CHECK(has(folder.read("out"), "another run has it"));
    // What two runs at a time leave is told.
    folder.write("r.jsonl", lines(all)[0] + "\n" + lines(all)[0] + "\n");
    CHECK(status_without_locks(folder, ENOSYS, check) == 2);
    CHECK(has(folder.read("out"), "cannot resume from 'r.jsonl', line 2"));
}
