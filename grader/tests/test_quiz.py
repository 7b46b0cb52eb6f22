# SPDX-License-Identifier: MIT
"""Quizzes: what is drawn, asked, checked, kept, handed in, scored, proved and kept secret."""

import csv
import io
import json
import time
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console

from lockstep_grader.author.lint import prove_quiz
from lockstep_grader.author.mutants import read_mutants
from lockstep_grader.author.packages.build import sealed_keys
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Lab
from lockstep_grader.model.policy import Course, Graded, LabRules, Work, mark
from lockstep_grader.model.quiz import (
    AnswerError,
    Kind,
    Mark,
    Question,
    Quiz,
    Sheet,
    asked,
    canonical,
    drawn,
)
from lockstep_grader.quiz.ask import ask_all
from lockstep_grader.quiz.file import (
    Answers,
    fresh,
    parse_answers,
    read_answers,
    read_quiz,
    require_quiz,
    write_answers,
)
from lockstep_grader.quiz.key import divergent_warps, read_key, sectors, up_sweep, wavefronts
from lockstep_grader.quiz.score import read_sealed, scorer_of

from conftest import DATA, LAB, SOLUTION, Checkout
from repository import LABS, WORKSPACE, each_lab

QUESTIONS = (DATA / "quiz" / "questions.toml").read_text("utf-8")
KEY = (DATA / "quiz" / "key.toml").read_text("utf-8")


@pytest.fixture
def quizzed(checkout: Checkout) -> Checkout:
    checkout.write(f"labs/{LAB}/quiz.toml", QUESTIONS)
    checkout.write(f"solutions/{LAB}/quiz.toml", KEY)
    return checkout


def workspace_of(checkout: Checkout) -> tuple[Workspace, Lab]:
    workspace = Workspace(checkout.root, checkout.root / "build")
    return workspace, next(lab for lab in read_labs(workspace) if lab.id == LAB)


def answered(seed: int, **given: str) -> str:
    lines = [f'{name} = "{text}"' for name, text in given.items()]
    return "\n".join(["version = 1", f'lab = "{LAB}"', f"seed = {seed}", "[answers]", *lines, ""])


def right_blocks(checkout: Checkout, seed: int) -> str:
    workspace, lab = workspace_of(checkout)
    quiz = require_quiz(workspace, lab)
    case = asked(quiz, quiz.questions[0], seed).case
    return read_key(workspace, quiz).case(quiz.questions[0], case).accepted[0]


# ---- the course's own questions


def test_every_lab_asks_enough_and_many_questions_are_computed() -> None:
    quizzes = [read_quiz(WORKSPACE, lab) for lab in LABS]
    assert all(quiz and len(quiz.questions) >= 12 for quiz in quizzes)
    questions = [each for quiz in quizzes if quiz for each in quiz.questions]
    assert len(questions) >= 100
    assert sum(bool(each.draw) for each in questions) >= 40
    for quiz in quizzes:
        assert quiz
        assert {Kind.LINE, Kind.EXPLAIN} <= {each.kind for each in quiz.questions}, quiz.lab
    assert set(Counter(each.kind for each in questions)) == set(Kind) - {Kind.COUNT}


@each_lab
def test_every_question_without_options_has_a_hint(lab: Lab) -> None:
    """Of a choice, each wrong option has its own explanation."""
    open_ended = (Kind.NUMBER, Kind.LINE, Kind.PREDICT)
    questions = require_quiz(WORKSPACE, lab).questions
    assert [each.id for each in questions if each.kind in open_ended and not each.hint] == []


@each_lab
def test_every_question_is_proved(lab: Lab) -> None:
    proofs = list(prove_quiz(WORKSPACE, lab, read_mutants(WORKSPACE, lab)))
    assert [(name, problems) for name, problems in proofs if problems] == []


