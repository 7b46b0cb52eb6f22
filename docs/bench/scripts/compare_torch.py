# SPDX-License-Identifier: MIT
"""Times two solutions and PyTorch, where the ladders have no NVIDIA library to compare with.

A summed-area table is torch.cumsum along rows, then along columns; a softmax is torch.softmax. Both sides and a copy
take turns over the same inputs, which rotate through more than the caches hold; every result is compared first.
"""

import ctypes
import importlib
import json
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from measurements import (
    BENCH,
    GPU,
    ROOT,
    TABLES,
    MeasurementError,
    markdown,
    measured_now,
    measurement,
    provenance,
    write_json,
    write_section,
)

ROUNDS = 15
BATCH_BYTES = 4 << 30  # moved by a batch: about a millisecond of copying, and many times any L2
SUMMED = ((1024, 1024), (4096, 4096), (16384, 16384))  # height, width
ROWS = (  # rows, their length
    (4194304, 16), (2097152, 33), (1048576, 64), (524288, 100), (32768, 256), (65536, 1024), (8192, 32768), (1024, 262144),
)  # fmt: skip
# The solutions' functions, as C sees them.
BRIDGE = """
#include "lab/scratch.cuh"
#include "kernels.cuh"
#include "summed_area_table.cuh"
extern "C" int table(const float* d_in, int height, int width, float* d_out, void* d_scratch, size_t size_bytes,
                     cudaStream_t stream) {
  lab::Scratch scratch(d_scratch, size_bytes);
  lab::summed_area_table_float(d_in, width, height, d_out, scratch, stream);
  return cudaPeekAtLastError();
}
extern "C" int softmax(const float* d_in, int num_rows, int row_length, float* d_out, void*, size_t,
                       cudaStream_t stream) {
  lab::softmax(d_in, num_rows, row_length, d_out, stream);
  return cudaPeekAtLastError();
}
"""

torch: Any
Call = Callable[[Any, Any], None]  # (input, output), both tensors of one shape


def build(folder: Path) -> ctypes.CDLL:
    bridge, library = folder / "bridge.cu", folder / "solutions.so"
    bridge.write_text(BRIDGE)
    solutions = ("05-summed-area-table/04_single_pass.cu", "07-scheduling/08_softmax.cu")
    includes = ("common/cuda", "labs/05-summed-area-table", "labs/07-scheduling")
    flags = ["-std=c++20", "-O3", "-arch=native", "-shared", "-Xcompiler=-fPIC"]
    flags += [f"-I{ROOT / folder}" for folder in includes]
    files = [bridge, *(ROOT / "solutions" / name for name in solutions)]
    subprocess.run(["nvcc", *flags, *files, "-o", library], check=True)
    return ctypes.CDLL(str(library))


def ours(function: Any, scratch: Any) -> Call:
    pointer = ctypes.c_void_p
    function.argtypes = [pointer, *[ctypes.c_int] * 2, pointer, pointer, ctypes.c_size_t, pointer]

    def call(source: Any, target: Any) -> None:
        stream = torch.cuda.current_stream().cuda_stream
        memory = (target.data_ptr(), scratch.data_ptr(), scratch.numel())
        status = function(source.data_ptr(), *source.shape, *memory, stream)
        if status != 0:
            raise MeasurementError(f"{function.__name__}: CUDA error {status}")

    return call


def record(call: Call, pairs: Sequence[tuple[Any, Any]]) -> Any:
    """A graph of one call per pair: a replay takes the GPU's time without Python's."""
    for source, target in pairs:
        call(source, target)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        for source, target in pairs:
            call(source, target)
    graph.replay()
    return graph


def time_ms(graph: Any) -> float:
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    end.synchronize()
    return float(begin.elapsed_time(end))


