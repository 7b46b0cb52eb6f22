# SPDX-License-Identifier: MIT
"""docs/measured.md names figures that are older than their code, and lists the systems tried."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from repository import REPOSITORY

SCRIPT = "docs/bench/scripts/sources.py"
RECORDS = "grader/src/lockstep_grader/machine/files.py"
ERRORS = "grader/src/lockstep_grader/model/errors.py"
KEYS = "docs/bench/sources.json"
PAGE = "docs/measured.md"
SOLUTION = "solutions/01-reduction/06_single_pass.cu"
FIGURES = "figures.json"
CODE = "__global__ void kernel(int* d) { *d = 1; }  // one thread per block\n"


def sources(root: Path, *arguments: str) -> None:
    subprocess.run([sys.executable, root / SCRIPT, *arguments], check=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one solution and figures of it, measured just now."""
    for path, text in {
        SCRIPT: (REPOSITORY / SCRIPT).read_text("utf-8"),
        RECORDS: (REPOSITORY / RECORDS).read_text("utf-8"),
        ERRORS: (REPOSITORY / ERRORS).read_text("utf-8"),
        KEYS: "{}",
        PAGE: "before\n<!-- older:begin -->\n<!-- older:end -->\nafter\n",
        SOLUTION: CODE,
        f"docs/bench/{FIGURES}": "{}",
    }.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    sources(tmp_path, "record", FIGURES, SOLUTION)
    return tmp_path


def named_as_older(root: Path) -> bool:
    sources(root, "older")
    page = (root / PAGE).read_text("utf-8")
    assert page.startswith("before\n")
    assert page.endswith("after\n")
    return f"| [{FIGURES}](bench/{FIGURES}) | `01-reduction/06_single_pass` |" in page


def test_figures_are_as_old_as_the_code_when_it_is_measured(root: Path) -> None:
    assert not named_as_older(root)


def test_figures_are_older_once_the_code_changes(root: Path) -> None:
    (root / SOLUTION).write_text(CODE.replace("1", "2"), "utf-8")
    assert named_as_older(root)
    sources(root, "record", FIGURES)
    assert not named_as_older(root)


def test_figures_are_older_once_the_solution_is_gone(root: Path) -> None:
    (root / SOLUTION).unlink()
    assert named_as_older(root)


def test_comments_and_layout_do_not_count(root: Path) -> None:
    changed = "/* a comment */\n" + CODE.replace("one thread", "another").replace("{ *d", "{\n  *d")
    (root / SOLUTION).write_text(changed, "utf-8")
    assert not named_as_older(root)


def test_the_page_names_the_figures_that_are_older(tmp_path: Path) -> None:
    """The script, run in a copy, leaves the page as it is."""
    files = [SCRIPT, KEYS, PAGE, *(path for keys in recorded().values() for path in keys)]
    for path in filter(lambda path: (REPOSITORY / path).is_file(), files):
        copy = tmp_path / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((REPOSITORY / path).read_bytes())
    sources(tmp_path, "older")
    assert (tmp_path / PAGE).read_text("utf-8") == (REPOSITORY / PAGE).read_text("utf-8"), (
        "code changed after it was measured: run docs/bench/measure older"
    )


def test_every_rung_of_a_ladder_has_a_key() -> None:
    keys = recorded()
    ladders = sorted((REPOSITORY / "docs" / "bench").glob("[0-9][0-9]-*.json"))
    assert ladders
    for ladder in ladders:
        rows = json.loads(ladder.read_text("utf-8"))["rows"]
        measured = {f"solutions/{ladder.stem}/{row['rung']}.cu" for row in rows}
        assert measured <= set(keys.get(ladder.name, {})), ladder.name


def recorded() -> dict[str, dict[str, str]]:
    keys: dict[str, dict[str, str]] = json.loads((REPOSITORY / KEYS).read_text("utf-8"))
    return keys


RESULTS = sorted((REPOSITORY / "docs" / "bench" / "systems").glob("*.json"))
SYSTEM = "docs/bench/scripts/system.py"


def load(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_text("utf-8")))


@pytest.mark.parametrize("file", RESULTS, ids=lambda file: file.stem)
def test_on_each_published_system_everything_passed(file: Path) -> None:
    report = load(file)
    assert report["marks"]["score"] == report["marks"]["max_score"] > 0
    assert report["marks"]["short"] == report["tests"]["failed"] == []
    assert report["proofs"]["breached"] == report["proofs"]["skipped"] == 0
    if not report["emulated"]:
        assert report["tests"]["passed"] > 300
        assert report["proofs"]["proved"] > 100


def test_the_page_has_the_table_of_the_files(tmp_path: Path) -> None:
    """The script, run in a copy, leaves the page as it is."""
    needed = (REPOSITORY / name for name in (SYSTEM, SCRIPT, PAGE))
    for file in (*needed, *RESULTS):
        copy = tmp_path / file.relative_to(REPOSITORY)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    subprocess.run([sys.executable, tmp_path / SYSTEM, "--table"], check=True)
    page = (tmp_path / PAGE).read_text("utf-8")
    assert page == (REPOSITORY / PAGE).read_text("utf-8")
    assert all(f"| {load(file)['compiler']} |" in page for file in RESULTS)
