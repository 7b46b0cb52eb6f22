# SPDX-License-Identifier: MIT
"""What a student handed in for a rung before: every different source, with its judgement."""

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from lockstep_grader.model.compat import UTC
from lockstep_grader.model.grades import Judgement
from lockstep_grader.results.folder import kept_file
from lockstep_grader.results.parsed import judgement_of
from lockstep_grader.results.schema import StoredResult


@dataclass(frozen=True, slots=True)
class Attempt:
    at: datetime | None  # when it was handed in or else judged; None: not known
    judgement: Judgement


def read_attempts(folder: Path, submission: str, lab: str, rung: str) -> tuple[Attempt, ...]:
    """The attempts, oldest first, in a results folder; none where it keeps none.

    A source that was judged again is one attempt: its first time and its last judgement.
    """
    earlier = f"{lab}/attempts/{rung}"
    names = sorted(each.name for each in (folder / submission / earlier).glob("[0-9]*"))
    places = [*(f"{earlier}/{name}" for name in names), lab]
    attempts: list[Attempt] = []
    before: bytes | None = None
    for place in places:
        found = _attempt(folder, submission, place, rung)
        if found is None:
            continue
        attempt, source = found
        if attempts and source == before:
            attempt = Attempt(attempts.pop().at, attempt.judgement)
        attempts.append(attempt)
        before = source
    return tuple(attempts)


def _attempt(folder: Path, submission: str, place: str, rung: str) -> tuple[Attempt, bytes] | None:
    """An attempt and its source; None for a file that is absent or damaged."""
    file = kept_file(folder, submission, place, f"{rung}.json")
    source = kept_file(folder, submission, place, f"{rung}.cu")
    if file is None:
        return None
    try:
        stored = StoredResult.model_validate(json.loads(file.read_bytes()))
        return Attempt(_time(stored.at), judgement_of(stored.judgement)), (
            source.read_bytes() if source else b""
        )
    except (OSError, ValueError):
        return None


def _time(text: str) -> datetime | None:
    """In UTC; None for an older file, which has no time."""
    moment = datetime.fromisoformat(text) if text else None
    return moment.astimezone(UTC) if moment else None
