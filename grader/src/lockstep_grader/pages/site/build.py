# SPDX-License-Identifier: MIT
"""Builds the site: the repository's Markdown, fitted, through MkDocs Material."""

import posixpath
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Lab
from lockstep_grader.model.text import one_line
from lockstep_grader.pages.site.contents import GLOSSARY, HOME, Contents, Glossary, Links, contents

_STYLE = Path(__file__).with_name("site.css")
# MkDocs Material would fetch another one, from another host, whenever a page is opened.
_FRAME_WORKER = Path(__file__).with_name("iframe-worker.js")
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
    light = {"media": "(prefers-color-scheme: light)", "scheme": "default"}
    dark = {"media": "(prefers-color-scheme: dark)", "scheme": "slate"}
    light["toggle"] = {"icon": "material/weather-night", "name": "Use dark colours"}  # type: ignore[assignment]
    dark["toggle"] = {"icon": "material/weather-sunny", "name": "Use light colours"}  # type: ignore[assignment]
    config = {
        "site_name": "Lockstep",
        "docs_dir": str(staged),
        "use_directory_urls": False,  # the pages also open as files
        "nav": [{"Home": HOME}, *found.navigation],
        "not_in_nav": "/*",
        "theme": {
            "name": "material",
            "font": False,  # nothing is fetched from another host
            "palette": [{**light, "primary": "teal"}, {**dark, "primary": "teal"}],
            "features": [
                "content.code.copy",
                "content.code.annotate",
                "navigation.footer",
                "navigation.sections",
                "navigation.top",
                "search.highlight",
                "toc.follow",
            ],
        },
        "extra_css": [_STYLE.name],
        "extra": {"generator": False, "polyfills": [_FRAME_WORKER.name]},
        "plugins": ["search", "offline"],
        "markdown_extensions": [
            "attr_list",
            "md_in_html",
            "sane_lists",
            "tables",
            "pymdownx.superfences",
            "pymdownx.highlight",
            "pymdownx.inlinehilite",
        ],
        "validation": {
            "nav": {"omitted_files": "ignore", "not_found": "warn"},
            "links": {
                "not_found": "warn",
                "anchors": "warn",
                "absolute_links": "warn",
                "unrecognized_links": "warn",
            },
        },
    }
    if repository:
        config["repo_url"] = repository
    # GitHub's anchors, which the pages' links use.
    slugs = (
        "- toc:\n    permalink: true\n    slugify: !!python/object/apply:pymdownx.slugs.slugify\n"
    )
    slugs += "      kwds: {case: lower}\n"
    text = yaml.safe_dump(config, sort_keys=False, allow_unicode=True)
    return text.replace("markdown_extensions:\n", f"markdown_extensions:\n{slugs}")
