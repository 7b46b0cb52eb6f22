# SPDX-License-Identifier: MIT
"""The keys of questions with drawn numbers, computed again: by small programs on the emulator.

A program of quiz_programs does what a question describes. Its answer is what a kernel computed, or
a formula over the emulator's counters. So neither comes from the key or its functions.
"""

import functools
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Lab
from lockstep_grader.model.quiz import Kind, Question, Quiz, canonical, spelled
from lockstep_grader.quiz.file import require_quiz
from lockstep_grader.quiz.key import Key, computed, read_key
from lockstep_grader.student.program.build import Options, build_program, program_steps
from lockstep_grader.student.program.run import Checks, Settings, run_program

from repository import LABS, WORKSPACE, sampled_labs

PROGRAMS = Path(__file__).parent / "quiz_programs"

# A question is about the accesses that are written, also those whose result is not used.
AS_WRITTEN = Options(is_optimised=False)

# These are about rates, times, registers, rounding, and multiprocessors, which the emulator lacks.
NOT_EMULATED = {
    "00-threads": {"resident-blocks"},
    "01-reduction": {"bytes-in-flight"},
    "02-scan": {"look-back-rate", "speed-up-with-copies"},
    "03-compaction": {"chain-rate"},
    "05-summed-area-table": {"rounding-bound"},
    "06-matmul": {"tiles-waves", "flops", "registers-of-sums"},
    "07-scheduling": {"waves", "wave-efficiency", "resident-by-registers", "cycles-covered"}
    | {"bandwidth-bound"},
}

# The answers to one question, by case: a number, or words.
Emulated = Mapping[int, float | str]


def drawn_questions(quiz: Quiz) -> list[Question]:
    return [question for question in quiz.questions if question.draw]


def disagreements(key: Key, question: Question, emulated: Emulated) -> list[str]:
    """The cases in which the key does not say what the emulator says."""
    return [
        f"{question.id} with {question.cases[case]}: the emulator gives {answer}, "
        f"the key {key.values(question, case)['answer']}"
        for case, answer in emulated.items()
        if not _agree(key, question, case, answer)
    ]


def _agree(key: Key, question: Question, case: int, answer: float | str) -> bool:
    accepted = key.case(question, case).accepted
    if question.kind is not Kind.NUMBER:
        return canonical(question, str(answer)) in accepted
    rounded = spelled(round(Decimal(str(answer)), question.decimals), question.decimals)
    exactly = float(key.values(question, case)["answer"]) == pytest.approx(answer, rel=1e-9)
    return rounded in accepted and exactly


def _counters(profile: tuple[Mapping[str, Any], ...]) -> dict[str, object]:
    """Each counter over all kernels; each kernel's own under its name; and its resources."""
    kernels = [kernel for kernel in profile if kernel["launches"]]
    total: Counter[str] = Counter()
    for kernel in kernels:
        total.update(kernel["counters"])
    return {
        **{kernel["name"]: SimpleNamespace(**kernel["counters"]) for kernel in kernels},
        **total,
        "static_shared_bytes": max(kernel["static_shared_bytes"] for kernel in kernels),
        "occupancy_blocks": max(kernel["occupancy"]["blocks"] for kernel in kernels),
    }


class Programs:
    """The programs of the labs, each built when it is first asked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._steps = program_steps(Workspace.from_environment(), os.cpu_count() or 1)

    @functools.cache  # noqa: B019
    def built(self, lab: str) -> Path:
        work = self._folder / lab
        work.mkdir(exist_ok=True)
        return build_program(self._steps, [PROGRAMS / f"{lab}.cu"], AS_WRITTEN, work, 1)

    def questions(self, lab: str) -> set[str]:
        return set(self._output(lab, (), Settings(checks=Checks.NONE))[0].split())

    def answer(self, lab: str, question: Question, case: int) -> float | str:
        words = (question.id, *(f"{k}={v}" for k, v in question.cases[case].items()))
        said, profile = self._output(lab, words, Settings(checks=Checks.MEMORY, profile=True))
        verb, _, rest = said.strip().partition(" ")
        assert verb in ("answer", "counted"), f"{words}: {said}"
        if verb == "counted":
            return computed(rest, _counters(profile))
        return float(rest) if question.kind is Kind.NUMBER else rest

    def _output(
        self, lab: str, words: tuple[str, ...], settings: Settings
    ) -> tuple[str, tuple[Mapping[str, Any], ...]]:
        with tempfile.TemporaryDirectory(dir=self._folder) as work:
            file = Path(work) / "out"
            with file.open("wb") as out:
                ran = run_program(
                    self.built(lab), words, settings, Path(work), name=lab, output=out.fileno()
                )
            assert ran.status == 0, f"{lab} {words}: {file.read_text()}"
            return file.read_text(), ran.profile


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    return Programs(tmp_path_factory.mktemp("quiz"))


@pytest.fixture(scope="module")
def emulated(programs: Programs) -> Callable[[Lab], Mapping[str, Emulated]]:
    @functools.cache
    def answers(lab: str) -> Mapping[str, Emulated]:
        quiz = require_quiz(WORKSPACE, next(each for each in LABS if each.id == lab))
        asked = programs.questions(lab)
        cases = [
            (question, case)
            for question in drawn_questions(quiz)
            if question.id in asked
            for case in range(len(question.cases))
        ]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(lambda each: programs.answer(lab, *each), cases))
        by_question: dict[str, dict[int, float | str]] = {}
        for (question, case), answer in zip(cases, found, strict=True):
            by_question.setdefault(question.id, {})[case] = answer
        return by_question

    return lambda lab: answers(lab.id)


@pytest.mark.e2e
@sampled_labs
def test_every_question_with_drawn_numbers_is_emulated(lab: Lab, programs: Programs) -> None:
    quiz = require_quiz(WORKSPACE, lab)
    expected = {each.id for each in drawn_questions(quiz)} - NOT_EMULATED.get(lab.id, set())
    assert programs.questions(lab.id) == expected


def test_what_is_not_emulated_is_asked() -> None:
    for lab in LABS:
        asked = {each.id for each in drawn_questions(require_quiz(WORKSPACE, lab))}
        assert NOT_EMULATED.get(lab.id, set()) <= asked


@pytest.mark.e2e
@sampled_labs
def test_the_emulator_gives_the_keys_answers(
    lab: Lab, emulated: Callable[[Lab], Mapping[str, Emulated]]
) -> None:
    quiz = require_quiz(WORKSPACE, lab)
    key, answers = read_key(WORKSPACE, quiz), emulated(lab)
    wrong = [
        said
        for question in drawn_questions(quiz)
        for said in disagreements(key, question, answers.get(question.id, {}))
    ]
    assert wrong == []


@pytest.mark.e2e
@sampled_labs
def test_a_wrong_formula_disagrees(
    lab: Lab, emulated: Callable[[Lab], Mapping[str, Emulated]], tmp_path: Path
) -> None:
    """Each mistake that the key explains, put into the place of its formula."""
    quiz = require_quiz(WORKSPACE, lab)
    key, answers = read_key(WORKSPACE, quiz), emulated(lab)
    for question in drawn_questions(quiz):
        entry = key.entry(question)
        for mistake in (each.formula for each in entry.wrong if each.formula):
            wrong = entry.model_copy(update={"formula": mistake, "answer": "", "wrong": ()})
            mistaken = Key(tmp_path, quiz, {question.id: wrong})
            given = answers.get(question.id)
            assert given is None or disagreements(mistaken, question, given), (question.id, mistake)
