# SPDX-License-Identifier: MIT
"""The verbs for instructors, lab authors and CI."""

from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader import doctor as examination
from lockstep_grader.catalog import find_lab, read_labs
from lockstep_grader.console import make_console, print_submissions
from lockstep_grader.errors import ExitCode, FaultError, InputError
from lockstep_grader.files import require_writable, write_json
from lockstep_grader.grade import grade, ungraded
from lockstep_grader.lint import lint
from lockstep_grader.lint_report import print_verdicts
from lockstep_grader.options import (
    BackendChoice,
    BackendOption,
    JobsOption,
    SanitizerOption,
    SeedOption,
)
from lockstep_grader.serial import report_json
from lockstep_grader.session import default_jobs, open_session
from lockstep_grader.store import Store
from lockstep_grader.submission import find_submissions
from lockstep_grader.workspace import Workspace


def add_to(app: typer.Typer) -> None:
    app.command("grade")(grade_path)
    app.command("lint")(lint_labs)
    app.command("test")(run_tests)
    app.command("doctor")(doctor)


def grade_path(
    path: Annotated[Path, typer.Argument(metavar="PATH")],
    backend: BackendOption = BackendChoice.AUTO,
    jobs: JobsOption = None,
    lab: Annotated[
        str | None, typer.Option("--lab", metavar="LAB", help="Grade this lab alone.")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write the results here as JSON.")] = None,
    results: Annotated[
        Path | None, typer.Option(help="Keep results in this folder and go on from those there.")
    ] = None,
    seed: SeedOption = None,
    sanitizer: SanitizerOption = True,
) -> int:
    """Grade a submission (a folder of lab folders), or a folder of submissions."""
    workspace = Workspace.from_environment()
    labs = read_labs(workspace)
    submissions = find_submissions(path, labs, find_lab(labs, lab) if lab else None)
    if json:
        require_writable(json)
    store = Store(results or workspace.results, reuse=results is not None)
    session = open_session(workspace, backend.backend, jobs, seed, sanitizer)
    graded = grade(submissions, session, store)
    if json:
        write_json(json, report_json(graded, session.toolchain, seed))
    print_submissions(make_console(), graded)
    if faults := ungraded(graded):
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise FaultError(f"not graded: {faults[0]}{more}")
    full = all(submission.score == submission.max_score for submission in graded)
    return ExitCode.FULL_MARKS if full else ExitCode.SHORT_OF_FULL_MARKS


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
    verdicts = lint(
        workspace, chosen, open_session(workspace, backend.backend, jobs, seed, sanitizer)
    )
    print_verdicts(make_console(), verdicts)
    breached = any(verdict.problems for verdict in verdicts)
    return ExitCode.SHORT_OF_FULL_MARKS if breached else ExitCode.FULL_MARKS


def run_tests(
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="SECTION", help="Run this section alone; repeatable."),
    ] = None,
    show: Annotated[bool, typer.Option("--list", help="List the sections and stop.")] = False,
    jobs: JobsOption = None,
) -> int:
    """Run the project's own tests, all of them."""
    from lockstep_grader.selftest.plan import chosen, ensure_tools, present
    from lockstep_grader.selftest.sections import Context, run_sections

    workspace = Workspace.from_environment()
    if show:
        for section in present(workspace):
            print(f"{section.name:8} {section.purpose}")
        return ExitCode.FULL_MARKS
    sections = chosen(workspace, only or [])
    ensure_tools(workspace)
    total = run_sections(Context(workspace, make_console(), jobs or default_jobs()), sections)
    return ExitCode.SHORT_OF_FULL_MARKS if total.failed else ExitCode.FULL_MARKS


def doctor() -> int:
    """Say what this machine has, what is missing and how to get it."""
    items = examination.examine()
    examination.print_items(make_console(), items)
    return ExitCode.FULL_MARKS if examination.cpu_ready(items) else ExitCode.FAULT
