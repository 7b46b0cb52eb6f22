# SPDX-License-Identifier: MIT
"""A recording as one HTML page that replays it, and that needs nothing else: no network."""

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from markupsafe import Markup

from lockstep_grader import __version__
from lockstep_grader.pages.engine import content_policy, make_environment, trusted
from lockstep_grader.pages.source import coloured_lines, colours
from lockstep_grader.student.trace.cells import cells_of
from lockstep_grader.student.trace.model import Moment, Recording
from lockstep_grader.student.trace.races import (
    Race,
    Touch,
    in_other_order,
    reader_of,
    value_of,
)
from lockstep_grader.student.trace.record import Recorded

MAX_BLOCKS = 4  # as simt/recording.h says
# In this order they are one script.
_SCRIPTS = (
    "values.js",
    "replay.js",
    "memory.js",
    "access.js",
    "timeline.js",
    "warps.js",
    "main.js",
)
_TIMES = " \u00d7 "


@dataclass(frozen=True, slots=True)
class Trace:
    name: str  # of the rung or the file
    seed: int
    recorded: Recorded
    sources: dict[str, str]  # of the program, by file name
    headers: tuple[str, ...]  # that may declare what the sources use
    races: tuple[Race, ...] = ()
    others: tuple[tuple[int, Recording], ...] = ()  # the same launch under other seeds

    @property
    def recording(self) -> Recording:
        return self.recorded.recording


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    lines: tuple[Markup, ...]


def notes_of(trace: Trace) -> list[str]:
    """What the page does not show, each with the next step."""
    recording = trace.recording
    notes = []
    if recording.num_blocks > MAX_BLOCKS:
        notes.append(
            f"blocks 0 to {MAX_BLOCKS - 1} of {recording.num_blocks} are recorded: "
            "a smaller --size has fewer"
        )
    if recording.is_cut:
        notes.append(
            f"the recording is cut after {len(recording.moments)} steps, while the launch went on: "
            "a smaller --size has fewer"
        )
    return notes


def render_page(trace: Trace) -> str:
    """The whole page. Text of the program is escaped or set by the script as text."""
    environment = make_environment("lockstep_grader.student.trace")
    style = trusted(environment.get_template("trace.css.j2").render(**colours()))
    script = trusted("\n".join(environment.get_template(name).render() for name in _SCRIPTS))
    files = [_File(name, tuple(coloured_lines(text))) for name, text in trace.sources.items()]
    data = json.dumps(_data(trace), separators=(",", ":")).encode("ascii")
    return environment.get_template("trace.html.j2").render(
        trace=trace,
        recording=trace.recording,
        files=files,
        notes=notes_of(trace),
        launched=_launched(trace.recording),
        shows_message=_shows_message(trace),
        data=base64.b64encode(zlib.compress(data, 9)).decode("ascii"),
        style=style,
        script=script,
        policy=content_policy(style, script),
        version=__version__,
    )


def _launched(recording: Recording) -> str:
    return f"{_size(recording.grid, 'block')} of {_size(recording.block, 'thread')}"


def _size(extent: Sequence[int], word: str) -> str:
    """As a program writes it: without the dimensions of 1 at the end."""
    lengths = list(extent)
    while len(lengths) > 1 and lengths[-1] == 1:
        lengths.pop()
    return f"{_TIMES.join(map(str, lengths))} {word}{'' if lengths == [1] else 's'}"


def _shows_message(trace: Trace) -> bool:
    """A finding has a place of its own in the page."""
    message = trace.recorded.message
    return bool(message) and all(found.message not in message for found in trace.recording.findings)


def _data(trace: Trace) -> dict[str, Any]:
    recording = trace.recording
    names = list(trace.sources)
    texts = [*trace.sources.values(), *trace.headers]
    cells = cells_of(recording, texts, trace.sources)
    return {
        "kernel": recording.kernel,
        "grid": recording.grid,
        "block": recording.block,
        "blocks": recording.recorded_blocks,
        "places": [
            [names.index(place.file) if place.file in names else -1, place.line, place.file]
            for place in recording.places
        ],
        "arrays": [
            {**asdict(shown), "shared": array.is_shared, "block": array.block}
            for array, shown in zip(recording.arrays, cells, strict=True)
        ],
        "findings": _findings(trace),
        "moments": [_moment(moment) for moment in recording.moments],
    }


def _moment(moment: Moment) -> list[Any]:
    row: list[Any] = [moment.kind, moment.block, moment.warp, moment.place]
    row += [moment.lanes, moment.live, moment.waiting]
    if access := moment.access:
        row += [access.array, access.size_bytes, _offsets(access.offsets)]
        row += [b"".join(access.before).hex(), b"".join(access.after).hex()]
        row += [access.cost, access.ideal]
    elif operation := moment.operation:
        row += [operation.name, b"".join(operation.before).hex(), b"".join(operation.after).hex()]
    elif moment.kind == "f":
        row += [moment.finding, moment.lane]
    return row


def _offsets(offsets: Sequence[int]) -> list[Any]:
    """[first, step], or [[all of them]]."""
    step = offsets[1] - offsets[0] if len(offsets) > 1 else 0
    if all(offset == offsets[0] + step * index for index, offset in enumerate(offsets)):
        return [offsets[0], step]
    return [list(offsets)]


def _findings(trace: Trace) -> list[dict[str, Any]]:
    recording = trace.recording
    races = {race.finding: race for race in trace.races}
    at = {moment.finding: index for index, moment in enumerate(recording.moments)}
    return [
        {
            **asdict(found),
            "moment": at.get(number, max(0, len(recording.moments) - 1)),
            "race": _race(trace, races[number]) if number in races else None,
        }
        for number, found in enumerate(recording.findings)
    ]


def _race(trace: Trace, race: Race) -> dict[str, Any]:
    recording = trace.recording
    here = value_of(recording, reader_of(race))
    other = in_other_order(recording, race, trace.others)
    return {
        "touches": [_touch(race.first), _touch(race.second)],
        "here": here.hex() if here else "",
        "seeds": [seed for seed, _ in trace.others],
        "other": {"seed": other.seed, "value": other.value.hex()} if other else None,
    }


def _touch(touch: Touch) -> dict[str, Any]:
    return {
        "moment": touch.moment,
        "block": touch.block,
        "thread": touch.thread,
        "array": touch.array,
        "offset": touch.offset,
        "kind": touch.kind,
    }
