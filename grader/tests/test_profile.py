# SPDX-License-Identifier: MIT
"""`profile`: what it shows, what it writes, and how it refuses."""

import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from lockstep_grader.model.errors import FaultError
from lockstep_grader.student.profile.run import read_size

from conftest import LAB, Checkout
from profiles import judged, kernel, line, profiled_source, size_profile

TARGET = f"{LAB}/02_second"


@pytest.fixture
def profiled(checkout: Checkout) -> Checkout:
    checkout.submission("labs", {"02_second": profiled_source()})
    return checkout


def test_the_terminal_shows_kernels_causes_and_hot_lines(profiled: Checkout) -> None:
    ran = profiled.lab("profile", TARGET)
    assert ran.status == 0
    assert "32 x 1024" in ran.out
    assert "64/64 warps (threads)" in ran.out
    assert "tree_kernel: uncoalesced: 65568 sectors moved, where 8196 would hold" in ran.out
    assert "most of all in 02_second.cu:5" in ran.out
    assert "77%" in ran.out
    assert "^ 2048 reads of 32 sectors, 2048 shared writes of 1 wavefront" in ran.out
    assert "16000 bank conflicts, 512 divergent branches" in ran.out
    assert "scratch.cuh:12    3 warp operations" in ran.out
    assert "nvcc is switched off" in ran.out
    assert "\x1b" not in ran.out


def test_a_long_file_is_shown_around_its_costliest_lines(checkout: Checkout) -> None:
    source = "// filler\n" * 60 + "hot();\n" + "// filler\n" * 60
    cold = [line(number, barriers=1) for number in (3, 100)]
    hot = line(61, shared_read_requests=9, shared_read_wavefronts=9)
    judgement = judged(kernels=[kernel([*cold, hot])])
    checkout.submission("labs", {"02_second": profiled_source(judgement, source=source)})
    ran = checkout.lab("profile", TARGET, "--line-limit", "3")
    assert "hot();" in ran.out
    assert "2 more lines with counters: --line-limit 0 shows all" in ran.out
    assert ran.out.count("// filler") == 2
    everything = checkout.lab("profile", TARGET, "--line-limit", "0").out
    assert everything.count("// filler") == 8
    assert "1 barrier" in everything
    assert "1 barriers" not in everything


def test_sizes_go_to_the_judge_and_none_means_the_budgets_size(profiled: Checkout) -> None:
    log = profiled.work / "judge.log"
    assert "65536 items" in profiled.lab("profile", TARGET).out
    out = profiled.lab("profile", TARGET, "--size", "1000", "--size", "33").out
    assert "1000 items" in out
    assert "33 items" in out
    assert "profile=0" in log.read_text()
    assert "profile=1000,33" in log.read_text()


@pytest.mark.parametrize("option", ["--timed", "--device=t4"])
def test_the_timed_call_is_another_call_for_the_judge(profiled: Checkout, option: str) -> None:
    log = profiled.work / "judge.log"
    profiled.lab("profile", TARGET)
    assert " timed " not in log.read_text()
    profiled.lab("profile", TARGET, option)
    assert " timed " in log.read_text()


def test_a_submission_folder_can_be_named(checkout: Checkout) -> None:
    folder = checkout.submission("ann", {"02_second": profiled_source()})
    assert checkout.lab("profile", TARGET, "--submission", folder).status == 0
    assert checkout.lab("profile", TARGET, "--from", folder).status == 0


def test_the_json_is_as_its_schema_says(profiled: Checkout) -> None:
    file = profiled.work / "profile.json"
    assert profiled.lab("profile", TARGET, "--json", file).status == 0
    report = json.loads(file.read_text())
    schemas = resources.files("lockstep_grader") / "schemas"
    jsonschema.validate(report, json.loads((schemas / "profile.schema.json").read_text()))
    assert (report["version"], report["lab"], report["rung"]) == (1, LAB, "02_second")
    (size,) = report["sizes"]
    assert size["kernels"][0]["diagnosis"]["rule"] == "uncoalesced"
    assert size["kernels"][0]["lines"][0]["patterns"][0]["sectors"] == 32
    assert report["resources"] is None


