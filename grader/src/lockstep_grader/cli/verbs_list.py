# SPDX-License-Identifier: MIT
"""The verb `list`, which is typed most: it imports little."""

import typer

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode
from lockstep_grader.student import listing, state


def add_to(app: typer.Typer) -> None:
    app.command("list")(list_labs)


def list_labs() -> int:
    """List the labs, their rungs and points, and your last checks."""
    workspace = Workspace.from_environment()
    labs = read_labs(workspace)
    scores = {lab.id: state.last_scores(workspace.state, lab) for lab in labs}
    listing.print_labs(make_console(), labs, scores)
    return ExitCode.FULL_MARKS
