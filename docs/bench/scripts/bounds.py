# SPDX-License-Identifier: MIT
"""What bounds each rung's kernels, and how long they take, by Nsight Compute.

`measure time` compares it with the bound and the times that the model of time predicts.
"""

import csv
import json
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import typer
from counters import commands_of, kernel_name, profiled
from measurements import (
    BENCH,
    GPU,
    ROOT,
    MeasurementError,
    gpu_fields,
    known_labs,
    measured_now,
    measurement,
    ncu,
    provenance,
    require_known,
    write_json,
)
from timed_calls import BOUNDS, COUNTED

AT_ONCE = 12  # calls under ncu, which lets one of them at a time use the counters
SHARES = (4, 16, 64)  # of the largest call: smaller ones that are timed, too
MOST_LAUNCHES = 24  # of a call: the others repeat them
STEADY = ("--cache-control", "none", "--print-units", "base")  # caches as the program has them
TIME = "gpu__time_duration.sum"
THROUGHPUTS = {  # percent of what the device can do
    "compute": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "memory": "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "l1": "l1tex__throughput.avg.pct_of_peak_sustained_active",
    "l2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
}


def sizes() -> dict[str, int]:
    """Of each rung whose calls the model of time predicts, the largest call."""
    calls = json.loads((BENCH / COUNTED).read_text("utf-8"))["calls"]
    largest: dict[str, int] = {}
    for call in calls:
        largest[call["rung"]] = max(call["num_items"], largest.get(call["rung"], 0))
    return largest


def launches_of(log: str) -> dict[str, list[dict[str, str]]]:
    """What ncu says of each kernel's launches."""
    rows = list(csv.DictReader(line for line in log.splitlines() if line.startswith('"')))[1:]
    if not rows:
        raise MeasurementError(f"ncu says {log.strip()[-200:]}")
    launches: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        launches.setdefault(kernel_name(row["Kernel Name"]), []).append(row)
    return launches


def kernels_of(launches: Mapping[str, list[dict[str, str]]]) -> list[dict[str, Any]]:
    """Those that take longest first, each with the throughputs of its longest launch."""
    kernels = []
    for name, own in launches.items():
        longest = max(own, key=lambda row: number(row[TIME]))
        whole = sum(number(row[TIME]) for row in own)
        shares = {share: round(number(longest[metric]), 1) for share, metric in THROUGHPUTS.items()}
        kernels.append({"kernel": name, "us": round(whole / 1e3, 1), **shares})
    return sorted(kernels, key=lambda kernel: -kernel["us"])


def time_of(launches: Mapping[str, list[dict[str, str]]]) -> dict[str, Any]:
    """Of all kernels of a call."""
    own = [row for rows in launches.values() for row in rows]
    return {"launches": len(own), "us": round(sum(number(row[TIME]) for row in own) / 1e3, 2)}


def number(text: str) -> float:
    return float(text.replace(",", ""))


def measure(labs: Sequence[str]) -> dict[str, Any]:
    asked = ncu([TIME, *THROUGHPUTS.values()], *STEADY, "--launch-count", str(MOST_LAUNCHES))
    timed = ncu([TIME], *STEADY, "--launch-count", str(MOST_LAUNCHES))
    largest = sizes()
    commands = commands_of(ROOT / "build" / "cuda", labs)

    def call(rung: str, num_items: int, options: Sequence[str]) -> dict[str, list[dict[str, str]]]:
        log = Path(temp) / f"{rung.replace('/', '-')}-{num_items}"
        command = [*commands[rung], f"--profile={num_items}", "--timed"]
        profiled([*command, *(f"--wrap={word}" for word in [*options, "--log-file", log])])
        return launches_of(log.read_text("utf-8"))

    def one(rung: str) -> dict[str, Any]:
        launches = call(rung, largest[rung], asked)
        times = {largest[rung]: time_of(launches)}
        for size in (largest[rung] // share for share in SHARES):
            try:
                times[size] = time_of(call(rung, size, timed))
            except MeasurementError as error:  # such as a size that the lab does not have
                print(f"not timed: {error}")
        return {"num_items": largest[rung], "kernels": kernels_of(launches), "times": times}

    chosen = [rung for rung in largest if rung in commands]
    with tempfile.TemporaryDirectory() as temp, ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(chosen, pool.map(one, chosen), strict=True))


@measurement("bounds", needs=f"{GPU} with ncu and the build cuda", writes=[BOUNDS])
def bounds(
    labs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LAB]...", help="Of these labs; the others keep theirs."),
    ] = None,
) -> None:
    """Ask Nsight Compute what bounds each rung's kernels, and how long they take at four sizes."""
    require_known("lab", labs, known_labs())
    file = BENCH / BOUNDS
    known = json.loads(file.read_text("utf-8"))["rungs"] if labs and file.is_file() else {}
    found = measure(labs or ())
    head = {**provenance(), "machine": gpu_fields("name,driver_version")[0]}
    write_json(BOUNDS, {**head, "rungs": {**known, **found}})
    measured_now(BOUNDS, found, labs or ())
