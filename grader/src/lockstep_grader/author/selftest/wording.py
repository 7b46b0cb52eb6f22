# SPDX-License-Identifier: MIT
"""Spelling and wording of all texts: codespell, and a list of phrases that we do not use.

`turns.txt` lists the turns. Whole files are read, so that pages, comments and messages count.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from lockstep_grader.author.selftest.runner import Context, Tally, capture, report, run_tool
from lockstep_grader.model.errors import FaultError

TURNS = Path(__file__).with_name("turns.txt")
_SELF = Path(__file__).name

# Data, texts by others, the wrong examples of our test, and files that a script writes: the script
# is read instead.
_UNREAD = (
    "*/test_wording.py",
    "*/test_sandbox.py",  # which names a system's user
    "*/sobol_numbers.cpp",
    "LICENSE",
    "*.svg",
    "*.json",
    "*.jsonl",
    "*.log",
    "*.xsd",
    "*.png",
    "*.bin",
    "*/requirements*.txt",
    "docs/bench/*.md",
    "docs/bench/*.txt",
)
# Between two words of a turn: blanks, line ends with comment marks, quotes of a split string.
_GAP = r"[\s\"'][\s\"'\\#/*+-]*"


@dataclass(frozen=True, slots=True)
class Turn:
    pattern: re.Pattern[str]
    instead: str


@dataclass(frozen=True, slots=True)
class Hit:
    path: str
    line: int
    found: str
    instead: str

    def __str__(self) -> str:
        return f'{self.path}:{self.line}: "{self.found}": write {self.instead}'


def read_turns(text: str) -> tuple[Turn, ...]:
    """The turns of a list. Raises FaultError, with the line, for one that is malformed."""
    turns: list[Turn] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            turns.append(_turn(line))
        except (ValueError, re.error) as error:
            raise FaultError(f"{TURNS.name}:{number}: cannot read this line: {error}") from error
    return tuple(turns)


def hits(path: str, text: str, turns: Iterable[Turn]) -> Iterator[Hit]:
    """Every turn in a text."""
    for turn in turns:
        for match in turn.pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield Hit(path, line, re.sub(_GAP, " ", match[0]), turn.instead)


def texts(root: Path) -> Iterator[tuple[str, str]]:
    """The texts under version control, by path."""
    done = capture(["git", "-C", str(root), "ls-files", "-z"], root)
    if done.returncode != 0:
        raise FaultError(f"git ls-files failed in {root}: {done.stdout.strip()}")
    own = TURNS.name
    for path in filter(None, done.stdout.split("\0")):
        file = root / path
        if file.name == own or any(fnmatchcase(path, unread) for unread in _UNREAD):
            continue
        if file.is_file() and not file.is_symlink():
            try:
                yield path, file.read_text("utf-8")
            except UnicodeDecodeError as error:
                raise FaultError(
                    f"{path} is not a text in UTF-8; see _UNREAD in {_SELF}"
                ) from error


def check_wording(context: Context) -> Tally:
    """Two tests. A students' copy, or one without version control, has none of them."""
    root = context.workspace.root
    if not (root / ".git").exists() or not context.workspace.solutions.is_dir():
        return Tally()
    found = dict(texts(root))
    turns = read_turns(TURNS.read_text("utf-8"))
    wrong = [hit for path, text in found.items() for hit in hits(path, text, turns)]
    report(context, f"wording of {len(found)} files", not wrong, "\n".join(map(str, wrong)))
    settings = ["--toml", str(root / "grader" / "pyproject.toml")]
    codespell = [sys.executable, "-m", "codespell_lib", *settings, *found]
    return run_tool(context, "codespell", codespell) + Tally(int(not wrong), int(bool(wrong)))


def _turn(line: str) -> Turn:
    expression, arrow, instead = line.partition(" => ")
    if not arrow or not instead.strip():
        raise ValueError("no ' => ' with what to write instead")
    return Turn(re.compile(expression.replace(" ", _GAP), re.IGNORECASE), instead)
