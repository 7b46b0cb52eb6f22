# SPDX-License-Identifier: MIT
"""Extracts the counters of our kernels and the library's from the CSV of Nsight Compute:

    s=smsp__average_warps_issue_stalled p=_per_issue_active.ratio
    t=throughput.avg.pct_of_peak_sustained_elapsed
    ours='warp_tiled|single_pass_kernel|resident_blocks|look_back_kernel'
    ncu --clock-control none --csv --page raw \\
        --filter-mode per-launch-config --launch-count 1 \\
        -k regex:"$ours|ffma|DeviceScanKernel|DeviceSelectSweep" \\
        --metrics gpu__time_duration.sum,dram__$t,lts__$t,l1tex__$t,sm__$t,\\
    smsp__issue_active.avg.pct_of_peak_sustained_active,${s}_dispatch_stall$p,${s}_barrier$p,\\
    ${s}_long_scoreboard$p,${s}_short_scoreboard$p,${s}_wait$p,${s}_lg_throttle$p \\
        build/compare_library /dev/null |
        python3 docs/bench/library_counters.py > docs/bench/h200-library-counters.json

Nsight Compute measures the first launch of each kernel and grid. If several sizes have the same
grid, that is the smallest size. Shares are in percent of the peak. "stalled" is the number of warps
that wait for that reason, per instruction that a scheduler issues.
"""

import csv
import json
import re
import sys

STALLED = "smsp__average_warps_issue_stalled"
SHARES = ("dram", "lts", "l1tex", "sm")
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


def main() -> None:
    table = csv.DictReader(line for line in sys.stdin if line.startswith('"'))
    units = next(table, {})  # the row below the names
    if "gpu__time_duration.sum" not in units:
        sys.exit("library_counters.py: pipe the CSV of Nsight Compute in; see the head of this file")
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
    lines = ",\n  ".join(json.dumps(row) for row in rows)
    print(f'{{"gpu": "{gpu}", "launches": [\n  {lines}\n]}}')


if __name__ == "__main__":
    main()
