# SPDX-License-Identifier: MIT
"""Grades submissions: runs jobs, stores judgements in files, then computes all points.

`--confirm` judges chosen submissions a second time under another mechanism: the other backend where
both work here. Elsewhere it is the same one with another secret seed: other inputs and orders.
"""

import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from lockstep_grader.grading.pool import judge_class, judge_each, result_id
from lockstep_grader.intake.effort import effort_of
from lockstep_grader.intake.submission import Source, Submission
from lockstep_grader.judging.session import Session
from lockstep_grader.machine.progress import stage
from lockstep_grader.model.errors import FaultError, InterruptedRunError
from lockstep_grader.model.grades import (
    Backend,
    Confirmation,
    Judgement,
    Lab,
    LabResult,
    Outcome,
    RungResult,
    SubmissionResult,
)
from lockstep_grader.model.score import compare, score_lab, score_rung
from lockstep_grader.quiz.score import Scorers, shared_seeds
from lockstep_grader.request.job import Job
from lockstep_grader.results.others import of_submission, read_confirmed, write_confirmed
from lockstep_grader.results.store import ResultId, Store

if TYPE_CHECKING:  # one machine alone needs no submitit
    from lockstep_grader.grading.slurm import Cluster


@dataclass(frozen=True, slots=True)
class Graded:
    """A class that has been judged. Judgements lie in files; faults, which do not, are here."""

    submissions: Sequence[Submission]
    session: Session
    store: Store
    faults: Mapping[ResultId, Judgement]
    scorers: Scorers = field(default_factory=dict)
    confirmed: Mapping[ResultId, Confirmation] = field(default_factory=dict)

    def results(self) -> Iterator[SubmissionResult]:
        """The result of every submission, each read when its turn comes: a class may be large."""
        shared = shared_seeds(self.submissions, self.scorers)
        for submission in self.submissions:
            notes = (*submission.notes, *shared.get(submission.id, ()), *_checkpoints(submission))
            labs = tuple(self._scored(submission, lab) for lab in submission.labs)
            yield SubmissionResult(
                submission.id,
                labs,
                submission.student,
                submission.problem,
                notes,
                submission.is_late,
                submission.dispute,
                submission.is_missing,
                submission.handed_in,
                tuple(of_submission(self.confirmed, submission.id)),
            )

    def _scored(self, submission: Submission, lab: Lab) -> LabResult:
        ids = {rung.id: ResultId(submission.id, lab.id, rung.id) for rung in lab.rungs}
        judgements = {rung: self._judgement(result) for rung, result in ids.items()}
        result = score_lab(lab, judgements, self.session.toolchain.backend)
        scorers = self.scorers.get(lab.id, ())
        sheets = {each.quiz.sheet: each.of_submission(submission, lab) for each in scorers}
        return replace(result, sheets=sheets, effort=effort_of(submission, lab))

    def _judgement(self, result: ResultId) -> Judgement:
        if result in self.faults:
            return self.faults[result]
        try:
            return self.store.load(result)
        except FaultError as error:
            return Judgement(fault=str(error))


def _checkpoints(submission: Submission) -> Iterator[str]:
    """A note for each rung that was built on a solution which the course had given out."""
    rungs = [(lab, rung) for lab in submission.labs for rung in lab.rungs]
    for lab, rung in [] if submission.fault else rungs:
        source = submission.read(lab, rung)
        if isinstance(source, Source) and source.checkpoint:
            yield f"{lab.id}/{rung.id} was built on the checkpoint {source.checkpoint}"


def grade(
    submissions: Sequence[Submission],
    session: Session,
    store: Store,
    cluster: "Cluster | None",
    scorers: Scorers,
) -> Graded:
    """Judges what `store` does not hold, here or on `cluster`.

    What the machine fails to judge has a fault in its judgement. Raises InterruptedRunError saying
    how to resume.
    """
    jobs = [
        Job(submission.id, lab, rung, partial(submission.read, lab, rung))
        for submission in submissions
        for lab in submission.labs
        for rung in lab.rungs
    ]
    faults: dict[ResultId, Judgement] = {}
    with stage("judging") as progress:
        try:
            judge = cluster.judge_class if cluster else judge_class
            for job, judgement in judge(jobs, session, store, progress):
                if judgement.fault:
                    faults[result_id(job)] = judgement
        except InterruptedRunError as stop:
            kept = f"they are kept in {store.folder}: the same command goes on from there"
            raise InterruptedRunError(f"{stop}; {kept}") from stop
    return Graded(submissions, session, store, faults, scorers, read_confirmed(store))


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
        for job, judgement in judge_each(jobs, session, progress):
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
