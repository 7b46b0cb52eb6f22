# SPDX-License-Identifier: MIT
"""A made-up term: the repositories of a course's students at three dates, and its course file.

Each student has one repository for all labs. From date to date, more of its rungs are right. Most texts
are those of a solution, a starter or a mutant, so they are equal. Some students add a line of their own.
"""

import csv
import io
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from functools import cached_property
from pathlib import Path

from made_up_class import Made, Sources
from measurements import ROOT

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import tidy
from lockstep_grader.model.quiz import Quiz, asked
from lockstep_grader.quiz.file import Answers, require_quiz, write_answers
from lockstep_grader.quiz.key import Key, read_key

LABS = ("00-threads", "01-reduction", "02-scan", "03-compaction")
ATTEMPTS = 3
SEED = 8
QUIZ_POINTS = 2.0
PERCENT_PER_DAY, MAX_DAYS, GRACE = 10, 5, timedelta(minutes=15)
FIRST_DEADLINE = datetime(2026, 10, 12, 21, 59, tzinfo=timezone.utc)
OWN_SHARE = 0.04  # of the texts: with a line of the student's own, so equal to no other
MUTANTS_PER_RUNG = 4
MISSING, TWICE, EMPTY, HOSTILE = range(2), (2,), (3,), (4, 5)  # students, by number
WITH_OVERRIDE = range(10, 15)

# When a lab is handed in, relative to its deadline: weight, delay, what it costs in percent.
ARRIVALS = {
    "on time": (75, timedelta(hours=-20), 0),
    "in grace": (7, GRACE - timedelta(minutes=1), 0),
    "late": (10, timedelta(hours=30), 2 * PERCENT_PER_DAY),
    "extended": (5, timedelta(hours=40), 0),
    "too late": (3, timedelta(days=MAX_DAYS + 2), 100),
}
EXTENSION_HOURS = 48


@dataclass(frozen=True)
class Student:
    number: int
    skill: float
    arrivals: dict[str, str] = field(default_factory=dict)  # by lab

    @property
    def login(self) -> str:
        return f"student{self.number:03}"

    @property
    def repository(self) -> str:
        return f"parallel-{self.login}"

    @property
    def participant(self) -> int:
        return 7000 + self.number


