# SPDX-License-Identifier: MIT
"""Talks to Slurm: arrays go out through submitit, states come from squeue, scancel ends them."""

import contextlib
import io
import logging
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lockstep_grader.grading.slurm.options import SlurmOptions
from lockstep_grader.grading.slurm.task import run_task
from lockstep_grader.grading.slurm.tracker import TaskId
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.text import one_line

_ELSEWHERE = "run this on a login node of the cluster, or leave out --executor slurm"
_PROGRAMS = ("sbatch", "squeue", "scancel", "srun")  # submitit looks for srun
_PREFIX = re.compile(r"^(?:\w+: )?(?:error: )?")  # sbatch: error: text
_COMMAND_SECONDS = 120  # after which Slurm counts as not answering
_SOURCE_FOLDER = Path(__file__).parents[3]


def require_slurm() -> None:
    """Raises FaultError where no job can be submitted from, before any work is done."""
    for program in _PROGRAMS:
        if shutil.which(program) is None:
            raise FaultError(f"no Slurm here: {program} is not on PATH; {_ELSEWHERE}")
    try:
        _run("squeue", "--noheader", "--name=lockstep")
    except FaultError as error:
        raise FaultError(f"no Slurm cluster answers here: {error}; {_ELSEWHERE}") from error


class Cluster:
    """The cluster that this machine submits to."""

    def __init__(self, options: SlurmOptions, workers: int, needs_gpu: bool) -> None:
        self._parameters = _parameters(options, workers, needs_gpu)

    def submit(self, name: str, folder: Path, tasks: Sequence[Path], parallelism: int) -> str:
        """Hands in one array, a task each file; returns its job id. Raises FaultError."""
        submitit = _submitit()
        quiet = io.StringIO()
        try:
            with contextlib.redirect_stderr(quiet), contextlib.redirect_stdout(quiet):
                executor = submitit.SlurmExecutor(folder, python=shlex.quote(sys.executable))
                executor.update_parameters(
                    **self._parameters, job_name=name, array_parallelism=parallelism
                )
                jobs = executor.map_array(run_task, [str(task) for task in tasks])
        except (submitit.core.utils.FailedJobError, RuntimeError, ValueError) as error:
            raise FaultError(f"sbatch failed: {_complaint(str(error))}") from error
        return str(jobs[0].job_id).partition("_")[0]

    def states(self, names: Sequence[str]) -> Mapping[TaskId, str]:
        """The state of each task that Slurm still knows, by array and index. Raises FaultError."""
        if not names:
            return {}
        listing = _run(
            "squeue", "--noheader", "--array", "--states=all", "--format=%j|%K|%T",
            f"--name={','.join(names)}",
        )  # fmt: skip
        states: dict[TaskId, str] = {}
        for line in listing.splitlines():
            name, index, state = [*line.strip().split("|"), "", ""][:3]
            states[name, int(index) if index.isdigit() else 0] = state  # N/A: not an array
        return states

    def cancel(self, names: Sequence[str]) -> None:
        for name in names:
            _run("scancel", "-n", name)


def _parameters(options: SlurmOptions, workers: int, needs_gpu: bool) -> dict[str, Any]:
    """What submitit takes; the rest goes to sbatch as it is."""
    given = {key: True if value == "true" else value for key, value in options.sbatch.items()}
    further: dict[str, Any] = {"cpus-per-task": workers, **given}
    if needs_gpu and not options.asks_for_gpus():
        further["gpus-per-node"] = 1  # one task, one GPU: measurements do not disturb each other
    # A task whose node fails comes back through us, so that a rung that ends nodes is not sent on
    # and on.
    further["no-requeue"] = True
    source = shlex.quote(str(_SOURCE_FOLDER))
    before = [
        f"export PYTHONPATH={source}${{PYTHONPATH:+:$PYTHONPATH}}",
        f"cd {source}",  # no file in the folder that sbatch was called in shadows a module
    ]
    return {
        "time": options.minutes,
        "setup": before,
        "use_srun": False,
        "additional_parameters": further,
    }


def _submitit() -> Any:
    try:
        import submitit
        import submitit.core.utils
    except ImportError as error:
        raise FaultError(
            f"submitit is missing; run: {sys.executable} -m pip install -r grader/requirements.txt"
        ) from error
    logging.getLogger("submitit").setLevel(logging.CRITICAL)  # what fails, we say ourselves
    return submitit


def _run(*argv: str) -> str:
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_COMMAND_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise FaultError(f"{argv[0]} does not answer in {_COMMAND_SECONDS} seconds") from error
    if done.returncode != 0:
        raise FaultError(f"{argv[0]} failed: {_complaint(done.stderr)}")
    return done.stdout


def _complaint(text: str) -> str:
    """What Slurm said was wrong, without its `sbatch: error: `."""
    lines = [line for line in text.splitlines() if line.strip()] or ["no output"]
    errors = [line for line in lines if "error" in line.lower()] or lines[-1:]
    return one_line("; ".join(_PREFIX.sub("", line) for line in errors))
