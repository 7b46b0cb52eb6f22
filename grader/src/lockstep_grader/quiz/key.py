# SPDX-License-Identifier: MIT
"""The key of a lab's quiz: right answers, the usual wrong ones, and the reason of each.

It lies in solutions/NN-slug/quiz.toml. Answers are texts, or formulas over what is drawn.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated

from pydantic import Field

from lockstep_grader.intake.toml_tables import Table, read_table
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.quiz import (
    AnswerError,
    Asked,
    CaseKey,
    Kind,
    Mark,
    Question,
    Quiz,
    Value,
    Verdict,
    canonical,
    filled,
    spelled,
)
from lockstep_grader.quiz.file import FILE
from lockstep_grader.quiz.formulas import FormulaError, computed

_MOST_ACCEPTED = 201
_Text = Annotated[str, Field(min_length=1)]


class _Wrong(Table):
    answer: _Text = ""
    formula: _Text = ""
    why: _Text


class _Entry(Table):
    id: _Text
    answer: str = ""
    formula: str = ""
    accept: tuple[_Text, ...] = ()  # other right answers
    tolerance: Annotated[float, Field(ge=0)] = 0.0
    # Formulas by name, each for those after it.
    values: dict[str, str] = Field(default_factory=dict)
    reason: _Text
    wrong: tuple[_Wrong, ...] = ()
    mutant: str = ""  # of which the question shows a piece


class _File(Table):
    question: tuple[_Entry, ...]


class Key:
    """Checks answers, and knows the right ones. A case is computed when it is needed."""

    def __init__(self, file: Path, quiz: Quiz, entries: Mapping[str, _Entry]) -> None:
        self._file, self._quiz, self._entries = file, quiz, entries

    def check(self, asked: Asked, answer: str) -> Verdict:
        question = asked.question
        given = canonical(question, answer)
        case = self.case(question, asked.case)
        if question.kind is Kind.EXPLAIN:
            return Verdict(Mark.COLLECTED, case.reason)
        if given in case.accepted:
            return Verdict(Mark.RIGHT, case.reason)
        return Verdict(Mark.WRONG, dict(case.wrong).get(given, question.hint))

    def case(self, question: Question, number: int) -> CaseKey:
        """Raises InputError naming the question."""
        entry = self.entry(question)
        try:
            values = self.values(question, number)
            accepted = (
                [] if question.kind is Kind.EXPLAIN else self._accepted(question, entry, values)
            )
            wrong = _wrong(question, entry, accepted, values)
            reason = filled(entry.reason, values)
        except (FormulaError, AnswerError, KeyError, ValueError) as error:
            shown = f"${error.args[0]} is not known" if isinstance(error, KeyError) else error
            raise InputError(f"{self._file}: {question.id}, case {number}: {shown}") from error
        return CaseKey(tuple(dict.fromkeys(accepted)), tuple(wrong), reason)

    def cases(self, question: Question) -> tuple[CaseKey, ...]:
        return tuple(self.case(question, number) for number in range(len(question.cases)))

    def all_cases(self) -> Mapping[str, Sequence[CaseKey]]:
        return {question.id: self.cases(question) for question in self._quiz.questions}

    def values(self, question: Question, number: int) -> Mapping[str, Value]:
        """What is drawn, what the key computes from it, and the answer."""
        entry = self.entry(question)
        values: dict[str, Value] = dict(question.cases[number])
        for name, formula in entry.values.items():
            values[name] = computed(formula, values)
        if entry.formula:
            values["answer"] = computed(entry.formula, values)
        elif entry.answer:
            values["answer"] = entry.answer
        return values

    def entry(self, question: Question) -> _Entry:
        if question.id not in self._entries:
            raise InputError(f"{self._file}: there is no key to question {question.id}")
        return self._entries[question.id]

    @property
    def unknown(self) -> list[str]:
        """Keys to questions that are not there."""
        return sorted(set(self._entries) - {each.id for each in self._quiz.questions})

    def _accepted(
        self, question: Question, entry: _Entry, values: Mapping[str, Value]
    ) -> list[str]:
        first = _canonical(question, entry.formula, entry.answer, values)
        others = [_canonical(question, "", text, values) for text in entry.accept]
        return [*_within(question, first, entry.tolerance), *others]


def read_key(workspace: Workspace, quiz: Quiz) -> Key:
    """Raises InputError naming the place."""
    file = workspace.solutions / quiz.lab / FILE
    if not file.is_file():
        raise InputError("this is a students' copy: it has no answer key")
    entries = read_table(file, _File).question
    by_id = {entry.id: entry for entry in entries}
    if len(by_id) < len(entries):
        raise InputError(f"{workspace.shown(file)}: a question has two keys")
    return Key(Path(workspace.shown(file)), quiz, by_id)


def _canonical(question: Question, formula: str, answer: str, values: Mapping[str, Value]) -> str:
    if bool(formula) == bool(answer):
        raise FormulaError("give either an answer or a formula")
    value = computed(formula, values) if formula else answer
    if question.kind is Kind.NUMBER and formula:
        return spelled(_decimal(value, question.decimals), question.decimals)
    return canonical(question, str(value))


def _wrong(
    question: Question, entry: _Entry, accepted: Sequence[str], values: Mapping[str, Value]
) -> list[tuple[str, str]]:
    """Of each wrong answer the first explanation.

    A wrong formula may give the right number by chance, in some case: there it is left out.
    """
    found: dict[str, str] = {}
    for each in entry.wrong:
        answer = _canonical(question, each.formula, each.answer, values)
        if each.answer or (answer not in accepted and answer not in found):
            found[answer] = filled(each.why, values)
    return list(found.items())


def _decimal(value: Value, decimals: int) -> Decimal:
    number = Decimal(str(value))
    # A formula's result is rounded as a person would; what a person gives is taken as it is.
    return number if isinstance(value, int) else round(number, decimals)


def _within(question: Question, answer: str, tolerance: float) -> list[str]:
    """The answers that differ from `answer` by `tolerance` at most."""
    if not tolerance:
        return [answer]
    step = Decimal(1).scaleb(-question.decimals)
    count = int(Decimal(str(tolerance)) / step)
    if question.kind is not Kind.NUMBER or 2 * count + 1 > _MOST_ACCEPTED or not count:
        raise FormulaError(f"a tolerance of 1 to {_MOST_ACCEPTED // 2} last places, of a number")
    middle = Decimal(answer)
    return [spelled(middle + at * step, question.decimals) for at in range(-count, count + 1)]
