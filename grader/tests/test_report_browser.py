# SPDX-License-Identifier: MIT
"""The pages in a real browser: quiet, usable by keyboard and on a phone, accessible, and safe."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.pages.report.class_page import Match, Pair, Similarity
from lockstep_grader.pages.report.words import page_name
from lockstep_grader.pages.report.write import write_report
from lockstep_grader.results.graded import read_results
from lockstep_grader.toolchain.system import BROWSER_REQUIREMENTS

from reports import EVIL, SOURCE, demo_lab, write_class

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
CHROMIUM = BROWSER_REQUIREMENTS[0].found()
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no chromium on this machine")

STUDENT = f"students/{page_name('brown')}"
EVIL_STUDENT = f"students/{page_name(EVIL)}"
PAIR = f"similarity/{page_name('adams', EVIL)}"
PAGES = ("index.html", "analysis.html", "leaderboard.html", STUDENT, EVIL_STUDENT, PAIR)
OPEN_ALL = "document.querySelectorAll('details').forEach((each) => { each.open = true })"
PATIENCE = 300_000  # milliseconds; only a browser that hangs needs them
PHONE = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    results = read_results(write_class(folder))
    first, evil = results.entries[0], results.entries[2]
    lines = frozenset({3, 4, 5})
    match = Match("01-demo", "01_first", 0.97, 0.3, SOURCE, f"{SOURCE}// {EVIL}\n", lines, lines)
    similarity = Similarity((Pair(first, evil, (match,)),), 0, 15, ())
    lab = demo_lab(folder / "labs")
    write_report(results, [lab], folder / "report", anonymous=False, similarity=similarity)
    return folder / "report"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        # As root Chromium has no sandbox of its own; what it opens here is our own page.
        started = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"], timeout=PATIENCE
        )
        yield started
        started.close()


class Tab:
    """A page, and everything that it complained of or asked for."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", self._dismiss)
        page.on("request", lambda request: self.asked.append(request.url))

    def _dismiss(self, dialog: Any) -> None:
        self.said.append(dialog.message)
        dialog.dismiss()

    def column(self, table: str, number: int) -> list[str]:
        rows = f"#{table} tbody tr:not([hidden]) > :nth-child({number})"
        texts: list[str] = self.page.locator(rows).all_inner_texts()
        return texts


@pytest.fixture
def tab(browser: Any, request: pytest.FixtureRequest) -> Iterator[Tab]:
    context = browser.new_context(**getattr(request, "param", {}))
    context.set_default_timeout(PATIENCE)
    yield Tab(context.new_page())
    context.close()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_loads_without_a_complaint_and_asks_for_nothing(
    tab: Tab, report: Path, name: str
) -> None:
    address = (report / name).as_uri()
    tab.page.goto(address)
    assert tab.said == []
    assert [url for url in tab.asked if not url.startswith("data:")] == [address]


@pytest.mark.parametrize("name", ["index.html", "leaderboard.html", EVIL_STUDENT, PAIR])
def test_a_name_with_markup_is_text(tab: Tab, report: Path, name: str) -> None:
    tab.page.goto((report / name).as_uri())
    assert EVIL in tab.page.locator("body").inner_text()
    assert tab.page.locator("script").count() == (0 if "/" in name else 1)
    assert tab.said == []


def test_a_script_that_got_into_a_page_would_not_run(tab: Tab, report: Path) -> None:
    page = (report / "index.html").read_text()
    broken = report / "broken.html"
    broken.write_text(page.replace("</main>", f"{EVIL}<img src=x onerror=alert(2)></main>"))
    tab.page.goto(broken.as_uri())
    broken.unlink()
    assert "1" not in tab.said
    assert "2" not in tab.said
    assert sum("Content Security Policy" in line for line in tab.said) >= 2


