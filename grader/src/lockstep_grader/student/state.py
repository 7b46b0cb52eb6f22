# SPDX-License-Identifier: MIT
"""What a checkout stores about its student: last scores, rungs that were right, revealed hints."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lockstep_grader.machine.files import read_json, write_json
from lockstep_grader.model.grades import Lab, LabResult, Rung


def revealed_hints(folder: Path, lab: Lab, rung: Rung) -> int:
    """How many hints of the rung were shown so far."""
    count = _read(folder / "hints.json").get(f"{lab.id}/{rung.id}", 0)
    return count if isinstance(count, int) else 0


def set_revealed_hints(folder: Path, lab: Lab, rung: Rung, count: int) -> None:
    hints = _read(folder / "hints.json")
    write_json(folder / "hints.json", {**hints, f"{lab.id}/{rung.id}": count})


def last_scores(folder: Path, lab: Lab) -> dict[str, float]:
    """The points that each rung had when it was last checked, by rung id."""
    scores = _read(folder / "progress.json").get(lab.id, {})
    return {
        rung.id: float(scores[rung.id])
        for rung in lab.rungs
        if isinstance(scores, dict) and isinstance(scores.get(rung.id), int | float)
    }


def remember_scores(folder: Path, result: LabResult) -> None:
    """Keeps the scores of the rungs in `result`; a rung that was not graded keeps its old one."""
    progress = _read(folder / "progress.json")
    earlier = progress.get(result.id)
    scores = {rung.id: rung.score for rung in result.rungs if rung.score is not None}
    merged = {**(earlier if isinstance(earlier, dict) else {}), **scores}
    write_json(folder / "progress.json", {**progress, result.id: merged})


def right_rungs(folder: Path, lab: Lab) -> frozenset[str]:
    """The rungs that some check has found right: it has shown their counters."""
    known = _read(folder / "right.json").get(lab.id, [])
    return frozenset(map(str, known)) if isinstance(known, list) else frozenset()


def remember_right(folder: Path, lab: Lab, result: LabResult) -> None:
    right = right_rungs(folder, lab) | {rung.id for rung in result.rungs if rung.judgement.is_right}
    write_json(folder / "right.json", {**_read(folder / "right.json"), lab.id: sorted(right)})


def _read(file: Path) -> Mapping[str, Any]:
    """The file's object; empty when it is absent or damaged: it is only a convenience."""
    try:
        data = read_json(file)
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}
