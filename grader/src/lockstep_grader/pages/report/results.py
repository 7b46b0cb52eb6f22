# SPDX-License-Identifier: MIT
"""Reads what grading wrote: the scores from grade.json, sources and pictures from its folder."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Backend, Confirmation, PartScore, RungResult
from lockstep_grader.model.policy import (
    Comment,
    Course,
    CourseMark,
    Graded,
    Work,
    comments_for,
    mark,
    time_of,
)
from lockstep_grader.model.quiz import QuizResult
from lockstep_grader.model.text import visible
from lockstep_grader.results import schema
from lockstep_grader.results.comments import read_comments
from lockstep_grader.results.folder import kept_file, kept_source
from lockstep_grader.results.parsed import confirmation_of, judgement_of, quiz_of
from lockstep_grader.results.schema import VersionError, names_of, parse_report

GRADES = "grade.json"
_MAX_PICTURE_BYTES = 4 << 20
_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class LabEntry:
    id: str
    score: float | None  # None: not graded
    max_score: float
    rungs: tuple[RungResult, ...]
    quiz: QuizResult | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One submission. `problem` says why nothing could be taken from it, else it is empty."""

    id: str
    name: str  # of the student; the id where the roster knows none
    section: str
    problem: str
    score: float | None  # None: not graded
    max_score: float
    labs: tuple[LabEntry, ...]
    notes: tuple[str, ...] = ()  # such as which of several uploads counts
    dispute: str = ""  # why it is not clear whose this is
    names: frozenset[str] = frozenset()  # all by which a course file may call the student
    is_late: bool = False
    is_missing: bool = False
    participant: str = ""  # by which Moodle knows whose work it is
    handed_in: str = ""
    confirmations: tuple[Confirmation, ...] = ()
    mark: CourseMark | None = None  # what counts by the course's rules
    comments: tuple[Comment, ...] = ()  # of instructors, for this student alone

    @property
    def rungs(self) -> tuple[tuple[LabEntry, RungResult], ...]:
        return tuple((lab, rung) for lab in self.labs for rung in lab.rungs)


@dataclass(frozen=True, slots=True)
class Results:
    backend: Backend
    compiler: str
    graded_at: str  # ISO 8601; empty where it is not known
    entries: tuple[Entry, ...]
    folder: Path  # in which sources and pictures lie, where they were kept
    course: str = ""  # the name in the course file

    def marked(self, course: Course) -> "Results":
        """The results with what counts by the course's rules."""
        entries = tuple(_marked(course, entry) for entry in self.entries)
        return replace(self, entries=entries, course=course.name)

    def commented(self, comments: Iterable[Comment]) -> "Results":
        """The results with each student's comments, in place of any others."""
        said = tuple(comments)
        return replace(
            self,
            entries=tuple(
                replace(
                    entry,
                    comments=tuple(
                        each.settled(self.source(entry, each.lab, each.rung) if each.code else "")
                        for each in comments_for(entry.names, said)
                    ),
                )
                for entry in self.entries
            ),
        )

    def names(self) -> frozenset[str]:
        return frozenset().union(*(entry.names for entry in self.entries))

    def source(self, entry: Entry, lab: str, rung: str) -> str:
        """The rung's source as it was judged; empty where it was not kept."""
        return kept_source(self.folder, entry.id, lab, rung)

    def picture(self, entry: Entry, lab: str, file_name: str) -> bytes:
        """A PNG that a test made; empty where it was not kept, or is none."""
        file = kept_file(self.folder, entry.id, lab, file_name)
        try:
            data = file.read_bytes() if file and file.stat().st_size <= _MAX_PICTURE_BYTES else b""
        except OSError:
            return b""
        return data if data.startswith(_PNG) else b""


def read_results(path: Path) -> Results:
    """The results in folder `path`, or in the JSON file `path`. Raises InputError naming it."""
    file = path / GRADES if path.is_dir() else path
    try:
        data = json.loads(file.read_bytes())
    except FileNotFoundError as error:
        raise InputError(
            f"{file}: no such file; ./lab grade PATH --results {path} makes a results folder"
        ) from error
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read as JSON: {error}") from error
    try:
        results = _results(parse_report(data), file.parent)
    except VersionError as error:
        raise InputError(f"{file} {error}") from error
    except ValueError as error:
        raise InputError(f"{file} is not what ./lab grade writes: {error}") from error
    identifiers = [entry.id for entry in results.entries]
    if len(set(identifiers)) < len(identifiers):
        raise InputError(f"{file} names a submission twice")
    return results.commented(each.comment for each in read_comments(file.parent))


def _results(report: schema.Report, folder: Path) -> Results:
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
        visible(item.student.name or item.id),
        visible(item.student.section),
        visible(item.problem),
        _score(item.score),
        float(item.max_score),
        tuple(_lab(lab) for lab in item.labs),
        tuple(map(visible, item.notes)),
        visible(item.dispute),
        names,
        item.late,
        item.missing,
        item.student.participant,
        item.handed_in,
        tuple(map(confirmation_of, item.confirmations)),
    )


def _marked(course: Course, entry: Entry) -> Entry:
    labs = tuple(
        Graded(
            lab.id,
            tuple((rung.id, rung.score, rung.max_score) for rung in lab.rungs),
            lab.quiz.share if lab.quiz else None,
        )
        for lab in entry.labs
    )
    at = time_of(entry.handed_in)
    work = Work(entry.names, labs, entry.is_late, entry.is_missing, at)
    said = (*entry.comments, *comments_for(entry.names, course.comments))
    return replace(entry, mark=mark(course, work), comments=said)


def _lab(item: schema.Lab) -> LabEntry:
    rungs = tuple(_rung(rung) for rung in item.rungs)
    return LabEntry(item.id, _score(item.score), float(item.max_score), rungs, quiz_of(item.quiz))


def _rung(item: schema.Rung) -> RungResult:
    judgement = judgement_of(item)
    parts = {
        name: PartScore(_score(part.score), float(part.max_score))
        for name, part in item.parts.items()
    }
    return RungResult(item.id, item.outcome, parts, judgement.findings, judgement)


def _score(value: float | None) -> float | None:
    return None if value is None else float(value)
