"""Litmus tests of the memory model of NVIDIA GPUs: which outcomes can be, why, and which line to change.

    >>> import litmus
    >>> result = litmus.check('''
    ... test "mp"
    ... .global .u32 x = 0;
    ... .global .u32 f = 0;
    ... thread P0 @ cta0 { st.weak.global.u32 [x], 1; st.release.gpu.global.u32 [f], 1; }
    ... thread P1 @ cta1 { ld.acquire.gpu.global.u32 r0, [f]; ld.weak.global.u32 r1, [x]; }
    ... ~exists (P1:r0 == 1 /\\\\ P1:r1 == 0)
    ... ''')
    >>> result.verdict, len(result.outcomes)
    ('ok', 3)

The program `litmus` is in the package; each function runs it once and reads its JSON, all of which is in `.json` of what comes back.
"""

from __future__ import annotations

import html
import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable, Optional, Sequence

__all__ = ["check", "explain", "repair", "check_kernel", "version", "Result", "Kernel", "Explanation", "Repair", "Repairs", "Error"]


class Error(Exception):
    """The text is no test, or the question none that can be asked. The message is what the terminal would show."""


def _program() -> str:
    here = Path(__file__).with_name("bin") / "litmus"
    return str(here) if here.exists() else os.environ.get("LITMUS", "litmus")


def _run(arguments: Sequence[str], text: Optional[str] = None) -> subprocess.CompletedProcess:
    return subprocess.run([_program(), *arguments], input=text, capture_output=True, text=True, check=False)


def _object(arguments: Sequence[str], text: str) -> dict[str, Any]:
    run = _run(arguments, text)
    if not run.stdout.strip():
        raise Error(run.stderr.strip())
    answer = json.loads(run.stdout.splitlines()[0])
    if answer.get("verdict") == "error":
        raise Error(run.stderr.strip() or answer.get("message", "error"))
    return answer


def _common(reading: Optional[str], timeout: Optional[float]) -> list[str]:
    options = []
    if reading:
        options += ["--reading", reading]
    if timeout:
        options += ["--timeout", str(timeout)]
    return options


@dataclass
class Result:
    """What a test came to."""

    verdict: str  #: "ok", "no", "undefined", "deadlock", "may-deadlock", "race", "unknown"
    outcomes: list[dict[str, Any]]  #: final states, by register and location
    satisfying: list[int]  #: those of them, from 1, in which the condition of the claim holds
    complete: bool  #: there are no other outcomes
    races: list[dict[str, Any]]
    hazards: list[dict[str, Any]]
    rests_on: list[list[str]]  #: sets of readings of the ISA without which the verdict is another one
    json: dict[str, Any] = field(repr=False)
    text: str = field(repr=False, default="")  #: the test

    @property
    def ok(self) -> bool:
        return self.verdict == "ok"

    def picture(self, outcome: int = 0) -> str:
        """An execution that has this outcome, counted from 1, or that decides the verdict (0), as SVG."""
        run = _run(["show", "-", "--svg", *(["--outcome", str(outcome)] if outcome else [])], self.text)
        if run.returncode not in (0, 1) or not run.stdout:
            raise Error(run.stderr.strip())
        return run.stdout

    def _repr_html_(self) -> str:
        cell = lambda value: f"<td>{html.escape(str(value))}</td>"
        names = list(self.outcomes[0]) if self.outcomes else []
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        rows = "".join(
            f"<tr{' style=font-weight:bold' if number in self.satisfying else ''}>" + "".join(cell(o[n]) for n in names) + "</tr>"
            for number, o in enumerate(self.outcomes, 1)
        )
        rests = "; rests on " + " or ".join(" and ".join(one) for one in self.rests_on) if self.rests_on else ""
        told = "".join(f"<li>data race on {html.escape(r['location'])}: {html.escape(r['first']['event'])}, "
                       f"{html.escape(r['second']['event'])}</li>" for r in self.races)
        return (f"<p><b>{html.escape(self.verdict)}</b>{html.escape(rests)}: <code>{html.escape(self.json['claim']['text'])}</code></p>"
                f"<table><tr>{head}</tr>{rows}</table><ul>{told}</ul>")


