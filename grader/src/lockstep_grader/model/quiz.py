# SPDX-License-Identifier: MIT
"""Questions and predictions, what they are drawn from, and what answers are worth. No I/O.

A question is drawn from a seed: the same seed gives the same numbers, and the same order of the
options. It has few cases, so that an author can prove each of them.
"""

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from string import Template

from lockstep_grader.model.compat import StrEnum

Value = int | float | str
_MOST_DIGITS = 9  # of the number of a line
_MOST_SIZE = 1e18  # of a number that a person predicts; far more overflows
_NEAR = Decimal("0.1")  # of the count: a prediction that is off by less needs no reason


class Sheet(StrEnum):
    """What a lab asks. Each sheet has a file of answers, a verb that asks, and its own points."""

    QUIZ = "quiz"
    PREDICTIONS = "predictions"

    @property
    def file(self) -> str:
        """The file with a student's answers, next to the rungs."""
        return {Sheet.QUIZ: "answers.toml"}.get(self, f"{self}.toml")

    def command(self, lab: str) -> str:
        return f"./lab quiz {lab}" if self is Sheet.QUIZ else f"./lab predict {lab}/RUNG"

    @property
    def earned_by(self) -> str:
        return "right" if self is Sheet.QUIZ else "predicted before the first passing check"


ANSWER_FILES = tuple(sheet.file for sheet in Sheet)


class Kind(StrEnum):
    NUMBER = "number"
    CHOICE = "choice"  # the name of an option
    ORDER = "order"  # the names of all options, in the right order
    PREDICT = "predict"  # what a program prints, as words
    LINE = "line"  # the number of a line of the code
    EXPLAIN = "explain"  # a text for the instructor, not scored
    COUNT = "count"  # a number that the emulator counts in the student's own rung


class Mark(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"
    UNANSWERED = "unanswered"
    COLLECTED = "collected"  # a text, for the instructor to read
    UNCHECKED = "unchecked"  # there is no key here to check it with, or no count yet
    LATE = "late"  # a prediction of a rung that had passed


class AnswerError(ValueError):
    """What a person gave is not an answer to such a question; one line that says what is."""


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    kind: Kind
    ask: str  # with $NAME for what is drawn, as are `code` and the options
    code: str = ""
    draw: Mapping[str, Sequence[Value]] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)  # of choice and order, by name
    unit: str = ""  # of a number
    decimals: int = 0
    hint: str = ""  # for a wrong answer that the key does not list, or a prediction far off
    points: float = 1.0

    @property
    def cases(self) -> tuple[Mapping[str, Value], ...]:
        """Everything that can be drawn."""
        names = tuple(self.draw)
        products = itertools.product(*self.draw.values())
        return tuple(dict(zip(names, values, strict=True)) for values in products)

    @property
    def is_scored(self) -> bool:
        return self.kind is not Kind.EXPLAIN

    @property
    def drawn_as(self) -> str:
        """Questions that share this draw the same."""
        return self.id


@dataclass(frozen=True, slots=True)
class Prediction(Question):
    """A question about the student's own rung, in a call whose size is drawn."""

    rung: str = ""
    call: str = ""  # in words, with $n for what is drawn
    quantity: str = ""  # that is counted; empty of a choice or an order
    truth: str = ""  # of a choice or an order, as measured on a GPU
    times: int = 1
    power: int = 1

    @property
    def drawn_as(self) -> str:
        return self.rung

    def size(self, case: int) -> int:
        """The items of the call: of a drawn n, `times` its `power`."""
        size: int = self.times * int(self.cases[case]["n"]) ** self.power
        return size


@dataclass(frozen=True, slots=True)
class Quiz:
    lab: str
    questions: tuple[Question, ...]
    sheet: Sheet = Sheet.QUIZ

    @property
    def max_score(self) -> float:
        return round(sum(each.points for each in self.questions if each.is_scored), 2)


@dataclass(frozen=True, slots=True)
class Forecast(Quiz):
    """The predictions that a lab asks for."""

    questions: tuple[Prediction, ...]
    sheet: Sheet = Sheet.PREDICTIONS

    def of_rung(self, rung: str) -> "Forecast":
        return Forecast(self.lab, tuple(each for each in self.questions if each.rung == rung))


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as one student meets it."""

    question: Question
    case: int  # of `question.cases`
    ask: str
    code: str
    options: Mapping[str, str]  # in the order in which they are shown


@dataclass(frozen=True, slots=True)
class CaseKey:
    """The key of one case of a question; answers are canonical."""

    accepted: tuple[str, ...]
    wrong: tuple[tuple[str, str], ...]  # an answer, and why it is wrong
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    mark: Mark
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Answered:
    """A question, a student's answer and what it is worth."""

    id: str
    kind: Kind
    ask: str
    answer: str
    mark: Mark
    reason: str
    score: float
    max_score: float
    counted: str = ""  # what became of a prediction


