# SPDX-License-Identifier: MIT
"""Text that came from a submission, made safe to show: no byte of it drives the terminal."""

import io
import sys
import unicodedata

_KEPT = frozenset("\n\t")
# Cc: control characters with ESC among them; Cf: bidirectional overrides and other invisible
# formatting; Cs: lone surrogates, which no stream can encode; Zl, Zp: line separators.
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def accept_all_text() -> None:
    """Lets stdout and stderr spell what their encoding lacks: a name must not end the program."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def visible(text: str) -> str:
    """`text` with everything invisible spelled out, as in \\x1b."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if _is_plain(char) else _spelled(char) for char in text)


def one_line(text: str) -> str:
    """`visible` text on a single line."""
    return " ".join(visible(text).split())


def joined_lines(text: str) -> str:
    """`visible` text on a single line, with a mark where a line ended without one."""
    joined = ""
    for line in map(one_line, text.splitlines()):
        if joined and line:
            mark = "" if joined[-1] in ".:;,!?" else "." if line[0].isupper() else ";"
            joined += f"{mark} "
        joined += line
    return joined


def last_line(text: str) -> str:
    """The end of a program's output, which contains the reason why it ended."""
    return one_line(text.rstrip().rpartition("\n")[2][-300:])


def clipped(text: str, max_lines: int) -> str:
    """The first lines of `text`, with a note of how many were left out."""
    lines = text.splitlines()
    if len(lines) <= max_lines:
        return "\n".join(lines)
    return "\n".join([*lines[:max_lines], f"... {len(lines) - max_lines} more lines"])


def _is_plain(char: str) -> bool:
    return char in _KEPT or unicodedata.category(char) not in _HIDDEN_CATEGORIES


def _spelled(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def count_of(number: int, noun: str) -> str:
    """As in: 1 student, 2 students."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def more_tests_fail(count: int) -> str:
    return "1 more test fails" if count == 1 else f"{count} more tests fail"
