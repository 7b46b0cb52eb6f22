# SPDX-License-Identifier: MIT
"""What a package runs on its platform: takes the files, grades them, reports in its format.

A failure on our side is reported as the platform's own "not graded", never as a zero.
"""

import html
import os
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lockstep_grader.author.packages.build import TIME_LIMIT_SECONDS, Platform
from lockstep_grader.judging.session import Wanted, default_jobs, open_session
from lockstep_grader.machine.files import read_json, write_json, write_whole
from lockstep_grader.machine.process import Completed, Limits, Processes
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode, FaultError, LockstepError
from lockstep_grader.model.grades import Backend, Judgement, Lab
from lockstep_grader.model.quiz import Sheet
from lockstep_grader.model.score import score_rung
from lockstep_grader.model.text import one_line
from lockstep_grader.results.export import platforms
from lockstep_grader.results.export.words import RUNG_CHARS, disarmed, headline, items, points
from lockstep_grader.results.graded import GRADES, Entry, LabEntry, read_results
from lockstep_grader.toolchain.nvcc_setup import VARIABLE
from lockstep_grader.toolchain.system import toolkit_nvcc
from lockstep_grader.toolchain.wheels import NVCC

COMPILE_BYTES = 464 << 20  # the largest compile of a judge takes 440 MiB (g++ 14, 2026-11-23)
OWN_BYTES = 96 << 20  # the grader, CMake and Ninja, without the compilers

_SYSTEM = Path("/")


