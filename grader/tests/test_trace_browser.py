# SPDX-License-Identifier: MIT
"""The page of `trace` in a real browser: it replays, by mouse and keyboard, and is accessible."""

import random
import struct
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.student.trace.model import Moment, Recording, read_recording
from lockstep_grader.student.trace.other_order import OtherOrder
from lockstep_grader.student.trace.pack import packed
from lockstep_grader.student.trace.page import Trace, make_page
from lockstep_grader.student.trace.page_data import page_data
from lockstep_grader.student.trace.races import find_races, reversed_in
from lockstep_grader.student.trace.record import Recorded
from test_report_browser import PHONE, Tab, browser, pytestmark, tab, violations

from recordings import SOURCE, TILE, other_shift, shift

__all__ = ["browser", "pytestmark", "tab"]
SHARED = "#arrays .array:first-child [role=gridcell]"


@pytest.fixture
def page(tab: Tab, tmp_path: Path) -> Any:
    recording, other = read_recording(shift()), read_recording(other_shift(33))
    (race,) = find_races(recording)
    seen = reversed_in(recording, race, other)
    assert seen
    orders = (OtherOrder(5, False, other, (seen,)),)
    made = Trace(
        "01-demo/01_first", 0, Recorded(recording), {"shift.cu": SOURCE}, (), (race,), orders
    )
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
    here, other = page.locator(".finding .order").all()
    assert "Thread 31 of block 0 reads 32." in here.inner_text()
    assert "In the other order (as with --seed 5)" in other.inner_text()
    assert "Thread 31 of block 0 reads 33." in other.inner_text()
    buttons = here.locator("button")
    assert "thread 31 of block 0 reads tile[32] in line 7" in buttons.nth(0).inner_text()
    buttons.nth(1).click()
    assert "warp 1, line 7: 31 lanes write tile" in status(page)
    assert page.locator(f"{SHARED}.raced").count() == 1
    assert "thread 32 of block 0 writes tile[32]" in other.locator("button").nth(0).inner_text()


def test_the_other_order_is_played_as_far_as_the_race(page: Any) -> None:
    page.select_option("#speed", "200")
    page.locator(".play-order").nth(1).click()
    page.wait_for_selector("#play[aria-pressed=false]")
    assert "the other order, of --seed 5" in page.locator("#order").inner_text()
    assert status(page).startswith("Step 14 of 17 Block 0, warp 0, line 7: 32 lanes write tile")
    assert page.locator(f"{SHARED}.raced").inner_text() == "33"
    press(page, "ArrowLeft")
    assert "warp 0, line 7: 32 lanes read tile" in status(page)
    page.locator("#order button").click()
    assert page.locator("#order").is_hidden()
    assert status(page) == "Step 1 of 17 Block 0 starts."
    page.locator(".play-order").nth(0).click()
    page.wait_for_selector("#play[aria-pressed=false]")
    assert status(page).startswith("Step 15 of 17")


def test_a_finding_of_the_first_order_is_jumped_to_from_the_other(page: Any) -> None:
    page.locator(".finding .order").nth(1).locator("button").nth(0).click()
    assert page.locator("#order").is_visible()
    page.locator(".finding .order").nth(0).locator("button").nth(0).click()
    assert page.locator("#order").is_hidden()
    assert "warp 0, line 7: 32 lanes read tile" in status(page)


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


