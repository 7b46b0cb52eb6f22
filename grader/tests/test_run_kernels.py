# SPDX-License-Identifier: MIT
"""`run`: what kernels can do that no lab asks for."""

from pathlib import Path

import pytest

from test_run import report, run

from in_process import put, text_of

emulated = pytest.mark.e2e


NESTED = text_of("nested_launches/nest.cu")


@emulated
@pytest.mark.parametrize(("wanted", "reached"), [(10, 10), (99, 24)])
def test_a_kernel_launches_kernels_which_run_after_it_in_order(
    tmp_path: Path, wanted: int, reached: int
) -> None:
    (tmp_path / "nest.cu").write_text(NESTED.replace("DEPTH", str(wanted)))
    ran = run("nest.cu", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, f"1 2 3 {reached}\n"), ran.stderr


@emulated
def test_a_launch_that_a_kernel_may_not_make_names_its_line(tmp_path: Path) -> None:
    put(tmp_path, "nested_launch_too_large")
    run("nest.cu", "--json", "out.json", cwd=tmp_path)
    (finding,) = report(tmp_path / "out.json")["findings"]
    assert (finding["kind"], finding["line"]) == ("launch_error", 3)
    assert "2048 x 1 x 1" in finding["message"]


TILES = text_of("tile_of_warps/tiles.cu")


@emulated
def test_a_tile_of_several_warps_waits_and_combines(tmp_path: Path) -> None:
    (tmp_path / "tiles.cu").write_text(TILES.replace("SYNC", "tile.sync();"))
    ran = run("tiles.cu", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "2016033 6112597 10208161\n"), ran.stderr
    (tmp_path / "tiles.cu").write_text(TILES.replace("SYNC", ""))
    run("tiles.cu", "--json", "out.json", cwd=tmp_path)
    findings = report(tmp_path / "out.json")["findings"]
    assert ("race", 9) in [(finding["kind"], finding["line"]) for finding in findings]


@emulated
def test_a_variable_that_no_file_defines_is_a_finding(tmp_path: Path) -> None:
    put(tmp_path, "undefined_variable")
    ran = run("main.cu", "--json", "out.json", cwd=tmp_path)
    (finding,) = report(tmp_path / "out.json")["findings"]
    assert (ran.returncode, finding["kind"]) == (1, "launch_error")
    assert "no file of the program defines the variable missing" in finding["message"]


REGISTERED = text_of("registered_memory/mapped.cu")


@emulated
def test_kernels_use_registered_memory_and_stay_within_it(tmp_path: Path) -> None:
    (tmp_path / "mapped.cu").write_text(REGISTERED)
    ran = run("mapped.cu", cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "2 6 7\n"), ran.stderr
    ran = run("mapped.cu", "--", "more", cwd=tmp_path)
    assert ran.returncode == 1
    assert "thread 40 of block 0 reads 4 bytes right past the end of" in ran.stderr
