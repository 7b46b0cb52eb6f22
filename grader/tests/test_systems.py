# SPDX-License-Identifier: MIT
"""docs/measured.md says what the files of docs/bench/systems say, and all of these are good."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]
RESULTS = sorted((REPOSITORY / "docs" / "bench" / "systems").glob("*.json"))
SCRIPT = "docs/bench/scripts/system.py"
SOURCES = "docs/bench/scripts/sources.py"


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
    needed = (REPOSITORY / name for name in (SCRIPT, SOURCES, "docs/measured.md"))
    for file in (*needed, *RESULTS):
        copy = tmp_path / file.relative_to(REPOSITORY)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    subprocess.run([sys.executable, tmp_path / SCRIPT, "--table"], check=True)
    page = (tmp_path / "docs" / "measured.md").read_text("utf-8")
    assert page == (REPOSITORY / "docs" / "measured.md").read_text("utf-8")
    assert all(f"| {load(file)['compiler']} |" in page for file in RESULTS)
