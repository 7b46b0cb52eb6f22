# SPDX-License-Identifier: MIT
"""The verb `list`, which is typed most: it imports little."""

import typer

from lockstep_grader import listing, state
from lockstep_grader.catalog import read_labs
from lockstep_grader.console import make_console
from lockstep_grader.errors import ExitCode
from lockstep_grader.workspace import Workspace


def add_to(app: typer.Typer) -> None:
    app.command("list")(list_labs)


def list_labs() -> int:
    """List the labs, their rungs and points, and your last checks."""
    workspace = Workspace.from_environment()
    labs = read_labs(workspace)
    scores = {lab.id: state.last_scores(workspace.state, lab) for lab in labs}
    listing.print_labs(make_console(), labs, scores)
    return ExitCode.FULL_MARKS
