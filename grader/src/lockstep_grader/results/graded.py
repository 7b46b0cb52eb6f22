# SPDX-License-Identifier: MIT
"""Reads what grading wrote: scores from grade.json, and the comments in its folder.

Points are rounded once, where they are earned: grade.json holds them to two places (grades.tidy).
Every total here is a sum of those, and every page and format shows the same number.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.intake.roster import fitting
from lockstep_grader.machine.files import read_json
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import (
    Backend,
    Confirmation,
    Effort,
    Judgement,
    LabResult,
    PartScore,
    RungResult,
    Student,
    SubmissionResult,
    tidy,
    total,
)
from lockstep_grader.model.policy import (
    Comment,
    Course,
    CourseMark,
    Graded,
    LabMark,
    Work,
    comments_for,
    hidden_rungs,
    mark,
    time_of,
)
from lockstep_grader.model.quiz import QuizResult, Sheet
from lockstep_grader.model.text import visible
from lockstep_grader.results import schema
from lockstep_grader.results.comments import read_comments
from lockstep_grader.results.folder import kept_source
from lockstep_grader.results.schema import VersionError, made, names_of, parse_report

GRADES = "grade.json"


@dataclass(frozen=True, slots=True)
class LabEntry(LabResult):
    # What each sheet adds here with all of its points.
    sheet_points: Mapping[Sheet, float] = field(default_factory=dict)
    mark: LabMark | None = None  # what counts instead of the points; see Results.marked
    hidden: frozenset[str] = frozenset()  # rungs that count and that students are not shown

    @property
    def score(self) -> float | None:
        if self.mark:
            return self.mark.points
        sheets = (self.sheet_score(sheet) for sheet in self.sheets)
        return total([*(rung.score for rung in self.rungs), *sheets])

    @property
    def max_score(self) -> float:
        if self.mark:
            return self.mark.max_score
        rungs = sum(rung.max_score for rung in self.rungs)
        return tidy(rungs + sum(map(self.worth, self.sheets)))

    @property
    def shown_sheets(self) -> tuple[Sheet, ...]:
        """Those that count or were answered: a course without a quiz reads nothing about it."""
        return tuple(
            sheet
            for sheet, quiz in self.sheets.items()
            if self.worth(sheet) or quiz.problem or quiz.seed is not None
        )

    def worth(self, sheet: Sheet) -> float:
        return self.sheet_points.get(sheet, 0.0)

    def sheet_score(self, sheet: Sheet) -> float:
        return tidy(self.worth(sheet) * self.sheets[sheet].share)


@dataclass(frozen=True, slots=True)
class Entry(SubmissionResult):
    """A submission's result read back, with comments, and what the course's rules make of it."""

    labs: tuple[LabEntry, ...]
    names: frozenset[str] = frozenset()  # all by which a course file may call the student
    mark: CourseMark | None = None  # what counts by the course's rules
    comments: tuple[Comment, ...] = ()  # of instructors, for this student alone

    @property
    def name(self) -> str:
        """The student's name; the id where the roster has no name."""
        return visible(self.student.name or self.id)

    @property
    def section(self) -> str:
        return visible(self.student.section)

    @property
    def is_full(self) -> bool:
        """Whether it has full marks, or more by a bonus."""
        return self.score is not None and self.score >= self.max_score

    @property
    def rungs(self) -> tuple[tuple[LabEntry, RungResult], ...]:
        return tuple((lab, rung) for lab in self.labs for rung in lab.rungs)

    @property
    def rules(self) -> tuple[str, ...]:
        """What the course's rules changed: a line each, which names the lab."""
        marks = [lab.mark for lab in self.labs if lab.mark]
        return tuple(f"{each.lab}: {note}" for each in marks for note in each.notes)

    @property
    def shown(self) -> "Entry":
        """What the student may see of it: no hidden rung, and no comment on one."""
        hidden = {(lab.id, rung) for lab in self.labs for rung in lab.hidden}
        labs = (
            replace(lab, rungs=tuple(rung for rung in lab.rungs if rung.id not in lab.hidden))
            for lab in self.labs
        )
        said = (each for each in self.comments if (each.lab, each.rung) not in hidden)
        return replace(self, labs=tuple(labs), comments=tuple(said))

    def with_sheet_points(self, points: Mapping[Sheet, float]) -> "Entry":
        """The submission, where all answers of a sheet right add its `points` to their lab."""
        return replace(self, labs=tuple(replace(lab, sheet_points=points) for lab in self.labs))


@dataclass(frozen=True, slots=True)
class Results:
    backend: Backend
    compiler: str
    graded_at: str  # ISO 8601; empty where it is not known
    entries: tuple[Entry, ...]
    folder: Path  # in which sources and pictures lie, where they were kept
    course: str = ""  # the name in the course file

    @property
    def labs(self) -> tuple[tuple[str, float], ...]:
        """Id and full mark of every lab that any submission was graded on, in order."""
        marks = {lab.id: lab.max_score for entry in self.entries for lab in entry.labs}
        return tuple(sorted(marks.items()))

    def names(self) -> frozenset[str]:
        """Every name that a course file may use for a student."""
        return frozenset().union(*(entry.names for entry in self.entries))

    def marked(self, course: Course) -> "Results":
        """The results, where every total is what counts by the course's rules."""
        entries = tuple(_marked(course, entry) for entry in self.entries)
        return replace(self, entries=entries, course=course.name)

    def commented(self, comments: Iterable[Comment]) -> "Results":
        """The results with each student's comments, in place of any others."""
        said = tuple(comments)

        def settled(entry: Entry) -> Iterable[Comment]:
            for each in comments_for(entry.names, said):
                yield each.settled(self.source(entry, each.lab, each.rung) if each.code else "")

        entries = (replace(entry, comments=tuple(settled(entry))) for entry in self.entries)
        return replace(self, entries=tuple(entries))

    def only(self, lab_id: str | None, students: Sequence[str]) -> "Results":
        """The part with this lab and these students, by id, login, email or LMS id."""
        chosen = []
        for entry in self.entries:
            if not students or entry.names.intersection(students):
                labs = tuple(lab for lab in entry.labs if lab_id in (None, lab.id))
                said = tuple(
                    each for each in entry.comments if lab_id is None or each.lab in ("", lab_id)
                )
                chosen.append(replace(entry, labs=labs, comments=said))
        return replace(self, entries=tuple(chosen))

    def source(self, entry: Entry, lab: str, rung: str) -> str:
        """The rung's source as it was judged; empty where it was not kept."""
        return kept_source(self.folder, entry.id, lab, rung)


