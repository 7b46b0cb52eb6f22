# SPDX-License-Identifier: MIT
"""docs/syllabus.md: its program ranks as its rules and its example say."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "syllabus.md"
RUNG = "06_decoupled_look_back"


def program() -> str:
    text = PAGE.read_text()
    begin = text.index("    import json")
    return textwrap.dedent(text[begin : text.index("The last lines", begin)])


def entry(name: str, share: float, outcome: str = "passed") -> dict[str, Any]:
    measures = {"share": share, "share_low": share - 0.005, "share_high": share + 0.005}
    tests = [{"measures": {}}, {"measures": measures}]
    rung = {"id": RUNG, "outcome": outcome, "tests": tests}
    return {"id": name, "labs": [{"id": "02-scan", "rungs": [rung]}]}


def ranked(folder: Path, *runs: list[dict[str, Any]]) -> list[str]:
    files = []
    for number, submissions in enumerate(runs):
        files.append(folder / f"{number}.json")
        files[-1].write_text(json.dumps({"submissions": submissions}))
    command = [sys.executable, "-c", program(), RUNG, "share", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_example_of_the_page(tmp_path: Path) -> None:
    runs = [
        [entry("ada", a), entry("ben", b)] for a, b in ((0.91, 0.88), (0.90, 0.91), (0.91, 0.89))
    ]
    said = ranked(tmp_path, *runs)
    assert [line.split(" (")[0] for line in said] == ["1. ada 0.910", "2. ben 0.890"]


def test_ties_do_not_become_chains(tmp_path: Path) -> None:
    run = [entry("a", 0.910), entry("b", 0.902), entry("c", 0.894), entry("d", 0.800)]
    ranks = [line.split()[0] + line.split()[1] for line in ranked(tmp_path, run)]
    assert ranks == ["1.a", "1.b", "3.c", "4.d"]


def test_an_entry_with_a_run_that_did_not_pass_is_not_ranked(tmp_path: Path) -> None:
    said = ranked(tmp_path, [entry("a", 0.9)], [entry("a", 0.9, "noisy")])
    assert said == ["-- a: not ranked, or a run to repeat"]
