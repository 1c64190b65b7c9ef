#!/usr/bin/env python3
"""Writes the benchmark's families of litmus tests as DSL files.

    generate.py FOLDER      all of them

    sb-strong-N, sb-weak-N  store-buffering rings: thread i stores x_i and loads x_(i+1)
    writers-N-readers-M     N writers of one location, M readers that load it twice (CoRR claim)
    small                   message passing with release and acquire, the small test

Those where n equal updates meet at one location, which is what kernels do:

    red-N                   N threads add 1 to one location
    arrivals-N              N threads arrive at an mbarrier with count N, one waits and reads what all stored
    warps-N                 N threads arrive with counts that sum to 64
    tokens-N                N threads arrive, and each waits with its token
    grid-barrier-N          N CTAs add with release and wait for the sum
    tickets-N               N CTAs take a ticket each: no two are equal
    red-async-N             N CTAs of a cluster reduce into one word of the first, which waits for the bytes
    red-async-words-N       ... into one word each
    bulk-reduce-N           N CTAs reduce an array of 4 words in shared memory into one in global memory
    multicast-N             a leader multicasts two tiles to N CTAs, each of which gives the slot back
    pipeline-S-P            a producer and a consumer with S stages, each used P times
    red-ctas-N              in each of N CTAs one thread reduces into a word that another reads: 2^N outcomes
    bar-sync-T-R            T threads and R rounds of bar.sync
    ticket-lock-N           N CTAs add 1 to a word, each when its ticket is served
    cas-lock-N              ... when its compare-and-swap takes the lock
    tcgen05-ring-S-P        a copy, a matrix product and S stages, each used P times; a commit gives the stage back
"""
import sys
from pathlib import Path


def test(name, locations, threads, claim):
    lines = [f'test "{name}"', ""]
    lines += [f".global .u32 {x} = 0;" for x in locations]
    for i, body in enumerate(threads):
        lines += [f"thread P{i} @ cta{i} {{"] + [f"  {instruction}" for instruction in body] + ["}"]
    return "\n".join(lines + ["", claim, ""])


def ring(n, strong):
    """Every thread may miss its neighbour's store: allowed, weak or relaxed."""
    order = "relaxed.gpu" if strong else "weak"
    threads = [[f"st.{order}.global.u32 [x{i}], 1;", f"ld.{order}.global.u32 r0, [x{(i + 1) % n}];"] for i in range(n)]
    claim = " /\\ ".join(f"P{i}:r0 == 0" for i in range(n))
    return test(f"sb-{'strong' if strong else 'weak'}-{n}", [f"x{i}" for i in range(n)], threads, f"exists ({claim})")


def fenced_ring(n):
    """As above with a fence.sc in every thread: forbidden."""
    threads = [[f"st.relaxed.gpu.global.u32 [x{i}], 1;", "fence.sc.gpu;", f"ld.relaxed.gpu.global.u32 r0, [x{(i + 1) % n}];"] for i in range(n)]
    claim = " /\\ ".join(f"P{i}:r0 == 0" for i in range(n))
    return test(f"sb-fenced-{n}", [f"x{i}" for i in range(n)], threads, f"~exists ({claim})")


def writers_and_readers(writers, readers):
    """No two readers see two writes in different orders: forbidden among strong accesses."""
    threads = [[f"st.relaxed.gpu.global.u32 [x], {i + 1};"] for i in range(writers)]
    threads += [["ld.relaxed.gpu.global.u32 r0, [x];", "ld.relaxed.gpu.global.u32 r1, [x];"] for _ in range(readers)]
    a, b = f"P{writers}", f"P{writers + 1}"
    claim = f"~exists ({a}:r0 == 1 /\\ {a}:r1 == 2 /\\ {b}:r0 == 2 /\\ {b}:r1 == 1)"
    return test(f"writers-{writers}-readers-{readers}", ["x"], threads, claim)


def small():
    threads = [
        ["st.weak.global.u32 [x], 1;", "st.release.gpu.global.u32 [y], 1;"],
        ["ld.acquire.gpu.global.u32 r0, [y];", "ld.weak.global.u32 r1, [x];"],
    ]
    return test("small", ["x", "y"], threads, "~exists (P1:r0 == 1 /\\ P1:r1 == 0)")


def program(name, declarations, threads, claim):
    """A test from (thread's name and place, body) pairs."""
    lines = [f'test "{name}"', "", *declarations]
    for place, body in threads:
        lines += [f"thread {place} {{"] + [f"  {instruction}" for instruction in body] + ["}"]
    return "\n".join(lines + ["", claim, ""])


