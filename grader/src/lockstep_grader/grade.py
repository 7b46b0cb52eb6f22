# SPDX-License-Identifier: MIT
"""Grades submissions: jobs out, judgements in, points at the end."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from lockstep_grader.errors import InterruptedRunError
from lockstep_grader.executors import Executor
from lockstep_grader.model import Judgement, SubmissionResult
from lockstep_grader.pool import result_id
from lockstep_grader.progress import stage
from lockstep_grader.rung_judge import Job
from lockstep_grader.score import score_lab
from lockstep_grader.session import Session
from lockstep_grader.store import ResultId, Store
from lockstep_grader.submission import Submission, read_source


def grade(
    submissions: Sequence[Submission], session: Session, store: Store, executor: Executor
) -> tuple[SubmissionResult, ...]:
    """The result of every submission. Raises InterruptedRunError saying how to resume."""
    jobs = [
        Job(submission.id, lab, rung, partial(read_source, submission.folder, lab, rung))
        for submission in submissions
        for lab in submission.labs
        for rung in lab.rungs
    ]
    with stage("judging") as progress:
        try:
            judged = executor.run(jobs, session, store, progress)
            judgements = {result_id(job): judgement for job, judgement in judged}
        except InterruptedRunError as stop:
            raise InterruptedRunError(f"{stop}; {_how_to_resume(store.folder)}") from stop
    return tuple(_scored(submission, judgements, session) for submission in submissions)


def ungraded(results: Iterable[SubmissionResult]) -> list[str]:
    """The rungs that the grader or the machine failed to grade, with the reason."""
    return [
        f"{submission.id} {lab.id}/{rung.id}: {rung.judgement.fault}"
        for submission in results
        for lab in submission.labs
        for rung in lab.rungs
        if rung.score is None
    ]


def _scored(
    submission: Submission, judgements: Mapping[ResultId, Judgement], session: Session
) -> SubmissionResult:
    labs = []
    for lab in submission.labs:
        of_lab = {
            rung.id: judgements[ResultId(submission.id, lab.id, rung.id)] for rung in lab.rungs
        }
        labs.append(score_lab(lab, of_lab, session.toolchain.backend))
    return SubmissionResult(submission.id, tuple(labs))


def _how_to_resume(folder: Path) -> str:
    return f"they are kept in {folder}: the same command with --results {folder} goes on from there"
