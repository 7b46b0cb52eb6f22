# SPDX-License-Identifier: MIT
"""The verb `run`."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from lockstep_grader.cli.options import OrderOption
from lockstep_grader.cli.program_options import (
    AfterDashes,
    DefineOption,
    IncludeOption,
    StandardOption,
    compiler_options,
)
from lockstep_grader.judging.session import default_jobs
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.files import require_writable, write_json
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode, InputError
from lockstep_grader.model.grades import Backend
from lockstep_grader.student.program import report
from lockstep_grader.student.program.build import (
    STANDARDS,
    BuildError,
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

_SHOWN_LINES = 60  # of a file with counts, the most expensive first


def add_to(app: typer.Typer) -> None:
    app.command("run", cls=AfterDashes)(run)


def run(
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
