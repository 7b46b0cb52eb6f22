# SPDX-License-Identifier: MIT
"""States and causes in the words that pages use."""

from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.grades import Finding, FindingKind, Outcome, Part, RungResult


class State(StrEnum):
    """How a rung stands, for people: finer than its outcome."""

    FULL = "full marks"
    PART = "some points"
    WRONG = "no points"
    UNWRITTEN = "not written"
    HELD = "held back"  # a rung that it requires is not right
    UNGRADED = "not graded"

    @property
    def style(self) -> str:
        """A name for style sheets."""
        return self.name.lower()

    @property
    def symbol(self) -> str:
        """So that colour is never the only difference."""
        return _SYMBOLS[self]


NOTHING = "\u2013"  # what stands where there is no number
_SYMBOLS = {
    State.FULL: "✓",
    State.PART: "◐",
    State.WRONG: "✗",
    State.UNWRITTEN: "○",
    State.HELD: "‖",
    State.UNGRADED: "?",
}
_KINDS = {
    FindingKind.COMPILE_ERROR: "does not compile",
    FindingKind.TODO: "not written yet",
    FindingKind.OUT_OF_BOUNDS: "out of bounds",
    FindingKind.UNINITIALIZED_READ: "uninitialised read",
    FindingKind.RACE: "race",
    FindingKind.BUDGET: "over budget",
    FindingKind.SLOW: "too slow",
    FindingKind.BARRIER_DIVERGENCE: "barrier not reached by all",
}


def kind_words(kind: FindingKind) -> str:
    return _KINDS.get(kind, kind.value.replace("_", " "))


def cause_words(finding: Finding) -> str:
    return "not handed in" if finding.is_of_missing_file else kind_words(finding.kind)


def is_unwritten(result: RungResult) -> bool:
    """Whether the rung is as it was handed out, or not there at all."""
    return any(
        finding.kind is FindingKind.TODO or finding.is_of_missing_file
        for finding in result.findings
    )


def is_right(result: RungResult) -> bool:
    """Whether its results are correct, whatever they cost."""
    part = result.parts[Part.CORRECTNESS]
    return part.score is not None and part.score == part.max_score


def state_of(result: RungResult) -> State:
    if result.score is None:
        return State.UNGRADED
    if result.score > 0:
        return State.FULL if result.score == result.max_score else State.PART
    if is_unwritten(result):
        return State.UNWRITTEN
    return State.HELD if result.outcome is Outcome.SKIPPED else State.WRONG


def points(score: float | None) -> str:
    """Points as people write them; a dash for what was not graded."""
    return NOTHING if score is None else f"{score:g}"


def percent(score: float | None, max_score: float) -> str:
    if score is None or not max_score:
        return NOTHING
    return f"{100 * score / max_score:.0f} %"


def count_of(number: int, noun: str) -> str:
    """As in: 1 student, 2 students."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
