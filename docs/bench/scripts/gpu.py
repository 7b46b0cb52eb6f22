# SPDX-License-Identifier: MIT
"""Runs all measurements that need a GPU, one after the other."""

import subprocess
import sys
import time

from measurements import GPU, SCRIPTS, MeasurementError, gpu_name, measurement

STEPS = (
    ["grades"],
    ["ladders"],
    ["checkers", "cuda"],
    ["counters", "hardware"],
    ["torch", "run"],
    ["occupancy"],
    ["library"],
    ["library-counters"],
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
