# SPDX-License-Identifier: MIT
"""The counters of our kernels and the library's, from Nsight Compute.

Nsight Compute measures the first launch of each kernel and grid. If several sizes have the same
grid, that is the smallest size. Shares are in percent of the peak. "stalled" is the number of warps
that wait for that reason, per instruction that a scheduler issues.
"""

import csv
import json
import re
from collections.abc import Iterable

from library import build_library
from measurements import GPU, MeasurementError, gpu_name, measured_now, measurement, output, write

STALLED = "smsp__average_warps_issue_stalled"
SHARES = ("dram", "lts", "l1tex", "sm")
KERNELS = "warp_tiled|single_pass_kernel|resident_blocks|look_back_kernel|ffma|DeviceScanKernel|DeviceSelectSweep"
STALLS = ("dispatch_stall", "barrier", "long_scoreboard", "short_scoreboard", "wait", "lg_throttle")


def number(text: str) -> float:
    return float(text.replace(",", ""))


def kernel_name(full: str) -> str:
    """Without the return type, the namespaces and the parameters."""
    name = re.sub(r"\(anonymous namespace\)::|<unnamed>::", "", full).removeprefix("void ")
    shape = re.search(r"tilesize\w+?(?=_stage)", name)
    if shape:
        return f"cublas {shape[0]}"
    base = re.split(r"[<(]", name)[0].split("::")[-1]
    arguments = re.match(r"[\w:]*<([\d, ]+)>", name)
    return f"{base}<{arguments[1]}>" if arguments else base


def command() -> list[str]:
    metrics = ["gpu__time_duration.sum", "smsp__issue_active.avg.pct_of_peak_sustained_active"]
    metrics += [f"{unit}__throughput.avg.pct_of_peak_sustained_elapsed" for unit in SHARES]
    metrics += [f"{STALLED}_{reason}_per_issue_active.ratio" for reason in STALLS]
    ncu = ["ncu", "--clock-control", "none", "--csv", "--page", "raw"]
    ncu += ["--filter-mode", "per-launch-config", "--launch-count", "1"]
    return [*ncu, "-k", f"regex:{KERNELS}", "--metrics", ",".join(metrics)]


@measurement("library-counters", needs=f"{GPU}, nvcc and ncu", writes=["GPU-library-counters.json"])
def library_counters() -> None:
    """Read the shares of the peaks and the reasons for stalls, of our kernels and the library's."""
    counted = output([*command(), build_library(), "/dev/null"])
    name = f"{gpu_name()}-library-counters.json"
    write(name, summary(counted.splitlines()))
    measured_now(name)


def summary(lines: Iterable[str]) -> str:
    """JSON of what Nsight Compute printed, one launch per line."""
    table = csv.DictReader(line for line in lines if line.startswith('"'))
    units = next(table, {})  # the row below the names
    if "gpu__time_duration.sum" not in units:
        raise MeasurementError("Nsight Compute printed no table; run ./lab doctor")
    in_us = {"ns": 1e-3, "us": 1.0, "ms": 1e3}[units["gpu__time_duration.sum"]]
    gpu = ""
    rows = []
    for row in table:
        gpu = row["device__attribute_display_name"]
        found = {
            "kernel": kernel_name(row["Kernel Name"]),
            "grid": row["Grid Size"],
            "us": round(number(row["gpu__time_duration.sum"]) * in_us, 2),
        }
        for unit in SHARES:
            found[unit] = number(row[f"{unit}__throughput.avg.pct_of_peak_sustained_elapsed"])
        found["issue"] = number(row["smsp__issue_active.avg.pct_of_peak_sustained_active"])
        found["stalled"] = {
            reason: number(row[f"{STALLED}_{reason}_per_issue_active.ratio"]) for reason in STALLS
        }
        rows.append(found)
    launches = ",\n  ".join(json.dumps(row) for row in rows)
    return f'{{"gpu": "{gpu}", "launches": [\n  {launches}\n]}}'
