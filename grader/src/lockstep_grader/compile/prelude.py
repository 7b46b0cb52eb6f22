# SPDX-License-Identifier: MIT
"""Which precompiled headers fit a rung on cpu.

<algorithm> takes clang twice as long as a short rung, and <cuda/atomic> ten times, each three
times. They are precompiled, too, for rungs that include them: for others their names would be
there without an include.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from lockstep_grader.intake.submission import Source

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_USUAL = "20.pch"  # as Clang.cmake names them
_FITTING = (
    (frozenset({"cuda/atomic", "algorithm"}), "20-atomic-algorithm.pch"),
    (frozenset({"cuda/atomic"}), "20-atomic.pch"),
    (frozenset({"algorithm"}), "20-algorithm.pch"),
)


def with_fitting_prelude(
    commands: Sequence[Sequence[str]], source: Source
) -> list[tuple[str, ...]]:
    """`commands`, with the headers that `source` includes precompiled, as far as they are."""
    words = [word for command in commands for word in command]
    folders = [Path(word[2:]) for word in dict.fromkeys(words) if word.startswith("-I")]
    included = frozenset(_included(source.data, folders, set()))
    others = [name for headers, name in _FITTING if headers <= included]

    def fitting(word: str) -> str:
        if not word.endswith(_USUAL):
            return word
        files = (f"{word.removesuffix(_USUAL)}{name}" for name in others)
        return next((file for file in files if Path(file).is_file()), word)

    return [tuple(map(fitting, argv)) for argv in commands]


def _included(text: bytes, folders: Sequence[Path], seen: set[str]) -> Iterator[str]:
    """The headers that the text includes, and those that ours of these include."""
    for name in (match.decode("utf-8", "replace") for match in _INCLUDE.findall(text)):
        if name in seen:
            continue
        seen.add(name)
        yield name
        file = next((folder / name for folder in folders if (folder / name).is_file()), None)
        if file:
            yield from _included(file.read_bytes(), folders, seen)
