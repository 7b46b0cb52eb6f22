# SPDX-License-Identifier: MIT
"""Reads and writes answers.toml, which lies next to a lab's rungs and is handed in with them."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StrictInt

from lockstep_grader.intake.toml_tables import Table, parse_table, read_table
from lockstep_grader.machine.files import write_whole
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.quiz import ANSWERS, Quiz

_SEED_BITS = 48
_Seed = Annotated[StrictInt, Field(ge=0, lt=1 << _SEED_BITS)]
_MAX_BYTES = 64 << 10
_MAX_CHARS = 10_000  # of one answer


def _as_text(value: object) -> object:
    """An answer as people give it: a person who edits the file may leave out a number's quotes."""
    if isinstance(value, str) and len(value) <= _MAX_CHARS:
        return value
    is_whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63
    if is_whole or isinstance(value, float):
        return str(value)
    raise ValueError(f"an answer is a number, or a text of at most {_MAX_CHARS} characters")


_Answer = Annotated[str, BeforeValidator(_as_text)]


class _File(Table):
    version: Literal[1]
    lab: str
    seed: _Seed
    answers: dict[str, _Answer] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answers:
    lab: str
    seed: int
    given: Mapping[str, str] = field(default_factory=dict)  # by question


def answers_file(folder: Path, quiz: Quiz) -> Path:
    """The file in `folder`, a folder of lab folders."""
    return folder / quiz.lab / ANSWERS


def fresh(quiz: Quiz, seed: int | None = None) -> Answers:
    """No answer yet; the questions are drawn from `seed`, else from a new secret one."""
    return Answers(quiz.lab, secrets.randbits(_SEED_BITS) if seed is None else seed)


def read_answers(file: Path, quiz: Quiz) -> Answers:
    """Raises InputError with one line."""
    return _checked(str(file), read_table(file, _File), quiz)


def unanswered_in(folder: Path, quiz: Quiz) -> list[str]:
    """The ids of the questions that answers.toml in `folder` leaves out; all where it is missing.

    Raises InputError with one line for a file that could not be scored.
    """
    file = answers_file(folder, quiz)
    given = read_answers(file, quiz).given if file.is_file() else {}
    return [question.id for question in quiz.questions if not given.get(question.id)]


def parse_answers(data: bytes, quiz: Quiz) -> Answers:
    """What a student handed in. Raises InputError with one line."""
    return _checked(ANSWERS, parse_table(ANSWERS, data, _File, _MAX_BYTES), quiz)


def _checked(name: str, read: _File, quiz: Quiz) -> Answers:
    if read.lab != quiz.lab:
        raise InputError(f"{name}: lab: these are answers to {read.lab!r}, not {quiz.lab!r}")
    known = {question.id for question in quiz.questions}
    if unknown := next((name for name in read.answers if name not in known), ""):
        raise InputError(f"{name}: answers: {quiz.lab} has no question {unknown!r}")
    return Answers(read.lab, read.seed, read.answers)


def write_answers(file: Path, answers: Answers) -> None:
    lines = [
        f"# Your answers. ./lab quiz {answers.lab} writes this file, and ./lab submit packs it.",
        "version = 1",
        f"lab = {_quoted(answers.lab)}",
        f"seed = {answers.seed}  # your questions are drawn from it: keep it",
        "",
        "[answers]",
        *(f"{name} = {_quoted(text)}" for name, text in answers.given.items()),
    ]
    write_whole(file, ("\n".join(lines) + "\n").encode("utf-8"))


def _quoted(text: str) -> str:
    """A basic string of TOML, which is one of JSON except for one character."""
    plain = text.encode("utf-8", "replace").decode()
    return json.dumps(plain, ensure_ascii=False).replace("\x7f", "\\u007f")
