# SPDX-License-Identifier: MIT
"""The verb `report`."""

import os
from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader.cli.course import by_rules
from lockstep_grader.cli.options import CourseOption
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.files import require_writable, write_whole
from lockstep_grader.machine.progress import say, stage
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode
from lockstep_grader.toolchain.installers import require_packages


def add_to(app: typer.Typer) -> None:
    app.command("report")(report)


def report(
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="A results folder, or a file of grade --json.")
    ],
    output: Annotated[
        Path | None, typer.Option(help="Where the pages go; default: report in the results folder.")
    ] = None,
    anonymous: Annotated[
        bool, typer.Option("--anonymous/--names", help="Pseudonyms on the leaderboard, or names.")
    ] = True,
    course: CourseOption = None,
    moodle_zip: Annotated[
        Path | None,
        typer.Option(help="Also write the students' pages as Moodle's zip of feedback files."),
    ] = None,
    similarity: Annotated[
        bool, typer.Option("--similarity", help="Compare the submissions' code, two by two.")
    ] = False,
) -> int:
    """Make pages from results: one per student, one of the class, a leaderboard."""
    require_packages()
    # Packages that other verbs do without.
    from lockstep_grader.pages.report.write import STUDENTS, write_report
    from lockstep_grader.results.comments import note_of_strangers
    from lockstep_grader.results.graded import read_results

    workspace = Workspace.from_environment()
    labs = read_labs(workspace)
    graded = read_results(results)
    if note := note_of_strangers(graded.folder, graded.names()):
        say(note)
    graded = by_rules(graded, course)
    similar = None
    if similarity:
        from lockstep_grader.pages.report.similarity import find_similar

        with stage("comparing") as progress:
            similar = find_similar(graded, labs, workspace, progress)
    page = write_report(
        graded,
        labs,
        output or graded.folder / "report",
        anonymous=anonymous,
        similarity=similar,
    )
    status = ExitCode.FULL_MARKS
    if moodle_zip:
        from lockstep_grader.pages.report.write import feedback_zip
        from lockstep_grader.results.export.words import said_of

        made, left_out = feedback_zip(graded.entries, page.parent / STUDENTS)
        require_writable(moodle_zip)
        write_whole(moodle_zip, made)
        if left_out:
            say(f"left out of {moodle_zip}: {said_of(left_out)}")
            status = ExitCode.SHORT_OF_FULL_MARKS
    count = len(graded.entries)
    where = page.absolute().as_uri() if os.isatty(2) else str(page)
    say(f"pages of {count} student{'' if count == 1 else 's'}: {where}")
    return status
