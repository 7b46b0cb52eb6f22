# SPDX-License-Identifier: MIT
"""A student's page: self-contained, without data of other students, so it can be sent as is."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lockstep_grader.model.grades import Lab, Points, Rung, RungResult
from lockstep_grader.model.quiz import QuizResult
from lockstep_grader.pages.report.render import Renderer
from lockstep_grader.pages.report.rung_view import RungView, view_rung
from lockstep_grader.pages.report.words import State
from lockstep_grader.results.graded import Entry, LabEntry, Results


@dataclass(frozen=True, slots=True)
class NextStep:
    rung: Rung
    hint: str
    command: str


@dataclass(frozen=True, slots=True)
class LabView:
    id: str
    title: str
    summary: str
    score: float | None
    max_score: float
    rungs: tuple[RungView, ...]
    next: NextStep | None
    quiz: QuizResult | None = None


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
        states=list(State),
    )


def view_labs(results: Results, entry: Entry, labs: Iterable[Lab]) -> list[LabView]:
    known = {lab.id: lab for lab in labs}
    return [_lab(results, entry, lab, known.get(lab.id)) for lab in entry.labs]


def _lab(results: Results, entry: Entry, graded: LabEntry, lab: Lab | None) -> LabView:
    by_id = {rung.id: rung for rung in lab.rungs} if lab else {}
    views = tuple(
        view_rung(results, entry, graded.id, _model(by_id, result), result)
        for result in graded.rungs
    )
    return LabView(
        graded.id,
        lab.title if lab else graded.id,
        lab.summary if lab else "",
        graded.score,
        graded.max_score,
        views,
        _next_step(graded.id, views),
        graded.quiz,
    )


def _model(by_id: Mapping[str, Rung], result: RungResult) -> Rung:
    """The rung's model; a bare one where this checkout no longer has the rung."""
    return by_id.get(result.id) or Rung(result.id, result.id, Points(0, 0, 0))


def _next_step(lab_id: str, views: Iterable[RungView]) -> NextStep | None:
    """The first rung that lacks points through the student's own doing."""
    for view in views:
        if view.score is not None and not view.is_full:
            hint = view.rung.hints[0] if view.rung.hints else ""
            return NextStep(view.rung, hint, f"./lab check {lab_id}/{view.rung.id}")
    return None
