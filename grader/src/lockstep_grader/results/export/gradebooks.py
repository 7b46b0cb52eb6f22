# SPDX-License-Identifier: MIT
"""Gradebooks of Canvas and Moodle: files filled in, and grades sent through Canvas's API.

Moodle reads a worksheet by the column names Identifier, Grade and Last modified (grade), in its
user's language (mod/assign/feedback/offline). An empty grade would change nothing, so what is not
graded keeps its cell.

POST /api/v1/courses/:course/assignments/:assignment/submissions/update_grades takes grades and
comments by the students' numbers (https://canvas.instructure.com/doc/api/submissions.html), in one
request for the class. Canvas adds a comment each time, so `export` sends nothing without --send.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from lockstep_grader.machine import csv_rows
from lockstep_grader.machine.csv_rows import Row, read_rows
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.text import one_line
from lockstep_grader.results.export.table import Import, cell, labs, summary, ungraded, written
from lockstep_grader.results.export.words import LeftOut, explanation, headline, number
from lockstep_grader.results.graded import Entry, Results

# What the importer takes for the student, in its order; the assignments come after them.
_CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account")
_SECTION = "Section"
_WORKSHEET = (csv_rows.MOODLE_IDENTIFIER, csv_rows.MOODLE_GRADE, csv_rows.MOODLE_GRADE_MODIFIED)
_ASSIGNMENT_ID = re.compile(r" \(\d+\)$")


@dataclass(frozen=True, slots=True)
class Roster:
    """The gradebook as Canvas exports it."""

    columns: tuple[str, ...]  # all of them, the assignments' too
    rows: tuple[Mapping[str, str], ...]
    possible: Mapping[str, str] = field(default_factory=dict)  # the points of each assignment

    def assignment(self, lab_id: str) -> str:
        """The column of the assignment called as the lab is, with Canvas's own number."""
        for column in self.columns:
            if _ASSIGNMENT_ID.sub("", column) == lab_id:
                return column
        return lab_id

    def find(self, entry: Entry) -> Mapping[str, str] | None:
        """The row of the student: by number, login or email, else by a name that is unique."""
        who = entry.student
        for key, values in (
            ("ID", {who.lms_id}),
            ("SIS User ID", {who.lms_id, who.login, entry.id}),
            ("SIS Login ID", {who.login, who.email, entry.id}),
        ):
            found = [row for row in self.rows if row.get(key) and row[key] in values - {""}]
            if len(found) == 1:
                return found[0]
        names = {_folded(who.name), _folded(entry.id)} - {""}
        found = [row for row in self.rows if _folded(row.get("Student", "")) in names]
        return found[0] if len(found) == 1 else None


def roster_of(rows: Sequence[Row], name: str) -> Roster:
    """The roster in a gradebook `name` exported from Canvas. Raises InputError when it is none."""
    columns = tuple(rows[0][1]) if rows else ()
    if columns[:2] != _CANVAS[:2] or _SECTION not in columns:
        lacking = "its first line is not Student,ID,...,Section, as Canvas exports it"
        raise InputError(f"{name} is not a gradebook exported from Canvas: {lacking}")
    who = [index for index, column in enumerate(columns) if column in _CANVAS]
    named = tuple(
        dict(zip(columns, row, strict=False))
        for _, row in rows[1:]
        if any(row[index] for index in who if index < len(row)) and "Points Possible" not in row[0]
    )
    possible = next((row for _, row in rows[1:] if row and "Points Possible" in row[0]), ())
    return Roster(columns, named, dict(zip(columns, possible, strict=False)))


