# SPDX-License-Identifier: MIT
"""Links of a page, fitted to the site: to its pages, to sources that it shows, or to none."""

import posixpath
import re
from collections.abc import Callable, Set
from pathlib import Path

# Code, which is left alone, or a link.
_FENCE = r"^(?P<fence>```|~~~).*?^(?P=fence)[^\n]*$"
_INDENTED = r"(?:(?<=\n\n)|\A)(?:(?: {4}|\t)[^\n]*\n|\n(?= {4}))+"
_SPAN = r"(?P<ticks>`+)(?:(?!\n\n).)+?(?P=ticks)"
_LINK = r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)"
CODE_OR_LINK = re.compile(f"{_FENCE}|{_INDENTED}|{_LINK}|{_SPAN}", re.MULTILINE | re.DOTALL)

_SHOWN = frozenset({".cuh", ".cu", ".h", ".toml"})  # as a page of their own
_PICTURES = frozenset({".svg", ".png", ".jpg"})


class Links:
    """Fits the links of the site's pages, and collects what these links need.

    A page's relative links to other pages stay as they are, since the site has the same folders.
    """

    def __init__(
        self, root: Path, pages: Set[str], repository: str, traces: Set[str] = frozenset()
    ) -> None:
        self._root = root
        self._pages = pages
        self._traces = traces  # the still of the same name leads there
        self._repository = repository.rstrip("/")
        self.sources: set[str] = set()
        self.pictures: set[str] = set()

    def fitted(self, page: str, text: str) -> str:
        return CODE_OR_LINK.sub(lambda found: self._fitted(page, found), text)

    def _fitted(self, page: str, found: re.Match[str]) -> str:
        if not found["target"]:
            return found[0]
        target, _, anchor = found["target"].partition("#")
        if not target or re.match(r"[a-z][a-z0-9+.-]*:", target):
            return found[0]
        there = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
        inside = f"{there}/README.md"
        text = self.fitted(page, found["text"])  # a picture may be a link
        if found["image"]:
            self.pictures.add(there)
            return self._played(found, target, there)
        if there in self._pages:
            return f"[{text}]({found['target']})"
        if inside in self._pages:
            return f"[{text}]({posixpath.join(target, 'README.md')}{anchor and f'#{anchor}'})"
        if self._is_shown(there):
            self.sources.add(there)
            return f"[{text}]({target}.md)"
        if posixpath.splitext(there)[1] in _PICTURES and (self._root / there).is_file():
            self.pictures.add(there)
            return f"[{text}]({target})"
        if self._repository:
            return f"[{text}]({self._repository}/{there})"
        return text

    def _played(self, found: re.Match[str], target: str, there: str) -> str:
        """A still leads to its trace, if the site has it."""
        if f"{posixpath.splitext(there)[0]}.html" not in self._traces:
            return found[0]
        page = f"{posixpath.splitext(target)[0]}.html"
        return f"[{found[0]}]({page})\n\n[\u25b6 Play this launch step by step]({page})\n"

    def _is_shown(self, path: str) -> bool:
        """Whether the site shows this source: what students see, and solutions only with theirs."""
        folder = path.partition("/")[0]
        solved = any(page.startswith("solutions/") for page in self._pages)
        known = folder in ("labs", "common") or (folder == "solutions" and solved)
        return known and posixpath.splitext(path)[1] in _SHOWN and (self._root / path).is_file()


def without_code(text: str, change: Callable[[str], str]) -> str:
    """`text` with `change` applied to all but code and links."""
    made, end = "", 0
    for found in CODE_OR_LINK.finditer(text):
        made += change(text[end : found.start()]) + found[0]
        end = found.end()
    return made + change(text[end:])
