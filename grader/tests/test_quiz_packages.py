# SPDX-License-Identifier: MIT
"""The quiz in packages: its points and words in each platform's own format."""

import io
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from lockstep_grader.author.packages.build import Platform, build_package
from lockstep_grader.cli.verbs_student import pack
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.quiz import Kind, Sheet, asked
from lockstep_grader.quiz.file import Answers, read_quiz, write_answers
from lockstep_grader.quiz.key import read_key
from test_autograde import FULL, POINTS, SUBMISSIONS, Machine, machine, untar, write
from test_export import follows
from test_packages import LABS, THREADS, unpacked

from conftest import LAB, Checkout
from repository import WORKSPACE, sampled

__all__ = ["machine"]  # a fixture

QUIZ_POINTS = 2.0
NAME = f"{THREADS.id}/quiz"
NASTY = '\\u001b[31m</pre><script>alert(1)</script>\\n::notice::x\\n{\\"scores\\": {}}'


@pytest.fixture(scope="module")
def packages() -> dict[Platform, bytes]:
    platforms = (Platform.GRADESCOPE, Platform.AUTOLAB, Platform.PRAIRIELEARN)
    return {
        platform: build_package(WORKSPACE, platform, THREADS, points={Sheet.QUIZ: QUIZ_POINTS})
        for platform in platforms
    }


