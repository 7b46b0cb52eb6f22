# SPDX-License-Identifier: MIT
"""Reads the judge's gtest JSON. An unexpected format is the judge's fault, not a zero."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import (
    CompilerWarning,
    Finding,
    FindingKind,
    Image,
    Outcome,
    Part,
    Place,
    TestResult,
)
from lockstep_grader.model.measures import LOOK_BACK_ITEMS, MEASURES
from lockstep_grader.model.score import causes_first
from lockstep_grader.model.text import visible

# Each with the quartiles of its rounds, NAME_low and NAME_high.
_RATIOS = ("share", "of_reference", "of_library", "speedup")
_MEASURES = (
    *(f"{name}{end}" for name in _RATIOS for end in ("", "_low", "_high")),
    "speedup_cpu",
    "noise",
    *(f"clock_gap_{of}ms" for of in ("", "least_", "most_")),
    "gbps",
    "gflops",
    "time_ms",
    "anchor_gbps",
    "anchor_gflops",
    "rounds",
    "spread",
    "num_items",
    LOOK_BACK_ITEMS,
    *MEASURES,
)


def read_gtest(file: Path, images: Path) -> tuple[tuple[TestResult, ...], str]:
    """The tests in `file`, and the seed that the judge used. Raises FaultError.

    `images` is the folder in which the tests left their pictures, if they made any.
    """
    try:
        data = json.loads(file.read_text("utf-8", "backslashreplace"))
        tests = tuple(_test(test, images) for test in _tests(data))
        return tests, str(data.get("seed", ""))
    except FileNotFoundError as error:
        raise FaultError("the judge ended without writing its results") from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FaultError(f"the judge wrote results that cannot be read: {error!r}") from error


def _tests(data: Any) -> Iterator[Any]:
    for suite in data["testsuites"]:
        for test in suite["testsuite"]:
            if test.get("status", "RUN") == "RUN":
                yield test


def _test(test: Mapping[str, Any], images: Path) -> TestResult:
    return TestResult(
        name=f"{test['classname']}.{test['name']}",
        part=Part(test.get("part", Part.CORRECTNESS)),
        outcome=_outcome(test),
        message=visible(_message(test)),
        seconds=float(str(test["time"]).removesuffix("s")),
        findings=_findings(test),
        output=visible(_unquoted(str(test.get("output", "")))),
        measures={name: float(test[name]) for name in _MEASURES if name in test},
        counters=json.loads(test.get("counters", "{}")),
        places={
            str(name): _place(item)
            for name, item in json.loads(test.get("places", "{}")).items()
            if item["line"] > 0
        },
        images=tuple(_image(item, images) for item in json.loads(test.get("images", "[]"))),
        notes=tuple(
            CompilerWarning(note.message, note.file, note.line)
            for note in map(_finding, json.loads(test.get("notes", "[]")))
        ),
    )


def _outcome(test: Mapping[str, Any]) -> Outcome:
    if "outcome" in test:
        return Outcome(test["outcome"])
    if test.get("result") == "SKIPPED":
        return Outcome.SKIPPED
    return Outcome.FAILED if test.get("failures") else Outcome.PASSED


def _message(test: Mapping[str, Any]) -> str:
    if "message" in test:
        return str(test["message"])
    return "\n".join(str(failure["failure"]) for failure in test.get("failures", []))


def _unquoted(text: str) -> str:
    """What the rung printed: the judge writes it as the inside of a JSON string."""
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


def _findings(test: Mapping[str, Any]) -> tuple[Finding, ...]:
    """What the checkers reported, and the judge's own `kind` unless one of them is it."""
    found = [_finding(item) for item in json.loads(test.get("findings", "[]"))]
    if "kind" in test and all(finding.kind != test["kind"] for finding in found):
        place = _place(json.loads(test["place"])) if "place" in test else Place("", 0, 0)
        kind, message = FindingKind(test["kind"]), visible(_message(test))
        items = int(test.get("case_items", 0))
        found.insert(0, Finding(kind, message, place.file, place.line, items=items))
    return tuple(causes_first(found))


def _image(item: Mapping[str, Any], folder: Path) -> Image:
    name = Path(str(item["file"])).name  # keeps the path inside the folder
    if not (folder / name).is_file():
        raise ValueError(f"no picture {name}")
    return Image(str(item["label"]), name, (folder / name).read_bytes())


def _finding(item: Mapping[str, Any]) -> Finding:
    return Finding(
        kind=FindingKind(item["kind"]),
        message=visible(str(item["message"])),
        file=visible(Path(str(item.get("file", ""))).name),
        line=int(item.get("line", 0)),
        items=int(item.get("items", 0)),
    )


def _place(item: Mapping[str, Any]) -> Place:
    file = visible(Path(str(item["file"])).name)
    return Place(file, int(item["line"]), float(item.get("value", 0)))
