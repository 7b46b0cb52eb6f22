# SPDX-License-Identifier: MIT
"""A student's page: self-contained, without data of other students, so it can be sent as is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lockstep_grader.model.grades import Lab
from lockstep_grader.pages.report.render import Renderer
from lockstep_grader.pages.report.rung_view import RungView, bare, view_rung
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
