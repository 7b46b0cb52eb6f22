# SPDX-License-Identifier: MIT
"""`run`: whole programs as students and samples write them end with 0 and without a finding."""

from pathlib import Path

import pytest

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.student.program.build import Options, build_program, program_steps
from lockstep_grader.student.program.run import Settings, run_program
from test_run import run

from in_process import put
from repository import sampled

FOLDER = Path(__file__).parents[2] / "common" / "device" / "tests" / "programs"
PROGRAMS = sorted(FOLDER.glob("*.cu"))
WORDS = "624778773 3522650202 2363946744 1266286439 "


@pytest.mark.e2e
@pytest.mark.skipif(not PROGRAMS, reason="a students' copy has no such programs")
@pytest.mark.parametrize("file", sampled(PROGRAMS, 6), ids=lambda file: file.stem)
def test_a_right_program_has_no_finding(file: Path, tmp_path: Path) -> None:
    steps = program_steps(Workspace.from_environment(), 2)
    options = Options(include=(FOLDER,), std=20)
    program = build_program(steps, [file], options, tmp_path, 1)
    ran = run_program(program, (), Settings(), tmp_path, name=file.name)
    assert (ran.status, ran.findings) == (0, ())


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("name", "options", "printed"),
    [
        ("headers_of_a_folder", ("-Iinclude", "-D", "NUMBER=21"), "42\n"),
        ("file_in_c", (), "42\n"),
        ("openmp_threads", (), "192\n"),
        ("openmp_in_a_header", (), "0 of 1\n"),
        ("header_of_the_labs", (), "0 3 4\n"),
        ("global_destructor", (), "2\n"),
        ("programs_of_others", ("--std", "17"), "1 0\n"),
        ("programs_of_others", ("--std", "20"), "1 0\n"),
        ("shared_variables", (), "20 12 2 8 5\n"),
        ("clusters", (), "1 0 3 2 1\n"),
        ("texture_gather", (), "3 4 2 1\n"),
        ("graph_condition", (), "0\n-1\n"),
        ("curand", (), WORDS + WORDS),
    ],
)
def test_a_program_prints_what_it_computes(
    tmp_path: Path, name: str, options: tuple[str, ...], printed: str
) -> None:
    """Each program's first comment says what it shows."""
    put(tmp_path, name)
    files = [file for file in tmp_path.iterdir() if file.suffix in (".c", ".cpp", ".cu")]
    ran = run(*sorted(file.name for file in files), *options, cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, printed, "")
