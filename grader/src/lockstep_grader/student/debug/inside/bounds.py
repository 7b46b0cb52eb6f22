# SPDX-License-Identifier: MIT
"""Whether an expression stays in the memory that it names, before gdb reads it."""

import re
from collections.abc import Iterator

import gdb
from inside.state import memory_complaint

_OPENS = {"]": "[", ")": "("}
_NAME = re.compile(r"[\w:$.]")


def check_expression(text: str) -> None:
    """Raises GdbError for device memory outside of its allocation, and past the end of an array."""
    for part, index in indexed_parts(text):
        array, position = gdb.parse_and_eval(part), int(gdb.parse_and_eval(index))
        kind = array.type.strip_typedefs()
        if kind.code == gdb.TYPE_CODE_REF:
            array = array.referenced_value()
            kind = array.type.strip_typedefs()
        if kind.code == gdb.TYPE_CODE_ARRAY:
            low, high = kind.range()
            if high >= low and not low <= position <= high:
                raise gdb.GdbError(f"{part}[{position}]: {part} has {high + 1} elements")
        element = gdb.parse_and_eval(f"({part})[{index}]")
        base = array if kind.code == gdb.TYPE_CODE_PTR else None
        check_value(element, f"{part}[{position}]", base)


def check_value(value: gdb.Value, text: str, base: gdb.Value | None = None) -> None:
    if value.address is None:
        return
    kind = value.type.strip_typedefs()
    address = int(value.address.cast(_word()))
    start = address if base is None else int(base.cast(_word()))
    complaint = memory_complaint(start, address, kind.sizeof)
    if complaint:
        raise gdb.GdbError(f"{text}: {complaint}")


def _word() -> gdb.Type:
    return gdb.lookup_type("unsigned long")


def indexed_parts(text: str) -> Iterator[tuple[str, str]]:
    """Of each `part[index]` in a C expression, inner ones first: part and index."""
    for end, letter in enumerate(text):
        if letter != "]":
            continue
        begin = _opening(text, end)
        start = begin
        while start > 0:
            before = text[start - 1]
            if before in _OPENS:
                start = _opening(text, start - 1)
            elif _NAME.match(before):
                start -= 1
            elif text[:start].endswith("->"):
                start -= 2
            else:
                break
        yield text[start:begin], text[begin + 1 : end]


def _opening(text: str, end: int) -> int:
    """Of the bracket that closes at `end`."""
    depth = 0
    for at in range(end, -1, -1):
        if text[at] == text[end]:
            depth += 1
        elif text[at] == _OPENS[text[end]]:
            depth -= 1
            if depth == 0:
                return at
    raise gdb.GdbError(f"{text}: a bracket is missing")
