# SPDX-License-Identifier: MIT
"""All that judging needs and does not change: one configuration, which every stage reads."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from lockstep_grader.confine.sandbox import UNCONFINED, Confinement, Sandbox
from lockstep_grader.machine.gpus import GpuPool
from lockstep_grader.machine.process import Processes
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend, Lab
from lockstep_grader.toolchain.description import LabTools, Toolchain
from lockstep_grader.toolchain.nvcc import RungCompiler, Sanitizer


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

    def of(self, lab: Lab) -> "LabSetup":
        """Headers that come with other labs are hidden from the lab's rungs."""
        confinement = self.confinement
        if isinstance(confinement, Sandbox):
            hidden = sorted(self.reserved - set(lab.headers))
            confinement = replace(confinement, hidden=tuple(self.headers / name for name in hidden))
        return LabSetup(self, self.toolchain.lab(lab.id), confinement)


@dataclass(frozen=True, slots=True)
class LabSetup:
    """The setup for rungs of one lab."""

    whole: Setup
    tools: LabTools
    confinement: Confinement
