# SPDX-License-Identifier: MIT
"""`check`: judges a student's own files and explains what it found."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.text import Text

from lockstep_grader.console import points
from lockstep_grader.explain import print_rung
from lockstep_grader.model import Lab, LabResult, Rung
from lockstep_grader.pool import judge_all
from lockstep_grader.progress import stage
from lockstep_grader.rung_judge import Job
from lockstep_grader.score import score_lab
from lockstep_grader.session import Session
from lockstep_grader.store import ResultId, keep_images
from lockstep_grader.submission import read_source


def check(
    console: Console,
    session: Session,
    folder: Path,
    lab: Lab,
    rungs: Sequence[Rung],
    results: Path,
) -> LabResult:
    """Judges the `rungs` of `lab` under `folder` and prints what a student needs to know.

    Pictures that the tests make go to the folder `results`. A rung that one of the `rungs`
    requires is not judged here: each is explained on its own.
    """
    backend = session.toolchain.backend
    sources = {rung.id: read_source(folder, lab, rung) for rung in rungs}
    jobs = [Job("check", lab, rung, partial(sources.__getitem__, rung.id)) for rung in rungs]
    with stage("checking") as progress:
        judgements = judge_all(
            jobs, session.judge, session.processes, max_workers=session.jobs, progress=progress
        )
    result = score_lab(
        lab,
        {job.rung.id: judgements[ResultId("check", lab.id, job.rung.id)] for job in jobs},
        backend,
    )
    for job, rung_result in zip(jobs, result.rungs, strict=True):
        print_rung(console, lab.id, job.rung, rung_result, sources[job.rung.id], backend)
        for picture in keep_images(results / "check" / lab.id, rung_result.judgement):
            console.print(Text(f"  a picture to look at: {picture}", "dim"))
    if len(jobs) > 1:
        total = points(result.score, result.max_score)
        console.print(Text(f"\n{lab.id}: {total} points on {backend}", "bold"))
    return result
