# SPDX-License-Identifier: MIT
"""The formats: each follows its schema, all show the same points, no fault of ours is a zero."""

import csv
import io
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import xmlschema

from lockstep_grader.author.packages.autograde import fault_of
from lockstep_grader.machine.files import write_whole
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Backend, Lab
from lockstep_grader.results.export import gradebooks, platforms, table
from lockstep_grader.results.export.words import MESSAGE_CHARS, clip, disarmed, explanation, number
from lockstep_grader.results.graded import Entry, Results
from made_up_grades import (
    NASTY,
    NOWHERE,
    a_class,
    demo,
    document,
    finding,
    graded,
    judged,
    lab,
    made_up,
    rung,
    submission,
    write_results,
)

from conftest import DATA, Checkout, demo_rung

FORMATS = DATA / "formats"
JUNIT = xmlschema.XMLSchema(FORMATS / "junit.xsd")
FORBIDDEN = "\x1b\x00\x08\x0b\u202e\u2028\ud800"


def follows(value: Any, name: str) -> None:
    schema = json.loads((FORMATS / f"{name}.schema.json").read_text())
    jsonschema.validate(value, schema)


def autolab_lines(entry: Entry) -> list[Any]:
    return [json.loads(line) for line in platforms.autolab(entry).splitlines()[-2:]]


def suite_points(text: str, key: str = "score") -> dict[str, float]:
    """The points of each submission in a JUnit document."""
    sums: dict[str, float] = {}
    for suite in ElementTree.fromstring(text):
        name = str(suite.get("name")).rpartition(" ")[0]
        for prop in suite.iter("property"):
            if prop.get("name") == key:
                sums[name] = round(sums.get(name, 0) + float(str(prop.get("value"))), 2)
    return sums


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def book() -> Results:
    return graded(a_class())


def all_totals(entry: Entry) -> dict[str, float]:
    """The submission's points as each format has them."""
    alone = Results(Backend.CPU, "", "", (entry,), NOWHERE)
    scope = platforms.gradescope(entry)
    learn = platforms.prairielearn(entry, NOWHERE)
    per_rung = rows(table.rungs(alone))
    canvas, moodle = gradebooks.canvas(alone).text, table.moodle(alone).text
    labs = [name for name, _ in alone.labs]
    return {
        "gradescope": scope["score"],
        "gradescope tests": round(sum(one["score"] for one in scope["tests"]), 2),
        "autolab": round(sum(autolab_lines(entry)[1]["scores"].values()), 2),
        "scoreboard": autolab_lines(entry)[1]["scoreboard"][0],
        "prairielearn": round(learn["score"] * entry.max_score, 2),
        "prairielearn tests": round(sum(one["points"] for one in learn["tests"]), 2),
        "junit": sum(suite_points(platforms.junit(alone)).values()),
        "students": float(rows(table.students(alone))[0]["score"]),
        "rungs": round(sum(float(row["score"]) for row in per_rung), 2),
        "canvas": round(sum(float(rows(canvas)[1][name]) for name in labs), 2),
        "moodle": round(sum(float(rows(moodle)[0][name]) for name in labs), 2),
    }


def test_all_formats_show_the_same_points(book: Results) -> None:
    for entry in book.entries[:3]:
        assert set(all_totals(entry).values()) == {entry.score}


@pytest.mark.parametrize("seed", range(60))
def test_odd_parts_of_points_are_the_same_in_all_formats(seed: int) -> None:
    known = {**made_up(seed)["submissions"][0], "student": {"login": "x"}}
    (entry,) = graded(document([known])).entries
    assert all_totals(entry) == dict.fromkeys(all_totals(entry), entry.score)


def test_every_document_follows_the_schema_of_its_format(book: Results) -> None:
    for entry in book.entries:
        follows(platforms.gradescope(entry), "gradescope")
        follows(platforms.prairielearn(entry, NOWHERE), "prairielearn")
        follows(autolab_lines(entry), "autolab")
    JUNIT.validate(platforms.junit(book))


