# SPDX-License-Identifier: MIT
"""The words that every format carries: why points were lost, safe to show, and bounded."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from lockstep_grader.model.grades import Finding, Outcome, RungResult
from lockstep_grader.model.quiz import Mark, Sheet
from lockstep_grader.model.text import visible
from lockstep_grader.results.graded import Entry, LabEntry
from lockstep_grader.words.account import account_of

MESSAGE_CHARS = 2_000  # of one message of the judge, or of what a submission printed
RUNG_CHARS = 10_000  # of all text about one rung

NOT_GRADED = "Not graded: a fault of the grader or its machine, not of your submission"
_NAMED = 5  # students with the same reason, in a line
_ASK_CHARS = 500  # of a question, or of an answer
_OTHER_MARKS = {
    Mark.RIGHT: "right",
    Mark.UNANSWERED: "not answered",
    Mark.COLLECTED: "kept for your instructor",
    Mark.LATE: "predicted after the rung had passed",
}
_TRY_AGAIN = "It costs you nothing and will be graded again."


def number(points: float) -> str:
    """Points as people write them: 2, 2.5, 12.35."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def points(score: float | None, max_score: float) -> str:
    return f"{'-' if score is None else number(score)} / {number(max_score)}"


def clip(text: str, max_chars: int) -> str:
    """The beginning of `text`, with a note of how much was left out."""
    if len(text) <= max_chars:
        return text
    return f"{text[:max_chars]}\n[... {len(text) - max_chars} more characters]"


def safe(text: str, max_chars: int = MESSAGE_CHARS) -> str:
    """Text of a submission or of the judge: nothing invisible in it, and not too long."""
    return clip(visible(text).strip(), max_chars)


def disarmed(text: str) -> str:
    """`text` whose lines are not commands to the workflow of GitHub that prints them."""
    lines = text.replace("##[", "# #[").split("\n")
    return "\n".join(f"| {line}" if line.lstrip().startswith("::") else line for line in lines)


def explanation(rung: RungResult, max_chars: int = RUNG_CHARS) -> str:
    """Points by part, then each cause; what a student needs to go on."""
    if rung.score is None:
        return clip(f"{NOT_GRADED} ({safe(rung.judgement.fault)}). {_TRY_AGAIN}", max_chars)
    earned = [
        f"{part} {points(each.score, each.max_score)}"
        for part, each in rung.parts.items()
        if each.max_score
    ]
    lines = [", ".join(earned)]
    if rung.outcome is Outcome.SKIPPED:
        lines.append("A rung that this one requires is not right yet.")
    if rung.outcome is Outcome.NOISY:
        lines.append("A speed was too close to its gate to call: it is not held against you.")
    account = account_of(rung.findings, rung.judgement.tests)
    if account.cause:
        lines.append(_cause(account.cause))
    if account.said:
        lines.append(safe(account.said))
    if account.effects:
        lines += ["further:", *map(safe, account.effects)]
    outputs = (test.output for test in rung.judgement.tests if test.outcome is Outcome.FAILED)
    if output := next(filter(str.strip, outputs), ""):
        lines.append(f"it printed: {safe(output)}")
    return clip("\n".join(lines), max_chars)


def sheet_words(lab: LabEntry, sheet: Sheet, max_chars: int = RUNG_CHARS) -> str:
    """How many answers earn a point, then each that is not right, with the reason."""
    quiz = lab.sheets[sheet]
    if quiz.problem:
        return clip(f"The answers cannot be read: {safe(quiz.problem)}", max_chars)
    if quiz.seed is None:
        return f"No answers: hand in {sheet.file}, which {sheet.command(lab.id)} writes."
    lines = [f"{number(quiz.score)} of {number(quiz.max_score)} {sheet.earned_by}"]
    if not lab.worth(sheet):
        lines[0] += f"; the {sheet} {'adds' if sheet is Sheet.QUIZ else 'add'} no points here"
    for each in quiz.answers:
        if each.mark in (Mark.WRONG, Mark.UNCHECKED):
            lines += [f"{each.mark}: {each.id}", f"    {safe(each.ask, _ASK_CHARS)}"]
            lines.append(f"    your answer: {safe(each.answer, _ASK_CHARS)}")
            lines += [f"    counted: {safe(each.counted, _ASK_CHARS)}"] if each.counted else []
            lines += [f"    {safe(each.reason)}"] if each.reason else []
    for mark, said in _OTHER_MARKS.items():
        if ids := [each.id for each in quiz.answers if each.mark is mark]:
            lines.append(f"{said}: {', '.join(ids)}")
    return clip("\n".join(lines), max_chars)


@dataclass(frozen=True, slots=True)
class Item:
    """A rung or a sheet of answers, as a platform's document of a submission lists it."""

    lab: str
    id: str
    score: float | None
    max_score: float  # 0: a sheet that adds no points
    tag: str  # a rung's outcome, or the sheet
    is_full: bool
    said: Callable[[int], str]  # at most so many characters

    @property
    def name(self) -> str:
        """Without a colon, which Autolab's parser would trip over."""
        return f"{self.lab}/{self.id}"

    @property
    def counts(self) -> bool:
        return bool(self.max_score) or not self.is_sheet

    @property
    def is_sheet(self) -> bool:
        return self.tag == self.id


def items(submission: Entry) -> list[Item]:
    """Every rung, then every sheet that counts or was answered."""

    def of_rung(lab: LabEntry, rung: RungResult) -> Item:
        said = partial(explanation, rung)
        tag = rung.outcome.value
        full = rung.score == rung.max_score
        return Item(lab.id, rung.id, rung.score, rung.max_score, tag, full, said)

    def of_sheet(lab: LabEntry, sheet: Sheet) -> Item:
        score, worth = lab.sheet_score(sheet), lab.worth(sheet)
        said = partial(sheet_words, lab, sheet)
        return Item(lab.id, sheet.value, score, worth, sheet.value, score == worth, said)

    rungs = [of_rung(lab, rung) for lab, rung in submission.rungs]
    shown = ((lab, sheet) for lab in submission.labs for sheet in lab.shown_sheets)
    return [*rungs, *(of_sheet(lab, sheet) for lab, sheet in shown)]


def headline(submission: Entry) -> str:
    """Sentences about the submission as a whole."""
    if submission.score is None:
        return f"{NOT_GRADED}. {_TRY_AGAIN}"
    lines = [f"{points(submission.score, submission.max_score)} points"]
    if submission.problem:
        lines.insert(0, safe(submission.problem))
    lines += map(safe, submission.notes)
    return "\n".join(lines)


def _cause(finding: Finding) -> str:
    if finding.is_of_missing_file:
        return safe(finding.said)
    place = f" at {safe(finding.file)}:{finding.line}" if finding.line else ""
    return f"{finding.kind}{place}: {safe(finding.message)}"


class LeftOut(NamedTuple):
    """A student that a file leaves out, and the reason."""

    id: str
    why: str


def said_of(left_out: Sequence[LeftOut]) -> str:
    """All of them on one line, each reason once."""
    by_reason: dict[str, list[str]] = {}
    for each in left_out:
        by_reason.setdefault(each.why, []).append(each.id)
    return "; ".join(f"{_some(ids)} ({why})" for why, ids in by_reason.items())


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return f"{', '.join(ids[:_NAMED])}{more}"