@dataclass
class Kernel:
    """The claim about a kernel."""

    verdict: str  #: "right", "wrong", "open"
    claim: str  #: "right in every order of this launch"
    findings: list[dict[str, Any]]  #: of all threads, causes first, with places and advice
    open: list[str]  #: what was not decided
    json: dict[str, Any] = field(repr=False)  #: with `threads`, where a test of a few threads was asked, too

    @property
    def ok(self) -> bool:
        return self.verdict == "right"


@dataclass
class Explanation:
    """How an outcome comes about, or why it cannot be."""

    possible: bool
    text: str
    json: dict[str, Any] = field(repr=False)

    def __str__(self) -> str:
        return self.text


@dataclass
class Repair:
    what: list[str]  #: "P1 line 9: make it `ld.acquire.gpu.global.u32`", one for each change
    kinds: list[str]  #: "acquire-missing"
    weakest: Optional[bool]  #: whether it holds under the weakest readings of the ISA, too
    patch: str  #: a unified diff of the test


@dataclass
class Repairs:
    status: str  #: "nothing to repair", "repaired", "none", "unknown"
    repairs: list[Repair]  #: cheapest first
    json: dict[str, Any] = field(repr=False)

    def __bool__(self) -> bool:
        return bool(self.repairs)


def _result(answer: dict[str, Any], text: str) -> Result:
    return Result(answer["verdict"], answer["outcomes"], answer.get("satisfying", []), answer["complete"],
                  answer["races"], answer["hazards"], answer["rests_on"] or [], answer, text)


def check(text: str, *, reading: Optional[str] = None, timeout: Optional[float] = None) -> Result:
    """Every outcome of a test, its races, undefined behaviour and hangs. Raises Error where the text is no test."""
    return _result(_object(["check", "-", "--format", "json", *_common(reading, timeout)], text), text)


def explain(text: str, outcome: Optional[str] = None, *, reading: Optional[str] = None, timeout: Optional[float] = None) -> Explanation:
    """Why an outcome ("P1:r0=1; P1:r1=0"), or what the test claims, can be or cannot be."""
    options = [*(["--outcome", outcome] if outcome else []), *_common(reading, timeout)]
    answer = _object(["explain", "-", "--format", "json", *options], text)
    return Explanation(answer["answer"] == "shown", _run(["explain", "-", *options], text).stdout, answer)


def repair(text: str, *, reading: Optional[str] = None, timeout: Optional[float] = None) -> Repairs:
    """The cheapest changes that make a failing test hold."""
    answer = _object(["repair", "-", "--format", "json", *_common(reading, timeout)], text)
    found = [Repair([m["what"] for m in one["missing"]], [m["kind"] for m in one["missing"]], one["weakest"], one["patch"])
             for one in answer["repairs"]]
    return Repairs(answer["status"], found, answer)


def check_kernel(ptx: str, *, grid: str, block: str, arguments: Iterable[str] = (), entry: Optional[str] = None,
                 cluster: Optional[str] = None, reading: Optional[str] = None, timeout: Optional[float] = None) -> Kernel:
    """The claim about a whole kernel, from its PTX (nvcc -ptx -lineinfo) and a small launch; `arguments` as "in=s32[256]:iota"."""
    options = ["--grid", grid, "--block", block, *_common(reading, timeout)]
    for name, value in (("--entry", entry), ("--cluster", cluster)):
        if value:
            options += [name, value]
    for argument in arguments:
        options += ["--arg", argument]
    answer = _object(["kernel", "-", "--format", "json", *options], ptx)
    findings = [finding for launch in answer["launches"] for finding in launch["findings"]]
    return Kernel(answer["verdict"], answer["claim"], findings, [one["what"] for one in answer["open"]], answer)


def version() -> str:
    return _run(["--version"]).stdout.strip()
