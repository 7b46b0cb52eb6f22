# SPDX-License-Identifier: MIT
"""A node's side of `--executor slurm`, run in this process."""

import itertools
import signal
from collections.abc import Iterator

import pytest

from lockstep_grader.confine.sandbox import NoSandbox
from lockstep_grader.grading.slurm import Outcomes, Sent, Task, run_task
from lockstep_grader.intake.catalog import find_lab, read_labs
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.session import Wanted
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Judgement
from lockstep_grader.request.job import Job

from conftest import LAB, Checkout


@pytest.fixture(autouse=True)
def _own_signals() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def judged(
    checkout: Checkout, key: str = "any", toolchain: str = "toolchain.json", text: str = ""
) -> Judgement:
    """What a task of one rung finds."""
    root = checkout.root
    workspace = Workspace(root, root / "build", root / toolchain)
    lab = find_lab(read_labs(workspace), LAB)
    job = Job("ann", lab, lab.rungs[0], lambda: Source("01_first.cu", text.encode()))
    wanted = Wanted(jobs=1, sanitizer=False, confined=True, seed=7)
    sent, outcomes = Sent("name", key, job), Outcomes(root / "outcomes")
    run_task(Task(outcomes, workspace, wanted, (sent,)))
    judgement = outcomes.of(sent.name)
    assert judgement
    return judgement


@pytest.fixture
def any_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lockstep_grader.request.key.Keys.of", lambda *_: "any")


@pytest.mark.usefixtures("any_key")
def test_a_task_writes_what_it_found(checkout: Checkout) -> None:
    judgement = judged(checkout)
    assert (judgement.fault, judgement.seed, len(judgement.tests)) == ("", "7", 2)


def test_a_node_with_another_checkout_judges_nothing(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURMD_NODENAME", "n7")
    judgement = judged(checkout, key="of another checkout")
    assert judgement.fault.startswith("n7 has another lab, judge, toolchain")
    assert judgement.tests == ()


def test_a_node_without_the_toolchain_says_so(checkout: Checkout) -> None:
    assert "nowhere.json: No such file" in judged(checkout, toolchain="nowhere.json").fault


@pytest.mark.usefixtures("any_key")
def test_a_node_without_a_sandbox_runs_nothing(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOCKSTEP_SANDBOX")
    reason = NoSandbox("bubblewrap is not installed")
    monkeypatch.setattr("lockstep_grader.judging.session.find_sandbox", lambda *_: reason)
    monkeypatch.setattr("lockstep_grader.toolchain.system.offer", lambda _: None)
    judgement = judged(checkout)
    assert "is not run without a sandbox, and bubblewrap is not installed" in judgement.fault
    assert judgement.tests == ()


@pytest.mark.usefixtures("any_key")
@pytest.mark.parametrize(("directive", "is_lost"), [("segfault", True), ("sleep 0", False)])
def test_what_slurms_memory_limit_ended_is_nobodys_mistake(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, directive: str, is_lost: bool
) -> None:
    kills = itertools.count()
    monkeypatch.setattr("lockstep_grader.grading.slurm.kills_for_memory", lambda: next(kills))
    judgement = judged(checkout, text=f"//! {directive}\n")
    assert ("Slurm's memory limit for the task was reached" in judgement.fault) == is_lost
