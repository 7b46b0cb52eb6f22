# SPDX-License-Identifier: MIT
"""The verb `explain`: why a student's rung has its points, for an appeal."""

import contextlib
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from lockstep_grader.cli.options import CourseOption, named
from lockstep_grader.intake.catalog import find_lab, find_rung, read_labs
from lockstep_grader.machine.console import make_console, points, verdict
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode, InputError
from lockstep_grader.model.grades import (
    Lab,
    LabResult,
    Outcome,
    Part,
    Rung,
    RungResult,
)
from lockstep_grader.model.score import score_rung
from lockstep_grader.model.text import clipped
from lockstep_grader.results.graded import (
    Entry,
    LabEntry,
    Results,
    by_rules,
    read_results,
    student_called,
)
from lockstep_grader.results.why import losses

_MESSAGE_LINES = 20
_NEXT_LINE = "\n      "  # of one reason, behind its points


def lab_explain(
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="A results folder, or a file of grade --json.")
    ],
    student: Annotated[
        str, typer.Argument(metavar="STUDENT", help="By id, login, email, number or name.")
    ],
    rung: Annotated[
        str | None,
        typer.Argument(
            metavar="[LAB/]RUNG",
            help="As in 01-reduction/03. A LAB, or none: each rung of it that lost points.",
            show_default=False,
            callback=named,
        ),
    ] = None,
    course: CourseOption = None,
) -> int:
    """Say why each point of a student's rung was lost, and what repeats the judgement."""
    labs = read_labs(Workspace.from_environment())
    graded = read_results(results)
    graded = by_rules(graded, course)
    entry = student_called(student, graded)
    console = make_console()
    if entry.problem and not rung:
        head = f"{entry.name}  {points(entry.score, entry.max_score)}"
        console.print(Text.assemble((head, "bold"), f"  {entry.problem}"))
        return ExitCode.FULL_MARKS
    whole = _whole_labs(entry, labs, rung or "")
    chosen = _short_of_full_marks(entry, labs, whole) if whole else [_rung(entry, labs, rung or "")]
    for lab, model, result in chosen:
        _print(console, _Told(graded, entry, lab, model, result))
    if not chosen:
        console.print(Text(f"{entry.name} has full marks in every rung"))
        for lab in whole:
            _print_mark(console, lab)
    return ExitCode.FULL_MARKS


def _rung(entry: Entry, labs: tuple[Lab, ...], name: str) -> tuple[LabEntry, Rung, RungResult]:
    lab_name, slash, rung_name = name.rpartition("/")
    graded = {lab.id: lab for lab in entry.labs}
    models = [lab for lab in labs if lab.id in graded]
    if slash:
        models = [find_lab(models, lab_name)]
    if len(models) != 1:
        ids = ", ".join(lab.id for lab in models)
        raise InputError(f"{name!r} may belong to any of {ids}; write LAB/RUNG")
    model = find_rung(models[0], rung_name)
    lab = graded[models[0].id]
    for result in lab.rungs:
        if result.id == model.id:
            return lab, model, result
    raise InputError(f"{entry.id} was not graded on {lab.id}/{model.id}; grade again")


def _whole_labs(entry: Entry, labs: tuple[Lab, ...], name: str) -> Sequence[LabEntry]:
    """All labs where there is no name, the lab that it names, or none where it names a rung."""
    if not name:
        return entry.labs
    models = [lab for lab in labs if any(lab.id == graded.id for graded in entry.labs)]
    with contextlib.suppress(InputError):  # then it is no lab's
        model = find_lab(models, name.removeprefix("labs/").strip("/"))
        if len(models) > 1 or name in (model.id, model.slug):  # 01 is a rung of the only lab
            return [lab for lab in entry.labs if lab.id == model.id]
    return ()


def _short_of_full_marks(
    entry: Entry, labs: tuple[Lab, ...], whole: Sequence[LabEntry]
) -> list[tuple[LabEntry, Rung, RungResult]]:
    return [
        _rung(entry, labs, f"{lab.id}/{result.id}")
        for lab in whole
        for result in lab.rungs
        if result.score is None or result.score < result.max_score
    ]


