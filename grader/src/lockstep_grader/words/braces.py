# SPDX-License-Identifier: MIT
"""A brace too few or too many: compilers report the end of the file, far from the mistake.

The text's indentation says where its author meant a block to end.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lockstep_grader.rules.tokens import Token, tokens_of

_FOLLOWS = re.compile(
    r"expected|extraneous|at end of input|end of (?:file|source)|not allowed|a function-definition|"
    r"storage class|before ['\u2018]?[{}]",
    re.IGNORECASE,
)
_SAYS_NAMESPACE = re.compile(r"//\s*(?:anonymous |end )?namespace\b|//\s*end of namespace\b")
_NO_STATEMENTS = frozenset({"public", "private", "protected", "case", "default", "else"})


class _Open(NamedTuple):
    line: int  # of the brace
    indent: int  # of the statement that it belongs to
    is_namespace: bool


class _Statement:
    """What has been read since the last brace or semicolon."""

    def __init__(self) -> None:
        self.first: Token | None = None
        self.is_namespace = False

    def take(self, token: Token) -> None:
        if self.first is None:
            self.first = token
        self.is_namespace = self.is_namespace or token.text in ("namespace", "extern")


def is_about_braces(message: str) -> bool:
    """Whether a compiler may say this because of a brace."""
    return bool(_FOLLOWS.search(message))


def unbalanced(lines: Sequence[str]) -> tuple[int, str] | None:
    """The line of the brace that has no partner, and what to do; nothing if all have one."""
    if any(re.match(r"\s*#\s*(?:else|elif)", line) for line in lines):
        return None  # either branch may have braces of its own
    opened: list[_Open] = []
    unclosed: tuple[_Open, int] | None = None  # and the line that shows it
    early = 0  # the line of the first '}' further right than its '{'
    statement = _Statement()
    for token, is_first in _code(lines):
        indent = _indent(lines[token.line - 1])
        begins = is_first and statement.first is None and token.text not in _NO_STATEMENTS
        top = opened[-1] if opened else None
        if begins and token.kind == "word" and indent == 0 and top and not top.is_namespace:
            unclosed = unclosed or (top, token.line)
        if token.text == "{":
            start = statement.first or token
            opened.append(_Open(token.line, _indent(lines[start.line - 1]), statement.is_namespace))
        elif token.text == "}":
            if top is None:
                line = early or token.line
                return line, "this '}' is one too many: no '{' before it is still open"
            closes_namespace = bool(_SAYS_NAMESPACE.search(lines[token.line - 1]))
            if is_first and (indent < top.indent or (closes_namespace and not top.is_namespace)):
                unclosed = unclosed or (top, token.line)
            if is_first and indent > top.indent:
                early = early or token.line
            opened.pop()
        if token.text in ("{", "}", ";"):
            statement = _Statement()
        else:
            statement.take(token)
    if not opened:
        return None
    brace, shown = unclosed or (opened[-1], 0)
    where = f"before line {shown}" if shown else "before the end of the file"
    return brace.line, f"a '}}' is missing {where}: the '{{' of this line is not closed"


def _code(lines: Sequence[str]) -> Iterator[tuple[Token, bool]]:
    """The tokens without directives, and whether each is the first of its line."""
    last, in_directive = 0, False
    for token in tokens_of("\n".join(lines)):
        if token.kind == "newline" or not 0 < token.line <= len(lines):
            in_directive = False
            continue
        is_first = token.line != last
        last = token.line
        in_directive = in_directive or (is_first and token.text == "#")
        if not in_directive:
            yield token, is_first


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
