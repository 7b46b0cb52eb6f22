# SPDX-License-Identifier: MIT
"""The cpu backend: the judge and its verdicts, starting `./lab`, what checking costs, the limit of memory, and how long a student waits for a verdict.

`first-verdict` makes the students' copy, clones it into an empty folder with empty caches, and runs the first check
there; then saves the solution of every rung of each LAB under `watch`. Only pip's downloads are cached: a first round,
which does not count, fetches them. Last, it grades all solutions in this checkout, where everything is built. All of it
without nvcc.
"""

import json
import os
import platform
import resource
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
    load_before,
    machine,
    measurement,
    output,
    processor,
    provenance,
    rungs_of,
    write_json,
)

from lockstep_grader.confine.memory_group import NoMemoryGroup, use_memory_group
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


@measurement("memory-limit", needs="a delegated control group", writes=["memory-limit.json"])
def memory_limit(rounds: Annotated[int, typer.Option(min=1, help="Workers by each.")] = 10) -> None:
    """Measure how much memory a worker gets beyond its limit, with and without a control group."""
    group = use_memory_group()
    if isinstance(group, NoMemoryGroup):
        raise MeasurementError(f"{group.reason} (docs/sandbox.md)")
    output(["cmake", "--preset", "cpu"])
    output(["cmake", "--build", BUILD, "--target", "memory_limit_bench"])
    report = {
        **provenance(),
        "machine": {"processor": processor(), **machine()},
        "pages_counted": workers(rounds),
        "control_group": workers(rounds, group),
        "groups_left": len(list(group.glob("worker-*"))),
    }
    write_json("memory-limit.json", report)


def workers(rounds: int, *group: Path) -> dict[str, Any]:
    program = BUILD / "common/judge/memory_limit_bench"
    ended = [json.loads(output([program, *group])) for _ in range(rounds)]
    (limit,) = {each["limit_mib"] for each in ended}
    return {
        "limit_mib": limit,
        "peak_mib": sorted(each["peak_mib"] for each in ended),
        "verdicts": sorted({each["verdict"] for each in ended}),
    }


TIMES = ("seconds", "graded_at")  # what may differ between two runs of one seed


def grade(*options: str) -> tuple[Any, float]:
    with tempfile.TemporaryDirectory() as temp:
        out, begin = Path(temp) / "out.json", time.monotonic()
        command = [ROOT / "lab", "grade", ROOT / "solutions", "--backend", "cpu", "--json", out]
        env = {**os.environ, "LOCKSTEP_NVCC": "off"}  # what nvcc says depends on no seed
        words = [*command, "--results", temp, *options]
        subprocess.run(words, capture_output=True, check=False, env=env)
        if not out.is_file():
            raise MeasurementError("./lab grade solutions wrote no report; run it by hand")
        return json.loads(out.read_text()), time.monotonic() - begin


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in TIMES}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def verdicts(report: Any) -> list[tuple[str, str, float]]:
    return [(name, rung["outcome"], rung["score"]) for _, name, rung in rungs_of(report)]


@measurement("cpu", needs=IDLE, writes=["cpu.json"])
def cpu(
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds are compared.")] = 50,
    lab: Annotated[
        str, typer.Option(help="The lab whose solutions are graded; default: all.")
    ] = "",
) -> None:
    """Measure the judge, and compare the verdicts of many seeds."""
    chosen = ["--lab", lab] if lab else []
    first, _ = grade("--seed", "1", "--jobs", "1", *chosen)  # this builds everything
    second, seconds = grade("--seed", "1", "--jobs", "1", *chosen)
    output(["cmake", "--build", BUILD, "--target", "judge_bench"])
    expected = verdicts(first)
    each_seed = (verdicts(grade("--seed", str(seed + 1), *chosen)[0]) for seed in range(seeds))
    same = sum(found == expected for found in each_seed)
    grading = {
        "rungs": len(expected),
        "seconds_a_rung_one_job": round(seconds / len(expected), 2),
        "same_seed_same_json": without_times(first) == without_times(second),
        "seeds_with_the_same_verdicts": f"{same} of {seeds}",
    }
    report = {
        **provenance(),
        "machine": machine(),
        "compiler": first["toolchain"]["compiler"],
        "judge": json.loads(output([BUILD / "common/judge/judge_bench"])),
        "grading": grading,
    }
    write_json("cpu.json", report)


def cpu_seconds(argument: str) -> float:
    """User and system time of one start and all its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output([ROOT / "lab", argument])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@measurement("start-up", needs=IDLE, writes=["start-up.json"])
def start_up() -> None:
    """Measure the processor time of `./lab list` and `./lab --help`."""
    measured = {}
    for command in ("list", "--help"):
        cpu_seconds(command)  # byte code and the disk's cache
        times = [round(cpu_seconds(command), 3) for _ in range(5)]
        measured[command] = {"best": min(times), "all": times}
    on = {"processor": processor(), "cores": os.cpu_count(), "python": platform.python_version()}
    on["load_average"] = round(os.getloadavg()[0], 1)
    write_json("start-up.json", {**provenance(), "machine": on, "cpu_seconds": measured})


TARGET = "00-threads/01_matrix_add"


@measurement("first-verdict", needs=IDLE, writes=["first-verdict.json"])
def first_verdict(
    labs: Annotated[list[str] | None, typer.Argument(metavar="[LAB]...")] = None,
) -> None:
    """Measure a student's first check, and each verdict after a save."""
    known = sorted(path.name for path in (ROOT / "solutions").iterdir() if path.is_dir())
    if unknown := sorted(set(labs or ()) - set(known)):
        raise typer.BadParameter(f"no lab {unknown[0]}; there are: {', '.join(known)}")
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
        "machine": {"processor": processor(), **machine(), **load_before(load)},
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
