# SPDX-License-Identifier: MIT
"""`run`: whole programs as students and samples write them end with 0 and without a finding.

A third of them; LOCKSTEP_PROGRAMS=all runs the others, too.
"""

import os
from pathlib import Path

import pytest

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.student.program.build import Options, build_program, program_steps
from lockstep_grader.student.program.run import Settings, run_program

FOLDER = Path(__file__).parents[2] / "common" / "device" / "tests" / "programs"
PROGRAMS = sorted(FOLDER.glob("*.cu"))[:: 1 if os.environ.get("LOCKSTEP_PROGRAMS") == "all" else 3]


@pytest.mark.e2e
@pytest.mark.skipif(not PROGRAMS, reason="a students' copy has no such programs")
@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: file.stem)
def test_a_right_program_has_no_finding(file: Path, tmp_path: Path) -> None:
    steps = program_steps(Workspace.from_environment(), 2)
    options = Options(include=(FOLDER,), std=20)
    program = build_program(steps, [file], options, tmp_path, 1)
    ran = run_program(program, (), Settings(), tmp_path, name=file.name)
    assert (ran.status, ran.findings) == (0, ())
