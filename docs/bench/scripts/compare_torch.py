# SPDX-License-Identifier: MIT
"""Times four solutions and PyTorch, where the ladders have no NVIDIA library to compare with.

A summed-area table is torch.cumsum along rows, then along columns; a softmax is torch.softmax; attention is
torch's scaled_dot_product_attention by its flash backend, and by cuDNN's, which uses wgmma as our rung 07 does. All
sides take turns over the same inputs, which rotate through more than the caches hold; every result is compared first.
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
ATTENTION = ((64, 1024), (64, 4096), (64, 8192))  # heads, queries and keys; 4 batches of 16 heads
# The solutions' functions, as C sees them.
BRIDGE = """
#include "lab/scratch.cuh"
#include "attention.cuh"
#include "kernels.cuh"
#include "summed_area_table.cuh"
#define attention_bf16 wgmma_attention
#include "solutions/09-attention/07_wgmma.cu"
#undef attention_bf16
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
extern "C" int attention(const __nv_bfloat16* d_in, int num_heads, int length, __nv_bfloat16* d_out, void* d_scratch,
                         size_t size_bytes, cudaStream_t stream) {
  lab::Scratch scratch(d_scratch, size_bytes);
  const size_t size = size_t{lab::kHeadSize} * num_heads * length;
  lab::attention_bf16(d_in, d_in + size, d_in + 2 * size, num_heads, length, length, d_out, scratch, stream);
  return cudaPeekAtLastError();
}
extern "C" int wgmma(const __nv_bfloat16* d_in, int num_heads, int length, __nv_bfloat16* d_out, void* d_scratch,
                     size_t size_bytes, cudaStream_t stream) {
  lab::Scratch scratch(d_scratch, size_bytes);
  const size_t size = size_t{lab::kHeadSize} * num_heads * length;
  lab::wgmma_attention(d_in, d_in + size, d_in + 2 * size, num_heads, length, length, d_out, scratch, stream);
  return cudaPeekAtLastError();
}
"""

torch: Any
Call = Callable[[Any, Any], Any]  # from (input, output) to the tensor that has the result
Draw = Callable[[tuple[int, int]], tuple[Any, Any]]  # an input, and room for its output


def build(folder: Path) -> ctypes.CDLL:
    bridge, library = folder / "bridge.cu", folder / "solutions.so"
    bridge.write_text(BRIDGE)
    solutions = ("05-summed-area-table/04_single_pass.cu", "07-scheduling/08_softmax.cu")
    solutions = (*solutions, "09-attention/05_tensor_cores.cu")
    includes = (
        ".",
        "common/cuda",
        "labs/05-summed-area-table",
        "labs/07-scheduling",
        "labs/09-attention",
    )
    flags = [
        "-std=c++20",
        "-O3",
        "-gencode=arch=compute_90a,code=sm_90a",
        "-shared",
        "-Xcompiler=-fPIC",
    ]
    flags += [f"-I{ROOT / folder}" for folder in includes]
    files = [bridge, *(ROOT / "solutions" / name for name in solutions)]
    subprocess.run(["nvcc", *flags, *files, "-o", library], check=True)
    return ctypes.CDLL(str(library))


def ours(function: Any, scratch: Any) -> Call:
    pointer = ctypes.c_void_p
    function.argtypes = [pointer, *[ctypes.c_int] * 2, pointer, pointer, ctypes.c_size_t, pointer]

    def call(source: Any, target: Any) -> Any:
        stream = torch.cuda.current_stream().cuda_stream
        memory = (target.data_ptr(), scratch.data_ptr(), scratch.numel())
        status = function(source.data_ptr(), *target.shape[:2], *memory, stream)
        if status != 0:
            raise MeasurementError(f"{function.__name__}: CUDA error {status}")
        return target

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
    draw: Draw,
    shape: tuple[int, int],
    contenders: dict[str, Call],
    tolerance: float,
) -> dict[str, Any]:
    source, target = draw(shape)
    size_bytes = source.nbytes + target.nbytes
    num_pairs = max(2, min(256, BATCH_BYTES // size_bytes))
    pairs = [(source, target), *(draw(shape) for _ in range(num_pairs - 1))]
    expected = contenders["torch"](source, target.clone()).float()
    result = contenders["ours"](source, target).float()
    error = float(((result - expected).abs() / expected.abs().clamp(min=1e-30)).max())
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

    kernels = importlib.import_module("torch.nn.attention")

    def copy(source: Any, target: Any) -> Any:
        return target.copy_(source)

    def cumsum_twice(source: Any, target: Any) -> Any:
        return torch.cumsum(torch.cumsum(source, 1), 0, out=target)

    def softmax(source: Any, target: Any) -> Any:
        return torch.softmax(source, 1, out=target)

    def attention_by(backend: Any) -> Call:
        def attention(source: Any, _target: Any) -> Any:
            inputs = source.unflatten(1, (4, -1)).unbind(0)
            with kernels.sdpa_kernel(backend):
                outputs = torch.nn.functional.scaled_dot_product_attention(*inputs)
            return outputs.flatten(0, 1)

        return attention

    with tempfile.TemporaryDirectory() as temp:
        library = build(Path(temp))
    table, soft = ours(library.table, scratch), ours(library.softmax, scratch)

    def zeros_and_ones(shape: tuple[int, int]) -> tuple[Any, Any]:
        return torch.randint(0, 2, shape, device="cuda").float(), torch.empty(shape, device="cuda")

    def normal(shape: tuple[int, int]) -> tuple[Any, Any]:
        return torch.randn(shape, device="cuda"), torch.empty(shape, device="cuda")

    def positive_values(shape: tuple[int, int]) -> tuple[Any, Any]:
        """Normal queries and keys, and values whose means are far from 0: relative errors are small."""
        inputs = torch.randn((3, *shape, 128), device="cuda")
        inputs[2].uniform_()
        return inputs.bfloat16(), torch.empty((*shape, 128), dtype=torch.bfloat16, device="cuda")

    # Sums of floats are exact to 2^24 and rounded from there on, in another order on each side.
    both = {"ours": table, "torch": cumsum_twice, "copy": copy}
    rows = [compare("table", zeros_and_ones, shape, both, 1e-3) for shape in SUMMED]
    both = {"ours": soft, "torch": softmax, "copy": copy}
    rows += [compare("softmax", normal, shape, both, 1e-4) for shape in ROWS]
    backends = kernels.SDPBackend
    flash, cudnn = attention_by(backends.FLASH_ATTENTION), attention_by(backends.CUDNN_ATTENTION)
    both = {"ours": ours(library.attention, scratch), "torch": flash, "cudnn": cudnn}
    rows += [compare("attention", positive_values, shape, both, 2**-5) for shape in ATTENTION]
    both = {"ours": ours(library.wgmma, scratch), "torch": cudnn}
    rows += [compare("wgmma", positive_values, shape, both, 2**-5) for shape in ATTENTION]
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
    rows, attention, wgmma = [], [], []
    titles = {"table": "summed-area table, float", "softmax": "softmax, float"}
    for row in report["rows"]:
        shape = " x ".join(map(str, row["shape"]))
        taken = [f"{time:.4f}" for time in row["times_ms"].values()]
        if row["what"] == "attention":
            attention.append([shape, *taken, f"{row['of_torch']:.2f}"])
        elif row["what"] == "wgmma":
            wgmma.append([shape, *taken, f"{row['of_torch']:.2f}"])
        else:
            rows.append([titles[row["what"]], shape, *taken, f"{row['of_torch']:.2f}"])
    lines += markdown((*head, "times torch's speed"), rows, 4)
    if attention:
        heads = (
            "heads x queries and keys",
            "ours, ms",
            "flash backend, ms",
            "cuDNN backend, ms",
            "times flash's speed",
        )
        lines += [
            "",
            "Attention in bfloat16, not causal, with heads of 128 elements:",
            "",
            *markdown(heads, attention, 4),
        ]
    if wgmma:
        heads = ("heads x queries and keys", "ours, ms", "cuDNN backend, ms", "times cuDNN's speed")
        lines += ["", "The same by `09-attention/07_wgmma`:", "", *markdown(heads, wgmma, 3)]
    return "\n".join(lines)


class Step(str, Enum):
    RUN = "run"
    TABLE = "table"


@measurement("torch", needs="a GPU of 9.0, nvcc and torch for run", writes=["torch.json", TABLES])
def compare_torch(step: Step) -> None:
    """Time summed-area tables, softmaxes and attention against PyTorch, or make the table of it."""
    if step is Step.RUN:
        write_json("torch.json", run())
        measured_now("torch.json")
    else:
        write_section(TABLES, "PyTorch", table())
