# SPDX-License-Identifier: MIT
"""Judgements of a results folder that do not count: earlier attempts, and second ones.

A confirmation in confirmed.json counts as long as the judgement that it confirms does: the key says
which that is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from lockstep_grader.machine.files import read_json, write_json
from lockstep_grader.machine.progress import say
from lockstep_grader.model.compat import UTC
from lockstep_grader.model.grades import Confirmation, Judgement
from lockstep_grader.results.folder import kept_file
from lockstep_grader.results.schema import Confirmed, StoredResult, made
from lockstep_grader.results.serial import as_json
from lockstep_grader.results.store import ResultId, Store

FILE = "confirmed.json"


class _Kept(Confirmed):
    submission: str
    key: str


class _File(BaseModel):
    version: Literal[1]
    confirmations: tuple[_Kept, ...]


def read_confirmed(store: Store) -> Mapping[ResultId, Confirmation]:
    """The confirmations of judgements that still count. A damaged file is reported."""
    try:
        file = _File.model_validate(read_json(store.folder / FILE))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        say(
            f"{store.folder / FILE} is damaged, so the second judgements in it do not count; "
            "--confirm makes them again"
        )
        return {}
    found = {}
    for each in file.confirmations:
        result = ResultId(each.submission, each.lab, each.rung)
        if store.key(result) == each.key:
            found[result] = made(Confirmation, each)
    return found


def write_confirmed(store: Store, confirmed: Mapping[ResultId, Confirmation]) -> None:
    """Writes all of them. Raises FaultError."""
    write_json(
        store.folder / FILE,
        {
            "version": 1,
            "confirmations": [
                {
                    "submission": result.submission,
                    "key": store.key(result),
                    **as_json(confirmed[result]),
                }
                for result in sorted(confirmed, key=str)
            ],
        },
    )


def of_submission(
    confirmed: Mapping[ResultId, Confirmation], submission: str
) -> Sequence[Confirmation]:
    ids = sorted((each for each in confirmed if each.submission == submission), key=str)
    return [confirmed[each] for each in ids]


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
        stored = StoredResult.model_validate(read_json(file))
        return Attempt(_time(stored.at), made(Judgement, stored.judgement)), (
            source.read_bytes() if source else b""
        )
    except (OSError, ValueError):
        return None


def _time(text: str) -> datetime | None:
    """In UTC; None for an older file, which has no time."""
    moment = datetime.fromisoformat(text) if text else None
    return moment.astimezone(UTC) if moment else None
