# SPDX-License-Identifier: MIT
"""The emulator's counters compared with the hardware's.

Both count common/simt/bench/access_patterns.cu by kernel, and one call of every rung of the reference solutions.
"""

import csv
import itertools
import json
import platform
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from measurements import (
    BENCH,
    GPU,
    ROOT,
    MeasurementError,
    measured_now,
    measurement,
    output,
    provenance,
    write,
    write_json,
)

from lockstep_grader.model.compat import tomllib

SEED = "7"  # so that both count the same data
AT_ONCE = 4  # calls under ncu, which lets one of them at a time use the counters

# Ours, as the sum of the hardware's.
METRICS = {
    "global_read_requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",),
    "global_read_sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",),
    "global_write_requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",),
    "global_write_sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",),
    "global_atomic_requests": (
        "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
    ),
    "shared_read_wavefronts": ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",),
    "shared_read_conflicts": ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",),
    "shared_write_wavefronts": ("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",),
    "shared_write_conflicts": ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",),
    "shared_atomic_requests": ("smsp__inst_executed_op_shared_atom.sum",),
}

Counts = dict[str, int]


def rungs(backend: str, labs: Sequence[str] = ()) -> dict[str, list[str | Path]]:
    """The judge's command that makes one call of the workload, for each rung of each lab, or of `labs`."""
    build = ROOT / "build" / backend
    commands: dict[str, list[str | Path]] = {}
    for lab_id, lab in json.loads((build / "lockstep.json").read_text())["labs"].items():
        if labs and lab_id not in labs:
            continue
        model = tomllib.loads((ROOT / "labs" / lab_id / "lab.toml").read_text())
        for rung in model["rung"]:
            name = f"{model['lab']['slug'].replace('-', '_')}_{rung['id']}_worker"
            command = [
                lab["judge"],
                f"--rung={rung['id']}",
                f"--worker={build}/workers/{name}/worker",
            ]
            commands[f"{lab_id}/{rung['id']}"] = [*command, "--profile=0", f"--seed={SEED}"]
    return commands


def profiled(command: list[str | Path]) -> dict | None:
    """What the judge prints; None where the rung has no workload."""
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    if "no workload" in done.stderr:
        return None
    if done.returncode != 0:
        raise MeasurementError(f"{command[0]}: {done.stderr.strip()}")
    profile = json.loads(done.stdout.splitlines()[-1])
    if profile["outcome"] != "passed":
        raise MeasurementError(f"{' '.join(map(str, command))}: {profile['message']}")
    return profile


def kernel_name(spelled: str) -> str:
    """`contiguous` of `void <unnamed>::contiguous<32>(const float *)`."""
    return re.split(r"[(<]", spelled.replace("<unnamed>::", "").removeprefix("void "))[0].split(
        "::"
    )[-1]


def read_ncu(log: str) -> dict[str, Counts]:
    rows = list(csv.DictReader(line for line in log.splitlines() if line.startswith('"')))
    kernels: dict[str, Counts] = {}
    for row in rows[1:]:  # the first row holds the units
        counts = kernels.setdefault(kernel_name(row["Kernel Name"]), Counter())
        for ours, theirs in METRICS.items():
            counts[ours] += sum(int(row[metric].replace(",", "")) for metric in theirs)
    return kernels


def total(kernels: list[Counts]) -> Counts:
    return {name: sum(int(counts[name]) for counts in kernels) for name in METRICS}


def hardware(labs: Sequence[str]) -> dict:
    path = shutil.which("ncu")
    if path is None:
        raise MeasurementError("ncu is not on the PATH; it comes with the CUDA toolkit")
    ncu = [path, "--clock-control", "none", "--csv", "--page", "raw"]
    ncu += ["--metrics", ",".join(metric for metrics in METRICS.values() for metric in metrics)]

    def counted(rung: str, command: list[str | Path], log: Path) -> tuple[str, Counts] | None:
        wrapped = [*command, *(f"--wrap={word}" for word in [*ncu, "--log-file", log])]
        if profiled(wrapped) is None:
            return None
        return rung, total(list(read_ncu(log.read_text()).values()))

    with tempfile.TemporaryDirectory() as temp:
        program = Path(temp) / "access_patterns"
        source = ROOT / "common" / "simt" / "bench" / "access_patterns.cu"
        output(["nvcc", "-std=c++20", "-O3", "-arch=native", source, "-o", program])
        patterns = read_ncu(output([*ncu, program]))
        logs = (Path(temp) / str(number) for number in itertools.count())
        commands = rungs("cuda", labs)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = list(pool.map(counted, commands, commands.values(), logs))
        calls = dict(each for each in found if each)
    if labs:
        known = json.loads((BENCH / "counters-hardware.json").read_text())["rungs"]
        others = {rung: counts for rung, counts in known.items() if rung.split("/")[0] not in labs}
        calls = dict(sorted({**others, **calls}.items()))
    gpu = output(
        ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader", "-i", "0"]
    )
    return {"machine": gpu.strip(), "patterns": patterns, "rungs": calls}


def emulator() -> dict:
    counted = json.loads(output([ROOT / "build/cpu/common/simt/bench/access_patterns"]))
    calls = {}
    for rung, command in rungs("cpu").items():
        if (profile := profiled(command)) is not None:
            calls[rung] = total([kernel["counters"] for kernel in profile["kernels"]])
    patterns = {kernel_name(name): total([counts]) for name, counts in counted.items()}
    return {"machine": platform.machine(), "patterns": patterns, "rungs": calls}


def table() -> str:
    theirs = json.loads((BENCH / "counters-hardware.json").read_text())
    ours = json.loads((BENCH / "counters-emulator.json").read_text())
    columns = list(METRICS)
    lines = [
        f"`docs/bench/measure counters table`; hardware: {theirs['machine']}, {theirs['date']};"
        f" emulator: {ours['date']}. One number: both counted it. Two: hardware / emulator.",
    ]
    equal = compared = 0
    for group, title in (("patterns", "kernel"), ("rungs", "rung, one call at its budget's size")):
        lines += [
            "",
            "| " + " | ".join([title, *(name.replace("_", " ") for name in columns)]) + " |",
        ]
        lines.append("|---|" + "---:|" * len(columns))
        for name, counts in theirs[group].items():
            cells = []
            for column in columns:
                hardware_count, emulator_count = counts[column], ours[group][name][column]
                same = hardware_count == emulator_count
                cells.append(
                    str(hardware_count) if same else f"**{hardware_count} / {emulator_count}**"
                )
                equal, compared = equal + same, compared + 1
            lines.append("| " + " | ".join([f"`{name}`", *cells]) + " |")
    lines.insert(1, f"Equal: {equal} of {compared}.")
    return "\n".join(lines)


class Side(str, Enum):
    HARDWARE = "hardware"
    EMULATOR = "emulator"
    TABLE = "table"


@measurement(
    "counters",
    needs=f"{GPU} with ncu for hardware; both builds",
    writes=["counters-hardware.json", "counters-emulator.json", "counters.md"],
    uses=["common/simt/bench/access_patterns.cu"],
)
def counters(
    side: Side,
    labs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LAB]...", help="For hardware: the others keep their counts."),
    ] = None,
) -> None:
    """Compare the emulator's counters with Nsight Compute's: one side, or the table of both."""
    if side is Side.TABLE:
        write("counters.md", table())
    else:
        counted = hardware(labs or ()) if side is Side.HARDWARE else emulator()
        write_json(f"counters-{side.value}.json", {**provenance(), **counted})
        if side is Side.HARDWARE:
            measured_now("counters-hardware.json", labs=labs or ())
