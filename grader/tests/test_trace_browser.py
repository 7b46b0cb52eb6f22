# SPDX-License-Identifier: MIT
"""The page of `trace` in a real browser: it replays, by mouse and keyboard, and is accessible."""

from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.student.trace.model import find_races, read_recording
from lockstep_grader.student.trace.page import Trace, make_page
from lockstep_grader.student.trace.record import Recorded
from test_report_browser import PHONE, Tab, browser, pytestmark, tab, violations

from recordings import SOURCE, ints, shift

__all__ = ["browser", "pytestmark", "tab"]
SHARED = "#arrays .array:first-child [role=gridcell]"


def same_values() -> dict[str, Any]:
    """Thread 32 writes the 32 that is there already."""
    data = shift()
    write = next(moment for moment in data["moments"] if moment[:4] == ["w", 0, 1, 7])
    write[11] = ints([32, *range(34, 64)])
    return data


@pytest.fixture
def recorded() -> dict[str, Any]:
    return shift()


@pytest.fixture
def page(tab: Tab, tmp_path: Path, recorded: dict[str, Any]) -> Any:
    recording = read_recording(recorded)
    races = tuple(find_races(recording))
    made = Trace("01-demo/01_first", "", Recorded(recording), {"shift.cu": SOURCE}, (), races)
    file = tmp_path / "page.html"
    file.write_text(make_page(made)[1], "utf-8")
    tab.page.goto(file.as_uri())
    tab.page.wait_for_selector("#trace:not([hidden])")
    yield tab.page
    assert tab.said == []
    assert tab.asked == [file.as_uri()]


def status(page: Any) -> str:
    text: str = page.locator("#status").inner_text()
    return text


def press(page: Any, *keys: str) -> str:
    for key in keys:
        page.keyboard.press(key)
    return status(page)


def test_it_steps_forward_and_back(page: Any) -> None:
    assert press(page, "Home") == "Step 1 of 17 Block 0 starts."
    assert "warp 0, line 5: 32 lanes go on here" in press(page, "ArrowRight")
    assert "32 lanes read d_in; 4 sectors of 32 bytes" in press(page, "ArrowRight")
    assert page.locator(".row.now .number").inner_text() == "5"
    page.click("#back")
    assert status(page).startswith("Step 2 of 17")
    assert press(page, "End").startswith("Step 17 of 17")
    assert press(page, "Home").startswith("Step 1 of 17")


def test_it_opens_at_the_first_finding(page: Any) -> None:
    assert status(page) == "Step 13 of 17 Finding: two threads <b>meet</b>"
    assert page.locator(".row.now .number").inner_text() == "7"


@pytest.mark.parametrize("recorded", [shift(findings=[], moments=shift()["moments"][:12])])
def test_without_a_finding_it_opens_where_lanes_access_memory(page: Any) -> None:
    assert status(page).startswith("Step 3 of 12 Block 0, warp 0, line 5: 32 lanes read d_in")


def test_findings_are_folded_and_the_player_stays_in_sight(page: Any) -> None:
    source = page.locator(".source").bounding_box()
    assert source["y"] < page.viewport_size["height"] / 2 + 100
    assert not page.locator(".finding .order").first.is_visible()
    page.locator(".finding summary").click()
    assert page.locator(".finding .order").first.is_visible()
    page.mouse.wheel(0, 400)
    assert page.locator("#play").is_visible()
    assert page.locator("#play").bounding_box()["y"] >= 0


def test_it_jumps_to_barriers_divergences_and_findings(page: Any) -> None:
    press(page, "Home")
    assert "all threads have come to the barrier" in press(page, "b")
    assert press(page, "b") == "There is no later barrier."
    assert "31 lanes read tile" in press(page, "d")
    assert "two threads <b>meet</b>" in press(page, "f")
    assert press(page, "Shift+B").startswith("Step 9 of 17")


