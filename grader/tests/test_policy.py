# SPDX-License-Identifier: MIT
"""What counts by a course's rules: each rule by itself, and all of them over a made-up term."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from lockstep_grader.model.compat import UTC
from lockstep_grader.model.policy import (
    Course,
    Extension,
    Graded,
    HandIn,
    LabRules,
    Lateness,
    Override,
    Work,
    mark,
)

DEADLINE = datetime(2026, 10, 12, 22, 0, tzinfo=UTC)
LATE = Lateness(grace_minutes=15, percent_per_day=10, max_days=3)
LAB = Graded("01-demo", (("01_first", 4.0, 4.0), ("02_second", 5.0, 6.0)))


def rules(**changes: object) -> dict[str, LabRules]:
    made = {"id": "01-demo", "deadline": DEADLINE, "late": LATE, **changes}
    return {"01-demo": LabRules(**made)}  # type: ignore[arg-type]


def work(*labs: Graded, is_late: bool = False, is_missing: bool = False) -> Work:
    return Work(frozenset({"ann", "ann@x"}), labs or (LAB,), is_late, is_missing)


def handed_in(**after: float) -> tuple[HandIn, ...]:
    return (HandIn("ann", DEADLINE + timedelta(**after)),)


@pytest.mark.parametrize(
    ("after", "points", "note"),
    [
        ({"minutes": -1}, 9.0, ""),
        ({"minutes": 15}, 9.0, ""),
        ({"minutes": 16}, 8.1, "1 day late: costs 10% of the points"),
        ({"days": 1, "minutes": 15}, 8.1, "1 day late: costs 10% of the points"),
        ({"days": 1, "minutes": 16}, 7.2, "2 days late: costs 20% of the points"),
        ({"days": 3, "minutes": 16}, 0.0, "4 days late: after 3 days it earns nothing"),
    ],
)
def test_lateness_costs_by_started_days_after_the_grace(
    after: dict[str, float], points: float, note: str
) -> None:
    (lab,) = mark(Course(labs=rules(), hand_ins=handed_in(**after)), work()).labs
    assert (lab.points, "; ".join(lab.notes)) == (points, note)


def test_the_platforms_time_counts_unless_the_course_file_has_one() -> None:
    late = replace(work(), handed_in=DEADLINE + timedelta(hours=30))
    assert mark(Course(labs=rules()), late).labs[0].points == 7.2
    assert mark(Course(labs=rules(), hand_ins=handed_in(hours=1)), late).labs[0].points == 8.1


def test_the_latest_of_several_hand_ins_counts() -> None:
    twice = (*handed_in(days=-1), *handed_in(hours=1))
    assert mark(Course(labs=rules(), hand_ins=twice), work()).labs[0].points == 8.1


def test_an_extension_moves_the_deadline_of_its_student_and_lab_alone() -> None:
    course = Course(
        labs=rules(),
        hand_ins=handed_in(hours=30),
        extensions=(Extension("ann@x", "ill", hours=48),),
    )
    (lab,) = mark(course, work()).labs
    assert (lab.points, lab.notes) == (9.0, ("extended until 2026-10-14 22:00: ill",))
    for other in (Extension("bob", "ill", hours=48), Extension("ann", "ill", "02-x", 48)):
        course = Course(labs=rules(), hand_ins=handed_in(hours=30), extensions=(other,))
        assert mark(course, work()).labs[0].points == 7.2


def test_late_without_a_time_is_a_day_unless_an_extension_may_cover_it() -> None:
    (lab,) = mark(Course(labs=rules()), work(is_late=True)).labs
    assert lab.points == 8.1
    assert "does not say how late" in lab.notes[0]
    course = Course(labs=rules(), extensions=(Extension("ann", "ill", hours=24),))
    (lab,) = mark(course, work(is_late=True)).labs
    assert (lab.points, len(lab.notes)) == (9.0, 2)


def test_no_deadline_means_that_nothing_is_late() -> None:
    course = Course(labs=rules(deadline=None), hand_ins=handed_in(days=9))
    assert mark(course, work(is_late=True)).labs[0].points == 9


def test_bonus_rungs_are_not_in_the_full_mark() -> None:
    (lab,) = mark(Course(labs=rules(bonus=frozenset({"02_second"}))), work()).labs
    assert (lab.points, lab.max_score, lab.share) == (9.0, 4.0, 2.25)


def test_an_override_names_what_it_replaces_and_why() -> None:
    course = Course(
        labs=rules(),
        hand_ins=handed_in(hours=1),
        overrides=(Override("ann", "01-demo", 6, "right after all", "02_second"),),
    )
    (lab,) = mark(course, work()).labs
    assert lab.points == 9.0  # 10 less 10 %
    assert lab.notes[0] == "02_second: 6 points, set by hand (graded 5): right after all"


def test_an_override_of_a_lab_is_the_last_word() -> None:
    course = Course(
        labs=rules(), hand_ins=handed_in(days=9), overrides=(Override("ann", "01-demo", 7, "oral"),)
    )
    assert mark(course, work()).labs[0].points == 7


def test_what_is_not_graded_stays_so_until_someone_decides() -> None:
    ungraded = Graded("01-demo", (("01_first", None, 4.0), ("02_second", 5.0, 6.0)))
    marks = mark(Course(labs=rules(), hand_ins=handed_in(hours=1)), work(ungraded))
    assert (marks.labs[0].points, marks.percent) == (None, None)
    decided = Course(overrides=(Override("ann", "01-demo", 4, "seen", "01_first"),))
    assert mark(decided, work(ungraded)).labs[0].points == 9


def test_nothing_handed_in_is_not_late_too() -> None:
    nothing = Graded("01-demo", (("01_first", 0.0, 4.0),))
    (lab,) = mark(Course(labs=rules()), work(nothing, is_late=True, is_missing=True)).labs
    assert (lab.points, lab.notes) == (0.0, ())


def test_weights_and_the_lowest_lab_make_the_course_mark() -> None:
    labs = tuple(
        Graded(name, (("01_first", points, 10.0),))
        for name, points in (("a", 10.0), ("b", 2.0), ("c", 5.0))
    )
    by_weight = {"a": LabRules("a", weight=3), "c": LabRules("c", weight=1)}
    assert mark(Course(), work(*labs)).percent == 56.67
    assert mark(Course(drop_lowest=1), work(*labs)).percent == 75
    marks = mark(Course(labs=by_weight, drop_lowest=1), work(*labs))
    assert marks.percent == 87.5
    assert [each.is_dropped for each in marks.labs] == [False, True, False]
    assert mark(Course(drop_lowest=9), work(*labs)).percent == 100  # one is left
