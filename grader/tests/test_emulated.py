# SPDX-License-Identifier: MIT
"""On a GPU, cleanliness also asks the emulator: what either finds counts."""

import json
import shutil

import pytest

from conftest import LAB, Checkout, rungs, verdict_line

RACE = {"kind": "race", "file": "01_first.cu", "line": 7, "message": "both write"}


@pytest.fixture
def gpu(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    """A checkout with toolchains of both backends; `under emulator` is what cpu's judge does."""
    tools = {"calls": checkout.root / "calls.a", "include": checkout.root / "labs" / LAB}
    for backend, judge in (("cpu", "emulator.py"), ("cuda", "judge.py")):
        if not (checkout.root / judge).exists():
            shutil.copy(checkout.root / "judge.py", checkout.root / judge)
        lab = {name: str(path) for name, path in (*tools.items(), ("judge", checkout.root / judge))}
        checkout.write_toolchain(backend=backend, labs={LAB: lab})
        made = (checkout.root / "toolchain.json").read_bytes()
        checkout.write(f"build/{backend}/lockstep.json", made)
    monkeypatch.setenv("LOCKSTEP_TOOLCHAIN", str(checkout.root / "build/cuda/lockstep.json"))
    return checkout


def on_emulator(**test: object) -> str:
    return f"{verdict_line()}//! under emulator {json.dumps(test)}\n"


def scores(rung: dict[str, dict[str, dict[str, float]]]) -> list[float]:
    return [part["score"] for part in rung["parts"].values()]


def test_what_only_the_emulator_finds_costs_cleanliness(gpu: Checkout) -> None:
    """As of a kernel that races only while it does not see compute-sanitizer."""
    source = on_emulator(outcome="failed", findings=[RACE])
    ran, report = gpu.grade(gpu.submission("ann", {"01_first": source}))
    first = rungs(report)["01_first"]
    assert (ran.status, scores(first)) == (1, [2, 0, 1])
    (finding,) = first["findings"]
    assert (finding["kind"], finding["line"]) == ("race", 7)
    assert finding["message"] == "on the emulator: both write"


def test_what_is_clean_on_both_has_one_more_test(gpu: Checkout) -> None:
    ran, report = gpu.grade(gpu.submission("ann", {}))
    assert ran.status == 0
    test = rungs(report)["01_first"]["tests"][-1]
    assert (test["name"], test["part"], test["outcome"]) == ("emulator", "cleanliness", "passed")


def test_a_finding_in_the_emulators_measurement_counts(gpu: Checkout) -> None:
    source = on_emulator(part="efficiency", outcome="failed", findings=[RACE])
    source += "//! under emulator {}\n"  # and a test of correctness that passes
    _, report = gpu.grade(gpu.submission("ann", {"01_first": source}))
    assert scores(rungs(report)["01_first"]) == [2, 0, 1]


@pytest.mark.parametrize("part", ["correctness", "efficiency"])
def test_what_is_forbidden_on_the_emulator_earns_nothing(gpu: Checkout, part: str) -> None:
    """As of a rung whose host does the work: on the GPU nothing counts what kernels move."""
    forbidden = {"kind": "forbidden", "file": "01_first.cu", "line": 7, "message": "by the host"}
    source = on_emulator(part=part, outcome="failed", findings=[forbidden])
    source += "//! under emulator {}\n"
    _, report = gpu.grade(gpu.submission("ann", {"01_first": source}))
    assert scores(rungs(report)["01_first"]) == [0, 0, 0]


def test_a_fault_of_the_emulator_is_no_verdict(gpu: Checkout) -> None:
    broken = f"{verdict_line()}//! under emulator exit 3\n"
    ran, report = gpu.grade(gpu.submission("ann", {"01_first": broken}))
    assert ran.status == 3
    assert "the emulator" in rungs(report)["01_first"]["fault"]


def test_a_fault_of_the_emulator_does_not_replace_a_verdict(gpu: Checkout) -> None:
    wrong = verdict_line(outcome="failed", kind="wrong_result", message="expected 6, got 4")
    source = f"{wrong}//! under emulator exit 3\n"
    ran, report = gpu.grade(gpu.submission("ann", {"01_first": source}))
    assert ran.status == 1
    assert rungs(report)["01_first"]["outcome"] == "failed"


def test_no_sanitizer_asks_no_emulator(gpu: Checkout) -> None:
    source = on_emulator(outcome="failed", findings=[RACE])
    ran, _ = gpu.grade(gpu.submission("ann", {"01_first": source}), "--no-sanitizer")
    assert ran.status == 0


def test_lint_proves_what_the_gpus_own_tools_find(gpu: Checkout) -> None:
    source = on_emulator(outcome="failed", findings=[RACE])
    assert gpu.grade(gpu.submission("solutions", {"01_first": source}))[0].status == 1
    ran = gpu.lab("lint", LAB)
    assert "starters" in ran.out
    assert "race" not in ran.out


def test_results_are_judged_again_when_the_emulator_changes(gpu: Checkout) -> None:
    folder, store = gpu.submission("ann", {}), ("--results", gpu.work / "kept")

    def judged() -> int:
        gpu.grade(folder, *store)
        return gpu.judged()

    assert [judged(), judged()] == [4, 0]
    emulator = gpu.root / "emulator.py"
    emulator.write_text(emulator.read_text() + "# changed\n")
    assert judged() == 4


def test_a_toolchain_without_an_emulator_says_so(gpu: Checkout) -> None:
    (gpu.root / "build/cpu/lockstep.json").unlink()
    ran, _ = gpu.grade(gpu.submission("ann", {}))
    assert ran.status == 0
    assert "the emulator is not asked about cleanliness" in ran.err
