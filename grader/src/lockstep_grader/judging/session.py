# SPDX-License-Identifier: MIT
"""What the judging verbs share: a backend set up and built, and its judge at hand."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lockstep_grader.confine.memory_group import use_memory_group
from lockstep_grader.confine.sandbox import UNCONFINED, Confinement, Sandbox, find_sandbox
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.judging.rung import RungJudge
from lockstep_grader.machine.gpus import GpuPool, find_gpus, queue_of_machine
from lockstep_grader.machine.process import Processes, is_off, patience
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Backend
from lockstep_grader.observe.observer import emulator_file
from lockstep_grader.request.job import Setup
from lockstep_grader.toolchain import system
from lockstep_grader.toolchain.description import (
    Toolchain,
    build_backend,
    judge_target,
    read_toolchain,
)
from lockstep_grader.toolchain.nvcc import (
    SANITIZER_ADVICE,
    NoRungCompiler,
    Sanitizer,
    find_sanitizer,
)
from lockstep_grader.toolchain.nvcc_setup import finish_fetching, rung_compiler_here

_JUDGES_CLEANLINESS = {  # by whether the emulator is asked
    True: "so only the emulator judges cleanliness",
    False: "so cleanliness is not judged",
}
_ALL_LABS = ("lockstep",)
_RUNGS_A_CORE = {Backend.CPU: 1, Backend.CUDA: 2}  # while one waits for the GPU, another compiles
SANDBOX_VARIABLE = "LOCKSTEP_SANDBOX"


@dataclass(frozen=True, slots=True)
class Session:
    judge: RungJudge
    jobs: int  # how many rungs are worked on at once

    @property
    def setup(self) -> Setup:
        return self.judge.setup

    @property
    def toolchain(self) -> Toolchain:
        return self.setup.toolchain


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a command asks of its session."""

    backend: Backend | None = None  # None: cuda where it works, else cpu
    jobs: int | None = None
    seed: int | None = None
    sanitizer: bool = True  # judge cleanliness on cuda, with compute-sanitizer where that is
    emulator: bool = True  # and on the cpu backend, too
    sandbox: bool = True  # confine student code where that works
    confined: bool = False  # and refuse to run it where that does not
    labs: Sequence[str] = ()  # whose judges are built; none: all
    await_nvcc: bool = False  # wait for NVIDIA's compiler where it is being fetched


def default_jobs() -> int:
    return len(os.sched_getaffinity(0))


def open_session_for(folder: Path, workspace: Workspace, wanted: Wanted) -> Session:
    """`open_session` for the rungs in `folder`: other people's, but in this checkout's own folders.

    Other people's code never runs unconfined, unless `wanted.sandbox` is false.
    """
    confined = wanted.sandbox and not is_own(folder, workspace)
    return open_session(workspace, replace(wanted, confined=confined))


def open_session(workspace: Workspace, wanted: Wanted) -> Session:
    """Builds and finds all that is wanted. Raises FaultError when something is missing."""
    backend, ready = _choose(workspace, wanted.backend)
    if wanted.confined:  # before anything is built, and once more with what was built
        _confinement(wanted, backend)
    jobs = wanted.jobs or default_jobs()
    toolchain = ready or _built(workspace, backend, wanted.labs, jobs)
    if backend is Backend.CUDA:
        judge = _on_cuda(workspace, toolchain, wanted, jobs)
    else:
        judge = RungJudge(_setup(workspace, toolchain, wanted, GpuPool((), jobs)))
    return Session(judge, wanted.jobs or jobs * _RUNGS_A_CORE[backend])


