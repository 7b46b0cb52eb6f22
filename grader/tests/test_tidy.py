# SPDX-License-Identifier: MIT
"""clang-tidy on several files at once: complaints keep their places, and fail all of them."""

import json
import os
from pathlib import Path

import pytest

from lockstep_grader.author.selftest.runner import Context, Tally
from lockstep_grader.author.selftest.tidy import check_tidy
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.workspace import Workspace
from test_machine import fake_program

from conftest import Checkout

# Complains about every line of its file that says BAD, as clang-tidy does, and counts its runs.
FAKE_TIDY = """\
[ "$1" = --version ] && echo 14 && exit 0
for word; do case $word in *.cpp) file=$word;; esac; done
echo run >> "$COUNT"
grep -n BAD "$file" | sed "s|^\\([0-9]*\\):.*|$file:\\1:1: error: bad|"
! grep -q BAD "$file"
"""


@pytest.fixture
def context(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Context:
    """A build of one unity source of two files, the second of them with a mistake in line 2."""
    first = checkout.write("common/one.cpp", "int one;\n")
    second = checkout.write("common/two.cpp", "int two;\nint BAD;\n")
    unity = checkout.write("build/cpu/unity_0.cxx", f'#include "{first}"\n\n#include "{second}"\n')
    entry = {
        "directory": str(unity.parent),
        "file": str(unity),
        "command": f"ccache g++ -O1 -o x.o -c {unity}",
    }
    checkout.write("build/cpu/compile_commands.json", json.dumps([entry]))
    checkout.write(".clang-tidy", "Checks: '*'\n")
    bin_folder = checkout.root / "bin"
    fake_program(bin_folder, "clang-tidy", FAKE_TIDY)
    fake_program(bin_folder, "ninja", "true")
    monkeypatch.setenv("PATH", f"{bin_folder}:{os.environ['PATH']}")
    monkeypatch.setattr("lockstep_grader.author.selftest.tidy.tool", lambda name: name)
    monkeypatch.setenv("COUNT", str(checkout.root / "runs"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(checkout.root / "cache"))
    monkeypatch.setattr(
        "lockstep_grader.author.selftest.tidy.build_backend",
        lambda *_: unity.parent / "lockstep.json",
    )
    return Context(Workspace(checkout.root, checkout.root / "build"), make_console(), 1)


def test_a_complaint_names_the_file_and_line_it_is_about(
    context: Context, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_tidy(context) == Tally(failed=2)
    assert f"{context.workspace.root}/common/two.cpp:2:1: error: bad" in capsys.readouterr().out


def test_what_passed_is_checked_again_only_when_it_changes(context: Context) -> None:
    runs = context.workspace.root / "runs"
    second = context.workspace.root / "common" / "two.cpp"
    second.write_text("int two;\n")
    assert [check_tidy(context), check_tidy(context)] == [Tally(passed=2)] * 2
    assert runs.read_text() == "run\n"
    second.write_text("int BAD;\n")
    assert check_tidy(context) == Tally(failed=2)


def test_the_text_is_checked_and_not_only_the_name(context: Context, tmp_path: Path) -> None:
    assert check_tidy(context) == Tally(failed=2)
    assert check_tidy(context) == Tally(failed=2)  # a failure is never remembered
    assert (context.workspace.root / "runs").read_text() == "run\n" * 2
