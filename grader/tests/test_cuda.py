# SPDX-License-Identifier: MIT
"""What is different on a GPU: measurements one at a time, with the solutions' workers."""

from collections.abc import Sequence

import pytest

from conftest import LAB, Checkout, rungs, verdict_line

SPEED = "[rung.speed]\nshare = { zero = 0.1, full = 0.5 }\nof_library = { zero = 0, full = 1 }\n"
FAST = verdict_line() + verdict_line(part="efficiency", share=0.6, of_library=0.75)


@pytest.fixture(autouse=True)
def gpu(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the checkout one with a GPU and with speed gates for its second rung."""
    monkeypatch.setenv("FAKE_JUDGE_LOG", str(checkout.work / "judge.log"))
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


def test_measurements_do_not_overlap(checkout: Checkout) -> None:
    for name in ("ann", "bob", "cy"):
        slow = f"// by {name}\n//! sleep 0.2\n{FAST}"  # equal files are measured once
        checkout.submission(f"class/{name}", {"01_first": slow, "02_second": slow})
    checkout.lab("grade", checkout.root / "class", "--jobs", "4")
    events = [line[0] for line in judge_log(checkout)]
    assert events == ["begin", "end"] * 6


def test_a_solution_that_does_not_compile_is_a_fault(checkout: Checkout) -> None:
    checkout.write(f"solutions/{LAB}/02_second.cu", "SYNTAX")
    ran, report = checkout.grade(checkout.submission("ann", {}))
    assert ran.status == 3
    assert "the reference solution 01-demo/02_second" in rungs(report)["02_second"]["fault"]
