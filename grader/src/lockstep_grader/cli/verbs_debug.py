# SPDX-License-Identifier: MIT
"""The verb `debug`."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader.cli.after_dashes import AfterDashes
from lockstep_grader.cli.compiler_options import (
    DefineOption,
    IncludeOption,
    StandardOption,
    compiler_options,
)
from lockstep_grader.cli.options import FolderOption, OrderOption
from lockstep_grader.cli.rung_files import rung_of_file
from lockstep_grader.intake.catalog import find_target, read_labs
from lockstep_grader.judging.session import default_jobs, open_session_for
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode, InputError
from lockstep_grader.model.grades import Backend
from lockstep_grader.student.debug.rung import build_worker, judged
from lockstep_grader.student.debug.start import for_debugging, run_gdb
from lockstep_grader.student.program import report
from lockstep_grader.student.program.build import (
    STANDARDS,
    BuildError,
    build_program,
    check_files,
)
from lockstep_grader.student.program.run import Checks
from lockstep_grader.student.program.tools import program_steps
from lockstep_grader.toolchain.debugger import find_gdb


def add_to(app: typer.Typer) -> None:
    app.command("debug", cls=AfterDashes)(debug)


def debug(
    ctx: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(metavar="LAB/RUNG | FILE.cu... [-- ARGS]", show_default=False),
    ],
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
        typer.Option("-ex", metavar="COMMAND", help="A command for gdb; repeatable."),
    ] = None,
    batch: Annotated[
        bool, typer.Option("--batch", help="End after the commands of -ex, without a prompt.")
    ] = False,
    interpreter: Annotated[
        str, typer.Option(help="gdb's --interpreter, for editors: mi2, mi3.")
    ] = "",
    editors_command: Annotated[
        str,
        typer.Option(
            "--editors-command",
            metavar="TEXT",
            help="Ignored: the debugger that an editor would start without this one.",
            hidden=True,
        ),
    ] = "",
) -> int:
    """Step through a rung or a CUDA program in gdb, thread by thread, without a GPU."""
    of_gdb = ["-batch", "-nx"] if batch else []
    of_gdb += [f"--interpreter={interpreter}"] if interpreter else []
    for command in execute or ():
        of_gdb += ["-ex", command]
    del editors_command
    workspace = Workspace.from_environment()
    named = rung_of_file(workspace, files[0]) if len(files) == 1 else None
    if named or (len(files) == 1 and not files[0].suffix):
        if include or define or std != STANDARDS[0] or seed or checks is not Checks.ALL:
            raise InputError(
                "-I, -D, --std, --seed and --checks go with a program, not with a rung"
            )
        target, rungs_folder = named or (str(files[0]), from_)
        return _debug_rung(target, rungs_folder, size, of_gdb)
    check_files(files)
    options = compiler_options(include, define, std)
    gdb = find_gdb()
    steps = for_debugging(program_steps(workspace, default_jobs()))
    with tempfile.TemporaryDirectory(prefix="lockstep-") as folder:
        work = Path(folder)
        try:
            program = build_program(steps, files, options, work, default_jobs())
        except BuildError as error:
            report.print_build_error(make_console(stderr=True), files, error)
            return ExitCode.SHORT_OF_FULL_MARKS
        common = workspace.root.resolve() / "common"
        arguments: list[str] = ctx.meta["program_arguments"]
        return run_gdb(gdb, program, arguments, of_gdb, common, files[0].absolute(), seed, checks)


def _debug_rung(target: str, from_: Path | None, size: int, of_gdb: list[str]) -> int:
    workspace = Workspace.from_environment()
    lab, rungs = find_target(read_labs(workspace), target)
    if "/" not in target.removeprefix("labs/").strip("/"):
        raise InputError(f"debug needs a rung, as in {lab.id}/{rungs[0].id}, or a .cu file")
    folder, rung = from_ or workspace.labs, rungs[0]
    source = folder.resolve() / lab.id / rung.file_name
    if not source.is_file():
        raise InputError(f"{source}: no such file")
    gdb = find_gdb()
    session = open_session_for(folder, workspace, Backend.CPU, use_sandbox=False, labs=[lab.id])
    tools = session.toolchain.lab(lab.id)
    common = workspace.root.resolve() / "common"
    with tempfile.TemporaryDirectory(prefix="lockstep-") as name:
        work = Path(name)
        try:
            worker = build_worker(session.toolchain, tools, source, work)
        except BuildError as error:
            report.print_build_error(make_console(stderr=True), [source], error)
            return ExitCode.SHORT_OF_FULL_MARKS
        with judged(tools.judge, rung.id, worker, size, work) as before:
            return run_gdb(gdb, worker, [], of_gdb, common, source, before=before)
