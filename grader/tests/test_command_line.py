# SPDX-License-Identifier: MIT
"""The table of verbs agrees with the verbs, and starting one does not import what others need."""

import re
import subprocess
import sys
from importlib import import_module
from inspect import getmembers, isfunction
from typing import Any

import pytest
import typer

from lockstep_grader import __version__
from lockstep_grader.cli.main import app
from lockstep_grader.cli.verbs import VERBS

from conftest import SOURCE_FOLDER, Checkout

START = """\
import sys
sys.path.insert(0, sys.argv.pop(1))
from lockstep_grader.cli.main import main
status = main(sys.argv[1:])
print(*sys.modules, sep="\\n", file=sys.stderr)
sys.exit(status)
"""


def command(verb: str) -> Any:
    group: Any = typer.main.get_command(app)
    return group.commands[verb]


@pytest.mark.parametrize("verb", [name for name in VERBS if VERBS[name].help])
def test_the_list_of_verbs_says_what_the_verb_says_of_itself(verb: str) -> None:
    assert VERBS[verb].help == command(verb).help.partition("\n")[0]


def test_help_lists_each_verb_once_and_students_verbs_first(checkout: Checkout) -> None:
    out = checkout.lab("--help").out
    titles = ["For students:", "For instructors:", "For authors:"]
    assert [line for line in out.splitlines() if line in titles] == titles
    for name, verb in VERBS.items():
        assert len(re.findall(rf"^  {name} ", out, re.MULTILINE)) == bool(verb.help), name
    assert out.index("  doctor ") < out.index(titles[1]) < out.index("  grade ")


def test_help_of_a_students_copy_lists_students_verbs_alone(checkout: Checkout) -> None:
    checkout.write("release.json", "{}")
    out = checkout.lab("--help").out
    assert "  submit " in out
    assert "For instructors" not in out
    assert "  grade " not in out
    assert checkout.lab("grade", "--help").status == 0  # its pipelines use it


@pytest.mark.parametrize("verb", [name for name in VERBS if not VERBS[name].help])
def test_a_verb_without_a_line_is_hidden(verb: str) -> None:
    assert command(verb).hidden


def test_every_verb_that_a_module_defines_is_in_the_table() -> None:
    defined = {
        name.removeprefix("lab_")
        for verb in VERBS.values()
        for module in [import_module(f"lockstep_grader.cli.{verb.module}")]
        for name, function in getmembers(module, isfunction)
        if name.startswith("lab_") and function.__module__ == module.__name__
    }
    assert defined == set(VERBS)


def test_a_verb_that_does_not_exist_is_told_with_the_nearest_one(checkout: Checkout) -> None:
    said = checkout.refusal("chek")
    assert "No such command 'chek'" in said
    assert "check" in said


def modules_of(checkout: Checkout, *arguments: str) -> set[str]:
    """The modules that `lab ARGUMENTS` has imported when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", START, str(SOURCE_FOLDER), *arguments],
        cwd=checkout.work,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stderr.splitlines())


def test_help_imports_the_command_line_alone(checkout: Checkout) -> None:
    loaded = modules_of(checkout, "--help")
    assert "typer" in loaded
    assert not loaded & {"rich.console", "pydantic", "jinja2", "submitit", "watchfiles"}
    ours = {name for name in loaded if name.startswith("lockstep_grader.")}
    packages = ("cli", "machine", "model")
    needed = ("cli.main", "cli.verbs", "machine.process", "machine.workspace")
    pure = ("model.compat", "model.errors", "model.grades", "model.quiz", "model.text")
    assert ours == {f"lockstep_grader.{name}" for name in (*packages, *needed, *pure)}


def test_list_imports_no_other_verb_and_nothing_that_builds_or_judges(checkout: Checkout) -> None:
    loaded = modules_of(checkout, "list")
    assert "lockstep_grader.cli.verbs_list" in loaded
    verbs = {name for name in loaded if name.startswith("lockstep_grader.cli.verbs_")}
    assert verbs == {"lockstep_grader.cli.verbs_list"}
    assert not loaded & {"jinja2", "pydantic", "submitit"}
    heavy = ("judging", "confine", "results", "toolchain", "machine.progress")
    assert not loaded & {f"lockstep_grader.{name}" for name in heavy}


class Fetch:
    """Stands for a download that runs during a verb."""

    def __init__(self) -> None:
        self.begun: list[tuple[bool | None, bool]] = []
        self.finished = 0

    def begin(self, choice: bool | None, fetch: bool) -> "Fetch":
        self.begun.append((choice, fetch))
        return self

    def finish(self) -> None:
        self.finished += 1
        print("the compiler is there")


@pytest.fixture
def fetch(monkeypatch: pytest.MonkeyPatch) -> Fetch:
    fetch = Fetch()
    monkeypatch.setattr("lockstep_grader.toolchain.nvcc_setup.begin", fetch.begin)
    return fetch


def test_nvcc_is_fetched_beside_a_check_and_the_verdict_comes_first(
    checkout: Checkout, fetch: Fetch
) -> None:
    ran = checkout.lab("check", "01-demo/01_first")
    assert ran.status == 1
    assert fetch.begun == [(None, True)]
    assert ran.out.index("TODO") < ran.out.index("the compiler is there")


def test_an_error_does_not_wait_for_nvcc(checkout: Checkout, fetch: Fetch) -> None:
    assert checkout.lab("check", "99-none").status == 2
    assert (fetch.begun, fetch.finished) == ([(None, True)], 0)


@pytest.mark.parametrize("words", [("list",), ("check", "--help"), ("hint", "01/01")])
def test_verbs_that_compile_nothing_leave_nvcc_alone(
    words: tuple[str, ...], checkout: Checkout, fetch: Fetch
) -> None:
    assert checkout.lab(*words).status == 0
    assert fetch.begun == []


def test_nvcc_asked_for_is_there_before_the_verb_starts(checkout: Checkout, fetch: Fetch) -> None:
    ran = checkout.lab("--nvcc", "list")
    assert fetch.begun == [(True, True)]
    assert ran.out.startswith("the compiler is there")


def test_doctor_fetches_nothing_by_itself(checkout: Checkout, fetch: Fetch) -> None:
    checkout.lab("doctor")
    assert fetch.begun == [(None, False)]


def test_the_version_is_printed(checkout: Checkout) -> None:
    ran = checkout.lab("--version")
    assert (ran.status, ran.out) == (0, f"lockstep {__version__}\n")
