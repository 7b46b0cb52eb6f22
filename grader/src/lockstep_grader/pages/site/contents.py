# SPDX-License-Identifier: MIT
"""Which pages the site has, and their order in its navigation."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from lockstep_grader.model.grades import Lab
from lockstep_grader.pages.site.links import without_code

HOME = "README.md"
GLOSSARY = "docs/glossary.md"
_MANUAL = "docs/README.md"
_OTHERS = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "grader/README.md")
_SECTION = re.compile(r"^## (.+)$")
_ROW = re.compile(r"^\| \[[^\]]+\]\(([^)]+\.md)\)")

# As MkDocs has it: pages, and sections with a name.
Navigation = list[str | Mapping[str, "str | Navigation"]]


@dataclass(frozen=True, slots=True)
class Contents:
    pages: tuple[str, ...]  # relative to the repository, with slashes
    navigation: Navigation  # without the home page


def contents(root: Path, labs: Sequence[Lab], with_solutions: bool) -> Contents:
    """What a site of this checkout, or students' copy, has: solutions only if they are wanted."""
    pages = [name for name in (HOME, *_OTHERS) if (root / name).is_file()]
    pages += _below(root, "docs")
    navigation: Navigation = []
    handouts: Navigation = []
    for lab in labs:
        found = _below(root, f"labs/{lab.id}")
        handout = f"labs/{lab.id}/README.md"
        more = [page for page in found if page != handout]
        handouts.append({lab.title: [handout, *more] if more else handout})
        pages += found
    navigation.append({"Labs": handouts})
    if with_solutions:
        solved = [f"solutions/{lab.id}/README.md" for lab in labs]
        solved = [page for page in solved if (root / page).is_file()]
        pages += solved
        navigation.append({"Solutions": list(solved)})
    for section, listed in _manual(root):
        if kept := [page for page in listed if page in pages]:
            navigation.append({section: list(kept)})
    return Contents(tuple(dict.fromkeys(pages)), navigation)


def _below(root: Path, folder: str) -> list[str]:
    return [file.relative_to(root).as_posix() for file in sorted((root / folder).rglob("*.md"))]


def _manual(root: Path) -> Iterator[tuple[str, list[str]]]:
    """The sections of the manual's list of pages, which is the one list of them."""
    section, listed = "", list[str]()
    for line in (root / _MANUAL).read_text("utf-8").splitlines():
        if heading := _SECTION.match(line):
            if listed:
                yield section, listed
            section, listed = heading[1], []
        elif row := _ROW.match(line):
            listed.append(_joined(_MANUAL, row[1]))
    if listed:
        yield section, listed


def _joined(page: str, target: str) -> str:
    """Where a relative link of `page` leads, relative to the repository."""
    parts: list[str] = []
    for part in (PurePosixPath(page).parent / target).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


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
