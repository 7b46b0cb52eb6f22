# SPDX-License-Identifier: MIT
"""What is here: `list`, which is typed most and imports little, and `doctor`."""

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.console import make_console, points
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode
from lockstep_grader.model.grades import Lab
from lockstep_grader.student import state


def lab_list() -> int:
    """List the labs, their rungs and points, and your last checks."""
    workspace = Workspace.from_environment()
    labs = read_labs(workspace)
    console = make_console()
    for lab in labs:
        print_lab(console, lab, state.last_checks(workspace.state, lab), workspace.labs)
    return ExitCode.FULL_MARKS


def print_lab(
    console: Console, lab: Lab, checks: Mapping[str, state.LastCheck], folder: Path
) -> None:
    """Its rungs, with the last check of each that has one; `folder` is of lab folders."""
    console.print(Text.assemble((f"{lab.id}  {lab.title}", "bold"), f"  {lab.summary}"))
    if lab.prerequisites:
        console.print(Text(f"after {', '.join(lab.prerequisites)}", "dim"))
    table = Table(box=None, pad_edge=True)
    table.add_column("rung", no_wrap=True)
    table.add_column("title")
    table.add_column("hours", justify="right", no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("last check", justify="right", no_wrap=True)
    for rung in lab.rungs:
        known = checks.get(rung.id)
        file = folder / lab.id / rung.file_name
        full = known is not None and known.score == rung.points.total
        table.add_row(
            rung.id,
            rung.title,
            "" if rung.hours is None else f"{rung.hours:g}",
            f"{rung.points.total:g}",
            Text(_told(known, file) if known else "", "green" if full else ""),
        )
    console.print(table)
    total = sum(known.score for known in checks.values())
    console.print(Text(f"{points(total, lab.max_score)} points\n", "bold"))


def _told(known: state.LastCheck, file: Path) -> str:
    is_old = not file.is_file() or not known.is_of(file.read_bytes())
    return (
        ("changed since: " if is_old else "")
        + (f"best {known.best:g}, now " if known.best > known.score else "")
        + f"{known.score:g}"
    )


def lab_doctor() -> int:
    """Say what this machine has, what is missing and how to get it."""
    from lockstep_grader.judging.doctor import cpu_ready, examine, print_items

    workspace = Workspace.from_environment()
    items = examine(not workspace.solutions.is_dir())
    print_items(make_console(), items)
    return ExitCode.FULL_MARKS if cpu_ready(items) else ExitCode.FAULT
