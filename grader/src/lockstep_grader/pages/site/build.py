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
