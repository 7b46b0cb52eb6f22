# SPDX-License-Identifier: MIT
"""Gives submissions their students and their ids, which are names of folders and all different."""

import unicodedata
from collections.abc import Sequence
from dataclasses import fields, replace

from lockstep_grader.intake.roster import KEYS, Roster
from lockstep_grader.intake.submission import Submission
from lockstep_grader.model.grades import NOBODY_KNOWN, Lab, Student
from lockstep_grader.model.text import one_line

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
