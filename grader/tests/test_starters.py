# SPDX-License-Identifier: MIT
"""Every starter compiles without a warning: with the flags that rungs get, by g++ and by nvcc."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend, Lab
from lockstep_grader.toolchain.build import build_backend
from lockstep_grader.toolchain.description import read_toolchain
from lockstep_grader.toolchain.nvcc import Phase, RungCompiler, rung_compiler

REPOSITORY = Path(__file__).parents[2]
LABS = read_labs(Workspace(REPOSITORY, REPOSITORY / "build"))
COMMON = REPOSITORY / "common" / "cuda"

pytestmark = pytest.mark.e2e
each_lab = pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.id)


def said(argv: Sequence[str]) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    words = done.stdout + done.stderr
    return words if done.returncode or "warning" in words else ""


@each_lab
def test_gxx_has_nothing_to_say_of_a_starter(lab: Lab, tmp_path: Path) -> None:
    file = build_backend(Workspace.from_environment(), Backend.CPU, ["lockstep_run"], 2)
    steps = {step.name: step for step in read_toolchain(file).steps}
    for rung in lab.rungs:
        source = REPOSITORY / "labs" / lab.id / rung.file_name
        for name in ("rewrite", "compile"):
            argv = steps[name].filled(source=source, work=tmp_path, include=source.parent, calls="")
            assert said(argv) == "", rung.file_name


@each_lab
def test_nvcc_has_nothing_to_say_of_a_starter(lab: Lab, tmp_path: Path) -> None:
    nvcc = rung_compiler()
    if not isinstance(nvcc, RungCompiler):
        pytest.skip("no nvcc here")
    for rung in lab.rungs:
        source = REPOSITORY / "labs" / lab.id / rung.file_name
        argv = nvcc.command(source, tmp_path, [source.parent, COMMON], ["8.0"], Phase.ERRORS)
        assert said(argv) == "", rung.file_name
