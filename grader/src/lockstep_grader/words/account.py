# SPDX-License-Identifier: MIT
"""Why a rung failed, in sentences for people: the cause once, then its consequences in three lines.

Terminal, pages, JSON and exports all use these sentences.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from lockstep_grader.model.grades import (
    COST_KINDS,
    Finding,
    FindingKind,
    Outcome,
)
from lockstep_grader.model.score import may_follow
from lockstep_grader.model.text import count_of, joined_lines

_EFFECTS = 3
# An output that nothing set before an addition may look as if nothing had been written.
_SAME_NEWS = frozenset({(FindingKind.UNINITIALIZED_READ, FindingKind.OUTPUT_UNWRITTEN)})
_LINE_CHARS = 320


class Tried(Protocol):
    """A test's result, fresh from the judge or read back from a report."""

    @property
    def name(self) -> str: ...
    @property
    def outcome(self) -> Outcome: ...
    @property
    def message(self) -> str: ...
    @property
    def findings(self) -> tuple[Finding, ...]: ...


@dataclass(frozen=True, slots=True)
class Account:
    cause: Finding | None  # None: no checker found one, see `said`
    said: str  # how many tests fail for it or show it, and the first; or what the first one says
    effects: tuple[str, ...]  # a line each
    left_out: int  # findings and failed tests that it does not mention


NOTHING_TO_SAY = Account(None, "", (), 0)


def account_of(findings: Sequence[Finding], tests: Iterable[Tried]) -> Account:
    """`findings` are the rung's, causes first."""
    tests = tuple(tests)
    failed = [test for test in tests if test.outcome is Outcome.FAILED]
    if not findings:
        return _without_cause(failed)
    cause = findings[0]
    others = [
        finding
        for finding in findings[1:]
        if not _repeats(cause, finding) and (cause.kind, finding.kind) not in _SAME_NEWS
    ]
    due = [test for test in failed if is_due_to(cause, test)]
    due.sort(key=lambda test: not _shows(cause, test))  # a test that shows it is named
    effects = tuple(_line(finding) for finding in others[:_EFFECTS])
    left = len(others) - len(effects) + len(failed) - len(due)
    told = {found.message for found in findings}
    said = _reason(cause, due, told) if due else _seen_in(tests, cause)
    return Account(cause, said, effects, left)


def _is_same(cause: Finding, finding: Finding) -> bool:
    return (cause.kind, cause.file, cause.line) == (finding.kind, finding.file, finding.line)


def _repeats(cause: Finding, finding: Finding) -> bool:
    """Whether it says without a place what `cause` says with one, as tests do that did not run."""
    return finding.kind is cause.kind and finding.line == 0 < cause.line


def _without_cause(failed: Sequence[Tried]) -> Account:
    if not failed:
        return NOTHING_TO_SAY
    first = failed[0]
    message = f": {first.message}" if first.message else ""
    return Account(None, f"{first.name} failed{message}", (), len(failed) - 1)


def _shows(cause: Finding, test: Tried) -> bool:
    return any(_is_same(cause, found) or _repeats(cause, found) for found in test.findings)


def is_due_to(cause: Finding, test: Tried) -> bool:
    """Whether the test shows the cause, or only what tends to follow from it."""
    if _shows(cause, test):
        return True
    if cause.kind in COST_KINDS:
        return False
    return all(may_follow(cause.kind, finding.kind) for finding in test.findings)


def _seen_in(tests: Iterable[Tried], cause: Finding) -> str:
    """Which tests show a finding that makes none of them fail."""
    names = [test.name for test in tests if _shows(cause, test)]
    if not names or cause.kind in COST_KINDS:
        return ""
    if len(names) == 1:
        return f"seen in {names[0]}, where all results are right"
    return f"seen in {len(names)} tests, where all results are right; the first is {names[0]}"


def _reason(cause: Finding, due: Sequence[Tried], told: Iterable[str]) -> str:
    """The number of tests, and what only the first test's message says, or else its size."""
    first = due[0]
    if len(due) == 1:
        said = f"1 test fails for this reason: {first.name}"
    else:
        said = f"{len(due)} tests fail for this reason; the first is {first.name}"
    message = joined_lines(_untold(first.message, told))
    if message:
        return _clipped(f"{said}: {message}")
    items = next((found.items for found in first.findings if _is_same(cause, found)), 0)
    return f"{said}, with {count_of(items, 'item')}" if items else said


def _untold(message: str, told: Iterable[str]) -> str:
    """What a finding does not say already of a test's message, such as the size."""
    for text in told:
        if text and text in message:
            return message[: message.index(text)].rstrip(": ")
    return message


def _line(finding: Finding) -> str:
    where = f" in line {finding.line}" if finding.line else ""
    what_happened = finding.message.partition("; ")[0]  # the advice is for the cause
    return _clipped(f"{finding.kind}{where}: {joined_lines(what_happened)}")


def _clipped(text: str) -> str:
    if len(text) <= _LINE_CHARS:
        return text
    whole_words = text[: _LINE_CHARS - 3].rpartition(" ")[0] or text[: _LINE_CHARS - 3]
    return f"{whole_words}..."
