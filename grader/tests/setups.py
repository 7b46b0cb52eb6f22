# SPDX-License-Identifier: MIT
"""A lab and a setup to compile for it, made of steps that a test chooses."""

from collections.abc import Iterable
from pathlib import Path

from lockstep_grader.confine.sandbox import UNCONFINED, Confinement
from lockstep_grader.machine.process import Processes
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend, Lab
from lockstep_grader.request.job import RungSetup, Setup
from lockstep_grader.toolchain.description import LabTools, Step, Toolchain

from conftest import demo_rung

DEMO = Lab("01-demo", "demo", "Demo", "", (), (demo_rung(),))


def setup_in(
    work: Path,
    steps: Iterable[Step] = (),
    confinement: Confinement = UNCONFINED,
    device: Path | None = None,
) -> RungSetup:
    """On cpu; all files of the lab are in the folder `work`."""
    tools = LabTools(work, work, work)
    toolchain = Toolchain(
        work / "lockstep.json",
        Backend.CPU,
        {},
        tuple(steps),
        None,
        {DEMO.id: tools},
        device=device,
    )
    workspace = Workspace(work, work / "build")
    return Setup(workspace, toolchain, Processes(), confinement=confinement).of(DEMO, demo_rung())
