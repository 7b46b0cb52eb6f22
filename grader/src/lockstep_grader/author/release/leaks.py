# SPDX-License-Identifier: MIT
"""Whether a file holds a piece of a solution.

A piece is a run of tokens that is too long to match by chance. It occurs in a solution, but not in
anything that students of its lab are given: its starters, the contracts, the headers of the
released labs. A starter may build on the solutions of its own lab and of earlier ones.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lockstep_grader.model.grades import Lab

# Shorter runs match by chance: a loop over rows and columns takes 16 to 20 tokens.
PIECE_TOKENS = 24

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/) | "(?:\\.|[^"\\\n])*" | \w+ | [^\s\w]""", re.DOTALL | re.X
)
_SOURCES = (".cu", ".cuh", ".h", ".cpp", ".cc", ".inc", ".in")
_TEXTS = (".md", ".py", ".txt", ".toml", ".j2", ".html", ".svg", ".json", ".cmake")


@dataclass(frozen=True, slots=True)
class Leak:
    path: str  # of the file that would be released
    solution: str
    piece: str

    def __str__(self) -> str:
        return f"{self.path} holds a piece of {self.solution}: {self.piece}"


def find_leaks(root: Path, labs: Sequence[Lab], files: Mapping[str, bytes]) -> list[Leak]:
    """The first piece of a solution in each of `files`, for those that hold one."""
    secret = _secrets(root, labs, files)
    rank = {lab.id: index for index, lab in enumerate(labs)}
    starters = {
        f"labs/{lab.id}/{rung.file_name}": rank[lab.id] for lab in labs for rung in lab.rungs
    }
    found = []
    for path, data in files.items():
        known = starters.get(path, -1)
        for at, piece in enumerate(_pieces(path, data)):
            solution = secret.get(piece)
            if solution and rank[solution.lab] > known:
                words = " ".join(_tokens(path, data)[at : at + PIECE_TOKENS])
                found.append(Leak(path, solution.path, words))
                break
    return found


@dataclass(frozen=True, slots=True)
class _Solution:
    lab: str
    path: str


def _secrets(root: Path, labs: Sequence[Lab], files: Mapping[str, bytes]) -> dict[int, _Solution]:
    """Each piece with the earliest lab's solution that has it."""
    brought = {f"common/cuda/{header}" for lab in labs for header in lab.headers}
    contracts = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for lab in labs
        for path in sorted((root / "labs" / lab.id).glob("*.cuh"))
    }
    headers = {path: data for path, data in files.items() if path in brought}
    given = _all_pieces({**contracts, **headers})
    secret: dict[int, _Solution] = {}
    for lab in labs:
        folder = root / "labs" / lab.id
        starters = {rung.id: folder / rung.file_name for rung in lab.rungs}
        own = _all_pieces({f"{name}.cu": file.read_bytes() for name, file in starters.items()})
        for file in _solutions(root, lab):
            name = file.relative_to(root).as_posix()
            for piece in _pieces(name, file.read_bytes()):
                if piece not in given and piece not in own:
                    secret.setdefault(piece, _Solution(lab.id, name))
    return secret


def _all_pieces(files: Mapping[str, bytes]) -> set[int]:
    return {piece for path, data in files.items() for piece in _pieces(path, data)}


def _solutions(root: Path, lab: Lab) -> Iterator[Path]:
    folder = root / "solutions" / lab.id
    yield from (folder / rung.file_name for rung in lab.rungs)
    if (folder / "README.md").is_file():
        yield folder / "README.md"


def _pieces(path: str, data: bytes) -> Iterator[int]:
    """A hash of each run of PIECE_TOKENS tokens, in order."""
    tokens = _tokens(path, data)
    yield from map(hash, _windows(tokens))


def _windows(tokens: Sequence[str]) -> Iterable[tuple[str, ...]]:
    return zip(*(tokens[start:] for start in range(PIECE_TOKENS)), strict=False)


def _tokens(path: str, data: bytes) -> list[str]:
    """Words and signs; of C++ without its comments, of a picture or an archive none."""
    if not path.endswith((*_SOURCES, *_TEXTS)):
        return []
    found = _TOKEN.finditer(data.decode("utf-8", "replace"))
    is_source = path.endswith(_SOURCES)
    return [match[0] for match in found if not (is_source and match["comment"])]
