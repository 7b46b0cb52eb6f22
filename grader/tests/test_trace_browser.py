# SPDX-License-Identifier: MIT
"""The page of `trace` in a real browser: it replays, by mouse and keyboard, and is accessible."""

from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.student.trace.model import read_recording
from lockstep_grader.student.trace.page import Trace, render_page
from lockstep_grader.student.trace.races import find_races
from lockstep_grader.student.trace.record import Recorded
from test_report_browser import PHONE, Tab, browser, pytestmark, tab, violations

from recordings import SOURCE, shift

__all__ = ["browser", "pytestmark", "tab"]
SHARED = "#arrays .array:first-child [role=gridcell]"


@pytest.fixture
def page(tab: Tab, tmp_path: Path) -> Any:
    recording, other = read_recording(shift()), read_recording(shift(last_lane_reads=33))
    races = tuple(find_races(recording))
    made = Trace(
        "01-demo/01_first", 0, Recorded(recording), {"shift.cu": SOURCE}, (), races, ((0, other),)
    )
    file = tmp_path / "page.html"
    file.write_text(render_page(made), "utf-8")
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
    assert status(page) == "Step 1 of 17 Block 0 starts."
    assert "warp 0, line 5: 32 lanes go on here" in press(page, "ArrowRight")
    assert "32 lanes read d_in; 4 sectors of 32 bytes" in press(page, "ArrowRight")
    assert page.locator(".row.now .number").inner_text() == "5"
    page.click("#back")
    assert status(page).startswith("Step 2 of 17")
    assert press(page, "End").startswith("Step 17 of 17")
    assert press(page, "Home").startswith("Step 1 of 17")


def test_it_jumps_to_barriers_divergences_and_findings(page: Any) -> None:
    assert "all threads have come to the barrier" in press(page, "b")
    assert press(page, "b") == "There is no later barrier."
    assert "31 lanes read tile" in press(page, "d")
    assert "two threads <b>meet</b>" in press(page, "f")
    assert press(page, "Shift+B").startswith("Step 9 of 17")


def test_memory_shows_values_accesses_and_writers(page: Any) -> None:
    cells = page.locator(SHARED)
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
    press(page, *["ArrowRight"] * 4)
    assert lanes.nth(0).inner_text() == "‖"
    press(page, "d")
    assert (lanes.nth(32).inner_text(), lanes.nth(63).inner_text()) == ("R", "⋯")
    words = page.locator(".warp").nth(1).get_attribute("aria-label")
    assert words == "Warp 1: 31 lanes in line 7, 1 lane in line 5"
    press(page, "End")
    assert lanes.nth(0).inner_text() == "\u00d7"


def test_a_race_shows_both_accesses_and_the_other_order(page: Any) -> None:
    box = page.locator(".finding")
    assert "Here thread 31 of block 0 reads 32." in box.inner_text()
    assert "it reads 33" in box.inner_text()
    buttons = box.locator("button")
    assert "thread 31 of block 0 reads tile[32] in line 7" in buttons.nth(0).inner_text()
    buttons.nth(1).click()
    assert "warp 1, line 7: 31 lanes write tile" in status(page)
    assert page.locator(f"{SHARED}.raced").count() == 1


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
    press(page, "f", "ArrowRight")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
