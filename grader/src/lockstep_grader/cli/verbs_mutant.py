# SPDX-License-Identifier: MIT
"""The verb for those who keep the proofs: one mutant, seen whole, as a difference, or changed."""

import sys
from typing import Annotated

import typer
from rich.text import Text

from lockstep_grader.author.mutant_edit import (
    diff_of,
    edit_mutant,
    find_mutant,
    new_mutant,
    run_editor,
    submission_of,
)
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.errors import ExitCode, InputError
from lockstep_grader.model.text import visible

_STYLES = {"+": "green", "-": "red", "@": "cyan"}


class Action(StrEnum):
    SHOW = "show"
    DIFF = "diff"
    EDIT = "edit"


def add_to(app: typer.Typer) -> None:
    app.command("mutant")(mutant)


def mutant(
    action: Annotated[
        Action,
        typer.Argument(
            help="show the whole source, its diff to the solution, or edit it in $VISUAL or $EDITOR"
        ),
    ],
    name: Annotated[str, typer.Argument(metavar="[LAB/]NAME")],
    of: Annotated[
        str,
        typer.Option(metavar="LAB/RUNG", help="edit: make a new mutant of this rung's solution."),
    ] = "",
) -> int:
    """Show, compare or edit a wrong submission that lint catches."""
    workspace = Workspace.from_environment()
    if not workspace.solutions.is_dir():
        raise InputError("this is a students' copy: it has no mutants")
    labs = read_labs(workspace)
    if of and action is not Action.EDIT:
        raise InputError(f"--of makes a new mutant: ./lab mutant edit {name} --of {of}")
    if of:
        written = new_mutant(workspace, labs, name, of, run_editor)
    else:
        place = find_mutant(workspace, labs, name)
        if action is Action.SHOW:
            sys.stdout.write(submission_of(workspace, place))
            return ExitCode.FULL_MARKS
        if action is Action.DIFF:
            _print_diff(diff_of(workspace, place))
            return ExitCode.FULL_MARKS
        written = edit_mutant(workspace, place, run_editor)
    print(workspace.shown(written) if written else f"{name}: not changed, so nothing was written")
    return ExitCode.FULL_MARKS


def _print_diff(lines: list[str]) -> None:
    console = make_console()
    for number, line in enumerate(lines):
        style = "bold" if number < 2 else _STYLES.get(line[:1], "")  # 2: the names of the files
        console.print(Text(visible(line), style), soft_wrap=True)