def jobs_that_fit(root: Path = _SYSTEM, cores: int | None = None) -> int:
    """The cores, or fewer if memory is short: a container sees its host's cores, not its own.

    Gradescope's default container has 768 MiB and half a core.
    """
    room = min(_limits(root), default=None)
    cores = cores or default_jobs()
    return cores if room is None else max(1, min(cores, (room - OWN_BYTES) // COMPILE_BYTES))


def _limits(root: Path) -> Iterator[int]:
    """What the container may use (control groups, versions 2 and 1), and what is free."""
    for name in ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"):
        text = _read(root / name).strip()
        if text.isdigit():  # "max" means no limit
            yield int(text)
    for line in _read(root / "proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) << 10


def _read(file: Path) -> str:
    try:
        return file.read_text("ascii")
    except OSError:
        return ""


_RESERVE_SECONDS = 30  # to write results before the platform's own limit
_GITHUB_SECONDS = 1500
_PROGRAM = Path(__file__).parents[2] / "__main__.py"
_NO_SANDBOX = "--no-sandbox"
# These containers have a share of a core and little memory, even if they show more.
_ONE_AT_A_TIME = frozenset({Platform.GRADESCOPE, Platform.PRAIRIELEARN, Platform.AUTOLAB})


def prepare(workspace: Workspace, lab: Lab) -> None:
    """Builds what grading the lab needs, so that grading is quick and needs no network."""
    wanted = Wanted(Backend.CPU, jobs_that_fit(), labs=[lab.id])
    toolchain = open_session(workspace, wanted).toolchain
    write_whole(_prepared(workspace), f"{toolchain.file}\n".encode())


def autograde(
    workspace: Workspace,
    platform: Platform,
    lab: Lab,
    root: Path,
    worth: Mapping[Sheet, float] | None = None,
) -> int:
    """Grades the submitted files under `root` and puts the result where the platform expects it.

    Each sheet of questions with all answers right adds what it is `worth`.
    """
    with tempfile.TemporaryDirectory(prefix="lockstep-") as folder:
        work = Path(folder)
        try:
            problem = _stage(_handed_in(platform, lab, root), work / "class")
            graded = _grade(workspace, platform, lab, work)
            graded = replace(graded, problem=problem or graded.problem)
            graded = graded.with_sheet_points(worth or {})
        except Exception as error:  # the platform waits for a result, whatever has happened
            graded = fault_of(lab, error)
        try:
            _deliver(platform, graded, root, work / "results")
        except Exception as error:
            graded = fault_of(lab, error)
            _deliver(platform, graded, root, work / "results")
    return _status(platform, graded)


def _status(platform: Platform, graded: Entry) -> ExitCode:
    """A job on GitHub is green only at full marks; the others read the result, not the status."""
    if graded.score is None:
        return ExitCode.FAULT
    short = platform is Platform.GITHUB and graded.score < graded.max_score
    return ExitCode.SHORT_OF_FULL_MARKS if short else ExitCode.FULL_MARKS


def fault_of(lab: Lab, error: Exception) -> Entry:
    """The result when we, not the student, have failed; an unforeseen failure is shown in full."""
    if not isinstance(error, (LockstepError, OSError)):
        traceback.print_exception(error)
    reason = one_line(str(error)) or type(error).__name__
    say(f"not graded: {reason}")
    fault = Judgement(fault=reason)
    rungs = tuple(score_rung(rung, fault, Backend.CPU) for rung in lab.rungs)
    return Entry("submission", (LabEntry(lab.id, rungs),))


def _handed_in(platform: Platform, lab: Lab, root: Path) -> Path:
    return {
        Platform.GRADESCOPE: root / "submission",
        Platform.PRAIRIELEARN: root / "student",
        Platform.AUTOLAB: root / "handin.zip",
        Platform.GITHUB: root / "labs" / lab.id,
    }[platform]


def _stage(handed_in: Path, target: Path) -> str:
    """Makes `target` a class of one student, so that what is in it is never read as several.

    Returns one sentence when nothing was handed in, else an empty text.
    """
    target.mkdir()
    if not handed_in.exists():
        (target / "submission").mkdir()
        return f"{handed_in.name} is missing from the submission"
    name = "submission" if handed_in.is_dir() else handed_in.name
    (target / name).symlink_to(handed_in.absolute())
    return ""


def _prepared(workspace: Workspace) -> Path:
    """Names the toolchain that `prepare` built: a later run builds nothing, so that another user
    may run it, and on a file system that is read only."""
    return workspace.build_root / "prepared.txt"


def _grade(workspace: Workspace, platform: Platform, lab: Lab, work: Path) -> Entry:
    """What `grade` says of the files, in a process that ends before the platform would end us."""
    report = work / "results" / GRADES
    argv = ["env"]
    if _prepared(workspace).is_file() and not workspace.toolchain_file:
        argv += [f"LOCKSTEP_TOOLCHAIN={_prepared(workspace).read_text('utf-8').strip()}"]
    # Where the set-up could not fetch it, there is no network here either.
    if NVCC.missing() and not toolkit_nvcc():
        argv += [f"{VARIABLE}=off"]
    argv += [sys.executable, str(_PROGRAM), "grade", str(work / "class")]
    argv += ["--lab", lab.id, "--backend", "cpu", "--results", str(report.parent)]
    if platform in _ONE_AT_A_TIME:
        argv += ["--jobs", "1"]
    seconds = _GITHUB_SECONDS if platform is Platform.GITHUB else TIME_LIMIT_SECONDS
    limits = Limits(seconds - _RESERVE_SECONDS)
    done = Processes().run(argv, limits, work)
    if _refuses(done):  # no sandbox works here: rely on the platform's container
        done = Processes().run([*argv, _NO_SANDBOX], limits, work)
    if done.timed_out:
        raise FaultError(f"grading took longer than {limits.seconds:.0f} seconds")
    if not report.is_file():
        raise FaultError(f"grading ended with status {done.returncode}: {_last_line(done)}")
    return read_results(report).entries[0]


def _refuses(done: Completed) -> bool:
    line = _last_line(done)
    return done.returncode == ExitCode.FAULT and line.startswith("lab: ") and _NO_SANDBOX in line


def _last_line(done: Completed) -> str:
    lines = [line for line in done.output.splitlines() if line.strip()]
    return lines[-1] if lines else "no output"


def _deliver(platform: Platform, graded: Entry, root: Path, results: Path) -> None:
    match platform:
        case Platform.GRADESCOPE:
            document = platforms.gradescope(graded, previous=_previous(root))
            write_json(root / "results" / "results.json", document)
        case Platform.PRAIRIELEARN:
            document = platforms.prairielearn(graded, results)
            write_json(root / "results" / "results.json", document)
        case Platform.AUTOLAB:
            sys.stdout.write(platforms.autolab(graded))
        case Platform.GITHUB:
            _deliver_to_github(graded, os.environ)


def _previous(root: Path) -> Sequence[Mapping[str, Any]]:
    """https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/"""
    try:
        entries = read_json(root / "submission_metadata.json")["previous_submissions"]
        return [entry for entry in entries if isinstance(entry, dict)]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _deliver_to_github(graded: Entry, env: Mapping[str, str]) -> None:
    """A notice with the points, a summary with the reasons, and the same words in the log."""
    labs = ", ".join(lab.id for lab in graded.labs)
    print(f"::notice title={labs}::{points(graded.score, graded.max_score)} points")
    if file := env.get("GITHUB_STEP_SUMMARY"):
        with Path(file).open("a", encoding="utf-8") as stream:
            stream.write(_summary(graded))
    print(disarmed(headline(graded)))
    for item in items(graded):
        worth = f"  {points(item.score, item.max_score)}  {item.tag}" if item.counts else ""
        print(f"{item.name}{worth}\n{disarmed(item.said(RUNG_CHARS))}")


def _summary(graded: Entry) -> str:
    """Markdown in which words of a submission are text: HTML escaped, in <pre>."""
    parts = [f"### {html.escape(headline(graded))}\n\n"]
    for item in items(graded):
        worth = f": {points(item.score, item.max_score)}, {item.tag}" if item.counts else ""
        parts.append(f"<details><summary>{html.escape(item.name + worth)}</summary>\n\n")
        parts.append(f"<pre>{html.escape(item.said(RUNG_CHARS))}</pre>\n\n</details>\n\n")
    return "".join(parts)
