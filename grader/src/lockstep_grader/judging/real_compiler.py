# SPDX-License-Identifier: MIT
"""NVIDIA's compiler on a rung, in addition to clang: what it refuses is wrong in any case."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

from lockstep_grader.confine.sandbox import UNCONFINED, Confinement
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.nvcc_log import nvcc_findings
from lockstep_grader.machine.patience import patience
from lockstep_grader.machine.process import Completed, Limits, Processes
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import CompilerWarning, Finding, FindingKind, Resources
from lockstep_grader.model.text import last_line
from lockstep_grader.toolchain.nvcc import Phase, RungCompiler
from lockstep_grader.toolchain.ptxas import parse_ptxas

# The limits of each of nvcc's programs. Templates without end reach one of the first two; only a
# busy machine reaches the limit on wall-clock time.
_CPU_SECONDS, _MEMORY_BYTES = 30, 4 << 30
_SECONDS = 600


@dataclass(frozen=True, slots=True)
class RealCompiler:
    """What compiles rungs, and the folder of headers that they share."""

    compiler: RungCompiler
    common: Path

    def words(self, architectures: Sequence[str]) -> str:
        """What the key of a result says about it."""
        return " ".join([self.compiler.version, Path(self.compiler.host).name, *architectures])


@dataclass(frozen=True, slots=True)
class Compiled:
    errors: tuple[Finding, ...] = ()
    warnings: tuple[CompilerWarning, ...] = ()
    resources: tuple[Resources, ...] = ()


NOT_COMPILED = Compiled()


def compile_for_gpus(
    real: RealCompiler,
    source: Source,
    architectures: Sequence[str],
    include: Path,
    work: Path,
    processes: Processes,
    confinement: Confinement = UNCONFINED,
    phase: Phase = Phase.RESOURCES,
) -> Compiled:
    """What nvcc says of `source`, for GPUs of all `architectures`; `work` is an empty folder.

    Raises FaultError when nvcc itself fails.
    """
    work.mkdir()
    file = work / source.file_name
    file.write_bytes(source.data)
    argv = real.compiler.command(file, work, [real.common, include], architectures, phase)
    done = processes.run(confinement.compiling(argv, work, include), _limits(), work)
    if done.timed_out:
        raise FaultError(f"nvcc did not end in {_SECONDS} seconds: is the machine busy?")
    errors, warnings = nvcc_findings(done.output, source, architectures)
    if done.returncode == 0:
        return Compiled((), warnings, parse_ptxas(done.output))
    if errors or not source.data:
        return Compiled(errors or (_unexplained(done, source),), warnings)
    # It failed, and named no error: that is the rung's doing if an empty file compiles.
    empty = replace(source, data=b"")
    rest = (architectures, include, work / "empty", processes, confinement, phase)
    if compile_for_gpus(real, empty, *rest).errors:
        raise FaultError(f"nvcc failed: {last_line(done.output) or f'status {done.returncode}'}")
    return Compiled((_unexplained(done, source),), warnings)


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
