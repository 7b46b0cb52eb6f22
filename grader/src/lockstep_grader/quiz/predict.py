# SPDX-License-Identifier: MIT
"""Reads predict.toml: what a student predicts of each rung before its counters are shown.

No formula and no key are stored: the emulator counts the student's own file. Only what no counter
shows, what bounds a rung and which rung is faster, has its answer here. A student also predicts the
time of a rung that is judged by its speed, and the model of time answers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from lockstep_grader.intake.toml_tables import Table, read_table
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.compat import Self
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Lab
from lockstep_grader.model.measures import QUANTITIES, TIME_US
from lockstep_grader.model.quiz import Forecast, Kind, Prediction, Quiz, filled
from lockstep_grader.quiz.file import read_quiz

FILE = "predict.toml"
BOUNDS = {
    "bandwidth": "the bandwidth of global memory",
    "latency": "latency: too little work is under way at a time",
    "arithmetic": "arithmetic",
    "shared_memory": "shared memory: its passes, and the barriers around them",
    "atomics": "atomics that queue at few addresses",
    "launches": "launches: one has to end before the next begins",
    "connection": "the connection between host and device",
}
_MOST_SIZES = 200
_WHY_TIME = (
    "Divide the bytes by the bandwidth, and the operations by their rate. The longer of the two "
    "counts, and each launch costs more than a microsecond."
)
_Text = Annotated[str, Field(min_length=1)]


def _known(name: str) -> str:
    if name not in QUANTITIES:
        raise ValueError(f"nothing is counted as {name!r}; there are: {', '.join(QUANTITIES)}")
    return name


def _bound(name: str) -> str:
    if name not in BOUNDS:
        raise ValueError(f"choose one of {', '.join(BOUNDS)}")
    return name


class _Size(Table):
    call: _Text  # in words, with $n for what is drawn
    n: tuple[Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)], Annotated[int, Field(ge=1)]]
    times: Annotated[int, Field(ge=1)] = 1
    power: Annotated[int, Field(ge=1, le=2)] = 1

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Self:
        if not 1 < len(self.drawn) <= _MOST_SIZES:
            raise ValueError(f"n = [first, last, step] has 2 to {_MOST_SIZES} values")
        try:
            filled(self.call, {"n": 0})
        except (KeyError, ValueError) as error:
            raise ValueError("'call' has no other name than $n") from error
        return self

    @property
    def drawn(self) -> Sequence[int]:
        first, last, step = self.n
        return range(first, last + 1, step)


class _Bound(Table):
    truth: Annotated[str, AfterValidator(_bound)]
    why: _Text


class _Ladder(Table):
    truth: Annotated[tuple[str, ...], Field(min_length=3)]  # the slowest first
    why: _Text


_Why = dict[Annotated[str, AfterValidator(_known)], _Text]  # by quantity


class _Rung(Table):
    id: _Text
    counts: Annotated[tuple[Annotated[str, AfterValidator(_known)], ...], Field(min_length=1)]
    why: _Why = Field(default_factory=dict)  # in place of the lab's
    size: _Size | None = None  # in place of the lab's
    bound: _Bound | None = None
    ladder: _Ladder | None = None


class _File(Table):
    size: _Size
    why: _Why
    rung: Annotated[tuple[_Rung, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _explains_each(self) -> Self:
        for rung in self.rung:
            if silent := set(rung.counts) - {*self.why, *rung.why}:
                raise ValueError(f"no why explains {min(silent)} of {rung.id}")
        return self


def predict_file(workspace: Workspace, lab: Lab) -> Path:
    return workspace.labs / lab.id / FILE


def read_predictions(workspace: Workspace, lab: Lab) -> Forecast | None:
    """The lab's predictions; None where it has none. Raises InputError naming the place."""
    file = predict_file(workspace, lab)
    if not file.is_file():
        return None
    read = read_table(file, _File)
    rungs = {rung.id: rung for rung in lab.rungs}
    named = [each.id for each in read.rung]
    on_ladders = chain.from_iterable(each.ladder.truth for each in read.rung if each.ladder)
    if unknown := next((name for name in (*named, *on_ladders) if name not in rungs), ""):
        raise InputError(f"{file}: {lab.id} has no rung {unknown!r}")
    if twice := next((name for name in named if named.count(name) > 1), ""):
        raise InputError(f"{file}: rung {twice} is there twice")
    asked = (
        _asked(each, each.size or read.size, {**read.why, **each.why}, lab) for each in read.rung
    )
    return Forecast(lab.id, tuple(chain.from_iterable(asked)))


def read_sheets(workspace: Workspace, lab: Lab) -> tuple[Quiz, ...]:
    """The quiz and the predictions of the lab, as far as it has them."""
    return tuple(filter(None, (read_quiz(workspace, lab), read_predictions(workspace, lab))))


def _asked(rung: _Rung, size: _Size, why: Mapping[str, str], lab: Lab) -> Iterator[Prediction]:
    rungs = {each.id: each for each in lab.rungs}
    blank = Prediction(
        "",
        Kind.COUNT,
        "",
        draw={"n": size.drawn},
        rung=rung.id,
        call=size.call,
        times=size.times,
        power=size.power,
    )
    for name in rung.counts:
        ask = f"{QUANTITIES[name].words}, in a call with {size.call}"
        made = replace(blank, id=f"{rung.id}-{name}", ask=ask, hint=why[name])
        yield replace(made, quantity=name)
    if rungs[rung.id].speed:
        items = lab.predicted_sizes[-1]
        ask = f"microseconds that a call of {items} items takes on an NVIDIA H200 (no points)"
        made = replace(blank, id=f"{rung.id}-{TIME_US}", ask=ask, hint=_WHY_TIME, points=0.0)
        yield replace(made, quantity=TIME_US)
    if bound := rung.bound:
        ask = "What bounds this rung on a GPU, if its input is large?"
        made = replace(blank, id=f"{rung.id}-bound", kind=Kind.CHOICE, ask=ask, options=BOUNDS)
        yield replace(made, truth=bound.truth, hint=bound.why)
    if ladder := rung.ladder:
        ask = "Order these rungs by their speed on a GPU with a large input, the slowest first."
        options = {name: rungs[name].title for name in ladder.truth}
        made = replace(blank, id=f"{rung.id}-ladder", kind=Kind.ORDER, ask=ask, options=options)
        yield replace(made, truth=" ".join(ladder.truth), hint=ladder.why)
