# SPDX-License-Identifier: MIT
"""Trouble with the machine in the middle of a class: one clear line, and no score is lost."""

import os
import random
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.machine.process import Processes
from lockstep_grader.machine.progress import Countdown
from lockstep_grader.model.errors import FaultError
from lockstep_grader.observe.judge import Trial, Workers, run_judge

from conftest import FAKES, GRADER, Checkout, rungs, runnable, wait_for
from handed_in import GOOD, zip_bytes


@pytest.fixture
def class_folder(checkout: Checkout) -> Path:
    for name in ("ann", "bob"):
        checkout.write(f"class/{name}.zip", zip_bytes(GOOD))
    return checkout.root / "class"


@pytest.mark.parametrize("in_the_way", ["kept", "kept/.lock/x"])
def test_a_results_folder_that_cannot_be_is_said_before_anything_is_judged(
    checkout: Checkout, class_folder: Path, in_the_way: str
) -> None:
    checkout.write(f"work/{in_the_way}", "")
    ran = checkout.lab("grade", class_folder, "--results", "kept")
    assert ran.status == 3
    assert "cannot write kept" in ran.complaint
    assert "choose another folder with --results" in ran.complaint
    assert ran.out == ""


# Grades on a full file system, frees a little, and so on. Prints each status and how many results
# there are then.
FREE_A_LITTLE = (FAKES / "free_a_little").read_text("utf-8")


