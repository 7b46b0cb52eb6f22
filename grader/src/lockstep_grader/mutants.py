# SPDX-License-Identifier: MIT
"""Mutants: wrong submissions, each declaring in its header how it must be caught."""

import re
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.catalog import find_rung
from lockstep_grader.errors import FaultError, LockstepError
from lockstep_grader.judge import EVERY_TEST, Sought
from lockstep_grader.model import (
    Backend,
    Finding,
    FindingKind,
    Lab,
    Outcome,
    Part,
    Rung,
    RungResult,
)
from lockstep_grader.toolchain import Toolchain

_FIELD = re.compile(r"//\s*(mutant of|mistake|expect|also|message|line|needs):\s*(.*?)\s*$")
_REQUIRED = ("mutant of", "mistake", "expect")
# What a GPU may well let pass with the right result.
_CHECKED_KINDS = frozenset(
    {
        FindingKind.RACE,
        FindingKind.BARRIER_DIVERGENCE,
        FindingKind.UNINITIALIZED_READ,
        FindingKind.OUT_OF_BOUNDS,
        FindingKind.LEAK,
    }
)


@dataclass(frozen=True, slots=True)
class Mutant:
    file: Path
    rung: Rung
    mistake: str
    outcome: Outcome
    kinds: frozenset[FindingKind]  # any of these will do
    message: str = ""  # what a finding's message must contain
    line: int = 0  # the line that a finding must name; 0: any
    needs: str = ""  # a backend, or a feature of its toolchain, without which it is not caught

    def obstacle(self, toolchain: Toolchain) -> str:
        """Why this toolchain cannot be asked to catch the mutant; empty when it can."""
        if self.needs and self.needs not in (toolchain.backend, *toolchain.features):
            return f"needs {self.needs}"
        on_gpu = toolchain.backend is Backend.CUDA and "checkers" not in toolchain.features
        if on_gpu and self.kinds and self.kinds <= _CHECKED_KINDS:
            return "a GPU alone does not see it"
        return ""

    @property
    def sought(self) -> Sought:
        """What is enough to have seen; of a trivial one, every test's verdict counts."""
        return EVERY_TEST if self.is_trivial else Sought(self.kinds, self.line, self.message)

    @property
    def is_trivial(self) -> bool:
        """A submission that does not even try: it may not pass a single test."""
        return self.mistake.startswith("trivial")


def read_mutants(folder: Path, lab: Lab) -> tuple[Mutant, ...]:
    """The mutants of `lab` in `folder`. Raises FaultError for a malformed header."""
    return tuple(_read(file, lab) for file in sorted(folder.glob("*.cu")))


def breaches(mutant: Mutant, result: RungResult) -> list[str]:
    """In what `result` differs from what the mutant declares; empty when it was caught so."""
    if result.outcome is not mutant.outcome:
        return [f"was {result.outcome}, not {mutant.outcome}"]
    found = [finding for finding in result.findings if finding.kind in mutant.kinds]
    if mutant.kinds and not found:
        kinds = ", ".join(sorted(finding.kind for finding in result.findings)) or "no finding"
        return [f"got {kinds}, not {' or '.join(sorted(mutant.kinds))}"]
    wrong = []
    if mutant.message and not any(mutant.message in text for text in _messages(result, found)):
        wrong.append(f"no message says {mutant.message!r}")
    if mutant.line and not any(_names_line(finding, mutant.line) for finding in found):
        lines = ", ".join(str(finding.line) for finding in found)
        wrong.append(f"named line {lines}, not {mutant.line}")
    if mutant.is_trivial:
        tests = [test for test in result.judgement.tests if test.part is Part.CORRECTNESS]
        passed = [test.name for test in tests if test.outcome is Outcome.PASSED]
        wrong += [f"a trivial submission passes {name}" for name in passed]
    return wrong


def _names_line(finding: Finding, line: int) -> bool:
    """A race has two places, and which of them comes first is a matter of chance."""
    in_words = re.search(rf"\bline {line}\b", finding.message)
    return finding.line == line or (finding.kind is FindingKind.RACE and in_words is not None)


def _messages(result: RungResult, found: list[Finding]) -> list[str]:
    failed = [test.message for test in result.judgement.tests if test.outcome is Outcome.FAILED]
    return [finding.message for finding in found] + failed


def _read(file: Path, lab: Lab) -> Mutant:
    fields = _header(file)
    for name in _REQUIRED:
        if name not in fields:
            raise FaultError(f"{file}: the header lacks '// {name}: ...'")
    try:
        outcome, *kinds = fields["expect"].split()
        return Mutant(
            file=file,
            rung=find_rung(lab, fields["mutant of"]),
            mistake=fields["mistake"],
            outcome=Outcome(outcome),
            kinds=frozenset(map(FindingKind, [*kinds, *_words(fields.get("also", ""))])),
            message=fields.get("message", ""),
            line=int(fields.get("line", 0)),
            needs=fields.get("needs", ""),
        )
    except (ValueError, LockstepError) as error:
        raise FaultError(f"{file}: malformed header: {error}") from error


def _header(file: Path) -> dict[str, str]:
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FaultError(f"{file}: {error}") from error
    return {match[1]: match[2] for line in lines if (match := _FIELD.fullmatch(line))}


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()
