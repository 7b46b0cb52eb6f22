# SPDX-License-Identifier: MIT
"""What a rung costs its student: minutes between checks, failed checks, opened hints."""

from datetime import datetime, timedelta
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, ValidationError

from lockstep_grader.machine.files import write_json
from lockstep_grader.model.grades import Effort, FindingKind, Lab, LabResult, Rung
from lockstep_grader.student.state import read_kept, revealed_hints

_WORK = "work.json"
_PAUSE = timedelta(minutes=30)  # more between two checks was not all work on the rung


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


def has_failed(folder: Path, lab: Lab, rung: Rung) -> bool:
    """Whether a check has judged the rung, once it was written, and found it wrong."""
    return f"{lab.id}/{rung.id}" in _work(folder).failed


def effort(folder: Path, lab: Lab) -> Effort:
    spent = {
        rung.id: round(_work(folder).minutes.get(f"{lab.id}/{rung.id}", 0.0)) for rung in lab.rungs
    }
    opened = {rung.id: len(revealed_hints(folder, lab, rung)) for rung in lab.rungs}
    return Effort(
        {rung: minutes for rung, minutes in spent.items() if minutes},
        {rung: count for rung, count in opened.items() if count},
    )


def _work(folder: Path) -> _Work:
    try:
        return _Work.model_validate(read_kept(folder / _WORK))
    except ValidationError:
        return _Work()
