# SPDX-License-Identifier: MIT
"""The verbs `export` and `package`, and `autograde`, which packages start on their platform."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer

from lockstep_grader.author.packages.autograde import autograde, prepare
from lockstep_grader.author.packages.build import Platform
from lockstep_grader.cli.options import CourseOption
from lockstep_grader.intake.catalog import find_lab, read_labs
from lockstep_grader.machine.csv_rows import read_rows
from lockstep_grader.machine.files import require_writable, write_whole
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.errors import ExitCode, InputError
from lockstep_grader.model.quiz import Sheet
from lockstep_grader.pages.report.words import page_name
from lockstep_grader.results.comments import note_of_strangers
from lockstep_grader.results.export import gradebooks, platforms, table
from lockstep_grader.results.export.words import LeftOut, said_of
from lockstep_grader.results.graded import Entry, Results, by_rules, read_results, student_called


class Format(StrEnum):
    GRADESCOPE = "gradescope"
    AUTOLAB = "autolab"
    PRAIRIELEARN = "prairielearn"
    JUNIT = "junit"
    CSV = "csv"
    CANVAS = "canvas"


class Layout(StrEnum):
    STUDENTS = "students"
    RUNGS = "rungs"
    QUIZ = "quiz"
    CANVAS = "canvas"
    MOODLE = "moodle"
    WORKSHEET = "worksheet"
    MAIL = "mail"


_TOKEN_VARIABLE = "CANVAS_TOKEN"  # noqa: S105  # its name


def lab_export(
    results: Annotated[Path, typer.Argument(metavar="RESULTS")],
    format_: Annotated[Format, typer.Option("--format", help="The program that reads it.")],
    output: Annotated[
        Path | None,
        typer.Option(help="The file, or the folder for one file per student; default: stdout."),
    ] = None,
    student: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Only this student, by any id; repeatable."),
    ] = None,
    lab: Annotated[str | None, typer.Option(metavar="LAB", help="Only this lab.")] = None,
    layout: Annotated[
        Layout,
        typer.Option(help="csv: a row per student, rung or question, or a gradebook's import."),
    ] = Layout.STUDENTS,
    roster: Annotated[
        Path | None,
        typer.Option(help="canvas: the gradebook that it exported; worksheet: Moodle's worksheet."),
    ] = None,
    course: CourseOption = None,
    visibility: Annotated[
        platforms.Visibility, typer.Option(help="gradescope: when students see the tests.")
    ] = platforms.Visibility.VISIBLE,
    to: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="canvas: the assignment's address in your browser."),
    ] = None,
    really: Annotated[
        bool,
        typer.Option("--send", help="canvas: send, and do not only show what would be sent."),
    ] = False,
) -> int:
    """Write grades for an LMS, CI or gradebook. RESULTS: a results folder or grade JSON."""
    if format_ is not Format.CSV and (roster or layout is not Layout.STUDENTS):
        raise InputError("--layout and --roster go with --format csv")
    if course and (
        format_ not in (Format.CSV, Format.CANVAS) or layout in (Layout.RUNGS, Layout.QUIZ)
    ):
        raise InputError(
            "--course changes the points of labs, not of rungs or questions: use it with "
            "--format canvas, or with --format csv and a layout with a row per student"
        )
    if format_ is Format.CANVAS and to is None:
        raise InputError("--format canvas needs --to: the assignment's address in your browser")
    if to is not None and format_ is not Format.CANVAS:
        raise InputError("--to goes with --format canvas")
    if roster and layout not in (Layout.CANVAS, Layout.WORKSHEET):
        raise InputError("--roster goes with --layout canvas or worksheet")
    if layout is Layout.WORKSHEET and not roster:
        raise InputError("--layout worksheet fills Moodle's grading worksheet: give it as --roster")
    book = read_results(results)
    if note := note_of_strangers(book.folder, book.names()):
        say(note)
    book = by_rules(book, course)
    book = _chosen(book, lab, student or [])
    disputed = [LeftOut(each.id, each.dispute) for each in book.entries if each.dispute]
    if disputed:
        say(f"left out, as it is not clear whose they are: {said_of(disputed)}")
        book = replace(book, entries=tuple(each for each in book.entries if not each.dispute))
    if not book.entries:
        raise InputError(
            "it is not clear whose work these results are; settle that, and grade again"
        )
    if unread := [
        LeftOut(each.id, each.problem)
        for each in book.entries
        if each.problem and not each.is_missing
    ]:
        say(f"0 points, as nothing could be taken from the work: {said_of(unread)}")
    if to:
        status = _to_canvas(book, to, really)
    elif format_ is Format.JUNIT:
        status = put(platforms.junit(book), output)
    elif format_ is Format.CSV:
        status = _export_csv(book, layout, roster, output)
    else:
        status = _export_each(book, format_, visibility, output)
    return status or (ExitCode.SHORT_OF_FULL_MARKS if disputed else ExitCode.FULL_MARKS)


def _to_canvas(book: Results, address: str, really: bool) -> int:
    target = gradebooks.target_of(address)
    token = os.environ.get(_TOKEN_VARIABLE, "")
    if really and not token:
        where = "Account, Settings in Canvas"
        raise InputError(f"set {_TOKEN_VARIABLE} to an access token of yours ({where})")
    made, left_out = gradebooks.posts(book)
    for line in gradebooks.preview(made, target):
        print(line)
    if left_out:
        say(f"left out: {said_of(left_out)}")
    if not really:
        say("nothing was sent; --send does that, and Canvas adds each comment once more")
    elif made:
        gradebooks.send(made, target, token)
        say(f"sent {len(made)} grade{'' if len(made) == 1 else 's'} with comments to {target.url}")
    return ExitCode.SHORT_OF_FULL_MARKS if left_out else ExitCode.FULL_MARKS


def lab_package(
    platform: Annotated[Platform, typer.Argument(metavar="PLATFORM")],
    lab: Annotated[str, typer.Argument(metavar="LAB")],
    output: Annotated[Path | None, typer.Option(help="The file; default: here.")] = None,
    image: Annotated[
        str, typer.Option(help="autolab, prairielearn: the name of the Docker image.")
    ] = "",
    quiz: Annotated[
        float,
        typer.Option(
            metavar="POINTS", min=0, max=1000, help="What a quiz with all answers right adds."
        ),
    ] = 0.0,
    predictions: Annotated[
        float,
        typer.Option(metavar="POINTS", min=0, max=1000, help="What all predictions add."),
    ] = 0.0,
) -> int:
    """Make the autograder of a lab: gradescope, github (also GitLab), autolab, prairielearn."""
    from lockstep_grader.author.packages.build import KINDS, build_package  # needs jinja2

    workspace = Workspace.from_environment()
    chosen = find_lab(read_labs(workspace), lab)
    target = output or Path(f"{chosen.id}-{platform}{KINDS[platform].suffix}")
    require_writable(target)
    points = {Sheet.QUIZ: quiz, Sheet.PREDICTIONS: predictions}
    write_whole(target, build_package(workspace, platform, chosen, image, points))
    print(f"{target}: {KINDS[platform].next_step}")
    return ExitCode.FULL_MARKS


def lab_autograde(
    platform: Annotated[Platform, typer.Argument(metavar="PLATFORM")],
    lab: Annotated[str, typer.Argument(metavar="LAB")],
    root: Annotated[Path, typer.Option(help="Where the platform puts its folders.")] = Path("."),
    prepare_only: Annotated[bool, typer.Option("--prepare", help="Only build.")] = False,
    quiz: Annotated[float, typer.Option(min=0, help="What the quiz adds at most.")] = 0.0,
    predictions: Annotated[float, typer.Option(min=0, help="What they add at most.")] = 0.0,
) -> int:
    """Grade what a platform has handed in, and report it in its own format."""
    workspace = Workspace.from_environment()
    chosen = find_lab(read_labs(workspace), lab)
    if prepare_only:
        prepare(workspace, chosen)
        return ExitCode.FULL_MARKS
    worth = {Sheet.QUIZ: quiz, Sheet.PREDICTIONS: predictions}
    return autograde(workspace, platform, chosen, root, worth)


def _chosen(book: Results, lab: str | None, students: list[str]) -> Results:
    ids = [lab_id for lab_id, _ in book.labs]
    named = next(
        (one for one in ids if lab in (one, one.split("-")[0], one.partition("-")[2])), None
    )
    if lab and not named:
        raise InputError(f"no submission was graded on {lab!r}; there are: {', '.join(ids)}")
    chosen_ids = [student_called(student, book).id for student in students]
    for student, one in zip(students, chosen_ids, strict=True):
        if chosen_ids.count(one) > 1:
            say(f"--student {student} names {one}, who is written once")
    chosen = book.only(named, chosen_ids)
    if not chosen.entries:
        raise InputError("these results contain no submission")
    return chosen


def _export_csv(book: Results, layout: Layout, roster: Path | None, output: Path | None) -> int:
    if layout is Layout.STUDENTS:
        return put(table.students(book), output)
    if layout is Layout.RUNGS:
        return put(table.rungs(book), output)
    if layout is Layout.QUIZ:
        return put(table.quiz(book), output)
    if layout is Layout.CANVAS:
        made = gradebooks.canvas(
            book, gradebooks.roster_of(read_rows(roster), str(roster)) if roster else None
        )
    elif layout is Layout.WORKSHEET and roster:
        made = gradebooks.worksheet(book, roster)
    elif layout is Layout.MAIL:
        names = {entry.id: page_name(entry.id) for entry in book.entries}
        made = table.mail_merge(book, PurePosixPath("students"), names)
    else:
        made = table.moodle(book)
    put(made.text, output)
    for warning in made.warnings:
        say(warning)
    if not made.left_out:
        return ExitCode.FULL_MARKS
    why = "" if layout is Layout.MAIL else ", so that no score is erased"
    say(f"left out{why}: {said_of(made.left_out)}")
    return ExitCode.SHORT_OF_FULL_MARKS


def _export_each(
    book: Results, format_: Format, visibility: platforms.Visibility, output: Path | None
) -> int:
    """One submission to a file or stdout; several to files in a folder."""

    def made(entry: Entry) -> str:
        match format_:
            case Format.GRADESCOPE:
                return _json(platforms.gradescope(entry, visibility))
            case Format.PRAIRIELEARN:
                return _json(platforms.prairielearn(entry, book.folder))
            case _:
                return platforms.autolab(entry)

    if len(book.entries) == 1 and not (output and output.is_dir()):
        return put(made(book.entries[0]), output)
    if output is None or (output.exists() and not output.is_dir()):
        raise InputError(
            f"there are {len(book.entries)} students: choose one with --student, "
            "or give --output a folder"
        )
    suffix = "txt" if format_ is Format.AUTOLAB else "json"
    for entry in book.entries:
        name = entry.id.replace("/", "_").lstrip(".") or "_"
        write_whole(output / f"{name}.{suffix}", made(entry).encode("utf-8"))
    return ExitCode.FULL_MARKS


def put(text: str, output: Path | None) -> int:
    if output is None:
        _write_utf8(text)
    else:
        require_writable(output)
        write_whole(output, text.encode("utf-8"))
    return ExitCode.FULL_MARKS


def _write_utf8(text: str) -> None:
    """To stdout, whatever the terminal's encoding: a file made by `>` is for another program."""
    sys.stdout.flush()
    raw = getattr(sys.stdout, "buffer", None)
    if raw is None:  # not a stream of bytes, as in a test
        sys.stdout.write(text)
    else:
        raw.write(text.encode("utf-8"))
        raw.flush()


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"
