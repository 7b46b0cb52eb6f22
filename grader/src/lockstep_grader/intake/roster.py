# SPDX-License-Identifier: MIT
"""The class list: a CSV as Canvas, Moodle, Gradescope, GitHub Classroom or a person writes it."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from lockstep_grader.machine.csv_rows import Row, read_rows
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Student
from lockstep_grader.model.text import one_line

_ALIASES: Mapping[str, Sequence[str]] = {
    "name": ("name", "student", "full name", "student name"),
    "first": ("first name", "firstname", "given name"),
    "last": ("last name", "lastname", "surname", "family name"),
    "email": ("email", "email address", "e-mail", "mail", "sis email"),
    "lms_id": ("lms_id", "lms id", "id", "sid", "student id", "id number", "identifier"),
    "login": ("login", "sis login id", "login id", "username", "user name", "github_username"),
    "section": ("section", "sections", "section name", "group", "groups"),
}
_COLUMNS = {alias: column for column, aliases in _ALIASES.items() for alias in aliases}
KEYS = ("email", "lms_id", "login")  # no two students share one
_NOBODY = frozenset({"points possible", "student, test", "test student"})  # rows that Canvas adds


@dataclass(frozen=True, slots=True)
class Roster:
    students: tuple[Student, ...] = ()

    def find(self, known: Student, name: str) -> Student | None:
        """The student that `known` and the submission's `name` describe, if exactly one fits."""
        for fits in (_same_key, _key_is_name, _same_name, _login_ends_name):
            found = [student for student in self.students if fits(student, known, name)]
            if len(found) == 1:
                return found[0]
        return None


def read_roster(file: Path) -> Roster:
    """Raises InputError naming the file and the line."""
    rows = read_rows(file)
    columns = _columns(file, *rows[0])
    students = tuple(_students(file, columns, len(rows[0][1]), rows[1:]))
    return Roster(students)


def _columns(file: Path, line: int, head: Sequence[str]) -> Mapping[str, int]:
    columns: dict[str, int] = {}
    for index, title in enumerate(head):
        column = _COLUMNS.get(title.casefold())
        if column and column not in columns:
            columns[column] = index
    if not columns.keys() & {"name", "first", "last", *KEYS}:
        found = one_line(", ".join(head))[:100]
        wanted = "name, email, lms_id or login"
        raise InputError(
            f"{file}:{line}: no column identifies the student; expected {wanted}, got {found}"
        )
    return columns


def _students(
    file: Path, columns: Mapping[str, int], width: int, rows: Sequence[Row]
) -> Iterator[Student]:
    seen: dict[tuple[str, str], int] = {}
    for line, row in rows:
        if len(row) > width and any(row[width:]):
            raise InputError(f"{file}:{line}: {len(row)} cells under {width} column names")
        cells = {name: row[index] for name, index in columns.items() if index < len(row)}
        student = _student(cells)
        # Canvas has a row with the hidden assignments that names no student.
        is_somebody = any(getattr(student, key) for key in ("name", *KEYS))
        if not is_somebody or student.name.casefold() in _NOBODY:
            continue
        for key in KEYS:
            value = getattr(student, key).casefold()
            if value and (key, value) in seen:
                raise InputError(
                    f"{file}:{line}: {key} {one_line(value)} is on line {seen[key, value]} already"
                )
            seen[key, value] = line
        yield student


def _student(cells: Mapping[str, str]) -> Student:
    both = " ".join(filter(None, (cells.get("first"), cells.get("last"))))
    values = {item.name: one_line(cells.get(item.name, "")) for item in fields(Student)}
    values["name"] = values["name"] or one_line(both)
    # Moodle's grading sheet says Participant 12345 where the folder's name says 12345.
    values["lms_id"] = re.sub(r"^Participant\s+(?=\d+$)", "", values["lms_id"])
    return Student(**values)


def _same_key(student: Student, known: Student, name: str) -> bool:
    return any(
        getattr(known, key) and getattr(student, key).casefold() == getattr(known, key).casefold()
        for key in KEYS
    )


def _key_is_name(student: Student, known: Student, name: str) -> bool:
    keys = {student.login, student.email, student.lms_id, student.email.partition("@")[0]}
    return name.casefold() in {key.casefold() for key in keys if key}


def _same_name(student: Student, known: Student, name: str) -> bool:
    """Whether the names agree, in either order; Canvas runs them together, last name first."""
    wanted = _words(known.name or name)
    return bool(wanted) and (
        sorted(_words(student.name)) == sorted(wanted) or _run_together(student.name) == wanted
    )


def _login_ends_name(student: Student, known: Student, name: str) -> bool:
    """The name of a clone: assignment-login. What was taken for the login may be its end alone."""
    login, end = student.login.casefold(), known.login.casefold()
    fits = bool(login) and name.casefold().endswith(f"-{login}")
    return fits and (not end or f"-{login}".endswith(f"-{end}"))


def _run_together(name: str) -> list[str]:
    last, comma, first = name.partition(",")
    if not comma:
        first, _, last = name.rpartition(" ")
    return ["".join(_words(f"{last} {first}"))]


def _words(name: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", name.casefold())
    kept = "".join(char for char in plain if not unicodedata.combining(char))
    return re.findall(r"\w+", kept.replace("_", " "))