@each_lab
def test_the_students_files_hold_no_reason_of_the_key(lab: Lab) -> None:
    quiz = require_quiz(WORKSPACE, lab)
    key = read_key(WORKSPACE, quiz).all_cases()
    given = (WORKSPACE.labs / lab.id / "quiz.toml").read_text()
    given += sealed_keys(WORKSPACE, [lab])[f"labs/{lab.id}/quiz.sealed.json"].decode()
    for cases in key.values():
        for case in cases:
            assert case.reason not in given
            assert not any(why in given for _, why in case.wrong)


# ---- what is drawn, and what is an answer


def test_the_same_seed_draws_the_same_and_others_differ() -> None:
    quiz = read_quiz(WORKSPACE, LABS[0])
    assert quiz
    draws = {seed: [asked(quiz, each, seed) for each in quiz.questions] for seed in range(20)}
    assert draws[3] == [asked(quiz, each, 3) for each in quiz.questions]
    assert len({tuple(each.case for each in draw) for draw in draws.values()}) > 15
    assert len({tuple(draw[4].options) for draw in draws.values()}) > 5


@pytest.mark.parametrize(
    ("kind", "given", "says"),
    [
        (Kind.NUMBER, " 4_2.0 ", "42"),
        (Kind.PREDICT, "1,  2 3", "1 2 3"),
        (Kind.ORDER, "b, a", "b a"),
        (Kind.LINE, "2", "2"),
    ],
)
def test_an_answer_has_one_spelling(kind: Kind, given: str, says: str) -> None:
    options = {"a": "first", "b": "second"} if kind is Kind.ORDER else {}
    assert canonical(Question("q", kind, "?", "one\ntwo", options=options), given) == says


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (Kind.NUMBER, "many"), (Kind.NUMBER, "nan"), (Kind.NUMBER, "1e999999999"),
        (Kind.ORDER, "a a"), (Kind.LINE, "3"), (Kind.LINE, "-1"), (Kind.CHOICE, "c"),
        (Kind.PREDICT, " "),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_said(kind: Kind, given: str) -> None:
    question = Question("q", kind, "?", "one\ntwo", options={"a": "first", "b": "second"})
    with pytest.raises(AnswerError):
        canonical(question, given)


def test_an_order_is_refused_without_the_names_of_its_lines() -> None:
    """The terminal shows numbers."""
    question = Question("q", Kind.ORDER, "?", options={"a": "first", "b": "second"})
    with pytest.raises(AnswerError, match="each of the 2 lines once"):
        canonical(question, "a")


def test_two_and_a_half_is_not_two() -> None:
    with pytest.raises(AnswerError, match="whole number"):
        canonical(Question("q", Kind.NUMBER, "?"), "2.5")
    assert canonical(Question("q", Kind.NUMBER, "?"), "2.0") == "2"
    assert canonical(Question("q", Kind.NUMBER, "?", decimals=1), "2.5") == "2.5"


def test_the_small_machine_counts_as_devices_do() -> None:
    lanes = range(32)
    assert [sectors([4 * stride * lane for lane in lanes]) for stride in (0, 1, 2, 8, 64)] == [
        1, 4, 8, 32, 32,
    ]  # fmt: skip
    assert [wavefronts([stride * lane for lane in lanes]) for stride in (0, 1, 2, 3, 32, 33)] == [
        1, 1, 2, 1, 32, 1,
    ]  # fmt: skip
    assert divergent_warps([thread % 32 == 0 for thread in range(993)]) == 31
    assert up_sweep([1, 2, 3, 4]) == [1, 3, 3, 10]


# ---- checking, with the key and with the sealed one


def test_a_sealed_key_says_what_the_key_says(quizzed: Checkout) -> None:
    workspace, lab = workspace_of(quizzed)
    quiz = require_quiz(workspace, lab)
    key = read_key(workspace, quiz)
    file = quizzed.write("quiz.sealed.json", sealed_keys(workspace, [lab])[
        f"labs/{LAB}/quiz.sealed.json"
    ])  # fmt: skip
    sealed = read_sealed(file, quiz)
    for case in (0, 1):
        question = drawn(quiz.questions[0], case)
        for answer in ("4", "3", "2", "1", "99"):
            assert sealed.check(question, answer) == key.check(question, answer)
    file.write_text("{}")
    with pytest.raises(InputError, match="is damaged"):
        read_sealed(file, quiz)


