# SPDX-License-Identifier: MIT
"""Builds the site: the repository's Markdown, in order and with links that fit, by MkDocs."""

import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

import yaml

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Lab
from lockstep_grader.model.text import one_line

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
            listed.append(posixpath.normpath(posixpath.join(posixpath.dirname(_MANUAL), row[1])))
    if listed:
        yield section, listed


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


_STYLE = Path(__file__).with_name("site.css")
# MkDocs Material would fetch another one, from another host, whenever a page is opened.
_FRAME_WORKER = Path(__file__).with_name("iframe-worker.js")
_SETTINGS = Path(__file__).with_name("mkdocs.yml")
_LANGUAGES = {".cuh": "cuda", ".cu": "cuda", ".h": "cpp", ".toml": "toml"}
_MARK = "made-by-lab-site.txt"  # in the folder that we may write again


def build_site(
    workspace: Workspace,
    labs: Sequence[Lab],
    output: Path,
    *,
    with_solutions: bool,
    repository: str,
    traces: Mapping[str, str] | None = None,
) -> int:
    """Writes the site to the folder `output`, and returns how many pages it has.

    `traces` are pages of `./lab trace` by their path; the still of the same name leads to each.

    Raises InputError where `output` is not a folder of ours, and FaultError when MkDocs fails.
    """
    if output.exists() and not (output / _MARK).is_file() and not _is_empty_folder(output):
        raise InputError(f"{output} is not empty, and no site: choose another --output")
    found = contents(workspace.root, labs, with_solutions)
    with tempfile.TemporaryDirectory(prefix="lockstep-site-") as temp:
        staged = Path(temp) / "pages"
        _stage(workspace.root, found, repository, staged, traces or {})
        config = Path(temp) / "mkdocs.yml"
        config.write_text(_config(found, staged, repository), "utf-8")
        made = Path(temp) / "site"
        argv = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
        done = subprocess.run(
            [*argv, "--config-file", str(config), "--site-dir", str(made)],
            capture_output=True,
            text=True,
            errors="replace",
        )
        if done.returncode != 0:
            raise FaultError(f"MkDocs failed: {_complaint(done.stdout + done.stderr)}")
        (made / _MARK).write_text("./lab site writes this folder again.\n", "utf-8")
        if output.exists():
            shutil.rmtree(output)
        shutil.move(made, output)
    return len(found.pages)


def _is_empty_folder(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _complaint(output: str) -> str:
    lines = [line for line in output.splitlines() if line.startswith(("WARNING", "ERROR"))]
    return one_line((lines or output.strip().splitlines() or ["no output"])[0])


def _stage(
    root: Path, found: Contents, repository: str, target: Path, traces: Mapping[str, str]
) -> None:
    """Writes the pages, the sources that they show and their pictures to the folder `target`."""
    links = Links(root, frozenset(found.pages), repository, frozenset(traces))
    for path, page in traces.items():
        _write(target / path, page)
    glossary = Glossary((root / GLOSSARY).read_text("utf-8"))
    for page in found.pages:
        text = links.fitted(page, (root / page).read_text("utf-8"))
        if page.startswith("labs/"):
            address = posixpath.relpath(GLOSSARY, posixpath.dirname(page))
            text = glossary.linked(text, address)
        _write(target / page, text)
    for source in links.sources:
        _write(target / f"{source}.md", _shown(source, (root / source).read_text("utf-8")))
    for picture in links.pictures:
        (target / picture).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / picture, target / picture)
    for ours in (_STYLE, _FRAME_WORKER):
        shutil.copyfile(ours, target / ours.name)


def _shown(source: str, text: str) -> str:
    """A page that shows a source file. More ticks than the file has would be possible in none."""
    language = _LANGUAGES[posixpath.splitext(source)[1]]
    return f"# {posixpath.basename(source)}\n\n`{source}`\n\n`````{language}\n{text}`````\n"


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def _config(found: Contents, staged: Path, repository: str) -> str:
    own = {
        "docs_dir": str(staged),
        "nav": [{"Home": HOME}, *found.navigation],
        **({"repo_url": repository} if repository else {}),
    }
    return _SETTINGS.read_text("utf-8") + yaml.safe_dump(own, sort_keys=False, allow_unicode=True)
