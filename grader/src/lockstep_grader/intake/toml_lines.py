# SPDX-License-Identifier: MIT
"""Reads TOML, and finds the line of a key: errors must name it, and tomllib does not."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lockstep_grader.model.compat import tomllib
from lockstep_grader.model.errors import InputError

KeyPath = tuple[str | int, ...]

_ARRAY_TABLE = re.compile(r"\s*\[\[\s*([\w.\-\"' ]+?)\s*\]\]")
_TABLE = re.compile(r"\s*\[\s*([\w.\-\"' ]+?)\s*\]")
_KEY = re.compile(r"\s*([\w.\-\"']+)\s*=")


def key_lines(text: str) -> dict[KeyPath, int]:
    """Line numbers from 1 of every table and key; arrays of tables are counted from 0.

    Only good enough to point a person at the right line: keys of inline tables share their
    parent's line (see `line_of`).
    """
    lines: dict[KeyPath, int] = {}
    last_index: dict[tuple[str, ...], int] = {}
    table: KeyPath = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _ARRAY_TABLE.match(line):
            names = _names(match[1])
            last_index[names] = last_index.get(names, -1) + 1
            table = _indexed(names, last_index)
            lines.setdefault(table, number)
            lines.setdefault(table[:-1], number)  # the array of them
        elif match := _TABLE.match(line):
            table = _indexed(_names(match[1]), last_index)
            lines.setdefault(table, number)
        elif match := _KEY.match(line):
            lines.setdefault(table + _names(match[1]), number)
    return lines


def line_of(lines: Mapping[KeyPath, int], path: KeyPath) -> int:
    """The line of `path` or of the nearest key around it; 1 when there is none."""
    for length in range(len(path), 0, -1):
        if number := lines.get(path[:length]):
            return number
    return 1


def spelled(path: KeyPath) -> str:
    """`path` as a person writes it: rung[2].points.correctness, counted from 0."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _names(dotted: str) -> tuple[str, ...]:
    return tuple(name.strip().strip("\"'") for name in dotted.split("."))


def _indexed(names: tuple[str, ...], last_index: Mapping[tuple[str, ...], int]) -> KeyPath:
    path: list[str | int] = []
    for end, name in enumerate(names, start=1):
        path.append(name)
        if names[:end] in last_index:
            path.append(last_index[names[:end]])
    return tuple(path)


MAX_BYTES = 1 << 20
# tomllib takes time and memory for the square of the parts of one key, a.b.c: 25 GB for 100,000.
MAX_DOTS = 500  # in one line: only its end bounds a key, whose parts may be quoted


def bytes_of(file: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """What is in `file`, up to one byte too many, which `load` refuses. Raises InputError."""
    try:
        with file.open("rb") as stream:
            return stream.read(max_bytes + 1)
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error


def load(
    name: str, data: bytes, max_bytes: int = MAX_BYTES, max_dots: int = MAX_DOTS
) -> tuple[str, dict[str, Any]]:
    """The text of the TOML file `name`, and what is in it. Raises InputError with one line."""
    if len(data) > max_bytes:
        raise InputError(f"{name} is larger than {max_bytes >> 10} KiB")
    for number, raw in enumerate(data.split(b"\n"), 1):
        if raw.count(b".") > max_dots:
            raise InputError(f"{name}:{number}: more than {max_dots} dots in one line")
    try:
        text = decoded(data)
        return text, _loaded(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}:{line}: not UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name}: not TOML: {error}") from error
    except RecursionError as error:
        raise InputError(f"{name}: its tables are nested too deeply") from error


def decoded(data: bytes) -> str:
    """Its text, without the mark that some editors of Windows put in front."""
    return data.decode("utf-8-sig")


def _loaded(text: str) -> dict[str, Any]:
    """Raises TOMLDecodeError, also for a number that Python does not read."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:
        raise tomllib.TOMLDecodeError(f"a number is too long ({error})") from error
