# SPDX-License-Identifier: MIT
"""Predictions: what is drawn, committed, counted, shown with its counts, handed in and scored."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from lockstep_grader.author.lint import prove_predictions
from lockstep_grader.author.mutants import read_mutants
from lockstep_grader.author.packages.build import Platform, build_package
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Lab
from lockstep_grader.model.quiz import (
    AnswerError,
    Forecast,
    Kind,
    Mark,
    Question,
    Sheet,
    asked,
    canonical,
)
from lockstep_grader.quiz.file import parse_answers
from lockstep_grader.quiz.predict import read_predictions
from lockstep_grader.quiz.score import Predictions
from test_e2e import lab as real_lab

from conftest import DATA, LAB, LAB_TOML, STARTER, Checkout
from profiles import judged, profiled_source, timed_profile
from repository import LABS, REPOSITORY, WORKSPACE, each_lab

PREDICT = (DATA / "quiz" / "predict.toml").read_text("utf-8")
TARGET = f"{LAB}/02_second"
FILE = f"labs/{LAB}/predictions.toml"
PLACES = {
    "bank_conflicts": {"file": "02_second.cu", "line": 8, "value": 16000},
    "bank_conflicts.2": {"file": "02_second.cu", "line": 10, "value": 9},
}
RIGHT = profiled_source(judged(places=PLACES))
GIVEN = {"launches": "1", "bank_conflicts": "100", "blocks": "31", "bound": "bandwidth"}


@pytest.fixture
def foretold(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda _: pytest.fail("nothing is left to ask"))
    checkout.write(f"labs/{LAB}/predict.toml", PREDICT)
    checkout.write(f"labs/{TARGET}.cu", RIGHT)
    return checkout


def workspace_of(checkout: Checkout) -> tuple[Workspace, Lab]:
    workspace = Workspace(checkout.root, checkout.root / "build")
    return workspace, next(lab for lab in read_labs(workspace) if lab.id == LAB)


def forecast_of(checkout: Checkout) -> Forecast:
    found = read_predictions(*workspace_of(checkout))
    assert found
    return found


def predicted(seed: int = 5, late: str = "", counted: str = "", **given: str) -> str:
    lines = [f'02_second-{name} = "{text}"' for name, text in (given or GIVEN).items()]
    head = ["version = 1", f'lab = "{LAB}"', f"seed = {seed}", late, "[answers]"]
    return "\n".join([*head, *lines, "[counted]" if counted else "", counted, ""])


def typing(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    left: Iterator[str] = iter(lines)
    monkeypatch.setattr("builtins.input", lambda _: next(left))


def number_of(checkout: Checkout, option: str, seed: int = 5) -> str:
    """The number under which a person sees an option of the question of what bounds the rung."""
    forecast = forecast_of(checkout)
    question = next(each for each in forecast.questions if each.kind is Kind.CHOICE)
    return str(list(asked(forecast, question, seed).options).index(option) + 1)


# ---- the course's own


@each_lab
def test_every_rung_with_a_budget_asks_for_predictions(lab: Lab) -> None:
    assert read_predictions(WORKSPACE, lab)
    proofs = list(prove_predictions(WORKSPACE, lab))
    assert len(proofs) == sum(bool(rung.budget) for rung in lab.rungs)
    assert [(name, problems) for name, problems in proofs if problems] == []


def test_the_ladders_are_in_the_order_that_was_measured() -> None:
    ladders = [
        (lab.id, question.truth.split())
        for lab in LABS
        for question in getattr(read_predictions(WORKSPACE, lab), "questions", ())
        if question.kind is Kind.ORDER
    ]
    assert len(ladders) >= 6
    assert len({lab for lab, _ in ladders}) == len(ladders), "once per lab"
    for lab_id, order in ladders:
        rows = json.loads((REPOSITORY / "docs" / "bench" / f"{lab_id}.json").read_text())["rows"]
        largest = max(row["num_items"] for row in rows)
        share = {row["rung"]: row["share"] for row in rows if row["num_items"] == largest}
        assert order == sorted(order, key=share.__getitem__), lab_id


# ---- what is drawn, and what is a prediction


def test_students_get_different_sizes_and_a_rung_has_one() -> None:
    for lab in LABS:
        forecast = read_predictions(WORKSPACE, lab)
        assert forecast
        drawn = set()
        for seed in range(30):
            by_rung: dict[str, set[int]] = {}
            for each in forecast.questions:
                size = each.size(asked(forecast, each, seed).case)
                by_rung.setdefault(each.rung, set()).add(size)
            assert all(len(sizes) == 1 for sizes in by_rung.values())
            drawn.add(tuple(min(sizes) for sizes in by_rung.values()))
        assert len(drawn) > 25, lab.id


@pytest.mark.parametrize(
    ("given", "says"),
    [("2", "2"), (" 2.50 ", "2.5"), ("1e3", "1000"), ("0", "0"), ("0.3333333333", "0.333333"),
     ("many", ""), ("nan", ""), ("-3", ""), ("1e400", ""), ("9" * 5000, ""), ("1e-999999999", "0")],
)  # fmt: skip
def test_a_count_has_one_spelling(given: str, says: str) -> None:
    question = Question("q", Kind.COUNT, "?")
    if says:
        assert canonical(question, given) == says
    else:
        with pytest.raises(AnswerError):
            canonical(question, given)


# ---- committing, then seeing the counts


def test_a_student_predicts_then_checks_and_sees_both(
    foretold: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    foretold.write(FILE, predicted(launches="1"))
    invited = f"predict first: ./lab predict {TARGET} asks 3 questions"
    assert invited in foretold.lab("profile", TARGET).err
    typing(monkeypatch, "100", "many", "31", number_of(foretold, "bandwidth"))
    ran = foretold.lab("predict", TARGET)
    assert ran.status == 0, ran.err
    assert "extra passes over shared memory's banks, in a call with " in " ".join(ran.out.split())
    assert "give a number" in ran.out
    assert "16000" not in ran.out
    assert f"next: ./lab check {TARGET} shows the counts" in ran.out
    ran = foretold.lab("check", TARGET)
    assert "predict first" not in ran.out
    table = ran.out.partition("predicted and counted, in a call with ")[2]
    rows = [line.split() for line in table.splitlines()]
    assert ["launches", "1", "1"] in rows
    assert ["bank_conflicts", "100", "16000"] in rows
    assert ["blocks", "31", "32"] in rows
    assert ["bound", "bandwidth", "atomics"] in rows
    said = " ".join(table.split())
    assert "bank_conflicts: Lanes share one bank. (most of it in line 8 and line 10)" in said
    assert "bound: They all queue at one address." in said
    assert "Each tile is a block" not in said, "31 is near 32"
    kept = (foretold.root / FILE).read_text()
    assert '02_second-bank_conflicts = "16000"' in kept
    assert '02_second-bank_conflicts = "100"' in kept
    again = foretold.lab("predict", TARGET)  # asks nothing: what is committed stays
    assert again.out.partition("predicted and counted")[2].split() == (
        ran.out.partition("predicted and counted")[2].split()
    )


def test_a_rung_that_is_judged_by_its_speed_is_asked_for_its_time(
    foretold: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    foretold.write(f"labs/{LAB}/lab.toml", f"{LAB_TOML}[rung.speed]\nshare = {SHARE}\n")
    counted = timed_profile(sectors=1 << 22)
    counted["measures"]["blocks"] = 32
    foretold.write(f"labs/{TARGET}.cu", profiled_source(counted))
    foretold.write(FILE, predicted())
    typing(monkeypatch, "17")
    ran = foretold.lab("predict", TARGET)
    assert "microseconds that a call of 1048576 items takes on an NVIDIA H200" in flat(ran.out)
    ran = foretold.lab("predict", TARGET)
    (row,) = (line.split() for line in ran.out.splitlines() if line.split()[:1] == ["time_us"])
    assert row[1] == "17"
    assert float(row[2]) == pytest.approx((1 << 27) / 4080e3, rel=0.3)
    assert "limited by the memory's bandwidth" in flat(ran.out)
    sheet = json.loads(foretold.lab("predict", TARGET, "--json").out)
    assert sheet["max_score"] == 4, "the time adds no point"
    foretold.write(f"labs/{TARGET}.cu", RIGHT)  # counted, but without what a time needs
    ran = foretold.lab("predict", TARGET)
    assert ran.status == 0
    assert ["time_us", "17"] in [line.split() for line in ran.out.splitlines()]


SHARE = "{ zero = 0.1, full = 0.5 }"


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("source", "options", "is_invited"),
    [(STARTER, (), True), (RIGHT, (), True), (STARTER, ("--json",), False)],
)
def test_check_invites_and_never_refuses(
    foretold: Checkout, source: str, options: tuple[str, ...], *, is_invited: bool
) -> None:
    foretold.write(f"labs/{TARGET}.cu", source)
    ran = foretold.lab("check", TARGET, *options)
    lines = [line for line in ran.out.splitlines() if line.startswith("predict first")]
    assert len(lines) == is_invited
    assert ran.status == (source is STARTER)
    assert "predict first" not in foretold.lab("check", TARGET, "--from", "../solutions").out
    again = foretold.lab("check", TARGET, *options).out
    shown = is_invited and source is STARTER  # the others have seen the counters
    assert ("predict first" in again) == shown


def test_a_prediction_after_the_first_passing_check_is_late(
    foretold: Checkout, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert foretold.lab("check", TARGET).status == 0
    typing(monkeypatch, "1", "16000", "32", number_of_first(foretold))
    ran = foretold.lab("predict", TARGET)
    assert "this earns no points" in ran.out
    assert "predicted and counted" in ran.out
    shutil_copy(foretold, tmp_path / "class" / "ada")
    _, report = foretold.grade(tmp_path / "class")
    sheet = report["submissions"][0]["labs"][0]["predictions"]
    assert (sheet["score"], sheet["max_score"]) == (0, 4)
    assert {each["mark"] for each in sheet["answers"]} == {"late"}


def number_of_first(checkout: Checkout) -> str:
    """Any option: the seed is not drawn yet."""
    return number_of(checkout, "atomics")


def shutil_copy(checkout: Checkout, target: Path) -> None:
    (target / LAB).mkdir(parents=True)
    for file in (checkout.root / "labs" / LAB).iterdir():
        if file.suffix == ".cu" or file.name == "predictions.toml":
            (target / LAB / file.name).write_bytes(file.read_bytes())


def test_a_check_on_a_gpu_says_where_the_counts_are(foretold: Checkout) -> None:
    foretold.write(FILE, predicted())
    foretold.write_toolchain(backend="cuda")
    ran = foretold.lab("check", TARGET, "--backend", "cuda", "--no-sanitizer")
    assert f"./lab predict {TARGET} counts what you predicted" in ran.out
    assert "16000" not in ran.out


def test_a_trouble_with_the_counts_leaves_the_verdict(foretold: Checkout) -> None:
    foretold.write(FILE, predicted())
    foretold.write(f"labs/{TARGET}.cu", profiled_source(judged(outcome="failed", message="off")))
    ran = foretold.lab("check", TARGET)
    assert ran.status == 0
    assert f"predictions: {TARGET} is not right yet, so no count means anything: off" in ran.out


def test_predict_says_what_it_needs(foretold: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"name a rung, as in ./lab predict {TARGET}" in foretold.refusal("predict", LAB)
    refused = foretold.refusal("predict", f"{LAB}/01_first")
    assert f"asks for no prediction; others do, as in ./lab predict {TARGET}" in refused
    told = [json.loads(foretold.lab("predict", TARGET, "--json").out) for _ in range(2)]
    assert told[0] == told[1], "the first run has written the seed"
    assert [each["kind"] for each in told[0]["questions"]] == ["count"] * 3 + ["choice"]
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    assert "use --json and edit predictions.toml" in foretold.refusal("predict", TARGET)
    foretold.write(FILE, predicted())
    foretold.write(f"labs/{TARGET}.cu", profiled_source(judged(outcome="failed", message="off")))
    assert "is not right yet" in foretold.refusal("predict", TARGET, status=1)


# ---- bad files


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("version = ", "not TOML"),
        (predicted().replace("version = 1", "version = 2"), "version"),
        (predicted(other="1"), "answers: 01-demo has no question '02_second-other'"),
        (predicted(late='late = ["x"]'), "late: 01-demo has no question 'x'"),
        (predicted(counted='x = "1"'), "counted: 01-demo has no question 'x'"),
        (predicted().replace(LAB, "other"), "these are answers to 'other'"),
        (predicted(launches="x" * 10_001), "at most 10000 characters"),
        ("# " + "x" * (64 << 10), ""),
    ],
)
def test_a_bad_file_is_named_and_hides_no_verdict(
    foretold: Checkout, tmp_path: Path, text: str, says: str
) -> None:
    foretold.write(FILE, text)
    refused = foretold.lab("predict", TARGET, "--json")
    assert refused.status == 2
    assert "predictions.toml" in refused.err
    assert says in refused.err
    ran = foretold.lab("check", TARGET)
    assert ran.status == 0, "the rung is right all the same"
    assert says in " ".join(ran.out.split())
    assert "predictions.toml" in foretold.lab("submit", LAB).err
    shutil_copy(foretold, tmp_path / "class" / "cy")
    graded, report = foretold.grade(tmp_path / "class")
    sheet = report["submissions"][0]["labs"][0]["predictions"]
    assert (sheet["score"], sheet["seed"]) == (0, None)
    assert sheet["problem"].startswith("predictions.toml")
    assert "answers that cannot be read (1):" in graded.out


@pytest.mark.parametrize("text", ["9" * 500, "1e999999999", "nan", "-inf", "\\u0000", "-0", "x y"])
def test_no_answer_and_no_count_breaks_the_score(text: str) -> None:
    for lab in LABS:
        forecast = read_predictions(WORKSPACE, lab)
        assert forecast
        lines = "".join(f'{each.id} = "{text}"\n' for each in forecast.questions)
        data = f'version = 1\nlab = "{lab.id}"\nseed = 1\n[answers]\n{lines}[counted]\n{lines}'
        result = Predictions(forecast).result(parse_answers(data.encode(), forecast))
        assert {each.score for each in result.answers} <= {0, 1}
        assert {each.mark for each in result.answers} <= {Mark.UNANSWERED, Mark.RIGHT}
        assert (result.score > 0) == (text == "-0")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"blocks"', '"bricks"', "nothing is counted as 'bricks'"),
        ('blocks = "Each tile is a block, also the last."\n', "", "no why explains blocks"),
        ("[1000, 2000, 7]", "[1000, 1000, 7]", "has 2 to 200 values"),
        ("$n items", "$m items", "no other name than $n"),
        ('"atomics"', '"luck"', "choose one of bandwidth"),
        ('"02_second"', '"09_none"', "has no rung '09_none'"),
        ('why = "They', 'because = "They', "why: is missing"),
    ],
)
def test_a_mistake_in_predict_toml_is_named(
    foretold: Checkout, old: str, new: str, says: str
) -> None:
    assert PREDICT.count(old) == 1
    foretold.write(f"labs/{LAB}/predict.toml", PREDICT.replace(old, new))
    refused = foretold.lab("predict", TARGET, "--json")
    assert refused.status == 2
    assert says in refused.err
    assert "predict.toml" in refused.err


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('["launches", "bank_conflicts", "blocks"]', '["launches"]', "asks for 2 predictions"),
        ("Lanes share one bank.", "So.", "does not explain"),
        ('"02_second"', '"01_first"', "02_second: asks for 0 predictions"),
    ],
)
def test_lint_proves_predictions(foretold: Checkout, old: str, new: str, says: str) -> None:
    budget = "[rung.budget]\nlaunches = { zero = 2, full = 1 }\n"
    foretold.write(f"labs/{LAB}/lab.toml", LAB_TOML + budget)
    assert not [each for _, each in prove_predictions(*workspace_of(foretold)) if each]
    foretold.write(f"labs/{LAB}/predict.toml", PREDICT.replace(old, new))
    assert says in foretold.lab("lint", LAB).out


# ---- handing in, grading, exporting, reporting


COUNTED = '02_second-launches = "1"\n02_second-bank_conflicts = "16000"'


def test_predictions_are_packed_scored_exported_and_reported(
    foretold: Checkout, tmp_path: Path
) -> None:
    foretold.submission("labs", {})
    foretold.write(FILE, predicted(launches="1"))
    ran = foretold.lab("submit", LAB)
    assert "predictions.toml" in ran.out
    assert f"predictions: 3 questions have no answer yet; ./lab predict {LAB}/RUNG asks" in ran.out
    late = 'late = ["02_second-launches"]'
    files = {
        "ada": predicted(counted=COUNTED),
        "bob": predicted(late=late, launches="1", bank_conflicts="many"),
        "cy": predicted(seed=5, blocks="7"),
        "dee": "",
    }
    for name, text in files.items():
        folder = foretold.submission(f"class/{name}", {})
        if text:
            (folder / LAB / "predictions.toml").write_text(text)
    results = tmp_path / "results"
    ran, report = foretold.grade(foretold.root / "class", "--results", results)
    assert ran.status == 0, ran.out
    by_id = {each["id"]: each for each in report["submissions"]}
    sheets = {name: each["labs"][0]["predictions"] for name, each in by_id.items()}
    scores = {"ada": 4, "bob": 0, "cy": 1, "dee": 0}
    assert {name: sheet["score"] for name, sheet in sheets.items()} == scores
    (note,) = by_id["cy"]["notes"]
    assert note == f"{LAB}: predictions.toml has seed 5, as another submission's has"
    marks = {each["id"]: each["mark"] for each in sheets["ada"]["answers"]}
    assert list(marks.values()) == ["right", "wrong", "unchecked", "unchecked"]
    out = foretold.lab("export", results, "--format", "csv", "--layout", "quiz").out
    rows = list(csv.DictReader(io.StringIO(out)))
    (row,) = (each for each in rows if (each["id"], each["question"]) == (
        "ada", "02_second-bank_conflicts"))  # fmt: skip
    assert (row["answer"], row["counted"], row["mark"]) == ("100", "16000", "wrong")
    assert row["reason"] == "Lanes share one bank."
    course = foretold.write("course.toml", f'[[lab]]\nid = "{LAB}"\npredictions = 2.0\n')
    out = foretold.lab("export", results, "--format", "csv", "--course", course).out
    rows = list(csv.DictReader(io.StringIO(out)))
    full = float(rows[0]["max_score"])
    points = {row["id"]: float(row["score"]) for row in rows}
    assert points == {name: full - 2 + score / 2 for name, score in scores.items()}
    assert "predictions: 2 of 2 points" in rows[0]["notes"]
    pages = tmp_path / "pages"
    assert foretold.lab("report", results, "--output", pages).status == 0
    page = next(pages.rglob("ada*.html")).read_text()
    assert "<td>100</td><td>16000</td>" in page
    assert "Lanes share one bank." in page
    assert "Predictions" not in next(pages.rglob("dee*.html")).read_text()
    whole = (pages / "index.html").read_text()
    assert "Demonstration, predictions" in whole
    assert "(1 late)" in whole


def test_a_package_scores_predictions() -> None:
    lab = LABS[0]
    made = build_package(WORKSPACE, Platform.PRAIRIELEARN, lab, points={Sheet.PREDICTIONS: 1.5})
    shown = zip_text(made)
    assert "autograde prairielearn 00-threads" in shown
    assert " --predictions 1.5" in shown
    assert "<code>predictions.toml</code>" in shown
    with pytest.raises(InputError, match="--predictions: a package for GitHub"):
        build_package(WORKSPACE, Platform.GITHUB, lab, points={Sheet.PREDICTIONS: 1})


def zip_text(data: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [name for name in archive.namelist() if name.endswith(("run.sh", "question.html"))]
        return "\n".join(archive.read(name).decode() for name in names)


# ---- real rungs


@pytest.mark.e2e
def test_a_mutant_shows_other_counts(tmp_path: Path) -> None:
    lab = next(each for each in LABS if each.id == "01-reduction")
    mutant = next(each for each in read_mutants(WORKSPACE, lab) if each.name == "bank_conflicts")
    rung = mutant.rung
    folder = tmp_path / lab.id
    folder.mkdir()
    forecast = read_predictions(WORKSPACE, lab)
    assert forecast
    given = {each.id: "11" for each in forecast.of_rung(rung.id).questions}
    given[f"{rung.id}-bound"] = "bandwidth"
    lines = [f'{name} = "{text}"' for name, text in given.items()]
    head = f'version = 1\nlab = "{lab.id}"\nseed = 5\n[answers]\n'
    (folder / "predictions.toml").write_text(head + "\n".join(lines))
    solution = REPOSITORY / "solutions" / lab.id / rung.file_name
    counted = []
    for text in (solution.read_text(), mutant.text):
        (folder / rung.file_name).write_text(text)
        ran = real_lab("predict", f"{lab.id}/{rung.id}", "--from", tmp_path, LOCKSTEP_NVCC="off")
        assert ran.returncode == 0, ran.stderr
        rows = [line.split() for line in ran.stdout.splitlines()]
        counted.append({row[0]: row[2] for row in rows if len(row) == 3})
    right, wrong = counted
    assert right["barriers_per_block"] == wrong["barriers_per_block"] == "11"
    assert right["bank_conflicts"] == "0"
    assert int(wrong["bank_conflicts"]) > 10_000
