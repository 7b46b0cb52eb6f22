# SPDX-License-Identifier: MIT
"""The verb `review`."""

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode, InputError
from lockstep_grader.toolchain.installers import require_packages


def add_to(app: typer.Typer) -> None:
    app.command("review")(review)


def review(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="A results folder.")],
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="Pseudonyms in place of students' names.")
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port of the page; 0: any free one.")
    ] = 0,
) -> int:
    """Read submissions in the browser and comment on them; Ctrl-C ends."""
    require_packages()
    # Packages that other verbs do without.
    from lockstep_grader.pages.review import Desk, ReviewServer
    from lockstep_grader.results.comments import FILE, note_of_strangers
    from lockstep_grader.results.graded import read_results

    graded = read_results(results)
    desk = Desk(graded, read_labs(Workspace.from_environment()), anonymous=anonymous)
    if not desk.start:
        raise InputError(f"{results}: nothing was graded, so there is nothing to review")
    try:
        server = ReviewServer(desk, port)
    except OSError as error:
        raise InputError(f"port {port} cannot be used: {error.strerror}") from error
    with server:
        if note := note_of_strangers(graded.folder, graded.names()):
            say(note)
        print(server.url, flush=True)
        say(f"open this address; comments go to {graded.folder / FILE}; Ctrl-C ends")
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    return ExitCode.FULL_MARKS
