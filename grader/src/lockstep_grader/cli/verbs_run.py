# SPDX-License-Identifier: MIT
"""`run` and `debug`: any CUDA program, or a rung, on the emulator; and the options of a program's
compiler.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader.cli.options import FolderOption, OrderOption
from lockstep_grader.intake.catalog import find_target, read_labs
from lockstep_grader.judging.session import Wanted, default_jobs, open_session
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.files import require_writable, write_json
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
from lockstep_grader.student.program.run import (
    Checks,
    Ran,
    Settings,
    build_with_nvcc,
    run_on_gpu,
    run_program,
)

IncludeOption = Annotated[
    list[Path] | None, typer.Option("-I", metavar="DIR", help="Look for headers here, too.")
]
DefineOption = Annotated[
    list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="Define a macro.")
]
StandardOption = Annotated[int, typer.Option(help="The C++ standard: 17, as nvcc, or 20.")]


def compiler_options(
    include: Sequence[Path] | None, define: Sequence[str] | None, std: int
) -> Options:
    """Raises InputError for a standard or a folder that there is not."""
    if std not in STANDARDS:
        raise InputError(f"--std {std}: choose 17 or 20")
    for searched in include or ():
        if not searched.is_dir():
            raise InputError(f"-I {searched}: no such folder")
    return Options(tuple(include or ()), tuple(define or ()), std)


def rung_of_file(workspace: Workspace, file: Path) -> tuple[str, Path] | None:
    """LAB/RUNG and the folder of lab folders, if `file` is a lab's rung: labs/LAB/RUNG.cu."""
    path = file.absolute()
    for lab in read_labs(workspace):
        if lab.id == path.parent.name and path.is_file():
            for rung in lab.rungs:
                if rung.file_name == path.name:
                    return f"{lab.id}/{rung.id}", path.parent.parent
    return None


_SHOWN_LINES = 60  # of a file with counts, the most expensive first


def lab_run(
    ctx: typer.Context,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE.cu... [-- ARGS]", show_default=False)
    ],
    include: IncludeOption = None,
    define: DefineOption = None,
    std: StandardOption = STANDARDS[0],
    seed: OrderOption = 0,
    checks: Annotated[
        Checks, typer.Option(help="memory: no races; none: also no bounds; for speed.")
    ] = Checks.ALL,
    as_written: Annotated[
        bool,
        typer.Option("--as-written", help="Do not optimise kernels: slower, and checks more."),
    ] = False,
    profile: Annotated[
        bool, typer.Option("--profile", help="Show what each kernel costs.")
    ] = False,
    backend: Annotated[
        Backend, typer.Option(help="cpu: the emulator; cuda: nvcc, a GPU and compute-sanitizer.")
    ] = Backend.CPU,
    timeout: Annotated[
        float | None, typer.Option(min=0.1, help="End the program after so many seconds.")
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write findings and counts as JSON.")] = None,
) -> int:
    """Run any CUDA program on the emulator, without a GPU, with every check."""
    check_files(files)
    options = compiler_options(include, define, std)
    options = replace(options, is_checked=profile or checks is not Checks.NONE, is_counted=profile)
    options = replace(options, is_optimised=not as_written)
    if as_written and (profile or backend is Backend.CUDA):
        other = "--profile" if profile else "--backend cuda"
        raise InputError(f"--as-written and {other} exclude each other: leave one of them out")
    if json:
        require_writable(json)
    arguments: list[str] = ctx.meta["program_arguments"]
    console = make_console(stderr=True)
    on_gpu = backend is Backend.CUDA
    steps = {} if on_gpu else program_steps(Workspace.from_environment(), default_jobs())
    with tempfile.TemporaryDirectory(prefix="lockstep-") as folder:
        work = Path(folder)
        try:
            if on_gpu:
                program = build_with_nvcc(files, options, work)
            else:
                program = build_program(steps, files, options, work, default_jobs())
        except BuildError as error:
            report.print_build_error(console, files, error)
            if json:
                write_json(
                    json, report.run_json(files, backend, Ran(None, (error.finding,), ("",)))
                )
            return ExitCode.SHORT_OF_FULL_MARKS
        settings = Settings(seed, checks, profile, timeout)
        if on_gpu:
            ran = run_on_gpu(program, arguments, settings, work, files[0].name)
        else:
            ran = run_program(program, arguments, settings, work, name=files[0].stem)
    ran = report.named(files, ran)
    report.print_run(console, files, ran)
    if profile:
        report.print_counts(console, files, ran, _SHOWN_LINES)
    if json:
        write_json(json, report.run_json(files, backend, ran))
    return ran.exit_code


def lab_debug(
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
