# SPDX-License-Identifier: MIT
"""What a GPU does with all labs: the ladders, occupancy, a class, starts of processes; and all measurements in turn.

A ladder is every rung at several sizes, compared with the device's limit and NVIDIA's library.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated, Any

import sources
import typer
from made_up_class import LAB, SEED, Made, Sources, lab_env, write_submission
from measurements import (
    BENCH,
    GPU,
    ROOT,
    SCRIPTS,
    MeasurementError,
    cuda_build,
    gpu_name,
    gpu_names,
    gpu_uuids,
    machine,
    measured_now,
    measurement,
    nvcc,
    output,
    provenance,
    rungs_of,
    write_json,
)

from lockstep_grader.confine.sandbox import NoSandbox, Sandbox, find_sandbox
from lockstep_grader.model.grades import Backend
from lockstep_grader.toolchain.nvcc import Sanitizer, find_sanitizer

LADDERS = ["[0-9]*.json", "[0-9]*.svg"]


@measurement("ladders", needs=GPU, writes=LADDERS, uses=["./lab bench"])
def ladders(
    labs: Annotated[list[str] | None, typer.Argument(metavar="[LAB]...")] = None,
    page_only: Annotated[
        bool, typer.Option("--page-only", help="Measure nothing: redraw plots and tables. No GPU.")
    ] = False,
    missing: Annotated[
        bool, typer.Option("--missing", help="Measure only what the reports do not have.")
    ] = False,
) -> None:
    """Time the ladders by `./lab bench`: reports, plots, and the tables in the solutions' READMEs."""
    known = sorted(file.stem for file in BENCH.glob(LADDERS[0]))
    if unknown := sorted(set(labs or ()) - set(known)):
        raise typer.BadParameter(f"no ladder {unknown[0]}; there are: {', '.join(known)}")
    option = ["--page-only"] if page_only else ["--backend", "cuda"]
    option += ["--missing"] if missing else []
    failed = []
    for lab in labs or known:
        if missing and (changed := sources.changed(f"{lab}.json")):
            raise MeasurementError(f"measure all of {lab} again: {changed[0]} has changed since")
        command = [ROOT / "lab", "bench", lab, *option]
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(lab)
        elif not page_only:
            report = json.loads((BENCH / f"{lab}.json").read_text("utf-8"))
            measured_now(f"{lab}.json", {f"{lab}/{row['rung']}" for row in report["rows"]})
    if failed:
        raise MeasurementError(f"not all was measured: {', '.join(failed)}; see the messages above")


OCCUPANCY = "docs/bench/scripts/compare_occupancy.cu"
RESIDENCY = "solutions/07-scheduling/01_residency.cu"


@measurement("occupancy", needs=f"{GPU} and nvcc", writes=["GPU-occupancy.json"], uses=[OCCUPANCY])
def occupancy() -> None:
    """Compare lab 07's occupancy formula with the driver's, for kernels of many shapes."""
    program = nvcc("compare_occupancy", ["-Ilabs/07-scheduling"], [OCCUPANCY, RESIDENCY])
    name = f"{gpu_name()}-occupancy.json"
    write_json(name, json.loads(output([program])))
    measured_now(name)


LABS = ("01-reduction",)
WITH_FILES = ("solutions", "starters", "mutants", "mixture", "hostile")  # of KINDS


@measurement("gpu-class", needs=GPU, writes=["GPU-class.json"], uses=["./lab grade"])
def gpu_class(
    submissions: Annotated[int, typer.Option(min=0, help="How many of all kinds.")] = 10,
    right: Annotated[int, typer.Option(min=0, help="How many that are all right.")] = 6,
    whole: Annotated[int, typer.Option(min=1, help="How many the class has.")] = 100,
) -> None:
    """Grade parts of a class in lab 01, on one GPU and on all; say what the whole class takes."""
    names = gpu_names()  # says when there is none
    parts: list[dict[str, Any]] = []
    described = {
        **provenance(),
        "machine": {**machine(), "gpus": names},
        "labs": list(LABS),
        "whole": whole,
        "parts": parts,
    }
    graded(1, whole, 1, all_right=True)  # builds what all parts need
    for all_right, count in ((True, right), (False, submissions)):
        for gpus in sorted({1, len(names)}) if count else ():
            parts.append(graded(count, whole, gpus, all_right=all_right))
            write_json(f"{names[0]}-class.json", described)  # a run that is stopped keeps its parts
    if wrong := [line for part in parts for line in part["other_scores"]]:
        raise MeasurementError(f"{len(wrong)} scores differ from the declared ones: {wrong[0]}")