def test_without_any_key_answers_are_kept(quizzed: Checkout) -> None:
    (quizzed.root / f"solutions/{LAB}/quiz.toml").unlink()
    workspace, lab = workspace_of(quizzed)
    scorer = scorer_of(workspace, lab)
    assert scorer
    result = scorer.result(Answers(LAB, 1, {"blocks": "4", "why": "so"}))
    assert [each.mark for each in result.answers] == [
        Mark.UNCHECKED, Mark.UNANSWERED, Mark.COLLECTED,
    ]  # fmt: skip
    assert "students' copy" in quizzed.refusal("quiz", LAB, "--key")


# ---- asking


def test_a_quiz_can_be_stopped_and_resumed(quizzed: Checkout, tmp_path: Path) -> None:
    workspace, lab = workspace_of(quizzed)
    scorer = scorer_of(workspace, lab)
    assert scorer
    file = tmp_path / "answers.toml"
    console = Console(file=io.StringIO(), width=200)

    def told(*lines: str) -> Answers:
        left = iter(lines)

        def read(_: str) -> str:
            try:
                return next(left)
            except StopIteration as stop:
                raise EOFError from stop

        before = read_answers(file, scorer.quiz) if file.is_file() else fresh(scorer.quiz, 5)
        return ask_all(console, scorer, before, read, lambda now: write_answers(file, now))

    right = right_blocks(quizzed, 5)
    assert told("many", right, "q").given == {"blocks": right}
    order = list(asked(scorer.quiz, scorer.quiz.questions[1], 5).options)
    number = str(order.index("bad") + 1)
    assert told(number, 'a "quoted" \\ text \U0001f600').given["colour"] == "bad"
    kept = read_answers(file, scorer.quiz)
    assert kept.given["why"] == 'a "quoted" \\ text \U0001f600'
    assert told() == kept
    out = console.file.getvalue()  # type: ignore[attr-defined]
    assert "give a number" in out
    assert "right: 100 / " in out
    assert "wrong: That is the other one." in out


