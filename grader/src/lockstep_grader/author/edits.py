# SPDX-License-Identifier: MIT
"""Changes of a text as search and replace blocks, written like the hunks of a diff. No I/O.

A block begins with `@@` and has whole lines: a blank in front keeps a line, `-` removes it, `+`
adds it. The block searches for its kept and removed lines. They must occur exactly once, so a block
needs no line numbers and is never applied in another place.
"""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_MARK = "@@"
_KEPT, _GONE, _NEW = " ", "-", "+"


class EditError(ValueError):
    """Blocks that cannot be read, or that do not fit the text; one line."""


class MovedError(EditError):
    """The lines that a block searches for are not in the text, or are in several places."""


@dataclass(frozen=True, slots=True)
class Block:
    lines: tuple[str, ...]  # each with its sign in front

    @property
    def search(self) -> list[str]:
        return [line[1:] for line in self.lines if line[0] != _NEW]

    @property
    def replacement(self) -> list[str]:
        return [line[1:] for line in self.lines if line[0] != _GONE]

    def __str__(self) -> str:
        # A kept blank line is written without its sign: editors remove blanks at a line's end.
        shown = ["" if line == _KEPT else line for line in self.lines]
        return "".join(f"{line}\n" for line in (_MARK, *shown))


def lines_of(text: str) -> list[str]:
    """Split at line feeds alone: any other character may be part of a source line."""
    return text.removesuffix("\n").split("\n") if text else []


def text_of(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def read_blocks(text: str, first_line: int = 1) -> tuple[Block, ...]:
    """The blocks of `text`, whose first line has the number `first_line`. Raises EditError.

    Words behind `@@` are a note, so a hunk of `git diff` is a block as well. Empty lines at the end
    of a block are layout.
    """
    blocks: list[list[str]] = []
    for number, line in enumerate(lines_of(text), first_line):
        if line.startswith(_MARK):
            blocks.append([])
        elif not blocks:
            if line.strip():
                raise EditError(f"line {number}: expected {_MARK}, which begins a block")
        elif line and line[0] not in (_KEPT, _GONE, _NEW):
            raise EditError(f"line {number} begins with none of ' ', '-', '+'")
        else:
            blocks[-1].append(line or _KEPT)
    return tuple(_block(number, lines) for number, lines in enumerate(blocks, 1))


def _block(number: int, lines: list[str]) -> Block:
    while lines and lines[-1] == _KEPT:
        lines.pop()
    block = Block(tuple(lines))
    if block.search == block.replacement:
        raise EditError(f"block {number} changes nothing")
    if not block.search:
        raise EditError(f"block {number} has no line of the original to find its place by")
    return block


def apply_edits(text: str, blocks: Sequence[Block]) -> str:
    """`text` with every block's change. Raises MovedError for the first block that does not fit."""
    changed, misfits = apply_fitting(text, blocks)
    for number, problem in misfits:
        raise MovedError(f"block {number} {problem}")
    return changed


def apply_fitting(text: str, blocks: Sequence[Block]) -> tuple[str, list[tuple[int, str]]]:
    """`text` with the change of each block that fits it, and the number and problem of the others.

    All are searched for in `text` itself.
    """
    lines = lines_of(text)
    misfits = []
    places: list[tuple[int, Block]] = []
    for number, block in enumerate(blocks, 1):
        found = _places(lines, block.search)
        if len(found) != 1:
            problem = f"matches {len(found)} places of" if found else "is not in"
            misfits.append((number, problem))
        elif any(_overlap(found[0], block, *other) for other in places):
            misfits.append((number, "overlaps an earlier block in"))
        else:
            places.append((found[0], block))
    for place, block in sorted(places, key=lambda at: at[0], reverse=True):
        lines[place : place + len(block.search)] = block.replacement
    return text_of(lines), misfits


def edits_between(old: str, new: str) -> tuple[Block, ...]:
    """Blocks that turn `old` into `new`, with as few unchanged lines as make each unique."""
    was, now = lines_of(old), lines_of(new)
    if not was and now:
        raise EditError("an empty text has no line to find a place by")
    matcher = difflib.SequenceMatcher(None, was, now, autojunk=False)
    groups = [[code] for code in matcher.get_opcodes() if code[0] != "equal"]
    while True:
        ranges = [_unique_range(was, group[0][1], group[-1][2]) for group in groups]
        overlaps = [at for at in range(1, len(groups)) if ranges[at - 1][1] > ranges[at][0]]
        if not overlaps:
            break
        at = overlaps[0]
        groups[at - 1 : at + 1] = [groups[at - 1] + groups[at]]
    return tuple(
        _block_of(was, now, group, extent) for group, extent in zip(groups, ranges, strict=True)
    )


_OpCode = tuple[str, int, int, int, int]


def _block_of(
    was: Sequence[str], now: Sequence[str], group: Sequence[_OpCode], extent: tuple[int, int]
) -> Block:
    lines: list[str] = []
    at, end = extent
    for _, old_start, old_end, new_start, new_end in group:
        lines += [_KEPT + line for line in was[at:old_start]]
        lines += [_GONE + line for line in was[old_start:old_end]]
        lines += [_NEW + line for line in now[new_start:new_end]]
        at = old_end
    lines += [_KEPT + line for line in was[at:end]]
    if lines[-1] == _KEPT:  # would be read as layout
        lines[-1:] = [_GONE, _NEW]
    return Block(tuple(lines))


def _unique_range(lines: Sequence[str], start: int, end: int) -> tuple[int, int]:
    """The shortest range around [start, end) whose lines occur once; no blank line at its edges.

    Among ranges of one length, prefers the one with the fewest comments, which change more often
    than code; then the one with the most lines in front, since an insertion follows what it belongs
    to.
    """
    starts = [at for at in range(start + 1) if at == start or lines[at].strip()]
    ends = {at for at in range(end, len(lines) + 1) if at == end or lines[at - 1].strip()}
    for size in range(1, len(lines) + 1):
        found = [
            (first, first + size)
            for first in starts
            if first + size in ends and len(_places(lines, lines[first : first + size])) == 1
        ]
        if found:
            return min(found, key=lambda extent: _num_comments(lines[slice(*extent)]))
    return 0, len(lines)


def _num_comments(lines: Sequence[str]) -> int:
    return sum(line.lstrip().startswith("//") for line in lines)


def _places(lines: Sequence[str], search: Sequence[str]) -> list[int]:
    size = len(search)
    wanted = list(search)
    return [
        at
        for at in range(len(lines) - size + 1)
        if lines[at] == wanted[0] and lines[at : at + size] == wanted
    ]


def _overlap(place: int, block: Block, other_place: int, other: Block) -> bool:
    return place < other_place + len(other.search) and other_place < place + len(block.search)
