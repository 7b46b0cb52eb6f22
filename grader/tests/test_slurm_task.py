# SPDX-License-Identifier: MIT
"""A node's side of `--executor slurm`, run in this process."""

import itertools
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from lockstep_grader.confine.sandbox import NoSandbox
from lockstep_grader.grading.slurm.spool import Settings, Spool, TaskJob
from lockstep_grader.grading.slurm.task import run_task
from lockstep_grader.model.grades import Judgement

from conftest import LAB, Checkout


@pytest.fixture(autouse=True)
def _own_signals() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def judged(checkout: Checkout, key: str = "", toolchain: str = "toolchain.json") -> Judgement:
    """What a task of one rung finds; without `key`, with the one that it arrives at."""
    spool = Spool(checkout.root / "spool")
    root = str(checkout.root)
    settings = Settings(
        root,
        f"{root}/build",
        f"{root}/{toolchain}",
        seed=7,
        sanitizer=False,
        sandbox=True,
        confined=True,
        workers=1,
    )
    job = TaskJob("name", "ann", LAB, "01_first", key or "any")
    spool.put_source("name", b"// solved\n")
    run_task(str(spool.put_task("array", 0, settings, [job])))
    judgement = spool.outcome("name", job.key)
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
    monkeypatch.setattr("lockstep_grader.grading.slurm.task.oom_kills", lambda: next(kills))
    judgement = judged(checkout)
    assert "Slurm's memory limit for the task was reached" in judgement.fault
    assert judgement.tests == ()


@pytest.mark.usefixtures("any_key")
def test_a_rung_that_nobody_waits_for_any_more_is_left_out(checkout: Checkout) -> None:
    spool = Spool(checkout.root / "spool")
    judged(checkout)
    spool.discard("name")
    run_task(str(Path(checkout.root / "spool" / "arrays" / "array" / "task-0.json")))
    assert spool.outcome_names() == set()