def _on_cuda(workspace: Workspace, toolchain: Toolchain, wanted: Wanted, jobs: int) -> RungJudge:
    sanitizer: Sanitizer | None = None
    asks_emulator = wanted.sanitizer and wanted.emulator
    if wanted.sanitizer:
        sanitizer = find_sanitizer()
        if sanitizer is None:
            instead = _JUDGES_CLEANLINESS[asks_emulator]
            say(f"compute-sanitizer is not here, {instead}: {SANITIZER_ADVICE}")
        else:
            toolchain = replace(toolchain, features=toolchain.features | {"checkers"})
    gpus = GpuPool(
        find_gpus(),
        default_jobs(),
        queue_of_machine(say),
        gathered=max(1, min(jobs, default_jobs()) // 2),  # the other half's checkers go on
    )
    setup = replace(_setup(workspace, toolchain, wanted, gpus), sanitizer=sanitizer)
    if not asks_emulator:
        return RungJudge(setup)
    return RungJudge(setup, _emulator(setup, wanted, jobs))


def _setup(workspace: Workspace, toolchain: Toolchain, wanted: Wanted, gpus: GpuPool) -> Setup:
    confinement = _confinement(wanted, toolchain.backend, toolchain.anchors)
    if wanted.await_nvcc:
        finish_fetching()
    found = rung_compiler_here()
    nvcc = None if isinstance(found, NoRungCompiler) else found
    features = toolchain.features | ({"nvcc"} if nvcc else set())
    return Setup(
        workspace,
        replace(toolchain, nvcc=found.words, features=features),
        Processes(),
        wanted.seed,
        confinement,
        nvcc,
        gpus,
        reserved=frozenset(header for lab in read_labs(workspace) for header in lab.headers),
    )


def _emulator(setup: Setup, wanted: Wanted, jobs: int) -> RungJudge | None:
    """The judge on the cpu backend that is asked in addition to a GPU; None where there is none."""
    if setup.workspace.toolchain_file:
        file = emulator_file(setup.workspace.toolchain_file)
        if not file.is_file():
            say(f"{file} is missing, so the emulator is not asked about cleanliness")
            return None
        toolchain = read_toolchain(file)
    else:
        toolchain = _built(setup.workspace, Backend.CPU, wanted.labs, jobs)
    return RungJudge(
        replace(
            setup,
            toolchain=toolchain,
            confinement=_confinement(wanted, Backend.CPU, toolchain.anchors),
            nvcc=None,
            sanitizer=None,
            gpus=GpuPool((), jobs),
            is_background=True,
        )
    )


def backend_here(workspace: Workspace, backend: Backend | None = None) -> Backend:
    """The backend of a session that asks for `backend`; None means what works here."""
    return _choose(workspace, backend)[0]


def _choose(workspace: Workspace, backend: Backend | None) -> tuple[Backend, Toolchain | None]:
    """The backend, and its toolchain where that is ready. To look for a GPU starts a program."""
    patience()  # a wrong word is reported before anything is built
    for variable in (SANDBOX_VARIABLE, system.INSTALL_VARIABLE):
        is_off(variable)
    if not workspace.toolchain_file:
        return backend or system.detect_backend(), None
    toolchain = read_toolchain(workspace.toolchain_file)
    if backend and toolchain.backend is not backend:
        raise InputError(
            f"{workspace.toolchain_file} is of the {toolchain.backend} backend, not {backend}"
        )
    return toolchain.backend, toolchain


def _built(workspace: Workspace, backend: Backend, labs: Sequence[str], jobs: int) -> Toolchain:
    if backend is Backend.CUDA:
        system.require_driver()
    system.ensure(system.BUILD_REQUIREMENTS)
    targets = tuple(map(judge_target, labs)) or _ALL_LABS
    return read_toolchain(build_backend(workspace, backend, targets, jobs))


def is_own(folder: Path, workspace: Workspace) -> bool:
    """Whether `folder` belongs to this checkout and does not hold other people's code."""
    return folder.resolve() in (workspace.labs.resolve(), workspace.solutions.resolve())


def _confinement(wanted: Wanted, backend: Backend, probe: Path | None = None) -> Confinement:
    """The sandbox, if it is wanted and works; bubblewrap is installed where no person must help.

    `probe` is a worker, to test whether it reaches the device from inside. Raises FaultError where
    a sandbox is required and does not work.
    """
    if not wanted.sandbox or is_off(SANDBOX_VARIABLE):
        return UNCONFINED
    system.offer(system.SANDBOX_REQUIREMENT)
    found = find_sandbox(backend, probe)
    use_memory_group()
    if isinstance(found, Sandbox):
        return found
    if wanted.confined:
        raise FaultError(
            f"other people's code is not run without a sandbox, and {found.reason}; "
            "--no-sandbox runs it all the same"
        )
    return UNCONFINED
