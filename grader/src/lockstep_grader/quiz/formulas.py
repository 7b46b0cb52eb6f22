# SPDX-License-Identifier: MIT
"""What the formulas of a key can use: a small model of the machine, and a little arithmetic."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate

from lockstep_grader.model.quiz import Value

WARP = 32
_SECTOR_BYTES = 32
_BANKS = 32


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def sectors(addresses: Iterable[int], size: int = 4) -> int:
    """The 32-byte sectors that one request touches; `addresses` in bytes, of each lane."""
    ends = ((at, at + size - 1) for at in addresses)
    touched = (range(a // _SECTOR_BYTES, b // _SECTOR_BYTES + 1) for a, b in ends)
    return len({sector for some in touched for sector in some})


def wavefronts(words: Iterable[int]) -> int:
    """Passes over shared memory for one request of 4-byte words, whose numbers are `words`."""
    by_bank: dict[int, set[int]] = {}
    for word in words:
        by_bank.setdefault(word % _BANKS, set()).add(word)
    return max(map(len, by_bank.values()))


def divergent_warps(taken: Sequence[bool]) -> int:
    """Warps whose lanes do not agree; `taken` holds each thread's condition."""
    warps = [taken[at : at + WARP] for at in range(0, len(taken), WARP)]
    return sum(any(warp) and not all(warp) for warp in warps)


def hillis_steele(items: Sequence[int], steps: int) -> list[int]:
    """Two buffers: what `steps` steps make of `items`."""
    now = list(items)
    for step in range(steps):
        distance = 1 << step
        now = [now[i] + (now[i - distance] if i >= distance else 0) for i in range(len(now))]
    return now


def hillis_steele_in_turn(items: Sequence[int], distance: int) -> list[int]:
    """One buffer, no barrier between read and write, and threads that run one after the other."""
    now = list(items)
    for i in range(distance, len(now)):
        now[i] += now[i - distance]
    return now


def up_sweep(items: Sequence[int]) -> list[int]:
    now = list(items)
    stride = 1
    while stride < len(now):
        for i in range(2 * stride - 1, len(now), 2 * stride):
            now[i] += now[i - stride]
        stride *= 2
    return now


def levels(items: int, tile: int) -> int:
    """How often `items` are divided by `tile`, rounded up, until one is left; at least once."""
    count = 0
    while True:
        items, count = ceil_div(items, tile), count + 1
        if items <= 1:
            return count


def listed(items: Iterable[object]) -> str:
    return " ".join(map(str, items))


def inclusive(items: Iterable[int]) -> list[int]:
    return list(accumulate(items))


def exclusive(items: Sequence[int]) -> list[int]:
    return [0, *accumulate(items)][: len(items)]


_BUILTINS: tuple[Callable[..., object], ...] = (
    abs, all, any, bin, bool, enumerate, float, int, len, list, max, min, range, reversed, round,
    set, sorted, str, sum, tuple, zip,
)  # fmt: skip
_NAMES: Mapping[str, object] = {
    **{each.__name__: each for each in _BUILTINS},
    **{
        each.__name__: each
        for each in (
            ceil_div, sectors, wavefronts, divergent_warps, hillis_steele,
            hillis_steele_in_turn, up_sweep, levels, listed, inclusive, exclusive,
        )
    },
    "lanes": range(WARP),
    "log2": math.log2,
    "ceil": math.ceil,
    "floor": math.floor,
}  # fmt: skip


class FormulaError(ValueError):
    """A formula that cannot be computed; one line."""


def computed(formula: str, values: Mapping[str, object]) -> Value:
    """The value of a Python expression. A key is the course's own file, as its kernels are."""
    try:
        value = eval(formula, {"__builtins__": {}, **_NAMES, **values})  # noqa: S307
    except Exception as error:
        raise FormulaError(f"{formula!r}: {error}") from error
    if not isinstance(value, int | float | str):
        raise FormulaError(f"{formula!r} is {value!r}, not a number or a text")
    return int(value) if isinstance(value, bool) else value
