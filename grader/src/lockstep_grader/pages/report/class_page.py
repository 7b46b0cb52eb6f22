# SPDX-License-Identifier: MIT
"""All pages of a report: the class, a pair that is alike, the leaderboard, and a student's own.

A student's page has no data of other students, so it can be sent as is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lockstep_grader.model.grades import Backend, Lab
from lockstep_grader.pages.engine import coloured_lines
from lockstep_grader.pages.report.class_stats import (
    RULES,
    common_causes,
    distribution,
    effort_stats,
    extremes,
    quiz_stats,
    rung_stats,
    share,
    summarise,
    who_needs_help,
)
from lockstep_grader.pages.report.render import Renderer
from lockstep_grader.pages.report.rung_view import RungView, bare, view_rung
from lockstep_grader.pages.report.words import State, kind_words, page_name, state_of
from lockstep_grader.results.graded import Entry, LabEntry, Results


@dataclass(frozen=True, slots=True)
class LabView:
    graded: LabEntry
    model: Lab | None  # None: this checkout no longer has the lab
    rungs: tuple[RungView, ...]

    @property
    def title(self) -> str:
        return self.model.title if self.model else self.graded.id

    @property
    def next(self) -> RungView | None:
        """The first rung that lacks points through the student's own doing."""
        short = (view for view in self.rungs if view.result.score is not None and not view.is_full)
        return next(short, None)


def student_page(
    renderer: Renderer,
    results: Results,
    entry: Entry,
    *,
    labs: Sequence[Lab],
    pseudonym: str,
) -> str:
    """The page; `pseudonym` is the student's name on the leaderboard, empty where it has none.

    Rungs that the course hides are left out; they count all the same.
    """
    shown = entry.shown
    return renderer.page(
        "student.html.j2",
        entry=entry,
        comments=shown.comments,
        results=results,
        labs=view_labs(results, shown, labs),
        hidden=len(entry.rungs) - len(shown.rungs),
        pseudonym=pseudonym,
    )


def view_labs(results: Results, entry: Entry, labs: Iterable[Lab]) -> list[LabView]:
    models = {lab.id: lab for lab in labs}
    rungs = {(lab.id, rung.id): rung for lab in models.values() for rung in lab.rungs}

    def views(lab: LabEntry) -> Iterable[RungView]:
        for result in lab.rungs:
            model = rungs.get((lab.id, result.id)) or bare(result)
            yield view_rung(results, entry, lab.id, model, result)

    return [LabView(lab, models.get(lab.id), tuple(views(lab))) for lab in entry.labs]


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


def pair_page(renderer: Renderer, results: Results, pair: Pair) -> str:
    sides = [
        (
            match,
            (
                (pair.one, coloured_lines(match.one_text), match.one_lines),
                (pair.other, coloured_lines(match.other_text), match.other_lines),
            ),
        )
        for match in pair.matches
    ]
    return renderer.page("pair.html.j2", results=results, pair=pair, sides=sides)


@dataclass(frozen=True, slots=True)
class Row:
    """A submission in a table."""

    entry: Entry
    share: float | None  # of the points, in percent
    labs: Mapping[str, float | None]  # points; None: not graded
    full_rungs: int
    rungs: int
    cause: str  # the first reason for lost points

    @property
    def status(self) -> str:
        """What the filter chooses by."""
        if self.entry.score is None:
            return "ungraded"
        if self.entry.problem:
            return "problem"
        return "full" if self.entry.is_full else "short"


def class_page(
    renderer: Renderer,
    results: Results,
    labs: Sequence[Lab],
    *,
    similarity: Similarity | None,
    board: str,
    analysis: str,
) -> str:
    """The whole page; `board` and `analysis` are file names of other pages."""
    everyone = results.entries
    entries = tuple(entry for entry in everyone if not entry.is_missing)
    summary = summarise(entries)
    return renderer.page(
        "class.html.j2",
        script_file="table.js",
        results=results,
        labs=[lab for lab, _ in results.labs],
        missing=[entry for entry in everyone if entry.is_missing],
        marked=[entry for entry in everyone if entry.mark],
        titles={lab.id: lab.title for lab in labs},
        summary=summary,
        bins=distribution(entries),
        stats=rung_stats(entries, labs),
        states=list(State),
        causes=common_causes(entries),
        quizzes=quiz_stats(entries),
        efforts=effort_stats(entries, labs),
        noted=[entry for entry in entries if entry.notes],
        extremes=extremes(results, labs) if results.backend is Backend.CUDA else [],
        help_rules=RULES,
        needs=who_needs_help(everyone, summary),
        confirmed=[entry for entry in entries if entry.confirmations],
        ungraded=[entry for entry in entries if entry.score is None],
        rows=class_rows(everyone),
        sections=sorted({entry.section for entry in everyone if entry.section}),
        similarity=similarity,
        board=board,
        analysis=analysis,
        link=_link,
        rules=(LEAST_SHARE, LEAST_ABOVE, LEAST_OWN, LEAST_PAIRS),
    )


def leaderboard_page(renderer: Renderer, results: Results, names: Mapping[str, str]) -> str:
    """`names` says by id what each entry is called: a pseudonym, or the name."""
    return renderer.page(
        "leaderboard.html.j2",
        script_file="table.js",
        results=results,
        labs=[lab for lab, _ in results.labs],
        places=rank(class_rows(results.entries), names),
        is_anonymous=any(names[entry.id] != entry.name for entry in results.entries),
    )


def rank(rows: Sequence[Row], names: Mapping[str, str]) -> list[tuple[int, str, Row]]:
    """By points, ties sharing a rank and sorted by the name shown; the ungraded, rank 0, last."""

    def standing(row: Row) -> float:
        return 1.0 if row.entry.score is None else -row.entry.score

    places: list[tuple[int, str, Row]] = []
    shown = sorted(rows, key=lambda row: (standing(row), names[row.entry.id]))
    for number, row in enumerate(shown, start=1):
        tied = bool(places) and standing(places[-1][2]) == standing(row)
        place = 0 if row.entry.score is None else places[-1][0] if tied else number
        places.append((place, names[row.entry.id], row))
    return places


def class_rows(entries: Sequence[Entry]) -> list[Row]:
    rows = []
    for entry in entries:
        states = [state_of(result) for _, result in entry.rungs]
        rows.append(
            Row(
                entry,
                share(entry),
                {lab.id: lab.score for lab in entry.labs},
                states.count(State.FULL),
                len(states),
                _cause(entry),
            )
        )
    return rows


def _cause(entry: Entry) -> str:
    """The first rung that lacks points, and the reason in a few words."""
    if entry.problem:
        return entry.problem
    for lab, result in entry.rungs:
        state = state_of(result)
        if state is State.FULL:
            continue
        why = str(state)
        if state in (State.PART, State.WRONG):
            why = next((kind_words(each.kind) for each in result.findings), why)
        return f"{lab.id}/{result.id}: {why}"
    return ""


def _link(entry: Entry) -> str:
    return f"students/{page_name(entry.id)}"
