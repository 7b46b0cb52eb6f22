# SPDX-License-Identifier: MIT
"""Proves that the labs grade what they claim: starters fail, solutions pass, mutants are caught.

Of a quiz it proves every question in every case; of predictions, that each rung with a budget has
some, and that they explain themselves.
"""

import difflib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lockstep_grader.author.edits import lines_of
from lockstep_grader.author.mutants import Mutant, breaches, read_mutants, read_text, solution_of
from lockstep_grader.author.together import accepted_together
from lockstep_grader.grading.pool import Shelf, judge_all, result_id
from lockstep_grader.intake.catalog import find_rung
from lockstep_grader.intake.submission import Source, read_file, read_source
from lockstep_grader.judging.session import Session
from lockstep_grader.machine.progress import stage
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import InputError
from lockstep_grader.model.grades import (
    Backend,
    Finding,
    FindingKind,
    Judgement,
    Lab,
    Outcome,
    Part,
    Rung,
    RungResult,
)
from lockstep_grader.model.quiz import CaseKey, Kind, Mark, Prediction, Question, Quiz, drawn
from lockstep_grader.model.score import score_rung
from lockstep_grader.model.text import visible
from lockstep_grader.quiz.file import quiz_file, read_quiz
from lockstep_grader.quiz.key import Key, read_key
from lockstep_grader.quiz.predict import predict_file, read_predictions
from lockstep_grader.quiz.score import SealedKey, sealed_json
from lockstep_grader.request.job import EVERY_TEST, Job
from lockstep_grader.toolchain.nvcc import Phase

_LEAST_LETTERS = 20  # of a reason: "no" is none
_PREDICTIONS = range(3, 7)  # of a rung, besides the order of the ladder


