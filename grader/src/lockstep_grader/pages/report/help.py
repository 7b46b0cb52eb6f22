# SPDX-License-Identifier: MIT
"""Who needs help, by rules that the page states."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lockstep_grader.pages.report.class_stats import Summary
from lockstep_grader.pages.report.words import is_right, is_unwritten, points
from lockstep_grader.results.graded import Entry

_MANY = 0.75  # of those who wrote a rung: then it is hard only for the others
_LEAST_WRITTEN = 4  # fewer say nothing of how hard a rung is

RULES = (
    "nothing could be taken from the submission, or no rung of it is written",
    "the points are less than half of the class's median",
    "the first rung of a lab is written, and its results are wrong",
    f"a rung is wrong that at least {_MANY:.0%} of those who wrote it "
    f"(and at least {_LEAST_WRITTEN}) have right",
)


@dataclass(frozen=True, slots=True)
class Need:
    entry: Entry
    reasons: tuple[str, ...]


def who_needs_help(entries: Sequence[Entry], summary: Summary) -> list[Need]:
    """Those with the most reasons first. Students without a grade are not judged by these rules."""
    easy = _easy_rungs(entries)
    needs = []
    for entry in entries:
        if entry.score is not None and (reasons := tuple(_reasons(entry, summary, easy))):
            needs.append(Need(entry, reasons))
    needs.sort(key=lambda need: (-len(need.reasons), need.entry.score or 0.0, need.entry.id))
    return needs


def _reasons(entry: Entry, summary: Summary, easy: set[tuple[str, str]]) -> Iterator[str]:
    if entry.problem:
        yield entry.problem
        return
    if all(is_unwritten(result) for _, result in entry.rungs):
        yield "nothing is written"
        return
    if summary.median and entry.score is not None and entry.score < summary.median / 2:
        yield f"{points(entry.score)} points, the median is {points(summary.median)}"
    for lab in entry.labs:
        for number, result in enumerate(lab.rungs):
            if result.score is None or is_right(result) or is_unwritten(result):
                continue
            if number == 0:
                yield f"the first rung of {lab.id} is wrong"
            elif (lab.id, result.id) in easy:
                yield f"{lab.id}/{result.id} is wrong, and most have it right"


def _easy_rungs(entries: Sequence[Entry]) -> set[tuple[str, str]]:
    written: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for entry in entries:
        for lab, result in entry.rungs:
            if result.score is not None and not is_unwritten(result):
                written[lab.id, result.id].append(is_right(result))
    return {
        place
        for place, right in written.items()
        if len(right) >= _LEAST_WRITTEN and sum(right) / len(right) >= _MANY
    }
