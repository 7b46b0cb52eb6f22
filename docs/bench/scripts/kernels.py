# SPDX-License-Identifier: MIT
"""What checking costs: the processor time of kernels with all checks and with none."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from measurements import (
    IDLE,
    ROOT,
    MeasurementError,
    ProcessorTime,
    machine,
    measurement,
    output,
    processor,
    provenance,
    write_json,
)

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend
from lockstep_grader.student.program.build import Options, build_program
from lockstep_grader.student.program.run import Settings, run_program
from lockstep_grader.toolchain.build import build_backend
from lockstep_grader.toolchain.description import read_toolchain

BUILD = ROOT / "build" / "cpu"
CHECKS = ("all", "none")

# Calls the rung once on `size` items, or on square matrices of that width. The input is all ones.
MAIN = """
#include <vector>
int main() {{
  constexpr std::size_t kItems = {items};
  void* d_scratch = nullptr;
  {type}* d_in = nullptr;
  {type}* d_out = nullptr;
  constexpr std::size_t kScratchBytes = {scratch_bytes};
  cudaMalloc(&d_scratch, kScratchBytes);
  cudaMalloc(&d_in, kItems * sizeof({type}));
  cudaMalloc(&d_out, kItems * sizeof({type}));
  const std::vector<{type}> ones(kItems, 1);
  cudaMemcpy(d_in, ones.data(), kItems * sizeof({type}), cudaMemcpyHostToDevice);
  lab::Scratch scratch(d_scratch, kScratchBytes);
  {call};
  cudaDeviceSynchronize();
  cudaFree(d_in);
  cudaFree(d_out);
  cudaFree(d_scratch);
}}
"""
PRODUCT = "lab::matmul(d_in, d_in, {size}, {size}, {size}, d_out, scratch, nullptr)"
SUM = "lab::reduce_sum(d_in, {size}, d_out, scratch, nullptr)"
SCAN = "lab::exclusive_scan(d_in, {size}, d_out, scratch, nullptr)"
SORT = "lab::radix_sort(d_in, {size}, d_out, scratch, nullptr)"


@dataclass(frozen=True)
class Kernel:
    rung: str
    size: int
    type: str
    call: str

    @property
    def text(self) -> str:
        items = self.size**2 if self.call == PRODUCT else self.size
        call = self.call.format(size=self.size)
        # As the contracts in labs/ promise, rounded up.
        scratch_bytes = (16 * items if self.call == SORT else items // 4) + (1 << 20)
        main = MAIN.format(items=items, type=self.type, call=call, scratch_bytes=scratch_bytes)
        return (ROOT / "solutions" / f"{self.rung}.cu").read_text() + main


KERNELS = [
    Kernel("06-matmul/01_naive", 512, "float", PRODUCT),
    Kernel("06-matmul/02_tiled", 512, "float", PRODUCT),
    Kernel("06-matmul/05_warp_tiled", 512, "float", PRODUCT),
    Kernel("01-reduction/02_interleaved", 1 << 22, "float", SUM),
    Kernel("01-reduction/06_single_pass", 1 << 24, "float", SUM),
    Kernel("02-scan/06_decoupled_look_back", 1 << 22, "int", SCAN),
    Kernel("04-radix-sort/05_onesweep", 1 << 20, "std::uint32_t", SORT),
    Kernel("06-matmul/01_naive", 1024, "float", PRODUCT),
]


def processor_seconds(binary: Path, checks: str) -> float:
    """Of one run, with the device that it starts."""
    time = ProcessorTime()
    settings = {"LOCKSTEP_SEED": "0", "LOCKSTEP_CHECKS": checks, "LOCKSTEP_PROFILE": "0"}
    output([*time.words, binary], env={**os.environ, **settings})
    return time.seconds()


def check_it(binary: Path, folder: Path) -> None:
    ran = run_program(binary, (), Settings(), folder, "kernel")
    if ran.status != 0 or ran.findings:
        raise MeasurementError(f"{binary}: status {ran.status}, {ran.findings}")


def measured(kernel: Kernel, rounds: int, folder: Path) -> dict[str, object]:
    source = folder / "kernel.cu"
    source.write_text(kernel.text)
    include = (ROOT / "labs" / kernel.rung.split("/")[0],)
    steps = read_toolchain(BUILD / "lockstep.json").program
    binary = build_program(steps, [source], Options(include=include, std=20), folder, 1)
    check_it(binary, folder)
    seconds: dict[str, list[float]] = {checks: [] for checks in CHECKS}
    for _ in range(rounds):  # interleaved: both meet the same neighbours
        for checks in CHECKS:
            seconds[checks].append(processor_seconds(binary, checks))
    best = {f"checks_{checks}": round(min(times), 3) for checks, times in seconds.items()}
    ratio = round(best["checks_all"] / best["checks_none"], 2)
    return {"rung": kernel.rung, "size": kernel.size, **best, "ratio": ratio}


@measurement("kernels", needs=IDLE, writes=["kernels.json"])
def kernels(
    rounds: Annotated[int, typer.Option(min=1, help="Runs of each program.")] = 3,
) -> None:
    """Compare the processor time of kernels with all checks and with none."""
    workspace = Workspace(ROOT, ROOT / "build")
    build_backend(workspace, Backend.CPU, ["lockstep_run"], 2)
    rows = []
    for kernel in KERNELS:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(measured(kernel, rounds, Path(folder)))
    write_json(
        "kernels.json",
        {**provenance(), "machine": {**machine(), "processor": processor()}, "kernels": rows},
    )
