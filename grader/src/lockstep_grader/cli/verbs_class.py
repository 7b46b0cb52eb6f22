# SPDX-License-Identifier: MIT
"""`class`: from the platform's download to its gradebook, by what course.toml says."""

import csv
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from lockstep_grader.cli.options import BackendChoice, BackendOption, JobsOption, SandboxOption
from lockstep_grader.grading.grade_class import ClassRequest, grade_class
from lockstep_grader.intake.archives import Spool
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.intake.roster import Roster, read_roster
from lockstep_grader.intake.take import take_in
from lockstep_grader.judging.session import Wanted
from lockstep_grader.machine.csv_rows import read_rows
from lockstep_grader.machine.files import write_whole
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode, InputError
from lockstep_grader.model.grades import Backend, Lab
from lockstep_grader.model.text import count_of
from lockstep_grader.results.export import gradebooks, table
from lockstep_grader.results.export.words import said_of
from lockstep_grader.results.graded import Results, read_results
from lockstep_grader.results.regrade import Regrade
from lockstep_grader.toolchain.installers import require_packages

if TYPE_CHECKING:
    from lockstep_grader.intake.coursefile import CourseFile

FILE, GRADES, IMPORT = "course.toml", "grades.csv", "import.csv"


_NO_RESULTS = Results(Backend.CPU, "", "", (), Path())


class _Course(NamedTuple):
    """What the folder holds."""

    folder: Path
    rules: "CourseFile"
    request: ClassRequest
    gradebook: Path | None


def lab_class(
    course: Annotated[
        Path, typer.Argument(metavar="COURSE", help="A folder with course.toml (docs/course.md).")
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Only read everything, and say what would be done.")
    ] = False,
    backend: BackendOption = BackendChoice.AUTO,
    jobs: JobsOption = None,
    sandbox: SandboxOption = True,
) -> int:
    """Grade a class, from the platform's download to its gradebook, by COURSE/course.toml."""
    require_packages()
    workspace = Workspace.from_environment()
    labs = read_labs(workspace)
    found = _found(course, labs)
    for line in _first_look(found, labs):
        say(line)
    if check:
        return ExitCode.FULL_MARKS
    wanted = Wanted(backend.backend, jobs, sandbox=sandbox, confined=sandbox, await_nvcc=True)
    status = grade_class(found.request, workspace, labs, wanted)
    book = read_results(found.request.results)
    book = book.marked(found.rules.course(book.entries))
    return _written(found, book, labs) or status


def _found(folder: Path, labs: Sequence[Lab]) -> _Course:
    """Raises InputError with all mistakes of the course file, or naming what is not there."""
    from lockstep_grader.intake.coursefile import CourseFile  # needs pydantic

    if not (folder / FILE).is_file():
        raise InputError(f"{folder} has no {FILE}; docs/course.md shows one, with a table [class]")
    rules = CourseFile(folder / FILE, labs)
    rules.check_places()
    rules.require_right()
    place = rules.handing_in
    gradebook = folder / place.gradebook if place.gradebook else None
    roster = folder / (place.roster or place.gradebook) if place.roster or gradebook else None
    request = ClassRequest(
        path=folder / place.submissions,
        only=tuple(lab for lab in labs if lab.id in rules.labs),
        roster=read_roster(roster) if roster else Roster(),
        regrade=Regrade(),
        results=folder / place.results,
        json=None,
    )
    return _Course(folder, rules, request, gradebook)


def _first_look(found: _Course, labs: Sequence[Lab]) -> Iterator[str]:
    """What there is to grade, and what looks wrong. Raises InputError before anything is judged."""
    request = found.request
    with tempfile.TemporaryDirectory(prefix="lockstep-class-") as temp:
        taken = take_in(request.path, labs, request.only, request.roster, Spool(Path(temp)))
    course = found.rules.course(taken.submissions)
    if found.gradebook:
        _filled(_NO_RESULTS, found.gradebook)
    handed_in = [each for each in taken.submissions if not each.is_missing]
    graded = ", ".join(dict.fromkeys(lab.id for each in handed_in for lab in each.labs))
    yield f"{count_of(len(handed_in), 'submission')} to grade on {graded or 'no lab'}"
    yield from taken.warnings
    yield from found.rules.warnings(course)
    is_timed = course.hand_ins or any(each.handed_in or each.is_late for each in handed_in)
    if any(lab.deadline for lab in course.labs.values()) and not is_timed:
        yield "no submission has a time or is marked as late, so none is late: see hand_in"
    if missing := [each.id for each in taken.submissions if each.is_missing]:
        yield f"handed in nothing: {', '.join(missing)}"
    for each in handed_in:
        for said in filter(None, (each.problem, each.fault, each.dispute, *each.notes)):
            yield f"{each.id}: {said}"


def _written(found: _Course, book: Results, labs: Sequence[Lab]) -> ExitCode:
    """Writes the pages, the table and the gradebook; says what changed since the last table."""
    from lockstep_grader.pages.report.write import write_report

    disputed = {each.id for each in book.entries if each.dispute}
    kept = replace(book, entries=tuple(each for each in book.entries if each.id not in disputed))
    made = _filled(kept, found.gradebook) if found.gradebook else None
    grades = found.folder / GRADES
    before, now = _rows(grades), table.students(kept)
    page = write_report(
        book, labs, found.request.results / "report", anonymous=True, similarity=None
    )
    write_whole(grades, now.encode())
    for line in _changes(before, _rows(grades), [lab for lab, _ in book.labs]):
        print(line)
    say(f"pages: {page}; table: {grades}")
    if disputed:
        say(f"left out, as it is not clear whose they are: {', '.join(sorted(disputed))}")
    if made:
        write_whole(found.folder / IMPORT, made.text.encode())
        for warning in made.warnings:
            say(warning)
        if made.left_out:
            say(f"left out, so that no score is erased: {said_of(made.left_out)}")
        say(f"to upload into the gradebook: {found.folder / IMPORT}")
    is_whole = not disputed and not (made and made.left_out)
    return ExitCode.FULL_MARKS if is_whole else ExitCode.SHORT_OF_FULL_MARKS


def _filled(book: Results, gradebook: Path) -> table.Import:
    """Moodle's worksheet or Canvas's gradebook with the points. Raises InputError for another."""
    rows = read_rows(gradebook)
    if "Student" in rows[0][1]:
        return gradebooks.canvas(book, gradebooks.roster_of(rows, str(gradebook)))
    return gradebooks.worksheet(book, gradebook)


def _rows(file: Path) -> Mapping[str, Mapping[str, str]]:
    """The rows of a table that we wrote, by id; none where there is none."""
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            return {row.get("id", ""): row for row in csv.DictReader(stream)}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{file} cannot be read: {error}; move it away, and run again") from error


def _changes(
    before: Mapping[str, Mapping[str, str]],
    now: Mapping[str, Mapping[str, str]],
    labs: Sequence[str],
) -> Iterator[str]:
    """A line for each student and lab whose points differ."""
    if not before:
        return
    yield "since the last export:"
    changed = [
        f"  {who}  {lab}: {old or 'nothing'} -> {new or 'nothing'}"
        for who in dict.fromkeys([*before, *now])
        for lab in labs
        if (old := before.get(who, {}).get(lab) or "") != (new := now.get(who, {}).get(lab) or "")
    ]
    yield from changed or ["  nothing changed"]
