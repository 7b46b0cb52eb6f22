# SPDX-License-Identifier: MIT
"""Pairs of submissions whose code is more alike than the task explains, by copydetect.

Similarity is not a proof: everyone solves the same task from the same hand-out. So the pages
subtract what was handed out, omit a rung with little code of the student's own, and list a pair
only if it is far above what is usual at that rung.

Names, comments and layout do not count (Schleimer, Wilkerson and Aiken, "Winnowing: local
algorithms for document fingerprinting", SIGMOD 2003). Every stretch of code is taken, none is
sampled, so that the same files give the same figures in every process.
"""

import io
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from lockstep_grader.machine.progress import Stage
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Lab
from lockstep_grader.pages.engine import quick_to_lex
from lockstep_grader.pages.report.class_page import (
    LEAST_ABOVE,
    LEAST_OWN,
    LEAST_PAIRS,
    LEAST_SHARE,
    MOST_PAIRS,
    Match,
    Pair,
    Similarity,
)
from lockstep_grader.results.graded import Results

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
    return frozenset().union(*(_fingerprint(text).hashes for text in texts))


def take_prints(text: str, given: frozenset[int]) -> Prints:
    text = quick_to_lex(text)
    code = _fingerprint(text)
    code.hashes = code.hashes - given
    code.hash_idx = {value: code.hash_idx[value] for value in code.hashes}
    code.token_coverage = get_token_coverage(code.hash_idx, _STRETCH, len(code.filtered_code))
    return Prints(text, code)


class Comparer:
    """Compares every two of many files: a lookup per stretch, and no stretch twice.

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
        """The share of their own code that two have in common, in [0, 1]: the mean of both."""
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


@dataclass(frozen=True, slots=True)
class _Rung:
    """One rung across the class: who has code of their own there, and how alike each two are."""

    lab: str
    id: str
    prints: Mapping[int, Prints]  # by the submission's number
    shares: Mapping[tuple[int, int], float]

    @property
    def usual(self) -> float | None:
        return median(self.shares.values()) if len(self.shares) >= LEAST_PAIRS else None

    @property
    def least(self) -> float:
        """The share above which a pair stands out; above 1, none does."""
        return LEAST_SHARE if self.usual is None else max(LEAST_SHARE, self.usual + LEAST_ABOVE)

    def match(self, one: int, other: int) -> Match:
        left, right = self.prints[one], self.prints[other]
        return Match(
            self.lab,
            self.id,
            self.shares[one, other],
            self.usual,
            left.text,
            right.text,
            *shared_lines(left, right),
        )


def find_similar(
    results: Results, labs: Sequence[Lab], workspace: Workspace, progress: Stage
) -> Similarity:
    """Compares every two submissions rung by rung, in a fixed order."""
    graded = [lab for lab in labs if lab.id in dict(results.labs)]
    count = sum(len(lab.rungs) for lab in graded)
    rungs: list[_Rung] = []
    for lab in graded:
        given = handed_out(_given(lab, workspace))
        for each in lab.rungs:
            progress.advance(len(rungs), count, f"{lab.id}/{each.id}")
            rungs.append(_compare(results, lab, each.id, given))
    progress.advance(count, count)
    standing_out: dict[tuple[int, int], list[_Rung]] = defaultdict(list)
    for rung in rungs:
        for pair, share in rung.shares.items():
            if share >= rung.least:
                standing_out[pair].append(rung)
    pairs = [
        Pair(
            results.entries[one], results.entries[other], tuple(r.match(one, other) for r in found)
        )
        for (one, other), found in sorted(standing_out.items(), key=_rank)[:MOST_PAIRS]
    ]
    return Similarity(
        tuple(pairs),
        left_out=len(standing_out) - len(pairs),
        compared=sum(len(rung.shares) for rung in rungs),
        everywhere=tuple(f"{rung.lab}/{rung.id}" for rung in rungs if rung.least > 1),
    )


def _rank(found: tuple[tuple[int, int], list[_Rung]]) -> tuple[int, float, tuple[int, int]]:
    """Pairs with the most rungs alike first: one rung may be chance."""
    pair, rungs = found
    return -len(rungs), -max(rung.shares[pair] for rung in rungs), pair


def _compare(results: Results, lab: Lab, rung_id: str, given: frozenset[int]) -> _Rung:
    numbers: dict[str, int] = {}  # classes hold many equal files: each text is read once
    texts = []
    for entry in results.entries:
        text = results.source(entry, lab.id, rung_id)
        texts.append(numbers.setdefault(text, len(numbers)))
    kinds = [take_prints(text, given) for text in numbers]
    prints = {
        number: kinds[text]
        for number, text in enumerate(texts)
        if kinds[text].own_size >= LEAST_OWN
    }
    comparer = Comparer(kinds)
    known: dict[tuple[int, int], float] = {}
    shares = {}
    for one, other in combinations(prints, 2):
        pair = min(texts[one], texts[other]), max(texts[one], texts[other])
        if pair not in known:
            known[pair] = comparer.shared(*pair)
        shares[one, other] = known[pair]
    return _Rung(lab.id, rung_id, prints, shares)


def _given(lab: Lab, workspace: Workspace) -> list[str]:
    """What came with the lab: its starters and headers."""
    folder = workspace.labs / lab.id
    files = sorted([*folder.glob("*.cu"), *folder.glob("*.cuh")])
    files += [workspace.root / "common" / "cuda" / header for header in lab.headers]
    return [file.read_text("utf-8", "replace") for file in files if file.is_file()]
