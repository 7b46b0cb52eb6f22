# SPDX-License-Identifier: MIT
"""The class list: a CSV as Canvas, Moodle, Gradescope, GitHub Classroom or a person writes it.

And the students of submissions by it, with their ids: names of folders, all different.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol, TypeVar

from lockstep_grader.intake.submission import Submission
from lockstep_grader.machine import csv_rows
from lockstep_grader.machine.csv_rows import Row, read_rows
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import NOBODY_KNOWN, Lab, Student
from lockstep_grader.model.text import one_line

_ALIASES: Mapping[str, Sequence[str]] = {
    "name": ("name", "student", "student name", *map(str.casefold, csv_rows.MOODLE_FULL_NAME)),
    "first": ("first name", "firstname", "given name"),
    "last": ("last name", "lastname", "surname", "family name"),
    "email": ("email", "e-mail", "mail", "sis email", *map(str.casefold, csv_rows.MOODLE_EMAIL)),
    "lms_id": ("lms_id", "lms id", "id", "sid", "student id", "id number"),
    "participant": ("participant", "participant number"),
    "identifier": ("identifier", "identifiant", "identificador"),
    "login": ("login", "sis login id", "login id", "username", "user name", "github_username"),
    "section": ("section", "sections", "section name", "group", "groups"),
}
_COLUMNS = {alias: column for column, aliases in _ALIASES.items() for alias in aliases}
KEYS = ("email", "lms_id", "login", "participant")  # no two students share one
_NOBODY = frozenset({"points possible", "student, test", "test student"})  # rows that Canvas adds

_Key = TypeVar("_Key")
_Found = Mapping[_Key, tuple[Student, ...]]


class Called(Protocol):
    """A student's submission, as far as people name students."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def names(self) -> frozenset[str]: ...
    @property
    def dispute(self) -> str: ...


_Called = TypeVar("_Called", bound=Called)


def fitting(name: str, students: Iterable[_Called]) -> list[_Called]:
    """Those that a person may mean by `name`: of the first way of comparing that finds any.

    By id, login, email or number, in any case; by what is before the @; by the words of the name.
    """
    folded, words = name.casefold(), words_of(name)
    known = [(each, {one.casefold() for one in each.names}) for each in students]
    ways: tuple[Callable[[_Called, set[str]], bool], ...] = (
        lambda each, _: name in each.names,
        lambda each, names: folded in {*names, each.name.casefold()},
        lambda _, names: any(one.startswith(f"{folded}@") for one in names),
        lambda each, _: words == words_of(each.name) != (),
    )
    found = ([each for each, names in known if way(each, names)] for way in ways)
    return next(filter(None, found), [])


@dataclass(frozen=True)
class Roster:
    students: tuple[Student, ...] = ()

    def find(self, known: Student, name: str) -> Student | None:
        """The student that `known` and the submission's `name` describe, if exactly one fits."""
        return next((fit[0] for fit in self._fits(known, name) if len(fit) == 1), None)

    def _fits(self, known: Student, name: str) -> Iterator[Sequence[Student]]:
        """The students that fit, by one way of comparing after the other."""
        keys = ((key, getattr(known, key).casefold()) for key in KEYS)
        yield list(dict.fromkeys(who for each in keys for who in self._by_key.get(each, ())))
        yield self._by_any_key.get(name.casefold(), ())
        yield self._by_words.get(words_of(known.name or name), ())
        yield [
            who
            for end in _ends(name)
            for who in self._by_key.get(("login", end), ())
            if not known.login or f"-{end}".endswith(f"-{known.login.casefold()}")
        ]

    @cached_property
    def _by_key(self) -> _Found[tuple[str, str]]:
        return _found(
            ((key, value.casefold()), who)
            for who in self.students
            for key in KEYS
            if (value := getattr(who, key))
        )

    @cached_property
    def _by_any_key(self) -> _Found[str]:
        """By login, address or number, and by what is before the @ of an address."""
        return _found(
            (value.casefold(), who)
            for who in self.students
            for value in (who.login, who.email, who.lms_id, who.email.partition("@")[0])
            if value
        )

    @cached_property
    def _by_words(self) -> _Found[tuple[str, ...]]:
        """By the words of the name in any order; Canvas runs them together, last name first."""
        return _found(
            (words, who)
            for who in self.students
            for words in (words_of(who.name), _run_together(who.name))
            if words
        )