def prove_quiz(
    workspace: Workspace, lab: Lab, mutants: Sequence[Mutant]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each question, with its problems."""
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
    """Each rung that has a budget, with the problems of its predictions."""
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
    count = sum(each.kind is not Kind.ORDER and each.points > 0 for each in asked)
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
    """Where the key, or the sealed key that students get, judges an answer otherwise."""
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


_MIN_HINTS = 2
# The mark that `new` leaves for the author; a plain TODO is for a student.
_AUTHORS_MARK = re.compile(r"TODO\(author\)[ \t]*([^\n\"]*)")
_TEXT_SUFFIXES = frozenset({".cpp", ".cu", ".cuh", ".edit", ".h", ".md", ".toml"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """One proof and its problems; without any, it holds."""

    lab: str
    kind: str  # starter, solution, mutant or question; file: one that is not finished
    name: str
    problems: tuple[str, ...]
    skipped: str = ""  # why it could not be tried here


@dataclass(frozen=True, slots=True)
class _Proof:
    job: Job
    kind: str
    name: str
    problems_of: Callable[[RungResult], list[str]]


@dataclass(frozen=True, slots=True)
class Sample:
    """One mutant of so many is judged, one starter of so many, and by nvcc the rungs of one lab."""

    mutants: int = 1
    starters: int = 1
    nvcc: int = 1


WHOLE = Sample()


def lint(
    workspace: Workspace,
    labs: Sequence[Lab],
    session: Session,
    kept: Shelf | None = None,
    sample: Sample = WHOLE,
) -> tuple[Verdict, ...]:
    """Makes every proof of every lab in parallel, except those whose judgement is in `kept`.

    Raises FaultError for a malformed mutant.
    """
    backend = session.toolchain.backend
    mutants = {lab.id: read_mutants(workspace, lab) for lab in labs}
    provable: dict[str, list[Mutant]] = {lab.id: [] for lab in labs}
    untried = []
    for lab in labs:
        for number, mutant in enumerate(mutants[lab.id]):
            problems = (mutant.problem,) if mutant.problem else ()
            obstacle = "" if problems else mutant.obstacle(session.toolchain)
            if problems or obstacle:
                untried.append(Verdict(lab.id, "mutant", mutant.name, problems, obstacle))
            elif number % sample.mutants == 0:
                provable[lab.id].append(mutant)
    proofs = [proof for lab in labs for proof in _proofs(workspace, lab, provable[lab.id])]
    starters = [proof for proof in proofs if proof.kind == "starter"]
    others = [proof for proof in proofs if proof.kind != "starter"]
    proofs = [*starters[:: sample.starters], *others]
    rungs = [proof.job for proof in proofs if proof.kind != "mutant"]
    compiled = {lab.id for lab in labs[:: sample.nvcc]}
    chosen = [job for job in rungs if job.lab.id in compiled]
    clang_alone = {result_id(job) for job in rungs if job.lab.id not in compiled}
    clang_alone |= accepted_together(workspace, chosen, session, kept)
    proofs = [
        replace(each, job=replace(each.job, nvcc=None))
        if result_id(each.job) in clang_alone
        else each
        for each in proofs
    ]
    with stage("proving") as progress:
        judgements = judge_all([proof.job for proof in proofs], session, progress, store=kept)
    verdicts = [_verdict(proof, judgements[result_id(proof.job)], backend) for proof in proofs]
    unfinished = [verdict for lab in labs for verdict in _unfinished(workspace, lab)]
    questions = [
        Verdict(lab.id, "question", name, problems)
        for lab in labs
        for name, problems in (
            *prove_quiz(workspace, lab, mutants[lab.id]),
            *prove_predictions(workspace, lab),
        )
    ]
    return (*verdicts, *untried, *unfinished, *questions)


def _unfinished(workspace: Workspace, lab: Lab) -> Iterator[Verdict]:
    """A breach for each file of the lab in which `TODO(author)` still stands."""
    for folder in (workspace.labs / lab.id, workspace.solutions / lab.id):
        for file in sorted(folder.rglob("*")):
            if file.suffix not in _TEXT_SUFFIXES or not file.is_file():
                continue
            text = file.read_text("utf-8", "replace")
            problems = [
                f"line {text.count(chr(10), 0, mark.start()) + 1} is not written yet: {mark[1]}"
                for mark in _AUTHORS_MARK.finditer(text)
            ]
            if problems:
                yield Verdict(lab.id, "file", workspace.shown(file), tuple(problems))


def _proofs(workspace: Workspace, lab: Lab, mutants: Sequence[Mutant]) -> Iterator[_Proof]:
    def job(name: str, rung: Rung, read: Callable[[], Source | Finding]) -> Job:
        return Job(name, lab, rung, read, EVERY_TEST, Phase.ERRORS)

    for rung in lab.rungs:
        starter = job(f"starter {rung.id}", rung, partial(read_source, workspace.labs, lab, rung))
        # A starter's host code is in its solution, too, which nvcc compiles as a whole.
        starter = replace(starter, nvcc=Phase.DEVICE)
        yield _Proof(starter, "starter", rung.id, partial(_starter_problems, rung))
        read = partial(read_source, workspace.solutions, lab, rung)
        solution = job(f"solution {rung.id}", rung, read)
        yield _Proof(solution, "solution", rung.id, _solution_problems)
    for file in sorted((workspace.solutions / lab.id / "beyond").glob("*.cu")):
        try:
            rung = find_rung(lab, file.stem.split("_")[0])
        except InputError as error:
            shown = workspace.shown(file)
            raise InputError(f"{shown}: begin its name with a rung's number: {error}") from error
        name = f"beyond-{file.stem}"
        beyond = job(f"solution {name}", rung, partial(_source_beyond, file, rung))
        yield _Proof(beyond, "solution", name, _beyond_problems)
    for mutant in mutants:
        caught = job(f"mutant {mutant.name}", mutant.rung, partial(_source_of, mutant))
        # For the other mutants, of which there are many, nvcc reports nothing.
        phase = Phase.ERRORS if mutant.is_of_the_language else None
        caught = replace(caught, awaited=mutant.awaited, nvcc=phase)
        yield _Proof(caught, "mutant", mutant.name, partial(breaches, mutant))


def _source_beyond(file: Path, rung: Rung) -> Source | Finding:
    """A solution beyond the ladder. Its name begins with the number of the rung that it solves."""
    source = read_file(file)
    return replace(source, file_name=rung.file_name) if isinstance(source, Source) else source


def _source_of(mutant: Mutant) -> Source:
    return mutant.source


def _verdict(proof: _Proof, judgement: Judgement, backend: Backend) -> Verdict:
    result = score_rung(proof.job.rung, judgement, backend)
    if result.outcome is Outcome.ERROR:
        problems = [f"could not be judged: {result.judgement.fault}"]
    else:
        problems = proof.problems_of(result) + _todo_problems(proof)
        said = judgement.warnings if proof.kind != "mutant" else ()
        problems += [f"a warning at line {each.line}: {each.message}" for each in said]
    return Verdict(proof.job.lab.id, proof.kind, proof.name, tuple(problems))


def _todo_problems(proof: _Proof) -> list[str]:
    source = proof.job.read()
    if isinstance(source, Finding):
        return [source.message]
    has_todo = b"TODO" in source.data
    if proof.kind == "starter":
        return [] if has_todo else ["has no TODO"]
    return ["still has a TODO"] if has_todo else []


def _starter_problems(rung: Rung, result: RungResult) -> list[str]:
    problems = []
    kinds = [finding.kind for finding in result.findings]
    if result.outcome is not Outcome.FAILED or FindingKind.TODO not in kinds:
        found = ", ".join(kinds) or "no finding"
        problems.append(f"must fail with todo, but was {result.outcome} with {found}")
    if result.score:
        problems.append(f"earns {result.score:g} points")
    if len(rung.hints) < _MIN_HINTS:
        problems.append(f"has {len(rung.hints)} hints, fewer than {_MIN_HINTS}")
    return problems


def _solution_problems(result: RungResult) -> list[str]:
    if result.outcome in (Outcome.PASSED, Outcome.NOISY) and result.score == result.max_score:
        return []
    return [_shortfall(result)]


def _beyond_problems(result: RungResult) -> list[str]:
    """It must be correct and clean. The budgets do not apply: they fit the rung's own technique."""
    parts = [result.parts[part] for part in (Part.CORRECTNESS, Part.CLEANLINESS)]
    return [] if all(part.score == part.max_score for part in parts) else [_shortfall(result)]


def _shortfall(result: RungResult) -> str:
    causes = "; ".join(item.said for item in result.findings[:2])
    return f"earns {result.score:g} of {result.max_score:g} points: {causes}"


def print_verdicts(console: Console, verdicts: Sequence[Verdict]) -> None:
    """A row per lab and kind of proof, then one line per breach and per skipped proof."""
    table = Table(box=None)
    for name in ("lab", "what", "proved", "breached", "skipped"):
        table.add_column(name, justify="left" if name in ("lab", "what") else "right")
    counts: dict[tuple[str, str], Counter[str]] = {}
    for verdict in verdicts:
        counts.setdefault((verdict.lab, verdict.kind), Counter())[_state(verdict)] += 1
    for (lab, kind), count in counts.items():
        breached = Text(str(count["breached"]), "red" if count["breached"] else "")
        table.add_row(lab, f"{kind}s", str(count["proved"]), breached, str(count["skipped"]))
    console.print(table)
    for verdict in verdicts:
        name = f"{verdict.lab} {verdict.kind} {verdict.name}"
        for problem in verdict.problems:
            console.print(Text(f"{name}: {visible(problem)}", "red"))
        if verdict.skipped:
            console.print(Text(f"{name}: skipped, {verdict.skipped}", "dim"))


def _state(verdict: Verdict) -> str:
    return "breached" if verdict.problems else "skipped" if verdict.skipped else "proved"
