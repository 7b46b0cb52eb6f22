# SPDX-License-Identifier: MIT
"""One schema for results: what is published, what is written and what is read are the same."""

import copy
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.model.grades import (
    Finding,
    FindingKind,
    Image,
    Judgement,
    Outcome,
    Part,
    Place,
    TestResult,
)
from lockstep_grader.results.schema import (
    Report,
    StoredResult,
    judgement_from_json,
    parse_report,
)
from lockstep_grader.results.serial import as_json
from lockstep_grader.results.store import ResultId, Store
from made_up_grades import NASTY, a_class, document, judged, lab, rung, submission

from conftest import LAB, SOURCE_FOLDER, Checkout

VERBS = [("export", "--format", "csv"), ("report",)]
PUBLISHED = SOURCE_FOLDER / "lockstep_grader" / "schemas" / "grade.schema.json"
# Words for people, and what only one of the two spells out.
_LEFT_OUT = ("$schema", "$defs", "title", "description", "default", "minProperties")


def plain(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """A JSON Schema in one form: references resolved, one spelling for each thing."""
    if isinstance(schema, list):
        return [plain(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return plain(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    made = {key: value for key, value in schema.items() if key not in _LEFT_OUT}
    if made.get("additionalProperties") is False:  # a reader passes over fields that are new
        del made["additionalProperties"]
    if "anyOf" in made:
        (some,) = (plain(item, definitions) for item in made["anyOf"] if item != {"type": "null"})
        return {**some, "type": sorted({some["type"], "null"})}
    if "enum" in made or "const" in made:
        made.pop("type", None)
    made = {
        key: {name: plain(item, definitions) for name, item in value.items()}
        if key == "properties"
        else plain(value, definitions)
        for key, value in made.items()
    }
    for key in ("required", "enum", "type"):
        if isinstance(made.get(key), list):
            made[key] = sorted(made[key])
    return made


def test_the_published_schema_is_that_of_the_readers() -> None:
    published = json.loads(PUBLISHED.read_text("utf-8"))
    ours = Report.model_json_schema(mode="serialization")
    assert plain(ours, ours["$defs"]) == plain(published, published["$defs"])


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("submissions", 0, "labs", 0, "rungs", 1, "outcome"), "well done", "rungs[1].outcome: "),
        (("submissions", 2, "score"), "ten", "submissions[2].score"),
        (("submissions", 1, "labs", 0, "rungs", 0, "tests", 0, "seconds"), None, ".seconds"),
        (("backend",), "abacus", "backend: "),
        (("submissions",), {}, "submissions: "),
        (("submissions", 0, "labs", 0), {}, "submissions[0].labs[0].id: Field required"),
    ],
)
@pytest.mark.parametrize("verb", VERBS)
def test_a_damaged_report_is_one_line_with_the_file_and_the_field(
    checkout: Checkout, verb: tuple[str, ...], path: tuple[Any, ...], value: Any, says: str
) -> None:
    data = a_class()
    place: Any = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    file = checkout.write("work/results/grade.json", json.dumps(data))
    said = checkout.refusal(verb[0], file.parent, *verb[1:])
    assert str(file.parent.name) in said
    assert says in said


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "results: no such file; ./lab grade PATH --results"),
        ("", "grade.json cannot be read as JSON"),
        ("\x00", "grade.json cannot be read as JSON"),
        ("[]", "grade.json is not what ./lab grade writes"),
        ('{"version": 1, "backend": "cpu"}', "grade.json is not what ./lab grade writes"),
        ('{"version": 2}', "is of version 2, but this grader reads 1; grade again"),
    ],
)
@pytest.mark.parametrize("verb", VERBS)
def test_what_is_no_report_is_one_line(
    checkout: Checkout, verb: tuple[str, ...], text: str | None, says: str
) -> None:
    if text is not None:
        checkout.write("work/results/grade.json", text)
    assert says in checkout.refusal(verb[0], checkout.work / "results", *verb[1:])


def test_fields_that_are_new_are_passed_over_and_old_reports_are_read() -> None:
    data = copy.deepcopy(a_class())
    data["submissions"][0]["new"] = 1
    del data["submissions"][0]["student"]
    report = parse_report(data)
    assert (report.graded_at, report.submissions[0].student.name) == ("", "")


def test_any_text_is_read_as_it_was_written() -> None:
    strange = rung("01_first", (1, 1), tests=[judged(NASTY, "failed", NASTY, output=NASTY)])
    text = json.dumps(document([submission(NASTY, [lab("01-demo", [strange])])]))
    (read,) = parse_report(json.loads(text)).submissions
    assert read.id == NASTY
    assert read.labs[0].rungs[0].tests[0].output == NASTY


WHOLE = Judgement(
    tests=(
        TestResult(
            "Demo.Works",
            Part.EFFICIENCY,
            Outcome.FAILED,
            NASTY,
            0.5,
            (Finding(FindingKind.RACE, NASTY, "01_first.cu", 3), Finding(FindingKind.SLOW, "x")),
            NASTY,
            {"share": 0.25, "launches": 3},
            {NASTY: {"sectors": 12, "ratio": 0.5}},
            {"share": Place("01_first.cu", 7, 2)},
            (Image("result", "01_first.png"),),
        ),
    ),
    findings=(Finding(FindingKind.TODO, "todo"),),
    seed="18446744073709551615",
    seconds=1.25,
)


def test_a_judgement_is_written_again_as_it_was() -> None:
    text = json.dumps(as_json(WHOLE))
    read = judgement_from_json(json.loads(text))
    assert read == WHOLE
    assert json.dumps(as_json(read)) == text  # a count stays an int


def test_a_stored_result_is_read_by_the_same_schema(tmp_path: Path) -> None:
    store, result = Store(tmp_path), ResultId("ann", LAB, "01_first")
    judgement = replace(WHOLE, tests=(replace(WHOLE.tests[0], images=()),))
    store.settle(result, "a key", Finding(FindingKind.TODO, "missing"), judgement)
    (file,) = tmp_path.rglob("01_first.json")
    stored = StoredResult.model_validate(json.loads(file.read_bytes()))
    assert (stored.key, stored.attempt, stored.submission) == ("a key", 1, "ann")
    assert Store(tmp_path).load(result) == judgement
