# SPDX-License-Identifier: MIT
"""The key as students get it: an answer opens its own verdict, and nothing else can be read.

Each verdict is encrypted with a key made from the answer that it is for. That hides
answers from a reader of the file, not from a program that tries them all: a choice has four.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from lockstep_grader.machine.files import read_json
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.quiz import Asked, CaseKey, Kind, Mark, Quiz, Verdict, canonical

FILE = "quiz.sealed.json"
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
