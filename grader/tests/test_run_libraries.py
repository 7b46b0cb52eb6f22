# SPDX-License-Identifier: MIT
"""`run`: programs that use Thrust, CUB and cuRAND."""

from pathlib import Path

import pytest

from test_run import report, run

PROGRAMS = Path(__file__).with_name("libraries")
# test_install.py runs thrust_on_a_stream.
RIGHT = (
    "cub_block",
    pytest.param("cub_device", marks=pytest.mark.thorough),
    pytest.param("thrust_policies", marks=pytest.mark.thorough),
    pytest.param("thrust_vectors", marks=pytest.mark.thorough),
)

emulated = pytest.mark.e2e


def findings(program: str, folder: Path) -> list[tuple[str, int, str]]:
    """Kind, line and kernel of all that is found in the program."""
    (folder / "program.cu").write_text(program)
    ran = run("program.cu", "--json", "out.json", cwd=folder)
    assert "Traceback" not in ran.stderr
    return [
        (found["kind"], found["line"], found["kernel"])
        for found in report(folder / "out.json")["findings"]
    ]


@emulated
@pytest.mark.parametrize("name", RIGHT)
def test_a_library_gives_right_results_without_findings(name: str, tmp_path: Path) -> None:
    ran = run(PROGRAMS / f"{name}.cu", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr  # 1 after a finding; a slow machine says how far it is


@emulated
def test_thrusts_memory_is_checked_for_its_side_and_up_to_its_end(tmp_path: Path) -> None:
    program = (PROGRAMS / "thrust_in_wrong_memory.cu").read_text("utf-8")
    algorithm = "DeviceReduceSingleTileKernel"
    assert sorted(findings(program, tmp_path)) == [
        ("host_pointer", 14, algorithm),
        ("host_pointer", 17, ""),
        ("out_of_bounds", 7, "fill"),
        ("out_of_bounds", 12, algorithm),
    ]


@emulated
def test_cubs_functions_are_checked_as_the_kernels_that_they_are_in(tmp_path: Path) -> None:
    program = (PROGRAMS / "cub_wrong.cu").read_text("utf-8")
    kernel = "DeviceReduceSingleTileKernel"
    assert sorted(findings(program, tmp_path)) == [
        ("host_pointer", 24, kernel),
        ("out_of_bounds", 23, kernel),
        ("race", 10, "sum_twice"),
    ]