def test_a_rung_that_was_not_graded_is_no_zero_in_any_format(book: Results) -> None:
    dan = book.entries[3]
    assert dan.score is None
    scope = platforms.gradescope(dan)
    assert "score" not in scope
    assert not any("score" in one for one in scope["tests"])
    assert "not of your submission" in scope["output"]
    learn = platforms.prairielearn(dan, NOWHERE)
    assert (learn["gradable"], "score" in learn, "tests" in learn) == (False, False, False)
    assert "status -9" in learn["format_errors"][1]
    scores = autolab_lines(dan)[1]
    assert scores == {
        "scores": {"01-demo/01_first": 3, "01-demo/02_second": None, "02-scan/01_only": 4.25}
    }
    suites = ElementTree.fromstring(platforms.junit(book.only(None, ["dan"])))
    (error,) = suites.iter("error")
    assert error.get("message") == "- / 4"
    row = rows(table.students(book))[3]
    assert (row["01-demo"], row["score"], row["status"]) == ("", "", "not graded")
    for made in (gradebooks.canvas(book), table.moodle(book)):
        assert "dan" not in made.text
        assert made.left_out == (("dan", "01-demo not graded"),)


def test_work_from_which_nothing_could_be_taken_is_no_plain_zero(checkout: Checkout) -> None:
    """Its 0 may be ours to ask about: the file says so, and the command names it."""
    folder = write_results(
        checkout.work / "results",
        demo("ann"),
        demo("bob", 0, 0, problem="work.zip is damaged"),
        demo("cy", 0, 0, problem="nothing handed in", missing=True),
    )
    ran = checkout.lab("export", folder, "--format", "csv")
    assert [row["status"] for row in rows(ran.out)] == ["graded", "nothing taken", "missing"]
    said = "0 points, as nothing could be taken from the work: bob (work.zip is damaged)\n"
    assert (ran.status, ran.err) == (0, said)


def test_a_submission_that_the_grader_failed_on_has_no_points_at_all() -> None:
    the_lab = Lab("01-demo", "demo", "Demo", "", (), (demo_rung(),))
    entry = fault_of(the_lab, FaultError("no space left"))
    follows(platforms.gradescope(entry), "gradescope")
    follows(platforms.prairielearn(entry, NOWHERE), "prairielearn")
    follows(autolab_lines(entry), "autolab")
    assert list(autolab_lines(entry)[1]["scores"].values()) == [None]
    assert "no space left" in platforms.gradescope(entry)["tests"][0]["output"]


def test_what_a_submission_says_is_text_everywhere(book: Results) -> None:
    hostile = book.entries[2]
    texts = [
        json.dumps(platforms.gradescope(hostile), ensure_ascii=False),
        json.dumps(platforms.prairielearn(hostile, NOWHERE), ensure_ascii=False),
        platforms.autolab(hostile),
        platforms.junit(book),
        table.students(book),
        table.rungs(book),
        gradebooks.canvas(book).text,
    ]
    for text in texts:
        assert not set(text) & set(FORBIDDEN)
        text.encode("utf-8")
    assert platforms.gradescope(hostile)["test_output_format"] == "text"  # not html, not ansi
    assert "\\x1b[31mred" in platforms.gradescope(hostile)["tests"][0]["output"]
    assert "\U0001f600" in platforms.gradescope(hostile)["tests"][0]["output"]


def test_long_output_is_cut_with_a_note(book: Results) -> None:
    said = platforms.gradescope(book.entries[2])["tests"][0]["output"]
    assert "more characters]" in said
    assert len(said) < 6 * MESSAGE_CHARS
    assert clip("12345", 3) == "123\n[... 2 more characters]"
    assert clip("123", 3) == "123"


def test_no_line_of_a_message_is_a_command_to_a_workflow(book: Results) -> None:
    rungs = [rung for _, rung in book.entries[2].rungs][:3]
    lines = [line for rung in rungs for line in disarmed(explanation(rung)).splitlines()]
    assert any("::notice" in line for line in lines)
    assert not any(line.strip().startswith("::") or "##[" in line for line in lines)


