# SPDX-License-Identifier: MIT
"""Reads g++'s listing of a file's functions (`-fdump-tree-tsan-blocks-lineno-uid-asmname`)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FUNCTION = ";; Function "
_BLOCK = "\n;;   basic block "
_NEIGHBOURS = re.compile(r";;    (?P<side>pred|succ): (?P<blocks>.*(?:\n;; {10,}.*)*)")
_NUMBER = re.compile(r"\b(?:\d+|ENTRY|EXIT)\b")
_STATIC = re.compile(r"^  static .*", re.MULTILINE)
_ID = re.compile(r"D\.\d+")
# Of the rung's own choice, so it may look like anything: taken out first.
_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_PLACE = re.compile(r"\[(?P<file>[/<][^\n]*?):(?P<line>\d+):\d+(?: discrim \d+)?\] |\[0:0\] ")


@dataclass(frozen=True, slots=True)
class Statement:
    text: str
    file: str  # "" if g++ names no place
    line: int


@dataclass(frozen=True, slots=True)
class Block:
    """Statements of which all run, or none."""

    number: str
    predecessors: tuple[str, ...]  # the blocks that lead here; "ENTRY" is none of them
    successors: tuple[str, ...]  # the blocks to which it leads; "EXIT" is none of them
    text: str

    def statements(self) -> Iterator[Statement]:
        for line in self.text.split("\n"):
            text = _PLACE.sub("", line).strip()
            if text and not text.startswith(";;"):
                place = _PLACE.search(line)
                file, at = (place["file"], place["line"]) if place else (None, None)
                yield Statement(text, file or "", int(at or 0))


@dataclass(frozen=True, slots=True)
class Function:
    own: frozenset[str]  # IDs of its variables, those without the static ones
    blocks: tuple[Block, ...]


def functions_of(listing: str) -> Iterator[Function]:
    """Raises ValueError if the listing has functions, but none of their blocks."""
    if _FUNCTION in listing and _BLOCK not in listing:
        raise ValueError("it has no basic blocks")
    for text in _TEXT.sub('""', listing).split(_FUNCTION)[1:]:
        head, *blocks = text.split(_BLOCK)
        own = frozenset(_ID.findall(_STATIC.sub("", head)))
        yield Function(own, tuple(map(_block, blocks)))


def _block(text: str) -> Block:
    number, _, rest = text.partition(",")
    listed = {match["side"]: match["blocks"] for match in _NEIGHBOURS.finditer(rest)}
    before, after = (tuple(_NUMBER.findall(listed.get(side, ""))) for side in ("pred", "succ"))
    return Block(number, before, after, rest)