def _found(pairs: Iterable[tuple[_Key, Student]]) -> _Found[_Key]:
    """The different students of each key, in the roster's order."""
    found: dict[_Key, dict[Student, None]] = {}
    for key, who in pairs:
        found.setdefault(key, {})[who] = None
    return {key: tuple(students) for key, students in found.items()}


def read_roster(file: Path) -> Roster:
    """Raises InputError naming the file and the line."""
    rows = read_rows(file)
    columns = _columns(file, *rows[0])
    students = tuple(_students(file, columns, len(rows[0][1]), rows[1:]))
    if not students:
        raise InputError(f"{file}: no student in it, only column names")
    return Roster(students)


def _columns(file: Path, line: int, head: Sequence[str]) -> Mapping[str, int]:
    columns: dict[str, int] = {}
    for index, title in enumerate(head):
        column = _COLUMNS.get(title.casefold())
        if column and column not in columns:
            columns[column] = index
    if not columns.keys() & {"name", "first", "last", "identifier", *KEYS}:
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
    alike: dict[Student, int] = {}
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
        if (first := alike.setdefault(student, line)) != line:
            raise InputError(
                f"{file}:{line}: nothing tells {student.name} from line {first}; "
                "add a column email, lms_id or login"
            )
        yield student


def _student(cells: Mapping[str, str]) -> Student:
    both = " ".join(filter(None, (cells.get("first"), cells.get("last"))))
    values = {item.name: one_line(cells.get(item.name, "")) for item in fields(Student)}
    values["name"] = values["name"] or one_line(both)
    for column, value in _identified(one_line(cells.get("identifier", ""))):
        values[column] = values[column] or value
    if number := csv_rows.participant(values["lms_id"]):  # in German the column is called ID
        values["participant"], values["lms_id"] = values["participant"] or number, ""
    return Student(**values)


def _identified(text: str) -> Iterator[tuple[str, str]]:
    """What an identifier is: of Moodle's worksheet a number, on GitHub what the teacher wrote."""
    if participant := csv_rows.participant(text):
        yield "participant", participant
    elif "@" in text:
        yield "email", text
    elif " " in text:
        yield "name", text
    elif text:
        yield "lms_id", text


def _ends(name: str) -> Iterator[str]:
    """What may be the login in the name of a clone, assignment-login."""
    parts = name.casefold().split("-")
    return ("-".join(parts[start:]) for start in range(1, len(parts)))


def _run_together(name: str) -> tuple[str, ...]:
    last, comma, first = name.partition(",")
    if not comma:
        first, _, last = name.rpartition(" ")
    return tuple(filter(None, ["".join(_split(f"{last} {first}"))]))


def words_of(name: str) -> tuple[str, ...]:
    """The same for a name in either order, with or without accents."""
    return tuple(sorted(_split(name)))


