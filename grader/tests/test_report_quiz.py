# SPDX-License-Identifier: MIT
"""The class page's section about quizzes."""

from pathlib import Path
from typing import Any

from lockstep_grader.model.quiz import Mark
from lockstep_grader.pages.report.class_stats import QuizStat, quiz_stats
from lockstep_grader.results.graded import read_results

from conftest import Checkout
from reports import EVIL, LAB_TOML, full, write_results

LOST_TAIL = "Rounded down, the tail is lost."


def answer(question: str, mark: str, text: str = "3", reason: str = "") -> dict[str, Any]:
    kind = "explain" if mark == "collected" else "number"
    most = 0.0 if kind == "explain" else 1.0
    return {
        "id": question,
        "kind": kind,
        "ask": "How many?",
        "answer": text,
        "mark": mark,
        "reason": reason,
        "score": 1.0 if mark == "right" else 0.0,
        "max_score": most,
    }


def quiz(*answers: dict[str, Any], seed: int | None = 1, problem: str = "") -> dict[str, Any]:
    return {
        "score": sum(each["score"] for each in answers),
        "max_score": 2.0,
        "seed": seed,
        "problem": problem,
        "answers": list(answers),
    }


def with_quiz(name: str, made: dict[str, Any] | None) -> dict[str, Any]:
    entry = full(name)
    entry["labs"][0]["quiz"] = made
    return entry


def nothing(problem: str = "") -> dict[str, Any]:
    open_questions = (answer("blocks", "unanswered", ""), answer("threads", "unanswered", ""))
    return quiz(*open_questions, seed=None, problem=problem)


def a_class(folder: Path) -> Path:
    wrong = answer("blocks", "wrong", EVIL, LOST_TAIL)
    return write_results(
        folder,
        with_quiz("adams", quiz(answer("blocks", "right"), answer("why", "collected", EVIL))),
        with_quiz("brown", quiz(wrong, answer("why", "unanswered", ""))),
        with_quiz("clark", quiz(wrong, answer("why", "collected", "so"))),
        with_quiz("davis", quiz(answer("blocks", "wrong", "7", "Another reason."))),
        with_quiz("evans", nothing()),
        with_quiz("frank", nothing("answers.toml: not TOML")),
        with_quiz("green", None),
    )


def stats(folder: Path) -> list[QuizStat]:
    return quiz_stats(read_results(a_class(folder)).entries)


def test_the_class_is_counted_question_by_question(tmp_path: Path) -> None:
    (found,) = stats(tmp_path)
    assert (found.answered, found.silent, found.mean) == (4, 1, 0.25)
    assert [entry.id for entry in found.unreadable] == ["frank"]
    blocks, why = found.questions
    assert (blocks.counts[Mark.RIGHT], blocks.counts[Mark.WRONG], blocks.share) == (1, 3, 25.0)
    assert (blocks.mistake, blocks.mistakes) == (LOST_TAIL, 2)
    assert (why.is_scored, why.counts[Mark.COLLECTED], why.share) == (False, 2, None)


def test_a_lab_that_no_student_answered_is_not_listed(tmp_path: Path) -> None:
    write_results(tmp_path, with_quiz("adams", nothing()), with_quiz("brown", None))
    assert quiz_stats(read_results(tmp_path).entries) == []


def test_the_class_page_shows_the_quiz_and_nothing_of_it_where_there_is_none(
    checkout: Checkout,
) -> None:
    checkout.write("labs/01-demo/lab.toml", LAB_TOML)
    assert checkout.lab("report", a_class(checkout.work / "results")).status == 0
    page = (checkout.work / "results" / "report" / "index.html").read_text()
    section = page.partition('<h2 id="quizzes">')[2].partition("</section>")[0]
    assert "4 students answered, 1 did not; mean 0.25 of 2" in " ".join(section.split())
    assert "1 file of answers cannot be read" in section
    assert "2 texts for you to read" in section
    assert f"{LOST_TAIL} " in section
    assert EVIL not in page
    assert checkout.lab("report", write_results(checkout.work / "other", full("adams"))).status == 0
    assert "quizzes" not in (checkout.work / "other" / "report" / "index.html").read_text()
