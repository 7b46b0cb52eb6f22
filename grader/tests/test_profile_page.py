# SPDX-License-Identifier: MIT
"""The HTML page: whole in itself, safe whatever a submission says, and its pictures exact."""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any, Literal

import pytest

from lockstep_grader.intake.catalog import read_lab
from lockstep_grader.intake.submission import Source
from lockstep_grader.model.grades import Gate, Resources
from lockstep_grader.student.profile.page import describe, draw, render_page
from lockstep_grader.student.profile.run import Pattern, Profile
from lockstep_grader.student.profile.timing import read_device

from conftest import LAB, Checkout
from profiles import SOURCE, Offsets, kernel, line, pattern, size_profile, strided, tree_lines

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&"
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Reader(HTMLParser):
    """Collects elements and text; fails on elements that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.text += " "
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    return reader


def render(checkout: Checkout, *sizes: Any, source: str = SOURCE, **changes: Any) -> str:
    lab = read_lab(checkout.root / "labs" / LAB / "lab.toml")
    made = Profile(
        lab,
        changes.get("rung", lab.rungs[1]),
        Source("02_second.cu", source.encode()),
        tuple(size_profile(**size) for size in sizes or ({},)),
        changes.get("resources", "no nvcc here"),
    )
    return render_page(made, read_device())


def test_the_page_needs_nothing_else(checkout: Checkout) -> None:
    reader = read(render(checkout))
    tags = {tag for tag, _ in reader.elements}
    assert not tags & {"script", "link", "img", "iframe", "object", "base", "form"}
    for _, attributes in reader.elements:
        for name in ("src", "href", "action"):
            assert (attributes.get(name) or "#").startswith("#")
        assert not any(name.startswith("on") for name in attributes)
    style = re.search(r"<style>(.*?)</style>", render(checkout), re.DOTALL)
    assert style is not None
    assert "url(" not in style[1]
    assert "@import" not in style[1]
    assert "prefers-color-scheme: dark" in style[1]


def test_everything_of_a_submission_is_escaped(checkout: Checkout) -> None:
    evil_line = line(
        1, pattern("global", "read", strided(4), 4, base=EVIL), barriers=1, global_read_sectors=4
    )
    other = line(3, file=EVIL, barriers=2)
    size = {
        "outcome": "failed",
        "message": EVIL,
        "findings": [{"kind": "race", "file": EVIL, "line": 2, "message": EVIL}],
        "kernels": [kernel([evil_line, other], name=EVIL)],
    }
    resources = (Resources(EVIL, "9.0", 1, 2, 3, 4, 5),)
    page = render(checkout, size, source=f"// {EVIL}\x1b[2J\u202e\n", resources=resources)
    assert "<script" not in page
    assert "<img" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert EVIL in read(page).text


def test_the_page_tells_what_the_terminal_tells(checkout: Checkout) -> None:
    lab = read_lab(checkout.root / "labs" / LAB / "lab.toml")
    budget = (Gate("bank_conflicts", 1000, 0), Gate("launches", 5, 2))
    rung = replace(lab.rungs[1], budget=budget)
    resources = (Resources("tree_kernel", "9.0", 28, 8192, 0, 0, None),)
    said = " ".join(read(render(checkout, rung=rung, resources=resources)).text.split())
    assert "uncoalesced: 65568 sectors moved" in said
    assert "extra passes over shared memory's banks bank_conflicts 16000" in said
    assert "✗ missed, at most 0" in said
    assert "✓ kept, at most 2" in said
    assert "registers per thread 28" in said
    assert "2048 reads of 32 sectors" in said
    assert "scratch.cuh:12" in said


def test_a_wrong_result_is_a_warning_on_the_page(checkout: Checkout) -> None:
    page = render(checkout, {"outcome": "failed", "message": "expected 6, got 4"})
    assert "The result is wrong," in page
    assert "expected 6, got 4" in page
    assert "The result is wrong," not in render(checkout)


def test_several_sizes_are_linked(checkout: Checkout) -> None:
    reader = read(render(checkout, {"num_items": 1000}, {"num_items": 33}))
    links = [attributes["href"] for tag, attributes in reader.elements if tag == "a"]
    identifiers = [attributes["id"] for _, attributes in reader.elements if "id" in attributes]
    assert links == ["#size-1", "#size-2"]
    assert set(links) <= {f"#{identifier}" for identifier in identifiers}
    assert len(set(identifiers)) == len(identifiers)


def test_pictures_have_titles_and_descriptions_and_open_by_keyboard(checkout: Checkout) -> None:
    reader = read(render(checkout))
    tags = [tag for tag, _ in reader.elements]
    assert tags.count("svg") == tags.count("desc") == tags.count("title") - 1 == 4
    assert tags.count("details") == tags.count("summary") == 4
    opened = [attributes for tag, attributes in reader.elements if tag == "details"]
    assert sum("open" in attributes for attributes in opened) == 2
    for tag, attributes in reader.elements:
        if tag == "svg":
            assert attributes["role"] == "img"
            assert attributes["aria-labelledby"]


def test_a_multiline_comment_keeps_every_line(checkout: Checkout) -> None:
    page = render(checkout, source="/* one\n   two\n\n   four */ int five;\n")
    assert page.count('<span class="number">') == 4
    assert "four */" in read(page).text


Space = Literal["global", "shared"]


def picture(
    space: Space, offsets: Offsets, passes: int, size_bytes: int = 4
) -> ElementTree.Element:
    made = Pattern(space, "read", size_bytes, "d_in", tuple(offsets), passes)
    return ElementTree.fromstring(str(draw(made, "p")))


def boxes(svg: ElementTree.Element, kind: str) -> int:
    return sum(kind in (rect.get("class") or "").split() for rect in svg.iter("rect"))


@pytest.mark.parametrize(
    ("offsets", "size_bytes", "sectors", "words"),
    [
        (strided(4), 4, 4, 32),  # neighbouring words
        (strided(8), 4, 8, 32),  # every other word
        (strided(0), 4, 1, 1),  # one word for all
        (strided(16), 16, 16, 128),  # float4
        (strided(4, 5), 4, 1, 5),  # five lanes
        ([None] * 31 + [-4], 4, 1, 1),  # before the base
    ],
)
def test_global_memory_is_drawn_by_sectors(
    offsets: Offsets, size_bytes: int, sectors: int, words: int
) -> None:
    svg = picture("global", offsets, sectors, size_bytes)
    taking_part = sum(offset is not None for offset in offsets)
    assert boxes(svg, "sector") == sectors
    assert boxes(svg, "lane") == taking_part + words


@pytest.mark.parametrize(
    ("offsets", "size_bytes", "conflicts"),
    [
        (strided(4), 4, 0),
        (strided(8), 4, 16),  # two words in each even bank
        (strided(0), 4, 0),  # a broadcast
        (strided(8), 8, 0),  # two wavefronts that no layout can save
        (strided(132), 4, 0),  # padded
    ],
)
def test_shared_memory_is_drawn_by_banks(offsets: Offsets, size_bytes: int, conflicts: int) -> None:
    assert boxes(picture("shared", offsets, 1, size_bytes), "conflict") == conflicts


def test_a_tall_picture_is_cut_and_says_so() -> None:
    svg = picture("global", strided(128), 32)
    assert boxes(svg, "sector") == 12
    assert "and 20 more 128-byte lines" in [text.text for text in svg.iter("text")]


@pytest.mark.parametrize(
    ("base", "said"),
    [
        ("tile", "shared memory tile: 1 wavefront"),
        ("dynamic shared memory", "lanes, dynamic shared"),
    ],
)
def test_the_title_names_the_memory_once(base: str, said: str) -> None:
    made = Pattern("shared", "write", 4, base, tuple(strided(4)), 1)
    assert said in describe(made)
    assert describe(made).count("shared memory") == 1


def test_the_description_says_what_the_picture_shows() -> None:
    said = next(picture("global", strided(128), 32).iter("desc")).text
    assert (
        said
        == "Lane 0 is at byte 0, each lane 128 bytes after the last. They touch 32 128-byte lines."
    )
    assert "all lanes at one address" in str(
        next(picture("shared", strided(0), 1).iter("desc")).text
    )
    uneven = [7, 3, 99, *[None] * 29]
    assert "uneven distances" in str(next(picture("shared", uneven, 1).iter("desc")).text)
    text = next(picture("shared", [None] * 32, 0).iter("desc")).text
    assert text == "No lane takes part."


def test_lines_without_a_known_place_do_not_break_the_page(checkout: Checkout) -> None:
    odd = [line(0, file="", barriers=1), line(999, barriers=1)]
    page = render(checkout, {"kernels": [kernel([*tree_lines(), *odd])]})
    assert read(page).text.count("2048 reads of 32 sectors") == 1
