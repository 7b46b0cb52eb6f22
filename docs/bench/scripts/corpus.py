# SPDX-License-Identifier: MIT
"""The corpus: small CUDA programs, wrong and right, each with the verdict that it must get.

A program's first comment names the kind of its mistake, or `right`, and the lines that a checker may name.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from measurements import ROOT

from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Finding, FindingKind
from lockstep_grader.student.program.build import BuildError, Options, build_program
from lockstep_grader.student.program.run import Settings, run_program
from lockstep_grader.toolchain.description import Step

CORPUS = ROOT / "common" / "device" / "tests" / "corpus"
RIGHT = "right"
# What nvcc refuses, and what only the program's output shows.
_OTHERS = frozenset({FindingKind.COMPILE_ERROR, FindingKind.WRONG_RESULT})
_SEEDS = (0, 1, 2, 3)  # orders of threads, until one shows a finding
_SECONDS = 60

_FIELD = re.compile(r"^// (?P<name>[a-z_]+): (?P<text>.*)$")
_MORE = re.compile(r"^// (?P<text>.*)$")


@dataclass(frozen=True, slots=True)
class Program:
    name: str  # races/missing_barrier
    file: Path
    kinds: tuple[str, ...]  # one of them must be found; empty: the program is right
    says: str  # what is wrong, or why it is right
    lines: tuple[int, ...]  # one of them must be named; empty: any
    missed: str  # why the emulator cannot find it; empty: it must

    @property
    def topic(self) -> str:
        return self.name.partition("/")[0]

    @property
    def is_right(self) -> bool:
        return not self.kinds

    def expects(self, kind: str, line: int) -> bool:
        """Whether a finding of this kind, at this line, is the one that the header declares."""
        return kind in self.kinds and (not self.lines or line in self.lines)


@dataclass(frozen=True, slots=True)
class Examined:
    """What the emulator found, leaks included; and how the program's last run ended."""

    findings: tuple[Finding, ...]
    built: bool = True
    status: int | None = None
    output: str = ""


def read_corpus(folder: Path = CORPUS) -> list[Program]:
    return [_read(file, folder) for file in sorted(folder.glob("*/*.cu"))]


def examine(steps: Mapping[str, Step], program: Program, work: Path) -> Examined:
    """Builds a program for the emulator in the folder `work`, and runs it in several orders.

    What shows no finding is run once more with the kernels as written, as a judge does.
    """
    examined = _examine(steps, program, work, Options(), _SEEDS)
    if not examined.findings:
        examined = _examine(steps, program, work, Options(is_optimised=False), _SEEDS[:1])
    return examined


def _examine(
    steps: Mapping[str, Step], program: Program, work: Path, options: Options, seeds: Sequence[int]
) -> Examined:
    try:
        binary = build_program(steps, [program.file], options, work, 1)
    except BuildError as error:
        return Examined((error.finding,), built=False)
    for seed in seeds:
        with (work / "output").open("w+", errors="replace") as said:
            settings = Settings(seed=seed, timeout=_SECONDS)
            ran = run_program(
                binary, (), settings, work, name=program.file.stem, output=said.fileno()
            )
            said.seek(0)
            output = said.read()
        leaks = (
            Finding(FindingKind.LEAK, f"never frees {leak.size_bytes} bytes", leak.file, leak.line)
            for leak in ran.leaks
        )
        examined = Examined((*ran.findings, *leaks), status=ran.status, output=output)
        if examined.findings:
            break
    return examined


def complaint(program: Program, examined: Examined) -> str:
    """How the emulator's findings differ from the header; empty: they do not."""
    found = ", ".join(f"{item.kind} in line {item.line}" for item in examined.findings) or "nothing"
    if program.is_right:
        passed = examined.status == 0 and "PASS" in examined.output.splitlines()
        return (
            "" if passed and not examined.findings else f"{program.name} is right; found: {found}"
        )
    if any(program.expects(item.kind, item.line) for item in examined.findings):
        return f"{program.name} is found, and declared missed" if program.missed else ""
    if program.missed or set(program.kinds) <= _OTHERS:
        return ""
    lines = f" in line {' or '.join(map(str, program.lines))}" if program.lines else ""
    return f"{program.name}: expected {' or '.join(program.kinds)}{lines}; found: {found}"


def _read(file: Path, folder: Path) -> Program:
    name = file.relative_to(folder).with_suffix("").as_posix()
    text = file.read_text("utf-8").splitlines()
    head = text[1 : next(i for i, line in enumerate(text) if not line.startswith("//"))]
    fields = _fields(head, name)
    (kind, says), others = fields[0], fields[1:]
    if kind != RIGHT and kind not in list(FindingKind):
        raise InputError(f"{name}: its first line names no kind of finding: {kind}")
    kinds = [kind] if kind != RIGHT else []
    lines, missed = list[int](), ""
    for field, value in others:
        if field == "at":
            lines.append(_line_of(value, text, len(head) + 1, name))
        elif field == "or":
            kinds.append(FindingKind(value))
        elif field == "missed":
            missed = value
        else:
            raise InputError(f"{name}: unknown field {field}")
    return Program(name, file, tuple(kinds), says, tuple(lines), missed)


def _fields(head: Sequence[str], name: str) -> list[tuple[str, str]]:
    fields: list[tuple[str, str]] = []
    for line in head:
        if match := _FIELD.match(line):
            fields.append((match["name"], match["text"]))
        elif (match := _MORE.match(line)) and fields:
            fields[-1] = (fields[-1][0], f"{fields[-1][1]} {match['text']}")
        else:
            raise InputError(f"{name}: its header begins with neither `right:` nor a kind")
    if not fields:
        raise InputError(f"{name}: it has no header")
    return fields


def _line_of(wanted: str, text: Sequence[str], begin: int, name: str) -> int:
    found = [number for number, line in enumerate(text, 1) if number > begin and wanted in line]
    if len(found) != 1:
        raise InputError(f"{name}: {len(found)} lines are `{wanted}`")
    return found[0]
