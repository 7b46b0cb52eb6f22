# SPDX-License-Identifier: MIT
"""The cpu backend: what checking costs, and how long a student waits for a verdict.

`first-verdict` makes the students' copy, clones it into an empty folder with empty caches, and runs the first check
there; then saves the solution of every rung of each LAB under `watch`. Only pip's downloads are cached: a first round,
which does not count, fetches them. Last, it grades all solutions in this checkout, where everything is built. All of it
without nvcc.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

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
    require_known,
    write_json,
)

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend
from lockstep_grader.student.program.build import Options, build_program
from lockstep_grader.student.program.run import Settings, run_program
from lockstep_grader.toolchain.description import build_backend, read_toolchain

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
    ran = run_program(binary, (), Settings(), folder, name="kernel")
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
def kernels(rounds: Annotated[int, typer.Option(min=1, help="Runs of each program.")] = 3) -> None:
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


TARGET = "00-threads/01_matrix_add"


@measurement("first-verdict", needs=IDLE, writes=["first-verdict.json"])
def first_verdict(
    labs: Annotated[list[str] | None, typer.Argument(metavar="[LAB]...")] = None,
) -> None:
    """Measure a student's first check, and each verdict after a save."""
    known = sorted(path.name for path in (ROOT / "solutions").iterdir() if path.is_dir())
    require_known("lab", labs, known)
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="lockstep-first-") as temp:
        work = Path(temp)
        make_copy(work / "copy")
        caches = {"PIP_CACHE_DIR": str(work / "pip"), "LOCKSTEP_NVCC": "off"}
        env = {**os.environ, **caches}
        first_check(work, "downloads", env)
        cold = first_check(work, "cold", env)
        warm = first_check(work, "cold", env, checkout="second")
        saves = list(save_to_verdict(work / "checkout-cold", env, labs or known))
        graded = grade_solutions(work, env)
    report = {
        **provenance(),
        "machine": {"processor": processor(), **machine(), "load_before": round(load, 2)},
        "first_check": cold,
        "second_checkout_with_the_first_ones_caches": warm,
        "save_to_verdict": saves,
        "grade_solutions": graded,
    }
    write_json("first-verdict.json", report)
    slowest = max(saves, key=lambda save: save["seconds"])
    print(f"first verdict {cold['seconds']} s ({cold['cpu_seconds']} s of processor time)")
    print(f"slowest save {slowest['seconds']} s: {slowest['rung']}")
    print(f"all solutions {graded['seconds']} s ({graded['cpu_seconds']} s of processor time)")


def make_copy(folder: Path) -> None:
    run(["./lab", "release", "--output", str(folder)], ROOT, os.environ)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "The students' copy"]):
        author = ["-c", "user.name=Lockstep", "-c", "user.email=lockstep@example.org"]
        run(["git", *author, *command], folder, os.environ)


def first_check(
    work: Path, caches: str, env: Mapping[str, str], checkout: str = ""
) -> dict[str, Any]:
    """Clones the copy and checks a starter. Returns the time, with pip's stage apart."""
    folder = work / f"checkout-{checkout or caches}"
    cached = work / f"caches-{caches}"
    moved = {**env, "XDG_CACHE_HOME": str(cached / "xdg"), "CCACHE_DIR": str(cached / "ccache")}
    spent, begin = ProcessorTime(), time.monotonic()
    run(["git", "clone", "-q", str(work / "copy"), str(folder)], work, moved)
    check = [*spent.words, "./lab", "check", TARGET, "--backend", "cpu"]
    checked = run(check, folder, moved, expected=1)
    seconds = time.monotonic() - begin
    if "not written yet" not in checked.stdout:
        sys.exit(f"the starter was not judged: {checked.stdout}{checked.stderr}")
    return {
        "seconds": round(seconds, 1),
        "cpu_seconds": round(spent.seconds(), 1),
        "said": checked.stderr.splitlines(),
    }


def save_to_verdict(
    folder: Path, env: Mapping[str, str], labs: list[str]
) -> Iterator[dict[str, Any]]:
    """The time from a save to the end of the verdict under `watch`, for each rung's solution."""
    for lab in labs:
        for solution in sorted((ROOT / "solutions" / lab).glob("[0-9]*.cu")):
            rung = f"{lab}/{solution.stem}"
            watching = subprocess.Popen(
                ["./lab", "watch", rung, "--backend", "cpu"],
                cwd=folder,
                env=dict(env),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            wait_for_round(watching)
            begin = time.monotonic()
            shutil.copyfile(solution, folder / "labs" / lab / solution.name)
            said = wait_for_round(watching)
            seconds = time.monotonic() - begin
            watching.terminate()
            watching.wait()
            if "passed" not in said:
                sys.exit(f"{rung}: the solution did not pass: {said}")
            yield {"rung": rung, "seconds": round(seconds, 2)}


def grade_solutions(work: Path, env: Mapping[str, str]) -> dict[str, float]:
    """The time to grade all solutions, once everything is built."""
    grade = ["./lab", "grade", "solutions", "--backend", "cpu", "--results"]
    run([*grade, str(work / "built"), "--lab", "00-threads"], ROOT, env)
    build = Workspace(ROOT, ROOT / "build").build(Backend.CPU)
    run(["cmake", "--build", str(build), "--target", "lockstep"], ROOT, env)
    spent, begin = ProcessorTime(), time.monotonic()
    run([*spent.words, *grade, str(work / "results")], ROOT, env)
    seconds = time.monotonic() - begin
    return {"seconds": round(seconds, 1), "cpu_seconds": round(spent.seconds(), 1)}


def wait_for_round(watching: subprocess.Popen[str]) -> str:
    said = ""
    for line in watching.stdout or ():
        said += line
        if "waiting for the next save" in line:
            return said
    sys.exit(f"watch ended: {said}")


def run(
    argv: list[str], cwd: Path, env: Mapping[str, str], expected: int = 0
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(argv, cwd=cwd, env=dict(env), capture_output=True, text=True, check=False)
    if done.returncode != expected:
        sys.exit(f"{' '.join(argv)} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done
