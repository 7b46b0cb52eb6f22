# SPDX-License-Identifier: MIT
"""The table that `bench` puts into a README."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from lockstep_grader.model.errors import InputError
from lockstep_grader.student import bench

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