def red(n):
    threads = [(f"P{i} @ cta{i}", ["red.relaxed.gpu.global.add.u32 [x], 1;"]) for i in range(n)]
    return program(f"red-{n}", [".global .u32 x = 0;"], threads, f"forall (x == {n})")


WAIT = "await mbarrier.try_wait.parity.acquire.cta.shared::cta.b64"
WAIT_CLUSTER = "await mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64"


def arrivals(n):
    words = [f".shared.cta0 .u32 x{i} = 0;" for i in range(n)] + [f".shared.cta0 .mbarrier bar = {n};"]
    threads = [(f"P{i} @ cta0", [f"st.weak.shared::cta.u32 [x{i}], 1;", "mbarrier.arrive.release.cta.shared::cta.b64 _, [bar];"]) for i in range(n)]
    threads.append((f"P{n} @ cta0", [f"{WAIT} [bar], 0;"] + [f"ld.weak.shared::cta.u32 r{i}, [x{i}];" for i in range(n)]))
    return program(f"arrivals-{n}", words, threads, "forall (" + " /\\ ".join(f"P{n}:r{i} == 1" for i in range(n)) + ")\nracefree")


def warps(n):
    counts = [64 // n + (1 if i < 64 % n else 0) for i in range(n)]
    threads = [(f"P{i} @ cta0", [f"mbarrier.arrive.release.cta.shared::cta.b64 _, [bar], {count};"]) for i, count in enumerate(counts)]
    threads[0][1].insert(0, "st.weak.shared::cta.u32 [x], 1;")
    threads.append((f"P{n} @ cta0", [f"{WAIT} [bar], 0;", "ld.weak.shared::cta.u32 r0, [x];"]))
    return program(f"warps-{n}", [".shared.cta0 .u32 x = 0;", ".shared.cta0 .mbarrier bar = 64;"], threads, f"forall (P{n}:r0 == 1)\nracefree")


def tokens(n):
    words = [f".shared.cta0 .u32 x{i} = 0;" for i in range(n)] + [f".shared.cta0 .mbarrier bar = {n};"]
    threads = []
    for i in range(n):
        body = [f"st.weak.shared::cta.u32 [x{i}], 1;", "mbarrier.arrive.release.cta.shared::cta.b64 t, [bar];"]
        body += ["await mbarrier.try_wait.acquire.cta.shared::cta.b64 [bar], t;", f"ld.weak.shared::cta.u32 r0, [x{(i + 1) % n}];"]
        threads.append((f"P{i} @ cta0", body))
    return program(f"tokens-{n}", words, threads, "forall (" + " /\\ ".join(f"P{i}:r0 == 1" for i in range(n)) + ")\nracefree")


def grid_barrier(n):
    words = [f".global .u32 x{i} = 0;" for i in range(n)] + [".global .u32 c = 0;"]
    threads = []
    for i in range(n):
        body = [f"st.weak.global.u32 [x{i}], 1;", "red.release.gpu.global.add.u32 [c], 1;"]
        body += [f"await ld.acquire.gpu.global.u32 r0, [c] == {n};", f"ld.weak.global.u32 r1, [x{(i + 1) % n}];"]
        threads.append((f"P{i} @ cta{i}", body))
    return program(f"grid-barrier-{n}", words, threads, "forall (" + " /\\ ".join(f"P{i}:r1 == 1" for i in range(n)) + ")\nracefree")


def tickets(n):
    threads = [(f"P{i} @ cta{i}", ["atom.relaxed.gpu.global.add.u32 r0, [x], 1;"]) for i in range(n)]
    return program(f"tickets-{n}", [".global .u32 x = 0;"], threads, "~exists (P0:r0 == P1:r0)")


def red_async(n, words):
    names = [f"x{i}" if words else "x0" for i in range(n)]
    declarations = [f".shared.cta0 .u32 {x} = 0;" for x in sorted(set(names))] + [".shared.cta0 .mbarrier bar = 1;"]
    threads = [("P0 @ cta0", [f"mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [bar], {4 * n};", f"{WAIT_CLUSTER} [bar], 0;"]
                + [f"ld.weak.shared::cta.u32 r{i}, [{x}];" for i, x in enumerate(sorted(set(names)))])]
    for i, x in enumerate(names):
        threads.append((f"P{i + 1} @ cta{i + 1}", [
            f"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [{x}], 1, [bar];"]))
    claim = " /\\ ".join(f"P0:r{i} == 1" for i in range(n)) if words else f"P0:r0 == {n}"
    return program(f"red-async-{'words-' if words else ''}{n}", declarations, threads, f"forall ({claim})\nracefree")


def bulk_reduce(n):
    declarations = [".global .u32 g[4] = 0;", ".shared .u32 s[4] = 1;"]
    body = ["cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [g], [s], 16;", "cp.async.bulk.commit_group;", "cp.async.bulk.wait_group 0;"]
    threads = [(f"P{i} @ cta{i}", body) for i in range(n)]
    return program(f"bulk-reduce-{n}", declarations, threads, f"forall (g[0] == {n} /\\ g[3] == {n})\nracefree")


def multicast(n):
    declarations = [".global .u32 g[8] = {1, 1, 1, 1, 2, 2, 2, 2};", ".shared .u32 s[4] = 0;", ".shared .mbarrier full = 1;", f".shared .mbarrier empty = {n};"]
    copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [s], [{0}], 16, [full], {1};"
    leader = [copy.format("g", 2**n - 1), f"{WAIT_CLUSTER} [empty], 0;", copy.format("g+16", 2**n - 1)]
    threads = [("L @ cta0", leader)]
    for i in range(n):
        body = []
        for tile in range(2):
            body += ["mbarrier.arrive.expect_tx.relaxed.cluster.shared::cta.b64 _, [full], 16;", f"{WAIT_CLUSTER} [full], {tile};",
                     f"ld.weak.shared::cta.u32 r{tile}, [s];"]
            if tile == 0:
                body += ["fence.acq_rel.cta;", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [empty@cta0];"]
        threads.append((f"P{i} @ cta{i}", body))
    claim = " /\\ ".join(f"P{i}:r0 == 1 /\\ P{i}:r1 == 2" for i in range(n))
    return program(f"multicast-{n}", declarations, threads, f"forall ({claim})")


def pipeline(stages, phases):
    tiles = stages * phases
    declarations = [f".global .u32 g[{4 * tiles}] = {{" + ", ".join(str(1 + i // 4) for i in range(4 * tiles)) + "};"]
    for s in range(stages):
        declarations += [f".shared.cta0 .u32 s{s}[4] = 0;", f".shared.cta0 .mbarrier full{s} = 1;", f".shared.cta0 .mbarrier empty{s} = 1;"]
    producer, consumer = [], []
    for tile in range(tiles):
        s, parity = tile % stages, tile // stages % 2
        producer += [f"{WAIT} [empty{s}], {1 - parity};", f"mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [full{s}], 16;",
                     f"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s{s}], [g+{16 * tile}], 16, [full{s}];"]
        consumer += [f"{WAIT_CLUSTER} [full{s}], {parity};", f"ld.weak.shared::cta.u32 r{tile}, [s{s}];",
                     "fence.proxy.async.shared::cta;", f"mbarrier.arrive.release.cta.shared::cta.b64 _, [empty{s}];"]
    claim = " /\\ ".join(f"P1:r{tile} == {tile + 1}" for tile in range(tiles))
    return program(f"pipeline-{stages}-{phases}", declarations, [("P0 @ cta0", producer), ("P1 @ cta0", consumer)], f"forall ({claim})\nracefree")


def red_ctas(n):
    threads = []
    for i in range(n):
        threads.append((f"P{2 * i} @ cta{i}", ["red.relaxed.cta.shared::cta.add.u32 [x], 1;"]))
        threads.append((f"P{2 * i + 1} @ cta{i}", ["ld.relaxed.cta.shared::cta.u32 r0, [x];"]))
    claim = " /\\ ".join(f"P{2 * i + 1}:r0 == 0" for i in range(n))
    return program(f"red-ctas-{n}", [".shared .u32 x = 0;"], threads, f"exists ({claim})")


def bar_sync(threads, rounds):
    declarations = [f".shared.cta0 .u32 x{i} = 0;" for i in range(threads)]
    bodies = []
    for i in range(threads):
        body = []
        for r in range(rounds):
            body += [f"st.weak.shared::cta.u32 [x{i}], {r + 1};", "bar.sync 0;"]
        bodies.append((f"P{i} @ cta0", body + [f"ld.weak.shared::cta.u32 r0, [x{(i + 1) % threads}];"]))
    return program(f"bar-sync-{threads}-{rounds}", declarations, bodies, f"forall (P0:r0 == {rounds})\nracefree")


def lock(name, n, words, take, give):
    """N threads of which each adds 1 to x, with plain accesses, while it holds the lock."""
    section = ["ld.weak.global.u32 r1, [x];", "add.u32 r1, r1, 1;", "st.weak.global.u32 [x], r1;"]
    threads = [(f"P{i} @ cta{i}", take + section + give) for i in range(n)]
    return program(f"{name}-{n}", [f".global .u32 {word} = 0;" for word in [*words, "x"]], threads, f"forall (x == {n})\nracefree")


def ticket_lock(n):
    take = ["atom.relaxed.gpu.global.add.u32 r0, [next], 1;", "WAIT:", "ld.acquire.gpu.global.u32 r2, [serve];", "setp.ne.u32 p, r2, r0;", "@p bra WAIT;"]
    return lock("ticket-lock", n, ["next", "serve"], take, ["add.u32 r0, r0, 1;", "st.release.gpu.global.u32 [serve], r0;"])


def cas_lock(n):
    take = ["LOCK:", "atom.acquire.gpu.global.cas.b32 r0, [l], 0, 1;", "setp.ne.u32 p, r0, 0;", "@p bra LOCK;"]
    return lock("cas-lock", n, ["l"], take, ["st.release.gpu.global.u32 [l], 0;"])


def tcgen05_ring(stages, phases):
    """The producer's copies fill the stages; tensor cores read them, and their commits give them back."""
    declarations = [f".global .u32 g[{64 * stages * phases}] = 0x01010101;", ".shared.cta0 .u32 b[64] = 0;", ".tmem.cta0 d;"]
    for s in range(stages):
        declarations += [f".shared.cta0 .u32 a{s}[512] = 0;", f".shared.cta0 .mbarrier full{s} = 1;", f".shared.cta0 .mbarrier empty{s} = 1;"]
    producer, consumer = [], []
    for tile in range(stages * phases):
        s, parity = tile % stages, tile // stages % 2
        producer += [f"{WAIT} [empty{s}], {1 - parity};", f"mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [full{s}], 256;",
                     f"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [a{s}], [g+{256 * tile}], 256, [full{s}];"]
        consumer += [f"{WAIT_CLUSTER} [full{s}], {parity};", "tcgen05.fence::after_thread_sync;",
                     f"tcgen05.mma.cta_group::1.kind::i8 [d], [a{s}], [b], 0x04020000, 0;",
                     f"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [empty{s}];"]
    threads = [("P0 @ cta0", producer), ("P1 @ cta0", consumer)]
    return program(f"tcgen05-ring-{stages}-{phases}", declarations, threads, "racefree")


SIZES = [2, 4, 8, 16, 32]


def families():
    """Names and texts."""
    yield "small", small()
    for n in SIZES:
        yield f"sb-strong-{n}", ring(n, True)
        yield f"sb-weak-{n}", ring(n, False)
        yield f"sb-fenced-{n}", fenced_ring(n)
        yield f"writers-{n}-readers-{n}", writers_and_readers(n, n)


    for n in [2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256]:
        yield f"red-{n}", red(n)
        yield f"arrivals-{n}", arrivals(n)
        yield f"warps-{n}", warps(n)
        yield f"tokens-{n}", tokens(n)
        yield f"grid-barrier-{n}", grid_barrier(n)
        yield f"tickets-{n}", tickets(n)
        yield f"bulk-reduce-{n}", bulk_reduce(n)
        yield f"red-ctas-{n}", red_ctas(n)
    for n in [2, 4, 6, 8, 12, 15]:
        yield f"red-async-{n}", red_async(n, False)
        yield f"red-async-words-{n}", red_async(n, True)
    for n in [2, 4, 5, 8, 16]:
        yield f"multicast-{n}", multicast(n)
    for stages, phases in [(1, 4), (1, 8), (1, 16), (1, 32), (2, 2), (2, 4), (2, 8), (2, 16), (4, 8)]:
        yield f"pipeline-{stages}-{phases}", pipeline(stages, phases)
    for threads, rounds in [(8, 2), (8, 4), (16, 4), (32, 4)]:
        yield f"bar-sync-{threads}-{rounds}", bar_sync(threads, rounds)
    for n in [2, 3, 4, 5, 6, 8, 12, 16]:
        yield f"ticket-lock-{n}", ticket_lock(n)
        yield f"cas-lock-{n}", cas_lock(n)
    for phases in [1, 2, 4, 8, 16]:
        yield f"tcgen05-ring-2-{phases}", tcgen05_ring(2, phases)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in families():
        (folder / f"{name}.litmus").write_text(text)


if __name__ == "__main__":
    main()
