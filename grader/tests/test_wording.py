# SPDX-License-Identifier: MIT
"""The check of wording: turns that it finds, plain English that it leaves alone, and its list."""

import subprocess

import pytest

from lockstep_grader.author.selftest.runner import Context, Tally
from lockstep_grader.author.selftest.sections import (
    TURNS,
    check_wording,
    hits,
    read_turns,
)
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError

from conftest import Checkout

OURS = read_turns(TURNS.read_text("utf-8"))


def found(text: str, path: str = "docs/page.md") -> list[str]:
    return [hit.found for hit in hits(path, text, OURS)]


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("Two reads and one `atomicAdd` an item.", "one `atomicAdd` an item"),
        ("What each must do stands in `threads.cuh`.", "stands in"),
        ("What a sector is tells model.md: 32 bytes. So it tells.", "tells"),
        ("1 tests fail", "1 tests fail"),
        ("// the other lanes are idle for\n  // want of an item", "for want of"),
        ('"whose sum nobody" \\\n    " wrote"', "nobody"),
        ("  // TODO 1. Read the flag until\n  // it\n  //         is set.\n", " it i"),
    ],
)
def test_a_turn_is_found(text: str, turn: str) -> None:
    assert turn in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "Two reads and one `atomicAdd` per item.",
        "None of their threads is idle, and the result stands for all blocks.",
        "What a check tells you: tell your instructor.",
        "besides, the default stands; a kernel reads an item",
        "1 test fails, 2 tests fail",
        "  // TODO 1. Read the flag until\n  //         it\n  //         is set.\n",
        "beside = [folder / name for name in names]",
    ],
)
def test_plain_english_is_left_alone(text: str) -> None:
    assert found(text) == []


def test_a_hit_names_file_line_turn_and_what_to_write() -> None:
    (hit,) = hits("a.md", "One.\nTwo for\nwant of three.\n", OURS)
    assert str(hit).startswith('a.md:2: "for want of": write "without"')


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("bad", "no ' => '"),
        ("bad( => good", "cannot read"),
    ],
)
def test_a_malformed_line_of_the_list_is_named(line: str, problem: str) -> None:
    with pytest.raises(FaultError, match=problem) as caught:
        read_turns(f"# ours\n\\bgood\\b => better\n{line}\n")
    assert "turns.txt:3" in str(caught.value)


@pytest.fixture
def context(checkout: Checkout) -> Context:
    checkout.write("grader/pyproject.toml", '[tool.codespell]\nignore-words-list = "thid"\n')
    checkout.write("docs/page.md", "Two reads per item by thid.\n")
    checkout.write("docs/data.json", "nobody")
    (checkout.root / "solutions").mkdir(exist_ok=True)
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", "-C", str(checkout.root), *words], check=True)
    return Context(Workspace(checkout.root, checkout.root / "build"), make_console(), 1)


def test_good_texts_pass(context: Context, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_wording(context) == Tally(passed=2), capsys.readouterr().out


def test_a_turn_and_a_misspelling_fail(
    context: Context, capsys: pytest.CaptureFixture[str]
) -> None:
    page = context.workspace.root / "docs" / "page.md"
    page.write_text("Two reads an item.\n\nIt is teh other.\n")
    assert check_wording(context) == Tally(failed=2)
    said = capsys.readouterr().out
    assert 'docs/page.md:1: "Two reads an item": write' in said
    assert "page.md:3: teh ==> the" in said


def test_a_students_copy_has_nothing_to_check(context: Context) -> None:
    (context.workspace.root / "solutions").rename(context.workspace.root / "away")
    assert check_wording(context) == Tally()


def test_a_file_that_is_no_text_is_named(context: Context) -> None:
    root = context.workspace.root
    (root / "docs" / "picture.webp").write_bytes(b"\xff\xfe")
    subprocess.run(["git", "-C", str(root), "add", "-A"], check=True)
    with pytest.raises(FaultError, match=r"docs/picture\.webp is not a text"):
        check_wording(context)
