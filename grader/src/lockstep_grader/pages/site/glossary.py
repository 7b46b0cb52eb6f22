# SPDX-License-Identifier: MIT
"""Links a handout's terms, where each first appears, to the glossary."""

import re
from collections.abc import Sequence

from lockstep_grader.pages.site.links import without_code

_TERM = re.compile(r"^## (.+)$", re.MULTILINE)
_HEADING = re.compile(r"(?m)^(#.*|\|.*)$")  # headings and tables stay plain


class Glossary:
    def __init__(self, text: str) -> None:
        self.terms: Sequence[str] = _TERM.findall(text)
        # The longest first: a bank conflict is not a bank.
        names = "|".join(re.escape(term) for term in sorted(self.terms, key=len, reverse=True))
        self._pattern = re.compile(rf"\b({names})(e?s)?\b", re.IGNORECASE)

    def linked(self, text: str, address: str) -> str:
        """`text` whose first use of each term is a link to its entry in the page at `address`."""
        seen: set[str] = set()

        def link(found: re.Match[str]) -> str:
            term = found[1].lower()
            if term in seen:
                return found[0]
            seen.add(term)
            return f"[{found[0]}]({address}#{term.replace(' ', '-')}){{.term}}"

        def plain(part: str) -> str:
            made, end = "", 0
            for line in _HEADING.finditer(part):
                made += self._pattern.sub(link, part[end : line.start()]) + line[0]
                end = line.end()
            return made + self._pattern.sub(link, part[end:])

        return without_code(text, plain)