def test_a_wrong_result_still_shows_its_profile_with_a_warning(checkout: Checkout) -> None:
    race = {"kind": "race", "file": "02_second.cu", "line": 8, "message": "two threads write"}
    wrong = judged(outcome="failed", message="expected 6, got 4", findings=[race])
    checkout.submission("labs", {"02_second": profiled_source(wrong)})
    ran = checkout.lab("profile", TARGET, "--html", "page.html")
    assert ran.status == 1
    assert "these counts may mean little: expected 6, got 4" in ran.out
    assert "race  02_second.cu:8  two threads write" in ran.out
    assert "tree_kernel: uncoalesced" in ran.out
    assert "expected 6, got 4" in Path("page.html").read_text()


@pytest.mark.parametrize(
    ("source", "status", "expected"),
    [
        ("SYNTAX", 1, "01-demo/02_second does not compile: 02_second.cu:3: expected ';'"),
        ("// solved\n", 2, "01-demo/02_second has no workload to profile"),
        ("//! no workload\n", 2, "01-demo/02_second has no workload to profile"),
        ("//! exit 3\n", 3, "the judge cannot profile 02_second"),
        ('//profile {"kernels": 3}\n', 3, "a profile that cannot be read"),
    ],
)
def test_what_cannot_be_profiled_says_why_in_one_line(
    checkout: Checkout, source: str, status: int, expected: str
) -> None:
    checkout.submission("labs", {"02_second": source})
    ran = checkout.lab("profile", TARGET)
    assert ran.status == status
    assert expected in ran.complaint


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("TODO: sum up", "01-demo/02_second is not written yet: TODO: sum up"),
        ("the program was killed", "01-demo/02_second cannot be profiled: the program was killed"),
    ],
)
def test_a_call_without_kernels_says_why_in_one_line(
    checkout: Checkout, message: str, expected: str
) -> None:
    none = judged(outcome="failed", message=message, kernels=[])
    checkout.submission("labs", {"02_second": profiled_source(none)})
    ran = checkout.lab("profile", TARGET)
    assert ran.status == 1
    assert expected in ran.complaint


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([LAB], "profile needs a rung, as in 01-demo/01_first"),
        ([TARGET, "--backend", "cuda"], "counters come from the cpu backend: use --backend cpu"),
        ([TARGET, "--from", "absent"], "absent: no such folder"),
        ([TARGET, "--html", "absent/page.html"], "no such folder for page.html"),
        ([TARGET, "--json", "."], "is a folder; name a file"),
        ([TARGET, "--size", "0"], "--size"),
    ],
)
def test_a_mistake_of_the_caller_is_one_line_and_status_2(
    profiled: Checkout, arguments: list[str], expected: str
) -> None:
    assert expected in profiled.refusal("profile", *arguments)


def test_a_cuda_toolchain_cannot_count(profiled: Checkout) -> None:
    profiled.write_toolchain(backend="cuda")
    assert "not cpu" in profiled.refusal("profile", TARGET)


def test_counters_of_one_line_are_summed_over_kernels_but_not_their_maxima() -> None:
    one = kernel([line(5, global_atomic_lanes=64, global_atomic_max_same_address=32)])
    two = kernel([line(5, global_atomic_lanes=8, global_atomic_max_same_address=8)])
    (merged,) = size_profile(kernels=[one, two]).lines
    assert merged.counters == {"global_atomic_lanes": 72, "global_atomic_max_same_address": 32}


@pytest.mark.parametrize(
    "changes",
    [
        {"outcome": "splendid"},
        {"kernels": [kernel(grid=[1, 2])]},
        {"kernels": [kernel([line(1, {"space": "moon", "access": "read", "offsets": []})])]},
        {"measures": {"launches": "many"}},
    ],
)
def test_a_profile_that_is_not_as_agreed_is_the_judges_fault(changes: Any) -> None:
    with pytest.raises(FaultError, match="a profile that cannot be read"):
        read_size(judged(**changes))