def test_a_quiz_in_a_terminal_says_where_the_answers_are(
    quizzed: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts: list[str] = []
    lines = iter((right_blocks(quizzed, 5), "q"))

    def read(prompt: str) -> str:
        prompts.append(prompt)
        return next(lines)

    monkeypatch.setattr("builtins.input", read)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    ran = quizzed.lab("quiz", LAB, "--seed", "5")
    assert ran.status == 0, ran.err
    assert prompts[0] == "a whole number of blocks (Enter skips, q stops): "
    assert f"answers.toml; ./lab quiz {LAB} asks the rest" in ran.out


def test_bad_input_is_one_line(quizzed: Checkout) -> None:
    assert "there is no lab" in quizzed.lab("quiz", "none").complaint
    assert "asks in a terminal" in quizzed.lab("quiz", LAB).complaint
    for text, says in (
        ("version = ", "not TOML"),
        (answered(1, blocks="4").replace("version = 1", "version = 2"), "version"),
        (answered(1, other="4"), "has no question 'other'"),
        (answered(1).replace(LAB, "other"), "these are answers to 'other'"),
        (answered(-1), "seed"),
    ):
        quizzed.write(f"labs/{LAB}/answers.toml", text)
        assert says in quizzed.refusal("quiz", LAB, "--json")
    quizzed.write(f"labs/{LAB}/quiz.toml", QUESTIONS.replace("$block", "$width"))
    assert "$width is not in 'draw'" in quizzed.lab("quiz", LAB, "--json").complaint
    (quizzed.root / f"labs/{LAB}/quiz.toml").unlink()
    assert "has no quiz" in quizzed.lab("quiz", LAB, "--json").complaint


def test_json_has_questions_answers_and_marks(quizzed: Checkout) -> None:
    seeds = [json.loads(quizzed.lab("quiz", LAB, "--json").out)["seed"] for _ in range(2)]
    assert seeds[0] == seeds[1]  # the first run has written the file, to be edited
    right = right_blocks(quizzed, 7)
    quizzed.write(f"labs/{LAB}/answers.toml", answered(7, blocks=right, colour="bad"))
    ran = quizzed.lab("quiz", LAB, "--json")
    assert ran.status == 1
    told = json.loads(ran.out)
    assert (told["score"], told["max_score"], told["seed"]) == (1, 2, 7)
    assert [each["mark"] for each in told["questions"]] == ["right", "wrong", "unanswered"]
    assert told["questions"][1]["reason"] == "That is the other one."
    quizzed.write(f"labs/{LAB}/answers.toml", answered(7, blocks=right, colour="good"))
    assert quizzed.lab("quiz", LAB, "--json").status == 0


# ---- handing in and grading


def test_submit_says_what_the_quiz_still_asks(quizzed: Checkout) -> None:
    quizzed.submission("labs", {})
    assert f"quiz: 3 questions have no answer yet; ./lab quiz {LAB} asks" in submitted(quizzed)
    right = right_blocks(quizzed, 7)
    quizzed.write(f"labs/{LAB}/answers.toml", answered(7, blocks=right, colour="bad"))
    assert "quiz: 1 question has no answer yet" in submitted(quizzed)
    quizzed.write(f"labs/{LAB}/answers.toml", answered(7, blocks="1", colour="bad", why="so"))
    assert "quiz: " not in submitted(quizzed)


def submitted(quizzed: Checkout) -> str:
    ran = quizzed.lab("submit", LAB)
    assert ran.status == 0, ran.err
    assert f"next: hand in {LAB}.zip" in ran.out
    return ran.out


def test_submit_refuses_answers_that_no_grader_reads_unless_forced(quizzed: Checkout) -> None:
    quizzed.submission("labs", {})
    quizzed.write(f"labs/{LAB}/answers.toml", "version = ")
    assert "answers.toml: not TOML" in quizzed.refusal("submit", LAB)
    assert quizzed.lab("submit", LAB, "--force").status == 0


def test_answers_are_packed_and_scored_beside_the_rungs(quizzed: Checkout, tmp_path: Path) -> None:
    right = right_blocks(quizzed, 7)
    rungs = {"01_first.cu": SOLUTION, "02_second.cu": SOLUTION}
    folder = quizzed.submission("class/ada", rungs)
    (folder / LAB / "answers.toml").write_text(answered(7, blocks=right, why="=so"))
    ran = quizzed.lab("submit", LAB, "--from", folder, "--output", tmp_path / "ada.zip")
    assert "answers.toml" in ran.out
    copied = quizzed.submission("class/bob", rungs)
    (copied / LAB / "answers.toml").write_text(answered(7, blocks="1"))
    broken = quizzed.submission("class/cy", rungs)
    (broken / LAB / "answers.toml").write_text("version = ")
    quizzed.submission("class/dee", rungs)
    ran, report = quizzed.grade(folder.parent, "--results", tmp_path / "results")
    assert ran.status == 0
    by_id = {each["id"]: each for each in report["submissions"]}
    quizzes = {name: each["labs"][0]["quiz"] for name, each in by_id.items()}
    assert {name: quiz["score"] for name, quiz in quizzes.items()} == {
        "ada": 1, "bob": 0, "cy": 0, "dee": 0,
    }  # fmt: skip
    assert all(each["score"] == each["max_score"] for each in by_id.values())
    for one in ("ada", "bob"):  # a student reads the note, too: it names no other
        (note,) = by_id[one]["notes"]
        assert note == f"{LAB}: answers.toml has seed 7, as another submission's has"
    assert "not TOML" in quizzes["cy"]["problem"]
    assert f"answers that cannot be read (1):\n  cy {LAB}: answers.toml" in ran.out
    assert quizzes["dee"]["seed"] is None
    out = quizzed.lab("export", tmp_path / "results", "--format", "csv", "--layout", "quiz").out
    rows = list(csv.DictReader(io.StringIO(out)))
    (why,) = (row for row in rows if (row["id"], row["question"]) == ("ada", "why"))
    assert (why["answer"], why["mark"]) == ("'=so", "collected")
    course = quizzed.write("course.toml", f'[[lab]]\nid = "{LAB}"\nquiz = 2.0\n')
    out = quizzed.lab("export", tmp_path / "results", "--format", "csv", "--course", course).out
    rows = list(csv.DictReader(io.StringIO(out)))
    full = float(rows[0]["max_score"])
    assert {row["id"]: float(row["score"]) for row in rows} == {
        "ada": full - 1, "bob": full - 2, "cy": full - 2, "dee": full - 2,
    }  # fmt: skip
    pages = tmp_path / "pages"
    assert quizzed.lab("report", tmp_path / "results", "--output", pages).status == 0
    page = next(pages.rglob("ada*.html")).read_text()
    assert "Questions and answers" in page
    assert "rounded up" in page


def test_a_quiz_counts_only_where_the_course_says_so() -> None:
    lab = Graded(LAB, (("01", 3.0, 4.0),), {Sheet.QUIZ: 0.5})
    work = Work(frozenset({"ada"}), (lab,))
    (plain,) = mark(Course(), work).labs
    assert (plain.points, plain.max_score) == (3, 4)
    (counted,) = mark(Course(labs={LAB: LabRules(LAB, sheets={Sheet.QUIZ: 2.0})}), work).labs
    assert (counted.points, counted.max_score) == (4, 6)


# ---- proofs


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("solutions", "100 // block", "ceil_div(100, block)", "lists no wrong answer"),
        ("solutions", "ceil_div(100, block)", "100 / zero", "zero"),
        ("solutions", 'answer = "good"', 'answer = "bad"', "is listed as wrong, and it is right"),
        ("solutions", "Because this is how it is.", "So.", "does not explain"),
        ("solutions", '"ceil_div(100, block)"', '"7"', "does not matter"),
        ("solutions", 'id = "why"', 'id = "how"', "a question that is not asked"),
        ("labs", 'bad = "that"', 'bad = "that"\nugly = "it"', "does not explain every option"),
        ("labs", 'kind = "number"', 'kind = "line"\ncode = "a\\nb\\nc\\nd"', "of which mutant"),
    ],
)
def test_a_question_that_does_not_hold_is_a_breach(
    quizzed: Checkout, file: str, old: str, new: str, says: str
) -> None:
    workspace, lab = workspace_of(quizzed)
    assert not [problems for _, problems in prove_quiz(workspace, lab, ()) if problems]
    path = quizzed.root / file / LAB / "quiz.toml"
    text = path.read_text()
    assert old in text
    quizzed.write(f"{file}/{LAB}/quiz.toml", text.replace(old, new))
    problems = [problem for _, found in prove_quiz(workspace, lab, ()) for problem in found]
    assert any(says in problem for problem in problems), problems


