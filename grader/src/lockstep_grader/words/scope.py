# SPDX-License-Identifier: MIT
"""Where a name is known: in the braces, or the statement, that declare it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lockstep_grader.rules.source import Token, tokens_of

_NO_TYPES = frozenset({"return", "else", "throw", "delete", "goto", "case", "new"})
_AFTER_A_NAME = frozenset("=;,)[:({")
_OF_A_TYPE = frozenset("*&>")


@dataclass(slots=True)
class _Declared:
    line: int
    braces: int  # open around it, or around what its parentheses belong to
    in_head: bool  # it is a parameter, or of a loop's head: known in the statement that follows
    is_known: bool = True
    ends_at_once: int = 0  # the line of the ';' that is the whole statement


def advice_on_scope(name: str, line: int, lines: Sequence[str]) -> str:
    """Why a name that the text declares is unknown in `line`; nothing if its scope is still open.

    What was declared wrongly is unknown, too, and another error says so.
    """
    declared = list(_declarations(name, lines[: line - 1]))
    if not declared or any(each.is_known for each in declared):
        return ""
    last = declared[-1]
    if last.ends_at_once:
        return f"the ';' at the end of line {last.ends_at_once} ends the loop that declares {name}"
    return f"the {name} of line {last.line} is known only inside its own braces, loop or function"


def _declarations(name: str, lines: Sequence[str]) -> Iterator[_Declared]:
    tokens = [token for token in tokens_of("\n".join(lines)) if token.kind != "newline"]
    found: list[_Declared] = []
    braces = parentheses = 0
    before: list[Token] = []
    for token, after in zip(tokens, [*tokens[1:], None], strict=False):
        text = token.text
        parentheses += (text == "(") - (text == ")")
        braces += text == "{"
        if text == "{":
            for each in found:
                if each.in_head and not parentheses and each.braces == braces - 1:
                    each.in_head, each.braces = False, braces
        if text == "}":
            braces -= 1
            for each in found:
                each.is_known = each.is_known and braces >= each.braces
        if text == ";" and not parentheses:
            for each in found:
                if each.in_head and each.is_known:
                    each.is_known = False
                    each.ends_at_once = token.line if before[-1].text == ")" else 0
        if text == name and after and _is_declaration(before, after):
            found.append(_Declared(token.line, braces, in_head=parentheses > 0))
        before.append(token)
    yield from found


def _is_declaration(before: Sequence[Token], after: Token) -> bool:
    if not before or after.text not in _AFTER_A_NAME:
        return False
    last = before[-1]
    is_type = last.kind == "word" and last.text not in _NO_TYPES
    return is_type or (last.text in _OF_A_TYPE and len(before) > 1 and before[-2].kind == "word")


def declares_template(name: str, lines: Sequence[str]) -> bool:
    """Whether a template in the text has a type parameter of this name."""
    parameter = re.compile(rf"\btemplate\s*<[^>]*\b(?:class|typename)\s+{re.escape(name)}\b")
    return bool(parameter.search("\n".join(lines)))
