# SPDX-License-Identifier: MIT
"""What a GPU does with all labs: the ladders, our solutions compared with NVIDIA's libraries; and all measurements in turn.

A ladder is every rung at several sizes, compared with the device's limit and one variant of the library. `library` times
every variant of the libraries, in one process with ours.
"""

import json
import subprocess
import sys
import time
from math import isqrt
from pathlib import Path
from typing import Annotated, Any

import sources
import typer
from measurements import (
    BENCH,
    GPU,
    NOTHING,
    ROOT,
    SCRIPTS,
    MeasurementError,
    gpu_name,
    markdown,
    measured_now,
    measurement,
    nvcc,
    output,
    require_known,
    write_json,
)

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
    require_known("ladder", labs, known)
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


SOLUTIONS = (
    "01-reduction/06_single_pass",
    "02-scan/06_decoupled_look_back",
    "03-compaction/03_single_pass",
    "04-radix-sort/05_onesweep",
    "04-radix-sort/beyond/06_onesweep_pairs",
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


@measurement("streams", needs=f"{GPU} and nvcc", writes=[], uses=["docs/bench/scripts/streams.cu"])
def streams() -> None:
    """Time lab 12's solutions next to the engines of the device; prints a line per case."""
    rungs = sorted(str(file.relative_to(ROOT)) for file in ROOT.glob("solutions/12-streams/0*.cu"))
    files = ["docs/bench/scripts/streams.cu", "labs/12-streams/judge/reference.cpp", *rungs]
    program = nvcc("streams", ["-Ilabs/12-streams", "-Icommon/judge", "-x=cu"], [*files])
    print(output([program]))


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


@measurement("library", needs=f"{GPU} and nvcc", writes=["GPU-library.json"], uses=[SOURCE])
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
    "pairs": "pairs: `04-radix-sort/beyond/06_onesweep_pairs`",
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
    sources.write_table(PAGE, "library", table(array_head, ratios))
    sources.write_table(
        PAGE,
        "products",
        table(
            ["work", f"n = {sides[0]}", *sides[1:]],
            [(f"{dates['product']}, {PRODUCT}", [median(at, "ratio") for at in product.values()])],
        ),
    )
    sources.write_table(
        PAGE, "limits", table(sizes("share of the limit", works["scan"]), limits(works))
    )


STEPS = (
    ["grades"],
    ["ladders"],
    ["checkers", "cuda"],
    ["counters", "hardware"],
    ["torch", "run"],
    ["library"],
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
