# SPDX-License-Identifier: MIT
"""What `bench` does about a rung that cannot be measured."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lockstep_grader.judging.session import Session
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Backend, Lab
from lockstep_grader.student import bench

from conftest import demo_rung

LAB = Lab("01-demo", "demo", "Demo", "", (), (demo_rung("01_first"), demo_rung("02_second")))
SESSION = cast(
    Session, SimpleNamespace(toolchain=SimpleNamespace(backend=Backend.CUDA, compiler={}), jobs=2)
)

asked: list[tuple[str, Sequence[int]]] = []  # rungs, and the sizes at which they were timed


def measure(
    monkeypatch: pytest.MonkeyPatch, earlier: dict[str, Any] | None = None, **by_rung: Any
) -> dict[str, Any]:
    """The report where each rung gives these rows, or raises this error."""

    asked.clear()

    def time_rung(*arguments: Any) -> list[dict[str, Any]]:
        found = by_rung[f"of_{arguments[3].id}"]
        if isinstance(found, Exception):
            raise found
        asked.append((arguments[3].id, arguments[4]))
        return cast(list[dict[str, Any]], found)

    monkeypatch.setattr(bench, "_compile", lambda *_: Path())
    monkeypatch.setattr(bench, "_time_rung", time_rung)
    monkeypatch.setattr(bench, "_machine", lambda: {"gpu": "A GPU"})
    return bench.measure(SESSION, Path(), LAB, (64, 128), earlier)


@pytest.mark.parametrize("error", [InputError("no such kernel"), FaultError("the driver is gone")])
def test_a_rung_that_cannot_be_measured_costs_only_its_own_row(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    report = measure(monkeypatch, of_01_first=error, of_02_second=[{"num_items": 64, "gbps": 1.0}])
    row = {"rung": "02_second", "date": report["date"], "num_items": 64, "gbps": 1.0}
    assert report["rows"] == [row]
    assert report["failures"] == [str(error)]


def test_a_size_that_failed_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"num_items": 64, "failure": "wrong sum"}, {"num_items": 128, "gbps": 2.0}]
    report = measure(monkeypatch, of_01_first=rows, of_02_second=[])
    assert [row["num_items"] for row in report["rows"]] == [128]
    assert report["failures"] == ["01_first, 64 items: wrong sum"]


def test_only_what_is_missing_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    old = [{"rung": "01_first", "num_items": size, "gbps": 1.0} for size in (64, 128)]
    old += [{"rung": "02_second", "num_items": 128, "gbps": 2.0}]
    earlier = {"machine": {"gpu": "A GPU"}, "date": "2026-01-02", "rows": old}
    new = [{"num_items": 64, "gbps": 3.0}]
    report = measure(monkeypatch, earlier, of_01_first=[], of_02_second=new)
    assert asked == [("02_second", [64])]
    assert [row["gbps"] for row in report["rows"]] == [1.0, 1.0, 3.0, 2.0]
    assert report["date"].startswith("2026-01-02 and ")
    with pytest.raises(InputError, match="another GPU, B GPU"):
        measure(monkeypatch, {**earlier, "machine": {"gpu": "B GPU"}})


def test_nothing_measured_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="no such kernel"):
        measure(monkeypatch, of_01_first=InputError("no such kernel"), of_02_second=[])
    with pytest.raises(InputError, match="01-demo has no rung that is measured"):
        measure(monkeypatch, of_01_first=[], of_02_second=[])