def _split(name: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", name.casefold())
    kept = "".join(char for char in plain if not unicodedata.combining(char))
    return re.findall(r"\w+", kept.replace("_", " "))


_MAX_ID_BYTES = 160  # a file name has room for 255
# What else is in the results folder, next to the submissions. Other names of ours begin with a dot.
_OURS = frozenset({"grade.json", "confirmed.json", "comments.toml", "pseudonyms.key", "report"})
_NAMED = 5  # in a warning


class Identities:
    """Matches submissions to a roster, one after the other."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._ids: set[str] = set()
        self._found: dict[Student, list[str]] = {}  # and the ids of their submissions
        self._strangers: list[str] = []

    def identified(
        self, key: str, students: Sequence[Student], submission: Submission
    ) -> list[Submission]:
        """`submission` once for each of its students: a group's work counts for each of them."""
        return [
            self._identified(key, student, submission, of_group=len(students) > 1)
            for student in students or [NOBODY_KNOWN]
        ]

    def absent(self, labs: tuple[Lab, ...]) -> list[Submission]:
        """For each student of the roster who handed in nothing, an empty submission."""
        missing = [who for who in self._roster.students if who not in self._found]
        return [
            Submission(
                self._new_id(_own_key(who)),
                labs,
                student=who,
                problem="nothing handed in",
                is_missing=True,
            )
            for who in missing
        ]

    def settled(self, submissions: Sequence[Submission]) -> list[Submission]:
        """`submissions`; all of those that name the same student are in dispute."""
        named: dict[tuple[str, object], list[str]] = {}
        for who, ids in self._found.items():
            named["the roster", who] = ids
        for submission in submissions:
            for key in KEYS:
                if value := getattr(submission.student, key).casefold():
                    named.setdefault((key, value), []).append(submission.id)
        rivals = {own: ids for ids in named.values() if len(ids) > 1 for own in ids}
        return [
            replace(submission, dispute=_dispute(submission.id, rivals[submission.id]))
            if submission.id in rivals
            else submission
            for submission in submissions
        ]

    @property
    def warnings(self) -> tuple[str, ...]:
        found = [
            f"{_own_key(who)} of the roster handed in more than once: {_listed(ids)}; "
            "exports leave them out until one is left"
            for who, ids in self._found.items()
            if len(ids) > 1
        ]
        if self._strangers:
            found.append(f"not on the roster, but graded: {_listed(self._strangers)}")
        return tuple(found)

    def _identified(
        self, key: str, student: Student, submission: Submission, *, of_group: bool
    ) -> Submission:
        student = _shown(student)
        knows_address = bool(student.email)  # Gradescope's metadata, where folders are numbered
        own_id = self._new_id(_own_key(student) if of_group or knows_address else key)
        listed = self._roster.find(student, key)
        if listed:
            self._found.setdefault(listed, []).append(own_id)
        elif self._roster.students:
            self._strangers.append(own_id)
        return replace(submission, id=own_id, student=_merged(listed or student, student))

    def _new_id(self, key: str) -> str:
        wanted = _safe(key)
        found, number = wanted, 1
        while _alike(found) in self._ids:
            number += 1
            found = f"{wanted}-{number}"
        self._ids.add(_alike(found))
        return found


def _dispute(own: str, ids: Sequence[str]) -> str:
    others = ", ".join(dict.fromkeys(other for other in ids if other != own))
    return (
        f"{others} names the same student: take away what is not theirs, and grade again; until "
        "then exports leave out both"
    )


def _listed(ids: Sequence[str]) -> str:
    more = ", ..." if len(ids) > _NAMED else ""
    return f"{', '.join(ids[:_NAMED])}{more} ({len(ids)} in all)"


def _own_key(student: Student) -> str:
    return student.login or student.email or student.lms_id or student.participant or student.name


def _safe(key: str) -> str:
    """`key` as the name of a folder in the results, visible and not hidden."""
    name = one_line(key).replace("/", "_")
    name = f"_{name[1:]}" if name.startswith(".") or not name else name
    while len(name.encode("utf-8", "surrogateescape")) > _MAX_ID_BYTES:
        name = name[:-1]
    return f"{name}_" if _alike(name) in _OURS else name


def _alike(name: str) -> str:
    """The same for names that look alike, or that some file systems take for one."""
    return unicodedata.normalize("NFC", name).casefold()


def _shown(student: Student) -> Student:
    return Student(*(one_line(getattr(student, item.name)) for item in fields(Student)))


def _merged(listed: Student, known: Student) -> Student:
    """Takes each field from the roster, or from the platform if the roster lacks it."""
    names = [item.name for item in fields(Student)]
    return Student(*(getattr(listed, name) or getattr(known, name) for name in names))
