# SPDX-License-Identifier: MIT
"""What is judged, one rung of one submission; and with what: the setup that all jobs share."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from lockstep_grader.confine.sandbox import UNCONFINED, Confinement, Sandbox
from lockstep_grader.intake.submission import Source
from lockstep_grader.machine.gpus import GpuPool
from lockstep_grader.machine.process import Processes
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Backend, Finding, FindingKind, Judgement, Lab, Rung
from lockstep_grader.model.measures import COMPILER_MEASURES
from lockstep_grader.toolchain.description import LabTools, Toolchain
from lockstep_grader.toolchain.nvcc import Phase, RungCompiler, Sanitizer


@dataclass(frozen=True, slots=True)
class Setup:
    workspace: Workspace
    toolchain: Toolchain
    processes: Processes
    seed: int | None = None  # of all inputs; None: a secret one for each run
    confinement: Confinement = UNCONFINED
    nvcc: RungCompiler | None = None  # what compiles rungs in addition to clang
    gpus: GpuPool = field(default_factory=lambda: GpuPool((), 1))
    sanitizer: Sanitizer | None = None  # judges cleanliness on cuda
    reserved: frozenset[str] = frozenset()  # headers in `headers` that come with some labs only
    is_background: bool = False  # gives way to other programs, such as one that measures

    @property
    def backend(self) -> Backend:
        return self.toolchain.backend

    @property
    def headers(self) -> Path:
        """The folder of CUDA headers that all labs share."""
        return self.workspace.root / "common" / "cuda"

    def check_gpu(self, rung: Rung) -> None:
        """Raises FaultError for a rung that this machine's GPU cannot run."""
        gpu = self.toolchain.gpu
        if problem := rung.gpu_problem(gpu) if gpu else "":
            raise FaultError(f"{rung.id} needs {problem}: use --backend cpu")

    def of(self, lab: Lab, rung: Rung) -> "RungSetup":
        """Headers that come with other labs are hidden from the rung, and so are libraries."""
        confinement = self.confinement
        if isinstance(confinement, Sandbox):
            hidden = sorted(self.reserved - set(lab.headers))
            confinement = replace(
                confinement,
                hidden=tuple(self.headers / name for name in hidden),
                shows_libraries=rung.uses_libraries,
            )
        return RungSetup(self, self.toolchain.lab(lab.id), confinement, rung.uses_libraries)


@dataclass(frozen=True, slots=True)
class RungSetup:
    """The setup for one rung of a lab."""

    whole: Setup
    tools: LabTools
    confinement: Confinement
    may_use_libraries: bool = False


@dataclass(frozen=True, slots=True)
class Awaited:
    """The finding that a proof needs: once the judge has reported it, it skips the other tests."""

    kinds: frozenset[FindingKind] = frozenset()  # any of these; none: every test runs
    line: int = 0  # that such a finding names; 0: any
    message: str = ""  # part of its message, or of a failed test's

    def arguments(self) -> list[str]:
        if not self.kinds:
            return []
        kinds = [f"--seek-kind={kind}" for kind in sorted(self.kinds)]
        line = [f"--seek-line={self.line}"] if self.line else []
        message = [f"--seek-message={self.message}"] if self.message else []
        return [*kinds, *line, *message]


EVERY_TEST = Awaited()


@dataclass(frozen=True, slots=True)
class Job:
    submission: str
    lab: Lab
    rung: Rung
    read: Callable[[], Source | Finding]  # called once, when the job's turn comes
    awaited: Awaited = EVERY_TEST
    nvcc: Phase | None = Phase.RESOURCES  # how far nvcc compiles it, where there is one
    shards: int = 1  # judges that share the tests on the cpu backend, for one waiting person
    # Gets the judgement before nvcc is asked, which takes longer than all the rest: a person waits.
    tell: Callable[[Judgement], None] | None = None

    @property
    def phase(self) -> Phase | None:
        """`nvcc`; but a budget of registers needs them in any case."""
        is_gated = any(gate.name in COMPILER_MEASURES for gate in self.rung.budget)
        return Phase.RESOURCES if self.nvcc is Phase.ERRORS and is_gated else self.nvcc
