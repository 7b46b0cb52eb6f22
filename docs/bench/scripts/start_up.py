# SPDX-License-Identifier: MIT
"""CPU time that `./lab list` and `./lab --help` take, the shell of the launcher included.

Best of ROUNDS after one start that is not counted. Run it on an idle core: other work on the
same core or its sibling makes CPU time longer, too. Needs the private .venv, as any `./lab` makes it.
"""

import os
import platform
import resource
import subprocess
from pathlib import Path

from measurements import IDLE, ROOT, measurement, provenance, write_json

ROUNDS = 5
COMMANDS = ("list", "--help")


def cpu_seconds(argument: str) -> float:
    """User and system time of one start and all its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([ROOT / "lab", argument], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()


@measurement("start-up", needs=IDLE, writes=["start-up.json"])
def start_up() -> None:
    """Measure the processor time of `./lab list` and `./lab --help`."""
    measured = {}
    for command in COMMANDS:
        cpu_seconds(command)  # byte code and the disk's cache
        measured[command] = [round(cpu_seconds(command), 3) for _ in range(ROUNDS)]
    python = subprocess.run(
        [ROOT / ".venv" / "bin" / "python", "--version"], capture_output=True, text=True, check=True
    )
    report = {
        **provenance(),
        "machine": {
            "processor": processor(),
            "cores": os.cpu_count(),
            "load_average": round(os.getloadavg()[0], 1),
            "python": python.stdout.strip(),
        },
        "cpu_seconds": {
            name: {"best": min(times), "all": times} for name, times in measured.items()
        },
    }
    write_json("start-up.json", report)
