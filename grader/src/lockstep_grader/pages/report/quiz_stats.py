# SPDX-License-Identifier: MIT
"""The class in its quizzes: who answered, and question by question what went wrong. No I/O."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from lockstep_grader.model.quiz import Answered, Kind, Mark, QuizResult
from lockstep_grader.results.graded import Entry


@dataclass(frozen=True, slots=True)
class QuestionStat:
    id: str
    kind: Kind
    counts: Mapping[Mark, int]
    mistake: str  # the explanation that most wrong answers got; empty: none has one
    mistakes: int  # how many got it

    @property
    def is_scored(self) -> bool:
        return self.kind is not Kind.EXPLAIN

    @property
    def share(self) -> float | None:
        """Of the answers that could be checked, in percent; None where there is none."""
        checked = self.counts[Mark.RIGHT] + self.counts[Mark.WRONG]
        return 100 * self.counts[Mark.RIGHT] / checked if checked else None


@dataclass(frozen=True, slots=True)
class QuizStat:
    """A lab's quiz; the counts are of those who handed in answers."""

    lab: str
    answered: int
    silent: int  # submissions without answers
    unreadable: tuple[Entry, ...]
    mean: float | None
    max_score: float
    questions: tuple[QuestionStat, ...]


def quiz_stats(entries: Sequence[Entry]) -> list[QuizStat]:
    """Of each lab whose quiz any of them answered."""
    found: dict[str, list[tuple[Entry, QuizResult]]] = defaultdict(list)
    for entry in entries:
        for lab in entry.labs:
            if lab.quiz:
                found[lab.id].append((entry, lab.quiz))
    return [
        _quiz(lab, quizzes)
        for lab, quizzes in sorted(found.items())
        if any(quiz.seed is not None or quiz.problem for _, quiz in quizzes)
    ]


def _quiz(lab: str, quizzes: Sequence[tuple[Entry, QuizResult]]) -> QuizStat:
    answered = [quiz for _, quiz in quizzes if quiz.seed is not None]
    unreadable = tuple(entry for entry, quiz in quizzes if quiz.problem)
    by_question: dict[str, list[Answered]] = defaultdict(list)
    for quiz in answered:
        for each in quiz.answers:
            by_question[each.id].append(each)
    return QuizStat(
        lab,
        len(answered),
        len(quizzes) - len(answered) - len(unreadable),
        unreadable,
        round(mean(quiz.score for quiz in answered), 2) if answered else None,
        max(quiz.max_score for _, quiz in quizzes),
        tuple(_question(name, answers) for name, answers in by_question.items()),
    )


def _question(name: str, answers: Sequence[Answered]) -> QuestionStat:
    marks = Counter(each.mark for each in answers)
    reasons = Counter(each.reason for each in answers if each.mark is Mark.WRONG and each.reason)
    mistake = min(reasons, key=lambda reason: (-reasons[reason], reason), default="")
    return QuestionStat(
        name, answers[0].kind, {mark: marks[mark] for mark in Mark}, mistake, reasons[mistake]
    )
