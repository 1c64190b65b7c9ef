#!/usr/bin/env python3
"""Writes the benchmark's families of litmus tests as DSL files.

    generate.py FOLDER      all of them

    sb-strong-N, sb-weak-N  store-buffering rings: thread i stores x_i and loads x_(i+1)
    writers-N-readers-M     N writers of one location, M readers that load it twice (CoRR claim)
    small                   message passing with release and acquire, the small test
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


SIZES = [2, 4, 8, 16, 32]


def families():
    """Names and texts."""
    yield "small", small()
    for n in SIZES:
        yield f"sb-strong-{n}", ring(n, True)
        yield f"sb-weak-{n}", ring(n, False)
        yield f"sb-fenced-{n}", fenced_ring(n)
        yield f"writers-{n}-readers-{n}", writers_and_readers(n, n)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in families():
        (folder / f"{name}.litmus").write_text(text)


if __name__ == "__main__":
    main()
