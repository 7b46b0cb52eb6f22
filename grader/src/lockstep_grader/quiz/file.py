# SPDX-License-Identifier: MIT
"""Reads quiz.toml, the questions of a lab as students see them: it holds no answer."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from lockstep_grader.intake.toml_tables import Table, read_table
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.compat import Self
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Lab
from lockstep_grader.model.quiz import Kind, Question, Quiz, Value, drawn

FILE = "quiz.toml"
MOST_CASES = 24

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
        return Question(
            self.id,
            self.kind,
            self.ask.strip("\n"),
            self.code.strip("\n"),
            self.draw,
            self.options,
            self.unit,
            self.decimals,
            self.hint,
            self.points,
        )


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