def canvas(book: Results, roster: Roster | None = None) -> Import:
    """Student, ID, SIS Login ID, Section, a column per lab; then a row with the points possible."""
    known = roster.columns if roster else (*_CANVAS[:2], "SIS Login ID", _SECTION)
    who = [*(column for column in _CANVAS if column in known), _SECTION]
    titles = [roster.assignment(lab) if roster else lab for lab, _ in book.labs]
    # Leading spaces as in Canvas's own export: the line sorts above the students.
    possible = ["    Points Possible", *[""] * (len(who) - 1)]
    rows = [[*who, *titles], possible + [number(mark) for _, mark in book.labs]]
    left_out, columns = [], labs(book)
    for entry in book.entries:
        if reason := ungraded(book, entry):
            left_out.append(LeftOut(entry.id, reason))
            continue
        row = roster.find(entry) if roster else _own_row(entry)
        if row is None:
            left_out.append(LeftOut(entry.id, "not in the roster"))
        else:
            rows.append(
                [
                    *(cell(row.get(column, "")) for column in who),
                    *(points(entry) for points in columns.values()),
                ]
            )
    new = [title for title in titles if roster and title not in roster.columns]
    warnings = [f"no assignment is called {title}: Canvas offers to make one" for title in new]
    warnings += (
        _other_maximum(f"the column {title}", theirs, ours)
        for title, (_, mark) in zip(titles, book.labs, strict=True)
        if roster
        for theirs, ours in _differing(roster.possible.get(title, ""), mark)
    )
    return Import(written(rows), tuple(left_out), tuple(warnings))


def worksheet(book: Results, path: Path) -> Import:
    """Moodle's worksheet with grades and comments. Raises InputError when it is none."""
    rows = read_rows(path)
    columns = list(rows[0][1]) if rows else []
    identifier, grade, modified = (csv_rows.column(columns, names) for names in _WORKSHEET)
    if identifier is None or grade is None or modified is None:
        lacking = ", ".join(names[0] for names in _WORKSHEET)
        raise InputError(
            f"{path} is not a grading worksheet of Moodle: it lacks one of the columns {lacking}; "
            "if Moodle's language is not English, German, "
            "French or Spanish, choose English in the menu of your profile and download it again"
        )
    comments = csv_rows.column(columns, csv_rows.MOODLE_COMMENTS)
    email = csv_rows.column(columns, csv_rows.MOODLE_EMAIL)
    most = csv_rows.column(columns, csv_rows.MOODLE_GRADE_MAX)
    by_id = {each.student.participant: each for each in book.entries if each.student.participant}
    numbers = {csv_rows.participant(row[identifier]) for _, row in rows[1:] if row[identifier:]}
    by_email = {
        each.student.email.casefold(): each
        for each in book.entries
        if each.student.email and each.student.participant not in numbers
    }
    left = {entry.id: entry for entry in book.entries}
    other: dict[tuple[str, str], None] = {}  # full marks that differ, each once
    made: list[Sequence[str]] = [columns]
    left_out = []
    for _, row in rows[1:]:
        cells = [*row, *[""] * (len(columns) - len(row))]
        entry = by_id.get(csv_rows.participant(cells[identifier]))
        if entry is None and email is not None:
            entry = by_email.get(cells[email].casefold())
        if entry is not None and left.pop(entry.id, None) is None:
            entry = None  # on an earlier row
        if entry is not None and most is not None:
            other |= _differing(cells[most], entry.max_score)
        if entry is not None and entry.score is None:
            left_out.append(LeftOut(entry.id, "not graded"))
        elif entry is not None:
            cells[grade] = number(entry.score or 0.0)
            if comments is not None:
                cells[comments] = summary(entry)
        made.append(cells)  # Moodle's own go back as they came
    left_out += [LeftOut(entry.id, "not in the worksheet") for entry in left.values()]
    warnings = (_other_maximum(path.name, theirs, ours) for theirs, ours in other)
    return Import(written(made), tuple(left_out), tuple(warnings))


def _differing(theirs: str, ours: float) -> dict[tuple[str, str], None]:
    """The two full marks, where a gradebook has another one than the results."""
    try:
        differs = float(theirs.replace(",", ".")) != ours
    except ValueError:  # no number: the gradebook does not say it
        return {}
    return {(theirs, number(ours)): None} if differs else {}


def _other_maximum(where: str, theirs: str, ours: str) -> str:
    said = f"the full mark is {theirs} in {where} and {ours} here"
    return f"{said}: set it to {ours} in the gradebook"


def _own_row(entry: Entry) -> Mapping[str, str]:
    who = entry.student
    return {
        "Student": who.name or entry.id,
        "ID": who.lms_id,
        "SIS Login ID": who.login or who.email,
        "Section": who.section,
    }


