# SPDX-License-Identifier: MIT
"""NVIDIA's compiler on a rung, in addition to clang: what it refuses is wrong in any case."""

from dataclasses import dataclass
from math import ceil
from pathlib import Path

from lockstep_grader.intake.submission import Source
from lockstep_grader.machine.process import Completed, Limits, patience
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import (
    CompilerWarning,
    Finding,
    FindingKind,
    Resources,
    Rung,
)
from lockstep_grader.model.text import last_line
from lockstep_grader.request.job import RungSetup
from lockstep_grader.toolchain.nvcc import Phase, parse_ptxas
from lockstep_grader.words.nvcc_log import nvcc_findings

# The limits of each of nvcc's programs. Templates without end reach one of the first two; only a
# busy machine reaches the limit on wall-clock time.
_CPU_SECONDS, _MEMORY_BYTES = 30, 4 << 30
_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Compiled:
    errors: tuple[Finding, ...] = ()
    warnings: tuple[CompilerWarning, ...] = ()
    resources: tuple[Resources, ...] = ()


NOT_COMPILED = Compiled()


def compile_for_gpus(
    setup: RungSetup, rung: Rung, source: Source, work: Path, phase: Phase
) -> Compiled:
    """What nvcc says of `source`, for all GPUs of the rung; `work` is a folder to make.

    Raises FaultError when nvcc itself fails.
    """
    nvcc, include = setup.whole.nvcc, setup.tools.include
    if nvcc is None:
        return NOT_COMPILED

    def compiled(data: bytes, folder: Path) -> Completed:
        folder.mkdir()
        file = folder / source.file_name
        file.write_bytes(data)
        argv = nvcc.command(file, folder, [setup.whole.headers, include], rung.architectures, phase)
        confined = setup.confinement.compiling(argv, folder, include)
        done = setup.whole.processes.run(confined, _limits(), folder)
        if done.timed_out:
            raise FaultError(f"nvcc did not end in {_SECONDS} seconds: is the machine busy?")
        return done

    done = compiled(source.data, work)
    errors, warnings = nvcc_findings(done.output, source, rung.architectures)
    if done.returncode == 0:
        return Compiled((), warnings, parse_ptxas(done.output))
    # If it failed and named no error, that is the rung's doing where an empty file compiles.
    if not errors and compiled(b"", work / "empty").returncode:
        raise FaultError(f"nvcc failed: {last_line(done.output) or f'status {done.returncode}'}")
    return Compiled(errors or (_unexplained(done, source),), warnings)


def _unexplained(done: Completed, source: Source) -> Finding:
    said = last_line(done.output) or f"status {done.returncode}"
    return Finding(
        FindingKind.COMPILE_ERROR,
        f"nvcc ends without naming an error ({said}); it may use {_limits().cpu_seconds} s and "
        f"{_MEMORY_BYTES >> 30} GiB: do templates, constants or arrays grow without end?",
        source.file_name,
    )


def _limits() -> Limits:
    cpu_seconds = ceil(_CPU_SECONDS * patience())
    return Limits(
        _SECONDS, _MEMORY_BYTES, file_bytes=256 << 20, output_bytes=1 << 20, cpu_seconds=cpu_seconds
    )
