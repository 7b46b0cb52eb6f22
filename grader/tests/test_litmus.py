# SPDX-License-Identifier: MIT
"""The litmus tests: their heads, the page that explains them, and the committed table."""

from pathlib import Path
from typing import Any

import pytest

from repository import REPOSITORY, bench_script


@pytest.fixture(scope="module")
def litmus() -> Any:
    return bench_script("litmus")


@pytest.fixture(scope="module")
def sides(litmus: Any) -> dict[str, Any]:
    read: dict[str, Any] = litmus.read_sides(litmus.FIGURES)
    return read


def test_the_page_explains_every_test_and_no_other(litmus: Any) -> None:
    page = (REPOSITORY / "docs" / "memory-model.md").read_text("utf-8")
    rows = [
        line.split("`")[1] for line in page.splitlines() if line.startswith("| `") and "`" in line
    ]
    names = {test.name for test in litmus.read_tests()}
    assert set(rows) & names == names
    assert [
        row for row in rows if row.startswith(("message", "store", "load")) and row not in names
    ] == []


def test_the_emulator_is_sequentially_consistent(litmus: Any, sides: dict[str, Any]) -> None:
    found = sides["cpu"]["tests"]
    for test in litmus.read_tests():
        outcomes = found[test.name]["outcomes"]
        assert sum(outcomes.values()) > 0
        assert test.weak not in outcomes, test.name


def test_the_emulator_reports_the_race_and_nothing_else(litmus: Any, sides: dict[str, Any]) -> None:
    found = sides["cpu"]["tests"]
    for test in litmus.read_tests():
        kinds = set(found[test.name]["orders_with_finding"])
        assert kinds == ({"race"} if test.model == "race" else set()), test.name


def test_the_table_is_made_from_the_results(litmus: Any, sides: dict[str, Any]) -> None:
    made = litmus.table(litmus.read_tests(), sides)
    measurements = bench_script("measurements")
    assert measurements.read_section(measurements.TABLES, "Litmus tests") == made


@pytest.mark.parametrize("head", ["// Text.\n", "// Text.\n// weak: 0 2\n// model: maybe\n"])
def test_a_wrong_head_is_refused(litmus: Any, tmp_path: Path, head: str) -> None:
    (tmp_path / "x.cu").write_text(f"// SPDX-License-Identifier: MIT\n{head}\nint main() {{}}\n")
    with pytest.raises(Exception, match=r"x\.cu: its head must have"):
        litmus.read_tests(tmp_path)
