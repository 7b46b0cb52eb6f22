# SPDX-License-Identifier: MIT
"""The key of a lab's quiz: right answers, the usual wrong ones, and the reason of each.

It lies in solutions/NN-slug/quiz.toml. Answers are texts, or formulas over what is drawn, which can
use a small model of the machine and a little arithmetic.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import accumulate
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

WARP = 32
_SECTOR_BYTES = 32
_BANKS = 32
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
            accepted = [] if question.kind is Kind.EXPLAIN else _accepted(question, entry, values)
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


def _accepted(question: Question, entry: _Entry, values: Mapping[str, Value]) -> list[str]:
    first = _canonical(question, entry.formula, entry.answer, values)
    others = [_canonical(question, "", text, values) for text in entry.accept]
    return [*_within(question, first, entry.tolerance), *others]


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


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def sectors(addresses: Iterable[int], size: int = 4) -> int:
    """The 32-byte sectors that one request touches; `addresses` in bytes, of each lane."""
    ends = ((at, at + size - 1) for at in addresses)
    touched = (range(a // _SECTOR_BYTES, b // _SECTOR_BYTES + 1) for a, b in ends)
    return len({sector for some in touched for sector in some})


def wavefronts(words: Iterable[int]) -> int:
    """Passes over shared memory for one request of 4-byte words, whose numbers are `words`."""
    by_bank: dict[int, set[int]] = {}
    for word in words:
        by_bank.setdefault(word % _BANKS, set()).add(word)
    return max(map(len, by_bank.values()))


def divergent_warps(taken: Sequence[bool]) -> int:
    """Warps whose lanes do not agree; `taken` holds each thread's condition."""
    warps = [taken[at : at + WARP] for at in range(0, len(taken), WARP)]
    return sum(any(warp) and not all(warp) for warp in warps)


def hillis_steele(items: Sequence[int], steps: int) -> list[int]:
    """Two buffers: what `steps` steps make of `items`."""
    now = list(items)
    for step in range(steps):
        distance = 1 << step
        now = [now[i] + (now[i - distance] if i >= distance else 0) for i in range(len(now))]
    return now


def hillis_steele_in_turn(items: Sequence[int], distance: int) -> list[int]:
    """One buffer, no barrier between read and write, and threads that run one after the other."""
    now = list(items)
    for i in range(distance, len(now)):
        now[i] += now[i - distance]
    return now


def up_sweep(items: Sequence[int]) -> list[int]:
    now = list(items)
    stride = 1
    while stride < len(now):
        for i in range(2 * stride - 1, len(now), 2 * stride):
            now[i] += now[i - stride]
        stride *= 2
    return now


def levels(items: int, tile: int) -> int:
    """How often `items` are divided by `tile`, rounded up, until one is left; at least once."""
    count = 0
    while True:
        items, count = ceil_div(items, tile), count + 1
        if items <= 1:
            return count


def listed(items: Iterable[object]) -> str:
    return " ".join(map(str, items))


def inclusive(items: Iterable[int]) -> list[int]:
    return list(accumulate(items))


def exclusive(items: Sequence[int]) -> list[int]:
    return [0, *accumulate(items)][: len(items)]


_USABLE: tuple[Callable[..., object], ...] = (
    ceil_div, sectors, wavefronts, divergent_warps, hillis_steele, hillis_steele_in_turn, up_sweep,
    levels, listed, inclusive, exclusive,
    abs, all, any, bin, bool, enumerate, float, int, len, list, max, min, range, reversed, round,
    set, sorted, str, sum, tuple, zip,
)  # fmt: skip
_NAMES: Mapping[str, object] = {
    **{each.__name__: each for each in _USABLE},
    "lanes": range(WARP),
    "log2": math.log2,
    "ceil": math.ceil,
    "floor": math.floor,
}  # fmt: skip


class FormulaError(ValueError):
    """A formula that cannot be computed; one line."""


def computed(formula: str, values: Mapping[str, object]) -> Value:
    """The value of a Python expression. A key is the course's own file, as its kernels are."""
    try:
        value = eval(formula, {"__builtins__": {}, **_NAMES, **values})  # noqa: S307
    except Exception as error:
        raise FormulaError(f"{formula!r}: {error}") from error
    if not isinstance(value, int | float | str):
        raise FormulaError(f"{formula!r} is {value!r}, not a number or a text")
    return int(value) if isinstance(value, bool) else value
