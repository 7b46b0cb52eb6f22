# SPDX-License-Identifier: MIT
"""What a checkout stores about its student: last scores, rungs that were right, revealed hints,
minutes between checks.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import AwareDatetime, BaseModel, ValidationError

from lockstep_grader.machine.files import read_json, write_json
from lockstep_grader.machine.workspace import LAST_HINT_WAITS, MANIFEST, Workspace
from lockstep_grader.model.grades import Effort, FindingKind, Lab, LabResult, Rung

_WORK = "work.json"
_PAUSE = timedelta(minutes=30)  # more between two checks was not all work on the rung


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


class _Work(BaseModel):
    last: AwareDatetime | None = None  # the end of the last check
    minutes: dict[str, float] = {}  # by LAB/RUNG, as below
    failed: frozenset[str] = frozenset()


def remember_work(folder: Path, result: LabResult, now: datetime) -> None:
    """Adds the time since the last check to the rungs that this one judged, in equal parts."""
    work = _work(folder)
    spent = now - work.last if work.last else timedelta()
    share = spent / len(result.rungs) if timedelta() < spent <= _PAUSE else timedelta()
    minutes, failed = dict(work.minutes), set(work.failed)
    for rung in result.rungs:
        name = f"{result.id}/{rung.id}"
        minutes[name] = minutes.get(name, 0.0) + share / timedelta(minutes=1)
        is_written = all(finding.kind is not FindingKind.TODO for finding in rung.findings)
        if is_written and not rung.judgement.is_right:
            failed.add(name)
    updated = _Work(last=now, minutes=minutes, failed=frozenset(failed))
    write_json(folder / _WORK, updated.model_dump(mode="json"))


def last_hint_waits(workspace: Workspace) -> bool:
    """Whether this copy's course opens the last hint only after a check that failed."""
    return _read(workspace.root / MANIFEST).get(LAST_HINT_WAITS) is True


def has_failed(folder: Path, lab: Lab, rung: Rung) -> bool:
    """Whether a check has judged the rung, once it was written, and found it wrong."""
    return f"{lab.id}/{rung.id}" in _work(folder).failed


def effort(folder: Path, lab: Lab) -> Effort:
    spent = {
        rung.id: round(_work(folder).minutes.get(f"{lab.id}/{rung.id}", 0.0)) for rung in lab.rungs
    }
    opened = {rung.id: revealed_hints(folder, lab, rung) for rung in lab.rungs}
    return Effort(
        {rung: minutes for rung, minutes in spent.items() if minutes},
        {rung: count for rung, count in opened.items() if count},
    )


def _work(folder: Path) -> _Work:
    try:
        return _Work.model_validate(_read(folder / _WORK))
    except ValidationError:
        return _Work()


def _read(file: Path) -> Mapping[str, Any]:
    """The file's object; empty when it is absent or damaged: it is only a convenience."""
    try:
        data = read_json(file)
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}
