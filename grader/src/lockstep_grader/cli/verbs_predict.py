# SPDX-License-Identifier: MIT
"""The verb `predict`: asks for counts before a rung shows them, then shows both."""

import sys
from dataclasses import replace
from typing import Annotated

import typer
from rich.text import Text

from lockstep_grader.cli.options import FolderOption, RungArgument, SandboxOption
from lockstep_grader.cli.verbs_quiz import folder_of, print_questions
from lockstep_grader.intake.catalog import find_target, read_labs
from lockstep_grader.judging.session import Wanted, open_session_for
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode, InputError
from lockstep_grader.model.grades import Backend
from lockstep_grader.quiz.ask import ask_all
from lockstep_grader.quiz.file import Answers
from lockstep_grader.quiz.predict import read_predictions
from lockstep_grader.quiz.score import Predictions
from lockstep_grader.student import state
from lockstep_grader.student.predict import Notebook, compare


def add_to(app: typer.Typer) -> None:
    app.command("predict")(predict)


def predict(
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
    folder = folder_of(workspace, from_)
    notebook = Notebook.of(folder, whole)
    if as_json:
        if not notebook.file.is_file():
            notebook.with_answers(notebook.answers)  # keeps the seed: the sizes stay the same
        return print_questions(Predictions(part), lab, notebook.answers)
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