@pytest.mark.parametrize("tab", [{"viewport": PHONE}], indirect=True)
@pytest.mark.parametrize("name", PAGES)
def test_on_a_phone_no_page_is_wider_than_the_screen(tab: Tab, report: Path, name: str) -> None:
    tab.page.goto((report / name).as_uri())
    tab.page.evaluate(OPEN_ALL)
    assert tab.page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def violations(page: Any, **options: Any) -> list[tuple[str, list[str]]]:
    """Axe collects every node of violations alone, and one of what passes."""
    found = axe.Axe().run(page, options={"resultTypes": ["violations"], **options}).response
    assert "color-contrast" in {each["id"] for each in found["passes"] + found["violations"]}
    return [(each["id"], [node["html"] for node in each["nodes"]]) for each in found["violations"]]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_accessible_in_light_and_dark(tab: Tab, report: Path, name: str) -> None:
    tab.page.goto((report / name).as_uri())
    tab.page.evaluate(OPEN_ALL)
    assert violations(tab.page) == []
    tab.page.emulate_media(color_scheme="dark")
    assert violations(tab.page, runOnly=["color-contrast"]) == []
    levels = [
        int(heading.evaluate("(each) => each.tagName[1]"))
        for heading in tab.page.locator("h1, h2, h3, h4").all()
    ]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize(
    "tab", [{"color_scheme": "dark"}, {"color_scheme": "light"}], indirect=True
)
def test_dark_is_dark(tab: Tab, report: Path) -> None:
    tab.page.goto((report / "index.html").as_uri())
    is_dark = tab.page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    colour = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    red, green, blue = (int(part) for part in colour[4:-1].split(","))
    assert (red + green + blue < 150) == is_dark


def test_a_click_on_a_heading_sorts_and_says_so(tab: Tab, report: Path) -> None:
    tab.page.goto((report / "index.html").as_uri())
    heading = tab.page.locator("#class-table th", has_text="points")
    heading.locator("button").click()
    assert tab.column("class-table", 3) == ["11", "4.5", "0", "0", "0", "\u2013"]
    assert heading.get_attribute("aria-sort") == "descending"
    heading.locator("button").click()
    assert tab.column("class-table", 3) == ["0", "0", "0", "4.5", "11", "\u2013"]  # no zero
    assert heading.get_attribute("aria-sort") == "ascending"
    assert tab.page.locator("[aria-sort]", has_text="points").count() == 1
    said = tab.page.locator("[data-filters='class-table'] [role=status]").inner_text()
    assert said == "6 of 6 shown, by points, ascending"


def test_the_keyboard_alone_sorts(tab: Tab, report: Path) -> None:
    tab.page.goto((report / "leaderboard.html").as_uri())
    for _ in range(12):
        tab.page.keyboard.press("Tab")
        if tab.page.evaluate("document.activeElement.textContent") == "name":
            break
    outline = tab.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    tab.page.keyboard.press("Enter")
    names = tab.column("board-table", 2)
    assert names == [EVIL, "A. Adams", "B. Brown", "clark", "davis", "evans"]
    tab.page.keyboard.press("Space")
    assert tab.column("board-table", 2) == names[::-1]


def test_filters_narrow_the_table_together(tab: Tab, report: Path) -> None:
    tab.page.goto((report / "index.html").as_uri())
    form = tab.page.locator("[data-filters='class-table']")
    form.get_by_label("Section").select_option("B")
    assert tab.column("class-table", 1) == ["B. Brown", EVIL]
    form.get_by_label("Name or cause").fill("BROWN")
    assert tab.column("class-table", 1) == ["B. Brown"]
    assert form.locator("[role=status]").inner_text() == "1 of 6 shown"
    form.get_by_label("Name or cause").fill("")
    form.get_by_label("Section").select_option("")
    form.get_by_label("Standing").select_option("ungraded")
    assert tab.column("class-table", 1) == ["davis"]
    assert "not graded" in tab.page.locator("#class-table tbody tr:not([hidden])").inner_text()
    form.get_by_label("Standing").select_option("problem")
    assert tab.column("class-table", 1) == ["evans"]


@pytest.mark.parametrize("tab", [{"java_script_enabled": False}], indirect=True)
def test_without_script_the_tables_are_whole(tab: Tab, report: Path) -> None:
    tab.page.goto((report / "index.html").as_uri())
    assert len(tab.column("class-table", 1)) == 6
    assert not tab.page.locator("form").is_visible()


def test_a_finding_leads_to_its_line(tab: Tab, report: Path) -> None:
    tab.page.goto((report / STUDENT).as_uri())
    note = tab.page.locator(".line.noted")
    assert "bank_conflicts: most of it arises here (300)" in note.inner_text()
    assert tab.page.locator("img").evaluate("(each) => each.naturalWidth") == 1
    assert tab.page.locator("svg.gauge").count() == 2
