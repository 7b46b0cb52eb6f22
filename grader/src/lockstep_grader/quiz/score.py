# SPDX-License-Identifier: MIT
"""Answers to points: each is checked with the key that there is here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from lockstep_grader.intake.submission import Submission, read_submitted
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Finding, Lab
from lockstep_grader.model.quiz import (
    ANSWERS,
    AnswerError,
    Asked,
    Mark,
    Quiz,
    QuizResult,
    Verdict,
    asked,
    scored,
)
from lockstep_grader.quiz import sealed
from lockstep_grader.quiz.file import FILE, Answers, parse_answers, read_quiz


class Checker(Protocol):
    def check(self, asked: Asked, answer: str) -> Verdict:
        """Raises AnswerError when it is not an answer to such a question."""


class NoKey:
    """Where there is no key, answers are kept and not judged."""

    def check(self, asked: Asked, answer: str) -> Verdict:
        explain = not asked.question.is_scored
        return Verdict(Mark.COLLECTED if explain else Mark.UNCHECKED)


@dataclass(frozen=True, slots=True)
class Scorer:
    """A lab's questions, and what checks the answers to them."""

    quiz: Quiz
    checker: Checker

    def result(self, answers: Answers | None, problem: str = "") -> QuizResult:
        given = answers.given if answers else {}
        seed = answers.seed if answers else None
        made = []
        for question in self.quiz.questions:
            drawn = asked(self.quiz, question, seed or 0)
            answer = given.get(question.id, "")
            made.append(scored(drawn, answer, self.verdict(drawn, answer)))
        return QuizResult(tuple(made), seed, problem)

    def verdict(self, drawn: Asked, answer: str) -> Verdict:
        if not answer.strip():
            return Verdict(Mark.UNANSWERED)
        try:
            return self.checker.check(drawn, answer)
        except AnswerError as error:
            return Verdict(Mark.WRONG, f"not an answer: {error}")

    def of_submission(self, submission: Submission, lab: Lab) -> QuizResult:
        """A broken file earns nothing and says why; an absent one is not an answer."""
        answers = handed_in(submission, lab, self.quiz)
        if isinstance(answers, str):
            return self.result(None, answers)
        return self.result(answers)


def handed_in(submission: Submission, lab: Lab, quiz: Quiz) -> Answers | str | None:
    """The answers of a submission; None where there are none, or what is wrong with them."""
    file = submission.files.get((lab.id, ANSWERS))
    if file is None:
        return None
    source = read_submitted(file, ANSWERS)
    if isinstance(source, Finding):
        return source.message
    try:
        return parse_answers(source.data, quiz)
    except InputError as error:
        return str(error)


def scorer_of(workspace: Workspace, lab: Lab) -> Scorer | None:
    """With the key where there is one, else with the sealed key; None: the lab has no quiz."""
    quiz = read_quiz(workspace, lab)
    if quiz is None:
        return None
    if (workspace.solutions / lab.id / FILE).is_file():
        from lockstep_grader.quiz.key import read_key  # not in the students' copy

        return Scorer(quiz, read_key(workspace, quiz))
    file = workspace.labs / lab.id / sealed.FILE
    return Scorer(quiz, sealed.read_sealed(file, quiz) if file.is_file() else NoKey())


def scorers_of(workspace: Workspace, labs: Iterable[Lab]) -> Mapping[str, Scorer]:
    found = {lab.id: scorer_of(workspace, lab) for lab in labs}
    return {lab: scorer for lab, scorer in found.items() if scorer}


def shared_seeds(
    submissions: Iterable[Submission], scorers: Mapping[str, Scorer]
) -> Mapping[str, tuple[str, ...]]:
    """A note for each submission whose quiz was drawn from the seed of another: a copied file."""
    owners: dict[tuple[str, int], list[str]] = {}
    for submission in submissions:
        for lab in submission.labs:
            if lab.id in scorers:
                answers = handed_in(submission, lab, scorers[lab.id].quiz)
                if isinstance(answers, Answers):
                    owners.setdefault((lab.id, answers.seed), []).append(submission.id)
    notes: dict[str, tuple[str, ...]] = {}
    for (lab_id, _), ids in owners.items():
        for one in ids if len(ids) > 1 else ():
            others = ", ".join(other for other in ids if other != one)
            note = f"{lab_id}: {ANSWERS} has the same seed as that of {others}"
            notes[one] = (*notes.get(one, ()), note)
    return notes
