# SPDX-License-Identifier: MIT
"""The page of `review` in a real browser: usable by keyboard alone, without script, accessible."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.results.comments import read_comments
from test_report_browser import PHONE, Tab, browser, pytestmark, tab, violations
from test_review import Client, address, client, folder

from reports import EVIL

__all__ = ["browser", "client", "folder", "pytestmark", "tab"]
SAID = f"Pad the tile {EVIL}\nand say why"


@pytest.fixture
def page(tab: Tab, client: Client) -> Iterator[Any]:
    tab.page.goto(client.server.url)
    yield tab.page
    assert tab.said == []
    root = f"http://{client.server.host}/"
    assert [each for each in tab.asked if not each.startswith(root)] == []


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def shown(page: Any) -> str:
    """The student and the rung."""
    student = page.locator("h1").inner_text().rpartition(" ")[0].rsplit(" ", 2)[0]
    return f"{student}, {page.url.rpartition('/')[2].partition('#')[0]}"


def comment_by_keyboard(page: Any, key: str, text: str) -> None:
    press(page, key)
    page.keyboard.insert_text(text)
    with page.expect_navigation():
        press(page, "Control+Enter")


def test_keys_lead_through_students_and_rungs(page: Any) -> None:
    assert shown(page) == "A. Adams, 01_first"
    for key, place in (
        ("j", "B. Brown, 01_first"),
        ("l", "B. Brown, 02_second"),
        ("n", f"{EVIL}, 02_second"),
        ("k", "B. Brown, 02_second"),
        ("h", "B. Brown, 01_first"),
        ("p", "A. Adams, 01_first"),
    ):
        with page.expect_navigation():
            press(page, key)
        assert shown(page) == place
    press(page, "k")  # there is no student before the first
    assert shown(page) == "A. Adams, 01_first"


def test_a_comment_is_written_by_keyboard_and_used_again(page: Any, folder: Path) -> None:
    press(page, *["ArrowDown"] * 11)
    assert page.locator(".line.current .number").inner_text() == "12"
    comment_by_keyboard(page, "c", SAID)
    assert page.locator(".note.comment").inner_text() == SAID
    assert page.locator(".line.current .number").inner_text() == "12"
    with page.expect_navigation():
        press(page, "j")
    press(page, "ArrowDown", "1")  # the text that was used before, at line 2
    with page.expect_navigation():
        press(page, "Control+Enter")
    comment_by_keyboard(page, "r", "a good rung")
    comment_by_keyboard(page, "s", "see me")
    found = [(each.student, each.rung, each.line, each.text) for each in read_comments(folder)]
    assert found == [
        ("adams", "01_first", 12, SAID),
        ("brown", "01_first", 2, SAID),
        ("brown", "01_first", 0, "a good rung"),
        ("brown", "", 0, "see me"),
    ]
    items = page.locator("li.comment").all_inner_texts()
    assert [item.splitlines()[0] for item in items] == [
        f"line 2 {SAID.splitlines()[0]}",
        "rung a good rung",
        "student see me",
    ]


def test_keys_are_letters_while_a_comment_is_written(page: Any) -> None:
    press(page, "c", "j", "l", "1")
    assert page.locator("#text").input_value() == "jl1"
    press(page, "Escape")
    with page.expect_navigation():
        press(page, "j")
    assert shown(page) == "B. Brown, 01_first"


def test_a_click_chooses_the_line_and_a_button_removes(page: Any, folder: Path) -> None:
    page.locator(".line").nth(4).click()
    assert page.locator("#line").input_value() == "5"
    page.fill("#text", "one")
    page.get_by_role("button", name="Save").click()
    page.locator(".note.comment").wait_for()
    assert [(each.line, each.text) for each in read_comments(folder)] == [(5, "one")]
    with page.expect_navigation():
        page.get_by_role("button", name="Remove this comment").click()
    assert page.locator(".note.comment").count() == 0
    assert read_comments(folder) == ()


@pytest.mark.parametrize("tab", [{"java_script_enabled": False}], indirect=True)
def test_without_script_links_and_forms_work(page: Any, folder: Path) -> None:
    page.get_by_role("link", name="next student").click()
    page.select_option("#about", "line")
    page.fill("#line", "3")
    page.fill("#text", "by hand")
    page.get_by_role("button", name="Save").click()
    assert page.locator(".note.comment").inner_text() == "by hand"
    assert [(each.student, each.line) for each in read_comments(folder)] == [("brown", 3)]


def test_a_source_that_was_not_kept_is_commented_as_a_whole(page: Any, client: Client) -> None:
    page.goto(client.server.url + address(client, "clark"))
    assert "The source was not kept" in page.locator("main").inner_text()
    comment_by_keyboard(page, "c", "write it")
    assert page.locator("li.comment .file").inner_text() == "rung"


def test_it_is_accessible_in_light_and_dark(page: Any) -> None:
    comment_by_keyboard(page, "c", SAID)
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, runOnly=["color-contrast"]) == []


@pytest.mark.parametrize("tab", [{"viewport": PHONE}], indirect=True)
def test_on_a_phone_it_is_not_wider_than_the_screen(page: Any) -> None:
    comment_by_keyboard(page, "c", "x" * 300)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_a_page_elsewhere_cannot_send_the_form(tab: Tab, client: Client, folder: Path) -> None:
    target = client.server.url + client.server.desk.start
    tab.page.set_content(
        f'<form method="post" action="{target}"><input name="about" value="rung">'
        '<input name="text" value="forged"><button>go</button></form>'
    )
    with tab.page.expect_navigation():
        tab.page.get_by_role("button", name="go").click()
    assert "this form is not of this page" in tab.page.locator("body").inner_text()
    assert read_comments(folder) == ()
