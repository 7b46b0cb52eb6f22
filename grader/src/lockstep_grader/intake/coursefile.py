# SPDX-License-Identifier: MIT
"""Reads course.toml, a course's rules; every error names the file, the line and the key."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field

from lockstep_grader.intake.roster import Called, fitting
from lockstep_grader.intake.toml_lines import (
    KeyPath,
    bytes_of,
    decoded,
    key_lines,
    line_of,
    spelled,
)
from lockstep_grader.intake.toml_tables import Table, parse_table
from lockstep_grader.model.compat import UTC
from lockstep_grader.model.errors import MistakesError
from lockstep_grader.model.grades import Lab
from lockstep_grader.model.policy import (
    Comment,
    Course,
    Extension,
    HandIn,
    LabRules,
    Lateness,
    Override,
)
from lockstep_grader.model.quiz import Sheet

_MAX_AMOUNT = 1e6  # of hours, days, points or weights; far more overflows in dates and sums


def _plausible(when: datetime) -> datetime:
    """Refuses years near the ends of what a date can hold, where zones and extensions overflow."""
    if not 1900 <= when.year <= 9000:
        raise ValueError(f"{when.year} is hardly the year that you mean")
    return when


_Text = Annotated[str, Field(min_length=1)]
_Amount = Annotated[float, Field(strict=True, ge=0, le=_MAX_AMOUNT, allow_inf_nan=False)]
_Time = Annotated[datetime, Field(strict=True), AfterValidator(_plausible)]


class _Late(Table):
    grace_minutes: _Amount = 0.0
    percent_per_day: Annotated[float, Field(strict=True, ge=0, le=100)] = 0.0
    max_days: _Amount | None = None


class _Head(Table):
    name: str = ""
    timezone: str = "UTC"
    drop_lowest: Annotated[int, Field(strict=True, ge=0)] = 0


class _LabTable(Table):
    id: _Text
    deadline: _Time | None = None
    weight: _Amount = 1.0
    bonus: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    late: _Late | None = None
    quiz: _Amount = 0.0
    predictions: _Amount = 0.0


class _OfStudent(Table):
    student: _Text
    lab: str = ""


class _Extension(_OfStudent):
    reason: _Text
    hours: _Amount = 0.0
    deadline: _Time | None = None


class _Override(_OfStudent):
    lab: _Text
    points: _Amount
    reason: _Text
    rung: str = ""


class _HandIn(_OfStudent):
    at: _Time


class _Comment(_OfStudent):
    text: _Text
    rung: str = ""
    line: Annotated[int, Field(strict=True, ge=0)] = 0
    points: Annotated[float, Field(strict=True, ge=-_MAX_AMOUNT, le=_MAX_AMOUNT)] = 0.0


class Class(Table):
    """Where `./lab class` finds what the platform gave, and what it writes back."""

    submissions: str = "submissions"
    roster: str = ""
    gradebook: str = ""
    results: str = "results"


class _File(Table):
    course: _Head = _Head()
    class_: Class = Field(Class(), alias="class")
    late: _Late = _Late()
    lab: tuple[_LabTable, ...] = ()
    extension: tuple[_Extension, ...] = ()
    override: tuple[_Override, ...] = ()
    hand_in: tuple[_HandIn, ...] = ()
    comment: tuple[_Comment, ...] = ()


class CourseFile:
    """The rules in a file, and where each of them is."""

    def __init__(self, file: Path, labs: Sequence[Lab]) -> None:
        """Raises InputError naming the file, the line and the key of each mistake in its form."""
        self._file = file
        data = bytes_of(file)
        self._read = parse_table(str(file), data, _File)
        self._lines = key_lines(decoded(data))
        self._labs = {lab.id: lab for lab in labs}
        self._mistakes: list[str] = []
        self._zone = self._time_zone()
        self._check_names()

    @property
    def handing_in(self) -> Class:
        """Where the class's files lie, relative to the course file."""
        return self._read.class_

    @property
    def labs(self) -> tuple[str, ...]:
        """Those that the file names."""
        return tuple(table.id for table in self._read.lab)

    def check_places(self) -> None:
        """Notes each of the class's files that is not there."""
        for key in ("submissions", "roster", "gradebook"):
            name = getattr(self.handing_in, key)
            if name and not (self._file.parent / name).exists():
                self._note(("class", key), f"there is no {name} in {self._file.parent}")

    def require_right(self) -> None:
        """Raises InputError with all mistakes that were found so far."""
        if self._mistakes:
            raise MistakesError(self._mistakes)

    def course(self, students: Collection[Called]) -> Course:
        """The rules, each for one of `students`. Raises InputError with all mistakes at once.

        Several whose owner is in dispute may have the name: they count as one.
        """
        owner: dict[tuple[str, str], str] = {}
        for kind, tables in self._of_students().items():
            for index, table in enumerate(tables):
                found = fitting(table.student, students)
                if len(found) == 1:
                    owner[kind, table.student] = found[0].id
                    continue
                if found and all(each.dispute for each in found):
                    continue
                problem = f"there is no student {table.student!r} in these results"
                if found:
                    ids = ", ".join(each.id for each in found)
                    problem = f"{table.student!r} fits {len(found)} students ({ids})"
                hint = "use the id, login, email or number of one student"
                self._note((kind, index, "student"), f"{problem}; {hint}")
        self.require_right()
        return self._course(owner)

    def warnings(self, course: Course) -> Iterator[str]:
        """What is no mistake in the file, and is probably none that was meant."""
        seen: dict[tuple[str, str, str], int] = {}
        for index, each in enumerate(course.overrides):
            path: KeyPath = ("override", index, "points")
            lab = self._labs[each.lab]
            rungs = {rung.id: rung.points.total for rung in lab.rungs}
            rules = course.labs.get(lab.id)
            most = rungs.get(each.rung, lab.max_score + sum(rules.sheets.values() if rules else ()))
            where = each.rung or each.lab
            if each.points > most:
                yield self._at(path, f"{each.points:g} points are more than {where} has ({most:g})")
            key = (each.student, each.lab, each.rung)
            if (first := seen.setdefault(key, index)) != index:
                line = line_of(self._lines, ("override", first))
                said = f"{where} of {each.student} has an override on line {line}, too"
                yield self._at(path, f"{said}; the last one counts")

    def _of_students(self) -> Mapping[str, Sequence[_OfStudent]]:
        read = self._read
        return {
            "extension": read.extension,
            "override": read.override,
            "hand_in": read.hand_in,
            "comment": read.comment,
        }

    def _note(self, path: KeyPath, problem: str) -> None:
        self._mistakes.append(self._at(path, problem))

    def _at(self, path: KeyPath, problem: str) -> str:
        place = f"{self._file}:{line_of(self._lines, path)}"
        return f"{place}: {spelled(path) or 'the file'}: {problem}"

    def _time_zone(self) -> tzinfo:
        name = self._read.course.timezone
        if name == "UTC":  # a system may lack the table of zones
            return UTC
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            problem = f"there is no time zone {name!r}; write it as in Europe/Berlin"
            self._note(("course", "timezone"), problem)
            return UTC

    def _check_names(self) -> None:
        seen: set[str] = set()
        for index, table in enumerate(self._read.lab):
            self._check_lab(("lab", index, "id"), table.id)
            if table.id in seen:
                self._note(("lab", index, "id"), f"{table.id} is there twice")
            seen.add(table.id)
            for key, rungs in (("bonus", table.bonus), ("hidden", table.hidden)):
                for rung in rungs:
                    self._check_rung(("lab", index, key), table.id, rung)
        for kind, tables in self._of_students().items():
            for number, each in enumerate(tables):
                if each.lab:
                    self._check_lab((kind, number, "lab"), each.lab)
        for index, comment in enumerate(self._read.comment):
            if comment.points and not comment.lab:
                self._note(("comment", index, "points"), "points need their lab")
        for index, extension in enumerate(self._read.extension):
            if bool(extension.hours) == bool(extension.deadline):
                self._note(("extension", index), "give it either hours or a deadline")
        of_rungs: Mapping[str, Sequence[_Override | _Comment]] = {
            "override": self._read.override,
            "comment": self._read.comment,
        }
        for kind, given in of_rungs.items():
            for number, item in enumerate(given):
                if item.rung and not item.lab:
                    self._note((kind, number, "rung"), "a rung needs its lab")
                elif item.rung:
                    self._check_rung((kind, number, "rung"), item.lab, item.rung)

    def _check_lab(self, path: KeyPath, lab: str) -> None:
        if lab not in self._labs:
            self._note(path, f"there is no lab {lab!r}; there are: {', '.join(self._labs)}")

    def _check_rung(self, path: KeyPath, lab: str, rung: str) -> None:
        known = [each.id for each in self._labs[lab].rungs] if lab in self._labs else [rung]
        if rung not in known:
            self._note(path, f"there is no rung {rung!r} in {lab}; there are: {', '.join(known)}")

    def _course(self, owner: Mapping[tuple[str, str], str]) -> Course:
        """`owner` is the id of the student, by the kind of table and the name in it."""

        def own(kind: str, table: _OfStudent) -> dict[str, Any]:
            return {**vars(table), "student": owner.get((kind, table.student), table.student)}

        read = self._read
        return Course(
            read.course.name,
            {table.id: self._rules(table) for table in read.lab},
            read.course.drop_lowest,
            self._zone,
            tuple(
                Extension(**{**own("extension", each), "deadline": self._moment(each.deadline)})
                for each in read.extension
            ),
            tuple(Override(**own("override", each)) for each in read.override),
            tuple(
                HandIn(**{**own("hand_in", each), "at": self._moment(each.at)})
                for each in read.hand_in
            ),
            tuple(Comment(**own("comment", each)) for each in read.comment),
        )

    def _rules(self, table: _LabTable) -> LabRules:
        late = table.late or self._read.late
        most = math.inf if late.max_days is None else late.max_days
        return LabRules(
            table.id,
            self._moment(table.deadline),
            table.weight,
            frozenset(table.bonus),
            frozenset(table.hidden),
            Lateness(late.grace_minutes, late.percent_per_day, most),
            {sheet: getattr(table, sheet) for sheet in Sheet},
        )

    def _moment(self, when: datetime | None) -> datetime | None:
        """A time without an offset is the course's own. In UTC, where differences are true."""
        if when is None:
            return None
        return (when.replace(tzinfo=self._zone) if when.tzinfo is None else when).astimezone(UTC)