def read_results(path: Path) -> Results:
    """The results in folder `path`, or in the JSON file `path`. Raises InputError naming it."""
    file = path / GRADES if path.is_dir() else path
    try:
        data = read_json(file)
    except FileNotFoundError as error:
        raise InputError(
            f"{file}: no such file; ./lab grade PATH --results {path} makes a results folder"
        ) from error
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read as JSON: {error}") from error
    try:
        results = results_of(data, file.parent)
    except VersionError as error:
        raise InputError(f"{file} {error}") from error
    except ValueError as error:
        raise InputError(f"{file} is not what ./lab grade writes: {error}") from error
    identifiers = [entry.id for entry in results.entries]
    if len(set(identifiers)) < len(identifiers):
        raise InputError(f"{file} names a submission twice")
    comments = [each.comment for each in read_comments(file.parent)]
    commented = results.commented(comments)
    return commented.marked(Course()) if any(each.points for each in comments) else commented


def results_of(data: object, folder: Path) -> Results:
    """The results in a grade.json of `folder`. Raises ValueError naming a field on other data."""
    report = parse_report(data)
    compiler = report.toolchain.compiler
    names = names_of(report)
    return Results(
        report.backend,
        visible(f"{compiler.get('id', '')} {compiler.get('version', '')}".strip()),
        visible(report.graded_at),
        tuple(_entry(item, names[item.id]) for item in report.submissions),
        folder,
    )


def _entry(item: schema.Submission, names: frozenset[str]) -> Entry:
    return Entry(
        item.id,
        tuple(_lab(lab) for lab in item.labs),
        made(Student, item.student),
        visible(item.problem),
        tuple(map(visible, item.notes)),
        is_late=item.late,
        dispute=visible(item.dispute),
        is_missing=item.missing,
        handed_in=item.handed_in,
        confirmations=tuple(made(Confirmation, each) for each in item.confirmations),
        names=names,
    )


def _lab(item: schema.Lab) -> LabEntry:
    answered = {sheet: getattr(item, sheet) for sheet in Sheet}
    sheets = {sheet: made(QuizResult, each) for sheet, each in answered.items() if each}
    rungs = tuple(_rung(rung) for rung in item.rungs)
    effort = made(Effort, item.effort) if item.effort else None
    return LabEntry(item.id, rungs, sheets, effort=effort)


def _rung(item: schema.Rung) -> RungResult:
    judgement = made(Judgement, item)
    parts = {
        name: PartScore(_score(part.score), float(part.max_score))
        for name, part in item.parts.items()
    }
    return RungResult(item.id, item.outcome, parts, judgement.findings, judgement)


def _score(value: float | None) -> float | None:
    return None if value is None else float(value)


def _marked(course: Course, entry: Entry) -> Entry:
    graded = tuple(
        Graded(
            lab.id,
            tuple((rung.id, rung.score, rung.max_score) for rung in lab.rungs),
            {sheet: quiz.share for sheet, quiz in lab.sheets.items()},
        )
        for lab in entry.labs
    )
    work = Work(entry.names, graded, entry.is_late, entry.is_missing, time_of(entry.handed_in))
    said = comments_for(entry.names, course.comments)
    marks = mark(replace(course, comments=(*entry.comments, *said)), work)
    return replace(
        entry,
        labs=tuple(
            replace(lab, mark=marks.of(lab.id), hidden=hidden_rungs(course, lab.id))
            for lab in entry.labs
        ),
        mark=marks,
        comments=(*entry.comments, *said),
    )


def by_rules(results: Results, file: Path | None) -> Results:
    """What counts by the course file, if there is one. Raises InputError with all its mistakes."""
    if file is None:
        return results
    from lockstep_grader.intake.coursefile import CourseFile  # needs pydantic

    rules = CourseFile(file, read_labs(Workspace.from_environment()))
    course = rules.course(results.entries)
    for warning in rules.warnings(course):
        say(warning)
    return results.marked(course)


def student_called(name: str, results: Results) -> Entry:
    """Raises InputError unless `name` is that of exactly one."""
    found = fitting(name, results.entries)
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(entry.id for entry in found)
        raise InputError(f"{name!r} fits {len(found)} submissions; choose one: {ids}")
    known = [each for entry in results.entries for each in (entry.id, entry.name)]
    parts = [each for each in known if name.casefold() in each.casefold()]  # a first name
    close = parts or difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else "./lab export RESULTS --format csv lists all"
    raise InputError(f"there is no student {name!r} in these results; {hint}")
