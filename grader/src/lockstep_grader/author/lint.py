# SPDX-License-Identifier: MIT
"""Proves that the labs grade what they claim: starters fail, solutions pass, mutants are caught."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lockstep_grader.author.mutants import Mutant, breaches, read_mutants
from lockstep_grader.author.quiz_proofs import prove_quiz
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
from lockstep_grader.model.score import score_rung
from lockstep_grader.model.text import visible
from lockstep_grader.request.job import EVERY_TEST, Awaited, Job
from lockstep_grader.toolchain.nvcc import Phase

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


def lint(
    workspace: Workspace,
    labs: Sequence[Lab],
    session: Session,
    kept: Shelf | None = None,
    every: int = 1,
) -> tuple[Verdict, ...]:
    """Makes every proof of every lab in parallel, except those whose judgement is in `kept`.

    `every`: one mutant of so many is judged. Raises FaultError for a malformed mutant.
    """
    backend = session.toolchain.backend
    mutants = {lab.id: read_mutants(workspace, lab) for lab in labs}
    moved = [
        Verdict(lab.id, "mutant", mutant.name, (mutant.problem,))
        for lab in labs
        for mutant in mutants[lab.id]
        if mutant.problem
    ]
    provable = {
        lab_id: [
            each
            for each in known[::every]
            if not (each.problem or each.obstacle(session.toolchain))
        ]
        for lab_id, known in mutants.items()
    }
    proofs = [proof for lab in labs for proof in _proofs(workspace, lab, provable[lab.id])]
    rungs = [proof.job for proof in proofs if proof.kind != "mutant"]
    accepted = accepted_together(workspace, rungs, session, kept)
    proofs = [_without_nvcc(each) if result_id(each.job) in accepted else each for each in proofs]
    with stage("proving") as progress:
        judgements = judge_all(
            [proof.job for proof in proofs],
            session.judge,
            session.setup.processes,
            max_workers=session.jobs,
            progress=progress,
            store=kept,
        )
    verdicts = [_verdict(proof, judgements[result_id(proof.job)], backend) for proof in proofs]
    skipped = [
        Verdict(lab.id, "mutant", mutant.name, (), obstacle)
        for lab in labs
        for mutant in mutants[lab.id]
        if not mutant.problem and (obstacle := mutant.obstacle(session.toolchain))
    ]
    unfinished = [verdict for lab in labs for verdict in _unfinished(workspace, lab)]
    questions = [
        Verdict(lab.id, "question", name, problems)
        for lab in labs
        for name, problems in prove_quiz(workspace, lab, mutants[lab.id])
    ]
    return (*verdicts, *moved, *skipped, *unfinished, *questions)


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
    for rung in lab.rungs:
        starter = partial(read_source, workspace.labs, lab, rung)
        proof = _proof(
            lab,
            rung,
            "starter",
            rung.id,
            read=starter,
            problems_of=partial(_starter_problems, rung),
        )
        # A starter's host code is in its solution, too, which nvcc compiles as a whole.
        yield replace(proof, job=replace(proof.job, nvcc=Phase.DEVICE))
        solution = partial(read_source, workspace.solutions, lab, rung)
        yield _proof(lab, rung, "solution", rung.id, read=solution, problems_of=_solution_problems)
    for file in sorted((workspace.solutions / lab.id / "beyond").glob("*.cu")):
        try:
            rung = find_rung(lab, file.stem.split("_")[0])
        except InputError as error:
            shown = workspace.shown(file)
            raise InputError(f"{shown}: begin its name with a rung's number: {error}") from error
        beyond = partial(_source_beyond, file, rung)
        yield _proof(
            lab, rung, "solution", f"beyond-{file.stem}", read=beyond, problems_of=_beyond_problems
        )
    for mutant in mutants:
        name = mutant.name
        source, problems = partial(_source_of, mutant), partial(breaches, mutant)
        proof = _proof(
            lab,
            mutant.rung,
            "mutant",
            name,
            read=source,
            problems_of=problems,
            awaited=mutant.awaited,
        )
        # For the other mutants, of which there are many, nvcc reports nothing.
        phase = Phase.ERRORS if mutant.is_of_the_language else None
        yield replace(proof, job=replace(proof.job, nvcc=phase))


def _proof(
    lab: Lab,
    rung: Rung,
    kind: str,
    name: str,
    *,
    read: Callable[[], Source | Finding],
    problems_of: Callable[[RungResult], list[str]],
    awaited: Awaited = EVERY_TEST,
) -> _Proof:
    return _Proof(
        Job(f"{kind} {name}", lab, rung, read, awaited, Phase.ERRORS), kind, name, problems_of
    )


def _without_nvcc(proof: _Proof) -> _Proof:
    return replace(proof, job=replace(proof.job, nvcc=None))


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
        if proof.kind != "mutant":
            problems += _warnings(judgement)
    return Verdict(proof.job.lab.id, proof.kind, proof.name, tuple(problems))


def _warnings(judgement: Judgement) -> list[str]:
    return [f"a warning at line {each.line}: {each.message}" for each in judgement.warnings]


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
    groups = dict.fromkeys((verdict.lab, verdict.kind) for verdict in verdicts)
    for group in groups:
        members = [verdict for verdict in verdicts if (verdict.lab, verdict.kind) == group]
        counts = Counter(_state(verdict) for verdict in members)
        breached = Text(str(counts["breached"]), "red" if counts["breached"] else "")
        table.add_row(
            group[0], f"{group[1]}s", str(counts["proved"]), breached, str(counts["skipped"])
        )
    console.print(table)
    for verdict in verdicts:
        for problem in verdict.problems:
            line = f"{verdict.lab} {verdict.kind} {verdict.name}: {visible(problem)}"
            console.print(Text(line, "red"))
        if verdict.skipped:
            line = f"{verdict.lab} {verdict.kind} {verdict.name}: skipped, {verdict.skipped}"
            console.print(Text(line, "dim"))


def _state(verdict: Verdict) -> str:
    return "breached" if verdict.problems else "skipped" if verdict.skipped else "proved"
