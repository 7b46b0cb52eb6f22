# SPDX-License-Identifier: MIT
"""The cost of checking and counting, compared with the same kernels without either."""

import json
import statistics
from typing import Annotated, Any

import typer
from measurements import IDLE, ROOT, machine, measurement, output, provenance, write_json

RATIOS = ("checked_over_plain", "counted_over_plain", "counted_over_checked")


@measurement("cost", needs=IDLE, writes=["cost.json"])
def cost(rounds: Annotated[int, typer.Option(min=1, help="Runs of the program.")] = 5) -> None:
    """Measure what checking and counting cost; the median run of several."""
    build = ROOT / "build" / "cpu"
    output(["cmake", "--preset", "cpu"])
    output(["cmake", "--build", build, "--target", "simt_cost"])
    runs = [json.loads(output([build / "common/simt/bench/simt_cost"])) for _ in range(rounds)]
    kernels = [
        median([row for run in runs for row in run if row["kernel"] == name])
        for name in names(runs[0])
    ]
    write_json(
        "cost.json", {**provenance(), "machine": machine(), "rounds": rounds, "kernels": kernels}
    )


def names(run: list[dict[str, Any]]) -> list[str]:
    return [row["kernel"] for row in run]


def median(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The times of the fastest run, and each ratio's median, lowest and highest value."""
    fastest = min(rows, key=lambda row: row["checked_ms"])
    ratios = {}
    for ratio in RATIOS:
        values = [row[ratio] for row in rows]
        ratios[ratio] = {
            "median": statistics.median(values),
            "lowest": min(values),
            "highest": max(values),
        }
    return {**fastest, **ratios}
