# SPDX-License-Identifier: MIT
"""Finds, for each statement of a function, the indices that are known to be small there.

g++ compares an index with the length of its array (`-fsanitize=bounds-strict`), or masks it with a
smaller number. Both are statements of the listing. A name in the listing keeps its value until the
statement that assigns it runs again. So a comparison proves an access if every path to the access
contains it. For a load, a comparison on every path that follows also serves: it ends the program.
"""

import re
from collections.abc import Callable, Container, Sequence
from functools import cached_property

from lockstep_grader.rules.listing import Block

_COMPARED = re.compile(r"\.UBSAN_BOUNDS \(\w+, (?P<name>[^ ,]+), (?P<last>\d+)\);")
_MASKED = re.compile(r"(?P<name>\S+) = \S+ & (?P<last>\d+);")
_CONVERTED = re.compile(r"(?P<name>\S+) = \([\w. ]+\) (?P<old>\S+);")
_GIVEN_VALUE = re.compile(r"(?:# )?(?P<name>\S+) = ")
# Of an array that has an index. Of an array without items g++ says that it has 2^64.
_MOST_ITEMS = 1 << 20
# Blocks times names, and visits of each block. In a function that needs more, which could take
# hours, no value counts as small. The largest of 252 programs of NVIDIA's samples and HeCBench
# needs less than a fifth of this.
_MOST_WORK, _MOST_VISITS = 10_000_000, 100

_Names = frozenset[str]
_NONE: _Names = frozenset()


class Bounds:
    """The small values of a function, by name, at each statement."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks

    def is_small_before(self, name: str, block: Block, place: int) -> bool:
        """Whether every path to the block's statement number `place` shows it."""
        begin, places = self._forward.get(block.number, (_NONE, {}))
        return name in begin or places.get(name, place) < place

    def is_compared_behind(self, name: str, block: Block, place: int) -> bool:
        """Whether every path from there does, before the name gets another value."""
        end, places = self._backward.get(block.number, (_NONE, {}))
        return name in end or places.get(name, place) > place

    @cached_property
    def _shown(self) -> dict[str, list[tuple[int, str, str]]]:
        """By block: place and name of each value that is small, if the third name's value is."""
        shown = {block.number: list(_shown_in(block)) for block in self._blocks}
        num_names = sum(map(len, shown.values()))
        return shown if num_names * len(shown) <= _MOST_WORK else {}

    @cached_property
    def _forward(self) -> dict[str, tuple[_Names, dict[str, int]]]:
        """By block: the small names at its begin, and the first place that shows each other one."""
        shown = self._shown

        def names_at_end(block: Block, begin: _Names) -> _Names:
            return begin.union(_first_places(shown[block.number], begin))

        blocks = self._blocks if any(shown.values()) else ()
        begins = _solve(blocks, lambda block: block.predecessors, names_at_end)
        return {
            number: (begin, _first_places(shown[number], begin)) for number, begin in begins.items()
        }

    @cached_property
    def _backward(self) -> dict[str, tuple[_Names, dict[str, int]]]:
        """By block: the names compared on every path from its end, and where it compares others."""
        places = {
            number: {name: place for place, name, old in shown if not old}
            for number, shown in self._shown.items()
        }
        given = {block.number: _given_in(block) for block in self._blocks}

        def names_at_begin(block: Block, end: _Names) -> _Names:
            return end.union(places[block.number]) - given[block.number]

        blocks = self._blocks[::-1] if any(places.values()) else ()
        ends = _solve(blocks, lambda block: block.successors, names_at_begin)
        return {number: (end, places[number]) for number, end in ends.items()}


def _shown_in(block: Block) -> list[tuple[int, str, str]]:
    found = []
    for place, statement in enumerate(block.statements()):
        text = statement.text
        if shown := _COMPARED.match(text) or _MASKED.fullmatch(text):
            if int(shown["last"]) < _MOST_ITEMS:
                found.append((place, shown["name"], ""))
        elif converted := _CONVERTED.fullmatch(text):  # a mask comes before its conversion
            found.append((place, converted["name"], converted["old"]))
    return found


def _given_in(block: Block) -> _Names:
    """The names to which the block gives a value."""
    matches = (_GIVEN_VALUE.match(statement.text) for statement in block.statements())
    return frozenset(match["name"] for match in matches if match)


def _first_places(shown: Sequence[tuple[int, str, str]], small: Container[str]) -> dict[str, int]:
    places: dict[str, int] = {}
    for place, name, old in shown:
        if not old or old in small or old in places:
            places.setdefault(name, place)
    return places


def _solve(
    blocks: Sequence[Block],
    neighbours: Callable[[Block], Sequence[str]],
    through: Callable[[Block, _Names], _Names],
) -> dict[str, _Names]:
    """By block: the names that all of its neighbours hand over; each hands over `through` it."""
    taken: dict[str, _Names] = {}
    handed = {"ENTRY": _NONE, "EXIT": _NONE}
    for _ in range(_MOST_VISITS):
        changes = False
        for block in blocks:
            near = neighbours(block)
            known = [handed[number] for number in near if number in handed]
            if near and not known:
                continue  # all of them come later
            names = frozenset.intersection(*known) if known else _NONE
            if taken.get(block.number) != names:
                taken[block.number] = names
                handed[block.number] = through(block, names)
                changes = True
        if not changes:
            return taken
    return {}
