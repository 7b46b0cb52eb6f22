# SPDX-License-Identifier: MIT
"""What grade.json says of a class, as values that the formats are made from. No I/O.

Points are rounded once, where they are earned: grade.json holds them to two places (model.tidy).
Every total here is a sum of those, and every format shows the same number.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lockstep_grader.model.grades import (
    Finding,
    Lab,
    Outcome,
    Part,
    Student,
    tidy,
    total,
)
from lockstep_grader.model.policy import (
    Comment,
    Course,
    CourseMark,
    Graded,
    LabMark,
    Work,
    comments_for,
    hidden_rungs,
    mark,
    time_of,
    without_hidden,
)
from lockstep_grader.model.quiz import QuizResult
from lockstep_grader.results import schema
from lockstep_grader.results.export.left_out import LeftOut
from lockstep_grader.results.parsed import findings_of, quiz_of
from lockstep_grader.results.schema import names_of, parse_report

QUIZ = "quiz"  # what a lab's quiz is called where a rung has its id


@dataclass(frozen=True, slots=True)
class Test:
    name: str
    part: Part
    outcome: Outcome
    message: str
    seconds: float
    output: str
    findings: tuple[Finding, ...] = ()
    images: tuple[tuple[str, str], ...] = ()  # label, file next to the rung's result


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
    mark: LabMark | None = None  # what counts by the course's rules; None: what was graded
    hidden: frozenset[str] = frozenset()  # rungs that count and that students are not shown
    quiz: QuizResult | None = None
    quiz_points: float = 0.0  # what the quiz adds here with all answers right

    @property
    def score(self) -> float | None:
        if self.mark:
            return self.mark.points
        return total([*(rung.score for rung in self.rungs), self.quiz_score])

    @property
    def max_score(self) -> float:
        if self.mark:
            return self.mark.max_score
        return tidy(sum(rung.max_score for rung in self.rungs) + self.quiz_points)

    @property
    def shows_quiz(self) -> bool:
        quiz = self.quiz
        return quiz is not None and bool(self.quiz_points or quiz.problem or quiz.seed is not None)

    @property
    def quiz_score(self) -> float:
        return tidy(self.quiz_points * self.quiz.share) if self.quiz else 0.0


@dataclass(frozen=True, slots=True)
class Submission:
    id: str
    labs: tuple[LabGrade, ...]
    names: frozenset[str]  # all by which a course file may call the student
    student: Student = field(default_factory=Student)
    problem: str = ""  # why nothing could be taken from it, such as a damaged archive
    notes: tuple[str, ...] = ()  # such as which of several uploads counts
    is_late: bool = False
    dispute: str = ""  # why it is not clear whose this is
    is_missing: bool = False
    handed_in: str = ""
    mark: CourseMark | None = None
    comments: tuple[Comment, ...] = ()  # of instructors, for this student alone

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

    @property
    def quizzes(self) -> tuple[tuple[str, "LabGrade"], ...]:
        """Every lab whose quiz counts or was answered, with the name LAB/quiz.

        A course that does not use the quiz reads nothing about it.
        """
        return tuple((f"{lab.id}/{QUIZ}", lab) for lab in self.labs if lab.shows_quiz)

    def with_quiz_points(self, points: float) -> "Submission":
        """The submission, where a quiz with all answers right adds `points` to its lab."""
        labs = (replace(lab, quiz_points=points if lab.quiz else 0.0) for lab in self.labs)
        return replace(self, labs=tuple(labs))


@dataclass(frozen=True, slots=True)
class Gradebook:
    submissions: tuple[Submission, ...]
    graded_at: str = ""

    @property
    def labs(self) -> tuple[tuple[str, float], ...]:
        """Id and full mark of every lab that any submission was graded on, in order."""
        marks = {lab.id: lab.max_score for entry in self.submissions for lab in entry.labs}
        return tuple(sorted(marks.items()))

    def names(self) -> frozenset[str]:
        """Every name that a course file may use for a student."""
        return frozenset().union(*(entry.names for entry in self.submissions))

    def commented(
        self, comments: Sequence[Comment], source: Callable[[str, str, str], str]
    ) -> "Gradebook":
        """The book with each student's comments.

        `source` is what was judged, by the ids of submission, lab and rung.
        """
        return replace(
            self,
            submissions=tuple(
                replace(
                    entry,
                    comments=tuple(
                        each.settled(source(entry.id, each.lab, each.rung) if each.code else "")
                        for each in comments_for(entry.names, comments)
                    ),
                )
                for entry in self.submissions
            ),
        )

    def marked(self, course: Course) -> "Gradebook":
        """The book with what counts by the course's rules."""
        return replace(self, submissions=tuple(_marked(course, each) for each in self.submissions))

    def settled(self) -> tuple["Gradebook", tuple[LeftOut, ...]]:
        """The book without submissions whose student is in dispute, and why each is left out."""
        kept = tuple(entry for entry in self.submissions if not entry.dispute)
        left = tuple(
            LeftOut(entry.id, entry.dispute) for entry in self.submissions if entry.dispute
        )
        return replace(self, submissions=kept), left

    def only(self, lab_id: str | None, students: Sequence[str]) -> "Gradebook":
        """The part with this lab and these students, by id, login, email or LMS id."""
        chosen = []
        for entry in self.submissions:
            if not students or entry.names.intersection(students):
                labs = tuple(lab for lab in entry.labs if lab_id in (None, lab.id))
                said = tuple(
                    each for each in entry.comments if lab_id is None or each.lab in ("", lab_id)
                )
                chosen.append(replace(entry, labs=labs, comments=said))
        return replace(self, submissions=tuple(chosen))