def test_memory_shows_values_accesses_and_writers(page: Any) -> None:
    cells = page.locator(SHARED)
    press(page, "Home")
    assert cells.nth(5).inner_text() == "·"
    press(page, *["ArrowRight"] * 3)
    assert cells.nth(5).inner_text() == "5"
    assert page.locator(f"{SHARED}.write").count() == 32
    cells.nth(5).hover()
    told = page.locator("#cell").inner_text()
    assert told == "tile[5] = 5, written last by thread 5 of block 0 in line 5, step 4"
    cells.nth(0).focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#cell").inner_text().startswith("tile[1] = 1,")
    assert status(page).startswith("Step 4 ")  # the cells' arrows do not step
    assert cells.nth(5).inner_text() == "5"
    page.click("#first")
    assert cells.nth(5).inner_text() == "·"


def test_lanes_wait_diverge_and_end(page: Any) -> None:
    lanes = page.locator("#warps .lane")
    press(page, "Home", *["ArrowRight"] * 4)
    assert lanes.nth(0).inner_text() == "‖"
    press(page, "d")
    assert (lanes.nth(32).inner_text(), lanes.nth(63).inner_text()) == ("R", "⋯")
    words = page.locator(".warp").nth(1).get_attribute("aria-label")
    assert words == "Warp 1: 31 lanes in line 7, 1 lane in line 5"
    press(page, "End")
    assert lanes.nth(0).inner_text() == "\u00d7"


def test_a_race_shows_both_accesses_and_the_other_order(page: Any) -> None:
    page.locator(".finding summary").click()
    here, other = page.locator(".finding .order").all()
    assert "Thread 31 of block 0 reads 32." in here.inner_text()
    assert "thread 32 of block 0 writes tile[32] in line 7, then thread 31" in other.inner_text()
    assert "Thread 31 of block 0 reads 33." in other.inner_text()
    assert "same value" not in page.locator(".finding").inner_text()
    buttons = here.locator("button")
    assert "thread 31 of block 0 reads tile[32] in line 7" in buttons.nth(0).inner_text()
    buttons.nth(1).click()
    assert "warp 1, line 7: 31 lanes write tile" in status(page)
    assert page.locator(f"{SHARED}.raced").count() == 1
    page.select_option("#speed", "200")
    page.locator(".play-order").click()
    page.wait_for_selector("#play[aria-pressed=false]")
    assert status(page).startswith("Step 15 of 17")


@pytest.mark.parametrize("recorded", [same_values()])
def test_only_equal_values_are_called_the_same(page: Any) -> None:
    page.locator(".finding summary").click()
    assert "Both orders give the same value here." in page.locator(".finding").inner_text()


def test_it_plays_pauses_and_scrubs(page: Any) -> None:
    page.select_option("#speed", "200")
    page.click("#play")
    page.wait_for_selector('#status:has-text("Step 17 of 17")')
    page.wait_for_selector("#play[aria-pressed=false]")
    page.select_option("#speed", "2")  # it must not end between two keys
    page.locator("#position").fill("8")
    assert "all threads have come to the barrier" in status(page)
    page.locator("body").press(" ")
    assert page.locator("#play").get_attribute("aria-pressed") == "true"
    page.locator("body").press(" ")
    assert page.locator("#play").get_attribute("aria-pressed") == "false"


@pytest.mark.parametrize("key", ["Home", "d", "f"])
def test_it_is_accessible_in_light_and_dark(page: Any, key: str) -> None:
    press(page, key)
    page.emulate_media(reduced_motion="reduce")
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, runOnly=["color-contrast"]) == []


@pytest.mark.parametrize("tab", [{"viewport": PHONE}], indirect=True)
def test_it_fits_on_a_phone(page: Any) -> None:
    press(page, "ArrowRight")
    source, memory = page.locator(".source").bounding_box(), page.locator("#arrays").bounding_box()
    assert source["y"] < memory["y"]
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
