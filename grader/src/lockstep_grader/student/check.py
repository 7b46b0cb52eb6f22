# SPDX-License-Identifier: MIT
"""`check`: judges a student's own files and explains what it found; `watch`: on every save."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.text import Text

from lockstep_grader.grading.pool import judge_all
from lockstep_grader.intake.submission import Source, read_source
from lockstep_grader.judging.session import Session
from lockstep_grader.machine.console import points
from lockstep_grader.machine.process import interruption
from lockstep_grader.machine.progress import stage
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InterruptedRunError, LockstepError
from lockstep_grader.model.grades import (
    Backend,
    CompilerWarning,
    Finding,
    FindingKind,
    Judgement,
    Lab,
    LabResult,
    Outcome,
    Rung,
    RungResult,
    TestResult,
)
from lockstep_grader.model.measures import COMPILER_MEASURES
from lockstep_grader.model.score import fault_of, score_lab
from lockstep_grader.request.job import Job
from lockstep_grader.results.store import ResultId, keep_images
from lockstep_grader.student.explain import print_rung, print_warnings, problem_lines
from lockstep_grader.toolchain.nvcc import Phase
from lockstep_grader.words.account import account_of

_UNTIL_FIRST_MS = 100  # by then saves are noticed, and the first round may begin
# Of these no launch shows anything.
_NOT_OF_A_LAUNCH = frozenset(
    {
        FindingKind.COMPILE_ERROR,
        FindingKind.FORBIDDEN,
        FindingKind.TODO,
        FindingKind.BUDGET,
        FindingKind.SLOW,
    }
)


@dataclass(frozen=True, slots=True)
class Checked:
    """The judged rungs of one lab, and what to show about them."""

    folder: Path  # of lab folders, from which the rungs were taken
    lab: Lab
    rungs: Sequence[Rung]
    sources: Mapping[str, Source | Finding]
    result: LabResult
    backend: Backend
    not_compiled: str = ""  # why nvcc was not asked
    named: str = ""  # what --from named, if it did


def check(
    session: Session,
    folder: Path,
    lab: Lab,
    rungs: Sequence[Rung],
    *,
    tell: Callable[[Checked], None] | None = None,
    named: str = "",
) -> Checked:
    """Judges the `rungs` of `lab` under `folder`.

    A rung that one of the `rungs` requires is not judged here: each is explained on its own.
    `tell` gets the verdict on a single rung before nvcc is asked; it may refuse the rung all the
    same. `named` is what --from named.
    """
    backend, missing = session.toolchain.backend, session.toolchain.nvcc.get("missing", "")
    sources = {rung.id: read_source(folder, lab, rung) for rung in rungs}
    shards = max(1, session.jobs // len(rungs))  # judges for each, so that no core is idle

    def checked(judgements: Mapping[str, Judgement]) -> Checked:
        result = score_lab(lab, judgements, backend)
        return Checked(folder, lab, rungs, sources, result, backend, missing, named)

    def tell_early(judgement: Judgement) -> None:
        if tell and not fault_of(rungs[0], judgement, backend):
            tell(checked({rungs[0].id: judgement}))

    needs_nvcc = any(gate.name in COMPILER_MEASURES for rung in rungs for gate in rung.budget)
    may_tell = tell and len(rungs) == 1 and backend is Backend.CPU and not needs_nvcc
    jobs = [
        Job(
            "check",
            lab,
            rung,
            partial(sources.__getitem__, rung.id),
            nvcc=Phase.ERRORS,
            shards=shards,
            tell=tell_early if may_tell else None,
        )
        for rung in rungs
    ]
    with stage("checking") as progress:
        judgements = judge_all(jobs, session, progress)
    return checked({rung.id: judgements[ResultId("check", lab.id, rung.id)] for rung in rungs})


def _next_command(lab: Lab, rung: Rung) -> str:
    """The next step of a student whose `rung` has passed."""
    ids = [each.id for each in lab.rungs]
    following = ids[ids.index(rung.id) + 1 :]
    return f"./lab check {lab.id}/{following[0]}" if following else f"./lab submit {lab.id}"


def show(
    console: Console,
    workspace: Workspace,
    checked: Checked,
    problems: bool = False,
    everything: bool = False,
) -> None:
    """Prints what a student needs to know; with `problems`, lines for an editor as well.

    With `everything`, each finding and each failed test.

    Pictures that the tests make go to the folder of results.
    """
    lab, result = checked.lab, checked.result
    for rung, rung_result in zip(checked.rungs, result.rungs, strict=True):
        print_rung(
            console,
            lab.id,
            rung,
            rung_result,
            checked.sources[rung.id],
            backend=checked.backend,
            everything=everything,
            is_one_of_many=len(checked.rungs) > 1,
            following=_next_command(lab, rung) if len(checked.rungs) == 1 else "",
        )
        replay = replay_command(f"{lab.id}/{rung.id}", rung_result, checked.named)
        if replay and checked.backend is Backend.CPU:
            console.print(Text(f"  replay it: {replay}", "dim"), soft_wrap=True)
        for picture in keep_images(workspace.results / "check" / lab.id, rung_result.judgement):
            console.print(Text(f"  a picture to look at: {picture}", "dim"))
        if problems:
            folder = checked.folder.resolve()
            for line in problem_lines(workspace.root, folder, lab, rung, rung_result):
                console.print(Text(line, "dim"), soft_wrap=True)
    if checked.not_compiled:
        console.print(Text(f"not compiled with nvcc: {checked.not_compiled}", "dim"))
    if len(result.rungs) > 1:
        total = points(result.score, result.max_score)
        console.print(Text(f"\n{lab.id}: {total} points on {checked.backend}", "bold"))


class Shown:
    """What a person has seen of a check: the verdict first, then what nvcc adds to it."""

    def __init__(
        self, console: Console, workspace: Workspace, problems: bool, everything: bool
    ) -> None:
        self._early: Checked | None = None
        self._console = console
        self._show = partial(show, console, workspace, problems=problems, everything=everything)

    def early(self, checked: Checked) -> None:
        """The verdict before nvcc is asked."""
        self._early = checked
        self._show(checked)
        self._console.print(Text("now nvcc compiles it, too ...", "dim"))

    def last(self, checked: Checked) -> None:
        """The verdict that counts."""
        if self._early is None:
            self._show(checked)
            return
        if _verdict(checked) != _verdict(self._early):
            self._console.print(Text("\nnvcc changes the verdict:", "bold"))
            self._show(checked)
            return
        known = {warning.line for warning in _warnings(self._early)}
        new = [warning for warning in _warnings(checked) if warning.line not in known]
        print_warnings(self._console, new)
        if not new:
            self._console.print(Text("nvcc has nothing to add", "dim"))


def _verdict(checked: Checked) -> tuple[object, ...]:
    rung = checked.result.rungs[0]
    return rung.score, rung.outcome, rung.findings


def _warnings(checked: Checked) -> tuple[CompilerWarning, ...]:
    return checked.result.rungs[0].judgement.warnings


def replay_command(target: str, result: RungResult, named: str = "") -> str:
    """The command that replays the launch of the cause step by step; `named`: --from.

    Empty: there is nothing to replay.
    """
    judgement = result.judgement
    account = account_of(result.findings, judgement.tests)
    if account.cause and account.cause.kind in _NOT_OF_A_LAUNCH:
        return ""
    found = _found(account.cause, judgement.tests)
    if found is None or not judgement.seed:
        return ""
    test, items = found
    size = f" --size {items}" if items else ""
    chosen = f" --from {shlex.quote(named)}" if named else ""
    return f"./lab trace {target} --test {test.name}{size} --seed {judgement.seed}{chosen}"


def _found(cause: Finding | None, tests: tuple[TestResult, ...]) -> tuple[TestResult, int] | None:
    """The first test that shows it, and the items of its case; 0: its size has no name."""
    for test in tests:
        for finding in test.findings:
            if finding == cause:
                return test, finding.items
    failed = (test for test in tests if test.outcome is Outcome.FAILED)
    return next(((test, 0) for test in failed), None)


def watch(console: Console, folder: Path, check_once: Callable[[], None]) -> None:
    """Runs `check_once` now and after each change of a .cu or .cuh file in `folder`.

    A save during a round brings another. An error of one round is shown, and the next save tries
    again. Ends with Ctrl-C.
    """
    try:
        from watchfiles import watch as changes
    except ImportError as error:
        raise FaultError("watch needs the Python package watchfiles; see ./lab doctor") from error

    saves = changes(
        folder,
        watch_filter=lambda _, path: path.endswith((".cu", ".cuh")),
        stop_event=interruption,
        rust_timeout=_UNTIL_FIRST_MS,
        yield_on_timeout=True,
    )
    is_first = True
    try:
        for saved in saves:
            if saved or is_first:
                _round(console, check_once)
            is_first = False
    except KeyboardInterrupt:
        return


def _round(console: Console, check_once: Callable[[], None]) -> None:
    console.clear()
    try:
        check_once()
    except InterruptedRunError:
        raise KeyboardInterrupt from None
    except LockstepError as error:
        console.print(Text(str(error), "red"))
    console.print(Text("\nwaiting for the next save; Ctrl-C ends", "dim"))
