# SPDX-License-Identifier: MIT
"""The verb `site`."""

import importlib.util
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode, InputError
from lockstep_grader.model.grades import Lab
from lockstep_grader.toolchain.installers import install


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
    with_traces: Annotated[
        bool,
        typer.Option(
            "--with-traces",
            help="Also the launches that the handouts show, as pages that replay them.",
        ),
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
    if (with_solutions or with_traces) and not workspace.solutions.is_dir():
        raise InputError("this is a students' copy: it has no solutions")
    if importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("material") is None:
        say("installing MkDocs Material ...")
        install(workspace.root / "grader" / "requirements-site.txt")
    from lockstep_grader.pages.site.build import build_site

    labs = read_labs(workspace)
    traces = _traces(workspace, labs, with_solutions) if with_traces else {}
    num_pages = build_site(
        workspace, labs, output, with_solutions=with_solutions, repository=repo_url, traces=traces
    )
    print(f"{output / 'index.html'}: {num_pages} pages")
    return ExitCode.FULL_MARKS


def _traces(workspace: Workspace, labs: Sequence[Lab], with_solutions: bool) -> dict[str, str]:
    """The pages by their path. A site for students shows no source of a solution."""
    from lockstep_grader.cli.key_ideas import record_key_ideas
    from lockstep_grader.student.trace.page import make_page

    made = {}
    for idea, trace in record_key_ideas(workspace, labs):
        _, page = make_page(replace(trace, shows_source=with_solutions))
        made[f"labs/{idea.lab}/figures/{idea.page}"] = page
    return made
