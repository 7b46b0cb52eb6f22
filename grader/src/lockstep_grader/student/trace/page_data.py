# SPDX-License-Identifier: MIT
"""What the script of a page reads: the recordings, their findings, and which races they share."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from lockstep_grader.student.trace.cells import cells_of
from lockstep_grader.student.trace.model import Recording
from lockstep_grader.student.trace.other_order import OtherOrder
from lockstep_grader.student.trace.pack import compressed_text, packed
from lockstep_grader.student.trace.races import Race, Touch, value_of, watched


def page_data(
    recording: Recording,
    races: Sequence[Race],
    others: Sequence[OtherOrder],
    sources: Mapping[str, str],
    headers: Sequence[str],
    shows_source: bool = True,
) -> str:
    """One text: the recording first, and then the other orders."""
    columns: list[bytes] = []
    recordings = []
    for each in (recording, *(other.recording for other in others)):
        made = packed(each)
        recordings.append(
            {
                **_described(each, sources, headers, list(sources) if shows_source else []),
                "names": made.names,
                "columns": [[name, len(data)] for name, data in made.columns.items()],
            }
        )
        columns += made.columns.values()
    meta = {
        "recordings": recordings,
        "races": [_race(recording, race, others) for race in races],
        "orders": [{"seed": other.seed, "one_by_one": other.one_by_one} for other in others],
    }
    text = json.dumps(meta, separators=(",", ":")).encode("ascii")
    return compressed_text(len(text).to_bytes(4, "big") + text + b"".join(columns))


def _described(
    recording: Recording,
    sources: Mapping[str, str],
    headers: Sequence[str],
    names: Sequence[str],
) -> dict[str, Any]:
    """`names` are those of the files that the page shows."""
    cells = cells_of(recording, [*sources.values(), *headers], dict(sources))
    at = {moment.finding: index for index, moment in enumerate(recording.moments)}
    return {
        "kernel": recording.kernel,
        "threads": recording.threads_per_block,
        "blocks": recording.recorded_blocks,
        "places": [
            [names.index(place.file) if place.file in names else -1, place.line, place.file]
            for place in recording.places
        ],
        "arrays": [
            {**asdict(shown), "shared": array.is_shared, "block": array.block}
            for array, shown in zip(recording.arrays, cells, strict=True)
        ],
        "findings": [
            {**asdict(found), "moment": at.get(number, max(0, len(recording.moments) - 1))}
            for number, found in enumerate(recording.findings)
        ],
    }


def _race(recording: Recording, race: Race, others: Sequence[OtherOrder]) -> dict[str, Any]:
    """`other` is null where no such order was found."""
    here = value_of(recording, watched(race.first, race.second))
    told: dict[str, Any] = {
        "finding": race.finding,
        "touches": [_touch(race.first), _touch(race.second)],
        "value": here.hex() if here else "",
        "other": None,
    }
    for index, other in enumerate(others):
        for seen in other.races:
            if seen.race == race:
                told["other"] = {
                    "recording": index + 1,
                    "touches": [_touch(seen.first), _touch(seen.second)],
                    "value": seen.value.hex() if seen.value else "",
                }
    return told


def _touch(touch: Touch) -> dict[str, Any]:
    return {
        "moment": touch.moment,
        "block": touch.block,
        "thread": touch.thread,
        "array": touch.array,
        "offset": touch.offset,
        "kind": touch.kind,
    }
