# SPDX-License-Identifier: MIT
"""The verb `site`."""

import importlib.util
from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode, InputError
from lockstep_grader.toolchain.python_packages import install


def add_to(app: typer.Typer) -> None:
    app.command("site")(site)


def site(
    output: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write.")] = Path(
        "site"
    ),
    with_solutions: Annotated[
        bool,
        typer.Option("--with-solutions", help="For instructors: also what students must not see."),
    ] = False,
    repo_url: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="Where files that are not pages are shown, as in https://host/group/name/blob/main.",
        ),
    ] = "",
) -> int:
    """Make a web site of the handouts and the manual; it also works without a network."""
    if repo_url and not repo_url.startswith("https://"):
        raise InputError(f"--repo-url {repo_url!r} is not an address that begins with https://")
    workspace = Workspace.from_environment()
    if with_solutions and not workspace.solutions.is_dir():
        raise InputError("this is a students' copy: it has no solutions")
    if importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("material") is None:
        say("installing MkDocs Material ...")
        install(workspace.root / "grader" / "requirements-site.txt")
    from lockstep_grader.pages.site.build import build_site

    num_pages = build_site(workspace, read_labs(workspace), output, with_solutions, repo_url)
    print(f"{output / 'index.html'}: {num_pages} pages")
    return ExitCode.FULL_MARKS
