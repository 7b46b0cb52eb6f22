# SPDX-License-Identifier: MIT
"""How many processes a second the driver starts and ends, on one GPU and on all."""

import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated, Any

import typer
from measurements import (
    GPU,
    MeasurementError,
    cuda_build,
    gpu_names,
    gpu_uuids,
    machine,
    measurement,
    output,
    provenance,
    write_json,
)

from lockstep_grader.confine.sandbox import NoSandbox, Sandbox, find_sandbox
from lockstep_grader.toolchain.sanitizer import Sanitizer, find_sanitizer
from lockstep_grader.model.grades import Backend

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
            rows.append(
                {
                    "tool": tool,
                    "gpus": count,
                    "starts": starts,
                    "at_once": at_once,
                    "starts_per_second": round(starts / seconds_for(commands, starts, at_once), 2),
                }
            )
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
