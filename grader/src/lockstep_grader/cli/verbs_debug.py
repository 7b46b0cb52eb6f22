# SPDX-License-Identifier: MIT
"""The verb `debug`."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader.cli.options import FolderOption, OrderOption
from lockstep_grader.cli.program_options import (
    AfterDashes,
    DefineOption,
    IncludeOption,
    StandardOption,
    compiler_options,
    rung_of_file,
)
from lockstep_grader.intake.catalog import find_target, read_labs
from lockstep_grader.judging.session import Wanted, default_jobs, open_session
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode, InputError
from lockstep_grader.model.grades import Backend
from lockstep_grader.student.debug.adapter import run_adapter
from lockstep_grader.student.debug.session import Session
from lockstep_grader.student.debug.target import Target, build_rung, program_target
from lockstep_grader.student.debug.terminal import run_terminal
from lockstep_grader.student.program import report
from lockstep_grader.student.program.build import (
    STANDARDS,
    BuildError,
    Options,
    build_program,
    check_files,
    program_steps,
)
from lockstep_grader.student.program.run import Checks


def add_to(app: typer.Typer) -> None:
    app.command("debug", cls=AfterDashes)(debug)


def debug(
    ctx: typer.Context,
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="LAB/RUNG | FILE.cu... [-- ARGS]", show_default=False),
    ] = None,
    include: IncludeOption = None,
    define: DefineOption = None,
    std: StandardOption = STANDARDS[0],
    seed: OrderOption = 0,
    checks: Annotated[
        Checks, typer.Option(help="memory: no races; none: also no bounds.")
    ] = Checks.ALL,
    from_: FolderOption = None,
    size: Annotated[
        int, typer.Option(min=1, max=1 << 20, help="Of a rung's call: its items.")
    ] = 1000,
    execute: Annotated[
        list[str] | None,
        typer.Option("-ex", metavar="COMMAND", help="A command to begin with; repeatable."),
    ] = None,
    batch: Annotated[
        bool, typer.Option("--batch", help="End after the commands of -ex, without a prompt.")
    ] = False,
    dap: Annotated[
        bool, typer.Option("--dap", help="Speak the Debug Adapter Protocol, for editors.")
    ] = False,
) -> int:
    """Step through a rung or a CUDA program, thread by thread, without a GPU."""
    options = compiler_options(include, define, std)
    is_rung_like = (include, define, std, seed, checks) == (None, None, STANDARDS[0], 0, Checks.ALL)
    arguments: list[str] = ctx.meta["program_arguments"]

    def target_of(named: list[Path], words: list[str], work: Path) -> Target:
        workspace = Workspace.from_environment()
        found = rung_of_file(workspace, named[0]) if len(named) == 1 else None
        if found or (len(named) == 1 and not named[0].suffix):
            if not is_rung_like:
                raise InputError(
                    "-I, -D, --std, --seed and --checks go with a program, not with a rung"
                )
            target, rungs_folder = found or (str(named[0]), from_)
            return _rung(workspace, target, rungs_folder, size, work)
        return _program(workspace, named, options, work, (words, seed, checks))

    with tempfile.TemporaryDirectory(prefix="lockstep-") as folder:
        work = Path(folder)
        if dap:
            return run_adapter(lambda file, words: target_of([file], words, work), files or [])
        if not files:
            raise InputError("debug needs a rung, as in 01-reduction/02_interleaved, or a .cu file")
        try:
            target = target_of(files, arguments, work)
        except BuildError as error:
            report.print_build_error(make_console(stderr=True), files, error)
            return ExitCode.SHORT_OF_FULL_MARKS
        return run_terminal(Session(target), execute or (), batch)


def _program(
    workspace: Workspace,
    files: list[Path],
    options: Options,
    work: Path,
    settings: tuple[list[str], int, Checks],
) -> Target:
    arguments, seed, checks = settings
    check_files(files)
    steps = program_steps(workspace, default_jobs())
    written = replace(options, is_optimised=False)
    program = build_program(steps, files, written, work, default_jobs())
    return program_target(program, arguments, sorted(work.glob("*.ptx")), seed, checks)


def _rung(workspace: Workspace, target: str, from_: Path | None, size: int, work: Path) -> Target:
    lab, rungs = find_target(read_labs(workspace), target)
    if "/" not in target.removeprefix("labs/").strip("/"):
        raise InputError(f"debug needs a rung, as in {lab.id}/{rungs[0].id}, or a .cu file")
    folder, rung = from_ or workspace.labs, rungs[0]
    source = folder.resolve() / lab.id / rung.file_name
    if not source.is_file():
        raise InputError(f"{source}: no such file")
    wanted = Wanted(Backend.CPU, sandbox=False, labs=[lab.id])
    session = open_session(workspace, wanted)
    return build_rung(
        session.toolchain, session.toolchain.lab(lab.id), rung.id, (source, size), work
    )
