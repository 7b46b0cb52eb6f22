# SPDX-License-Identifier: MIT
"""Reads quiz.toml, the questions of a lab as students see them: it holds no answer; reads and
writes the files of answers, which lie next to a lab's rungs and are handed in with them.
"""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, StrictInt, model_validator

from lockstep_grader.intake.toml_tables import Table, parse_table, read_table
from lockstep_grader.machine.files import write_whole
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.compat import Self
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Lab
from lockstep_grader.model.quiz import Kind, Question, Quiz, Sheet, Value, drawn

FILE = "quiz.toml"
MOST_CASES = 24
_SEED_BITS = 48
_Seed = Annotated[StrictInt, Field(ge=0, lt=1 << _SEED_BITS)]
_MAX_BYTES = 64 << 10
_MAX_CHARS = 10_000  # of one answer

_Text = Annotated[str, Field(min_length=1)]
_Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
_Id = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]


class _Question(Table):
    id: _Id
    kind: Kind
    ask: _Text
    code: str = ""
    draw: dict[_Name, Annotated[tuple[Value, ...], Field(min_length=2)]] = Field(
        default_factory=dict
    )
    options: dict[_Id, _Text] = Field(default_factory=dict)
    unit: str = ""
    decimals: Annotated[int, Field(ge=0, le=6)] = 0
    hint: str = ""
    points: Annotated[float, Field(gt=0, le=100)] = 1.0

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.kind is Kind.COUNT:
            raise ValueError("a count is a prediction, and belongs to predict.toml")
        needs_options = self.kind in (Kind.CHOICE, Kind.ORDER)
        if needs_options != bool(self.options) or (needs_options and len(self.options) < 2):
            raise ValueError("questions of kind choice and order, and no others, have options")
        if self.kind is Kind.LINE and not self.code:
            raise ValueError("a question of kind line needs code")
        question = self.question
        if len(question.cases) > MOST_CASES:
            raise ValueError(f"{len(question.cases)} cases can be drawn, more than {MOST_CASES}")
        try:
            for case in range(len(question.cases)):
                drawn(question, case)
        except KeyError as error:
            raise ValueError(f"${error.args[0]} is not in 'draw'") from error
        return self

    @property
    def question(self) -> Question:
        given = {name: getattr(self, name) for name in type(self).model_fields}
        return Question(**{**given, "ask": self.ask.strip("\n"), "code": self.code.strip("\n")})


class _File(Table):
    question: Annotated[tuple[_Question, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        ids = [each.id for each in self.question]
        if twice := next((name for name in ids if ids.count(name) > 1), ""):
            raise ValueError(f"question {twice} is there twice")
        return self


def quiz_file(workspace: Workspace, lab: Lab) -> Path:
    return workspace.labs / lab.id / FILE


def read_quiz(workspace: Workspace, lab: Lab) -> Quiz | None:
    """The lab's questions; None where it has none. Raises InputError naming the place."""
    file = quiz_file(workspace, lab)
    if not file.is_file():
        return None
    return Quiz(lab.id, tuple(each.question for each in read_table(file, _File).question))


def require_quiz(workspace: Workspace, lab: Lab) -> Quiz:
    quiz = read_quiz(workspace, lab)
    if quiz is None:
        raise InputError(f"{lab.id} has no quiz: {workspace.shown(quiz_file(workspace, lab))}")
    return quiz


def _as_text(value: object) -> object:
    """An answer as people give it: a person who edits the file may leave out a number's quotes."""
    if isinstance(value, str) and len(value) <= _MAX_CHARS:
        return value
    is_whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63
    if is_whole or isinstance(value, float):
        return str(value)
    raise ValueError(f"an answer is a number, or a text of at most {_MAX_CHARS} characters")


_Answer = Annotated[str, BeforeValidator(_as_text)]


class _AnswersFile(Table):
    version: Literal[1]
    lab: str
    seed: _Seed
    late: tuple[str, ...] = ()
    answers: dict[str, _Answer] = Field(default_factory=dict)
    counted: dict[str, _Answer] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answers:
    lab: str
    seed: int
    given: Mapping[str, str] = field(default_factory=dict)  # by question
    late: tuple[str, ...] = ()  # predictions that were made when the rung had passed
    counted: Mapping[str, str] = field(default_factory=dict)  # what became of predictions


def answers_file(folder: Path, quiz: Quiz) -> Path:
    """The file in `folder`, a folder of lab folders."""
    return folder / quiz.lab / quiz.sheet.file


def fresh(quiz: Quiz, seed: int | None = None) -> Answers:
    """No answer yet; the questions are drawn from `seed`, else from a new secret one."""
    return Answers(quiz.lab, secrets.randbits(_SEED_BITS) if seed is None else seed)


def read_answers(file: Path, quiz: Quiz) -> Answers:
    """Raises InputError with one line."""
    return _checked(str(file), read_table(file, _AnswersFile), quiz)


def unanswered_in(folder: Path, quiz: Quiz) -> list[str]:
    """The ids of the questions that the file in `folder` leaves out; all where it is missing.

    Raises InputError with one line for a file that could not be scored.
    """
    file = answers_file(folder, quiz)
    given = read_answers(file, quiz).given if file.is_file() else {}
    return [question.id for question in quiz.questions if not given.get(question.id)]


def parse_answers(data: bytes, quiz: Quiz) -> Answers:
    """What a student handed in. Raises InputError with one line."""
    name = quiz.sheet.file
    return _checked(name, parse_table(name, data, _AnswersFile, _MAX_BYTES), quiz)


def _checked(name: str, read: _AnswersFile, quiz: Quiz) -> Answers:
    if read.lab != quiz.lab:
        raise InputError(f"{name}: lab: these are answers to {read.lab!r}, not {quiz.lab!r}")
    known = {question.id for question in quiz.questions}
    for key, ids in (("answers", read.answers), ("late", read.late), ("counted", read.counted)):
        if unknown := next((name for name in ids if name not in known), ""):
            raise InputError(f"{name}: {key}: {quiz.lab} has no question {unknown!r}")
    return Answers(read.lab, read.seed, read.answers, read.late, read.counted)


def write_answers(file: Path, answers: Answers, sheet: Sheet = Sheet.QUIZ) -> None:
    command = sheet.command(answers.lab)
    lines = [
        f"# Your answers. {command} writes this file, and ./lab submit packs it.",
        "version = 1",
        f"lab = {_quoted(answers.lab)}",
        f"seed = {answers.seed}  # your questions are drawn from it: keep it",
        *([f"late = [{', '.join(map(_quoted, answers.late))}]"] if answers.late else ()),
        "",
        "[answers]",
        *(f"{name} = {_quoted(text)}" for name, text in answers.given.items()),
        *(["", "[counted]"] if answers.counted else ()),
        *(f"{name} = {_quoted(text)}" for name, text in answers.counted.items()),
    ]
    write_whole(file, ("\n".join(lines) + "\n").encode("utf-8"))


def _quoted(text: str) -> str:
    """A basic string of TOML, which is one of JSON except for one character."""
    plain = text.encode("utf-8", "replace").decode()
    return json.dumps(plain, ensure_ascii=False).replace("\x7f", "\\u007f")
