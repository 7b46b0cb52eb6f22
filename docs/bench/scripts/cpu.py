# SPDX-License-Identifier: MIT
"""The cpu backend: the judge's overhead, and verdicts under many seeds."""

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer
from measurements import (
    IDLE,
    ROOT,
    MeasurementError,
    machine,
    measurement,
    output,
    provenance,
    write_json,
)

BUILD = ROOT / "build" / "cpu"
TIMES = ("seconds", "graded_at")  # what may differ between two runs of one seed


def grade(*options: str) -> tuple[dict, float]:
    with tempfile.TemporaryDirectory() as temp:
        out = Path(temp) / "out.json"
        begin = time.monotonic()
        command = [str(ROOT / "lab"), "grade", str(ROOT / "solutions"), "--backend", "cpu"]
        subprocess.run(
            [*command, "--json", str(out), "--results", temp, *options],
            capture_output=True,
            check=False,
            env={**os.environ, "LOCKSTEP_NVCC": "off"},  # what nvcc says depends on no seed
        )
        if not out.is_file():
            raise MeasurementError(
                "./lab grade solutions wrote no report; run it by hand and see why"
            )
        return json.loads(out.read_text()), time.monotonic() - begin


def without_times(value: object) -> object:
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in TIMES}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def verdicts(report: dict) -> list[tuple[str, str, float]]:
    return [
        (rung["id"], rung["outcome"], rung["score"])
        for submission in report["submissions"]
        for lab in submission["labs"]
        for rung in lab["rungs"]
    ]


@measurement("cpu", needs=IDLE, writes=["cpu.json"])
def cpu(
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds are compared.")] = 50,
    lab: Annotated[
        str, typer.Option(help="The lab whose solutions are graded; default: all.")
    ] = "",
) -> None:
    """Measure the judge, and compare the verdicts of many seeds."""
    lab_option = ["--lab", lab] if lab else []
    first, _ = grade("--seed", "1", "--jobs", "1", *lab_option)  # this builds everything
    second, one_job_seconds = grade("--seed", "1", "--jobs", "1", *lab_option)
    output(["cmake", "--build", BUILD, "--target", "judge_bench"])
    expected = verdicts(first)
    same = sum(
        verdicts(grade("--seed", str(seed), *lab_option)[0]) == expected
        for seed in range(1, seeds + 1)
    )
    grading = {
        "rungs": len(expected),
        "seconds_a_rung_one_job": round(one_job_seconds / len(expected), 2),
        "same_seed_same_json": without_times(first) == without_times(second),
        "seeds_with_the_same_verdicts": f"{same} of {seeds}",
    }
    report = {
        **provenance(),
        "machine": machine(),
        "compiler": first["toolchain"]["compiler"],
        "judge": json.loads(output([BUILD / "common/judge/judge_bench"])),
        "grading": grading,
    }
    write_json("cpu.json", report)
