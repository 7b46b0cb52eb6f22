# SPDX-License-Identifier: MIT
"""Our solutions compared with every variant of NVIDIA's libraries, in one process."""

import json
from pathlib import Path
from typing import Annotated

import typer
from measurements import (
    BENCH,
    GPU,
    ROOT,
    gpu_name,
    measured_now,
    measurement,
    nvcc,
    output,
    write,
)

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
        "compare_library",
        [*includes, "--extended-lambda", "-lcublas"],
        [SOURCE, *beyond, *ours],
    )


@measurement(
    "library",
    needs=f"{GPU} and nvcc",
    writes=["GPU-library.json", "GPU-variants.json"],
    uses=[SOURCE],
)
def library(
    works: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORK]...", help="The others keep their times."),
    ] = None,
) -> None:
    """Time scans, selections, sorts and products against every variant of CUB and cuBLAS."""
    if unknown := {work.partition("_")[0] for work in works or ()} - set(LABS):
        raise typer.BadParameter(f"no work {unknown.pop()}; there are: {', '.join(LABS)}")
    file = ROOT / "build" / "library.json"
    output([build_library(), file, *(works or ())])
    name = f"{gpu_name()}-library.json"
    text = file.read_text("utf-8")
    write(name, merged((BENCH / name).read_text("utf-8"), text) if works else text)
    measured_now(name, labs={LABS[work.partition("_")[0]] for work in works or ()})


def merged(old_text: str, new_text: str) -> str:
    """The new report, and of the old one the works that were not measured again."""
    old, new = json.loads(old_text), json.loads(new_text)
    works: dict[str, list[str]] = {each["work"]: [] for each in old["results"] + new["results"]}
    again = {result["work"] for result in new["results"]}
    for report in (old, new):
        for result in report["results"]:
            if report is new or result["work"] not in again:
                works[result["work"]].append(json.dumps({"date": report["date"], **result}))
    head = json.dumps({key: value for key, value in new.items() if key != "results"})
    results = ",\n  ".join(line for lines in works.values() for line in lines)
    return f'{head[:-1]},\n "results": [\n  {results}\n]}}'
