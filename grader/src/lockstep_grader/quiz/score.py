# SPDX-License-Identifier: MIT
"""Answers to points: a quiz by the key that there is here, predictions by when they were made.

A students' copy has a sealed key: an answer opens its own verdict, and nothing else can be read.
Each verdict is encrypted with a key made from the answer that it is for. That hides answers from a
reader of the file, not from a program that tries them all: a choice has four.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from lockstep_grader.intake.submission import Submission, read_submitted
from lockstep_grader.machine.files import read_json
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Finding, Lab
from lockstep_grader.model.quiz import (
    Answered,
    AnswerError,
    Asked,
    CaseKey,
    Kind,
    Mark,
    Quiz,
    QuizResult,
    Verdict,
    asked,
    canonical,
    is_near,
    scored,
)
from lockstep_grader.quiz.file import FILE, Answers, parse_answers, read_quiz
from lockstep_grader.quiz.predict import read_predictions

SEALED = "quiz.sealed.json"  # in a students' copy, where the key is not
_VERSION = 1
_TAG_BYTES = 8
_SIGNS = {"+": Mark.RIGHT, "-": Mark.WRONG}
Entries = Mapping[str, Sequence[Sequence[str]]]  # by question and case


def sealed_json(quiz: Quiz, key: Mapping[str, Sequence[CaseKey]]) -> bytes:
    """The file for a students' copy. The same key gives the same bytes."""
    questions = {
        question.id: [
            sorted(_entries(f"{quiz.lab}/{question.id}/{number}", case))
            for number, case in enumerate(key[question.id])
        ]
        for question in quiz.questions
        if question.is_scored
    }
    value = {"version": _VERSION, "lab": quiz.lab, "questions": questions}
    return (json.dumps(value, indent=0) + "\n").encode("ascii")


def _entries(name: str, case: CaseKey) -> Iterable[str]:
    for answer in case.accepted:
        yield _sealed(name, answer, f"+{case.reason}")
    for answer, why in case.wrong:
        yield _sealed(name, answer, f"-{why}")


class SealedKey:
    """Checks answers with a sealed file."""

    def __init__(self, quiz: Quiz, entries: Entries) -> None:
        self._quiz, self._entries_of = quiz, entries

    def check(self, asked: Asked, answer: str) -> Verdict:
        question = asked.question
        if question.kind is Kind.EXPLAIN:
            return Verdict(Mark.COLLECTED)
        cases = self._entries_of.get(question.id, ())
        if asked.case >= len(cases):
            return Verdict(Mark.UNCHECKED, "the sealed key is of another version of the quiz")
        name = f"{self._quiz.lab}/{question.id}/{asked.case}"
        given = canonical(question, answer)
        for entry in cases[asked.case]:
            if text := _opened(name, given, entry):
                return Verdict(_SIGNS[text[0]], text[1:])
        return Verdict(Mark.WRONG, question.hint)


def read_sealed(file: Path, quiz: Quiz) -> SealedKey:
    """Raises InputError when it is damaged."""
    try:
        data = read_json(file)
        fits = (data["version"], data["lab"]) == (_VERSION, quiz.lab)
        questions = data["questions"] if fits else None
    except (OSError, ValueError, KeyError, TypeError):
        questions = None
    if questions is None:
        raise InputError(f"{file} is damaged: take it from the course's copy again")
    return SealedKey(quiz, questions)


def _sealed(name: str, answer: str, text: str) -> str:
    data = text.encode("utf-8")
    stream = _stream(name, answer, len(data))
    packed = stream[:_TAG_BYTES] + _mixed(data, stream[_TAG_BYTES:])
    return base64.b64encode(packed).decode("ascii")


def _opened(name: str, answer: str, entry: str) -> str:
    packed = base64.b64decode(entry)
    stream = _stream(name, answer, len(packed) - _TAG_BYTES)
    if stream[:_TAG_BYTES] != packed[:_TAG_BYTES]:
        return ""
    return _mixed(packed[_TAG_BYTES:], stream[_TAG_BYTES:]).decode("utf-8")


def _stream(name: str, answer: str, size: int) -> bytes:
    return hashlib.shake_256(f"{name}/{answer}".encode()).digest(_TAG_BYTES + size)


def _mixed(data: bytes, stream: bytes) -> bytes:
    return bytes(left ^ right for left, right in zip(data, stream, strict=True))


class Checker(Protocol):
    def check(self, asked: Asked, answer: str) -> Verdict:
        """Raises AnswerError when it is not an answer to such a question."""


