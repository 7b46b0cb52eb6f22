# SPDX-License-Identifier: MIT
"""What the judging verbs share: a backend set up and built, and its judge at hand."""

import os
from dataclasses import dataclass, replace

from lockstep_grader import system
from lockstep_grader.build import build_backend
from lockstep_grader.errors import InputError
from lockstep_grader.model import Backend
from lockstep_grader.process import Processes
from lockstep_grader.progress import say
from lockstep_grader.rung_judge import RungJudge
from lockstep_grader.sanitizer import SANITIZER_ADVICE, find_sanitizer
from lockstep_grader.toolchain import Toolchain, read_toolchain
from lockstep_grader.workspace import Workspace

_BUILD_TARGET = "lockstep"


@dataclass(frozen=True, slots=True)
class Session:
    toolchain: Toolchain
    judge: RungJudge
    processes: Processes
    jobs: int


def default_jobs() -> int:
    return len(os.sched_getaffinity(0))


def open_session(
    workspace: Workspace,
    backend: Backend | None = None,
    jobs: int | None = None,
    seed: int | None = None,
    use_sanitizer: bool = True,
) -> Session:
    """Does all set-up that `backend` needs; None means cuda where it works, else cpu.

    On cuda, `use_sanitizer` judges cleanliness with compute-sanitizer where that is installed.
    Raises FaultError when something is missing or does not build.
    """
    jobs = jobs or default_jobs()
    if workspace.toolchain_file:
        toolchain = read_toolchain(workspace.toolchain_file)
        if backend and toolchain.backend is not backend:
            raise InputError(
                f"{workspace.toolchain_file} is of the {toolchain.backend} backend, not {backend}"
            )
    else:
        backend = backend or system.detect_backend()
        system.ensure(system.requirements(backend))
        toolchain = read_toolchain(build_backend(workspace, backend, _BUILD_TARGET, jobs))
    processes = Processes()
    sanitizer = None
    if toolchain.backend is Backend.CUDA and use_sanitizer:
        sanitizer = find_sanitizer()
        if sanitizer is None:
            say(f"compute-sanitizer is not here, so cleanliness is not judged: {SANITIZER_ADVICE}")
        else:
            toolchain = replace(toolchain, features=toolchain.features | {"checkers"})
    judge = RungJudge(workspace, toolchain, processes, seed, sanitizer)
    return Session(toolchain, judge, processes, jobs)
