# SPDX-License-Identifier: MIT
"""What the judging verbs share: a backend set up and built, and its judge at hand."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lockstep_grader.confine.memory_group import use_memory_group
from lockstep_grader.confine.sandbox import UNCONFINED, Confinement, Sandbox, find_sandbox
from lockstep_grader.judging.emulated import emulator_file
from lockstep_grader.judging.real_compiler import RealCompiler
from lockstep_grader.judging.rung_judge import RungJudge
from lockstep_grader.judging.sanitizer import SANITIZER_ADVICE, find_sanitizer
from lockstep_grader.machine.gpus import GpuPool, find_gpus, queue_of_machine
from lockstep_grader.machine.patience import patience
from lockstep_grader.machine.process import Processes
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Backend
from lockstep_grader.toolchain import system
from lockstep_grader.toolchain.build import build_backend, judge_target
from lockstep_grader.toolchain.description import Toolchain, read_toolchain
from lockstep_grader.toolchain.nvcc import NoRungCompiler
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
    toolchain: Toolchain
    judge: RungJudge
    processes: Processes
    jobs: int  # how many rungs are worked on at once
    confinement: Confinement = UNCONFINED
    real_compiler: RealCompiler | None = None


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The backend of a session, and its toolchain where that is ready."""

    backend: Backend
    ready: Toolchain | None = None


def default_jobs() -> int:
    return len(os.sched_getaffinity(0))


def open_session(
    workspace: Workspace,
    backend: Backend | None = None,
    jobs: int | None = None,
    seed: int | None = None,
    use_sanitizer: bool = True,
    use_sandbox: bool = True,
    labs: Sequence[str] = (),
    await_nvcc: bool = False,
    use_emulator: bool = True,
) -> Session:
    """Does all set-up that `backend` needs; None means cuda where it works, else cpu.

    Builds what the `labs` are judged with; without names, what all are.
    On cuda, `use_sanitizer` judges cleanliness: with compute-sanitizer where that is installed, and
    with `use_emulator` on the cpu backend, too.
    `await_nvcc` waits for NVIDIA's compiler where it is being fetched.
    Raises FaultError when something is missing or does not build.
    """
    chosen = _choose(workspace, backend)
    asks_emulator = use_sanitizer and use_emulator
    return _open(
        workspace, chosen, jobs, seed, use_sanitizer, asks_emulator, use_sandbox, labs, await_nvcc
    )


