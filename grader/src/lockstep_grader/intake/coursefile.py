# SPDX-License-Identifier: MIT
"""Reads course.toml, a course's rules; every error names the file, the line and the key."""

import math
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Annotated, Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field

from lockstep_grader.intake.toml_lines import KeyPath, key_lines, line_of, spelled
from lockstep_grader.intake.toml_tables import Table, decoded, parse_table
from lockstep_grader.model.compat import UTC
from lockstep_grader.model.errors import InputError
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

_MAX_BYTES = 1 << 20
_MAX_AMOUNT = 1e6  # of hours, days, points or weights; far more overflows in dates and sums


def _plausible(when: datetime) -> datetime:
    """Refuses years near the ends of what a date can hold, where zones and extensions overflow."""
    if not 1900 <= when.year <= 9000:
        raise ValueError(f"{when.year} is hardly the year that you mean")
    return when


_Text = Annotated[str, Field(min_length=1)]
_Amount = Annotated[float, Field(strict=True, ge=0, le=_MAX_AMOUNT, allow_inf_nan=False)]
_Time = Annotated[datetime, Field(strict=True), AfterValidator(_plausible)]


class Called(Protocol):
    """A submission, as far as the file names students."""

    @property
    def id(self) -> str: ...

    @property
    def names(self) -> frozenset[str]: ...

    @property
    def dispute(self) -> str: ...


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


class _File(Table):
    course: _Head = _Head()
    late: _Late = _Late()
    lab: tuple[_LabTable, ...] = ()
    extension: tuple[_Extension, ...] = ()
    override: tuple[_Override, ...] = ()
    hand_in: tuple[_HandIn, ...] = ()
    comment: tuple[_Comment, ...] = ()


class CourseFile:
    """The rules in a file, and where each of them is."""

    def __init__(self, file: Path, labs: Sequence[Lab]) -> None:
        """Raises InputError naming the file, the line and the key."""
        self._file = file
        data = _bytes_of(file)
        self._read = parse_table(str(file), data, _File)
        self._lines = key_lines(decoded(data))
        self._zone = self._time_zone()
        self._check_names({lab.id: lab for lab in labs})
        self.course = self._course()

    def require_students(self, students: Collection[Called]) -> None:
        """Raises InputError unless each student of the file is exactly one of `students`.

        Several whose owner is in dispute may have the name: they count as one.
        """
        for kind, tables in self._of_students().items():
            for index, table in enumerate(tables):
                called = [each for each in students if table.student in each.names]
                several = len(called) > 1 and not all(each.dispute for each in called)
                if called and not several:
                    continue
                problem = f"there is no student {table.student!r} in these results"
                if several:
                    ids = ", ".join(each.id for each in called)
                    problem = f"{table.student!r} fits {len(called)} students ({ids})"
                hint = "use the id, login, email or number of one student"
                raise self._error((kind, index, "student"), f"{problem}; {hint}")

    def _of_students(self) -> Mapping[str, Sequence[_OfStudent]]:
        read = self._read
        return {
            "extension": read.extension,
            "override": read.override,
            "hand_in": read.hand_in,
            "comment": read.comment,
        }

    def _error(self, path: KeyPath, problem: str) -> InputError:
        place = f"{self._file}:{line_of(self._lines, path)}"
        return InputError(f"{place}: {spelled(path) or 'the file'}: {problem}")

    def _time_zone(self) -> tzinfo:
        name = self._read.course.timezone
        if name == "UTC":  # a system may lack the table of zones
            return UTC
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            problem = f"there is no time zone {name!r}; write it as in Europe/Berlin"
            raise self._error(("course", "timezone"), problem) from error

    def _check_names(self, labs: dict[str, Lab]) -> None:
        seen: set[str] = set()
        for index, table in enumerate(self._read.lab):
            self._check_lab(("lab", index, "id"), table.id, labs)
            if table.id in seen:
                raise self._error(("lab", index, "id"), f"{table.id} is there twice")
            seen.add(table.id)
            for key, rungs in (("bonus", table.bonus), ("hidden", table.hidden)):
                for rung in rungs:
                    self._check_rung(("lab", index, key), labs[table.id], rung)
        for kind, tables in self._of_students().items():
            for number, each in enumerate(tables):
                if each.lab:
                    self._check_lab((kind, number, "lab"), each.lab, labs)
        for index, extension in enumerate(self._read.extension):
            if bool(extension.hours) == bool(extension.deadline):
                raise self._error(("extension", index), "give it either hours or a deadline")
        of_rungs: Mapping[str, Sequence[_Override | _Comment]] = {
            "override": self._read.override,
            "comment": self._read.comment,
        }
        for kind, given in of_rungs.items():
            for number, item in enumerate(given):
                if item.rung and not item.lab:
                    raise self._error((kind, number, "rung"), "a rung needs its lab")
                if item.rung:
                    self._check_rung((kind, number, "rung"), labs[item.lab], item.rung)

    def _check_lab(self, path: KeyPath, lab: str, labs: dict[str, Lab]) -> None:
        if lab not in labs:
            raise self._error(path, f"there is no lab {lab!r}; there are: {', '.join(labs)}")

    def _check_rung(self, path: KeyPath, lab: Lab, rung: str) -> None:
        known = [each.id for each in lab.rungs]
        if rung not in known:
            raise self._error(
                path, f"there is no rung {rung!r} in {lab.id}; there are: {', '.join(known)}"
            )

    def _course(self) -> Course:
        read = self._read
        return Course(
            read.course.name,
            {table.id: self._rules(table) for table in read.lab},
            read.course.drop_lowest,
            self._zone,
            tuple(
                Extension(**{**vars(each), "deadline": self._at(each.deadline)})
                for each in read.extension
            ),
            tuple(Override(**vars(each)) for each in read.override),
            tuple(HandIn(**{**vars(each), "at": self._at(each.at)}) for each in read.hand_in),
            tuple(Comment(**vars(each)) for each in read.comment),
        )

    def _rules(self, table: _LabTable) -> LabRules:
        late = table.late or self._read.late
        most = math.inf if late.max_days is None else late.max_days
        return LabRules(
            table.id,
            self._at(table.deadline),
            table.weight,
            frozenset(table.bonus),
            frozenset(table.hidden),
            Lateness(late.grace_minutes, late.percent_per_day, most),
            {sheet: getattr(table, sheet) for sheet in Sheet},
        )

    def _at(self, when: datetime | None) -> datetime | None:
        """A time without an offset is the course's own. In UTC, where differences are true."""
        if when is None:
            return None
        return (when.replace(tzinfo=self._zone) if when.tzinfo is None else when).astimezone(UTC)


def _bytes_of(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            data = stream.read(_MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error
    if len(data) > _MAX_BYTES:
        raise InputError(f"{file} is larger than {_MAX_BYTES >> 20} MiB; is it a course file?")
    return data
