# SPDX-License-Identifier: MIT
"""The verbs `quiz` and `predict`: questions in the terminal, as JSON, or with their key."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from lockstep_grader.cli.options import (
    FolderOption,
    LabArgument,
    RungArgument,
    SandboxOption,
    folder_given,
)
from lockstep_grader.intake.catalog import find_lab, find_target, read_labs
from lockstep_grader.judging.session import Wanted, open_session_for
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode, InputError
from lockstep_grader.model.grades import Backend, Lab
from lockstep_grader.model.quiz import Asked, asked
from lockstep_grader.quiz.ask import ask_all, print_key, show_result
from lockstep_grader.quiz.file import (
    Answers,
    answers_file,
    fresh,
    read_answers,
    require_quiz,
    write_answers,
)
from lockstep_grader.quiz.key import read_key
from lockstep_grader.quiz.predict import read_predictions
from lockstep_grader.quiz.score import Predictions, Scorer, scorer_of
from lockstep_grader.results.serial import quiz_json
from lockstep_grader.student import state
from lockstep_grader.student.predict import Notebook, compare

_OF_ANSWER = ("answer", "mark", "reason", "score", "max_score", "counted")


def lab_quiz(
    lab_name: LabArgument,
    from_: FolderOption = None,
    key: Annotated[
        bool, typer.Option("--key", help="Show the answers with their reasons, for instructors.")
    ] = False,
    practice: Annotated[
        bool, typer.Option("--practice", help="Draw anew, ask everything, keep nothing.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**48 - 1, help="Draw from this; default: secret.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Ask nothing: write questions and answers as JSON.")
    ] = False,
) -> int:
    """Ask a lab's questions, and say why an answer is right or wrong."""
    workspace = Workspace.from_environment()
    lab = find_lab(read_labs(workspace), lab_name)
    questions = require_quiz(workspace, lab)
    if key:
        print_key(make_console(), questions, read_key(workspace, questions), seed)
        return ExitCode.FULL_MARKS
    scorer = scorer_of(workspace, lab)
    if scorer is None:
        raise InputError(f"{lab.id} has no quiz")
    file = answers_file(folder_given(workspace, from_), questions)
    answers = _answers(file, scorer, seed, practice)
    if as_json:
        if not practice and not file.is_file():
            write_answers(file, answers)  # keeps the seed: the next run asks the same questions
        return _print_questions(scorer, lab, answers)
    return _ask(scorer, lab, answers, None if practice else file)


def _answers(file: Path, scorer: Scorer, seed: int | None, practice: bool) -> Answers:
    if practice or not file.is_file():
        return fresh(scorer.quiz, seed)
    answers = read_answers(file, scorer.quiz)
    if seed is not None and seed != answers.seed:
        raise InputError(f"{file} has the seed {answers.seed}; --seed goes with --practice")
    return answers


def _ask(scorer: Scorer, lab: Lab, answers: Answers, file: Path | None) -> int:
    if not sys.stdin.isatty():
        raise InputError("quiz asks in a terminal; without one, use --json and edit answers.toml")
    console = make_console()
    answers = ask_all(
        console,
        scorer,
        answers,
        input,
        lambda given: write_answers(file, given) if file else None,
    )
    show_result(console, lab.id, scorer.result(answers))
    if file and len(answers.given) < len(scorer.quiz.questions):
        print(f"your answers are in {file}; ./lab quiz {lab.id} asks the rest")
    return ExitCode.FULL_MARKS


def lab_predict(
    target: RungArgument,
    from_: FolderOption = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Ask nothing: write questions and answers as JSON.")
    ] = False,
    sandbox: SandboxOption = True,
) -> int:
    """Ask what your rung will cost, then show the counts next to your predictions."""
    workspace = Workspace.from_environment()
    lab, rungs = find_target(read_labs(workspace), target)
    rung, whole = rungs[0], read_predictions(workspace, lab)
    if whole is None:
        raise InputError(f"{lab.id} asks for no predictions")
    part = whole.of_rung(rung.id)
    is_rung = "/" in target
    if not is_rung or not part.questions:
        problem = (
            f"{lab.id}/{rung.id} asks for no prediction; others do" if is_rung else "name a rung"
        )
        raise InputError(f"{problem}, as in ./lab predict {lab.id}/{whole.questions[0].rung}")
    folder = folder_given(workspace, from_)
    notebook = Notebook.of(folder, whole)
    if as_json:
        if not notebook.file.is_file():
            notebook.with_answers(notebook.answers)  # keeps the seed: the sizes stay the same
        return _print_questions(Predictions(part), lab, notebook.answers)
    console = make_console()
    is_own = folder.resolve() == workspace.labs
    is_late = is_own and rung.id in state.right_rungs(workspace.state, lab)
    if left := notebook.open_of(rung):
        if not sys.stdin.isatty():
            raise InputError(
                f"predict asks in a terminal; without one, use --json and edit {whole.sheet.file}"
            )
        answers = notebook.answers
        if is_late:
            console.print(Text("a check has shown the counts already: this earns no points", "dim"))
            answers = replace(answers, late=(*answers.late, *left))

        def keep(given: Answers) -> None:
            notebook.with_answers(given)

        notebook = replace(
            notebook, answers=ask_all(console, Predictions(part), answers, input, keep)
        )
        if notebook.open_of(rung):
            print(f"your predictions are in {notebook.file}; the same command asks the rest")
            return ExitCode.FULL_MARKS
        if not is_late:
            print(f"your predictions are in {notebook.file}")
            print(f"next: ./lab check {lab.id}/{rung.id} shows the counts when the rung is right")
            return ExitCode.FULL_MARKS
    wanted = Wanted(Backend.CPU, sandbox=sandbox, labs=[lab.id])
    session = open_session_for(folder, workspace, wanted)
    compare(console, session, lab, rung, notebook)
    return ExitCode.FULL_MARKS


def _print_questions(scorer: Scorer, lab: Lab, answers: Answers) -> int:
    """As JSON. Exit status 0: every answer that can be scored earns its points."""
    result = scorer.result(answers)
    drawn = [_question_json(asked(scorer.quiz, q, answers.seed)) for q in scorer.quiz.questions]
    report = quiz_json(result)
    questions = [
        question | {key: answer[key] for key in _OF_ANSWER}
        for question, answer in zip(drawn, report["answers"], strict=True)
    ]
    head = {key: report[key] for key in ("score", "max_score")}
    print(
        json.dumps(
            {"version": 1, "lab": lab.id, "seed": answers.seed, **head, "questions": questions},
            indent=2,
        )
    )
    is_full = result.score == result.max_score
    return ExitCode.FULL_MARKS if is_full else ExitCode.SHORT_OF_FULL_MARKS


def _question_json(drawn: Asked) -> dict[str, object]:
    question = drawn.question
    return {
        "id": question.id,
        "kind": question.kind.value,
        "ask": drawn.ask,
        "code": drawn.code,
        "options": dict(drawn.options),
        "unit": question.unit,
    }
