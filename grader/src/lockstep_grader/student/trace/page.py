# SPDX-License-Identifier: MIT
"""A recording as one HTML page that replays it, and that needs nothing else: no network."""

import base64
import gzip
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from lockstep_grader import __version__
from lockstep_grader.model.errors import InputError
from lockstep_grader.pages.engine import (
    coloured_lines,
    colours,
    content_policy,
    make_environment,
    trusted,
)
from lockstep_grader.student.trace.cells import Cells, cells_of
from lockstep_grader.student.trace.model import Race, Recording, Touch
from lockstep_grader.student.trace.record import Recorded

MAX_BLOCKS = 4  # as record/recording.h says
MAX_PAGE_BYTES = 4_200_000
# In this order they are one script.
_SCRIPTS = (
    "unpack.js",
    "values.js",
    "replay.js",
    "memory.js",
    "access.js",
    "timeline.js",
    "warps.js",
    "findings.js",
    "main.js",
)
_TIMES = " \u00d7 "


@dataclass(frozen=True, slots=True)
class Trace:
    name: str  # of the rung or the file
    how: str  # the launch was made, as "in the order of --seed 3"; empty: as the file says
    recorded: Recorded
    sources: dict[str, str]  # of the program, by file name
    headers: tuple[str, ...]  # that may declare what the sources use
    races: tuple[Race, ...] = ()
    shows_source: bool = True

    @property
    def recording(self) -> Recording:
        return self.recorded.recording

    def cells(self) -> list[Cells]:
        return cells_of(self.recording, [*self.sources.values(), *self.headers], self.sources)


def notes_of(trace: Trace) -> list[str]:
    """What the page does not show, each with the next step."""
    recording = trace.recording
    notes = []
    if recording.num_blocks > MAX_BLOCKS:
        notes.append(
            f"blocks 0 to {MAX_BLOCKS - 1} of {recording.num_blocks} are recorded: "
            "a smaller problem has fewer"
        )
    if recording.is_cut:
        notes.append(
            f"the recording is cut after {len(recording.moments)} steps, while the launch went on: "
            "a smaller problem has fewer"
        )
    return notes


def make_page(trace: Trace) -> tuple[Trace, str]:
    """The page, and what it shows: all of `trace`, or as much as fits into MAX_PAGE_BYTES."""
    while True:
        data = _data(trace)
        page = _render(trace, data)
        size, data_size = len(page.encode()), len(data.encode())
        if size <= MAX_PAGE_BYTES:
            return trace, page
        room = MAX_PAGE_BYTES - (size - data_size)
        kept = int(len(trace.recording.moments) * min(0.97, room / data_size))
        if kept < 1:
            raise InputError(f"{trace.name} is too long a file for a page of a trace")
        trace = _cut(trace, kept)


def _cut(trace: Trace, num_moments: int) -> Trace:
    whole = trace.recording
    rows, moments = whole.rows[:num_moments], whole.moments[:num_moments]
    recording = replace(whole, is_cut=True, rows=rows, moments=moments)
    races = tuple(race for race in trace.races if race.second.moment < num_moments)
    recorded = replace(trace.recorded, recording=recording)
    return replace(trace, recorded=recorded, races=races)


def _render(trace: Trace, data: str) -> str:
    """Text of the program is escaped or set by the script as text."""
    environment, recording = make_environment("lockstep_grader.student.trace"), trace.recording
    style = trusted(environment.get_template("trace.css.j2").render(**colours()))
    script = trusted("\n".join(environment.get_template(name).render() for name in _SCRIPTS))
    message = trace.recorded.message
    shown = trace.sources if trace.shows_source else {}
    files = [{"name": name, "lines": coloured_lines(text)} for name, text in shown.items()]
    return environment.get_template("trace.html.j2").render(
        trace=trace,
        recording=recording,
        files=files,
        notes=notes_of(trace),
        launched=f"{_size(recording.grid, 'block')} of {_size(recording.block, 'thread')}",
        # A finding has a place of its own in the page.
        shows_message=message and all(found.message not in message for found in recording.findings),
        data=trusted(data),  # base64
        style=style,
        script=script,
        policy=content_policy(style, script),
        version=__version__,
    )


def _size(extent: Sequence[int], word: str) -> str:
    """As a program writes it: without the dimensions of 1 at the end."""
    lengths = list(extent)
    while len(lengths) > 1 and lengths[-1] == 1:
        lengths.pop()
    return f"{_TIMES.join(map(str, lengths))} {word}{'' if lengths == [1] else 's'}"


def _data(trace: Trace) -> str:
    """JSON in gzip in base64, as a script element can hold it and every browser unpacks it."""
    recording, names = trace.recording, list(trace.sources) if trace.shows_source else []
    at = {moment.finding: index for index, moment in enumerate(recording.moments)}
    data = {
        "kernel": recording.kernel,
        "threads": recording.threads_per_block,
        "blocks": recording.recorded_blocks,
        "places": [
            [names.index(place.file) if place.file in names else -1, place.line, place.file]
            for place in recording.places
        ],
        "arrays": [
            {**asdict(shown), "shared": array.is_shared, "block": array.block}
            for array, shown in zip(recording.arrays, trace.cells(), strict=True)
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
        "races": [
            {
                "finding": race.finding,
                "touches": [_touch(race.first), _touch(race.second)],
                "value": race.value.hex() if race.value else "",  # empty: not known
                "other_value": race.other_value.hex() if race.other_value else "",
            }
            for race in trace.races
        ],
        "moments": recording.rows,
    }
    text = json.dumps(data, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("ascii"), mtime=0)).decode("ascii")


def _touch(touch: Touch) -> dict[str, Any]:
    names = ("moment", "block", "thread", "array", "offset", "kind")
    return {name: getattr(touch, name) for name in names}
