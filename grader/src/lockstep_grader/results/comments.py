# SPDX-License-Identifier: MIT
"""comments.toml in a results folder: what reviewers say to students, in tables as in course.toml.

Each change reads the file, changes one comment and writes the file whole, under a lock. So two
reviewers at once lose nothing, and a person may edit the file by hand in between.
"""

import hashlib
import json
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path
from typing import IO, Annotated

from pydantic import Field

from lockstep_grader.intake.toml_lines import bytes_of
from lockstep_grader.intake.toml_tables import Table, parse_table
from lockstep_grader.machine.files import locked, write_whole
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.policy import Comment

FILE = "comments.toml"
MAX_CHARS = 10_000  # of one comment
MAX_POINTS = 1000  # that it adds or takes away
_LOCK = ".comments.lock"
_MAX_BYTES = 16 << 20
_DIGEST_CHARS = 16
_HEAD = "# Comments for students. ./lab review writes this file, and you may edit it, too.\n"


class Kept(Table):
    """One comment of the file."""

    student: Annotated[str, Field(min_length=1)]
    text: Annotated[str, Field(min_length=1, max_length=MAX_CHARS)]
    lab: str = ""
    rung: str = ""
    line: Annotated[int, Field(ge=0)] = 0
    code: str = ""
    points: Annotated[float, Field(ge=-MAX_POINTS, le=MAX_POINTS)] = 0.0

    @property
    def comment(self) -> Comment:
        return Comment(**self.model_dump())

    @property
    def digest(self) -> str:
        """Names this comment as it is: one that was edited has another."""
        return hashlib.sha256(_table(self).encode()).hexdigest()[:_DIGEST_CHARS]


class _File(Table):
    comment: tuple[Kept, ...] = ()


def read_comments(folder: Path) -> tuple[Kept, ...]:
    """The comments of a results folder, none where there is no file. Raises InputError."""
    file = folder / FILE
    if not file.exists():
        return ()
    data = bytes_of(file, _MAX_BYTES)
    # A comment is on one line: dots in it make no key.
    return parse_table(str(file), data, _File, _MAX_BYTES, max_dots=MAX_CHARS).comment


def note_of_strangers(folder: Path, names: Collection[str]) -> str:
    """A line about comments that no student of these results would see; empty without any."""
    unknown = sorted({each.student for each in read_comments(folder)} - set(names))
    if not unknown:
        return ""
    said = ", ".join(map(repr, unknown))
    return f"{folder / FILE}: no student here is {said}; use an id, login, email or number"


def add_comment(folder: Path, comment: Comment) -> None:
    """Adds `comment` to the file. Raises InputError or FaultError."""
    kept = Kept(**asdict(comment))
    with _locked(folder):
        _write(folder, (*read_comments(folder), kept))


def remove_comment(folder: Path, digest: str) -> bool:
    """Removes the comment; false if a person has changed or removed it meanwhile."""
    with _locked(folder):
        comments = read_comments(folder)
        left = tuple(each for each in comments if each.digest != digest)
        if len(left) == len(comments):
            return False
        _write(folder, left)
        return True


def _write(folder: Path, comments: tuple[Kept, ...]) -> None:
    text = "".join(_table(each) for each in comments)
    write_whole(folder / FILE, f"{_HEAD}{text}".encode())


def _table(kept: Kept) -> str:
    values = kept.model_dump(exclude_defaults=True)
    lines = [f"{key} = {_value(value)}" for key, value in values.items()]
    return "\n".join(["\n[[comment]]", *lines]) + "\n"


def _value(value: str | float) -> str:
    """JSON's strings are TOML's, except for one character that TOML wants escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _locked(folder: Path) -> IO[str]:
    try:
        return locked(folder / _LOCK)
    except OSError as error:
        raise FaultError(f"cannot write to {folder}: {error.strerror}") from error
