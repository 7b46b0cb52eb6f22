# SPDX-License-Identifier: MIT
"""The test suites: ctest, pytest, the labs' proofs, and the cuda backend's build."""

import os
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from rich.text import Text

from lockstep_grader.author.lint import lint, print_verdicts
from lockstep_grader.author.selftest.sections import Context, Tally
from lockstep_grader.author.selftest.tools import capture, junit_tally, report
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.judging.session import Wanted, open_session
from lockstep_grader.machine.workspace import cache_folder, forget_unused
from lockstep_grader.model.grades import Backend
from lockstep_grader.model.text import visible
from lockstep_grader.results.store import KeptJudgements
from lockstep_grader.toolchain import system
from lockstep_grader.toolchain.build import build_backend, workers_target

_LINT_SEED = 1
_EVERY = 3  # of the mutants, one of so many is judged here, and all of them by `./lab lint`


def run_ctest(context: Context) -> Tally:
    """The unit tests, and one lab's solutions as CMake builds them; `lint` judges them all."""
    workspace = context.workspace
    labs = [lab.id for lab in read_labs(workspace)]
    judged = labs[:1] if workspace.solutions.is_dir() else []  # not a student's own rungs
    targets = ["lockstep", "lockstep_tests", *map(workers_target, judged)]
    build = build_backend(workspace, Backend.CPU, targets, context.jobs).parent
    left_out = labs[len(judged) :]
    argv = ["ctest", "--test-dir", str(build), "--output-on-failure", "--no-tests=error"]
    if left_out:
        argv += ["--label-exclude", f"^({'|'.join(left_out)})$"]
    with tempfile.TemporaryDirectory(prefix="lockstep-") as work:
        junit = Path(work) / "ctest.xml"
        jobs = str(_waiting_jobs(context))
        done = capture([*argv, "-j", jobs, "--output-junit", str(junit)], build)
        tally = junit_tally(junit, done.returncode)
    report(context, f"ctest: {tally}", tally.failed == 0, done.stdout)
    return tally


def _waiting_jobs(context: Context) -> int:
    """One more than the cores: many tests wait for a child, a clock or a cluster."""
    return context.jobs + 1


def run_pytest(context: Context) -> Tally:
    grader = context.workspace.root / "grader"
    with tempfile.TemporaryDirectory(prefix="lockstep-") as work:
        junit = Path(work) / "pytest.xml"
        argv = [sys.executable, "-m", "pytest", "-q", "-rsfE", f"--junitxml={junit}"]
        if find_spec("xdist"):
            # Files with few tests are the longest: they must not come last, as xdist would have it.
            argv += ["-n", str(_waiting_jobs(context)), "--dist", "loadfile"]
            argv += ["--no-loadscope-reorder"]
        argv += map(str, context.test_files)
        done = capture(argv, grader, _quick_starts())
        tally = junit_tally(junit, done.returncode)
    report(context, f"pytest: {tally}", tally.failed == 0, done.stdout)
    for line in done.stdout.splitlines():
        if line.startswith(("SKIPPED", "FAILED", "ERROR")):
            style = "dim" if line.startswith("SKIPPED") else "red"
            context.console.print(Text(f"  {visible(line)}", style))
    return tally


def _quick_starts() -> dict[str, str]:
    """This environment, but a Python starts fast in it: the tests start hundreds.

    `python3` is the interpreter itself, not a script that looks for it; what was compiled once is
    kept.
    """
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    interpreter = Path(sys.base_prefix) / "bin" / "python3"
    if interpreter.exists() and not interpreter.samefile(shutil.which("python3") or os.devnull):
        env["PATH"] = f"{interpreter.parent}{os.pathsep}{env.get('PATH', os.defpath)}"
    return env


def run_lint(context: Context) -> Tally:
    workspace = context.workspace
    labs = read_labs(workspace)
    # One seed for all runs of the tests; `./lab lint` by hand gets a fresh one.
    session = open_session(workspace, Wanted(Backend.CPU, _waiting_jobs(context), _LINT_SEED))
    proofs = cache_folder() / "proofs"
    forget_unused(proofs)
    kept = KeptJudgements(proofs)
    verdicts = lint(workspace, labs, session, kept, _EVERY)
    print_verdicts(context.console, verdicts)
    failed = sum(bool(verdict.problems) for verdict in verdicts)
    skipped = sum(bool(verdict.skipped) for verdict in verdicts)
    return Tally(len(verdicts) - failed - skipped, failed, skipped)


def build_cuda(context: Context) -> Tally:
    """Checks that the cuda backend compiles and links; running it needs a GPU.

    One lab's rungs are enough: `lint` compiles all solutions and starters with nvcc.
    """
    if not system.toolkit_nvcc():
        context.console.print(Text("  skipped: there is no CUDA toolkit here", "dim"))
        return Tally(skipped=1)
    system.ensure(system.BUILD_REQUIREMENTS)
    first = read_labs(context.workspace)[0].id
    targets = ["lockstep", "lockstep_tests", workers_target(first)]
    build_backend(context.workspace, Backend.CUDA, targets, context.jobs)
    report(context, "the cuda backend compiles and links", good=True)
    return Tally(passed=1)
