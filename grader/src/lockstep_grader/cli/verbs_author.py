# SPDX-License-Identifier: MIT
"""The verbs for those who write labs and hand them out."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader.author.new import lab_names, scaffold
from lockstep_grader.author.release.make import release
from lockstep_grader.intake.catalog import find_lab, find_target, read_labs
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode, InputError
from lockstep_grader.model.grades import Lab, Rung


def add_to(app: typer.Typer) -> None:
    app.command("new")(new_lab)
    app.command("release")(release_labs)


def new_lab(
    lab_id: Annotated[str, typer.Argument(metavar="NN-SLUG")],
    more: Annotated[list[str] | None, typer.Argument(metavar="RUNG", hidden=True)] = None,
    title: Annotated[str, typer.Option(help="Default: the slug, in words.")] = "",
    rungs: Annotated[
        list[str] | None, typer.Option(metavar="RUNG...", help="Techniques, in order.")
    ] = None,
) -> int:
    """Scaffold a lab; `lint` then names what is left to write."""
    workspace = Workspace.from_environment()
    if not workspace.solutions.is_dir():
        raise InputError("this is a students' copy: write labs in the whole repository")
    names = lab_names(workspace, lab_id, title, [*(rungs or []), *(more or [])] or ["simple"])
    for file in scaffold(workspace, names):
        print(workspace.shown(file))
    print(f"next: write what TODO(author) asks for; ./lab lint {names.id} says what is left")
    return ExitCode.FULL_MARKS


def release_labs(
    output: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write.")],
    lab: Annotated[
        list[str] | None,
        typer.Option("--lab", metavar="LAB", help="Only this lab; repeatable. Default: all."),
    ] = None,
    zipped: Annotated[bool, typer.Option("--zip", help="Write DIR.zip next to it, too.")] = False,
    checkpoint: Annotated[
        list[str] | None,
        typer.Option(metavar="LAB/RUNG", help="With this rung's solution; repeatable."),
    ] = None,
    last_hint_waits: Annotated[
        bool,
        typer.Option("--last-hint-waits", help="A rung's last hint opens after a failed check."),
    ] = False,
) -> int:
    """Make the students' copy: no solutions, no mutants, no instructors' pages."""
    workspace = Workspace.from_environment()
    labs = read_labs(workspace)
    wanted = {find_lab(labs, name).id for name in lab or [each.id for each in labs]}
    chosen = [each for each in labs if each.id in wanted]
    checkpoints = [_checkpoint(labs, name) for name in checkpoint or []]
    for each, _ in checkpoints:
        if each not in chosen:
            raise InputError(f"a checkpoint of {each.id} comes with its lab: add --lab {each.id}")
    made = release(
        workspace,
        labs,
        chosen,
        output,
        zipped=zipped,
        checkpoints=checkpoints,
        last_hint_waits=last_hint_waits,
    )
    for note in made.notes:
        say(f"note: {note}")
    names = ", ".join(each.id for each in chosen)
    print(f"{output}: {made.num_files} files, as of {made.date}, with {names}")
    if made.archive:
        print(f"{made.archive}: the same, packed")
    return ExitCode.FULL_MARKS


def _checkpoint(labs: Sequence[Lab], name: str) -> tuple[Lab, Rung]:
    lab, rungs = find_target(labs, name)
    if len(rungs) != 1:
        raise InputError(f"--checkpoint {name} names a lab; name one rung: {lab.id}/RUNG")
    return lab, rungs[0]
