# SPDX-License-Identifier: MIT
"""What nvcc's assembler says of kernels."""

import pytest

from lockstep_grader.intake.catalog import read_lab
from lockstep_grader.intake.submission import Source
from lockstep_grader.model.grades import Points, Resources, Rung
from lockstep_grader.student.profile.run import Profile
from lockstep_grader.toolchain.nvcc import demangle, parse_ptxas

from conftest import DATA, LAB, Checkout

NAME = (
    "_ZN3lab48_GLOBAL__N__77a8411b_15_07_operators_cu_9dfba0f515operator_kernelINS0_6SquareEEEvT_i"
)
PTXAS = (DATA / "ptxas.log").read_text("utf-8")


def test_ptxas_lines_become_resources_by_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lockstep_grader.toolchain.nvcc.demangle", list)
    simple, templated = parse_ptxas(PTXAS)
    assert simple == Resources("_Z6simplePf", "9.0", 70, 8192, 24, 20, 400)
    assert templated == Resources(NAME, "9.0", 32, 0, 0, 0, None)


@pytest.mark.parametrize(
    ("registers", "threads"), [(0, 1024), (32, 1024), (64, 1024), (65, 896), (128, 512), (255, 256)]
)
def test_registers_bound_the_block(registers: int, threads: int) -> None:
    assert Resources("k", "9.0", registers, 0, 0, 0, None).largest_block == threads


def test_demangled_names_are_cut_to_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert demangle(["_Z6simplePf"]) == ["_Z6simplePf"]


def test_resources_are_found_by_the_name_at_the_launch(checkout: Checkout) -> None:
    lab = read_lab(checkout.root / "labs" / LAB / "lab.toml")
    rung = Rung("01_first", "A rung", Points(1, 1, 1))
    known = tuple(
        Resources(name, "9.0", 8, 0, 0, 0, None)
        for name in ("scan<256>", "scan<512>", "one", "many<int>")
    )
    profile = Profile(lab, rung, Source("01_first.cu", b""), (), known)
    assert profile.resources_of("scan<512>") is known[1]
    assert profile.resources_of("lab::one") is known[2]
    assert profile.resources_of("many<Item>") is known[3]
    assert profile.resources_of("scan<kThreads>") is None
