# SPDX-License-Identifier: MIT
"""What `bench` does about a rung that cannot be measured; its table in a README, and its plot."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from xml.etree import ElementTree

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


SVG = {"svg": "http://www.w3.org/2000/svg"}


def _row(rung: str, num_items: int, gbps: float, **more: float) -> dict[str, Any]:
    return {
        "rung": rung,
        "num_items": num_items,
        "gbps": gbps,
        "limit": "read",
        "library": "cub",
    } | more


_REPORT: dict[str, Any] = {
    "command": "./lab bench 01-demo",
    "date": "2026-01-02",
    "machine": {"gpu": "A GPU", "driver": "1.2"},
    "compiler": {"version": "13"},
    "rows": [
        _row("01_first", 1 << 16, 2.25, share=0.01, of_library=0.02),
        _row("02_second", 1 << 16, 70, share=0.7, of_library=1.5),
        _row("02_second", 1 << 20, 900, share=0.95, of_library=1.25),
    ],
}


def test_table_has_a_row_a_rung_and_the_ratios_of_the_largest_size() -> None:
    lines = bench.table(_REPORT, "x.json", "x.svg").splitlines()
    assert "| rung | 2^16, GB/s | 2^20, GB/s | share of limit | of library |" in lines
    assert "| `01_first` | 2.2 |  |  |  |" in lines
    assert "| `02_second` | 70 | 900 | 0.950 | 1.250 |" in lines


def test_table_counts_operations_where_they_are_the_measure() -> None:
    rows = [_row("01_first", 1 << 16, 2.25, gflops=345.6, share=0.01, of_library=0.02)]
    lines = bench.table(_REPORT | {"rows": rows}, "x.json", "x.svg").splitlines()
    assert "| rung | 2^16, GFLOP/s | share of limit | of library |" in lines
    assert "| `01_first` | 346 | 0.010 | 0.020 |" in lines


def test_table_has_no_column_for_a_library_that_there_is_not() -> None:
    rows = [_row("01_first", 1 << 16, 2.25, share=0.5) | {"library": ""}]
    text = bench.table(_REPORT | {"rows": rows}, "x.json", "x.svg")
    assert "| rung | 2^16, GB/s | share of limit |" in text.splitlines()
    assert "library" not in text


def test_table_marks_figures_that_rounds_disagree_on() -> None:
    rows = [_row("01_first", 1 << 16, 2.25, noisy=True), _row("01_first", 1 << 20, 30)]
    lines = bench.table(_REPORT | {"rows": rows}, "x.json", "x.svg").splitlines()
    assert "| `01_first` | ~2.2 | 30 |" in lines
    assert "more than 5%" in lines[0]
    assert "~" not in bench.table(_REPORT, "x.json", "x.svg")


def test_table_says_how_many_results_were_checked() -> None:
    rows = [_row("01_first", 1 << 16, 2.25, checked_calls=count) for count in (40, 34)]
    first = bench.table(_REPORT | {"rows": rows}, "x.json", "x.svg").splitlines()[0]
    assert "at least 34 per rung and size" in first


def test_table_names_the_command_the_machine_and_the_date() -> None:
    first = bench.table(_REPORT, "x.json", "x.svg").splitlines()[0]
    for said in ("A GPU", "2026-01-02", "`./lab bench 01-demo`", "x.json"):
        assert said in first


def test_put_into_replaces_only_what_stands_between_the_markers(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("a\n<!-- measured:begin -->\nold\n<!-- measured:end -->\nb\n")
    bench.put_into(readme, "new")
    bench.put_into(readme, "newer")
    assert readme.read_text() == ("a\n<!-- measured:begin -->\nnewer\n<!-- measured:end -->\nb\n")


def test_put_into_refuses_a_readme_without_markers(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("nothing here\n")
    with pytest.raises(InputError, match="measured:begin"):
        bench.put_into(readme, "new")


def test_a_plot_names_each_line_and_places_dots_by_powers(tmp_path: Path) -> None:
    rows = [{**row, "anchor_gbps": 2 * row["gbps"]} for row in _REPORT["rows"]]
    bench.draw(_REPORT | {"lab": "01-demo", "rows": rows}, tmp_path / "x.svg")
    drawn = ElementTree.parse(tmp_path / "x.svg")
    named = {text.text: text for text in drawn.iterfind(".//svg:text", SVG)}
    for said in ("01-demo on A GPU, 2026-01-02", "01_first", "02_second", "read", "cub", "GB/s"):
        assert said in named
    at = {power: float(named[power].attrib["y"]) for power in ("10", "100", "1000")}
    assert at["10"] - at["100"] == pytest.approx(at["100"] - at["1000"], abs=0.2)
    dots = [path.attrib["d"] for path in drawn.iterfind(".//svg:path[@class='p c1']", SVG)]
    x = named["2^20"].attrib["x"]
    assert [steps.count("h0") for steps in dots] == [3]  # its sizes, and the legend's sample
    assert f"M{x} " in dots[0]


REPORTS = sorted((Path(__file__).parents[2] / "docs" / "bench").glob("[0-9][0-9]-*.json"))


@pytest.mark.parametrize("file", REPORTS, ids=lambda file: file.stem)
def test_a_committed_plot_is_that_of_its_report(file: Path, tmp_path: Path) -> None:
    bench.draw(bench.load(file), tmp_path / "now.svg")
    now = (tmp_path / "now.svg").read_text("utf-8")
    assert file.with_suffix(".svg").read_text("utf-8") == now, (
        "docs/bench/measure ladders --page-only draws it again"
    )


def test_a_rung_is_compared_with_the_first_one_only_if_both_define_one_function() -> None:
    rows: list[bench.Row] = [
        {"rung": "01_first", "function": "merge", "num_items": 64, "time_ms": 6.0},
        {"rung": "02_second", "function": "merge", "num_items": 64, "time_ms": 2.0},
        {"rung": "03_third", "function": "sort", "num_items": 64, "time_ms": 9.0},
    ]
    bench.compare_with_first(rows)
    assert [row.get("speedup_first") for row in rows] == [1, 3, None]