class Term:
    """What every student hands in, and what it must get."""

    def __init__(self, num_students: int, labs: Sequence[str] = LABS) -> None:
        self.sources = Sources(labs, MUTANTS_PER_RUNG)
        chance = random.Random(SEED)
        weights = [weight for weight, _, _ in ARRIVALS.values()]
        self.students = [
            Student(
                number,
                chance.triangular(0.1, 1.1, 0.7),
                {lab.id: chance.choices(list(ARRIVALS), weights)[0] for lab in self.sources.labs},
            )
            for number in range(num_students)
        ]

    def write_attempt(self, folder: Path, attempt: int) -> dict[str, dict[str, Made]]:
        """Writes all repositories; returns the results to expect, by submission and LAB/RUNG."""
        declared: dict[str, dict[str, Made]] = {}
        for student in self.students:
            if student.number in MISSING:
                continue
            made = {f"{lab}/{rung}": each for lab, rung, each in self._made(student, attempt)}
            repositories = [student.repository]
            if student.number in TWICE:
                repositories.append(f"parallel-old-{student.login}")
            for repository in repositories:
                self._write(folder / repository, student, made)
                declared[repository] = made
        return declared

    def _made(self, student: Student, attempt: int) -> Iterator[tuple[str, str, Made]]:
        """Each rung as it is at this date. The same chances at each date: only the skill grows."""
        chance = random.Random(f"{SEED} {student.number}")
        for lab in self.sources.labs:
            for place, rung in enumerate(lab.rungs):
                need, tries, own = chance.random(), chance.random(), chance.random()
                mutant = self.sources.mutant(lab, rung, chance)
                skill = student.skill + 0.15 * attempt - 0.05 * place
                if student.number in EMPTY:
                    made = Made(None, 0.0)
                elif student.number in HOSTILE and place == 0:
                    made = self.sources.hostile(lab, rung, chance)
                elif need < skill:
                    made = self.sources.solution(lab, rung, chance)
                elif tries < 0.5:
                    made = mutant
                else:
                    made = self.sources.starter(lab, rung, chance)
                if own < OWN_SHARE and made.text and made.score != 0.0:
                    made = replace(made, text=made.text + f"\n// {student.login}\n".encode())
                yield lab.id, rung.id, made

    def _write(self, repository: Path, student: Student, made: dict[str, Made]) -> None:
        (repository / "labs").mkdir(parents=True)
        for name, each in made.items():
            if each.text is not None:
                file = repository / "labs" / f"{name}.cu"
                file.parent.mkdir(exist_ok=True)
                file.write_bytes(each.text)
        if student.number not in EMPTY:
            for lab in self.sources.labs:
                write_answers(
                    repository / "labs" / lab.id / "answers.toml", self._answers(student, lab.id)
                )

    def _answers(self, student: Student, lab: str) -> Answers:
        """As many right answers as the student's skill allows; the others are left out."""
        quiz, key = self._quizzes[lab]
        chance = random.Random(f"{SEED} {student.number} {lab}")
        seed = chance.getrandbits(48)
        given = {}
        for question in quiz.questions:
            right = key.case(question, asked(quiz, question, seed).case).accepted
            if right and chance.random() < student.skill:
                given[question.id] = str(right[0])
        return Answers(lab, seed, given)

    @cached_property
    def _quizzes(self) -> dict[str, tuple[Quiz, Key]]:
        workspace = Workspace(ROOT, ROOT / "build")
        quizzes = {lab.id: require_quiz(workspace, lab) for lab in self.sources.labs}
        return {lab: (quiz, read_key(workspace, quiz)) for lab, quiz in quizzes.items()}

    # ---- the course

    def deadline(self, lab: str) -> datetime:
        order = [each.id for each in self.sources.labs].index(lab)
        return FIRST_DEADLINE + order * timedelta(weeks=2)

    def course(self) -> str:
        """The course file: deadlines, when each lab was handed in, extensions and overrides."""
        tables = [
            f'[course]\nname = "A made-up term"\ndrop_lowest = 1\n\n[late]\n'
            f"grace_minutes = {int(GRACE.total_seconds() // 60)}\n"
            f"percent_per_day = {PERCENT_PER_DAY}\nmax_days = {MAX_DAYS}"
        ]
        for lab in self.sources.labs:
            tables.append(
                f'[[lab]]\nid = "{lab.id}"\ndeadline = {self.deadline(lab.id).isoformat()}\n'
                f"quiz = {QUIZ_POINTS}"
            )
        for student in self.students:
            if student.number not in MISSING:
                tables += self._tables(student)
        return "\n\n".join(tables) + "\n"

    def _tables(self, student: Student) -> Iterator[str]:
        who = f'student = "{student.login}"'
        for lab, arrival in student.arrivals.items():
            at = self.deadline(lab) + ARRIVALS[arrival][1]
            yield f'[[hand_in]]\n{who}\nlab = "{lab}"\nat = {at.isoformat()}'
            if arrival == "extended":
                yield (
                    f'[[extension]]\n{who}\nlab = "{lab}"\nhours = {EXTENSION_HOURS}\n'
                    'reason = "ill, with a note"'
                )
        if student.number in WITH_OVERRIDE:
            yield (
                f'[[override]]\n{who}\nlab = "{self.sources.labs[0].id}"\n'
                f'points = {self.override_points(student)}\nreason = "shown in person"'
            )

    def override_points(self, student: Student) -> float:
        return 3.0 + student.number / 4

    def expected_points(
        self, student: Student, lab: str, graded: float, quiz_share: float
    ) -> float:
        """What counts for a lab by the course's rules."""
        if student.number in WITH_OVERRIDE and lab == self.sources.labs[0].id:
            return self.override_points(student)
        lost = ARRIVALS[student.arrivals[lab]][2]
        points = tidy(graded + tidy(QUIZ_POINTS * quiz_share))
        return tidy(points * (1 - lost / 100))

    def arrivals(self) -> dict[str, int]:
        """How many labs came when, for the report."""
        here = (each for each in self.students if each.number not in MISSING)
        return dict(Counter(arrival for each in here for arrival in each.arrivals.values()))

    # ---- what platforms have

    def roster(self) -> str:
        rows = [["login", "name", "email", "participant"]]
        for each in self.students:
            email = f"{each.login}@example.edu"
            rows.append([each.login, f"Made Up {each.number}", email, str(each.participant)])
        return _csv(rows)

    def worksheet(self) -> str:
        """Moodle's grading worksheet."""
        rows = [["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"]]
        rows[0] += ["Grade can be changed", "Last modified (grade)", "Feedback comments"]
        for each in self.students:
            who = [f"Participant {each.participant}", f"Made Up {each.number}"]
            rows.append([*who, f"{each.login}@example.edu", "", "", "100.00", "Yes", "-", ""])
        return _csv(rows)


def _csv(rows: Sequence[Sequence[str]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()
