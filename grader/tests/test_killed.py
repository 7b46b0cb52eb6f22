# SPDX-License-Identifier: MIT
"""Killed at any moment and started again, a run ends as if nothing had happened."""

import json
import os
import random
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.cli.main import main
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.rung import RungJudge
from lockstep_grader.model.grades import Image, Judgement, Outcome, Part, TestResult
from lockstep_grader.request.job import Job
from test_grade import without_times

from conftest import STARTER, Checkout
from handed_in import GOOD, zip_bytes

# What a run does to files, as Python's audit events call it: before each it can be killed.
_WRITES = frozenset(
    {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.copyfile", "os.truncate"}
)
_MOMENTS = 10  # of a first run, and as many of a second one that judges again


@pytest.fixture
def class_folder(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A class of two, an archive and a folder, with one equal file; its judge takes no time."""
    monkeypatch.setattr("lockstep_grader.judging.rung.RungJudge._judge", judge)
    checkout.write("class/ann.zip", zip_bytes(GOOD))
    checkout.submission("class/bob", {"02_second": STARTER})
    return checkout.root / "class"


def judge(self: RungJudge, job: Job, source: Source, work: Path) -> Judgement:
    """Paints a picture, and fails what still has a TODO."""
    with Path(os.environ["FAKE_JUDGE_LOG"]).open("a") as log:
        log.write(f"{job.submission} {job.rung.id}\n")
    outcome = Outcome.FAILED if b"TODO" in source.data else Outcome.PASSED
    picture = Image("result", f"{job.rung.id}.png", b"a picture")
    return Judgement((TestResult("Case", Part.CORRECTNESS, outcome, images=(picture,)),), seed="7")


def run_counting(arguments: Sequence[str | Path], results: Path, kill_at: int) -> int:
    """`./lab ARGUMENTS` in a process that is killed before its file operation number `kill_at`.

    Returns how many operations there were in `results`; 0 means that it was killed.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _run_child(arguments, str(results), kill_at, writer)
    os.close(writer)
    with os.fdopen(reader) as stream:
        said = stream.read()
    _, status = os.waitpid(child, 0)
    assert os.WIFEXITED(status) != os.WIFSIGNALED(status)
    return 0 if os.WIFSIGNALED(status) else int(said)


def _run_child(arguments: Sequence[str | Path], results: str, kill_at: int, writer: int) -> None:
    count = 0

    def watch(event: str, details: tuple[Any, ...]) -> None:
        nonlocal count
        if event in _WRITES and results in str(details[0]):
            count += 1
            if count == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

    try:
        sys.addaudithook(watch)
        main([str(argument) for argument in arguments])
        os.write(writer, str(count).encode())
    finally:
        os._exit(0)


def content(folder: Path) -> dict[str, Any]:
    """Every file under `folder`, except for times and the lock."""
    return {
        str(file.relative_to(folder)): without_times(json.loads(file.read_text()))
        if file.suffix == ".json"
        else file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != ".lock"
    }


@pytest.mark.parametrize("again", [False, True])
def test_a_run_killed_at_any_moment_ends_as_if_it_had_not_been(
    checkout: Checkout, class_folder: Path, monkeypatch: pytest.MonkeyPatch, again: bool
) -> None:
    log = checkout.work / "judge.log"
    monkeypatch.setenv("FAKE_JUDGE_LOG", str(log))
    whole, killed, first = (checkout.work / name for name in ("whole", "killed", "first"))
    plain = ("grade", class_folder, "--seed", "7", "--jobs", "1")
    command = (*plain, "--regrade", "all") if again else plain
    if again:
        run_counting((*plain, "--results", first), first, 0)
        shutil.copytree(first, whole)
    operations = run_counting((*command, "--results", whole), whole, 0)
    assert operations > 40
    expected = content(whole)
    for moment in random.Random(6).sample(range(1, operations + 1), _MOMENTS):
        shutil.rmtree(killed, ignore_errors=True)
        if again:
            shutil.copytree(first, killed)
        log.unlink(missing_ok=True)
        assert run_counting((*command, "--results", killed), killed, moment) == 0
        assert run_counting((*command, "--results", killed), killed, 0) > 0
        assert content(killed) == expected, f"killed before operation {moment}"
        judged = len(log.read_text().splitlines())
        assert judged in (3, 4), "more than the rung in hand was judged twice"
