# SPDX-License-Identifier: MIT
"""Finds the line of a key in a TOML file: errors must name it, and tomllib does not."""

import re
from collections.abc import Mapping

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
