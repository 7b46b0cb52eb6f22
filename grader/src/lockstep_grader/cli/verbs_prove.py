# SPDX-License-Identifier: MIT
"""`lint` and `test`: for those who change labs, or Lockstep itself."""

from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader.author.lint import lint, print_verdicts
from lockstep_grader.cli.options import (
    BackendChoice,
    BackendOption,
    JobsOption,
    SanitizerOption,
    SeedOption,
)
from lockstep_grader.intake.catalog import find_lab, read_labs
from lockstep_grader.judging.session import Wanted, default_jobs, open_session
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode, InputError


def add_to(app: typer.Typer) -> None:
    app.command("lint")(lint_labs)
    app.command("test")(run_tests)


def lint_labs(
    lab: Annotated[str | None, typer.Argument(metavar="LAB")] = None,
    backend: BackendOption = BackendChoice.AUTO,
    jobs: JobsOption = None,
    seed: SeedOption = None,
    sanitizer: SanitizerOption = True,
) -> int:
    """Prove that starters fail, solutions get full marks and mutants are caught."""
    workspace = Workspace.from_environment()
    if not workspace.solutions.is_dir():
        raise InputError("lint proves solutions and mutants, and this copy has none")
    labs = read_labs(workspace)
    chosen = (find_lab(labs, lab),) if lab else labs
    wanted = Wanted(
        backend.backend,
        jobs,
        seed,
        sanitizer=sanitizer,
        emulator=False,  # it would prove what the GPU's tools have to
        labs=[each.id for each in chosen],
        await_nvcc=True,
    )
    session = open_session(workspace, wanted)
    verdicts = lint(workspace, chosen, session)
    print_verdicts(make_console(), verdicts)
    breached = any(verdict.problems for verdict in verdicts)
    return ExitCode.SHORT_OF_FULL_MARKS if breached else ExitCode.FULL_MARKS


def run_tests(
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="SECTION", help="Run only this section; repeatable."),
    ] = None,
    files: Annotated[
        list[Path] | None,
        typer.Option("--file", metavar="FILE", help="Of pytest, run only this file; repeatable."),
    ] = None,
    show: Annotated[bool, typer.Option("--list", help="List the sections and stop.")] = False,
    jobs: JobsOption = None,
) -> int:
    """Run the project's own tests, all of them."""
    from lockstep_grader.author.selftest.prepare import ensure_tools, make_strict
    from lockstep_grader.author.selftest.runner import Context, run_sections
    from lockstep_grader.author.selftest.sections import chosen, present

    workspace = Workspace.from_environment()
    if show:
        for section in present(workspace):
            print(f"{section.name:8} {section.purpose}")
        return ExitCode.FULL_MARKS
    if files and only not in (None, [], ["pytest"]):
        raise InputError("--file goes with --only pytest, or without --only")
    sections = chosen(workspace, ["pytest"] if files else only or [])
    if absent := next((file for file in files or () if not file.is_file()), None):
        raise InputError(f"{absent}: no such file")
    ensure_tools(workspace, sections)
    workspace = make_strict(workspace)
    test_files = [file.absolute() for file in files or ()]
    context = Context(workspace, make_console(), jobs or default_jobs(), test_files)
    total = run_sections(context, sections)
    return ExitCode.SHORT_OF_FULL_MARKS if total.failed else ExitCode.FULL_MARKS