def answers(folder: Path, kind: str) -> float:
    """Writes answers.toml into `folder`, and returns the points that it must earn."""
    quiz = read_quiz(WORKSPACE, THREADS)
    assert quiz
    file, key, seed = folder / Sheet.QUIZ.file, read_key(WORKSPACE, quiz), 11
    scored = [each for each in quiz.questions if each.is_scored]
    right = {
        each.id: key.case(each, asked(quiz, each, seed).case).accepted[0]
        for each in scored
        if each.kind is not Kind.EXPLAIN
    }
    folder.mkdir(parents=True, exist_ok=True)
    match kind:
        case "none":
            return 0.0
        case "right":
            write_answers(file, Answers(THREADS.id, seed, right))
            return QUIZ_POINTS
        case "half":
            half = dict(list(right.items())[: len(right) // 2])
            write_answers(file, Answers(THREADS.id, seed, half))
            return round(QUIZ_POINTS * len(half) / len(scored), 2)
        case "hostile":
            text = f'version = 1\nlab = "{THREADS.id}"\nseed = 1\n[answers]\n'
            file.write_text(text + "".join(f'{each.id} = "{NASTY}"\n' for each in scored))
            return 0.0
        case _:
            file.write_text("version = 1\nlab = ")
            return 0.0


def on_gradescope(machine: Machine, package: bytes, kind: str) -> tuple[Any, float]:
    source = machine.unpack(package, "autograder/source")
    machine.set_up(source / "lockstep")
    root = machine.root / "autograder"
    shutil.copy(source / "run_autograder", root)
    (root / "results").mkdir()
    write(root / "submission", SUBMISSIONS["partly"])
    earned = answers(root / "submission", kind)
    ran = machine.run("./run_autograder", cwd="autograder", LOCKSTEP_PLATFORM_ROOT=str(root))
    assert ran.returncode == 0, ran.stderr
    return json.loads((root / "results" / "results.json").read_text()), earned


@pytest.mark.parametrize("kind", sampled(["right", "half", "none", "broken", "hostile"], 2))
def test_gradescope_shows_the_quiz_as_a_test(
    kind: str, machine: Machine, packages: dict[Platform, bytes]
) -> None:
    made, earned = on_gradescope(machine, packages[Platform.GRADESCOPE], kind)
    follows(made, "gradescope")
    quiz = made["tests"][-1]
    assert (quiz["name"], quiz["score"], quiz["max_score"]) == (NAME, earned, QUIZ_POINTS)
    assert quiz["status"] == ("passed" if kind == "right" else "failed")
    assert made["score"] == round(POINTS["partly"] + earned, 2)
    assert round(sum(test["score"] for test in made["tests"]), 2) == made["score"]
    assert sum(test["max_score"] for test in made["tests"]) == FULL + QUIZ_POINTS
    whole = read_quiz(WORKSPACE, THREADS)
    assert whole
    number = sum(each.is_scored for each in whole.questions)
    expected = {
        "right": f"{number} of {number} right",
        "half": "not answered: ",
        "none": "hand in answers.toml, which ./lab quiz 00-threads writes",
        "broken": "The answers cannot be read: answers.toml",
        "hostile": "your answer: ",
    }
    assert expected[kind] in quiz["output"]
    assert "\x1b" not in json.dumps(made)


@pytest.mark.parametrize("kind", ["half", "hostile"])
def test_autolab_has_a_problem_for_the_quiz(
    kind: str, machine: Machine, packages: dict[Platform, bytes]
) -> None:
    assessment = machine.unpack(packages[Platform.AUTOLAB], "course") / "threads"
    settings = yaml.safe_load((assessment / "threads.yml").read_text())
    job = machine.root / "job"
    untar(io.BytesIO((assessment / "autograde.tar").read_bytes()), job)
    machine.set_up(job / "lockstep")
    shutil.copy(assessment / "autograde-Makefile", job / "Makefile")
    shutil.copy(assessment / "autograde.tar", job)
    mine = write(machine.root / "mine" / THREADS.id, SUBMISSIONS["partly"])
    earned = answers(mine, kind)
    pack(mine.parent, THREADS, job / "handin.zip", force=True)
    ran = machine.run("make", "IMAGE_COPY=/nowhere", cwd="job")
    assert ran.returncode == 0, ran.stderr
    stages, autoresult = (json.loads(line) for line in ran.stdout.splitlines()[-2:])
    follows([stages, autoresult], "autolab")
    assert autoresult["scores"][NAME] == earned
    assert set(autoresult["scores"]) == {problem["name"] for problem in settings["problems"]}
    assert autoresult["scoreboard"] == [round(POINTS["partly"] + earned, 2)]
    assert stages[THREADS.id]["quiz"]["passed"] == (kind == "right")
    assert "\x1b" not in ran.stdout


@pytest.mark.parametrize("kind", sampled(["right", "broken"], 2))
def test_prairielearn_takes_answers_and_adds_their_points(
    kind: str, machine: Machine, packages: dict[Platform, bytes]
) -> None:
    made = machine.unpack(packages[Platform.PRAIRIELEARN], "course")
    question = made / "questions" / "lockstep-00-threads"
    assert Sheet.QUIZ.file in (question / "question.html").read_text()
    machine.set_up(made / "image" / "lockstep")
    root = machine.root / "grade"
    write(root / "student", SUBMISSIONS["good"])
    earned = answers(root / "student", kind)
    ran = machine.run(
        question / "tests" / "run.sh",
        LOCKSTEP_PLATFORM_ROOT=str(root),
        LOCKSTEP_IMAGE_COPY=str(made / "image" / "lockstep"),
    )
    assert ran.returncode == 0, ran.stderr
    results = json.loads((root / "results" / "results.json").read_text())
    follows(results, "prairielearn")
    assert results["tests"][-1]["points"] == earned
    assert sum(test["max_points"] for test in results["tests"]) == FULL + QUIZ_POINTS
    assert results["score"] == pytest.approx((FULL + earned) / (FULL + QUIZ_POINTS))


@pytest.mark.parametrize("kind", sampled(["half", "none"], 2))
def test_a_quiz_that_adds_no_points_is_words_and_only_for_those_who_answered(
    kind: str, machine: Machine
) -> None:
    package = build_package(WORKSPACE, Platform.GRADESCOPE, THREADS)
    made, _ = on_gradescope(machine, package, kind)
    follows(made, "gradescope")
    assert made["score"] == POINTS["partly"]
    shown = [test for test in made["tests"] if test["name"] == NAME]
    assert len(shown) == (kind == "half")
    assert all("score" not in test and "adds no points" in test["output"] for test in shown)


def test_no_package_holds_the_key_of_its_quiz(packages: dict[Platform, bytes]) -> None:
    quiz = read_quiz(WORKSPACE, THREADS)
    assert quiz
    reasons = {
        case.reason
        for cases in read_key(WORKSPACE, quiz).all_cases().values()
        for case in cases
        if len(case.reason) > 20
    }
    for package in packages.values():
        files = unpacked(package)
        assert any(name.endswith("quiz.sealed.json") for name in files)
        text = b"\n".join(files.values())
        assert [reason for reason in reasons if reason.encode() in text] == []


def test_points_for_a_quiz_need_a_quiz_and_a_platform_that_keeps_points(
    checkout: Checkout,
) -> None:
    ran = checkout.lab("package", "gradescope", LAB, "--quiz", "2")
    assert (ran.status, ran.complaint) == (2, f"lab: --quiz: {LAB} has no quiz")
    with pytest.raises(InputError, match="GitHub records no points"):
        build_package(WORKSPACE, Platform.GITHUB, THREADS, points={Sheet.QUIZ: 2})
    assert checkout.lab("package", "gradescope", LAB, "--quiz", "-1").status == 2


@pytest.mark.parametrize("lab_id", sampled(sorted(LABS), 5))
def test_every_labs_package_scores_its_quiz(lab_id: str) -> None:
    data = build_package(WORKSPACE, Platform.GRADESCOPE, LABS[lab_id], points={Sheet.QUIZ: 0.5})
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert f"{lab_id} --root" in archive.read("run_autograder").decode()
        assert " --quiz 0.5" in archive.read("run_autograder").decode()
        for name in ("quiz.toml", "quiz.sealed.json"):
            assert archive.getinfo(f"lockstep/labs/{lab_id}/{name}").file_size > 1000
