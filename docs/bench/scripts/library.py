# SPDX-License-Identifier: MIT
"""Our solutions compared with every variant of NVIDIA's libraries: times in one process, counters, tables.

Nsight Compute measures the first launch of each kernel and grid. If several sizes have the same grid, that is the
smallest size. Shares are in percent of the peak. "stalled" is the number of warps that wait for that reason, per
instruction that a scheduler issues.
"""

import csv
import json
import re
from collections.abc import Iterable
from math import isqrt
from pathlib import Path
from typing import Annotated, Any

import typer
from measurements import (
    BENCH,
    GPU,
    NOTHING,
    ROOT,
    MeasurementError,
    gpu_name,
    markdown,
    measured_now,
    measurement,
    nvcc,
    output,
    write_json,
)
from sources import write_table

SOLUTIONS = (
    "01-reduction/06_single_pass",
    "02-scan/06_decoupled_look_back",
    "03-compaction/03_single_pass",
    "04-radix-sort/05_onesweep",
    "04-radix-sort/06_pairs_and_types",
    "06-matmul/05_warp_tiled",
)
BEYOND = {  # define a rung's function, too: here it gets a name of its own
    "reduce_sum": "01-reduction/beyond/06_numbered_sums",
    "exclusive_scan": "02-scan/beyond/06_resident_blocks",
    "compact": "03-compaction/beyond/03_resident_blocks",
}
LABS = {  # of each work, without "_beyond"
    "reduce": "01-reduction",
    "scan": "02-scan",
    "select": "03-compaction",
    "keys": "04-radix-sort",
    "pairs": "04-radix-sort",
    "product": "06-matmul",
}
SOURCE = "docs/bench/scripts/compare_library.cu"


def build_library() -> Path:
    labs = sorted({name.partition("/")[0] for name in SOLUTIONS})
    includes: list[str | Path] = [f"-Ilabs/{lab}" for lab in labs]
    beyond = [
        nvcc(
            f"beyond_{function}.o",
            [*includes, f"-D{function}={function}_beyond", "-c"],
            [f"solutions/{name}.cu"],
        )
        for function, name in BEYOND.items()
    ]
    ours = [f"solutions/{name}.cu" for name in SOLUTIONS]
    return nvcc(
        "compare_library", [*includes, "--extended-lambda", "-lcublas"], [SOURCE, *beyond, *ours]
    )


@measurement(
    "library",
    needs=f"{GPU} and nvcc",
    writes=["GPU-library.json", "GPU-variants.json"],
    uses=[SOURCE],
)
def library(
    works: Annotated[
        list[str] | None, typer.Argument(metavar="[WORK]...", help="The others keep their times.")
    ] = None,
) -> None:
    """Time scans, selections, sorts and products against every variant of CUB and cuBLAS."""
    if unknown := {work.partition("_")[0] for work in works or ()} - set(LABS):
        raise typer.BadParameter(f"no work {unknown.pop()}; there are: {', '.join(LABS)}")
    file = ROOT / "build" / "library.json"
    output([build_library(), file, *(works or ())])
    name = f"{gpu_name()}-library.json"
    report = json.loads(file.read_text("utf-8"))
    if works:
        report = merged(json.loads((BENCH / name).read_text("utf-8")), report)
    write_json(name, report)
    measured_now(name, labs={LABS[work.partition("_")[0]] for work in works or ()})


def merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The new report, and of the old one the works that were not measured again."""
    again = {result["work"] for result in new["results"]}
    order = list(dict.fromkeys(each["work"] for each in old["results"] + new["results"]))
    kept = [result for result in old["results"] if result["work"] not in again]
    dated = [{"date": old["date"], **result} for result in kept]
    dated += [{"date": new["date"], **result} for result in new["results"]]
    return {**new, "results": sorted(dated, key=lambda result: order.index(result["work"]))}


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
    write_json(name, summary(counted.splitlines()))
    measured_now(name)


def summary(lines: Iterable[str]) -> dict[str, Any]:
    """What Nsight Compute printed, one launch per line."""
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
    return {"gpu": gpu, "launches": rows}


FIGURES = BENCH / "h200-library.json"
PAGE = ROOT / "docs" / "measured.md"
ARRAYS = {
    "reduce": "sum: `01-reduction/06_single_pass`",
    "reduce_beyond": "sum: `01-reduction/beyond/06_numbered_sums`",
    "scan": "scan: `02-scan/06_decoupled_look_back`",
    "scan_beyond": "scan: `02-scan/beyond/06_resident_blocks`",
    "select": "selection of half: `03-compaction/03_single_pass`",
    "select_beyond": "selection of half: `03-compaction/beyond/03_resident_blocks`",
    "keys": "keys: `04-radix-sort/05_onesweep`",
    "pairs": "pairs: `04-radix-sort/06_pairs_and_types`",
}
PRODUCT = "`06-matmul/05_warp_tiled`, n x n"
# What no scan and no selection can be faster than, and the library's rows.
LIMITS = {"scan": "memcpy_ms", "select": "read_all_write_half_ms"}
LIBRARY_ROWS = {"scan": "CUB, scan", "select": "CUB, selection"}

Measured = dict[int, dict[str, Any]]  # by items: the figures of calls that wait in the queue


def median(figures: dict[str, Any], name: str) -> float:
    return float(figures[name][1])


def table(head: list[str], rows: list[tuple[str, list[float]]]) -> str:
    cells = [[name, *(f"{each:.2f}" for each in row)] for name, row in rows]
    return "\n".join(markdown(head, cells, len(head) - 1))


def sizes(first: str, measured: Measured) -> list[str]:
    powers = [items.bit_length() - 1 for items in measured]
    return [first, f"2^{powers[0]} items", *(f"2^{power}" for power in powers[1:])]


def limits(works: dict[str, Measured]) -> list[tuple[str, list[float]]]:
    rows = []
    for kind, limit in LIMITS.items():
        for work in (kind, f"{kind}_beyond"):
            shares = [median(at, limit) / median(at, "ours_ms") for at in works[work].values()]
            rows.append((ARRAYS[work], shares))
        fastest = [
            median(at, limit) / median(at, f"{at['fastest']}_ms") for at in works[kind].values()
        ]
        rows.append((LIBRARY_ROWS[kind], fastest))
    return rows


@measurement("library-tables", needs=NOTHING, writes=["../measured.md"])
def library_tables() -> None:
    """Write the tables on the libraries in docs/measured.md anew."""
    report = json.loads(FIGURES.read_text("utf-8"))
    works: dict[str, Measured] = {}
    dates: dict[str, str] = {}
    for each in report["results"]:
        works.setdefault(each["work"], {})[each["items"]] = each["queued"]
        dates[each["work"]] = each.get("date", report["date"])
    ratios = [
        (f"{dates[work]}, {name}", [median(at, "ratio") for at in works[work].values()])
        for work, name in ARRAYS.items()
    ]
    product = works["product"]
    sides = [str(isqrt(items)) for items in product]
    array_head = sizes("work", works["scan"])
    write_table(PAGE, "library", table(array_head, ratios))
    write_table(
        PAGE,
        "products",
        table(
            ["work", f"n = {sides[0]}", *sides[1:]],
            [(f"{dates['product']}, {PRODUCT}", [median(at, "ratio") for at in product.values()])],
        ),
    )
    write_table(PAGE, "limits", table(sizes("share of the limit", works["scan"]), limits(works)))
