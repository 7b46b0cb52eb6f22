# SPDX-License-Identifier: MIT
"""What is here: `list`, which is typed most and imports little, and `doctor`."""

from collections.abc import Mapping, Sequence

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.console import make_console, points
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode
from lockstep_grader.model.grades import Lab
from lockstep_grader.student import state


def add_to(app: typer.Typer) -> None:
    app.command("list")(list_labs)
    app.command("doctor")(doctor)


def list_labs() -> int:
    """List the labs, their rungs and points, and your last checks."""
    workspace = Workspace.from_environment()
    labs = read_labs(workspace)
    scores = {lab.id: state.last_scores(workspace.state, lab) for lab in labs}
    print_labs(make_console(), labs, scores)
    return ExitCode.FULL_MARKS


def print_labs(
    console: Console, labs: Sequence[Lab], scores: Mapping[str, Mapping[str, float]]
) -> None:
    """A table per lab; `scores` has the last points of each lab's rungs that were checked."""
    for lab in labs:
        console.print(Text.assemble((f"{lab.id}  {lab.title}", "bold"), f"  {lab.summary}"))
        if lab.prerequisites:
            console.print(Text(f"after {', '.join(lab.prerequisites)}", "dim"))
        table = Table(box=None, pad_edge=True)
        table.add_column("rung", no_wrap=True)
        table.add_column("title")
        table.add_column("points", justify="right", no_wrap=True)
        table.add_column("last check", justify="right", no_wrap=True)
        known = scores.get(lab.id, {})
        for rung in lab.rungs:
            score = known.get(rung.id)
            full = score == rung.points.total
            table.add_row(
                rung.id,
                rung.title,
                f"{rung.points.total:g}",
                Text("" if score is None else f"{score:g}", "green" if full else ""),
            )
        console.print(table)
        console.print(Text(f"{points(sum(known.values()), lab.max_score)} points\n", "bold"))


def doctor() -> int:
    """Say what this machine has, what is missing and how to get it."""
    from lockstep_grader.judging.doctor import cpu_ready, examine, print_items

    workspace = Workspace.from_environment()
    items = examine(not workspace.solutions.is_dir())
    print_items(make_console(), items)
    return ExitCode.FULL_MARKS if cpu_ready(items) else ExitCode.FAULT
