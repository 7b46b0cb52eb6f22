# SPDX-License-Identifier: MIT
"""The verb `doctor`."""

import typer

from lockstep_grader.judging.doctor import cpu_ready, examine, print_items
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode


def add_to(app: typer.Typer) -> None:
    app.command("doctor")(doctor)


def doctor() -> int:
    """Say what this machine has, what is missing and how to get it."""
    workspace = Workspace.from_environment()
    items = examine(not workspace.solutions.is_dir())
    print_items(make_console(), items)
    return ExitCode.FULL_MARKS if cpu_ready(items) else ExitCode.FAULT
