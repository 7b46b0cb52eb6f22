# SPDX-License-Identifier: MIT
"""Which precompiled headers fit a rung on the machine.

<cuda/atomic> takes clang ten times as long as a short rung, three times. It is precompiled, too,
for rungs that include it: for others its names would be there without an include.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from lockstep_grader.intake.submission import Source

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_SLOW = "cuda/atomic"
_USUAL, _FITTING = "20.pch", "20-atomic.pch"  # as Clang.cmake names them


def with_fitting_prelude(
    commands: Sequence[Sequence[str]], source: Source
) -> list[tuple[str, ...]]:
    """`commands`, with the headers that `source` includes precompiled, as far as they are."""
    words = [word for command in commands for word in command]
    folders = [Path(word[2:]) for word in dict.fromkeys(words) if word.startswith("-I")]
    is_slow = _SLOW in _included(source.data, folders, set())

    def fitting(word: str) -> str:
        other = f"{word.removesuffix(_USUAL)}{_FITTING}"
        return other if word.endswith(_USUAL) and Path(other).is_file() else word

    return [tuple(map(fitting, argv)) if is_slow else tuple(argv) for argv in commands]


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
