# SPDX-License-Identifier: MIT
"""The manual is true: links lead somewhere, commands exist, numbers can be worked out again."""

import html
import re
import runpy
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest

from lockstep_grader import __version__
from lockstep_grader.compile.worker import CPU_SECONDS, SECONDS
from lockstep_grader.model.grades import Backend

from command_line import complaint
from markdown import anchors, commands, links
from repository import REPOSITORY


def pages() -> list[Path]:
    """Every Markdown file of the repository, and none that a build or a tool left there."""
    listed = ["git", "-C", str(REPOSITORY), "ls-files", "-z", "-co", "--exclude-standard", "*.md"]
    done = subprocess.run(listed, capture_output=True, text=True, check=True)
    return [REPOSITORY / name for name in sorted(filter(None, done.stdout.split("\0")))]


def test_every_relative_link_leads_to_a_file_and_a_heading() -> None:
    found = [link for page in pages() for link in links(page)]
    assert len(found) > 80
    assert [link.problem for link in found if link.problem] == []


def test_every_page_of_the_manual_is_in_its_table_of_contents() -> None:
    contents = REPOSITORY / "docs" / "README.md"
    listed = {(contents.parent / link.target).resolve() for link in links(contents)}
    assert set((REPOSITORY / "docs").glob("*.md")) - listed == {contents}


# ---- commands


def test_every_command_line_in_the_manual_is_understood() -> None:
    found = [(page, words) for page in pages() for words in commands(page) if words]
    assert len(found) > 50
    wrong = [
        f"{page.relative_to(REPOSITORY)}: ./lab {' '.join(words)}: {problem}"
        for page, words in found
        if (problem := complaint(words))
    ]
    assert wrong == []


def test_a_wrong_command_line_would_be_noticed() -> None:
    assert complaint(["chek", "x"]) == "no verb chek"
    assert "--bakend" in complaint(["check", "x", "--bakend", "cpu"])
    assert complaint(["check", "--backend", "cpu"])
    assert complaint(["check", "01", "--backend", "cpu"]) == ""


def test_readers_of_markdown_see_links_headings_and_commands(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# A `b` (c), d!\n\n[x](page.md#a-b-c-d) [y](gone.md) `[z](no.md)` [w](https://w)\n\n"
        "    ./lab list > out   # [q](no.md)\n\nRun `./lab check LAB --seed 7`.\n\n# A b c d\n"
    )
    assert anchors(page.read_text()) == ["a-b-c-d", "a-b-c-d-1"]
    assert [link.target for link in links(page) if link.problem] == ["gone.md"]
    assert list(commands(page)) == [["list"], ["check", "LAB", "--seed", "7"]]


def figure_scripts() -> list[Path]:
    scripts = [
        *REPOSITORY.glob("labs/*/figures/draw*.py"),
        *REPOSITORY.glob("docs/figures/draw*.py"),
    ]
    return sorted(scripts)


@pytest.mark.parametrize(
    "script", figure_scripts(), ids=lambda script: str(script.relative_to(REPOSITORY))
)
def test_figures_are_what_their_script_draws(script: Path, tmp_path: Path) -> None:
    subprocess.run(["python3", str(script), str(tmp_path)], check=True)
    drawn = sorted(tmp_path.glob("*.svg"))
    assert drawn
    for figure in drawn:
        assert figure.read_bytes() == (script.parent / figure.name).read_bytes(), figure.name


def test_every_file_that_contributing_names_is_there() -> None:
    text = (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")
    named = set(re.findall(r"`([\w./*-]+\.(?:cpp|cu|h|hpp|py|toml|yml|\*))`", text))
    assert len(named) > 30
    listed = ["git", "-C", str(REPOSITORY), "ls-files"]
    known = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split()
    missing = [
        name
        for name in named
        if "slug" not in name and not any(fnmatch(path, f"*{name}") for path in known)
    ]
    assert missing == []


def test_the_limits_of_the_sandbox_are_those_of_the_code() -> None:
    page = (REPOSITORY / "docs" / "sandbox.md").read_text("utf-8")
    header = REPOSITORY / "common" / "judge" / "process" / "worker_limits.h"
    limits = dict(re.findall(r"(\w+_seconds) = (\d+)", header.read_text("utf-8")))
    cpu, cuda = Backend.CPU, Backend.CUDA
    for row in (
        f"| processor time | {CPU_SECONDS[cpu]} s per process; on `cuda` {CPU_SECONDS[cuda]} s "
        f"| {limits['call_cpu_seconds']} s per call,",
        f"| wall-clock time | {SECONDS[cpu]} s; on `cuda` {SECONDS[cuda]} s "
        f"| {limits['call_wall_seconds']} s per call, "
        f"{limits['all_calls_seconds']} s over all calls",
    ):
        assert row in page


def told(svg: str) -> str:
    """The words of a drawn terminal."""
    return html.unescape(re.sub(r"<[^>]*>", "", svg)).replace("\xa0", " ")


@pytest.mark.e2e
def test_the_picture_in_the_readme_shows_what_a_check_says() -> None:
    folder = REPOSITORY / "docs" / "figures"
    script = runpy.run_path(str(folder / "check_figure.py"))
    races = re.compile(r"race +02_interleaved\.cu:\d+")
    shown = races.findall(told((folder / "check.svg").read_text("utf-8")))
    assert len(shown) == 1
    assert shown == races.findall(told(script["draw"](script["checked"]())))


def test_the_newest_released_version_of_the_changelog_is_this_one() -> None:
    text = (REPOSITORY / "CHANGELOG.md").read_text("utf-8")
    newest = re.search(r"^## (?!Unreleased$)(\S+)", text, re.MULTILINE)
    assert newest
    assert newest[1] == __version__
    supported = (REPOSITORY / "SECURITY.md").read_text("utf-8")
    assert f"| {__version__.rpartition('.')[0]} | yes |" in supported