def test_the_last_line_for_autolab_is_json_whatever_was_printed(book: Results) -> None:
    forged = '\n{"scores": {"01-demo/01_first": 1000}}'
    bad = rung("01_first", (0, 2), tests=[judged("Demo.Case/1", "failed", forged, output=forged)])
    (entry,) = graded(document([submission("x", [lab("01-demo", [bad])])])).entries
    assert autolab_lines(entry)[1] == {"scores": {"01-demo/01_first": 0}, "scoreboard": [0]}


def test_names_that_break_xml_are_valid_in_junit() -> None:
    strange = submission(NASTY, [lab("01-demo", [rung("01_first", (1, 2))])])
    text = platforms.junit(graded(document([strange])))
    JUNIT.validate(text)
    assert "\\ufffe" in text


def test_junit_counts_add_up(book: Results) -> None:
    root = ElementTree.fromstring(platforms.junit(book))
    assert int(str(root.get("tests"))) == len(list(root.iter("testcase")))
    assert int(str(root.get("failures"))) == len(list(root.iter("failure"))) > 0
    assert int(str(root.get("errors"))) == len(list(root.iter("error"))) == 1


def test_prairielearn_stays_below_its_limit_however_much_is_said() -> None:
    noisy = [judged(f"T/{i}", "failed", "\U0001f600" * 5000, output="é" * 9000) for i in range(3)]
    causes = [finding("race", f"{i} " + "\u4e2d" * 3000, i + 1) for i in range(20)]
    rungs = [rung(f"{i:02}_r", (0, 2), tests=noisy, findings=causes) for i in range(30)]
    (entry,) = graded(document([submission("x", [lab("01-demo", rungs)])])).entries
    text = json.dumps(platforms.prairielearn(entry, NOWHERE), indent=2)
    assert len(text) <= platforms.MAX_BYTES
    assert "race at" in text


def test_pictures_go_to_prairielearn_as_far_as_they_fit(tmp_path: Path) -> None:
    images = [{"label": f"{i}", "file": f"01_first.{i}.png"} for i in range(3)]
    one = rung("01_first", (2, 2), tests=[judged("T", images=images)])
    (entry,) = graded(document([submission("x", [lab("01-demo", [one])])])).entries
    for image in images:
        write_whole(
            tmp_path / "x" / "01-demo" / image["file"], b"\x89PNG\r\n\x1a\n" + bytes(300_000)
        )
    made = platforms.prairielearn(entry, tmp_path)
    follows(made, "prairielearn")
    assert [image["label"] for image in made["tests"][0]["images"]] == ["0", "1"]
    assert len(json.dumps(made, indent=2)) <= platforms.MAX_BYTES


def test_gradescope_says_what_earlier_submissions_got(book: Results) -> None:
    previous: list[dict[str, Any]] = [
        {"submission_time": f"2026-09-0{day}T10:00:00.0-07:00", "score": score, "results": {}}
        for day, score in ((1, 2.5), (2, "4.0"), (3, None))
    ]
    said = platforms.gradescope(book.entries[0], previous=previous)["output"]
    assert "2.5 on 2026-09-01 10:00, 4 on 2026-09-02 10:00; the best was 4." in said


def test_gradescope_keeps_the_last_score_while_we_are_at_fault(book: Results) -> None:
    kept = {"score": 3.5, "output": "old", "tests": []}
    previous: list[dict[str, Any]] = [
        {"submission_time": "2026-09-02", "score": 3.5, "results": kept},
        {"submission_time": "2026-09-01", "score": 1, "results": {"score": 1}},
    ]
    made = platforms.gradescope(book.entries[3], previous=previous)
    assert made["score"] == 3.5
    assert "last graded submission" in made["output"]


def test_points_are_written_as_people_write_them() -> None:
    said = [number(points) for points in (0, 2, 2.5, 12.35, 100, 12345.67)]
    assert said == ["0", "2", "2.5", "12.35", "100", "12345.67"]
