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
