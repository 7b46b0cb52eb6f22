# SPDX-License-Identifier: MIT
"""What is different on a GPU: measurements one at a time, with the solutions' workers."""

import json
from collections.abc import Sequence
from itertools import chain

import pytest

from conftest import LAB, LAB_TOML, Checkout, rungs, verdict_line

SPEED = "[rung.speed]\nshare = { zero = 0.1, full = 0.5 }\nof_library = { zero = 0, full = 1 }\n"
FAST = verdict_line() + verdict_line(part="efficiency", share=0.6, of_library=0.75)


@pytest.fixture(autouse=True)
def gpu(checkout: Checkout) -> None:
    """Makes the checkout one with a GPU and with speed gates for its second rung."""
    checkout.write_toolchain(backend="cuda", anchors=str(checkout.write("anchors", "fast")))
    file = checkout.root / "labs" / LAB / "lab.toml"
    file.write_text(file.read_text() + SPEED)


def judge_log(checkout: Checkout) -> Sequence[Sequence[str]]:
    return [line.split() for line in (checkout.work / "judge.log").read_text().splitlines()]


def test_the_judge_gets_the_anchors_and_the_solutions_workers(checkout: Checkout) -> None:
    ran, report = checkout.grade(checkout.submission("ann", {"02_second": FAST}), "--jobs", "2")
    assert all({"anchors", "first", "reference"} <= set(line) for line in judge_log(checkout))
    second = rungs(report)["02_second"]
    assert second["parts"]["efficiency"] == {"score": 0.75, "max_score": 1}
    assert second["findings"][0]["kind"] == "slow"
    assert "0.75 times the library's speed" in second["findings"][0]["message"]
    assert ran.status == 1


def test_a_copy_without_solutions_measures_what_it_can(checkout: Checkout) -> None:
    (checkout.root / "solutions").rename(checkout.root / "elsewhere")
    checkout.lab("grade", checkout.submission("ann", {"02_second": FAST}))
    assert all("reference" not in line and "anchors" in line for line in judge_log(checkout))


def test_measurements_overlap_nothing(checkout: Checkout) -> None:
    for name in ("ann", "bob", "cy"):
        slow = f"// by {name}\n//! sleep 0.2\n{FAST}"  # equal files are measured once
        checkout.submission(f"class/{name}", {"01_first": slow, "02_second": slow})
    checkout.lab("grade", checkout.root / "class", "--jobs", "4")
    running: set[str] = set()
    measured = 0
    for event, process, *options in judge_log(checkout):
        if event == "begin":
            assert not (running and "stage=measurements" in {*options, *running})
            running.add(process if "stage=measurements" not in options else "stage=measurements")
        else:
            running -= {process, "stage=measurements"}
            measured += "stage=measurements" in options
    assert measured == 6


def test_tests_and_measurements_are_runs_of_one_seed(checkout: Checkout) -> None:
    checkout.grade(checkout.submission("ann", {"02_second": FAST}), "--jobs", "1")
    tests, measurement = (line for line in judge_log(checkout)[-4:] if line[0] == "begin")
    assert {"stage=all-but-measurements"} <= set(tests)
    assert {"stage=measurements", "seed=12345"} <= set(measurement)


@pytest.mark.parametrize("tests", [verdict_line(outcome="failed") + FAST, verdict_line()])
def test_nothing_is_measured_of_a_wrong_rung_or_one_without_measurements(
    checkout: Checkout, tests: str
) -> None:
    checkout.grade(checkout.submission("ann", {"01_first": tests, "02_second": tests}))
    assert {"stage=measurements"}.isdisjoint(chain.from_iterable(judge_log(checkout)))


@pytest.mark.parametrize(
    "trouble", ["exit 3", verdict_line(outcome="failed", kind="out_of_memory")]
)
def test_a_failure_that_may_be_anothers_is_repeated_alone(checkout: Checkout, trouble: str) -> None:
    source = f"{FAST}//! with others plain {trouble.removeprefix('//! ')}\n"
    _, report = checkout.grade(checkout.submission("ann", {"02_second": source}))
    assert rungs(report)["02_second"]["parts"]["correctness"]["score"] == 4
    assert rungs(report)["02_second"]["parts"]["efficiency"] == {"score": 0.75, "max_score": 1}


def test_a_solution_that_does_not_compile_is_a_fault(checkout: Checkout) -> None:
    checkout.write(f"solutions/{LAB}/02_second.cu", "SYNTAX")
    ran, report = checkout.grade(checkout.submission("ann", {}))
    assert ran.status == 3
    assert "the reference solution 01-demo/02_second" in rungs(report)["02_second"]["fault"]


@pytest.mark.parametrize(
    ("gpu", "needed", "words"),
    [
        ("8.6", ("8.0", "9.0"), ""),
        ("10.0", ("9.0",), ""),
        ("9.0", ("9.0a",), ""),
        ("7.5", ("8.0", "9.0"), "8.0 or newer, and this one has 7.5"),
        ("8.9", ("9.0",), "9.0 or newer, and this one has 8.9"),
        ("12.0", ("9.0a",), "exactly 9.0, and this one has 12.0"),
    ],
)
def test_a_rung_that_this_gpu_cannot_run_is_an_error_and_no_zero(
    checkout: Checkout, gpu: str, needed: Sequence[str], words: str
) -> None:
    anchors = str(checkout.write("anchors", "fast"))
    checkout.write_toolchain(backend="cuda", anchors=anchors, gpu=gpu)
    toml = LAB_TOML.replace("[[rung]]", f"[[rung]]\narchitectures = {json.dumps(needed)}", 1)
    checkout.write(f"labs/{LAB}/lab.toml", toml)
    ran, report = checkout.grade(checkout.submission("ann", {"01_first": FAST, "02_second": FAST}))
    first, second = rungs(report).values()
    assert second["outcome"] == "passed"
    if words:
        assert (first["outcome"], first["score"], ran.status) == ("error", None, 3)
        needs = f"01_first needs a GPU of compute capability {words}"
        assert first["fault"] == f"{needs}: use --backend cpu"
    else:
        assert (first["outcome"], first["fault"]) == ("passed", "")
