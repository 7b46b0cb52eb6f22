# SPDX-License-Identifier: MIT
"""What the script of a page reads: the recording as JSON, its findings and races."""

import base64
import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from lockstep_grader.student.trace.cells import cells_of
from lockstep_grader.student.trace.model import Moment, Recording
from lockstep_grader.student.trace.races import Race, Touch


def page_data(
    recording: Recording,
    races: Sequence[Race],
    sources: Mapping[str, str],
    headers: Sequence[str],
    shows_source: bool = True,
) -> str:
    """JSON in gzip in base64, as a script element can hold it and every browser unpacks it."""
    data = {
        **_described(recording, sources, headers, list(sources) if shows_source else []),
        "races": [_race(race) for race in races],
        "moments": [_row(moment) for moment in recording.moments],
    }
    text = json.dumps(data, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("ascii"), mtime=0)).decode("ascii")


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
            {
                "kind": found.kind,
                "file": found.file,
                "line": found.line,
                "message": found.message,
                "moment": at.get(number, max(0, len(recording.moments) - 1)),
            }
            for number, found in enumerate(recording.findings)
        ],
    }


def _race(race: Race) -> dict[str, Any]:
    """A value of "" is not known."""
    return {
        "finding": race.finding,
        "touches": [_touch(race.first), _touch(race.second)],
        "value": race.value.hex() if race.value else "",
        "other_value": race.other_value.hex() if race.other_value else "",
    }


def _touch(touch: Touch) -> dict[str, Any]:
    names = ("moment", "block", "thread", "array", "offset", "kind")
    return {name: getattr(touch, name) for name in names}


def _row(moment: Moment) -> list[Any]:
    """As the device writes it: docs/profiling.md, the recording."""
    head = [moment.kind, moment.block]
    if moment.kind in "BE":
        return head
    if moment.kind in "bg":
        return [*head, moment.place]
    if moment.kind == "f":
        return [*head, moment.warp, moment.finding, moment.lane]
    row = [*head, moment.warp, moment.place, moment.lanes, moment.live, moment.waiting]
    if access := moment.access:
        values = (_hex(access.before), _hex(access.after))
        offsets = _offsets(access.offsets)
        row += [access.array, access.size_bytes, offsets, *values, access.cost, access.ideal]
    elif operation := moment.operation:
        row += [operation.name, _hex(operation.before), _hex(operation.after)]
    return row


def _hex(values: Sequence[bytes]) -> str:
    return b"".join(values).hex()


def _offsets(offsets: Sequence[int]) -> list[Any]:
    """[first, step], or [[all of them]]."""
    first = offsets[0]
    step = offsets[1] - first if len(offsets) > 1 else 0
    is_even = all(offset == first + step * lane for lane, offset in enumerate(offsets))
    return [first, step] if is_even else [list(offsets)]
