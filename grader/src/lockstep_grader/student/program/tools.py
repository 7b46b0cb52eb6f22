# SPDX-License-Identifier: MIT
"""The emulator, brought up to date: no lab and no judge is built for it."""

from collections.abc import Mapping

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Backend
from lockstep_grader.toolchain import system
from lockstep_grader.toolchain.build import build_backend
from lockstep_grader.toolchain.description import Step, read_toolchain

_TARGETS = ("lockstep_run",)


def program_steps(workspace: Workspace, jobs: int) -> Mapping[str, Step]:
    """How a program is built, by step. Raises FaultError."""
    file = workspace.toolchain_file
    if file is None:
        system.ensure(system.BUILD_REQUIREMENTS)
        file = build_backend(workspace, Backend.CPU, _TARGETS, jobs)
    steps = read_toolchain(file).program
    if not steps:
        raise FaultError(f"{file} describes no way to build a program: build the cpu backend anew")
    return steps
