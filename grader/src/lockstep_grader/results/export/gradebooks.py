# SPDX-License-Identifier: MIT
"""The files of Canvas and Moodle, filled in: a gradebook's import, and a grading worksheet.

Moodle reads a worksheet by the column names Identifier, Grade and Last modified (grade), in its
user's language (mod/assign/feedback/offline). An empty grade would change nothing, so what is not
graded keeps its cell.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lockstep_grader.machine import csv_rows
from lockstep_grader.machine.csv_rows import Row
from lockstep_grader.results.export.left_out import LeftOut
from lockstep_grader.results.export.model import Gradebook, Submission
from lockstep_grader.results.export.table import Import, cell, labs, summary, ungraded, written
from lockstep_grader.results.export.words import number

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
    left_out, columns = [], labs(book)
    for entry in book.submissions:
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
    return Import(written(rows), tuple(left_out))


def worksheet(book: Gradebook, rows: Sequence[Row]) -> Import:
    """Moodle's worksheet `rows` with grades and comments. Raises ValueError when it is none."""
    columns = list(rows[0][1]) if rows else []
    identifier, grade, modified = (csv_rows.column(columns, names) for names in _WORKSHEET)
    if identifier is None or grade is None or modified is None:
        lacking = ", ".join(names[0] for names in _WORKSHEET)
        raise ValueError(
            f"it lacks one of the columns {lacking}; if Moodle's language is not English, German, "
            "French or Spanish, choose English in the menu of your profile and download it again"
        )
    comments = csv_rows.column(columns, csv_rows.MOODLE_COMMENTS)
    known = [entry for entry in book.submissions if entry.student.participant]
    by_id = {entry.student.participant: entry for entry in known}
    made: list[Sequence[str]] = [columns]
    left_out = []
    for _, row in rows[1:]:
        cells = [*row, *[""] * (len(columns) - len(row))]
        entry = by_id.pop(csv_rows.participant(cells[identifier]), None)
        if entry is not None and entry.score is None:
            left_out.append(LeftOut(entry.id, "not graded"))
        elif entry is not None:
            cells[grade] = number(entry.score or 0.0)
            if comments is not None:
                cells[comments] = summary(entry)
        made.append(cells)  # Moodle's own go back as they came
    unknown = [entry for entry in book.submissions if not entry.student.participant]
    left_out += [LeftOut(entry.id, "not in the worksheet") for entry in (*by_id.values(), *unknown)]
    return Import(written(made), tuple(left_out))


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
