# SPDX-License-Identifier: MIT
"""`grade` with the fake toolchain: points, outcomes, JSON and exit codes."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import jsonschema
import pytest

from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Part

from conftest import LAB, STARTER, Checkout, rungs, verdict_line

SCHEMA = json.loads(
    (Path(__file__).parents[1] / "src/lockstep_grader/schemas/grade.schema.json").read_text()
)


TIMES = frozenset({"at", "seconds", "graded_at"})


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in TIMES}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def test_solutions_get_full_marks_and_exit_0(checkout: Checkout) -> None:
    ran, report = checkout.grade(checkout.root / "solutions")
    assert ran.status == 0
    submission = report["submissions"][0]
    assert (submission["id"], submission["score"], submission["max_score"]) == ("solutions", 10, 10)
    assert all(rung["outcome"] == "passed" for rung in rungs(report).values())


def test_starters_get_nothing_and_exit_1(checkout: Checkout) -> None:
    ran, report = checkout.grade(checkout.root / "labs")
    assert ran.status == 1
    for rung in rungs(report).values():
        assert (rung["score"], rung["outcome"]) == (0, "failed")
        assert [finding["kind"] for finding in rung["findings"]] == ["todo"]


def test_the_json_follows_its_schema(checkout: Checkout) -> None:
    race = {"kind": "race", "file": "/tmp/x/01_first.cu", "line": 3, "message": "both write"}
    mixed = (
        verdict_line(outcome="failed", message="wrong", findings=[race], output="hi\x1b[2J")
        + verdict_line(counters={"k": {"launches": 3}})
        + verdict_line(part="efficiency", share="0.5")
    )
    folder = checkout.submission("mixed", {"01_first": mixed, "02_second": "//! exit 9\n"})
    _, report = checkout.grade(folder)
    jsonschema.validate(report, SCHEMA)
    first = rungs(report)["01_first"]
    assert first["findings"] == [{**race, "file": "01_first.cu", "column": None}]
    assert first["counters"] == {"k": {"launches": 3}}
    assert first["tests"][0]["output"] == "hi\\x1b[2J"


def test_two_runs_with_one_seed_give_the_same_json_but_for_times(checkout: Checkout) -> None:
    folder = checkout.submission("mixed", {"01_first": STARTER})
    _, first = checkout.grade(folder, "--seed", "7", "--jobs", "1", "--results", "one")
    _, second = checkout.grade(folder, "--seed", "7", "--jobs", "4", "--results", "four")
    assert without_times(first) == without_times(second)
    assert first["seed"] == 7
    assert rungs(first)["01_first"]["seed"] == "7"


LEAK = [{"kind": "leak", "file": "01_first.cu", "line": 9, "message": "64 bytes"}]
ODD = [{"kind": "gremlins", "message": "boo"}]


@pytest.mark.parametrize(
    ("text", "points"),
    [
        (verdict_line() + verdict_line(outcome="failed", message="no"), [1, 0, 0]),
        (verdict_line(findings=LEAK), [2, 0, 1]),  # of a checker
    ],
)
def test_parts_of_the_points(checkout: Checkout, text: str, points: list[float]) -> None:
    ran, report = checkout.grade(checkout.submission("ann", {"01_first": text}))
    rung = rungs(report)["01_first"]
    assert [rung["parts"][part]["score"] for part in Part] == points
    assert (rung["outcome"], ran.status) == ("failed", 1)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (verdict_line() + verdict_line(outcome="error", message="no memory"), "no memory"),
        (verdict_line(outcome="failed", findings=ODD), "results that cannot be read"),
    ],
)
def test_trouble_of_one_test_leaves_the_rung_ungraded(
    checkout: Checkout, text: str, fault: str
) -> None:
    ran, report = checkout.grade(checkout.submission("unlucky", {"01_first": text}))
    rung = rungs(report)["01_first"]
    assert (rung["outcome"], rung["score"], ran.status) == ("error", None, 3)
    assert fault in rung["fault"]


@pytest.mark.parametrize(
    "judge", ["//! segfault", "//! exit 7", "//! silent", "//! truncated", "//! exit 1"]
)
def test_a_broken_judge_is_an_error_and_never_a_zero(checkout: Checkout, judge: str) -> None:
    ran, report = checkout.grade(checkout.submission("unlucky", {"01_first": judge + "\n"}))
    rung = rungs(report)["01_first"]
    assert (rung["outcome"], rung["score"], rung["max_score"]) == ("error", None, 4)
    assert rung["fault"]
    assert report["submissions"][0]["score"] is None
    assert rungs(report)["02_second"]["score"] == 6
    assert ran.status == 3
    assert "not graded: unlucky 01-demo/01_first" in ran.complaint


def test_a_compile_error_names_file_line_and_cause(checkout: Checkout) -> None:
    ran, report = checkout.grade(checkout.submission("typo", {"01_first": "SYNTAX"}))
    assert rungs(report)["01_first"]["findings"] == [
        {
            "kind": "compile_error",
            "file": "01_first.cu",
            "line": 3,
            "column": None,
            "message": "expected ';' before '}' token",
        }
    ]
    assert rungs(report)["02_second"]["score"] == 6
    assert "01_first.cu:3" in ran.out
    assert ran.status == 1


@pytest.mark.parametrize("trouble", ["NO_LIBRARY", "NOTHING_MADE"])
def test_a_link_that_breaks_over_our_own_parts_is_an_error(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    monkeypatch.setenv("FAKE_LINKER", trouble)
    ran, report = checkout.grade(checkout.submission("fine", {}))
    assert rungs(report)["01_first"]["outcome"] == "error"
    assert ran.status == 3


def test_a_class_is_graded_on_the_same_labs_even_an_empty_submission(checkout: Checkout) -> None:
    checkout.submission("class/ann", {})
    checkout.submission("class/bob", {"02_second": STARTER})
    (checkout.root / "class/cy").mkdir()
    ran, report = checkout.grade(checkout.root / "class")
    scores = {item["id"]: (item["score"], item["max_score"]) for item in report["submissions"]}
    assert scores == {"ann": (10, 10), "bob": (4, 10), "cy": (0, 10)}
    assert ran.status == 1


def test_a_rung_is_skipped_while_a_required_one_is_wrong(checkout: Checkout) -> None:
    file = checkout.root / "labs" / LAB / "lab.toml"
    file.write_text(file.read_text().replace("requires = []", 'requires = ["01_first"]'))
    wrong = verdict_line(outcome="failed", message="off by one")
    ran, report = checkout.grade(checkout.submission("ann", {"01_first": wrong}))
    second = rungs(report)["02_second"]
    assert (second["outcome"], second["score"]) == ("skipped", 0)
    assert "requires" in ran.out


def test_terminal_control_in_output_and_names_never_passes_through(checkout: Checkout) -> None:
    evil = verdict_line(outcome="failed", message="\x1b]0;owned\x07 [  PASSED  ] all \u202e")
    checkout.submission("class/\x1b[31mmallory", {"01_first": evil})
    ran, report = checkout.grade(checkout.root / "class")
    assert "\x1b" not in ran.out + ran.err
    assert "\u202e" not in ran.out
    assert report["submissions"][0]["id"] == "\\x1b[31mmallory"


def test_a_big_class_is_listed_by_name_with_its_totals_and_troubles(checkout: Checkout) -> None:
    for index in range(9, -1, -1):
        checkout.submission(f"class/student{index}", {"02_second": STARTER} if index % 2 else {})
    checkout.write("class/bad.zip", "no zip")
    checkout.submission("class/unlucky", {"01_first": "//! segfault\n"})
    ran = checkout.lab("grade", checkout.root / "class")
    lines = [line.split()[0] for line in ran.out.splitlines()[1:13]]
    assert lines == ["bad", *(f"student{index}" for index in range(10)), "unlucky"]
    assert "12 submissions, 5 with full marks; mean 6.36, median 4 of 10" in ran.out
    assert "nothing could be taken from (1):\n  bad: bad.zip is neither a zip nor a tar" in ran.out
    assert "not graded (1):\n  unlucky 01-demo/01_first: the judge ended" in ran.out


def test_json_to_a_device_is_written_straight(checkout: Checkout) -> None:
    ran = checkout.lab("grade", checkout.root / "solutions", "--json", "/dev/null")
    assert ran.status == 0
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("option", [(), ("--lab", LAB)])
def test_only_the_judges_of_the_graded_labs_are_built(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, option: tuple[str, ...]
) -> None:
    toml = (checkout.root / "labs" / LAB / "lab.toml").read_text()
    checkout.write("labs/02-more/lab.toml", toml.replace(LAB, "02-more").replace("demo", "more"))
    built: list[Sequence[str]] = []

    def build(workspace: object, backend: object, labs: Sequence[str], jobs: int) -> NoReturn:
        built.append(labs)
        raise FaultError("enough")

    monkeypatch.setattr("lockstep_grader.judging.session._built", build)
    monkeypatch.delenv("LOCKSTEP_TOOLCHAIN")
    checkout.submission("class/ann", {})
    checkout.refusal("grade", checkout.root / "class", "--backend", "cpu", *option, status=3)
    assert built == [[LAB]]