def graded(count: int, whole: int, gpus: int, *, all_right: bool) -> dict[str, Any]:
    """What grading `count` made-up submissions took. `whole`: of the class that they stand for."""
    with tempfile.TemporaryDirectory(prefix="gpu-class-") as temp:
        folder, report = Path(temp) / "class", Path(temp) / "grade.json"
        folder.mkdir()
        declared = write_part(folder, count, all_right)
        words = ["grade", folder, "--backend", "cuda", "--json", report]
        env = {**lab_env(), "CUDA_VISIBLE_DEVICES": ",".join(gpu_uuids()[:gpus])}
        begin = time.monotonic()
        done = subprocess.run([*LAB, *words, "--results", Path(temp) / "results"], env=env)
        seconds = time.monotonic() - begin
        if done.returncode not in (0, 1):
            raise MeasurementError(f"./lab grade ended with {done.returncode}; see its message")
        said = json.loads(report.read_text("utf-8"))
    rungs = [rung for _, _, rung in rungs_of(said)]
    return {
        "gpus": gpus,
        "submissions": count,
        "kinds": Counter(name.partition("-")[2] for name in declared),
        "rungs": len(rungs),
        "rungs_with_full_marks": sum(rung["score"] == rung["max_score"] for rung in rungs),
        "seconds": round(seconds, 1),
        "seconds_per_submission": round(seconds / count, 2),
        "minutes_for_the_whole": round(seconds * whole / count / 60),
        "other_scores": list(surprises(said, declared)),
    }


def write_part(folder: Path, count: int, all_right: bool) -> dict[str, dict[str, Made]]:
    """Writes submissions of all kinds by turns; returns what each rung must get.

    No two files are equal. In a class some are, and are judged once."""
    sources, chance = Sources(LABS), random.Random(SEED)
    kinds = ("solutions",) if all_right else WITH_FILES
    declared: dict[str, dict[str, Made]] = {}
    for index in range(count):
        kind = kinds[index % len(kinds)]
        name = f"student{index:03}-{kind}"
        made = {
            rung: replace(one, text=one.text and one.text + f"// {name}\n".encode())
            for rung, one in sources.files(kind, chance).items()
        }
        write_submission(folder, name, kind, made, chance)
        declared[name] = made
    return declared


def surprises(report: Any, declared: dict[str, dict[str, Made]]) -> list[str]:
    """Rungs whose score is not the declared one. A GPU need not see what the emulator sees."""
    return [
        f"{submission} {name}: {rung['score']}"
        for submission, name, rung in rungs_of(report)
        if declared[submission][name].score not in (None, rung["score"])
    ]


NO_TOOL = "none"
TOOLS = (NO_TOOL, "memcheck", "racecheck", "initcheck", "synccheck")


@measurement("gpu-starts", needs=f"{GPU}, after ./lab grade", writes=["GPU-starts.json"])
def gpu_starts(
    starts: Annotated[int, typer.Option(min=1, help="How many, of each kind.")] = 96,
    at_once: Annotated[int, typer.Option(min=1, help="How many at a time, in all.")] = 16,
) -> None:
    """Start workers that ask for memory and end, in the sandbox, without and with each tool."""
    uuids, names = gpu_uuids(), gpu_names()
    worker = Path(cuda_build()["anchors"])
    sandbox, sanitizer = find_sandbox(Backend.CUDA, worker), find_sanitizer()
    if isinstance(sandbox, NoSandbox):
        raise MeasurementError(sandbox.reason)
    if sanitizer is None:
        raise MeasurementError("compute-sanitizer is missing; it comes with NVIDIA's CUDA toolkit")
    rows: list[dict[str, Any]] = []
    for tool in TOOLS:
        for count in sorted({1, len(uuids)}):
            commands = [start_of(worker, sandbox, sanitizer, tool, gpu) for gpu in uuids[:count]]
            rate = round(starts / seconds_for(commands, starts, at_once), 2)
            row = {"tool": tool, "gpus": count, "starts": starts, "at_once": at_once}
            rows.append({**row, "starts_per_second": rate})
    report = {**provenance(), "machine": {**machine(), "gpus": names}, "rows": rows}
    write_json(f"{names[0]}-starts.json", report)


def start_of(
    worker: Path, sandbox: Sandbox, sanitizer: Sanitizer, tool: str, gpu: str
) -> list[str]:
    if tool == NO_TOOL:
        return [*sandbox.running(worker, gpu), str(worker), "--probe"]
    confined = sandbox.running(worker, gpu, is_checked=True)
    return [*confined, *sanitizer.command(tool), str(worker), "--probe"]


def seconds_for(commands: list[list[str]], starts: int, at_once: int) -> float:
    """Of that many starts, on the GPUs by turns."""
    for command in commands:  # the first one reads programs from the disk
        output(command)
    begin = time.monotonic()
    with ThreadPoolExecutor(at_once) as pool:
        for done in pool.map(
            lambda command: subprocess.run(command, capture_output=True),
            islice(cycle(commands), starts),
        ):
            if done.returncode != 0:
                raise MeasurementError(f"a worker ended with {done.returncode}")
    return time.monotonic() - begin


STEPS = (
    ["grades"],
    ["ladders"],
    ["checkers", "cuda"],
    ["counters", "hardware"],
    ["torch", "run"],
    ["occupancy"],
    ["library"],
    ["library-counters"],
)


@measurement("gpu", needs=GPU, writes=[])
def gpu() -> None:
    """Make every file that needs a GPU, one after the other; go on when one fails."""
    gpu_name()  # says when there is none
    failed = []
    for step in STEPS:
        begin = time.monotonic()
        status = subprocess.run([sys.executable, SCRIPTS / "app.py", *step], check=False).returncode
        print(f"{time.monotonic() - begin:.0f} s, status {status}: {' '.join(step)}", flush=True)
        failed += [step[0]] if status else []
    if failed:
        raise MeasurementError(f"failed: {', '.join(failed)}; see the messages above")
