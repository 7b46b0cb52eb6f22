# SPDX-License-Identifier: MIT
"""When `watch` begins a round."""

import threading
from pathlib import Path

from lockstep_grader.machine.console import make_console
from lockstep_grader.student.check import watch


def test_a_save_during_the_first_round_brings_another(tmp_path: Path) -> None:
    gave_up = threading.Event()
    rounds: list[bool] = []

    def give_up() -> None:
        gave_up.set()
        (tmp_path / "b.cu").touch()

    def once() -> None:
        rounds.append(gave_up.is_set())
        if len(rounds) > 1:
            raise KeyboardInterrupt
        (tmp_path / "a.cu").touch()

    later = threading.Timer(20, give_up)
    later.start()
    watch(make_console(), tmp_path, once)
    later.cancel()
    assert rounds == [False, False]
