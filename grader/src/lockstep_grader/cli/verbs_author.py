# SPDX-License-Identifier: MIT
"""The verbs of authors: a lab written, proved and handed out, and the project's own tests."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from lockstep_grader.author.lint import lint, print_verdicts
from lockstep_grader.author.mutant_edit import (
    diff_of,
    edit_mutant,
    find_mutant,
    new_mutant,
    run_editor,
    submission_of,
)
from lockstep_grader.author.new import lab_names, scaffold
from lockstep_grader.author.release.make import release
from lockstep_grader.cli.options import (
    BackendChoice,
    BackendOption,
    JobsOption,
    SanitizerOption,
    SeedOption,
)
from lockstep_grader.intake.catalog import find_lab, find_target, read_labs
from lockstep_grader.judging.session import Wanted, default_jobs, open_session
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.errors import ExitCode, InputError
from lockstep_grader.model.grades import Lab, Rung
from lockstep_grader.model.text import visible


def lab_new(
    lab_id: Annotated[str, typer.Argument(metavar="NN-SLUG")],
    more: Annotated[list[str] | None, typer.Argument(metavar="RUNG", hidden=True)] = None,
    title: Annotated[str, typer.Option(help="Default: the slug, in words.")] = "",
    rungs: Annotated[
        list[str] | None, typer.Option(metavar="RUNG...", help="Techniques, in order.")
    ] = None,
) -> int:
    """Scaffold a lab; `lint` then names what is left to write."""
    workspace = Workspace.from_environment()
    if not workspace.solutions.is_dir():
        raise InputError("this is a students' copy: write labs in the whole repository")
    names = lab_names(workspace, lab_id, title, [*(rungs or []), *(more or [])] or ["simple"])
    for file in scaffold(workspace, names):
        print(workspace.shown(file))
    print(f"next: write what TODO(author) asks for; ./lab lint {names.id} says what is left")
    return ExitCode.FULL_MARKS


def lab_release(
    output: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write.")],
    lab: Annotated[
        list[str] | None,
        typer.Option("--lab", metavar="LAB", help="Only this lab; repeatable. Default: all."),
    ] = None,
    zipped: Annotated[bool, typer.Option("--zip", help="Write DIR.zip next to it, too.")] = False,
    checkpoint: Annotated[
        list[str] | None,
        typer.Option(metavar="LAB/RUNG", help="With this rung's solution; repeatable."),
    ] = None,
    last_hint_waits: Annotated[
        bool,
        typer.Option("--last-hint-waits", help="A rung's last hint opens after a failed check."),
    ] = False,
) -> int:
    """Make the students' copy: no solutions, no mutants, no instructors' pages."""
    workspace = Workspace.from_environment()
    labs = read_labs(workspace)
    wanted = {find_lab(labs, name).id for name in lab or [each.id for each in labs]}
    chosen = [each for each in labs if each.id in wanted]
    checkpoints = [_checkpoint(labs, name) for name in checkpoint or []]
    for each, _ in checkpoints:
        if each not in chosen:
            raise InputError(f"a checkpoint of {each.id} comes with its lab: add --lab {each.id}")
    made = release(
        workspace,
        labs,
        chosen,
        output,
        zipped=zipped,
        checkpoints=checkpoints,
        last_hint_waits=last_hint_waits,
    )
    for note in made.notes:
        say(f"note: {note}")
    names = ", ".join(each.id for each in chosen)
    print(f"{output}: {made.num_files} files, as of {made.date}, with {names}")
    if made.archive:
        print(f"{made.archive}: the same, packed")
    return ExitCode.FULL_MARKS


def _checkpoint(labs: Sequence[Lab], name: str) -> tuple[Lab, Rung]:
    lab, rungs = find_target(labs, name)
    if len(rungs) != 1:
        raise InputError(f"--checkpoint {name} names a lab; name one rung: {lab.id}/RUNG")
    return lab, rungs[0]


_STYLES = {"+": "green", "-": "red", "@": "cyan"}


class Action(StrEnum):
    SHOW = "show"
    DIFF = "diff"
    EDIT = "edit"


def lab_mutant(
    action: Annotated[
        Action,
        typer.Argument(
            help="show the whole source, its diff to the solution, or edit it in $VISUAL or $EDITOR"
        ),
    ],
    name: Annotated[str, typer.Argument(metavar="[LAB/]NAME")],
    of: Annotated[
        str,
        typer.Option(metavar="LAB/RUNG", help="edit: make a new mutant of this rung's solution."),
    ] = "",
) -> int:
    """Show, compare or edit a wrong submission that lint catches."""
    workspace = Workspace.from_environment()
    if not workspace.solutions.is_dir():
        raise InputError("this is a students' copy: it has no mutants")
    labs = read_labs(workspace)
    if of and action is not Action.EDIT:
        raise InputError(f"--of makes a new mutant: ./lab mutant edit {name} --of {of}")
    if of:
        written = new_mutant(workspace, labs, name, of, run_editor)
    else:
        place = find_mutant(workspace, labs, name)
        if action is Action.SHOW:
            sys.stdout.write(submission_of(workspace, place))
            return ExitCode.FULL_MARKS
        if action is Action.DIFF:
            _print_diff(diff_of(workspace, place))
            return ExitCode.FULL_MARKS
        written = edit_mutant(workspace, place, run_editor)
    print(workspace.shown(written) if written else f"{name}: not changed, so nothing was written")
    return ExitCode.FULL_MARKS


def _print_diff(lines: list[str]) -> None:
    console = make_console()
    for number, line in enumerate(lines):
        style = "bold" if number < 2 else _STYLES.get(line[:1], "")  # 2: the names of the files
        console.print(Text(visible(line), style), soft_wrap=True)


def lab_lint(
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


def lab_test(
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="SECTION", help="Run only this section; repeatable."),
    ] = None,
    files: Annotated[
        list[Path] | None,
        typer.Option("--file", metavar="FILE", help="Of pytest, run only this file; repeatable."),
    ] = None,
    thorough: Annotated[
        bool, typer.Option("--thorough", help="Also what is tested by a sample otherwise.")
    ] = False,
    show: Annotated[bool, typer.Option("--list", help="List the sections and stop.")] = False,
    jobs: JobsOption = None,
) -> int:
    """Run the project's own tests."""
    from lockstep_grader.author.selftest.runner import (
        Context,
        ensure_tools,
        make_strict,
        run_sections,
    )
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
    test_files = [file.absolute() for file in files or ()]
    thorough = thorough or bool(test_files)
    ensure_tools(workspace, sections, thorough)
    workspace = make_strict(workspace)
    context = Context(workspace, make_console(), jobs or default_jobs(), test_files, thorough)
    total = run_sections(context, sections)
    return ExitCode.SHORT_OF_FULL_MARKS if total.failed else ExitCode.FULL_MARKS