def _open(
    workspace: Workspace,
    chosen: _Chosen,
    wanted_jobs: int | None,
    seed: int | None,
    use_sanitizer: bool,
    asks_emulator: bool,
    use_sandbox: bool,
    labs: Sequence[str],
    await_nvcc: bool,
) -> Session:
    jobs = wanted_jobs or default_jobs()
    toolchain = chosen.ready or _built(workspace, chosen.backend, labs, jobs)
    processes = Processes()
    sanitizer = None
    if toolchain.backend is Backend.CUDA and use_sanitizer:
        sanitizer = find_sanitizer()
        if sanitizer is None:
            instead = _JUDGES_CLEANLINESS[asks_emulator]
            say(f"compute-sanitizer is not here, {instead}: {SANITIZER_ADVICE}")
        else:
            toolchain = replace(toolchain, features=toolchain.features | {"checkers"})
    confinement = confinement_here(toolchain) if use_sandbox else UNCONFINED
    gpus = GpuPool(
        find_gpus() if toolchain.backend is Backend.CUDA else (),
        default_jobs(),
        queue_of_machine(say),
        gathered=max(1, min(jobs, default_jobs()) // 2),  # the other half's checkers go on
    )
    if await_nvcc:
        finish_fetching()
    nvcc = rung_compiler_here()
    toolchain = replace(toolchain, nvcc=nvcc.words)
    real_compiler = None
    if not isinstance(nvcc, NoRungCompiler):
        toolchain = replace(toolchain, features=toolchain.features | {"nvcc"})
        real_compiler = RealCompiler(nvcc, workspace.root / "common" / "cuda")
    emulator = None
    if toolchain.backend is Backend.CUDA and asks_emulator:
        emulator = _emulator(workspace, jobs, seed, use_sandbox, labs, processes)
    judge = RungJudge(
        workspace, toolchain, processes, seed, gpus, sanitizer, confinement, real_compiler, emulator
    )
    rungs_at_once = wanted_jobs or jobs * _RUNGS_A_CORE[toolchain.backend]
    return Session(toolchain, judge, processes, rungs_at_once, confinement, real_compiler)


def _emulator(
    workspace: Workspace,
    jobs: int,
    seed: int | None,
    use_sandbox: bool,
    labs: Sequence[str],
    processes: Processes,
) -> RungJudge | None:
    """The judge on the cpu backend that is asked in addition to a GPU; None where there is none."""
    if workspace.toolchain_file:
        file = emulator_file(workspace.toolchain_file)
        if not file.is_file():
            say(f"{file} is missing, so the emulator is not asked about cleanliness")
            return None
        toolchain = read_toolchain(file)
    else:
        toolchain = _built(workspace, Backend.CPU, labs, jobs)
    confinement = confinement_here(toolchain) if use_sandbox else UNCONFINED
    return RungJudge(
        workspace,
        toolchain,
        processes,
        seed,
        GpuPool((), jobs),
        confinement=confinement,
        is_background=True,
    )


def backend_here(workspace: Workspace, backend: Backend | None = None) -> Backend:
    """The backend of a session that asks for `backend`; None means what works here."""
    return _choose(workspace, backend).backend


def _choose(workspace: Workspace, backend: Backend | None) -> _Chosen:
    """Once a session: to look for a GPU starts a program."""
    patience()  # a wrong word is reported before anything is built
    if not workspace.toolchain_file:
        return _Chosen(backend or system.detect_backend())
    toolchain = read_toolchain(workspace.toolchain_file)
    if backend and toolchain.backend is not backend:
        raise InputError(
            f"{workspace.toolchain_file} is of the {toolchain.backend} backend, not {backend}"
        )
    return _Chosen(toolchain.backend, toolchain)


def _built(workspace: Workspace, backend: Backend, labs: Sequence[str], jobs: int) -> Toolchain:
    if backend is Backend.CUDA:
        system.require_driver()
    system.ensure(system.BUILD_REQUIREMENTS)
    targets = tuple(map(judge_target, labs)) or _ALL_LABS
    return read_toolchain(build_backend(workspace, backend, targets, jobs))


def open_session_for(
    folder: Path,
    workspace: Workspace,
    backend: Backend | None = None,
    jobs: int | None = None,
    seed: int | None = None,
    use_sanitizer: bool = True,
    use_sandbox: bool = True,
    labs: Sequence[str] = (),
    await_nvcc: bool = False,
    use_emulator: bool = True,
) -> Session:
    """`open_session` for the rungs in `folder`: other people's, but in this checkout's own folders.

    Raises FaultError where other people's code would run unconfined, unless `use_sandbox` is false.
    """
    chosen = _choose(workspace, backend)
    confined = use_sandbox and not is_own(folder, workspace)
    if confined:  # before anything is built, and once more with what was built
        require_sandbox(chosen.backend)
    asks_emulator = use_sanitizer and use_emulator
    opened = _open(
        workspace, chosen, jobs, seed, use_sanitizer, asks_emulator, use_sandbox, labs, await_nvcc
    )
    if confined:
        require_sandbox(opened.toolchain.backend, opened.toolchain.anchors)
        if opened.judge.asks_emulator:
            require_sandbox(Backend.CPU)
    return opened


def is_own(folder: Path, workspace: Workspace) -> bool:
    """Whether `folder` belongs to this checkout and does not hold other people's code."""
    return folder.resolve() in (workspace.labs.resolve(), workspace.solutions.resolve())


def confinement_here(toolchain: Toolchain) -> Confinement:
    """The sandbox if it works, or else the reason why it does not.

    Installs bubblewrap if that needs no person's help.
    """
    if os.environ.get(SANDBOX_VARIABLE) == "off":
        return UNCONFINED
    system.offer(system.SANDBOX_REQUIREMENT)
    found = find_sandbox(toolchain.backend, toolchain.anchors)
    use_memory_group()
    return found if isinstance(found, Sandbox) else UNCONFINED


def require_sandbox(backend: Backend, probe: Path | None = None) -> None:
    """Raises FaultError where other people's code would run unconfined; `probe` as above."""
    if os.environ.get(SANDBOX_VARIABLE) == "off":
        return
    system.offer(system.SANDBOX_REQUIREMENT)
    found = find_sandbox(backend, probe)
    if not isinstance(found, Sandbox):
        raise FaultError(
            f"other people's code is not run without a sandbox, and {found.reason}; "
            "--no-sandbox runs it all the same"
        )
