# SPDX-License-Identifier: MIT
"""Output for people on stdout. Submissions' text is passed as rich Text, never as markup."""

import re
from collections.abc import Iterable

from rich.console import Console
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from lockstep_grader.model.grades import (
    COST_KINDS,
    Finding,
    FindingKind,
    LabResult,
    Outcome,
    Part,
    PartScore,
    RungResult,
)
from lockstep_grader.model.text import joined_lines, one_line

STYLES = {
    Outcome.PASSED: "green",
    Outcome.NOISY: "green",
    Outcome.FAILED: "red",
    Outcome.SKIPPED: "yellow",
    Outcome.ERROR: "magenta",
}
_PART_TITLES = {
    Part.CORRECTNESS: "correct",
    Part.CLEANLINESS: "clean",
    Part.EFFICIENCY: "efficient",
}


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Rich would end the program here; `main` does that."""
        raise BrokenPipeError

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        """Rich pads lines up to the longest one: in a file or a pipe that is only in the way."""
        text = super()._render_buffer(buffer)
        return text if self.is_terminal else re.sub(r" +(?=\n)", "", text)


def make_console(stderr: bool = False) -> Console:
    """A console on stdout or stderr; off a terminal it is so wide that nothing is cut or folded."""
    console = _Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = 400
    return console


def points(score: float | None, max_score: float) -> str:
    return f"{'-' if score is None else f'{score:g}'} / {max_score:g}"


def verdict(result: RungResult) -> tuple[str, str]:
    """In words, with its style. A correct and clean rung that costs too much did not fail."""
    kinds = {finding.kind for finding in result.findings}
    if FindingKind.TODO in kinds:
        return "to do", "yellow"
    if result.outcome is Outcome.FAILED and kinds and kinds <= COST_KINDS:
        return f"right, {'too slow' if FindingKind.SLOW in kinds else 'over budget'}", "yellow"
    return result.outcome, STYLES[result.outcome]


def place(finding: Finding) -> str:
    return f"{finding.file}:{finding.line}" if finding.line else finding.file


def cause(result: RungResult) -> str:
    """The first reason for lost points, on one line; empty when there is none."""
    if result.outcome is Outcome.ERROR:
        return one_line(f"not graded: {result.judgement.fault}")
    if result.outcome is Outcome.SKIPPED:
        return "a rung that it requires is not right yet"
    for finding in result.findings:
        where = f" ({place(finding)})" if finding.line else ""
        return joined_lines(f"{finding.said}{where}")
    for test in result.judgement.tests:
        if test.outcome is Outcome.FAILED:
            return joined_lines(f"{test.name}: {test.message}")
    return ""


def print_lab(console: Console, owner: str, lab: LabResult) -> None:
    table = Table(title=Text(f"{owner}  {lab.id}", "bold"), title_justify="left", box=None)
    table.add_column("rung", no_wrap=True)
    for part in Part:
        table.add_column(_PART_TITLES[part], justify="right", no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("outcome", no_wrap=True)
    table.add_column("first cause")
    for rung in lab.rungs:
        table.add_row(
            rung.id,
            *(_part(rung.parts[part]) for part in Part),
            points(rung.score, rung.max_score).replace(" ", ""),
            Text(*verdict(rung)),
            clipped_cell(cause(rung)),
        )
    console.print(table)
    console.print(Text(f"{lab.id}: {points(lab.score, lab.max_score)} points\n", "bold"))


def _part(score: PartScore) -> str:
    return points(score.score, score.max_score).replace(" ", "") if score.max_score else ""


def clipped_cell(text: str) -> Text:
    """A cell that shrinks in favour of other columns; a column without wrapping would not."""
    return Text(text, no_wrap=True, overflow="ellipsis")
