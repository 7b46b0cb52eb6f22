# SPDX-License-Identifier: MIT
"""Our solutions compared with every variant of NVIDIA's libraries, in one process."""

from pathlib import Path

from measurements import GPU, ROOT, gpu_name, measured_now, measurement, nvcc, output, write

SOLUTIONS = (
    "01-reduction/06_single_pass",
    "02-scan/06_decoupled_look_back",
    "03-compaction/03_single_pass",
    "04-radix-sort/05_onesweep",
    "04-radix-sort/06_pairs_and_types",
    "06-matmul/05_warp_tiled",
)
BEYOND = {  # define a rung's function, too: here it gets a name of its own
    "reduce_sum": "01-reduction/beyond/06_acquire_release",
    "exclusive_scan": "02-scan/beyond/06_resident_blocks",
    "compact": "03-compaction/beyond/03_resident_blocks",
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
        "compare_library", [*includes, "--extended-lambda", "-lcublas"], [SOURCE, *beyond, *ours]
    )


@measurement(
    "library",
    needs=f"{GPU} and nvcc",
    writes=["GPU-library.json", "GPU-variants.json"],
    uses=[SOURCE],
)
def library() -> None:
    """Time scans, selections, sorts and products against every variant of CUB and cuBLAS."""
    file = ROOT / "build" / "library.json"
    output([build_library(), file])
    name = f"{gpu_name()}-library.json"
    write(name, file.read_text("utf-8"))
    measured_now(name)