def gradebook(data: object) -> Gradebook:
    """The gradebook in a grade.json. Raises ValueError naming a field on other data."""
    report = parse_report(data)
    names = names_of(report)
    submissions = tuple(_submission(entry, names[entry.id]) for entry in report.submissions)
    return Gradebook(submissions, report.graded_at)


def _marked(course: Course, entry: Submission) -> Submission:
    labs = tuple(
        Graded(
            lab.id,
            tuple((rung.id, rung.score, rung.max_score) for rung in lab.rungs),
            lab.quiz.share if lab.quiz else None,
        )
        for lab in entry.labs
    )
    marks = mark(
        course, Work(entry.names, labs, entry.is_late, entry.is_missing, time_of(entry.handed_in))
    )
    return replace(
        entry,
        labs=tuple(
            replace(lab, mark=marks.of(lab.id), hidden=hidden_rungs(course, lab.id))
            for lab in entry.labs
        ),
        mark=marks,
        comments=without_hidden(
            course, (*entry.comments, *comments_for(entry.names, course.comments))
        ),
    )


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
    return Submission(submission_id, (LabGrade(lab.id, rungs),), frozenset({submission_id}))


def _submission(parsed: schema.Submission, names: frozenset[str]) -> Submission:
    labs = tuple(
        LabGrade(lab.id, tuple(_rung(rung) for rung in lab.rungs), quiz=quiz_of(lab.quiz))
        for lab in parsed.labs
    )
    student = Student(**dict(parsed.student))
    return Submission(
        parsed.id,
        labs,
        names,
        student,
        parsed.problem,
        parsed.notes,
        parsed.late,
        parsed.dispute,
        parsed.missing,
        parsed.handed_in,
    )


def _rung(parsed: schema.Rung) -> Rung:
    return Rung(
        id=parsed.id,
        outcome=parsed.outcome,
        score=_points(parsed.score),
        max_score=tidy(float(parsed.max_score)),
        parts={
            name: (_points(part.score), float(part.max_score))
            for name, part in parsed.parts.items()
        },
        fault=parsed.fault,
        findings=findings_of(parsed.findings),
        tests=tuple(_test(test) for test in parsed.tests),
        seconds=float(parsed.seconds),
    )


def _test(parsed: schema.Test) -> Test:
    return Test(
        name=parsed.name,
        part=parsed.part,
        outcome=parsed.outcome,
        message=parsed.message,
        seconds=float(parsed.seconds),
        output=parsed.output,
        findings=findings_of(parsed.findings),
        images=tuple((image.label, image.file) for image in parsed.images),
    )


def _points(value: float | None) -> float | None:
    return None if value is None else tidy(float(value))
