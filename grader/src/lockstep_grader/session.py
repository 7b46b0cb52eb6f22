# SPDX-License-Identifier: MIT
"""What the judging verbs share: a backend set up and built, and its judge at hand."""

import os
from dataclasses import dataclass

from lockstep_grader import system
from lockstep_grader.build import build_backend
from lockstep_grader.errors import InputError
from lockstep_grader.model import Backend
from lockstep_grader.process import Processes
from lockstep_grader.rung_judge import RungJudge
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
) -> Session:
    """Does all set-up that `backend` needs; None means cuda where it works, else cpu.

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
    return Session(toolchain, RungJudge(workspace, toolchain, processes, seed), processes, jobs)
