# SPDX-License-Identifier: MIT
"""How much two files have in common, by copydetect: fingerprints of code without its names.

Names, comments and layout do not count (Schleimer, Wilkerson and Aiken, "Winnowing: local
algorithms for document fingerprinting", SIGMOD 2003). Every stretch of code is taken, none is
sampled, so that the same files give the same figures in every process.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lockstep_grader.model.errors import FaultError
from lockstep_grader.pages.source import quick_to_lex

try:
    import numpy as np
    import numpy.typing as npt
    from copydetect import CodeFingerprint, compare_files
    from copydetect.utils import get_token_coverage
except ImportError as missing:
    raise FaultError(
        f"--similarity needs the Python package {missing.name}; install it with: "
        ".venv/bin/python -m pip install -r grader/requirements-similarity.txt"
    ) from missing

_STRETCH = 25  # characters of code without names: the shortest match that counts
_FILE_NAME = "rung.cu"
_LANGUAGE = "cuda"  # to find the lexer by a file's name takes longer than to read the file


@dataclass(frozen=True, slots=True)
class Prints:
    """A file's fingerprint, without what was handed out."""

    text: str
    code: CodeFingerprint

    @property
    def own_size(self) -> int:
        """Characters of code that are the author's own, names counted as one each."""
        return int(self.code.token_coverage)


def handed_out(texts: Iterable[str]) -> frozenset[int]:
    """The fingerprints of what all students were given."""
    return frozenset().union(*map(_hashes, texts))


@lru_cache(maxsize=256)  # each rung of a lab comes with the same files
def _hashes(text: str) -> frozenset[int]:
    return frozenset(_fingerprint(text).hashes)


def take_prints(text: str, given: frozenset[int]) -> Prints:
    text = quick_to_lex(text)
    code = _fingerprint(text)
    code.hashes = code.hashes - given
    code.hash_idx = {value: code.hash_idx[value] for value in code.hashes}
    code.token_coverage = get_token_coverage(code.hash_idx, _STRETCH, len(code.filtered_code))
    return Prints(text, code)


def shared(one: Prints, other: Prints) -> float:
    """The share of their own code that the two have in common, in [0, 1]: the mean of both."""
    _, shares, _ = compare_files(one.code, other.code)
    return sum(min(1.0, float(share)) for share in shares) / 2


class Comparer:
    """Computes `shared` for every two of many files: a lookup per stretch, and no stretch twice.

    copydetect's own function collects the places of each stretch anew for each pair.
    """

    def __init__(self, prints: Sequence[Prints]) -> None:
        number: dict[int, int] = {}
        for each in prints:
            for value in each.code.hashes:
                number.setdefault(value, len(number))
        self._prints = prints
        self._places = [_places(each, number) for each in prints]
        self._has = np.zeros((len(prints), len(number)), dtype=bool)
        for row, (numbers, _) in zip(self._has, self._places, strict=True):
            row[numbers] = True

    def shared(self, one: int, other: int) -> float:
        shares = (self._share(one, other), self._share(other, one))
        return sum(min(1.0, share) for share in shares) / 2

    def _share(self, one: int, other: int) -> float:
        numbers, places = self._places[one]
        found = places[self._has[other, numbers]]
        if len(found) == 0:
            return 0.0
        covered = np.minimum(np.diff(found), _STRETCH).sum() + _STRETCH
        return float(covered / self._prints[one].code.token_coverage)


def _places(
    prints: Prints, number: Mapping[int, int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The number of the stretch that begins at each place, and the places in their order."""
    found = sorted(
        (int(place), number[value])
        for value, places in prints.code.hash_idx.items()
        for place in places
    )
    table = np.array(found, dtype=np.int64).reshape(-1, 2)
    return table[:, 1].copy(), table[:, 0].copy()


def shared_lines(one: Prints, other: Prints) -> tuple[frozenset[int], frozenset[int]]:
    """The lines of each, from 1, that the other has too."""
    _, _, slices = compare_files(one.code, other.code)
    return _lines(one.text, slices[0]), _lines(other.text, slices[1])


def _fingerprint(text: str) -> CodeFingerprint:
    return CodeFingerprint(
        _FILE_NAME, k=_STRETCH, win_size=1, fp=io.StringIO(text), language=_LANGUAGE
    )


def _lines(text: str, slices: Sequence[Sequence[float]]) -> frozenset[int]:
    """The lines that stretches of characters touch; `slices` is empty, or starts and ends."""
    found: set[int] = set()
    for start, end in zip(*slices, strict=True):
        first = text.count("\n", 0, int(start)) + 1
        found.update(range(first, first + text.count("\n", int(start), int(end)) + 1))
    rows = text.split("\n")
    return frozenset(line for line in found if line <= len(rows) and rows[line - 1].strip())
