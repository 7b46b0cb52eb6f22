# SPDX-License-Identifier: MIT
"""`run`: programs that use Thrust, CUB and cuRAND."""

from pathlib import Path

import pytest

from test_run import report, run

PROGRAMS = Path(__file__).with_name("libraries")
# test_install.py runs thrust_on_a_stream.
RIGHT = ("cub_block", "cub_device", "thrust_policies", "thrust_vectors")

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
def test_kernels_that_leave_a_device_vector_are_found(tmp_path: Path) -> None:
    program = (PROGRAMS / "past_a_device_vector.cu").read_text("utf-8")
    assert findings(program, tmp_path) == [("out_of_bounds", 5, "k")]


@emulated
def test_an_algorithm_needs_memory_of_its_own_side_up_to_its_end(tmp_path: Path) -> None:
    program = (PROGRAMS / "thrust_in_wrong_memory.cu").read_text("utf-8")
    kernel = "DeviceReduceSingleTileKernel"
    assert sorted(findings(program, tmp_path)) == [
        ("host_pointer", 12, kernel),
        ("host_pointer", 15, ""),
        ("out_of_bounds", 10, kernel),
    ]


@emulated
def test_a_barrier_that_is_missing_between_two_uses_of_cubs_storage_is_found(
    tmp_path: Path,
) -> None:
    program = (PROGRAMS / "cub_without_a_barrier.cu").read_text("utf-8")
    assert findings(program, tmp_path) == [("race", 9, "k")]


@emulated
def test_cubs_functions_for_the_device_are_checked_as_kernels(tmp_path: Path) -> None:
    program = (PROGRAMS / "cub_in_wrong_memory.cu").read_text("utf-8")
    kernel = "DeviceReduceSingleTileKernel"
    assert findings(program, tmp_path) == [
        ("host_pointer", 15, kernel),
        ("out_of_bounds", 14, kernel),
    ]
