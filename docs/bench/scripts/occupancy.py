# SPDX-License-Identifier: MIT
"""Lab 07's occupancy formula compared with the driver's."""

from measurements import GPU, gpu_name, measured_now, measurement, nvcc, output, write

SOURCE = "docs/bench/scripts/compare_occupancy.cu"
SOLUTION = "solutions/07-scheduling/01_residency.cu"


@measurement("occupancy", needs=f"{GPU} and nvcc", writes=["GPU-occupancy.json"], uses=[SOURCE])
def occupancy() -> None:
    """Compare lab 07's occupancy formula with the driver's, for kernels of many shapes."""
    program = nvcc("compare_occupancy", ["-Ilabs/07-scheduling"], [SOURCE, SOLUTION])
    name = f"{gpu_name()}-occupancy.json"
    write(name, output([program]))
    measured_now(name)
