# SPDX-License-Identifier: MIT
"""The results of comparing submissions, as values, and the page of a pair."""

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from lockstep_grader.pages.report.render import Renderer
from lockstep_grader.pages.report.slugs import page_name
from lockstep_grader.pages.source import coloured_lines
from lockstep_grader.results.graded import Entry, Results

LEAST_SHARE = 0.8
LEAST_ABOVE = 0.15  # above the usual, where that is known
LEAST_OWN = 200  # characters of the student's own code, or there is nothing to compare
LEAST_PAIRS = 6  # fewer say nothing of what is usual
MOST_PAIRS = 60  # listed


@dataclass(frozen=True, slots=True)
class Match:
    """One rung of a pair. `usual` is the median over all pairs at this rung, None: too few."""

    lab: str
    rung: str
    share: float
    usual: float | None
    one_text: str
    other_text: str
    one_lines: frozenset[int]
    other_lines: frozenset[int]


@dataclass(frozen=True, slots=True)
class Pair:
    one: Entry
    other: Entry
    matches: tuple[Match, ...]

    @property
    def share(self) -> float:
        return max(match.share for match in self.matches)

    @property
    def page(self) -> str:
        """The file name of its page."""
        return page_name(self.one.id, self.other.id)


@dataclass(frozen=True, slots=True)
class Similarity:
    pairs: tuple[Pair, ...]
    left_out: int  # pairs that stand out too, beyond MOST_PAIRS
    compared: int  # pairs of files
    everywhere: tuple[str, ...]  # rungs at which being alike is usual, so that nothing stands out


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    html: Markup
    is_shared: bool


def pair_page(renderer: Renderer, results: Results, pair: Pair) -> str:
    sides = [
        (
            match,
            (
                (pair.one, _lines(match.one_text, match.one_lines)),
                (pair.other, _lines(match.other_text, match.other_lines)),
            ),
        )
        for match in pair.matches
    ]
    return renderer.page("pair.html.j2", results=results, pair=pair, sides=sides)


def rules() -> dict[str, Any]:
    """The figures that pages state."""
    return {
        "least_share": LEAST_SHARE,
        "least_above": LEAST_ABOVE,
        "least_own": LEAST_OWN,
        "least_pairs": LEAST_PAIRS,
    }


def _lines(text: str, shared: frozenset[int]) -> list[_Line]:
    return [
        _Line(number, html, number in shared)
        for number, html in enumerate(coloured_lines(text), start=1)
    ]
