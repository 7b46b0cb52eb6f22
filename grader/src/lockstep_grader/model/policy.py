# SPDX-License-Identifier: MIT
"""A course's rules, applied to points: lateness, extensions, overrides, weights. No I/O.

Results stay as they were graded. What counts is computed from them each time, with a note for every
rule that changed it.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo

from lockstep_grader.model.compat import UTC
from lockstep_grader.model.grades import tidy, total
from lockstep_grader.model.quiz import Sheet
from lockstep_grader.model.text import count_of


@dataclass(frozen=True, slots=True)
class Lateness:
    """What late work loses: percent of its points per started day after the grace."""

    grace_minutes: float = 0.0
    percent_per_day: float = 0.0
    max_days: float = math.inf  # work that is later earns nothing


@dataclass(frozen=True, slots=True)
class LabRules:
    id: str
    deadline: datetime | None = None
    weight: float = 1.0
    bonus: frozenset[str] = frozenset()  # rungs whose points come on top of the full mark
    hidden: frozenset[str] = frozenset()  # rungs that count and that students' pages leave out
    late: Lateness = Lateness()
    # Points that a full quiz, or all predictions, add to the lab.
    sheets: Mapping[Sheet, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Extension:
    student: str
    reason: str
    lab: str = ""  # empty: every lab
    hours: float = 0.0
    deadline: datetime | None = None  # instead of hours


@dataclass(frozen=True, slots=True)
class Override:
    """Points that an instructor gives by hand, for a rung, or for a lab after all other rules."""

    student: str
    lab: str
    points: float
    reason: str
    rung: str = ""


@dataclass(frozen=True, slots=True)
class HandIn:
    student: str
    at: datetime
    lab: str = ""


@dataclass(frozen=True, slots=True)
class Comment:
    """What an instructor says to one student, about a line, a rung, a lab, or all of it."""

    student: str
    text: str
    lab: str = ""
    rung: str = ""
    line: int = 0
    code: str = ""  # the line as it was, by which a later attempt still has the comment
    points: float = 0.0  # that it adds to the lab's, or takes away

    def settled(self, source: str) -> "Comment":
        """The comment at its line in `source`, or about the rung where that line is gone."""
        if not self.code or not source:
            return self
        lines = enumerate(source.split("\n"), start=1)
        places = [number for number, line in lines if line.strip() == self.code]
        line = min(places, key=lambda place: abs(place - self.line), default=0)
        text = self.text if line else f"{self.text}\n(about an earlier version: {self.code})"
        return replace(self, line=line, text=text)

    @property
    def said(self) -> str:
        """The comment with its place and its points, where it has them."""
        return f"{self.place}: {self.worth}{self.text}".removeprefix(": ")

    @property
    def worth(self) -> str:
        return f"({self.points:+g} points) " if self.points else ""

    @property
    def place(self) -> str:
        line = f".cu:{self.line}" if self.line else ""
        return "/".join(filter(None, (self.lab, self.rung))) + line


@dataclass(frozen=True, slots=True)
class Course:
    name: str = ""
    labs: Mapping[str, LabRules] = field(default_factory=dict)
    drop_lowest: int = 0
    zone: tzinfo = UTC  # in which notes say times
    extensions: tuple[Extension, ...] = ()
    overrides: tuple[Override, ...] = ()
    hand_ins: tuple[HandIn, ...] = ()
    comments: tuple[Comment, ...] = ()


@dataclass(frozen=True, slots=True)
class Graded:
    """A lab's rungs as they were graded: id, points (None: not graded), full mark."""

    id: str
    rungs: tuple[tuple[str, float | None, float], ...]
    sheets: Mapping[Sheet, float] = field(default_factory=dict)  # the share that is earned of each


@dataclass(frozen=True, slots=True)
class Work:
    """What one student handed in."""

    names: frozenset[str]  # every id that the course file may use for the student
    labs: tuple[Graded, ...]
    is_late: bool = False  # as the platform says, which does not say how late
    is_missing: bool = False
    handed_in: datetime | None = None  # as the platform says; the course file comes first


@dataclass(frozen=True, slots=True)
class LabMark:
    lab: str
    points: float | None  # what counts; None: not graded
    max_score: float
    notes: tuple[str, ...] = ()  # each rule that changed something, with its reason
    is_dropped: bool = False

    @property
    def share(self) -> float:
        return (self.points or 0.0) / self.max_score if self.max_score else 0.0


@dataclass(frozen=True, slots=True)
class CourseMark:
    labs: tuple[LabMark, ...]
    percent: float | None  # the weighted mean of the labs; None: some lab is not graded

    def of(self, lab: str) -> LabMark | None:
        return next((mark for mark in self.labs if mark.lab == lab), None)


_DROPPED = "left out as one of the lowest"


def time_of(text: str) -> datetime | None:
    """A time of grade.json; None where none is known."""
    return datetime.fromisoformat(text) if text else None


def hidden_rungs(course: Course, lab: str) -> frozenset[str]:
    return course.labs[lab].hidden if lab in course.labs else frozenset()