def mounted(checkout: Checkout, options: list[str], script: str) -> tuple[str, str]:
    """What `script` prints where bubblewrap has mounted something; there, `$@` is the grader."""
    if not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed")
    view = ["bwrap", "--dev-bind", "/", "/", *options, "--chdir", str(checkout.work)]
    lab = [*GRADER, "grade", str(checkout.root / "class")]
    done = subprocess.run(
        [*view, "sh", "-c", script, "sh", *lab, "--results", "kept", "--jobs", "1"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    if done.stderr.startswith("bwrap: "):
        pytest.skip(done.stderr)
    return done.stdout, done.stderr


@pytest.mark.usefixtures("class_folder")
def test_a_file_system_that_is_really_full_loses_nothing(checkout: Checkout) -> None:
    kept = checkout.work / "kept"
    kept.mkdir()
    out, err = mounted(checkout, ["--size", str(1 << 20), "--tmpfs", str(kept)], FREE_A_LITTLE)
    ends = [tuple(map(int, line.split())) for line in out.splitlines()]
    assert [status for status, _ in ends] == [3] * (len(ends) - 1) + [0]
    counts = [count for _, count in ends]
    assert counts == sorted(counts)
    assert {0, 4} < set(counts)
    assert "No space left on device; free space or choose another folder" in err
    assert "rungs were judged before" in err


@pytest.mark.usefixtures("class_folder")
def test_a_file_system_that_is_really_read_only_is_one_line(checkout: Checkout) -> None:
    kept = checkout.work / "kept"
    kept.mkdir()
    out, err = mounted(checkout, ["--ro-bind", str(kept), str(kept)], '"$@"; echo $?')
    assert out == "3\n"
    (line,) = err.splitlines()
    assert "kept/.lock: Read-only file system; choose another folder" in line


def test_a_judge_that_is_killed_from_outside_is_a_fault_and_tried_again(checkout: Checkout) -> None:
    folder = checkout.submission("ann", {"01_first": "//! sleep 60\n"})
    log = checkout.work / "judge.log"
    running = checkout.start("grade", folder, "--results", "kept", FAKE_JUDGE_LOG=str(log))
    wait_for(lambda: log.exists() and log.read_text().count("begin") == 2)
    wait_for(lambda: log.read_text().count("end") == 1)
    ended = {line.split()[1] for line in log.read_text().splitlines() if line.startswith("end")}
    begun = {line.split()[1] for line in log.read_text().splitlines() if line.startswith("begin")}
    (judge,) = begun - ended
    os.kill(int(judge), signal.SIGKILL)
    _, err = running.communicate(timeout=20)
    assert running.returncode == 3
    assert "not graded: ann 01-demo/01_first: the judge ended with status -9" in err
    checkout.submission("ann", {})
    ran, report = checkout.grade(folder, "--results", "kept")
    assert (ran.status, report["submissions"][0]["score"]) == (0, 10)
    assert "1 of 2 rungs were judged before" in ran.err


def test_a_worker_that_is_killed_from_outside_is_tried_once_more(checkout: Checkout) -> None:
    log = checkout.work / "killed"
    folder = checkout.submission("ann", {"01_first": f"//! killed until {log} 1\n"})
    ran, report = checkout.grade(folder)
    assert (ran.status, report["submissions"][0]["score"]) == (0, 10)
    assert log.read_text() == "killed\n"


def test_a_worker_that_is_killed_each_time_is_nobodys_zero(checkout: Checkout) -> None:
    log = checkout.work / "killed"
    folder = checkout.submission("ann", {"01_first": f"//! killed until {log} 9\n"})
    ran, report = checkout.grade(folder)
    assert ran.status == 3
    rung = rungs(report)["01_first"]
    assert (rung["outcome"], rung["score"]) == ("error", None)
    assert "killed from outside (SIGKILL), twice: is the machine short of memory?" in rung["fault"]


def test_a_bug_in_the_grader_leaves_one_rung_ungraded_and_grades_the_rest(
    checkout: Checkout, class_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(trial: Trial, processes: Processes) -> Any:
        if trial.rung == "01_first":
            raise ZeroDivisionError("oops")
        return run_judge(trial, processes)

    monkeypatch.setattr("lockstep_grader.observe.observer.run_judge", run)
    ran, report = checkout.grade(class_folder)
    assert ran.status == 3
    for submission in range(2):
        found = rungs(report, submission)
        assert [rung["score"] for rung in found.values()] == [None, 6]
        assert found["01_first"]["fault"].startswith("a bug in the grader, please report it: Zero")


def test_a_clock_that_jumps_changes_nothing(
    checkout: Checkout, class_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jumps = random.Random(1)
    monkeypatch.setattr(time, "time", lambda: jumps.uniform(-1e9, 1e10))
    monkeypatch.setattr(time, "time_ns", lambda: int(jumps.uniform(-1e18, 9e18)))
    ran, report = checkout.grade(class_folder)
    assert ran.status == 0
    assert all(0 < rung["seconds"] < 60 for rung in rungs(report).values())


def test_a_long_run_says_how_long_it_will_take(
    checkout: Checkout, class_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lockstep_grader.machine.progress._PLAIN_SECONDS", 0.0)
    monkeypatch.setattr("lockstep_grader.machine.progress._PLAIN_SHARE", 0.0)
    ran = checkout.lab("grade", class_folder, "--jobs", "1")
    left = r"(about \d+ s left|nearly done)"
    assert re.search(rf"judging: 1 of 4, {left}, ann 01-demo/01_first", ran.err)


def test_a_limit_on_files_that_ends_the_judge_is_named(tmp_path: Path) -> None:
    judge = tmp_path / "judge"
    runnable(judge, "#!/bin/sh\nkill -XFSZ $$\n")
    with pytest.raises(FaultError, match="raise the limit"):
        run_judge(Trial(judge, "01_first", Workers(judge), tmp_path), Processes())


# ---- the messages about the time left


def test_nothing_is_estimated_before_the_first_step_is_done() -> None:
    assert Countdown().left(5, 0, 10) is None


def test_even_steps_give_the_plain_estimate() -> None:
    countdown = Countdown()
    assert [countdown.left(done, done, 4) for done in (1, 2, 4)] == [3, 2, 0]


def test_the_estimate_never_rises_when_later_steps_take_longer() -> None:
    countdown = Countdown()
    elapsed = [2.0, 4.0, 6.0, 9.0, 12.0, 15.0]  # the last three take longer
    lefts = [countdown.left(now, done, 6) for done, now in enumerate(elapsed, start=1)]
    shown = [left for left in lefts if left is not None]
    assert shown == lefts
    assert shown == sorted(shown, reverse=True)
    assert min(shown) == 0


def test_an_estimate_that_was_far_too_low_is_not_shown() -> None:
    countdown = Countdown()
    assert countdown.left(10, 50, 100) == 10  # the first half took 10 s
    assert countdown.left(20, 55, 100) is None  # by now, 16 s are left, and not none
    assert countdown.left(60, 100, 100) == 0
