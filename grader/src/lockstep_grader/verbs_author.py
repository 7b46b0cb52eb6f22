# SPDX-License-Identifier: MIT
"""The verbs for those who write labs and hand them out."""

from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader.catalog import find_lab, read_labs
from lockstep_grader.errors import ExitCode
from lockstep_grader.progress import say
from lockstep_grader.release.make import release
from lockstep_grader.workspace import Workspace


def add_to(app: typer.Typer) -> None:
    app.command("release")(release_labs)


def release_labs(
    output: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write.")],
    lab: Annotated[
        list[str] | None,
        typer.Option("--lab", metavar="LAB", help="This lab alone; repeatable. Default: all."),
    ] = None,
    zipped: Annotated[bool, typer.Option("--zip", help="Write DIR.zip beside it, too.")] = False,
) -> int:
    """Make the students' copy: no solutions, no mutants, no instructors' pages."""
    workspace = Workspace.from_environment()
    labs = read_labs(workspace)
    wanted = {find_lab(labs, name).id for name in lab or [each.id for each in labs]}
    chosen = [each for each in labs if each.id in wanted]
    made = release(workspace, labs, chosen, output, zipped)
    for note in made.notes:
        say(f"note: {note}")
    names = ", ".join(each.id for each in chosen)
    print(f"{output}: {made.num_files} files, as of {made.date}, with {names}")
    if made.archive:
        print(f"{made.archive}: the same, packed")
    return ExitCode.FULL_MARKS
