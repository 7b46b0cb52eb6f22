# SPDX-License-Identifier: MIT
"""clang compiles every starter without a warning, with the flags of rungs. lint asks nvcc."""

import subprocess
from pathlib import Path

import pytest

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend, Lab
from lockstep_grader.toolchain.description import build_backend, read_toolchain

REPOSITORY = Path(__file__).parents[2]
LABS = read_labs(Workspace(REPOSITORY, REPOSITORY / "build"))


@pytest.mark.e2e
@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.id)
def test_clang_has_nothing_to_say_of_a_starter(lab: Lab, tmp_path: Path) -> None:
    file = build_backend(Workspace.from_environment(), Backend.CPU, ["lockstep_base"], 2)
    steps = {step.name: step for step in read_toolchain(file).steps}
    for rung in lab.rungs:
        source = REPOSITORY / "labs" / lab.id / rung.file_name
        for name in ("device", "written", "host"):
            argv = steps[name].filled(source=source, work=tmp_path, include=source.parent, calls="")
            done = subprocess.run(argv, capture_output=True, text=True, check=False)
            said = done.stdout + done.stderr
            assert done.returncode == 0, said
            assert "warning" not in said
