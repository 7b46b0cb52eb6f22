# SPDX-License-Identifier: MIT
"""What `grade` prints: lab tables for a few submissions, a line each for a class."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import mean, median

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lockstep_grader.machine.console import cause, clipped_cell, points, print_lab
from lockstep_grader.model.grades import SubmissionResult, tidy
from lockstep_grader.model.text import one_line

_DETAILED_SUBMISSIONS = 8  # beyond these, one line per submission
_MAX_LISTED = 20  # problems and faults
_TITLES = (
    _PROBLEMS := "nothing could be taken from",
    _MISSING := "handed in nothing",
    _NOTES := "to note",
    _DISPUTES := "whose work it is is not clear",
    _ANSWERS := "answers that cannot be read",
)
_UNCONFIRMED = "judged a second time, and not confirmed"


@dataclass(frozen=True, slots=True)
class _Row:
    id: str
    name: str
    score: float | None
    max_score: float
    full_rungs: int
    rungs: int
    cause: str
    is_missing: bool


@dataclass(slots=True)
class Summary:
    """Adds up results as they come, and forgets them."""

    console: Console
    class_size: int
    _rows: list[_Row] = field(default_factory=list)
    _lists: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _confirmed: int = 0
    ungraded: list[str] = field(default_factory=list)  # rungs, with the reason

    @property
    def is_full(self) -> bool:
        return all(row.score == row.max_score for row in self._rows)

    def add(self, result: SubmissionResult) -> None:
        rungs = [rung for lab in result.labs for rung in lab.rungs]
        first = result.problem or next((text for rung in rungs if (text := cause(rung))), "")
        full = sum(rung.score == rung.max_score for rung in rungs)
        row = _Row(
            result.id,
            result.student.name,
            result.score,
            result.max_score,
            full,
            len(rungs),
            one_line(first),
            result.is_missing,
        )
        self._rows.append(row)
        if result.is_missing:
            self._lists[_MISSING].append(result.id)
        elif result.problem:
            self._lists[_PROBLEMS].append(f"{result.id}: {one_line(result.problem)}")
        self._lists[_NOTES] += [f"{result.id}: {one_line(note)}" for note in result.notes]
        self._lists[_ANSWERS] += [
            f"{result.id} {lab.id}: {one_line(quiz.problem)}"
            for lab in result.labs
            for quiz in lab.sheets.values()
            if quiz.problem
        ]
        if result.dispute:
            self._lists[_DISPUTES].append(f"{result.id}: {one_line(result.dispute)}")
        self._confirmed += sum(each.agrees is True for each in result.confirmations)
        self._lists[_UNCONFIRMED] += [
            f"{result.id} {each.line}" for each in result.confirmations if not each.agrees
        ]
        self.ungraded += [
            f"{result.id} {lab.id}/{rung.id}: {rung.judgement.fault}"
            for lab in result.labs
            for rung in lab.rungs
            if rung.score is None
        ]
        if self.class_size <= _DETAILED_SUBMISSIONS:
            self._print_labs(result)

    def finish(self) -> None:
        """Prints what is known only at the end."""
        if self.class_size > _DETAILED_SUBMISSIONS:
            self.console.print(self._table())
            self.console.print(Text(self._totals(), "bold"))
        for title in _TITLES:
            _print_list(self.console, title, self._lists[title])
        if self._confirmed:
            rungs = "1 rung" if self._confirmed == 1 else f"{self._confirmed} rungs"
            self.console.print(Text(f"judged a second time, and confirmed: {rungs}"))
        _print_list(self.console, _UNCONFIRMED, self._lists[_UNCONFIRMED])
        if self.class_size > _DETAILED_SUBMISSIONS:
            _print_list(self.console, "not graded", list(map(one_line, self.ungraded)))

    def _print_labs(self, result: SubmissionResult) -> None:
        if result.is_missing or result.problem:  # which a list at the end names, once
            total = points(result.score, result.max_score)
            self.console.print(Text(f"{result.id}: {total} points\n", "bold"))
            return
        for lab in result.labs:
            print_lab(self.console, result.id, lab)
        if len(result.labs) > 1:
            total = points(result.score, result.max_score)
            self.console.print(Text(f"{result.id}: {total} points in all", "bold"))

    def _table(self) -> Table:
        table = Table(box=None)
        named = any(row.name and row.name != row.id for row in self._rows)
        table.add_column("submission", no_wrap=True)
        if named:
            table.add_column("name", no_wrap=True)
        table.add_column("points", justify="right", no_wrap=True)
        table.add_column("full rungs", justify="right", no_wrap=True)
        table.add_column("first cause")
        for row in sorted(self._rows, key=lambda row: (row.id.casefold(), row.id)):
            table.add_row(
                Text(row.id),
                *([Text(row.name)] if named else []),
                points(row.score, row.max_score),
                f"{row.full_rungs} of {row.rungs}",
                clipped_cell(row.cause),
            )
        return table

    def _totals(self) -> str:
        there = [row for row in self._rows if not row.is_missing]
        scores = [row.score for row in there if row.score is not None]
        full = sum(row.score == row.max_score for row in there)
        number = len(there)
        counts = f"{number} submission{'' if number == 1 else 's'}, {full} with full marks"
        if missing := len(self._rows) - number:
            counts += f"; {missing} student{'' if missing == 1 else 's'} handed in nothing"
        if not scores:
            return counts
        figures = f"mean {tidy(mean(scores)):g}, median {tidy(median(scores)):g}"
        return f"{counts}; {figures} of {self._rows[0].max_score:g}"


def _print_list(console: Console, title: str, lines: Sequence[str]) -> None:
    if not lines:
        return
    console.print(Text(f"{title} ({len(lines)}):", "bold"))
    for line in lines[:_MAX_LISTED]:
        console.print(Text(f"  {line}"), soft_wrap=True)
    if len(lines) > _MAX_LISTED:
        console.print(Text(f"  and {len(lines) - _MAX_LISTED} more"))