class NoKey:
    """Where there is no key, answers are kept and not judged."""

    def check(self, asked: Asked, answer: str) -> Verdict:
        if not asked.question.is_scored:
            return Verdict(Mark.COLLECTED)
        return Verdict(Mark.UNCHECKED, "it is checked when it is graded")


@dataclass(frozen=True, slots=True)
class Scorer:
    """A lab's questions, and what checks the answers to them."""

    quiz: Quiz
    checker: Checker

    def result(self, answers: Answers | None, problem: str = "") -> QuizResult:
        given = answers or Answers(self.quiz.lab, 0)
        drawn = [asked(self.quiz, question, given.seed) for question in self.quiz.questions]
        made = tuple(self._answered(each, given) for each in drawn)
        return QuizResult(made, answers.seed if answers else None, problem)

    def _answered(self, drawn: Asked, answers: Answers) -> Answered:
        answer = answers.given.get(drawn.question.id, "")
        return scored(drawn, answer, self.verdict(drawn, answer))

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


@dataclass(frozen=True, slots=True)
class Predictions(Scorer):
    """A lab's predictions: one earns its point by coming before the rung has passed."""

    checker: Checker = field(default_factory=NoKey)

    def verdict(self, drawn: Asked, answer: str) -> Verdict:
        return Verdict(Mark.UNCHECKED if answer.strip() else Mark.UNANSWERED)

    def _answered(self, drawn: Asked, answers: Answers) -> Answered:
        question, answer, counted, why = drawn.question, "", "", ""
        try:
            answer = canonical(question, answers.given.get(question.id, ""))
            counted = canonical(question, answers.counted.get(question.id, ""))
        except AnswerError:  # it is not counted yet, or not even predicted
            pass
        mark = self.verdict(drawn, answer).mark
        if answer and counted:
            near = is_near(question.kind, answer, counted)
            mark = Mark.RIGHT if near else Mark.WRONG
            why = "" if near else question.hint
        is_late = bool(answer) and question.id in answers.late
        made = scored(drawn, answer, Verdict(Mark.LATE if is_late else mark, why))
        earned = made.max_score if answer and not is_late else 0.0
        return replace(made, score=earned, counted=counted)


Scorers = Mapping[str, Sequence[Scorer]]  # by lab


def handed_in(submission: Submission, lab: Lab, quiz: Quiz) -> Answers | str | None:
    """The answers of a submission; None where there are none, or what is wrong with them."""
    name = quiz.sheet.file
    file = submission.files.get((lab.id, name))
    if file is None:
        return None
    source = read_submitted(file, name)
    if isinstance(source, Finding):
        return source.message
    try:
        return parse_answers(source.data, quiz)
    except InputError as error:
        return str(error)


def scorer_of(workspace: Workspace, lab: Lab) -> Scorer | None:
    """A scorer with the key, or else with the sealed key; None: the lab has no quiz."""
    quiz = read_quiz(workspace, lab)
    if quiz is None:
        return None
    if (workspace.solutions / lab.id / FILE).is_file():
        from lockstep_grader.quiz.key import read_key  # not in the students' copy

        return Scorer(quiz, read_key(workspace, quiz))
    file = workspace.labs / lab.id / SEALED
    return Scorer(quiz, read_sealed(file, quiz) if file.is_file() else NoKey())


def scorers_of(workspace: Workspace, labs: Iterable[Lab]) -> Scorers:
    """Of each lab the scorer of its quiz and that of its predictions, where it has them."""

    def found(lab: Lab) -> Iterator[Scorer]:
        if quiz := scorer_of(workspace, lab):
            yield quiz
        if predictions := read_predictions(workspace, lab):
            yield Predictions(predictions)

    return {lab.id: tuple(found(lab)) for lab in labs}


def shared_seeds(
    submissions: Iterable[Submission], scorers: Scorers
) -> Mapping[str, tuple[str, ...]]:
    """A note for each submission whose questions were drawn from another's seed: a copied file.

    Its student reads the note, too. So it names no other student, and two notes with one seed
    belong together.
    """
    owners: dict[tuple[str, str, int], list[str]] = {}
    for submission in submissions:
        for lab in submission.labs:
            for scorer in scorers.get(lab.id, ()):
                answers = handed_in(submission, lab, scorer.quiz)
                if isinstance(answers, Answers):
                    key = lab.id, scorer.quiz.sheet.file, answers.seed
                    owners.setdefault(key, []).append(submission.id)
    notes: dict[str, tuple[str, ...]] = {}
    for (lab_id, file, seed), ids in owners.items():
        for one in ids if len(ids) > 1 else ():
            note = f"{lab_id}: {file} has seed {seed}, as another submission's has"
            notes[one] = (*notes.get(one, ()), note)
    return notes
