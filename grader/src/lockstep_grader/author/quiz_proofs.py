# SPDX-License-Identifier: MIT
"""Proves every question in every case: what the key calls right is, and each wrong one is told;
and that predictions ask of each rung with a budget, and explain themselves.
"""

import difflib
import json
from collections.abc import Iterator, Sequence

from lockstep_grader.author.edits import lines_of
from lockstep_grader.author.mutants import Mutant, read_text, solution_of
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import Lab, Rung
from lockstep_grader.model.quiz import CaseKey, Kind, Mark, Prediction, Question, Quiz, drawn
from lockstep_grader.quiz.file import quiz_file, read_quiz
from lockstep_grader.quiz.key import Key, read_key
from lockstep_grader.quiz.predict import predict_file, read_predictions
from lockstep_grader.quiz.sealed import SealedKey, sealed_json

_LEAST_LETTERS = 20  # of a reason: "no" is none
_PREDICTIONS = range(3, 7)  # of a rung, besides the order of the ladder


def prove_quiz(
    workspace: Workspace, lab: Lab, mutants: Sequence[Mutant]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each question, and in what it fails."""
    try:
        quiz = read_quiz(workspace, lab)
        if quiz is None:
            return
        key = read_key(workspace, quiz)
    except InputError as error:
        yield workspace.shown(quiz_file(workspace, lab)), (str(error),)
        return
    for name in key.unknown:
        yield name, ("the key answers a question that is not asked",)
    for question in quiz.questions:
        try:
            problems = (
                *_problems(quiz, key, question),
                *_mutant_problems(workspace, lab, key, question, mutants),
            )
        except InputError as error:
            problems = (str(error),)
        yield question.id, problems


def prove_predictions(workspace: Workspace, lab: Lab) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each rung that has a budget, and in what its predictions fail."""
    try:
        forecast = read_predictions(workspace, lab)
    except InputError as error:
        yield workspace.shown(predict_file(workspace, lab)), (str(error),)
        return
    for rung in lab.rungs if forecast else ():
        asked = forecast.of_rung(rung.id).questions if forecast else ()
        if rung.budget or asked:
            yield f"predictions of {rung.id}", tuple(_prediction_problems(rung, asked))


def _prediction_problems(rung: Rung, asked: Sequence[Prediction]) -> Iterator[str]:
    if not rung.budget:
        yield "it has no budget, so its counters are not shown"
    count = sum(each.kind is not Kind.ORDER for each in asked)
    if count not in _PREDICTIONS:
        yield f"asks for {count} predictions, not for {_PREDICTIONS[0]} to {_PREDICTIONS[-1]}"
    for each in asked:
        if len(each.hint) < _LEAST_LETTERS:
            yield f"the why of {each.id} does not explain"


def _problems(quiz: Quiz, key: Key, question: Question) -> Iterator[str]:
    cases = key.cases(question)
    for number, case in enumerate(cases):
        place = f" in case {number}" if len(cases) > 1 else ""
        for problem in _case_problems(question, case):
            yield problem + place
        if len(case.reason) < _LEAST_LETTERS:
            yield "its reason does not explain" + place
    listed = {why for case in cases for _, why in case.wrong}
    if len(listed) < len(key.entry(question).wrong):
        yield "a wrong answer is never wrong: it is the right one, or another's, in every case"
    if question.draw and len({case.accepted for case in cases}) < 2:
        yield "every case has the same answer: what is drawn does not matter"
    if question.is_scored:
        if not any(case.wrong for case in cases):
            yield "lists no wrong answer"
        yield from _check_problems(quiz, key, question, cases)


def _case_problems(question: Question, case: CaseKey) -> Iterator[str]:
    listed = [answer for answer, _ in case.wrong]
    if not question.is_scored:
        if listed:
            yield "a text is not scored: it has no wrong answers"
        return
    for answer in listed:
        if answer in case.accepted:
            yield f"{answer} is listed as wrong, and it is right"
    if len({why for _, why in case.wrong}) < len(listed):
        yield "two wrong answers have the same explanation"
    if question.kind is Kind.CHOICE and set(listed) | set(case.accepted) != set(question.options):
        yield "does not explain every option"


def _check_problems(
    quiz: Quiz, key: Key, question: Question, cases: Sequence[CaseKey]
) -> Iterator[str]:
    """That the key, and the sealed key as students get it, say so of each answer."""
    sealed = SealedKey(quiz, {question.id: _entries(quiz, question, cases)})
    for number, case in enumerate(cases):
        asked = drawn(question, number)
        for checker in (key, sealed):
            for answer in case.accepted:
                if checker.check(asked, answer).mark is not Mark.RIGHT:
                    yield f"{answer} is not accepted in case {number}"
            for answer, why in case.wrong:
                verdict = checker.check(asked, answer)
                if verdict.mark is not Mark.WRONG or verdict.reason != why:
                    yield f"{answer} is not refused with its explanation in case {number}"


def _entries(quiz: Quiz, question: Question, cases: Sequence[CaseKey]) -> Sequence[Sequence[str]]:
    one = Quiz(quiz.lab, (question,))
    found = json.loads(sealed_json(one, {question.id: cases}))["questions"][question.id]
    return [list(entries) for entries in found]


def _mutant_problems(
    workspace: Workspace, lab: Lab, key: Key, question: Question, mutants: Sequence[Mutant]
) -> Iterator[str]:
    """That the code is a piece of the mutant, and the answer a line at which it is wrong."""
    name = key.entry(question).mutant
    if not name:
        if question.kind is Kind.LINE:
            yield "the key does not say of which mutant the code is"
        return
    mutant = next((each for each in mutants if each.name == name), None)
    if mutant is None or mutant.problem:
        yield f"there is no mutant {name} today"
        return
    whole = [line.strip() for line in lines_of(mutant.text)]
    piece = [line.strip() for line in lines_of(question.code)]
    places = [at for at in range(len(whole)) if whole[at : at + len(piece)] == piece]
    if len(places) != 1:
        yield f"its code is {len(places)} times in the mutant {name}, not once"
        return
    solution = read_text(workspace, solution_of(workspace, lab, mutant.rung))
    wrong = _changed_lines(lines_of(solution), lines_of(mutant.text)) | {mutant.line}
    for answer in key.case(question, 0).accepted:
        if places[0] + int(answer) not in wrong:
            shown = sorted(line - places[0] for line in wrong if line)
            yield f"line {answer} is not one that {name} has wrong; these are {shown}"


def _changed_lines(solution: Sequence[str], mutant: Sequence[str]) -> set[int]:
    """Numbers of the mutant's lines that differ, or next to which some are missing."""
    matcher = difflib.SequenceMatcher(None, solution, mutant, autojunk=False)
    found: set[int] = set()
    for kind, _, _, first, end in matcher.get_opcodes():
        if kind == "delete":
            found |= {first, first + 1}
        elif kind != "equal":
            found |= set(range(first + 1, end + 1))
    return found
