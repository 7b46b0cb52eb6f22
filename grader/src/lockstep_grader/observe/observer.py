# SPDX-License-Identifier: MIT
"""Lets the lab's judge try one rung, on the cpu backend or on a GPU, and checkers after it."""

import hashlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import (
    WRONG,
    Backend,
    FindingKind,
    Judgement,
    Part,
    TestResult,
)
from lockstep_grader.observe.cleanliness import may_be_of_a_busy_gpu, sanitize
from lockstep_grader.observe.judge import Stage, StandingJudges, Trial, Workers, run_judge
from lockstep_grader.request.job import Job, LabSetup, Setup

# A checker would be useless: the rung does not end, is not written yet, or attacks.
_HOPELESS = frozenset(
    {FindingKind.TODO, FindingKind.TIMEOUT, FindingKind.DEADLOCK, FindingKind.FORBIDDEN}
)


class Observer:
    """Observes the workers of one session; safe to use from several threads."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        on_gpu = setup.backend is Backend.CUDA
        self._standing = StandingJudges(setup.processes) if on_gpu else None

    def observe(self, job: Job, lab: LabSetup, workers: Workers, work: Path) -> Judgement:
        """The tests of a rung, and their seed; `work` is the folder that it was built in.

        Raises FaultError when a judge or a checker fails.
        """
        trial = Trial(
            lab.tools.judge,
            job.rung.id,
            workers,
            work,
            self._setup.seed,
            options=tuple(job.awaited.arguments()),
            shards=job.shards,
            is_background=self._setup.is_background,
        )
        if self._setup.backend is Backend.CUDA:
            return self._on_gpu(trial, lab, job.rung.file_name)
        return self._judged(trial)

    def _on_gpu(self, trial: Trial, lab: LabSetup, file_name: str) -> Judgement:
        """Tests while others use the GPU, too. A measurement needs it alone."""
        setup = self._setup
        whole = replace(trial, shards=1, standing=self._standing)

        def on(gpu: str) -> Trial:
            return replace(whole, workers=_on(gpu, whole.workers, lab))

        tested = None
        with setup.gpus.checking() as gpu, suppress(FaultError):
            tested = self._judged(replace(on(gpu), stage=Stage.ALL_BUT_MEASUREMENTS))
        if tested is None or any(map(may_be_of_a_busy_gpu, tested.tests)):
            with setup.gpus.measuring() as gpu:
                tested = self._judged(on(gpu))
        else:
            tested = self._measured(tested, on)
        if _is_hopeless(tested.tests):
            return tested
        again = replace(whole, seed=_number(tested.seed), options=())
        checked = sanitize(setup, again, file_name, tested)
        return replace(tested, tests=(*tested.tests, *checked))

    def _measured(self, tested: Judgement, on: Callable[[str], Trial]) -> Judgement:
        """`tested` with its measurements, if its results are right."""
        to_measure = [test.name for test in tested.tests if test.part is Part.EFFICIENCY]
        if not to_measure or any(test.outcome in WRONG for test in tested.tests):
            return tested
        with self._setup.gpus.measuring() as gpu:
            trial = replace(on(gpu), stage=Stage.MEASUREMENTS, seed=_number(tested.seed))
            measured = self._judged(trial)
        others = [test for test in tested.tests if test.name not in to_measure]
        return replace(tested, tests=(*others, *measured.tests))

    def _judged(self, trial: Trial) -> Judgement:
        tests, used_seed = run_judge(trial, self._setup.processes)
        notes = dict.fromkeys(note for test in tests for note in test.notes)
        return Judgement(tests=tests, seed=used_seed, warnings=tuple(notes))


def _on(gpu: str, workers: Workers, lab: LabSetup) -> Workers:
    """`workers` on this GPU. Once per run and GPU a judge times the lab's first rung there."""
    sandbox = tuple(lab.confinement.running(workers.submission, gpu=gpu))
    times = workers.first_times
    if times:
        times = times / f"first-times-{hashlib.sha256(gpu.encode()).hexdigest()[:16]}"
    return replace(workers, gpu=gpu, sandbox=sandbox, first_times=times)


def _number(seed: str) -> int | None:
    return int(seed) if seed.isdigit() else None


def _is_hopeless(tests: Iterable[TestResult]) -> bool:
    return any(finding.kind in _HOPELESS for test in tests for finding in test.findings)
