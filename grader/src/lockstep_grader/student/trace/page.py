# SPDX-License-Identifier: MIT
"""A recording as one HTML page that replays it, and that needs nothing else: no network.

What the cells of an array hold and how they lie comes from the source where it says so. Otherwise
it is guessed from the accesses.
"""

import base64
import gzip
import json
import re
import struct
from collections import Counter
from collections.abc import Iterable, Sequence
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
from lockstep_grader.student.trace.model import Array, Race, Recording, Touch
from lockstep_grader.student.trace.record import Recorded
from lockstep_grader.words.likely import allocated_in

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
MAX_CELLS = 2048  # of an array that a page shows
_ROW = 32

# Of C++, the name that the page's script knows.
_TYPES = {
    "float": "f32",
    "double": "f64",
    "int": "i32",
    "unsigned": "u32",
    "unsigned int": "u32",
    "long long": "i64",
    "unsigned long long": "u64",
    "char": "i8",
    "signed char": "i8",
    "unsigned char": "u8",
    "bool": "u8",
    "short": "i16",
    "unsigned short": "u16",
    "int8_t": "i8",
    "uint8_t": "u8",
    "int16_t": "i16",
    "uint16_t": "u16",
    "int32_t": "i32",
    "uint32_t": "u32",
    "int64_t": "i64",
    "uint64_t": "u64",
    "size_t": "u64",
    "float2": "f32",
    "float4": "f32",
    "int2": "i32",
    "int4": "i32",
    "uint4": "u32",
}
_SIZES = {"f32": 4, "f64": 8, "i32": 4, "u32": 4, "i64": 8, "u64": 8}
_SIZES |= {"i8": 1, "u8": 1, "i16": 2, "u16": 2}
_WORDS = "|".join(sorted(map(re.escape, _TYPES), key=len, reverse=True))
_CONSTANT = re.compile(
    r"\b(?:constexpr|const)\s+(?:int|unsigned|size_t|auto)\s+(\w+)\s*=\s*([^;]+);"
)
_DEFINE = re.compile(r"^\s*#\s*define\s+(\w+)\s+(\S+)\s*$", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Cells:
    """The part of an array that a page shows, as a grid."""

    name: str
    type: str
    item_bytes: int
    first: int  # cell that is shown first
    count: int  # cells shown
    total: int  # cells of the array
    columns: int


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


def cells_of(recording: Recording, texts: Sequence[str], sources: dict[str, str]) -> list[Cells]:
    """One for each array. `texts` may declare them; `sources` are the program's files by name."""
    plain = [_COMMENT.sub(" ", text) for text in texts]
    constants = _constants(plain)
    touched: list[list[tuple[int, int]]] = [[] for _ in recording.arrays]
    words: list[list[bytes]] = [[] for _ in recording.arrays]
    for moment in recording.moments:
        if access := moment.access:
            touched[access.array] += [(offset, access.size_bytes) for offset in access.offsets]
            words[access.array] += access.before + access.after
    made = []
    for array, places, values in zip(recording.arrays, touched, words, strict=True):
        name = _name(array, sources)
        declared = _declaration(name, plain)
        kind = declared[0] if declared else _guess(places, values)
        size = _SIZES[kind]
        shape = _shape(declared[1], constants) if declared else []
        total = max(1, array.size_bytes // size)
        low = min((offset for offset, _ in places), default=0) // size
        high = max((offset + size_bytes for offset, size_bytes in places), default=1)
        columns = shape[-1] if len(shape) > 1 and 1 <= shape[-1] <= 64 else _ROW
        low -= low % columns
        count = min(-(-high // size), total) - low
        made.append(Cells(name, kind, size, low, min(count, MAX_CELLS), total, columns))
    return made


def _name(array: Array, sources: dict[str, str]) -> str:
    """As the program calls it: "allocation 2" is what its line passes to cudaMalloc."""
    return allocated_in(sources.get(array.file, "").splitlines(), array.line) or array.name


def _declaration(name: str, texts: Iterable[str]) -> tuple[str, list[str]] | None:
    """The type of the items, and the text of each bracket."""
    found = re.compile(
        rf"(?<![\w:])({_WORDS})\s*(?:const\s*)?(?:\*\s*)*(?:const\s+)?(?:__restrict__\s+)?"
        rf"\b{re.escape(name)}\b\s*((?:\[[^\]]*\]\s*)*)"
    )
    best = None
    for text in texts:
        for match in found.finditer(text):
            best = match if best is None or len(match[2]) > len(best[2]) else best
    if best is None:
        return None
    return _TYPES[best[1]], re.findall(r"\[([^\]]*)\]", best[2])


def _constants(texts: Iterable[str]) -> dict[str, int]:
    known: dict[str, int] = {}
    for text in texts:
        for name, value in [*_CONSTANT.findall(text), *_DEFINE.findall(text)]:
            number = _number(value, known)
            if number is not None:
                known.setdefault(name, number)
    return known


def _shape(brackets: Sequence[str], constants: dict[str, int]) -> list[int]:
    lengths = [_number(text, constants) for text in brackets]
    return [length for length in lengths if length is not None] if None not in lengths else []


def _number(text: str, constants: dict[str, int]) -> int | None:
    """The value of sums and products of numbers and constants; None for anything else."""
    known = re.sub(r"\b[A-Za-z_]\w*\b", lambda word: str(constants.get(word[0], "?")), text)
    terms = known.replace(" ", "").split("+")
    total = 0
    for term in terms:
        product = 1
        for factor in term.split("*"):
            if not factor.isdigit() or len(factor) > 6:
                return None
            product *= int(factor)
        total += product
    return total


def _guess(places: Sequence[tuple[int, int]], values: Sequence[bytes]) -> str:
    sizes = Counter(min(size, 4) if size in {8, 16} else size for _, size in places)
    size = sizes.most_common(1)[0][0] if sizes else 4
    if size == 1:
        return "u8"
    if size == 2:
        return "i16"
    numbers = [struct.unpack_from("<f", value)[0] for value in values if len(value) >= 4]
    told = [abs(number) for number in numbers if number == number and number != 0]
    floats = sum(1e-6 < number < 1e12 for number in told)
    return "f32" if told and floats > len(told) / 2 else "i32"
