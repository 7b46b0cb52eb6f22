# SPDX-License-Identifier: MIT
"""Pages made of results or handouts: `report`, `review` and `site`."""

import contextlib
import importlib.util
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader.cli.options import CourseOption, OpenOption
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.files import require_writable, write_whole
from lockstep_grader.machine.progress import open_page, say, stage, tell_of_page
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode, InputError
from lockstep_grader.model.grades import Lab
from lockstep_grader.model.text import count_of
from lockstep_grader.results.graded import by_rules
from lockstep_grader.toolchain.installers import install, require_packages


def lab_report(
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
    opens: OpenOption = False,
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
    tell_of_page(f"pages of {count_of(len(graded.entries), 'student')}", page, opens)
    return status


def lab_review(
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


def lab_site(
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
    opens: OpenOption = False,
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
    if opens:
        open_page(output / "index.html")
    return ExitCode.FULL_MARKS


def _traces(workspace: Workspace, labs: Sequence[Lab], with_solutions: bool) -> dict[str, str]:
    """The pages by their path. A site for students shows no source of a solution."""
    from lockstep_grader.cli.verbs_trace import record_key_ideas
    from lockstep_grader.student.trace.page import make_page

    made = {}
    for idea, trace in record_key_ideas(workspace, labs):
        _, page = make_page(replace(trace, shows_source=with_solutions))
        made[f"labs/{idea.lab}/figures/{idea.page}"] = page
    return made
