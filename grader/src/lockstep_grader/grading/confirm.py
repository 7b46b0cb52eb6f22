# SPDX-License-Identifier: MIT
"""`grade --confirm`: judges chosen submissions a second time under another mechanism.

That is the other backend where both work here: another emulator, compiler and checker. Elsewhere it
is the same backend with another secret seed: other inputs, sizes and orders of execution.
"""

import secrets
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial

from lockstep_grader.grading.grade import Graded
from lockstep_grader.grading.pool import judge_each, result_id
from lockstep_grader.intake.submission import Submission
from lockstep_grader.judging.session import Session
from lockstep_grader.machine.progress import stage
from lockstep_grader.model.grades import Backend, Outcome, RungResult, SubmissionResult
from lockstep_grader.model.score import compare, score_rung
from lockstep_grader.request.job import Job
from lockstep_grader.results.others import read_confirmed, write_confirmed
from lockstep_grader.results.store import ResultId


def second_backend(first: Backend, here: Backend) -> Backend:
    """`here` is the best backend of this machine; the emulator works on every one."""
    return here if first is Backend.CPU else Backend.CPU


def best(results: Sequence[SubmissionResult], count: int) -> frozenset[str]:
    """The ids of the `count` best submissions; among equals a secret draw decides."""
    there = [each for each in results if each.score]
    secrets.SystemRandom().shuffle(there)
    there.sort(key=lambda each: -(each.score or 0.0))
    return frozenset(each.id for each in there[:count])


def confirm(graded: Graded, session: Session, chosen: Collection[str]) -> Graded:
    """`graded` with second judgements of the rungs that earned points in the `chosen` submissions.

    What was confirmed before is not judged again. `session` is of the second mechanism.
    """
    backends = (graded.session.judge.backend, session.judge.backend)
    confirmed = dict(read_confirmed(graded.store))
    firsts = {
        ResultId(each.id, lab.id, rung.id): rung
        for each in graded.results()
        if each.id in chosen
        for lab in each.labs
        for rung in lab.rungs
        if rung.score and rung.outcome is not Outcome.SKIPPED
    }
    wanted = {
        result: rung
        for result, rung in firsts.items()
        if result not in confirmed or confirmed[result].agrees is None
    }
    jobs = list(_jobs(graded.submissions, wanted))
    with stage("confirming") as progress:
        judged = judge_each(
            jobs,
            session.judge,
            session.setup.processes,
            max_workers=session.jobs,
            progress=progress,
        )
        for job, judgement in judged:
            second = score_rung(job.rung, judgement, backends[1])
            first: RungResult = wanted[result_id(job)]
            confirmed[result_id(job)] = compare(job.lab.id, first, second, backends)
            write_confirmed(graded.store, confirmed)  # a run that is killed goes on from here
    return replace(graded, confirmed=confirmed)


def _jobs(submissions: Sequence[Submission], wanted: Collection[ResultId]) -> Iterator[Job]:
    for submission in submissions:
        for lab in submission.labs:
            for rung in lab.rungs:
                if ResultId(submission.id, lab.id, rung.id) in wanted:
                    yield Job(submission.id, lab, rung, partial(submission.read, lab, rung))
