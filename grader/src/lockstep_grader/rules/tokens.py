# SPDX-License-Identifier: MIT
"""A rung's text as tokens of C++, before macros are expanded."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_TOKENS = re.compile(
    r"""(?P<newline>\n)
      | (?P<blank>[^\S\n]+|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z))
      | (?P<raw>(?:u8|[LuU])?R"(?P<end>[^()\\\s"]{0,16})\((?s:.*?)(?:\)(?P=end)"|\Z))
      | (?P<number>\.?[0-9](?:[eEpP][+-]|\w|[.]|'(?=\w))*)
      | (?P<word>[^\W\d]\w*)
      | (?P<text>"(?:[^"\\\n]|\\[^\n])*"?|'(?:[^'\\\n]|\\[^\n])*'?)
      | (?P<other>.)""",
    re.VERBOSE,
)
_SPLICE = re.compile(r"\\[ \t]*\n")


class Token(NamedTuple):
    kind: str  # of _TOKENS
    text: str
    line: int
    after_blank: bool

    @property
    def spaced(self) -> str:
        return f" {self.text}" if self.after_blank else self.text


def tokens_of(text: str) -> Iterator[Token]:
    """The tokens, newlines among them; comments and blanks are only in `after_blank`."""
    line, after_blank = 1, False
    for match in _TOKENS.finditer(_without_splices(text.replace("\r\n", "\n"))):
        kind, found = str(match.lastgroup), match[0]
        if match["raw"] is not None:
            kind = "raw"
        if kind == "blank":
            after_blank = True
        else:
            yield Token(kind, found, line, after_blank)
            after_blank = False
        line += found.count("\n")


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
