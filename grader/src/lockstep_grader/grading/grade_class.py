# SPDX-License-Identifier: MIT
"""`grade`: takes submissions in, has them judged, and writes and prints what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep_grader.grading.grade import Graded, best, confirm, grade, second_backend
from lockstep_grader.intake.archives import Spool
from lockstep_grader.intake.roster import Roster
from lockstep_grader.intake.submission import Submission
from lockstep_grader.intake.take import require_something, take_in
from lockstep_grader.judging.session import Wanted, open_session
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.files import require_writable
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.compat import UTC
from lockstep_grader.model.errors import ExitCode, FaultError, InputError
from lockstep_grader.model.grades import Lab
from lockstep_grader.quiz.score import scorers_of
from lockstep_grader.results.class_table import Summary
from lockstep_grader.results.folder import results_folder, spool_in
from lockstep_grader.results.regrade import (
    Regrade,
    forget_done,
    new_requests,
    open_store,
    requests_done,
    whose,
)
from lockstep_grader.results.serial import copy_report, report_file, report_head
from lockstep_grader.toolchain.system import detect_backend

if TYPE_CHECKING:
    from lockstep_grader.grading.slurm import Cluster

REPORT = "grade.json"  # in the results folder


@dataclass(frozen=True, slots=True)
class ClassRequest:
    """What the command line asks for."""

    path: Path
    only: Sequence[Lab]  # none: all
    roster: Roster
    regrade: Regrade
    results: Path
    json: Path | None
    confirm: int = 0  # how many of the best are judged a second time
    confirm_students: tuple[str, ...] = ()  # and these


def grade_class(
    request: ClassRequest,
    workspace: Workspace,
    labs: Sequence[Lab],
    wanted: Wanted,
    cluster: "Cluster | None" = None,
) -> ExitCode:
    """Grades what `request` names. Raises FaultError when some of it could not be graded.

    Other people's code needs a sandbox where it runs, which may be a node of `cluster`.
    """
    require_something(request.path)
    if request.results.resolve().is_relative_to(request.path.resolve()):
        raise InputError(
            f"the results folder {request.results} is inside {request.path}, where it would be "
            "graded as a submission; choose another with --results"
        )
    if request.json:
        require_writable(request.json)
    scorers = scorers_of(workspace, request.only or labs)
    with results_folder(request.results, say):
        with spool_in(request.results) as spool:
            taken = _taken(request, labs, spool)
            requests = new_requests(request.results, taken, say)
            regrade = replace(request.regrade, requests=requests)
            again = regrade.chosen(taken, labs)
            graded_labs = {lab.id for each in taken for lab in each.labs}
            wanted = replace(wanted, labs=sorted(graded_labs))
            here = replace(wanted, confined=False) if cluster else wanted
            session = open_session(workspace, here)
            if why := session.toolchain.nvcc.get("missing"):
                say(f"rungs are not compiled with nvcc, so what only nvcc refuses may pass: {why}")
            handed_in = {each.id: each.handed_in for each in taken}
            store = open_store(request.results, regrade, again, handed_in)
            graded = grade(taken, session, store, cluster, scorers)
            if request.confirm or request.confirm_students:
                graded = _confirmed(request, graded, workspace, wanted)
            summary = _report(graded, request)
        for each in requests:
            how = " again" if store.is_again(each.result) else ""
            say(f"{each.result} was judged{how}, as its student asks: {each.reason}")
        requests_done(request.results, requests)
        forget_done(graded.store)  # last: only now is the request fulfilled
    return _outcome(graded, summary)


def _taken(request: ClassRequest, labs: Sequence[Lab], spool: Spool) -> Sequence[Submission]:
    taken = take_in(request.path, labs, request.only, request.roster, spool)
    for warning in taken.warnings:
        say(warning)
    return taken.submissions


def _confirmed(
    request: ClassRequest, graded: Graded, workspace: Workspace, wanted: Wanted
) -> Graded:
    """On the other backend where it works, and always under a secret seed."""
    chosen = whose(request.confirm_students, graded.submissions, "--confirm-student")
    if request.confirm:
        chosen |= best(list(graded.results()), request.confirm)
    other = second_backend(graded.session.setup.backend, detect_backend())
    session = open_session(workspace, replace(wanted, backend=other, seed=None))
    return confirm(graded, session, chosen)


def _report(graded: Graded, request: ClassRequest) -> Summary:
    """Writes grade.json and prints the summary, holding one submission's results at a time."""
    summary = Summary(make_console(), len(graded.submissions))
    file = request.results / REPORT
    session = graded.session
    head = report_head(session.toolchain, session.setup.seed, datetime.now(UTC))
    with report_file(file, head) as add:
        for result in graded.results():
            add(result)
            summary.add(result)
    if request.json:
        copy_report(file, request.json)
    summary.finish()
    return summary


def _outcome(graded: Graded, summary: Summary) -> ExitCode:
    store = graded.store
    if store.reused:
        rungs = sum(len(lab.rungs) for item in graded.submissions for lab in item.labs)
        say(
            f"{store.reused} of {rungs} rungs were judged before, with the same content and tools: "
            f"their results are from {store.folder} (--regrade all judges again)"
        )
    if store.shared:
        these = "1 rung equals" if store.shared == 1 else f"{store.shared} rungs equal"
        say(f"{these} another submission's file; equal files are judged once, for all of them")
    if faults := summary.ungraded:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise FaultError(f"not graded: {faults[0]}{more}")
    if store.standing:
        result, fault = next(iter(store.standing.items()))
        more = f" (and {len(store.standing) - 1} more)" if len(store.standing) > 1 else ""
        raise FaultError(f"not judged again, so the earlier score stands: {result}: {fault}{more}")
    return ExitCode.FULL_MARKS if summary.is_full else ExitCode.SHORT_OF_FULL_MARKS
