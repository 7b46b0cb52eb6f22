# SPDX-License-Identifier: MIT
"""Ctrl-C at the moments when Python would lose it, or leave a lock held."""

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.process import interruption
from lockstep_grader.student.check import watch

from conftest import LAB, Checkout, is_gone, wait_for


@pytest.fixture(autouse=True)
def _own_signals() -> Iterator[None]:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        signal.signal(number, signal.SIG_DFL)
    interruption.listen()
    yield
    interruption.listen()  # forgets what was heard
    for number, handler in before.items():
        signal.signal(number, handler)


def test_watch_ends_after_a_ctrl_c_that_a_callback_swallowed(tmp_path: Path) -> None:
    rounds: list[int] = []

    def once() -> None:
        rounds.append(1)
        if len(rounds) > 1:
            raise KeyboardInterrupt
        with contextlib.suppress(KeyboardInterrupt):  # as Python does in a __del__
            signal.raise_signal(signal.SIGINT)

    save = threading.Timer(5, (tmp_path / "a.cu").touch)  # shows a watch that goes on
    save.start()
    watch(make_console(), tmp_path, once)
    save.cancel()
    assert len(rounds) == 1


def test_no_interruption_is_raised_while_the_pool_starts_its_threads(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised: list[BaseException] = []
    start = ThreadPoolExecutor.submit

    def submit(pool: ThreadPoolExecutor, *arguments: Any) -> Future[Any]:
        future = start(pool, *arguments)
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except BaseException as error:
            raised.append(error)
            raise
        return future

    monkeypatch.setattr(ThreadPoolExecutor, "submit", submit)
    checkout.submission("labs", {"01_first": "//! sleep 60\n"})
    ran = checkout.lab("check", LAB)
    assert (ran.status, raised) == (130, [])
    assert "interrupted after 0 of 2 rungs" in ran.err


def test_a_build_that_is_interrupted_as_it_starts_is_ended(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[subprocess.Popen[str]] = []

    class Interrupting(subprocess.Popen[str]):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            started.append(self)
            signal.raise_signal(signal.SIGTERM)

    checkout.write("CMakeLists.txt", "")
    cmake = checkout.write("bin/cmake", "#!/bin/sh\nsleep 60\n")
    cmake.chmod(0o755)
    monkeypatch.delenv("LOCKSTEP_TOOLCHAIN")
    monkeypatch.setenv("PATH", f"{cmake.parent}:{os.environ['PATH']}")
    monkeypatch.setattr("lockstep_grader.toolchain.system.BUILD_REQUIREMENTS", ())
    monkeypatch.setattr("lockstep_grader.toolchain.description.subprocess.Popen", Interrupting)
    ran = checkout.lab("grade", checkout.root / "solutions", "--backend", "cpu")
    assert ran.status == 130
    wait_for(lambda: is_gone(started[0].pid))
