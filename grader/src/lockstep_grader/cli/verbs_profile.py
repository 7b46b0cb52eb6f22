# SPDX-License-Identifier: MIT
"""The verb `profile`."""

import os
from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader.cli.options import BackendChoice, FromOption, SandboxOption
from lockstep_grader.intake.catalog import find_target, read_labs
from lockstep_grader.intake.take import lab_folders
from lockstep_grader.judging.session import Wanted, open_session_for
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.files import require_writable, write_json, write_whole
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode, InputError
from lockstep_grader.model.grades import Backend
from lockstep_grader.student.predict import invitation
from lockstep_grader.student.profile.run import profile_json, profile_rung
from lockstep_grader.student.profile.terminal import print_profile
from lockstep_grader.toolchain.installers import require_packages

_MAX_ITEMS = 1 << 24  # beyond it a call takes minutes


def add_to(app: typer.Typer) -> None:
    app.command("profile")(profile)


def profile(
    target: Annotated[str, typer.Argument(metavar="LAB/RUNG")],
    size: Annotated[
        list[int] | None,
        typer.Option(
            min=1, max=_MAX_ITEMS, help="Items of the call; repeatable. Default: the budgets' size."
        ),
    ] = None,
    from_: FromOption = None,
    html: Annotated[Path | None, typer.Option(help="Write a page with pictures here.")] = None,
    json: Annotated[Path | None, typer.Option(help="Write the counts here as JSON.")] = None,
    line_limit: Annotated[
        int, typer.Option(min=0, help="Source lines to show, the most expensive first; 0: all.")
    ] = 60,
    backend: Annotated[BackendChoice, typer.Option(help="Only cpu counts.")] = (BackendChoice.AUTO),
    sandbox: SandboxOption = True,
) -> int:
    """Show what a rung costs, kernel by kernel and line by line."""
    workspace = Workspace.from_environment()
    labs = read_labs(workspace)
    lab, rungs = find_target(labs, target)
    if "/" not in target.removeprefix("labs/").strip("/"):
        raise InputError(f"profile needs a rung, as in {lab.id}/{rungs[0].id}")
    if backend is BackendChoice.CUDA:
        raise InputError("counters come from the cpu backend: use --backend cpu")
    for file in filter(None, (html, json)):
        require_writable(file)
    with lab_folders(from_ or workspace.labs, lab, labs) as folder:
        wanted = Wanted(Backend.CPU, sandbox=sandbox, labs=[lab.id])
        session = open_session_for(folder, workspace, wanted)
        if line := invitation(workspace, folder, lab, rungs):
            say(line)
        made = profile_rung(session, folder, lab, rungs[0], size or [])
    if json:
        write_json(json, profile_json(made, session.toolchain))
    if html:
        require_packages()
        from lockstep_grader.student.profile.page import render_page

        write_whole(html, render_page(made).encode())
    print_profile(make_console(), made, line_limit)
    if html:
        say(f"the page: {html.absolute().as_uri()}" if os.isatty(2) else f"the page: {html}")
    return ExitCode.FULL_MARKS if made.passed else ExitCode.SHORT_OF_FULL_MARKS