def mark(course: Course, work: Work) -> CourseMark:
    """The mark for `work` by the course's rules."""
    marks = tuple(_lab_mark(course, work, lab) for lab in work.labs)
    dropped = _lowest(marks, course.drop_lowest)
    marks = tuple(
        replace(each, is_dropped=True, notes=(*each.notes, _DROPPED))
        if each.lab in dropped
        else each
        for each in marks
    )
    return CourseMark(marks, _percent(course, marks))


def comments_for(names: Collection[str], comments: Iterable[Comment]) -> tuple[Comment, ...]:
    """The comments for the student with these names."""
    return tuple(each for each in comments if each.student in names)


def _lab_mark(course: Course, work: Work, lab: Graded) -> LabMark:
    rules = course.labs.get(lab.id, LabRules(lab.id))
    notes: list[str] = []
    scores = [_rung_points(course, work, lab.id, rung, notes) for rung in lab.rungs]
    full = tidy(sum(most for rung, _, most in lab.rungs if rung not in rules.bonus))
    points = total(scores)
    for sheet, share in lab.sheets.items():
        if worth := rules.sheets.get(sheet, 0.0):
            earned = tidy(worth * share)
            notes.append(f"{sheet}: {earned:g} of {worth:g} points")
            full = tidy(full + worth)
            points = total([points, earned])
    for comment in course.comments:
        is_own = comment.student in work.names and comment.lab == lab.id
        if is_own and comment.points and points is not None:
            notes.append(f"{comment.points:+g} points, for a comment on {comment.place}")
            points = max(0.0, tidy(points + comment.points))
    if points is not None and not work.is_missing:
        lost = _late_percent(course, work, rules, notes)
        points = tidy(points * (1 - lost / 100))
    for override in course.overrides:
        if override.student in work.names and override.lab == lab.id and not override.rung:
            notes.append(f"{override.points:g} points, set by hand: {override.reason}")
            points = override.points
    return LabMark(lab.id, points, full, tuple(notes))


def _rung_points(
    course: Course,
    work: Work,
    lab: str,
    rung: tuple[str, float | None, float],
    notes: list[str],
) -> float | None:
    rung_id, points, _ = rung
    for override in course.overrides:
        if override.student in work.names and (override.lab, override.rung) == (lab, rung_id):
            before = "not graded" if points is None else f"graded {points:g}"
            notes.append(
                f"{rung_id}: {override.points:g} points, set by hand ({before}): {override.reason}"
            )
            points = override.points
    return points


def _late_percent(course: Course, work: Work, rules: LabRules, notes: list[str]) -> float:
    """The percentage of the points that lateness costs."""
    if rules.deadline is None:
        return 0.0
    extensions = [
        each
        for each in course.extensions
        if each.student in work.names and each.lab in ("", rules.id)
    ]
    deadline = max([_extended(rules.deadline, each) for each in extensions] or [rules.deadline])
    for each in extensions:
        until = _extended(rules.deadline, each).astimezone(course.zone)
        notes.append(f"extended until {until:%Y-%m-%d %H:%M}: {each.reason}")
    at = [
        each.at
        for each in course.hand_ins
        if each.student in work.names and each.lab in ("", rules.id)
    ]
    if not at and work.handed_in:
        at = [work.handed_in]
    if not at:
        return _flagged_percent(work, rules, bool(extensions), notes)
    over = max(at) - deadline - timedelta(minutes=rules.late.grace_minutes)
    days = math.ceil(over / timedelta(days=1))
    return _cost(days, rules.late, notes) if days > 0 else 0.0


def _flagged_percent(work: Work, rules: LabRules, is_extended: bool, notes: list[str]) -> float:
    if not work.is_late:
        return 0.0
    if is_extended:
        notes.append("the platform marks it as late; the extension may cover that")
        return 0.0
    notes.append("the platform marks it as late and does not say how late: taken for 1 day")
    return _cost(1, rules.late, notes)


def _cost(days: int, late: Lateness, notes: list[str]) -> float:
    words = f"{count_of(days, 'day')} late"
    if days > late.max_days:
        notes.append(f"{words}: after {late.max_days:g} days it earns nothing")
        return 100.0
    lost = min(100.0, days * late.percent_per_day)
    notes.append(f"{words}: costs {lost:g}% of the points")
    return lost


def _extended(deadline: datetime, extension: Extension) -> datetime:
    return extension.deadline or deadline + timedelta(hours=extension.hours)


def _lowest(marks: Sequence[LabMark], count: int) -> frozenset[str]:
    """The labs that a student's course mark leaves out; one at least is left."""
    by_share = sorted(marks, key=lambda each: each.share)
    return frozenset(each.lab for each in by_share[: min(count, max(0, len(marks) - 1))])


def _percent(course: Course, marks: Iterable[LabMark]) -> float | None:
    counted = [each for each in marks if not each.is_dropped]
    if any(each.points is None for each in counted):
        return None
    weights = [course.labs.get(each.lab, LabRules(each.lab)).weight for each in counted]
    if not sum(weights):
        return None
    shares = (weight * each.share for weight, each in zip(weights, counted, strict=True))
    return tidy(100 * sum(shares) / sum(weights))