class _Told(NamedTuple):
    """A student's rung, and what it belongs to."""

    results: Results
    entry: Entry
    lab: LabEntry
    rung: Rung
    result: RungResult


def _print(console: Console, told: _Told) -> None:
    _, entry, lab, rung, result = told
    head = Text.assemble((f"{entry.name}  {lab.id}/{rung.id}", "bold"), f"  {rung.title}  ")
    words, style = verdict(result)
    console.print(head.append(f"{points(result.score, result.max_score)}  {words}", style))
    for text in (entry.problem, entry.dispute, *entry.notes):
        if text:
            _line(console, Text(text, "yellow"))
    if result.outcome is Outcome.ERROR:
        _line(console, Text(f"not graded: {result.judgement.fault}", "magenta"))
        _line(console, Text("no points are lost by that; grade again with the same results folder"))
    _print_losses(console, told)
    _print_rules(console, told)
    if command := _command(told):
        console.print(Text.assemble("repeat it: ", (command, "bold")), soft_wrap=True)


def _print_losses(console: Console, told: _Told) -> None:
    results, _, lab, rung, result = told
    found = losses(rung, result, LabResult(lab.id, lab.rungs), results.backend)
    for part in Part:
        score = result.parts[part]
        if not score.max_score:
            continue
        _line(console, Text(f"{part}: {points(score.score, score.max_score)}", "bold"))
        for loss in found:
            if loss.part is part:
                lost = f"-{loss.points:g}" if loss.points else "cause" if loss.is_cause else "also"
                at = f"  ({loss.place})" if loss.place else ""
                reason = clipped(loss.reason, _MESSAGE_LINES).replace("\n", _NEXT_LINE)
                _line(console, Text.assemble((lost, "red"), "  ", reason, (at, "dim")), 4)


def _print_rules(console: Console, told: _Told) -> None:
    """What changes the points after grading: today's lab.toml, and the course's rules."""
    results, entry, lab, rung, result = told
    judgement = result.judgement
    if judgement.tests:  # grade.json lists the tests' findings with the rung's own
        judgement = replace(judgement, findings=())
    today = score_rung(rung, judgement, results.backend)
    if result.outcome is not Outcome.SKIPPED and today.score != result.score:
        now = points(today.score, today.max_score)
        _line(
            console, Text(f"by today's lab.toml it is {now}: grade again to apply that", "yellow")
        )
    if lab.mark:
        _print_mark(console, lab)
    for confirmation in entry.confirmations:
        if (confirmation.lab, confirmation.rung) == (lab.id, rung.id):
            _line(console, Text(f"judged a second time: {confirmation.line}"))
    for comment in entry.comments:
        if comment.lab in ("", lab.id) and comment.rung in ("", rung.id):
            _line(console, Text(f"comment on line {comment.line}:" if comment.line else "comment:"))
            _line(console, Text(clipped(comment.text, _MESSAGE_LINES)), 4)


def _print_mark(console: Console, lab: LabEntry) -> None:
    """What counts of the lab, and by which of the course's rules."""
    _line(console, Text(f"{lab.id} counts {points(lab.score, lab.max_score)}", "bold"))
    for note in lab.mark.notes if lab.mark else ():
        _line(console, Text(note), 4)


def _command(told: _Told) -> str:
    """Judges the kept source again, with the same inputs; empty where no source was kept."""
    results, entry, lab, rung, result = told
    if not results.source(entry, lab.id, rung.id):
        return ""
    folder = shlex.quote(str(results.folder / entry.id))
    seed = f" --seed {result.judgement.seed}" if result.judgement.seed.isdigit() else ""
    return f"./lab check {lab.id}/{rung.id} --from {folder} --backend {results.backend}{seed}"


def _line(console: Console, text: Text, indent: int = 2) -> None:
    for line in text.split():  # one by one: a padding fills up the shorter lines of a text
        console.print(Padding(line, (0, 0, 0, indent), expand=False), soft_wrap=True)
