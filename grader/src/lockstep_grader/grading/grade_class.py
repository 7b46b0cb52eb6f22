# SPDX-License-Identifier: MIT
"""`grade`: takes submissions in, has them judged, and writes and prints what came of it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lockstep_grader.grading.grade import Graded, best, confirm, grade, second_backend
from lockstep_grader.intake.archives import Spool
from lockstep_grader.intake.roster import Roster
from lockstep_grader.intake.submission import Submission
from lockstep_grader.intake.take import require_something, take_in
from lockstep_grader.judging.session import Wanted, open_session
from lockstep_grader.machine.console import (
    cause,
    clipped_cell,
    make_console,
    points,
    print_lab,
)
from lockstep_grader.machine.files import require_writable
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.compat import UTC
from lockstep_grader.model.errors import ExitCode, FaultError, InputError
from lockstep_grader.model.grades import Lab, SubmissionResult, tidy
from lockstep_grader.model.text import count_of, one_line
from lockstep_grader.quiz.score import scorers_of
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


def _report(graded: Graded, request: ClassRequest) -> "Summary":
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


def _outcome(graded: Graded, summary: "Summary") -> ExitCode:
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


# ---- what it prints: lab tables for a few submissions, a line each for a class

_DETAILED_SUBMISSIONS = 8  # beyond these, one line per submission
_MAX_LISTED = 20  # problems and faults
_TITLES = (
    _PROBLEMS := "nothing could be taken from",
    _MISSING := "handed in nothing",
    _NOTES := "to note",
    _DISPUTES := "whose work it is is not clear",
    _ANSWERS := "answers that cannot be read",
)
_UNCONFIRMED = "judged a second time, and not confirmed"


@dataclass(frozen=True, slots=True)
class _Row:
    id: str
    name: str
    score: float | None
    max_score: float
    full_rungs: int
    rungs: int
    cause: str
    is_missing: bool


@dataclass(slots=True)
class Summary:
    """Adds up results as they come, and forgets them."""

    console: Console
    class_size: int
    _rows: list[_Row] = field(default_factory=list)
    _lists: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    _confirmed: int = 0
    ungraded: list[str] = field(default_factory=list)  # rungs, with the reason

    @property
    def is_full(self) -> bool:
        return all(row.score == row.max_score for row in self._rows)

    def add(self, result: SubmissionResult) -> None:
        rungs = [rung for lab in result.labs for rung in lab.rungs]
        first = result.problem or next((text for rung in rungs if (text := cause(rung))), "")
        full = sum(rung.score == rung.max_score for rung in rungs)
        row = _Row(
            result.id,
            result.student.name,
            result.score,
            result.max_score,
            full,
            len(rungs),
            one_line(first),
            result.is_missing,
        )
        self._rows.append(row)
        if result.is_missing:
            self._lists[_MISSING].append(result.id)
        elif result.problem:
            self._lists[_PROBLEMS].append(f"{result.id}: {one_line(result.problem)}")
        self._lists[_NOTES] += [f"{result.id}: {one_line(note)}" for note in result.notes]
        self._lists[_ANSWERS] += [
            f"{result.id} {lab.id}: {one_line(quiz.problem)}"
            for lab in result.labs
            for quiz in lab.sheets.values()
            if quiz.problem
        ]
        if result.dispute:
            self._lists[_DISPUTES].append(f"{result.id}: {one_line(result.dispute)}")
        self._confirmed += sum(each.agrees is True for each in result.confirmations)
        self._lists[_UNCONFIRMED] += [
            f"{result.id} {each.line}" for each in result.confirmations if not each.agrees
        ]
        self.ungraded += [
            f"{result.id} {lab.id}/{rung.id}: {rung.judgement.fault}"
            for lab in result.labs
            for rung in lab.rungs
            if rung.score is None
        ]
        if self.class_size <= _DETAILED_SUBMISSIONS:
            self._print_labs(result)

    def finish(self) -> None:
        """Prints what is known only at the end."""
        if self.class_size > _DETAILED_SUBMISSIONS:
            self.console.print(self._table())
            self.console.print(Text(self._totals(), "bold"))
        for title in _TITLES:
            _print_list(self.console, title, self._lists[title])
        if self._confirmed:
            said = f"judged a second time, and confirmed: {count_of(self._confirmed, 'rung')}"
            self.console.print(Text(said))
        _print_list(self.console, _UNCONFIRMED, self._lists[_UNCONFIRMED])
        if self.class_size > _DETAILED_SUBMISSIONS:
            _print_list(self.console, "not graded", list(map(one_line, self.ungraded)))

    def _print_labs(self, result: SubmissionResult) -> None:
        if result.is_missing or result.problem:  # which a list at the end names, once
            total = points(result.score, result.max_score)
            self.console.print(Text(f"{result.id}: {total} points\n", "bold"))
            return
        for lab in result.labs:
            print_lab(self.console, result.id, lab)
        if len(result.labs) > 1:
            total = points(result.score, result.max_score)
            self.console.print(Text(f"{result.id}: {total} points in all", "bold"))

    def _table(self) -> Table:
        table = Table(box=None)
        named = any(row.name and row.name != row.id for row in self._rows)
        table.add_column("submission", no_wrap=True)
        if named:
            table.add_column("name", no_wrap=True)
        table.add_column("points", justify="right", no_wrap=True)
        table.add_column("full rungs", justify="right", no_wrap=True)
        table.add_column("first cause")
        for row in sorted(self._rows, key=lambda row: (row.id.casefold(), row.id)):
            table.add_row(
                Text(row.id),
                *([Text(row.name)] if named else []),
                points(row.score, row.max_score),
                f"{row.full_rungs} of {row.rungs}",
                clipped_cell(row.cause),
            )
        return table

    def _totals(self) -> str:
        there = [row for row in self._rows if not row.is_missing]
        scores = [row.score for row in there if row.score is not None]
        full = sum(row.score == row.max_score for row in there)
        counts = f"{count_of(len(there), 'submission')}, {full} with full marks"
        if missing := len(self._rows) - len(there):
            counts += f"; {count_of(missing, 'student')} handed in nothing"
        if not scores:
            return counts
        figures = f"mean {tidy(mean(scores)):g}, median {tidy(median(scores)):g}"
        return f"{counts}; {figures} of {self._rows[0].max_score:g}"


def _print_list(console: Console, title: str, lines: Sequence[str]) -> None:
    if not lines:
        return
    console.print(Text(f"{title} ({len(lines)}):", "bold"))
    for line in lines[:_MAX_LISTED]:
        console.print(Text(f"  {line}"), soft_wrap=True)
    if len(lines) > _MAX_LISTED:
        console.print(Text(f"  and {len(lines) - _MAX_LISTED} more"))
