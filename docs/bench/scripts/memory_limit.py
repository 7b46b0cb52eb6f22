# SPDX-License-Identifier: MIT
"""How much memory a worker gets that takes all it can at once, by each of the two limits."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from measurements import (
    ROOT,
    MeasurementError,
    machine,
    measurement,
    output,
    processor,
    provenance,
    write_json,
)

from lockstep_grader.confine.memory_group import NoMemoryGroup, use_memory_group

BUILD = ROOT / "build" / "cpu"


@measurement("memory-limit", needs="a delegated control group", writes=["memory-limit.json"])
def memory_limit(rounds: Annotated[int, typer.Option(min=1, help="Workers by each.")] = 10) -> None:
    """Measure how much memory a worker gets beyond its limit, with and without a control group."""
    group = use_memory_group()
    if isinstance(group, NoMemoryGroup):
        raise MeasurementError(f"{group.reason} (docs/sandbox.md)")
    output(["cmake", "--preset", "cpu"])
    output(["cmake", "--build", BUILD, "--target", "memory_limit_bench"])
    report = {
        **provenance(),
        "machine": {"processor": processor(), **machine()},
        "pages_counted": workers(rounds),
        "control_group": workers(rounds, group),
        "groups_left": len(list(group.glob("worker-*"))),
    }
    write_json("memory-limit.json", report)


def workers(rounds: int, *group: Path) -> dict[str, Any]:
    program = BUILD / "common/judge/memory_limit_bench"
    ended = [json.loads(output([program, *group])) for _ in range(rounds)]
    (limit,) = {each["limit_mib"] for each in ended}
    return {
        "limit_mib": limit,
        "peak_mib": sorted(each["peak_mib"] for each in ended),
        "verdicts": sorted({each["verdict"] for each in ended}),
    }
