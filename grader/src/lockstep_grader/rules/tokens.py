# SPDX-License-Identifier: MIT
"""A rung's text as the tokens that g++ takes it for, before macros are expanded."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKENS = re.compile(
    r"""(?P<newline>\n)
      | (?P<blank>[ \t]+|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z))
      | (?P<number>\.?[0-9](?:[eEpP][+-]|[A-Za-z0-9_.]|'(?=[A-Za-z0-9_]))*)
      | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<text>"(?:[^"\\\n]|\\[^\n])*"?|'(?:[^'\\\n]|\\[^\n])*'?)
      | (?P<paste>\#\#)
      | (?P<sign>::|<(?=::(?![:>])))
      | (?P<digraph><:|:>|<%|%>|%:)
      | (?P<stray>[^!-~]|[$@`\\])
      | (?P<other>.)""",
    re.VERBOSE,
)
_RAW_PREFIXES = frozenset({"R", "LR", "uR", "UR", "u8R"})
_SPLICE = re.compile(r"\\[ \t]*\n")
# Characters that some readers treat as the end of a line, and g++ as a blank or as nothing.
_CONTROL = re.compile(r"[^\n\t -~\xa0-\u2027\u202a-\U0010ffff]")


class Token(NamedTuple):
    kind: str  # of _TOKENS, `raw` for a raw string, `torn` for a quote that touches a number
    text: str
    line: int
    after_blank: bool

    @property
    def spaced(self) -> str:
        return f" {self.text}" if self.after_blank else self.text


def unreadable(text: str) -> tuple[int, str] | None:
    """The line and name of the first character that ends lines for some readers only."""
    text = text.replace("\r\n", "\n")
    if match := _CONTROL.search(text):
        line = text.count("\n", 0, match.start()) + 1
        return (
            line,
            f"the control character U+{ord(match[0]):04X}: replace it by a space or a new line",
        )
    return None


def tokens_of(text: str) -> Iterator[Token]:
    """The tokens, newlines among them; comments and blanks are only in `after_blank`."""
    spliced = _without_splices(text.replace("\r\n", "\n"))
    line, after_blank = 1, False
    previous, previous_kind = "", ""
    for match in _TOKENS.finditer(spliced):
        kind = match.lastgroup or ""
        found = match[0]
        if kind == "blank":
            line += found.count("\n")
            after_blank = True
            continue
        if kind == "text" and previous in _RAW_PREFIXES and not after_blank and found[0] == '"':
            kind = "raw"
        elif kind == "text" and previous_kind == "number" and not after_blank and found[0] == "'":
            kind = "torn"  # g++ may take the quote for a part of the number
        yield Token(kind, found, line, after_blank)
        line += kind == "newline"
        previous, previous_kind, after_blank = found, kind, False


def _without_splices(text: str) -> str:
    """Each spliced line as one; its newlines stand behind it, for the numbers of later lines."""
    pieces: list[str] = []
    at = pending = 0
    for match in _SPLICE.finditer(text):
        piece = text[at : match.start()]
        if pending and "\n" in piece:
            head, _, tail = piece.partition("\n")
            piece = head + "\n" * (pending + 1) + tail
            pending = 0
        pieces.append(piece)
        pending += 1
        at = match.end()
    head, newline, tail = text[at:].partition("\n")
    pieces.append(head + newline + "\n" * pending + tail)
    return "".join(pieces)
