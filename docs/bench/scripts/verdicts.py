# SPDX-License-Identifier: MIT
"""How much the verdict on one file varies: its share of read bandwidth, judged many times."""

import json
from typing import Annotated

import typer
from measurements import GPU, ROOT, gpu_name, measurement, output, write

LAB, RUNG, NUM_ITEMS = "01-reduction", "06_single_pass", 1 << 28


@measurement("verdicts", needs=f"{GPU}, after ./lab grade", writes=["GPU-verdicts.jsonl"])
def verdicts(count: Annotated[int, typer.Option(min=1, help="How many verdicts.")] = 100) -> None:
    """Judge the speed of one solution many times, to see how much verdicts differ."""
    build = ROOT / "build" / "cuda"
    tools = json.loads((build / "lockstep.json").read_text("utf-8"))["labs"][LAB]
    worker = build / "workers" / f"reduction_{RUNG}_worker" / "worker"
    command = [
        tools["judge"],
        f"--rung={RUNG}",
        f"--worker={worker}",
        f"--anchors={tools['anchors']}",
    ]
    lines = [output([*command, f"--bench={NUM_ITEMS}"]).splitlines()[-1] for _ in range(count)]
    write(f"{gpu_name()}-verdicts.jsonl", "\n".join(lines))
