# SPDX-License-Identifier: MIT
"""How long a student waits for the first verdict, and for the verdict after a save.

Makes the students' copy, clones it into an empty folder with empty caches, and runs the first check
there; then saves the solution of every rung of each LAB under `watch`. Only pip's downloads are
cached: a first round, which does not count, fetches them. Last, grades all solutions in this
checkout, where everything is built. All of it without nvcc.
"""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from measurements import IDLE, ROOT, ProcessorTime, measurement, processor, provenance, write_json

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend

TARGET = "00-threads/01_matrix_add"
CALM_LOAD = 0.5  # more than this and the machine is not idle


@measurement("first-verdict", needs=IDLE, writes=["first-verdict.json"])
def first_verdict(
    labs: Annotated[list[str] | None, typer.Argument(metavar="[LAB]...")] = None,
) -> None:
    """Measure a student's first check, and each verdict after a save."""
    known = sorted(path.name for path in (ROOT / "solutions").iterdir() if path.is_dir())
    if unknown := sorted(set(labs or ()) - set(known)):
        raise typer.BadParameter(f"no lab {unknown[0]}; there are: {', '.join(known)}")
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="lockstep-first-") as temp:
        work = Path(temp)
        make_copy(work / "copy")
        caches = {"PIP_CACHE_DIR": str(work / "pip"), "LOCKSTEP_NVCC": "off"}
        env = {**os.environ, **caches}
        first_check(work, "downloads", env)
        cold = first_check(work, "cold", env)
        warm = first_check(work, "cold", env, checkout="second")
        saves = list(save_to_verdict(work / "checkout-cold", env, labs or known))
        graded = grade_solutions(work, env)
    report = {
        **provenance(),
        "machine": {
            "processor": processor(),
            "cores": len(os.sched_getaffinity(0)),
            "system": platform.platform(terse=True),
            "load_before": round(load, 2),
            "idle": load < CALM_LOAD,
        },
        "first_check": cold,
        "second_checkout_with_the_first_ones_caches": warm,
        "save_to_verdict": saves,
        "grade_solutions": graded,
    }
    write_json("first-verdict.json", report)
    slowest = max(saves, key=lambda save: save["seconds"])
    print(f"first verdict {cold['seconds']} s ({cold['cpu_seconds']} s of processor time)")
    print(f"slowest save {slowest['seconds']} s: {slowest['rung']}")
    print(f"all solutions {graded['seconds']} s ({graded['cpu_seconds']} s of processor time)")


def make_copy(folder: Path) -> None:
    run(["./lab", "release", "--output", str(folder)], ROOT, os.environ)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "The students' copy"]):
        author = ["-c", "user.name=Lockstep", "-c", "user.email=lockstep@example.org"]
        run(["git", *author, *command], folder, os.environ)


def first_check(
    work: Path, caches: str, env: Mapping[str, str], checkout: str = ""
) -> dict[str, Any]:
    """Clones the copy and checks a starter. Returns the time, with pip's stage apart."""
    folder = work / f"checkout-{checkout or caches}"
    cached = work / f"caches-{caches}"
    moved = {**env, "XDG_CACHE_HOME": str(cached / "xdg"), "CCACHE_DIR": str(cached / "ccache")}
    spent, begin = ProcessorTime(), time.monotonic()
    run(["git", "clone", "-q", str(work / "copy"), str(folder)], work, moved)
    check = [*spent.words, "./lab", "check", TARGET, "--backend", "cpu"]
    checked = run(check, folder, moved, expected=1)
    seconds = time.monotonic() - begin
    if "not written yet" not in checked.stdout:
        sys.exit(f"the starter was not judged: {checked.stdout}{checked.stderr}")
    return {
        "seconds": round(seconds, 1),
        "cpu_seconds": round(spent.seconds(), 1),
        "said": checked.stderr.splitlines(),
    }


def save_to_verdict(
    folder: Path, env: Mapping[str, str], labs: list[str]
) -> Iterator[dict[str, Any]]:
    """The time from a save to the end of the verdict under `watch`, for each rung's solution."""
    for lab in labs:
        for solution in sorted((ROOT / "solutions" / lab).glob("[0-9]*.cu")):
            rung = f"{lab}/{solution.stem}"
            watching = subprocess.Popen(
                ["./lab", "watch", rung, "--backend", "cpu"],
                cwd=folder,
                env=dict(env),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            wait_for_round(watching)
            begin = time.monotonic()
            shutil.copyfile(solution, folder / "labs" / lab / solution.name)
            said = wait_for_round(watching)
            seconds = time.monotonic() - begin
            watching.terminate()
            watching.wait()
            if "passed" not in said:
                sys.exit(f"{rung}: the solution did not pass: {said}")
            yield {"rung": rung, "seconds": round(seconds, 2)}


def grade_solutions(work: Path, env: Mapping[str, str]) -> dict[str, float]:
    """The time to grade all solutions, once everything is built."""
    grade = ["./lab", "grade", "solutions", "--backend", "cpu", "--results"]
    run([*grade, str(work / "built"), "--lab", "00-threads"], ROOT, env)
    build = Workspace(ROOT, ROOT / "build").build(Backend.CPU)
    run(["cmake", "--build", str(build), "--target", "lockstep"], ROOT, env)
    spent, begin = ProcessorTime(), time.monotonic()
    run([*spent.words, *grade, str(work / "results")], ROOT, env)
    seconds = time.monotonic() - begin
    return {"seconds": round(seconds, 1), "cpu_seconds": round(spent.seconds(), 1)}


def wait_for_round(watching: subprocess.Popen[str]) -> str:
    said = ""
    for line in watching.stdout or ():
        said += line
        if "waiting for the next save" in line:
            return said
    sys.exit(f"watch ended: {said}")


def run(
    argv: list[str], cwd: Path, env: Mapping[str, str], expected: int = 0
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(argv, cwd=cwd, env=dict(env), capture_output=True, text=True, check=False)
    if done.returncode != expected:
        sys.exit(f"{' '.join(argv)} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done