@dataclass(frozen=True, slots=True)
class QuizResult:
    answers: tuple[Answered, ...]
    seed: int | None = None  # None: nothing was answered
    problem: str = ""  # what is wrong with the file of answers

    @property
    def score(self) -> float:
        return round(sum(each.score for each in self.answers), 2)

    @property
    def max_score(self) -> float:
        return round(sum(each.max_score for each in self.answers), 2)

    @property
    def share(self) -> float:
        """What is earned of the sheet, from 0 to 1."""
        return self.score / self.max_score if self.max_score else 0.0


def asked(quiz: Quiz, question: Question, seed: int) -> Asked:
    """The case that `seed` draws, and its order of the options."""
    name = f"{seed}/{quiz.lab}/{question.drawn_as}"
    return drawn(question, _digest(name) % len(question.cases), name)


def drawn(question: Question, case: int, name: str = "") -> Asked:
    """One case; `name` decides the order of the options, and without one they stay as written."""
    values = question.cases[case]
    order = sorted(question.options, key=lambda option: _digest(f"{name}/{option}") if name else 0)
    return Asked(
        question,
        case,
        filled(question.ask, values),
        filled(question.code, values),
        {option: filled(question.options[option], values) for option in order},
    )


def filled(text: str, values: Mapping[str, object]) -> str:
    """`text` with each $NAME replaced. Raises KeyError or ValueError for one that is not there."""
    return Template(text).substitute(values)


def canonical(question: Question, answer: str) -> str:
    """The one spelling of `answer`. Raises AnswerError saying what an answer looks like."""
    words = answer.replace(",", " ").split()
    match question.kind:
        case Kind.NUMBER:
            return _number(answer.strip(), question.decimals)
        case Kind.COUNT:
            number = Decimal(_number(answer.strip(), 6))
            if not 0 <= number <= _MOST_SIZE:
                raise AnswerError("give a number that can be counted: 0 or more")
            return f"{number.normalize():f}"
        case Kind.CHOICE:
            if answer.strip() not in question.options:
                raise AnswerError(f"choose one of {', '.join(question.options)}")
            return answer.strip()
        case Kind.ORDER:
            if sorted(words) != sorted(question.options):
                raise AnswerError(f"give each of the {len(question.options)} lines once, in order")
            return " ".join(words)
        case Kind.PREDICT:
            if not words:
                raise AnswerError("give what is printed, with blanks between the values")
            return " ".join(words)
        case Kind.LINE:
            most = question.code.rstrip("\n").count("\n") + 1
            digits = answer.strip()
            is_short = len(digits) <= _MOST_DIGITS  # of many, int() raises another error
            if not (is_short and digits.isdecimal() and 1 <= int(digits) <= most):
                raise AnswerError(f"give the number of a line, from 1 to {most}")
            return str(int(digits))
        case Kind.EXPLAIN:
            if not answer.strip():
                raise AnswerError("write a sentence or two")
            return answer.strip()


def _number(text: str, decimals: int) -> str:
    try:
        number = Decimal(text.replace("_", "").replace(" ", ""))
        answer = spelled(number, decimals)
    except (InvalidOperation, ValueError, OverflowError) as error:
        raise AnswerError("give a number, such as 42 or 0.5") from error
    if decimals == 0 and number != int(number):  # not the same as its neighbour: 2.5 is not 2
        raise AnswerError("give a whole number; round to the nearest one")
    return answer


def spelled(number: Decimal, decimals: int) -> str:
    """A number to `decimals` places; a number with more of them is another one where they count."""
    if not number.is_finite():
        raise AnswerError("a number is finite")
    rounded = number.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN)
    if decimals == 0 and rounded != number:
        return str(number.normalize())  # 2.5 is not 2
    return str(rounded + 0)  # no -0


def scored(question: Asked, answer: str, verdict: Verdict) -> Answered:
    most = question.question.points if question.question.is_scored else 0.0
    earned = most if verdict.mark is Mark.RIGHT else 0.0
    return Answered(
        question.question.id,
        question.question.kind,
        question.ask,
        answer,
        verdict.mark,
        verdict.reason,
        earned,
        most,
    )


def is_near(kind: Kind, answer: str, counted: str) -> bool:
    """Whether a prediction came true; both are canonical."""
    if kind is not Kind.COUNT:
        return answer == counted
    truth = Decimal(counted)
    return abs(Decimal(answer) - truth) <= _NEAR * abs(truth)


def _digest(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big")