def compare(
    name: str,
    draw: Callable[[tuple[int, int]], Any],
    shape: tuple[int, int],
    contenders: dict[str, Call],
    tolerance: float,
) -> dict[str, Any]:
    size_bytes = 8 * shape[0] * shape[1]  # read and written once
    num_pairs = max(2, min(256, BATCH_BYTES // size_bytes))
    pairs = [(draw(shape), torch.empty(shape, device="cuda")) for _ in range(num_pairs)]
    source, target = pairs[0]
    expected = target.clone()
    contenders["torch"](source, expected)
    contenders["ours"](source, target)
    error = float(((target - expected).abs() / expected.abs().clamp(min=1e-30)).max())
    if not error <= tolerance:
        raise MeasurementError(f"{name} {shape}: off by {error:g}, more than {tolerance:g}")
    graphs = {who: record(call, pairs) for who, call in contenders.items()}
    times: dict[str, list[float]] = {who: [] for who in contenders}
    for turn in range(ROUNDS):
        order = list(contenders)
        for who in order[turn % len(order) :] + order[: turn % len(order)]:
            times[who].append(time_ms(graphs[who]) / num_pairs)

    return {
        "what": name, "shape": shape,
        "times_ms": {who: round(statistics.median(measured), 6) for who, measured in times.items()},
        "of_torch": round(statistics.median(a / b for a, b in zip(times["torch"], times["ours"], strict=True)), 3),
        "largest_relative_error": error,
    }  # fmt: skip


def run() -> dict[str, Any]:
    global torch  # the table needs none
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        raise MeasurementError(
            "torch is missing; name a Python that has it: PYTHON=python3 docs/bench/measure torch run"
        ) from None
    scratch = torch.empty(1 << 28, dtype=torch.uint8, device="cuda")

    def copy(source: Any, target: Any) -> None:
        target.copy_(source)

    def cumsum_twice(source: Any, target: Any) -> None:
        torch.cumsum(torch.cumsum(source, 1), 0, out=target)

    def softmax(source: Any, target: Any) -> None:
        torch.softmax(source, 1, out=target)

    with tempfile.TemporaryDirectory() as temp:
        library = build(Path(temp))
    table, soft = ours(library.table, scratch), ours(library.softmax, scratch)

    def zeros_and_ones(shape: tuple[int, int]) -> Any:
        return torch.randint(0, 2, shape, device="cuda").float()

    def normal(shape: tuple[int, int]) -> Any:
        return torch.randn(shape, device="cuda")

    # Sums of floats are exact to 2^24 and rounded from there on, in another order on each side.
    both = {"ours": table, "torch": cumsum_twice, "copy": copy}
    rows = [compare("table", zeros_and_ones, shape, both, 1e-3) for shape in SUMMED]
    both = {"ours": soft, "torch": softmax, "copy": copy}
    rows += [compare("softmax", normal, shape, both, 1e-4) for shape in ROWS]
    return {
        **provenance(),
        "machine": torch.cuda.get_device_name(), "torch": torch.__version__, "cuda": torch.version.cuda,
        "rounds": ROUNDS, "rows": rows,
    }  # fmt: skip


def table() -> str:
    report = json.loads((BENCH / "torch.json").read_text())
    lines = [
        f"`{report['command']}`, {report['date']}: {report['machine']}, torch {report['torch']}. Medians of"
        f" {report['rounds']} paired rounds. Of 1 GiB, torch's copy_ moves fewer bytes per second than the copying kernel"
        " whose speed is the ladders' limit.",
        "",
    ]
    head = ("what", "rows x columns", "ours, ms", "torch, ms", "torch's copy_, ms")
    rows = []
    titles = {"table": "summed-area table, float", "softmax": "softmax, float"}
    for row in report["rows"]:
        times = row["times_ms"]
        shape = " x ".join(map(str, row["shape"]))
        taken = [f"{times[who]:.4f}" for who in ("ours", "torch", "copy")]
        rows.append([titles[row["what"]], shape, *taken, f"{row['of_torch']:.2f}"])
    return "\n".join([*lines, *markdown((*head, "times torch's speed"), rows, 4)])


class Step(str, Enum):
    RUN = "run"
    TABLE = "table"


@measurement("torch", needs=f"{GPU}, nvcc and torch for run", writes=["torch.json", TABLES])
def compare_torch(step: Step) -> None:
    """Time the summed-area tables and the softmaxes against PyTorch, or make the table of it."""
    if step is Step.RUN:
        write_json("torch.json", run())
        measured_now("torch.json")
    else:
        write_section(TABLES, "PyTorch", table())