def every_kind(num_steps: int) -> Recording:
    """Accesses of each size, spaced evenly and not; some reads are of what is known, and some
    values are copies or sums of others."""
    random_ = random.Random(11)
    data = shift(grid=[2, 1, 1], findings=[], moments=[])
    for array in data["arrays"]:
        array["bytes"] = 1 << 20
    known: list[int] = []
    for step in range(num_steps):
        lanes = random_.choice([2**32 - 1, 1, 2**31, random_.getrandbits(32) | 1])
        row = ["", step % 2, step // 2 % 2, random_.randrange(10), lanes, 2**32 - 1, 0]
        count, size = lanes.bit_count(), random_.choice([1, 2, 4, 4, 8, 16])
        values = [random_.randbytes(size) for _ in range(count)]
        match step % 5:
            case 0:
                given = [random_.randbytes(8) for _ in range(2 * count)]
                texts = [b"".join(given[:count]).hex(), b"".join(given[count:]).hex()]
                moment = ["o", *row[1:], random_.choice(["shuffle", "add"]), *texts]
            case 1:
                moment = ["s", *row[1:]]
            case 2 if known:
                start = random_.choice(known)
                moment = ["r", *row[1:4], 1, *row[5:], TILE, 1, [start, 0], "", "", 1, 1]
            case _:
                first = 16 * random_.randrange(4000)
                even = [first + size * lane for lane in range(count)]
                odd = [16 * random_.randrange(4000) for _ in range(count)]
                is_even = random_.random() < 0.5
                offsets: list[Any] = [first, size] if is_even else [odd]
                text = b"".join(values).hex()
                kind = random_.choice("rwa")
                told = {"r": [text, ""], "w": ["", text], "a": [text, text]}[kind]
                moment = [kind, *row[1:], TILE, size, offsets, *told, step % 40, step % 2]
                known += even if is_even else odd
        data["moments"].append(moment)
        for text in sums(random_, count) if step % 7 == 0 else ():
            data["moments"].append(["w", *row[1:], TILE, 4, [0, 4], "", text, 1, 1])
    return read_recording(data)


def sums(random_: random.Random, count: int) -> list[str]:
    """Two values of each lane, their sum, and the sum once more; of ints or floats."""
    if random_.random() < 0.5:
        ints = [[random_.getrandbits(32) for _ in range(count)] for _ in range(2)]
        ints.append([(one + other) % 2**32 for one, other in zip(*ints, strict=True)])
        rows = [b"".join(value.to_bytes(4, "little") for value in row) for row in ints]
    else:
        floats = [[random_.uniform(-9, 9) for _ in range(count)] for _ in range(2)]
        rows = [struct.pack(f"<{count}f", *row) for row in floats]
        exact = [struct.unpack(f"<{count}f", row) for row in rows]
        total = [one + other for one, other in zip(*exact, strict=True)]
        rows.append(struct.pack(f"<{count}f", *total))
    return [row.hex() for row in [*rows, rows[-1]]]


def flat(moment: Moment) -> list[Any]:
    made: list[Any] = [moment.kind, moment.block, moment.warp, moment.place]
    made += [moment.lanes, moment.live, moment.waiting]
    if access := moment.access:
        values = [b"".join(access.before).hex(), b"".join(access.after).hex()]
        made += [access.array, access.size_bytes, list(access.offsets), *values]
        made += [access.cost, access.ideal]
    if operation := moment.operation:
        made += [operation.name, b"".join(operation.before).hex(), b"".join(operation.after).hex()]
    return made


FLAT = """
const digits = (byte) => byte.toString(16).padStart(2, "0");
const hex = (bytes) => [...(bytes || [])].map(digits).join("");
const names = ["kind", "block", "warp", "place", "lanes", "live", "waiting"];
window.flat = async () => (await unpack()).recordings[0].moments.map((moment) => {
  const row = names.map((name) => moment[name]);
  if (moment.kind in accesses) {
    row.push(moment.array, moment.size, offsetsOf(moment));
    row.push(hex(moment.before), hex(moment.after), moment.cost, moment.ideal);
  }
  if (moment.kind === "o") row.push(moment.name, hex(moment.before), hex(moment.after));
  return row;
});
"""


def test_what_is_packed_is_what_the_page_unpacks(tab: Tab, tmp_path: Path) -> None:
    recording = every_kind(3000)
    templates = files("lockstep_grader.student.trace") / "templates"
    script = (templates / "unpack.js").read_text("utf-8")
    data = page_data(recording, (), (), {}, ())
    file = tmp_path / "unpack.html"
    file.write_text(
        f'<!doctype html><meta charset="utf-8"><script type="text/plain" id="recording">{data}'
        f"</script><script>{script}{FLAT}</script>",
        "utf-8",
    )
    tab.page.goto(file.as_uri())
    assert tab.page.evaluate("flat()") == [flat(moment) for moment in recording.moments]
    assert {moment.kind for moment in recording.moments} == {*"srwao"}
    assert {*packed(recording).columns["models"]} == {0, 1, 2, 3}
