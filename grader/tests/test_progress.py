# SPDX-License-Identifier: MIT
"""The messages about the time left."""

from lockstep_grader.machine.progress import Countdown


def test_nothing_is_estimated_before_the_first_step_is_done() -> None:
    assert Countdown().left(5, 0, 10) is None


def test_even_steps_give_the_plain_estimate() -> None:
    countdown = Countdown()
    assert [countdown.left(done, done, 4) for done in (1, 2, 4)] == [3, 2, 0]


def test_the_estimate_never_rises_when_later_steps_take_longer() -> None:
    countdown = Countdown()
    elapsed = [1.0, 2.0, 3.0, 20.0, 21.0, 60.0]  # the fourth step takes 17 s, the sixth 39
    lefts = [countdown.left(now, done, 6) for done, now in enumerate(elapsed, start=1)]
    shown = [left for left in lefts if left is not None]
    assert len(shown) == len(lefts)
    assert shown == sorted(shown, reverse=True)
    assert min(shown) == 0
