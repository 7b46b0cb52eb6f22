# SPDX-License-Identifier: MIT
"""Pairs of submissions whose code is more alike than the task explains.

Similarity is not a proof: everyone solves the same task from the same hand-out. So the pages
subtract what was handed out, omit a rung with little code of the student's own, and list a pair
only if it is far above what is usual at that rung.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from lockstep_grader.machine.progress import Stage
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Lab
from lockstep_grader.pages.report import alike
from lockstep_grader.pages.report.pairs import (
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


@dataclass(frozen=True, slots=True)
class _Rung:
    """One rung across the class: who has code of their own there, and how alike each two are."""

    lab: str
    id: str
    prints: Mapping[int, alike.Prints]  # by the submission's number
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
            *alike.shared_lines(left, right),
        )


def find_similar(
    results: Results, labs: Sequence[Lab], workspace: Workspace, progress: Stage
) -> Similarity:
    """Compares every two submissions rung by rung, in a fixed order."""
    graded = {lab.id for entry in results.entries for lab in entry.labs}
    names = [(lab, rung.id) for lab in labs if lab.id in graded for rung in lab.rungs]
    rungs = []
    for done, (lab, rung_id) in enumerate(names):
        progress.advance(done, len(names), f"{lab.id}/{rung_id}")
        rungs.append(_compare(results, lab, rung_id, workspace))
    progress.advance(len(names), len(names))
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


def _compare(results: Results, lab: Lab, rung_id: str, workspace: Workspace) -> _Rung:
    given = alike.handed_out(_given(lab, workspace))
    numbers: dict[str, int] = {}  # classes hold many equal files: each text is read once
    texts = []
    for entry in results.entries:
        text = results.source(entry, lab.id, rung_id)
        texts.append(numbers.setdefault(text, len(numbers)))
    kinds = [alike.take_prints(text, given) for text in numbers]
    prints = {
        number: kinds[text]
        for number, text in enumerate(texts)
        if kinds[text].own_size >= LEAST_OWN
    }
    comparer = alike.Comparer(kinds)
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
