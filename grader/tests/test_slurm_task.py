# SPDX-License-Identifier: MIT
"""A node's side of `--executor slurm`, run in this process."""

import itertools
import signal
from collections.abc import Iterator

import pytest

from lockstep_grader.confine.sandbox import NoSandbox
from lockstep_grader.grading.slurm_node import Sent, Spool, Task, run_task
from lockstep_grader.intake.catalog import find_lab, read_labs
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.session import Wanted
from lockstep_grader.machine.files import write_whole
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Judgement
from lockstep_grader.request.job import Job

from conftest import LAB, Checkout


@pytest.fixture(autouse=True)
def _own_signals() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def run(checkout: Checkout, key: str = "any", toolchain: str = "toolchain.json") -> Spool:
    """A task of one rung."""
    root = checkout.root
    workspace = Workspace(root, root / "build", root / toolchain)
    lab = find_lab(read_labs(workspace), LAB)
    job = Job("ann", lab, lab.rungs[0], lambda: Source("01_first.cu", b"// solved\n"))
    wanted = Wanted(jobs=1, sanitizer=False, confined=True, seed=7)
    run_task(Task(root / "spool", workspace, wanted, (Sent("name", key, job),)))
    return Spool(root / "spool")


def judged(checkout: Checkout, key: str = "any", toolchain: str = "toolchain.json") -> Judgement:
    """What such a task finds."""
    write_whole(Spool(checkout.root / "spool").source("name"), b"// solved\n")
    judgement = run(checkout, key, toolchain).outcome("name", key)
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
def test_what_slurms_memory_limit_ended_is_nobodys_mistake(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    kills = itertools.count()
    monkeypatch.setattr("lockstep_grader.grading.slurm_node.oom_kills", lambda: next(kills))
    judgement = judged(checkout)
    assert "Slurm's memory limit for the task was reached" in judgement.fault
    assert judgement.tests == ()


@pytest.mark.usefixtures("any_key")
def test_a_rung_that_nobody_waits_for_any_more_is_left_out(checkout: Checkout) -> None:
    assert run(checkout).outcome_names() == set()
