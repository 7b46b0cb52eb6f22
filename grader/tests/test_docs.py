# SPDX-License-Identifier: MIT
"""The manual is true: links lead somewhere, commands exist, numbers can be worked out again."""

import html
import math
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

REPOSITORY = Path(__file__).parents[2]


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


# ---- numbers of docs/model.md


@pytest.fixture(scope="module")
def model() -> str:
    return " ".join((REPOSITORY / "docs" / "model.md").read_text("utf-8").split())


def test_the_bandwidth_bound_example_adds_up(model: str) -> None:
    peak, bandwidth, word = 1500, 200, 4
    reached = bandwidth / word
    assert f"{peak} GFLOP/s and moves {bandwidth} GB/s" in model
    assert f"{reached:g} GFLOP/s, which is {100 * reached / peak:.2f}% of the peak" in model
    ridge = peak / bandwidth
    assert f"{ridge:g} flop per byte, that is {ridge * word:g} operations" in model


def test_the_dram_example_adds_up(model: str) -> None:
    opening, burst, size = 40, 2, 64
    assert f"{opening} ns to open a row; then a burst of {size} bytes takes {burst} ns" in model
    assert f"every {opening + burst} ns, {size / (opening + burst):.2f} GB/s" in model
    assert f"{size // burst} GB/s. It takes {opening + burst} / {burst} = 21 banks" in model
    assert (opening + burst) / burst == 21
    assert f"200 x 500 = {200 * 500:,} bytes" in model


@pytest.mark.parametrize(
    ("row", "first", "stride"),
    [
        ("32 neighbouring floats, aligned", 0, 1),
        ("the same, 4 bytes further on", 1, 1),
        ("every 2nd float", 0, 2),
        ("every 8th float, or further apart", 0, 8),
        ("one float, all the same", 0, 0),
    ],
)
def test_sectors_are_counted_right(model: str, row: str, first: int, stride: int) -> None:
    words = {first + stride * lane for lane in range(32)}
    sectors = {4 * word // 32 for word in words}
    used = 100 * 4 * len(words) / (32 * len(sectors))
    assert f"| {row} | {len(sectors)} | {used:g}% |" in model


def test_padding_removes_the_conflicts_that_the_page_names(model: str) -> None:
    def passes(stride: int, padded: bool) -> int:
        words = [stride * lane for lane in range(32)]
        banks = [(word + word // 32 if padded else word) % 32 for word in words]
        return max(banks.count(bank) for bank in banks)

    assert (passes(2, padded=False), passes(32, padded=False)) == (2, 32)
    assert "`i + i / 32`" in model
    assert passes(32, padded=True) == 1


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


def test_the_roof_is_drawn_for_the_example_of_the_page() -> None:
    roof = (REPOSITORY / "docs" / "figures" / "roofline.svg").read_text("utf-8")
    assert re.search(r"50 GFLOP/s", roof)
    assert math.isclose(1500 / 200, 7.5)


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
