# SPDX-License-Identifier: MIT
"""What a checkout stores about its student: scores, right rungs, revealed hints, minutes."""

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from lockstep_grader.intake.submission import Source
from lockstep_grader.machine.files import read_json, write_json
from lockstep_grader.machine.workspace import LAST_HINT_WAITS, MANIFEST, Workspace
from lockstep_grader.model.compat import UTC
from lockstep_grader.model.grades import Effort, Finding, FindingKind, Lab, LabResult, Rung

_CHECKS = "checks.json"


def revealed_hints(folder: Path, lab: Lab, rung: Rung) -> tuple[int, ...]:
    """The numbers of the rung's hints that were shown so far, from 1, in that order."""
    kept = read_kept(folder / "hints.json").get(f"{lab.id}/{rung.id}", ())
    numbers = kept if isinstance(kept, list) else ()
    return tuple(number for number in numbers if number in range(1, len(rung.hints) + 1))


def set_revealed_hints(folder: Path, lab: Lab, rung: Rung, numbers: Sequence[int]) -> None:
    hints = read_kept(folder / "hints.json")
    write_json(folder / "hints.json", {**hints, f"{lab.id}/{rung.id}": list(numbers)})


def next_hint(rung: Rung, revealed: Sequence[int], causes: Sequence[str]) -> int:
    """The number of the hint to show now: one for the last check's causes, or the next in order.

    0: all were shown.
    """
    serving = [rung.hint_for[cause] for cause in causes if cause in rung.hint_for]
    in_order = range(1, len(rung.hints) + 1)
    return next((each for each in (*serving, *in_order) if each not in revealed), 0)


@dataclass(frozen=True, slots=True)
class LastCheck:
    """What the last check of a rung came to."""

    score: float
    best: float  # of all checks
    file: str  # the digest of what was judged; empty: it could not be read
    causes: tuple[str, ...] = ()  # kinds of findings, and measures over their budgets

    def is_of(self, data: bytes) -> bool:
        return self.file == _digest(data)


def last_checks(folder: Path, lab: Lab) -> dict[str, LastCheck]:
    """By rung id, of those that were checked."""
    known = read_kept(folder / _CHECKS)
    found = {}
    for rung in lab.rungs:
        with contextlib.suppress(AttributeError, KeyError, TypeError, ValueError):
            kept = known[f"{lab.id}/{rung.id}"]
            found[rung.id] = LastCheck(
                float(kept["score"]), float(kept["best"]), kept["file"], tuple(kept["causes"])
            )
    return found


def remember_checks(
    folder: Path,
    lab: Lab,
    result: LabResult,
    sources: Mapping[str, Source | Finding],
    causes: Mapping[str, Sequence[str]],
) -> None:
    """Keeps the scores of the rungs in `result`; a rung that was not graded keeps its old one."""
    checks, earlier = dict(read_kept(folder / _CHECKS)), last_checks(folder, lab)
    for rung in result.rungs:
        if rung.score is None:
            continue
        source = sources[rung.id]
        best = max(rung.score, earlier[rung.id].best if rung.id in earlier else 0.0)
        file = _digest(source.data) if isinstance(source, Source) else ""
        checks[f"{lab.id}/{rung.id}"] = asdict(
            LastCheck(rung.score, best, file, tuple(causes[rung.id]))
        )
    write_json(folder / _CHECKS, checks)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def right_rungs(folder: Path, lab: Lab) -> frozenset[str]:
    """The rungs that some check has found right: it has shown their counters."""
    known = read_kept(folder / "right.json").get(lab.id, [])
    return frozenset(map(str, known)) if isinstance(known, list) else frozenset()


def remember_right(folder: Path, lab: Lab, result: LabResult) -> None:
    right = right_rungs(folder, lab) | {rung.id for rung in result.rungs if rung.judgement.is_right}
    write_json(folder / "right.json", {**read_kept(folder / "right.json"), lab.id: sorted(right)})


def last_hint_waits(workspace: Workspace) -> bool:
    """Whether this copy's course opens the last hint only after a check that failed."""
    return read_kept(workspace.root / MANIFEST).get(LAST_HINT_WAITS) is True


def read_kept(file: Path) -> Mapping[str, Any]:
    """The file's object; empty when it is absent or damaged: it is only a convenience."""
    try:
        data = read_json(file)
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


# ---- what a rung costs its student: minutes between checks, failed checks, opened hints

_WORK = "work.json"
_PAUSE = timedelta(minutes=30)  # more between two checks was not all work on the rung


@dataclass(frozen=True, slots=True)
class _Work:
    last: datetime | None = None  # the end of the last check
    minutes: Mapping[str, float] = field(default_factory=dict)  # by LAB/RUNG, as below
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
    kept = {"last": now.isoformat(), "minutes": minutes, "failed": sorted(failed)}
    write_json(folder / _WORK, kept)


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
    kept = read_kept(folder / _WORK)
    try:
        last = datetime.fromisoformat(str(kept["last"]).replace("Z", "+00:00"))
        minutes = {str(rung): float(each) for rung, each in kept["minutes"].items()}
        return _Work(last.astimezone(UTC), minutes, frozenset(map(str, kept.get("failed", ()))))
    except (AttributeError, KeyError, TypeError, ValueError):
        return _Work()