def _folded(name: str) -> str:
    """A name to compare by: Lovelace, Ada is Ada Lovelace."""
    last, comma, first = name.partition(",")
    words: Iterable[str] = f"{first} {last}".split() if comma else name.split()
    return " ".join(words).casefold()


INSTALL = ".venv/bin/python -m pip install -r grader/requirements-canvas.txt"
_MAX_COMMENT_CHARS = 8_000
_ADDRESS = re.compile(
    r"(?P<url>https?://[^/\s]+)/courses/(?P<course>\d+)/assignments/(?P<id>\d+)/?"
)


@dataclass(frozen=True, slots=True)
class Target:
    """Where grades go: the site, and what Canvas shows in the addresses of its pages."""

    url: str
    course: int
    assignment: int


@dataclass(frozen=True, slots=True)
class Post:
    """What one student gets."""

    id: str
    user: str  # Canvas's number of the student
    points: float
    comment: str


def target_of(address: str) -> Target:
    """The assignment whose page has this address in a browser. Raises InputError."""
    match = _ADDRESS.fullmatch(address)
    if match is None:
        example = "https://canvas.example.edu/courses/12/assignments/345"
        raise InputError(f"{address!r} is not the address of an assignment, as in {example}")
    if not match["url"].startswith("https://") and urlsplit(address).hostname != "127.0.0.1":
        raise InputError(f"{match['url']}: the token may only travel by https")
    return Target(match["url"], int(match["course"]), int(match["id"]))


def posts(book: Results) -> tuple[tuple[Post, ...], tuple[LeftOut, ...]]:
    """What there is to send, and the students that are left out, with the reason."""
    made, left_out = [], []
    for entry in book.entries:
        user = entry.student.lms_id
        if entry.score is None:
            left_out.append(LeftOut(entry.id, "not graded"))
        elif entry.is_missing:
            left_out.append(LeftOut(entry.id, "handed in nothing"))
        elif not user.isdecimal():
            left_out.append(LeftOut(entry.id, "Canvas's number is not known; use a roster"))
        else:
            made.append(Post(entry.id, user, entry.score, _comment(entry)))
    return tuple(made), tuple(left_out)


def preview(made: Sequence[Post], target: Target) -> Iterator[str]:
    """What would be sent, a line per student."""
    yield f"to {target.url} course {target.course}, assignment {target.assignment}:"
    for post in made:
        first = one_line(post.comment.partition("\n")[0])[:80]
        yield f"{post.id} ({post.user}): {number(post.points)} points; {first}"


def send(made: Sequence[Post], target: Target, token: str) -> None:
    """Sends all in one request. Raises InputError or FaultError; then nothing was changed."""
    try:
        from canvasapi import Canvas
        from canvasapi.exceptions import CanvasException
        from requests.exceptions import RequestException
    except ImportError as error:
        raise InputError(f"Canvas's API takes the package canvasapi: {INSTALL}") from error
    grades: dict[str, Any] = {
        post.user: {"posted_grade": number(post.points), "text_comment": post.comment}
        for post in made
    }
    try:
        course = Canvas(target.url, token).get_course(target.course)
        course.get_assignment(target.assignment).submissions_bulk_update(grade_data=grades)
    except CanvasException as error:
        raise FaultError(f"Canvas refuses: {one_line(str(error))[:300]}") from error
    except RequestException as error:
        raise FaultError(f"cannot reach {target.url}: {one_line(str(error))[:300]}") from error


def _comment(entry: Entry) -> str:
    """The points, what the course's rules changed, and why each rung lacks points."""
    lines = [headline(entry), *entry.rules]
    lines += [each.said for each in entry.shown.comments]
    lines += [
        f"{lab.id}/{rung.id}\n{explanation(rung)}"
        for lab, rung in entry.shown.rungs
        if rung.score != rung.max_score
    ]
    text = "\n\n".join(lines)
    return text if len(text) <= _MAX_COMMENT_CHARS else f"{text[:_MAX_COMMENT_CHARS]}\n[...]"
