# SPDX-License-Identifier: MIT
"""Reads Markdown as its readers do: its links, its headings' anchors, its command lines."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?:(?<=\n\n)|(?<=-->\n)|\A)(?:(?: {4}|\t)[^\n]*\n|\n(?= {4}))+")
_SPAN = re.compile(r"(`+)(?:(?!\n\n).)+?\1", re.DOTALL)
_LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_REFERENCE = re.compile(r"^\[[^\]]+\]:\s+(\S+)", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)


@dataclass(frozen=True)
class Link:
    page: Path
    target: str

    @property
    def problem(self) -> str:
        """What is wrong with a relative link; empty when it leads somewhere."""
        path, _, anchor = self.target.partition("#")
        there = (self.page.parent / path).resolve() if path else self.page
        if not there.exists():
            return f"{self.page}: no file {self.target}"
        if anchor and there.suffix == ".md" and anchor not in anchors(there.read_text("utf-8")):
            return f"{self.page}: no heading {self.target}"
        return ""


def links(page: Path) -> Iterator[Link]:
    """The relative links of a page, pictures included; code is not a link."""
    text = _SPAN.sub("", _without_code(page.read_text("utf-8")))
    for pattern in (_LINK, _REFERENCE):
        for match in pattern.finditer(text):
            if not re.match(r"[a-z][a-z0-9+.-]*:", match[1]):
                yield Link(page, match[1])


def anchors(text: str) -> list[str]:
    """The anchors that GitHub gives to the headings of a page."""
    found: list[str] = []
    for match in _HEADING.finditer(_without_code(text)):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[1]).lower()
        base = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        same = sum(re.fullmatch(f"{re.escape(base)}(-\\d+)?", known) is not None for known in found)
        found.append(f"{base}-{same}" if same else base)
    return found


def commands(page: Path) -> Iterator[list[str]]:
    """The words after each `./lab` in a page's code, comments left out."""
    text = page.read_text("utf-8")
    blocks = [match[0] for pattern in (_FENCE, _INDENTED) for match in pattern.finditer(text)]
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    spans = [match[0].strip("`") for match in _SPAN.finditer(_without_code(text))]
    for line in [*lines, *(" ".join(span.split()) for span in spans)]:
        yield from lab_commands(line)


def lab_commands(line: str) -> Iterator[list[str]]:
    """The words after each `./lab` in a line of shell."""
    for part in re.split(r"\s(?:&&|\|\||\||;)\s", line):
        command = re.search(r"(?:^|\s)(?:\./|\S*/)lab(?=\s)(.*)", part)
        if command:
            yield _words(command[1])


def _words(text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars="<>()")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    words = list(lexer)
    stop = next((i for i, word in enumerate(words) if word in (">", "2>", ">>", "2>&1")), None)
    return words[:stop]


def _without_code(text: str) -> str:
    return _INDENTED.sub("\n", _FENCE.sub("", text))
