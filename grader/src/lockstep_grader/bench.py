# SPDX-License-Identifier: MIT
"""`bench`: hands over to the benchmark program of a built backend."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from lockstep_grader.errors import FaultError

_PROGRAM = "lab_bench"


def bench(build: Path, arguments: Sequence[str]) -> int:
    """Runs BUILD/lab_bench and returns its exit status. Raises FaultError when there is none."""
    program = build / _PROGRAM
    if not program.is_file():
        raise FaultError(
            f"{program} is not there: benchmarks belong to the {build.name} backend's build; "
            f"make it with: cmake --preset {build.name} && cmake --build --preset {build.name}"
        )
    return subprocess.run([program, *arguments]).returncode
