# SPDX-License-Identifier: MIT
"""What grade.json says of a class, as values that the formats are made from. No I/O.

Points are rounded once, where they are earned: grade.json holds them to two places (model.tidy).
Every total here is a sum of those, and every format shows the same number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lockstep_grader.model.grades import (
    Finding,
    FindingKind,
    Lab,
    Outcome,
    Part,
    Student,
    tidy,
    total,
)


@dataclass(frozen=True, slots=True)
class Test:
    name: str
    part: Part
    outcome: Outcome
    message: str
    seconds: float
    output: str
    findings: tuple[Finding, ...] = ()
    images: tuple[tuple[str, str], ...] = ()  # label, file beside the rung's result


@dataclass(frozen=True, slots=True)
class Rung:
    id: str
    outcome: Outcome
    score: float | None  # None: not graded
    max_score: float
    parts: Mapping[Part, tuple[float | None, float]]
    fault: str = ""
    findings: tuple[Finding, ...] = ()
    tests: tuple[Test, ...] = ()
    seconds: float = 0.0

    @property
    def full(self) -> bool:
        return self.score == self.max_score


@dataclass(frozen=True, slots=True)
class LabGrade:
    id: str
    rungs: tuple[Rung, ...]

    @property
    def score(self) -> float | None:
        return total(rung.score for rung in self.rungs)

    @property
    def max_score(self) -> float:
        return tidy(sum(rung.max_score for rung in self.rungs))


@dataclass(frozen=True, slots=True)
class Submission:
    id: str
    labs: tuple[LabGrade, ...]
    student: Student = field(default_factory=Student)
    problem: str = ""  # why nothing could be taken from it, such as a damaged archive

    @property
    def score(self) -> float | None:
        return total(lab.score for lab in self.labs)

    @property
    def max_score(self) -> float:
        return tidy(sum(lab.max_score for lab in self.labs))

    @property
    def rungs(self) -> tuple[tuple[str, Rung], ...]:
        """Every rung with the name that the formats give it: LAB/RUNG."""
        return tuple((f"{lab.id}/{rung.id}", rung) for lab in self.labs for rung in lab.rungs)

    @property
    def seconds(self) -> float:
        return round(sum(rung.seconds for _, rung in self.rungs), 3)


@dataclass(frozen=True, slots=True)
class Gradebook:
    submissions: tuple[Submission, ...]
    graded_at: str = ""

    @property
    def labs(self) -> tuple[tuple[str, float], ...]:
        """Id and full mark of every lab that any submission was graded on, in order."""
        marks = {lab.id: lab.max_score for entry in self.submissions for lab in entry.labs}
        return tuple(sorted(marks.items()))

    def only(self, lab_id: str | None, students: Sequence[str]) -> "Gradebook":
        """The part with this lab and these students, by id, login, email or LMS id."""
        chosen = []
        for entry in self.submissions:
            who = entry.student
            names = {entry.id, who.login, who.email, who.lms_id} - {""}
            if not students or names.intersection(students):
                labs = tuple(lab for lab in entry.labs if lab_id in (None, lab.id))
                chosen.append(replace(entry, labs=labs))
        return replace(self, submissions=tuple(chosen))


def gradebook(data: Mapping[str, Any]) -> Gradebook:
    """The gradebook in a grade.json. Raises KeyError, TypeError or ValueError on other data."""
    if data["version"] != 1:
        raise ValueError(f"version {data['version']}, but this grader reads 1")
    submissions = tuple(_submission(entry) for entry in data["submissions"])
    return Gradebook(submissions, str(data.get("graded_at", "")))


def not_graded(submission_id: str, lab: Lab, fault: str) -> Submission:
    """A submission that the grader failed on as a whole."""
    rungs = tuple(
        Rung(
            rung.id,
            Outcome.ERROR,
            None,
            tidy(rung.points.total),
            {part: (None, rung.points.of(part)) for part in Part},
            fault,
        )
        for rung in lab.rungs
    )
    return Submission(submission_id, (LabGrade(lab.id, rungs),))


def _submission(data: Mapping[str, Any]) -> Submission:
    who = data.get("student") or {}
    keys = ("name", "email", "lms_id", "login", "section")
    labs = tuple(
        LabGrade(str(lab["id"]), tuple(_rung(rung) for rung in lab["rungs"]))
        for lab in data["labs"]
    )
    student = Student(**{key: str(who.get(key) or "") for key in keys})
    return Submission(str(data["id"]), labs, student, str(data.get("problem") or ""))


def _rung(data: Mapping[str, Any]) -> Rung:
    parts = {
        Part(name): (_points(part["score"]), float(part["max_score"]))
        for name, part in data["parts"].items()
    }
    return Rung(
        id=str(data["id"]),
        outcome=Outcome(data["outcome"]),
        score=_points(data["score"]),
        max_score=tidy(float(data["max_score"])),
        parts=parts,
        fault=str(data["fault"]),
        findings=_findings(data["findings"]),
        tests=tuple(_test(test) for test in data["tests"]),
        seconds=float(data["seconds"]),
    )


def _test(data: Mapping[str, Any]) -> Test:
    return Test(
        name=str(data["name"]),
        part=Part(data["part"]),
        outcome=Outcome(data["outcome"]),
        message=str(data["message"]),
        seconds=float(data["seconds"]),
        output=str(data["output"]),
        findings=_findings(data["findings"]),
        images=tuple((str(image["label"]), str(image["file"])) for image in data["images"]),
    )


def _findings(data: Sequence[Mapping[str, Any]]) -> tuple[Finding, ...]:
    return tuple(
        Finding(FindingKind(item["kind"]), item["message"], item["file"], item["line"] or 0)
        for item in data
    )


def _points(value: float | None) -> float | None:
    return None if value is None else tidy(float(value))
