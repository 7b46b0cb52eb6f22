# SPDX-License-Identifier: MIT
"""A profile as one HTML page that needs nothing else: no network, no script.

Each request of a warp is a picture: its 32 lanes above, the memory that they touch below. Global
memory is drawn as 128-byte lines of four sectors, 32 words of 4 bytes wide; shared memory as 32
banks, each distinct word of a bank one row below the other. A cell has the colour and the number of
the lane that touches it, so a row that repeats the lanes' own colours is a perfect access.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from markupsafe import Markup, escape

from lockstep_grader import __version__
from lockstep_grader.model.grades import Gate, Outcome
from lockstep_grader.model.measures import MEASURES, bound, figure, figure_of, kept
from lockstep_grader.model.timing import Device, Prediction
from lockstep_grader.pages.engine import coloured_lines, colours, make_environment
from lockstep_grader.student.profile.cost import (
    MULTIPROCESSORS,
    LineNote,
    diagnose,
    kernel_columns,
    line_notes,
)
from lockstep_grader.student.profile.run import (
    SECTOR_BYTES,
    WARP_SIZE,
    Pattern,
    Profile,
    SizeProfile,
)
from lockstep_grader.student.profile.timing import predicted, sentence

_CELL = 20  # user units
_LEFT = 76  # for the rows' labels
_TOP = 30
_LANES_HEIGHT = 36
_ROW = 22
_GAP = 8  # between rows of memory that are not neighbours
_MAX_ROWS = 12
_WORD_BYTES = 4
_LINE_BYTES = 128
_SECTORS = _LINE_BYTES // SECTOR_BYTES
_WIDTH = _LEFT + WARP_SIZE * _CELL + 8
_Row = tuple[str, Mapping[int, Sequence[int]], bool]  # label, column to lanes, follows the last one
_OPEN_LINES = 2  # of the costliest, shown with their pictures at once


def render_page(profile: Profile, device: Device) -> str:
    """The whole page. Text of the submission is escaped by the template engine, never trusted."""
    environment = make_environment("lockstep_grader.student.profile")
    environment.filters["figure"] = figure
    return environment.get_template("profile.html.j2").render(
        profile=profile,
        sizes=[
            _size_view(profile, size, number, predicted(size, profile.resources, device))
            for number, size in enumerate(profile.sizes)
        ],
        version=__version__,
        **colours(),
        lanes=range(32),
    )


def _size_view(
    profile: Profile, size: SizeProfile, number: int, timed: Prediction | None
) -> dict[str, Any]:
    """By the names that the template uses."""
    notes = line_notes(size)
    own = {note.line.line: note for note in notes if note.line.file == profile.source.file_name}
    measures = _measures(size, profile.rung.budget)
    return {
        "size": size,
        "passed": size.outcome is Outcome.PASSED,
        "time": sentence(size, timed) if timed else "",
        "measures": measures,
        "budgeted": [measure for measure in measures if measure["budget"]],
        "kernels": [
            {
                "kernel": kernel,
                "columns": kernel_columns(kernel, size.items),
                "diagnosis": diagnose(kernel, size.items, MULTIPROCESSORS),
                "resources": profile.resources_of(kernel.name),
            }
            for kernel in size.on_device
        ],
        "source": _source(profile, own, number),
        "elsewhere": [note for note in notes if note.line.file != profile.source.file_name],
    }


def _measures(size: SizeProfile, budget: Sequence[Gate]) -> list[dict[str, Any]]:
    gates = {gate.name: gate for gate in budget}
    return [
        {
            "name": name,
            "words": measure.words,
            "value": figure_of(name, value),
            "budget": bound(gates[name]) if name in gates else "",  # empty: it does not say
            "is_kept": name not in gates or kept(gates[name], value),
        }
        for name, measure in MEASURES.items()
        if (value := size.measures.get(name)) is not None
    ]


def _source(profile: Profile, notes: Mapping[int, LineNote], size: int) -> list[dict[str, Any]]:
    hottest = sorted(notes, key=lambda number: -notes[number].share)[:_OPEN_LINES]
    lines = coloured_lines(profile.source.data.decode("utf-8"))
    return [
        {
            "number": number,
            "html": html,
            "note": notes.get(number),
            "pictures": [
                {"caption": describe(pattern), "svg": draw(pattern, f"p{size}-{number}-{index}")}
                for index, pattern in enumerate(notes[number].line.patterns)
            ]
            if number in notes
            else [],
            "is_open": number in hottest,
        }
        for number, html in enumerate(lines, start=1)
    ]


def draw(pattern: Pattern, identifier: str) -> Markup:
    """An <svg> element; `identifier` must be unique in its page."""
    rows = _global_rows(pattern) if pattern.space == "global" else _bank_rows(pattern)
    shown = rows[:_MAX_ROWS]
    parts = [*_lanes(pattern), *_headings(pattern)]
    y = _TOP + _LANES_HEIGHT + (_ROW if pattern.space == "shared" else 0)
    free = max(1, pattern.size_bytes // _WORD_BYTES)  # rows of banks that no access can avoid
    for index, (label, cells, follows) in enumerate(shown):
        y += 0 if follows or index == 0 else _GAP
        parts.append(_text(_LEFT - 8, y + 15, label, "label"))
        parts += _row(cells, y, pattern.space, pattern.space == "shared" and index >= free)
        y += _ROW
    if len(rows) > len(shown):
        what = "128-byte lines" if pattern.space == "global" else "rows of banks"
        parts.append(_text(_LEFT, y + 14, f"and {len(rows) - len(shown)} more {what}", "note"))
        y += _ROW
    title, body = describe(pattern), Markup("").join(parts)
    return Markup(
        '<svg class="access" role="img" aria-labelledby="{0}-t {0}-d" viewBox="0 0 {1} {2}">'
        '<title id="{0}-t">{3}</title><desc id="{0}-d">{4}</desc>{5}</svg>'
    ).format(identifier, _WIDTH, y + 6, title, in_words(pattern, len(rows)), body)


def describe(pattern: Pattern) -> str:
    """What the request is, on one line."""
    unit = "sectors" if pattern.space == "global" else "wavefronts"
    unit = unit.removesuffix("s") if pattern.passes == 1 else unit
    lanes = sum(offset is not None for offset in pattern.offsets)
    memory = f"{pattern.space} memory"
    where = pattern.base if memory in pattern.base else f"{memory} {pattern.base}"
    return (
        f"{pattern.access} of {pattern.size_bytes} bytes per lane, {lanes} lanes, "
        f"{where}: {pattern.passes} {unit}"
    )


def in_words(pattern: Pattern, rows: int) -> str:
    """What the picture shows, for those who cannot see it."""
    taken = [(lane, offset) for lane, offset in enumerate(pattern.offsets) if offset is not None]
    if not taken:
        return "No lane takes part."
    steps = {
        later[1] - earlier[1] for earlier, later in pairwise(taken) if later[0] == earlier[0] + 1
    }
    if len(steps) == 1:
        step = steps.pop()
        walk = "all lanes at one address" if step == 0 else f"each lane {step} bytes after the last"
    else:
        walk = "lanes at uneven distances"
    place = f"{rows} 128-byte lines" if pattern.space == "global" else f"{rows} rows of 32 banks"
    return f"Lane {taken[0][0]} is at byte {taken[0][1]}, {walk}. They touch {place}."


def _words(pattern: Pattern) -> Iterator[tuple[int, int]]:
    """Every (lane, word) touched; words are counted from the base."""
    for lane, offset in enumerate(pattern.offsets):
        if offset is not None:
            last = (offset + max(1, pattern.size_bytes) - 1) // _WORD_BYTES
            for word in range(offset // _WORD_BYTES, last + 1):
                yield lane, word


def _global_rows(pattern: Pattern) -> list[_Row]:
    lines: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for lane, word in _words(pattern):
        lines[word // WARP_SIZE][word % WARP_SIZE].append(lane)
    return [(f"{line * _LINE_BYTES:+d}", lines[line], line - 1 in lines) for line in sorted(lines)]


def _bank_rows(pattern: Pattern) -> list[_Row]:
    banks: dict[int, dict[int, list[int]]] = defaultdict(dict)
    for lane, word in _words(pattern):
        banks[word % WARP_SIZE].setdefault(word, []).append(lane)
    depth = max((len(words) for words in banks.values()), default=0)
    columns = {bank: list(words.values()) for bank, words in banks.items()}
    return [
        (
            f"word {row + 1}",
            {b: words[row] for b, words in columns.items() if row < len(words)},
            True,
        )
        for row in range(depth)
    ]


def _lanes(pattern: Pattern) -> Iterator[Markup]:
    yield _text(_LEFT - 8, _TOP + 15, "lane", "label")
    for lane, offset in enumerate(pattern.offsets):
        yield _cell(lane * _CELL + _LEFT, _TOP, None if offset is None else lane, str(lane), "")


def _headings(pattern: Pattern) -> Iterator[Markup]:
    yield _text(_LEFT, 16, describe(pattern), "note")
    if pattern.space == "shared":
        y = _TOP + _LANES_HEIGHT
        yield _text(_LEFT - 8, y + 15, "bank", "label")
        for bank in range(WARP_SIZE):
            yield _text(_LEFT + bank * _CELL + _CELL // 2, y + 15, str(bank), "bank")


def _row(
    cells: Mapping[int, Sequence[int]], y: int, space: str, is_conflict: bool
) -> Iterator[Markup]:
    for column in range(WARP_SIZE):
        lanes = cells.get(column)
        x = _LEFT + column * _CELL
        if lanes:  # the lane's number, or how many lanes access the word
            distinct = len(set(lanes))
            label = str(lanes[0]) if distinct == 1 else f"{distinct}x"
            yield _cell(x, y, lanes[0], label, "conflict" if is_conflict else "")
        elif space == "global":
            yield _cell(x, y, None, "", "")
    if space == "global":
        for sector in range(_SECTORS):
            columns = range(sector * WARP_SIZE // _SECTORS, (sector + 1) * WARP_SIZE // _SECTORS)
            if any(column in cells for column in columns):
                yield Markup('<rect class="sector" x="{}" y="{}" width="{}" height="{}"/>').format(
                    _LEFT + columns[0] * _CELL, y, len(columns) * _CELL, _CELL
                )


def _cell(x: int, y: int, lane: int | None, label: str, kind: str) -> Markup:
    """A word: coloured by `lane`, or empty when no lane touches it."""
    colour = "off" if lane is None else f"lane l{lane}"
    box = Markup('<rect class="cell {}" x="{}" y="{}" width="{}" height="{}"/>').format(
        f"{colour} {kind}".strip(), x, y, _CELL, _CELL
    )
    return box + _text(x + _CELL // 2, y + 14, label, "in") if label else box


def _text(x: int, y: int, text: str, kind: str) -> Markup:
    return Markup('<text class="{}" x="{}" y="{}">{}</text>').format(kind, x, y, escape(text))
