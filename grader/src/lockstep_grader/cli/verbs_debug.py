# SPDX-License-Identifier: MIT
"""The verb `debug`."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader.cli.after_dashes import AfterDashes
from lockstep_grader.judging.session import default_jobs
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode, InputError
from lockstep_grader.student.debug.start import find_gdb, for_debugging, run_gdb
from lockstep_grader.student.program import report
from lockstep_grader.student.program.build import (
    STANDARDS,
    BuildError,
    Options,
    build_program,
    check_files,
)
from lockstep_grader.student.program.run import Checks
from lockstep_grader.student.program.tools import program_steps


def add_to(app: typer.Typer) -> None:
    app.command("debug", cls=AfterDashes)(debug)


def debug(
    ctx: typer.Context,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE.cu... [-- ARGS]", show_default=False)
    ],
    include: Annotated[
        list[Path] | None, typer.Option("-I", metavar="DIR", help="Look for headers here, too.")
    ] = None,
    define: Annotated[
        list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="Define a macro.")
    ] = None,
    std: Annotated[int, typer.Option(help="The C++ standard: 17, as nvcc, or 20.")] = 17,
    seed: Annotated[
        int, typer.Option(min=0, max=2**64 - 1, help="Another order of threads; 0: the natural.")
    ] = 0,
    checks: Annotated[
        Checks, typer.Option(help="memory: no races; none: also no bounds.")
    ] = Checks.ALL,
    execute: Annotated[
        list[str] | None,
        typer.Option("-ex", metavar="COMMAND", help="A command for gdb; repeatable."),
    ] = None,
    batch: Annotated[
        bool, typer.Option("--batch", help="End after the commands of -ex, without a prompt.")
    ] = False,
    interpreter: Annotated[
        str, typer.Option(help="gdb's --interpreter, for editors: mi2, mi3.")
    ] = "",
) -> int:
    """Step through a CUDA program in gdb, thread by thread, without a GPU."""
    check_files(files)
    if std not in STANDARDS:
        raise InputError(f"--std {std}: choose 17 or 20")
    for searched in include or ():
        if not searched.is_dir():
            raise InputError(f"-I {searched}: no such folder")
    gdb = find_gdb()
    workspace = Workspace.from_environment()
    steps = for_debugging(program_steps(workspace, default_jobs()))
    options = Options(tuple(include or ()), tuple(define or ()), std)
    of_gdb = ["-batch", "-nx"] if batch else []
    of_gdb += [f"--interpreter={interpreter}"] if interpreter else []
    for command in execute or ():
        of_gdb += ["-ex", command]
    with tempfile.TemporaryDirectory(prefix="lockstep-") as folder:
        work = Path(folder)
        try:
            program = build_program(steps, files, options, work, default_jobs())
        except BuildError as error:
            report.print_build_error(make_console(stderr=True), files, error)
            return ExitCode.SHORT_OF_FULL_MARKS
        common = workspace.root.resolve() / "common"
        arguments: list[str] = ctx.meta["program_arguments"]
        return run_gdb(gdb, program, arguments, of_gdb, common, seed, checks)
