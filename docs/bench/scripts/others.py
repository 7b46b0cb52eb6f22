# SPDX-License-Identifier: MIT
"""Kernels of any CUDA program: how long a GPU takes, and what the emulator counts for the model of time.

`measure time` compares the two for all programs that were measured so.
"""

import csv
import json
import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer
from bounds import STEADY, TIME, number
from counters import kernel_name
from measurements import (
    BENCH,
    GPU,
    ROOT,
    MeasurementError,
    gpu_fields,
    measurement,
    ncu,
    nvcc,
    output,
    provenance,
    write_json,
)
from timed_calls import FEATURES, OTHERS, launch

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.student.program.build import Options, build_program, program_steps
from lockstep_grader.student.program.run import Checks, Settings, run_program

REGISTERS = "launch__registers_per_thread"
LEAST_US = 4  # of a launch: of a shorter one, the start takes most of the time
SECONDS = 150


def measured(program: Path, arguments: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The launches of each kernel on this GPU."""
    timing = ncu([TIME, REGISTERS], *STEADY)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        output([*timing, "--log-file", log, program, *arguments], cwd=folder)
        lines = log.read_text("utf-8").splitlines()
    kernels: dict[str, list[dict[str, Any]]] = {}
    for row in list(csv.DictReader(line for line in lines if line.startswith('"')))[1:]:
        spelled = re.sub(r"\(.*", "", row["Kernel Name"])
        found = {"spelled": spelled, "us": number(row[TIME]) / 1e3}
        found["registers"] = round(number(row[REGISTERS]))
        kernels.setdefault(kernel_name(row["Kernel Name"]), []).append(found)
    return kernels


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def counted(
    files: Sequence[Path], include: Sequence[Path], arguments: Sequence[str]
) -> list[dict[str, Any]]:
    """The shapes of all launches on the emulator."""
    options = Options(include=tuple(include), is_checked=True, is_counted=True)
    with tempfile.TemporaryDirectory() as folder:
        work, built = Path(folder), Path(folder) / "built"
        built.mkdir()
        steps = program_steps(Workspace(ROOT, ROOT / "build"), 2)
        program = build_program(steps, files, options, built, 2)
        settings = Settings(checks=Checks.NONE, profile=True, timeout=SECONDS)
        with (work / "output").open("wb") as said, inside(work):  # a program may write files
            ran = run_program(
                program, arguments, settings, work, name=files[0].stem, output=said.fileno()
            )
        if ran.exit_code != 0:
            raise MeasurementError(f"{files[0]} ended with {ran.exit_code} on the emulator")
        report = [json.loads(line) for line in (work / "report").read_text("utf-8").splitlines()]
    return [shape for line in report for shape in line.get("shapes", ())]


def of_kernel(shapes: Sequence[dict[str, Any]], kernel: str) -> list[dict[str, Any]]:
    return [shape for shape in shapes if kernel_name(shape["kernel"]) == kernel]


def records(
    head: dict[str, str], measured: dict[str, list[dict[str, Any]]], shapes: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Of each kernel that both sides launch equally often. The emulator does not tell the instances
    of a template apart, so of those there is none."""
    for kernel, launches in measured.items():
        own = of_kernel(shapes, kernel)
        whole = sum(each["us"] for each in launches)
        is_one = len({each["spelled"] for each in launches}) == 1
        both = len(launches) == sum(shape["features"]["launches"] for shape in own)
        if not (is_one and both) or whole < LEAST_US * len(launches):
            continue
        made = [launch(shape, kernel, launches[0]["registers"]) for shape in own]
        yield {**head, "kernel": kernel, "us": round(whole, 2), "launches": made}


@measurement("others", needs=f"{GPU} with ncu and nvcc; clang", writes=[OTHERS])
def others(
    name: Annotated[str, typer.Argument(help="Of the program, in the table.")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE.cu...")],
    include: Annotated[list[Path] | None, typer.Option("-I", metavar="DIR")] = None,
    arguments: Annotated[str, typer.Option(help="Of the program.")] = "",
) -> None:
    """Compare the predicted times of any CUDA program's kernels with a GPU's, and keep them."""
    words, folders = shlex.split(arguments), include or []
    program = nvcc("others", ["-O3", *(f"-I{each}" for each in folders)], [*files])
    shapes = counted(files, folders, words)
    head = {"program": name, "arguments": arguments}
    found = list(records(head, measured(program, words), shapes))
    file = BENCH / OTHERS
    known = json.loads(file.read_text("utf-8"))["kernels"] if file.is_file() else []
    kept = [each for each in known if (each["program"], each["arguments"]) != (name, arguments)]
    machine = {"machine": gpu_fields("name,driver_version")[0]}
    kernels = sorted([*kept, *found], key=lambda each: (each["program"], each["arguments"]))
    write_json(OTHERS, {**provenance(), **machine, "features": FEATURES, "kernels": kernels})


@measurement("others-again", needs="clang", writes=[OTHERS])
def others_again(
    folder: Annotated[Path, typer.Argument(help="Has the program NAME in its folder NAME-cuda.")],
) -> None:
    """Count the programs of `others` anew, and keep the times that a GPU took."""
    folder = folder.resolve()
    file = BENCH / OTHERS
    known = json.loads(file.read_text("utf-8"))
    for name, arguments in sorted(
        {(each["program"], each["arguments"]) for each in known["kernels"]}
    ):
        source = folder / f"{name}-cuda"
        files = sorted(source.glob("*.cu"))
        if not files:
            raise MeasurementError(f"{source} has no .cu file; name the folder src of HeCBench")
        shapes = counted(files, [source], shlex.split(arguments))
        for each in known["kernels"]:
            if (each["program"], each["arguments"]) != (name, arguments):
                continue
            kernel, (_, _, _, registers, *_) = each["kernel"], each["launches"][0]
            own = of_kernel(shapes, kernel)
            each["launches"] = [launch(shape, kernel, registers) for shape in own]
        counts = {"counted": date.today().isoformat(), "features": FEATURES}
        write_json(OTHERS, {**known, **counts})
