# SPDX-License-Identifier: MIT
"""CSV that Canvas and Moodle import into their gradebooks.

An empty cell would erase a score that is there already (Canvas: lib/gradebook_importer.rb; Moodle:
https://docs.moodle.org/en/Grade_import), so a student with anything not graded has no row.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lockstep_grader.machine.csv_rows import Row
from lockstep_grader.results.export.left_out import LeftOut
from lockstep_grader.results.export.model import Gradebook, Submission
from lockstep_grader.results.export.table import by_lab, cell, written
from lockstep_grader.results.export.words import number

# What the importer takes for the student, in its order; the assignments come after them.
_CANVAS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Root Account")
_SECTION = "Section"
_ASSIGNMENT_ID = re.compile(r" \(\d+\)$")


@dataclass(frozen=True, slots=True)
class Import:
    """The file, and the students that it leaves out, with the reason."""

    text: str
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class Roster:
    """The gradebook as Canvas exports it."""

    columns: tuple[str, ...]  # all of them, the assignments' too
    rows: tuple[Mapping[str, str], ...]

    def assignment(self, lab_id: str) -> str:
        """The column of the assignment called as the lab is, with Canvas's own number."""
        for column in self.columns:
            if _ASSIGNMENT_ID.sub("", column) == lab_id:
                return column
        return lab_id

    def find(self, entry: Submission) -> Mapping[str, str] | None:
        """The row of who handed in: by number, login or email, else by a name held by one."""
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


def roster_of(rows: Sequence[Row]) -> Roster:
    """The roster in a gradebook exported from Canvas. Raises ValueError when it is none."""
    columns = tuple(rows[0][1]) if rows else ()
    if columns[:2] != _CANVAS[:2] or _SECTION not in columns:
        raise ValueError("its first line is not Student,ID,...,Section, as Canvas exports it")
    who = [index for index, column in enumerate(columns) if column in _CANVAS]
    named = tuple(
        dict(zip(columns, row, strict=False))
        for _, row in rows[1:]
        if any(row[index] for index in who if index < len(row)) and "Points Possible" not in row[0]
    )
    return Roster(columns, named)


def canvas(book: Gradebook, roster: Roster | None = None) -> Import:
    """Student, ID, SIS Login ID, Section, a column per lab; then a row with the points possible."""
    known = roster.columns if roster else (*_CANVAS[:2], "SIS Login ID", _SECTION)
    who = [*(column for column in _CANVAS if column in known), _SECTION]
    titles = [roster.assignment(lab) if roster else lab for lab, _ in book.labs]
    # Leading spaces as in Canvas's own export: the line sorts above the students.
    possible = ["    Points Possible", *[""] * (len(who) - 1)]
    rows = [[*who, *titles], possible + [number(mark) for _, mark in book.labs]]
    left_out = []
    for entry in book.submissions:
        if reason := _ungraded(book, entry):
            left_out.append(LeftOut(entry.id, reason))
            continue
        row = roster.find(entry) if roster else _own_row(entry)
        if row is None:
            left_out.append(LeftOut(entry.id, "not in the roster"))
        else:
            rows.append([*(cell(row.get(column, "")) for column in who), *by_lab(book, entry)])
    return Import(written(rows), tuple(left_out))


def moodle(book: Gradebook) -> Import:
    """Username, ID number, Email address, a column per lab; any one of the three may be mapped."""
    rows = [["Username", "ID number", "Email address", *(lab for lab, _ in book.labs)]]
    left_out = []
    for entry in book.submissions:
        who = entry.student
        if reason := _ungraded(book, entry):
            left_out.append(LeftOut(entry.id, reason))
        elif not (who.login or who.lms_id or who.email):
            left_out.append(
                LeftOut(entry.id, "neither login, number nor email is known; use a roster")
            )
        else:
            ids = [cell(text) for text in (who.login, who.lms_id, who.email)]
            rows.append([*ids, *by_lab(book, entry)])
    return Import(written(rows), tuple(left_out))


def _ungraded(book: Gradebook, entry: Submission) -> str:
    scores = dict(zip((lab for lab, _ in book.labs), by_lab(book, entry), strict=True))
    missing = [lab for lab, score in scores.items() if not score]
    return f"{', '.join(missing)} not graded" if missing else ""


def _own_row(entry: Submission) -> Mapping[str, str]:
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