def test_lint_proves_questions(quizzed: Checkout) -> None:
    ran = quizzed.lab("lint")
    assert ran.status == 0, ran.out
    assert "questions" in ran.out
    quizzed.write(f"solutions/{LAB}/quiz.toml", KEY.replace('answer = "good"', 'answer = "bad"'))
    ran = quizzed.lab("lint")
    assert ran.status == 1
    assert f"{LAB} question colour: bad is listed as wrong" in ran.out


def test_a_broken_file_never_raises(quizzed: Checkout) -> None:
    workspace, lab = workspace_of(quizzed)
    quiz = read_quiz(workspace, lab)
    assert isinstance(quiz, Quiz)
    for data in (b"\xff", b"[" * 5000, b"answers = 3", b'version = 1\nlab = 1\nseed = "x"'):
        with pytest.raises(InputError):
            parse_answers(data, quiz)


# ---- answers that a student made to break the grader

_BIG = 60_000
HOSTILE_ANSWERS = {
    "a key of many parts": ("a" + ".a" * (_BIG // 2) + " = 1", "more than 500 dots in one line"),
    "a key of many spaced parts": ("a" + " . a" * (_BIG // 4) + " = 1", "dots in one line"),
    "a key of many quoted parts": ('"="' + '."="' * (_BIG // 4) + " = 1", "dots in one line"),
    "a table of many parts": ("[" + "a." * (_BIG // 2) + "a]", "more than 500 dots"),
    "arrays in arrays": ("blocks = " + "[" * _BIG, "nested too deeply"),
    "tables in tables": ("blocks = " + "{a=" * (_BIG // 3), "nested too deeply"),
    "a list": ("blocks = [1]", "answers.blocks: an answer is a number, or a text"),
    "no number": ("blocks = true", "answers.blocks: an answer is a number, or a text"),
    "a day": ("blocks = 2026-10-12", "answers.blocks: an answer is a number, or a text"),
    "a number of many digits": ("blocks = " + "9" * 5000, "a number is too long"),
    "a number of many hexadecimal digits": ("blocks = 0x" + "f" * 5000, "an answer is a number"),
    "a long answer": (f'why = "{"x" * 10_001}"', "at most 10000 characters"),
    "many answers": ("".join(f"k{number} = 1\n" for number in range(5000)), "no question 'k0'"),
    "a large file": ("# " + "x" * (64 << 10), "larger than 64 KiB"),
}


@pytest.mark.parametrize("name", HOSTILE_ANSWERS)
def test_answers_beyond_a_limit_are_one_line_and_take_no_time(quizzed: Checkout, name: str) -> None:
    text, complaint = HOSTILE_ANSWERS[name]
    workspace, lab = workspace_of(quizzed)
    quiz = require_quiz(workspace, lab)
    begin = time.monotonic()
    with pytest.raises(InputError) as caught:
        parse_answers((answered(1) + text).encode(), quiz)
    assert time.monotonic() - begin < 5
    assert complaint in str(caught.value)
    assert str(caught.value).startswith("answers.toml")
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["9" * 9999, "1e999999999", "1e-999999999", "nan", "-inf", "9" * 9990 + ".5", "\\u0000"],
)
@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.COUNT])
def test_no_answer_breaks_its_check(kind: Kind, text: str) -> None:
    """The course's own questions, with the key and with the sealed one."""
    for lab in LABS:
        scorer, quiz = scorer_of(WORKSPACE, lab), read_quiz(WORKSPACE, lab)
        assert scorer
        assert quiz
        ids = [each.id for each in quiz.questions if each.kind is kind]
        data = f'version = 1\nlab = "{lab.id}"\nseed = 1\n[answers]\n'
        data += "".join(f'{name} = "{text}"\n' for name in ids[:4])
        result = scorer.result(parse_answers(data.encode(), quiz))
        marks = {each.mark for each in result.answers if each.id in ids}
        assert marks <= {Mark.WRONG, Mark.COLLECTED, Mark.UNANSWERED}


def test_one_hostile_file_of_answers_costs_its_owner_the_quiz_and_no_other_anything(
    quizzed: Checkout,
) -> None:
    for name in ("ann", "bob"):
        quizzed.submission(f"class/{name}", {})
    quizzed.write(f"class/ann/{LAB}/answers.toml", answered(1) + "a" + ".a" * 25_000 + " = 1\n")
    right = answered(3, blocks=right_blocks(quizzed, 3), colour="good")
    quizzed.write(f"class/bob/{LAB}/answers.toml", right)
    ran, report = quizzed.grade(quizzed.root / "class")
    assert ran.status == 0, ran.err
    ann, bob = (entry["labs"][0]["quiz"] for entry in report["submissions"])
    assert (ann["score"], "dots in one line" in ann["problem"]) == (0, True)
    assert (bob["score"], bob["problem"]) == (2, "")
