# SPDX-License-Identifier: MIT
"""What the pages say: bars, states, statistics, rules and the annotated source, before any HTML."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.model.grades import Backend, Gate
from lockstep_grader.pages.engine import coloured_lines
from lockstep_grader.pages.report.class_page import LabView, class_rows, rank, view_labs
from lockstep_grader.pages.report.class_stats import (
    common_causes,
    distribution,
    extremes,
    rung_stats,
    summarise,
    who_needs_help,
)
from lockstep_grader.pages.report.rung_view import Gauge, RungView
from lockstep_grader.pages.report.words import State
from lockstep_grader.results.graded import Results, read_results

from reports import (
    SOURCE,
    demo_lab,
    finding,
    full,
    measured,
    one_test,
    png,
    rung,
    submission,
    todo,
    write_beside,
    write_results,
)


def read(folder: Path, *submissions: Mapping[str, Any], **changes: Any) -> Results:
    return read_results(write_results(folder, *map(dict, submissions), **changes))


def lab_view(folder: Path, *rungs: dict[str, Any], **changes: Any) -> LabView:
    results = read(folder, submission("adams", *rungs), **changes)
    return view_labs(results, results.entries[0], [demo_lab(folder / "lab")])[0]


def first(folder: Path, **changes: Any) -> RungView:
    return lab_view(folder, rung("01_first", 0, **changes)).rungs[0]


def bar(value: float, zero: float, best: float, limit: float | None = None) -> Gauge:
    return Gauge("demo", "a demo", value, "", Gate("demo", zero, best), limit, "the limit")


def test_a_bar_shows_where_points_begin_and_where_they_are_full() -> None:
    faster = bar(0.5, zero=0.2, best=0.8, limit=1.0)
    assert faster.at(0.2) < faster.at(faster.value) < faster.at(0.8) < faster.at(1.0) < 100
    assert faster.verdict == "part"
    assert faster.earned == pytest.approx(0.5)
    fewer = bar(400, zero=1000, best=0)
    assert fewer.lower_is_better
    assert fewer.at(0) == 0 < fewer.at(400) < fewer.at(1000) < 100
    assert bar(0, zero=1000, best=0).verdict == "full"
    assert bar(1000, zero=1000, best=0).verdict == "none"


def test_a_value_far_off_is_cut_off_so_that_the_gates_can_be_seen() -> None:
    far = bar(1e6, zero=1000, best=0)
    assert far.is_cut
    assert far.at(1000) > 30
    assert not bar(1500, zero=1000, best=0).is_cut


def test_a_bar_is_told_in_words_too() -> None:
    said = bar(0.5, zero=0.2, best=0.8, limit=1.0).sentence
    assert said == "a demo: 0.5, no points at 0.2, full mark at 0.8, the limit at 1"


def test_speed_has_a_bar_with_the_limit_even_where_no_points_hang_on_it(tmp_path: Path) -> None:
    fast = [one_test(), measured(share=0.43)]
    rungs = rung("01_first", 1, 1, 0.3, tests=fast), rung("02_second", 1, tests=fast)
    view = lab_view(tmp_path, *rungs, backend=Backend.CUDA)
    gated, free = (each.gauges[0] for each in view.rungs)
    assert (gated.verdict, gated.limit, gated.said(gated.value)) == ("part", 1.0, "43%")
    assert (free.gate, free.limit, free.verdict) == (None, 1.0, "info")


def test_a_speed_too_close_to_call_counts_as_full(tmp_path: Path) -> None:
    noisy = {**measured(share=0.79, share_high=0.82, noise=0.03), "outcome": "noisy"}
    view = lab_view(tmp_path, rung("01_first", 1, tests=[one_test(), noisy]), backend=Backend.CUDA)
    assert view.rungs[0].gauges[0].verdict == "full"


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (rung("02_second", 1), State.FULL),
        (rung("02_second", 0.5), State.PART),
        (rung("02_second", 0, findings=[finding()]), State.WRONG),
        (todo("02_second"), State.UNWRITTEN),
        (rung("02_second", 0.5, findings=[finding("todo")]), State.PART),
        (rung("02_second", 0, outcome="skipped"), State.HELD),
        (rung("02_second", None), State.UNGRADED),
    ],
)
def test_states(tmp_path: Path, made: dict[str, Any], state: State) -> None:
    assert lab_view(tmp_path, made).rungs[0].state is state


@pytest.mark.parametrize(
    ("line", "said", "state"),
    [
        (None, "01_first.cu is missing from the submission", State.UNWRITTEN),
        (None, "01_first.cu is missing from the submission: FIRST.cu is there", State.UNWRITTEN),
        (None, "01_first.cu is missing from the submissions", State.WRONG),
        (None, "#error is missing from the submission", State.WRONG),
        (4, "#error is missing from the submission", State.WRONG),
        (4, "01_first.cu is missing from the submission", State.WRONG),
    ],
)
def test_a_file_is_missing_when_the_grader_says_so(
    tmp_path: Path, line: int | None, said: str, state: State
) -> None:
    made = rung("02_second", 0, findings=[finding("compile_error", line, said)])
    assert lab_view(tmp_path, made).rungs[0].state is state


def test_the_next_step_is_the_first_rung_that_lacks_points_by_the_students_doing(
    tmp_path: Path,
) -> None:
    view = lab_view(tmp_path, rung("01_first", None), rung("02_second", 0.5), todo("03_third"))
    assert view.next is not None
    assert (view.next.rung.id, view.next.rung.hints[0]) == ("02_second", "one")
    assert lab_view(tmp_path, rung("01_first", 1)).next is None


def test_the_source_is_annotated_at_its_lines_and_the_rest_is_folded(tmp_path: Path) -> None:
    places = {"bank_conflicts": {"file": "01_first.cu", "line": 12, "value": 300}}
    tests = [{**measured(bank_conflicts=0), "places": places}]
    write_beside(tmp_path, "adams", "01_first.cu", SOURCE)
    view = first(tmp_path, findings=[finding("race", 30)], tests=tests)
    notes = {line.number: line.notes for fold in view.source for line in fold.lines if line.notes}
    assert notes == {
        12: (("count", "bank_conflicts: most of it arises here (300)"),),
        30: (("finding", "race: a race it is"),),
    }
    runs = [(fold.lines[0].number, fold.lines[-1].number, fold.is_open) for fold in view.source]
    assert runs == [(1, 7, False), (8, 16, True), (17, 25, False), (26, 34, True), (35, 40, False)]
    assert view.causes[0].anchor == "01-demo-01_first-L30"


def test_a_cause_beyond_the_source_is_told_without_a_link(tmp_path: Path) -> None:
    write_beside(tmp_path, "adams", "01_first.cu", "one line\n")
    view = first(tmp_path, findings=[finding("race", 99)])
    assert (view.causes[0].place, view.causes[0].anchor) == ("01_first.cu:99", "")


def test_a_source_of_very_many_lines_is_shown_in_part(tmp_path: Path) -> None:
    write_beside(tmp_path, "adams", "01_first.cu", "a\n" * 100_000)
    view = first(tmp_path, findings=[finding("race", 30), finding("race", 50_000)])
    shown = [line for fold in view.source for line in fold.lines]
    assert len(shown) == 2000
    assert shown[-1].notes == (("count", "98000 more lines are not shown"),)
    assert [bool(cause.anchor) for cause in view.causes] == [True, False]


def test_a_failed_test_without_a_finding_is_a_cause(tmp_path: Path) -> None:
    failed = one_test(outcome="failed", message="expected 1, got 2")
    view = first(tmp_path, tests=[failed, {**failed, "name": "Demo.Again"}])
    assert [(cause.kind, cause.message) for cause in view.causes] == [
        ("failed test", "expected 1, got 2")
    ]


def test_pictures_are_those_that_are_there_and_are_pictures(tmp_path: Path) -> None:
    names = ("there.png", "absent.png", "text.png", "../../grade.json")
    images = [{"label": name, "file": name} for name in names]
    write_beside(tmp_path, "adams", "there.png", png())
    write_beside(tmp_path, "adams", "text.png", "<svg onload='alert(1)'>")
    view = first(tmp_path, tests=[one_test(images=images)])
    assert [label for label, _ in view.pictures] == ["there.png"]
    assert view.pictures[0][1].startswith("data:image/png;base64,iVBOR")


def test_what_was_not_graded_is_in_no_mean_and_in_no_column(tmp_path: Path) -> None:
    entries = read(
        tmp_path,
        full("a"),
        submission("b", rung("01_first", 0)),
        submission("c", rung("01_first", None)),
    ).entries
    summary = summarise(entries)
    assert (summary.graded, summary.ungraded, summary.mean, summary.full) == (2, 1, 5.5, 1)
    assert distribution(entries) == [1, *[0] * 8, 1]


def test_success_is_counted_rung_by_rung(tmp_path: Path) -> None:
    results = read(
        tmp_path,
        full("a"),
        submission("b", rung("01_first", 0.5)),
        submission("c", todo("01_first")),
        submission("d", rung("01_first", None)),
    )
    stat = rung_stats(results.entries, [demo_lab(tmp_path / "lab")])[0]
    assert (stat.rung, stat.title, stat.total) == ("01_first", "The first", 4)
    assert [stat.counts[state] for state in State] == [1, 1, 0, 1, 0, 1]
    assert stat.mean == 2.0


def test_common_causes_come_by_how_many_have_them_and_unwritten_is_none(tmp_path: Path) -> None:
    said = {"a": "one", "b": "two", "c": "two"}
    entries = read(
        tmp_path,
        *(
            submission(name, rung("01_first", 0, findings=[finding("race", 3, message)]))
            for name, message in said.items()
        ),
        submission("d", rung("01_first", 0, findings=[finding("leak"), finding("race", 2)])),
        submission("e", todo("01_first")),
    ).entries
    causes = common_causes(entries)
    assert [(each.kind, len(each.entries), each.example) for each in causes] == [
        ("race", 3, "two"),
        ("leak", 1, "a leak it is"),
    ]


def test_extremes_are_of_right_results_and_of_what_differs_most(tmp_path: Path) -> None:
    def costs(name: str, conflicts: float, correct: float = 1) -> dict[str, Any]:
        tests = [one_test(), measured(bank_conflicts=conflicts, sector_efficiency=1)]
        return submission(name, rung("01_first", correct, 1, 1, tests=tests))

    results = read(tmp_path, costs("a", 300), costs("b", 0), costs("c", 500), costs("d", 900, 0))
    (found,) = extremes(results, [demo_lab(tmp_path / "lab")])
    assert (found.best, [each.id for each in found.best_entries]) == ("0", ["b"])
    assert (found.worst, [each.id for each in found.worst_entries]) == ("500", ["c"])
    assert (found.middle, found.count) == ("300", 3)


def test_help_is_for_those_whom_a_stated_rule_names(tmp_path: Path) -> None:
    good = (rung("01_first", 1), rung("02_second", 1), rung("03_third", 1))
    wrong = rung("02_second", 0.5, findings=[finding()])
    entries = read(
        tmp_path,
        *(submission(name, *good) for name in "abcd"),
        submission("first", rung("01_first", 0.5, findings=[finding()]), *good[1:]),
        submission("easy", good[0], wrong, good[2]),
        submission("low", rung("01_first", 1), todo("02_second"), todo("03_third")),
        *(
            submission(name, *map(todo, ("01_first", "02_second", "03_third")))
            for name in ("nothing", "nothing too")
        ),
        submission("broken", score=0, problem="the archive is damaged"),
        submission("ungraded", rung("01_first", None), todo("02_second")),
    ).entries
    needs = who_needs_help(entries, summarise(entries))
    assert {reason: [each.id for each in found] for reason, found in needs} == {
        "the first rung of 01-demo is wrong": ["first"],
        "01-demo/02_second is wrong, and most have it right": ["easy"],
        "less than half of the median, 8.75 points": ["low"],
        "nothing is written": ["nothing", "nothing too"],
        "the archive is damaged": ["broken"],
    }
    assert needs[0][0] == "nothing is written"  # it names most students


def test_ranks_are_shared_and_the_ungraded_have_none(tmp_path: Path) -> None:
    entries = read(
        tmp_path,
        submission("d", rung("01_first", None)),
        submission("c", rung("01_first", 0.5)),
        full("b"),
        full("a"),
        submission("e", todo("01_first")),
    ).entries
    names = {"a": "zebra", "b": "ant", "c": "crow", "d": "dog", "e": "eel"}
    places = [place[:2] for place in rank(class_rows(entries), names)]
    assert places == [(1, "ant"), (1, "zebra"), (3, "crow"), (4, "eel"), (0, "dog")]


@pytest.mark.parametrize("text", ["\n" * 50_000, "/" * 200_000, "// " + "a" * 600, " " * 200_000])
def test_a_source_that_keeps_a_lexer_busy_is_shown_without_colours(text: str) -> None:
    begin = time.process_time()
    lines = coloured_lines(text)
    assert time.process_time() - begin < 2  # with colours: minutes
    assert [str(line) for line in lines] == text.removesuffix("\n").split("\n")


def test_a_source_as_students_write_it_has_colours() -> None:
    assert coloured_lines("int a;\n\n\n" + "/* " + "a" * 90 + " */\n")[0].count("<span") == 4
