# SPDX-License-Identifier: MIT
"""How much verdicts on speed vary, and how long they take: solutions, each judged many times."""

import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from measurements import (
    GPU,
    ROOT,
    MeasurementError,
    cuda_build,
    gpu_name,
    measured_now,
    measurement,
    provenance,
    write,
)

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Lab, Outcome, Part, Rung, TestResult
from lockstep_grader.model.score import credited

# The fastest, nearest to its gate; a slow one; one of several launches.
RUNGS = (
    "01-reduction/06_single_pass",
    "01-reduction/02_interleaved",
    "04-radix-sort/05_onesweep",
)
NUM_ITEMS = 1 << 28
HEAD = (
    "rung",
    "verdicts",
    "s, median",
    "s, longest",
    "gate",
    "full",
    "credited",
    "full marks",
)

Line = Mapping[str, Any]


@measurement("verdicts", needs=f"{GPU}, after ./lab grade", writes=["GPU-verdicts.*"])
def verdicts(
    names: Annotated[list[str] | None, typer.Argument(metavar="[LAB/RUNG]...")] = None,
    count: Annotated[int, typer.Option(min=1, help="How many verdicts per rung.")] = 100,
) -> None:
    """Judge the speed of some solutions many times, to see how much verdicts differ."""
    labs = read_labs(Workspace(ROOT, ROOT / "build"))
    known = {f"{lab.id}/{rung.id}": (lab, rung) for lab in labs for rung in lab.rungs}
    if unknown := [name for name in names or () if name not in known]:
        raise typer.BadParameter(f"no rung {unknown[0]}; ./lab list has all")
    lines: list[Line] = []
    rows = []
    for name in names or RUNGS:
        lab, rung = known[name]
        judged = [{"rung": name, **line} for line in repeated(lab, rung, count)]
        lines += judged
        rows += list(summary(name, rung, judged))
    figures = f"{gpu_name()}-verdicts"
    write(f"{figures}.jsonl", "\n".join(json.dumps(line) for line in lines))
    write(f"{figures}.md", page(rows))
    for suffix in ("jsonl", "md"):
        measured_now(f"{figures}.{suffix}", names or RUNGS)


def repeated(lab: Lab, rung: Rung, count: int) -> Iterator[dict[str, Any]]:
    """The judge's lines on the rung's solution, each with the seconds that it took."""
    tools = cuda_build()
    with tempfile.TemporaryDirectory(prefix="lockstep-verdicts-") as temp:
        command = [
            tools["labs"][lab.id]["judge"],
            f"--rung={rung.id}",
            f"--worker={worker(lab, rung)}",
            f"--reference={worker(lab, rung)}",
            f"--first={worker(lab, lab.rungs[0])}",
            f"--first-times={temp}/first-times",
            f"--anchors={tools['anchors']}",
            f"--bench={','.join([str(NUM_ITEMS)] * count)}",
        ]
        begin = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as judge:
            for text in judge.stdout or ():
                now = time.monotonic()
                yield {"seconds": round(now - begin, 3), **json.loads(text)}
                begin = now
    if judge.returncode != 0:
        raise MeasurementError(f"the judge of {lab.id} ended with {judge.returncode}")


def worker(lab: Lab, rung: Rung) -> Path:
    slug = lab.id.partition("-")[2].replace("-", "_")
    return ROOT / "build" / "cuda" / "workers" / f"{slug}_{rung.id}_worker" / "worker"


def summary(name: str, rung: Rung, judged: Sequence[Line]) -> Iterator[Sequence[str]]:
    """A row per gate: what counted for it, and how often that was the full mark."""
    failed = [line["failure"] for line in judged if "failure" in line]
    if failed:
        raise MeasurementError(f"{len(failed)} verdicts on {name} failed, one of them: {failed[0]}")
    seconds = [line["seconds"] for line in judged]
    for gate in rung.speed:
        counted = [value for line in judged if (value := credited(gate, as_test(line))) is not None]
        full = sum(gate.fraction(value) == 1 for value in counted)
        yield (
            f"`{name}`",
            str(len(counted)),
            f"{statistics.median(seconds):.2f}",
            f"{max(seconds):.2f}",
            f"`{gate.name}`",
            f"{gate.full:g}",
            f"{min(counted):.3f} to {max(counted):.3f}, median {statistics.median(counted):.3f}",
            f"{full} of {len(counted)}",
        )


def as_test(line: Line) -> TestResult:
    measures = {key: float(value) for key, value in line.items() if type(value) in (int, float)}
    return TestResult("speed", Part.EFFICIENCY, Outcome.PASSED, "", measures=measures)


def page(rows: Sequence[Sequence[str]]) -> str:
    made = provenance()
    lines = [
        f"<!-- {made['command']} -->",
        "",
        f"Judged on {made['date']}, {NUM_ITEMS} items, each time with new workers and new data.",
        "",
        f"| {' | '.join(HEAD)} |",
        f"|{'---|' * len(HEAD)}",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]
    return "\n".join(lines)
