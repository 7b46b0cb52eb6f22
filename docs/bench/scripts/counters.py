# SPDX-License-Identifier: MIT
"""The machine's counters compared with the hardware's.

Both count common/device/bench/access_patterns.cu by kernel, and one call of every rung of the reference solutions.
"""

import csv
import itertools
import json
import platform
import re
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
    GPU,
    ROOT,
    TABLES,
    MeasurementError,
    gpu_fields,
    known_labs,
    markdown,
    measured_now,
    measurement,
    ncu,
    output,
    provenance,
    read_sides,
    require_known,
    write_section,
    write_side,
)

from lockstep_grader.model.compat import tomllib
from lockstep_grader.toolchain.clang import ensure_cccl, ensure_clang

FIGURES = "counters.json"
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
    "matrix_instructions": ("sm__inst_executed_pipe_tensor.sum",),
    "matrix_multiply_adds": tuple(
        f"sm__ops_path_tensor_src_{factors}.sum"
        for factors in ("bf16_dst_fp32", "fp16", "tf32_dst_fp32", "fp8")
    ),
}

OPERATIONS = {"matrix_multiply_adds": 2}  # of the hardware's counter in one of ours

Counts = dict[str, int]
Side = tuple[dict[str, str], dict[str, Counts], dict[str, Counts]]  # machine, patterns, rungs


PATTERNS = ROOT / "common" / "device" / "bench" / "access_patterns.cu"
MACHINE = ROOT / "build" / "machine-132"
MULTIPROCESSORS = 132  # of the H100 and of the H200: grids that depend on the number are equal, too


def commands_of(build: Path, labs: Sequence[str] = ()) -> dict[str, list[str | Path]]:
    """The judge's command that makes one call of the workload, for each rung of each lab, or of `labs`."""
    commands: dict[str, list[str | Path]] = {}
    tools = json.loads((build / "lockstep.json").read_text())
    for lab_id, lab in tools["labs"].items():
        if labs and lab_id not in labs:
            continue
        model = tomllib.loads((ROOT / "labs" / lab_id / "lab.toml").read_text())
        for rung in model["rung"]:
            name = f"{model['lab']['slug'].replace('-', '_')}_{rung['id']}_worker"
            work = build / "workers" / name
            command = [lab["judge"], f"--rung={rung['id']}", f"--worker={work}/worker"]
            if "device" in tools:
                command += [f"--device={tools['device']}", f"--ptx={work}/rung.ptx"]
                command.append(f"--written={work}/written.ptx")
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
            counted = sum(int(row[metric].replace(",", "")) for metric in theirs)
            counts[ours] += counted // OPERATIONS.get(ours, 1)
    return kernels


def total(kernels: list[Counts]) -> Counts:
    return {name: sum(int(counts[name]) for counts in kernels) for name in METRICS}


def hardware(labs: Sequence[str]) -> Side:
    counting = ncu(metric for metrics in METRICS.values() for metric in metrics)

    def counted(rung: str, command: list[str | Path], log: Path) -> tuple[str, Counts] | None:
        wrapped = [*command, *(f"--wrap={word}" for word in [*counting, "--log-file", log])]
        if profiled(wrapped) is None:
            return None
        return rung, total(list(read_ncu(log.read_text()).values()))

    with tempfile.TemporaryDirectory() as temp:
        program = Path(temp) / "access_patterns"
        output(["nvcc", "-std=c++20", "-O3", "-arch=native", PATTERNS, "-o", program])
        patterns = read_ncu(output([*counting, program]))
        logs = (Path(temp) / str(number) for number in itertools.count())
        commands = commands_of(ROOT / "build" / "cuda", labs)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            found = list(pool.map(counted, commands, commands.values(), logs))
        calls = dict(each for each in found if each)
    return {"machine": gpu_fields("name,driver_version")[0]}, patterns, calls


def build_machine() -> None:
    """As the preset cpu does, except for the number of multiprocessors."""
    settings = {
        "LAB_CLANG:FILEPATH": ensure_clang().path,
        "LAB_CCCL:PATH": ensure_cccl(),
        "LAB_MULTIPROCESSORS": MULTIPROCESSORS,
    }
    defined = [f"-D{name}={value}" for name, value in settings.items()]
    output(["cmake", "--preset", "cpu", "-B", MACHINE, *defined])
    labs = [f"workers_{file.parent.name}" for file in sorted((ROOT / "labs").glob("*/lab.toml"))]
    targets = ["lockstep", "device_count_patterns", "clang_prelude", "program_prelude", *labs]
    output(["cmake", "--build", MACHINE, "--target", *targets])


def counted_patterns() -> dict[str, Counts]:
    """Of access_patterns.cu, by the commands that build a program for the machine."""
    steps = json.loads((MACHINE / "lockstep.json").read_text())["program"]
    compiled = next(step["argv"] for step in steps if step["name"] == "device")
    with tempfile.TemporaryDirectory() as temp:
        values = {
            "source": str(PATTERNS),
            "object": f"{temp}/patterns",
            "std": "20",
            "unit": "patterns",
        }
        output([word.format_map(values) for word in compiled])
        program = MACHINE / "common" / "device" / "bench" / "device_count_patterns"
        counted: dict[str, Counts] = json.loads(output([program, f"{temp}/patterns.ptx"]))
    return {name: total([counts]) for name, counts in counted.items()}


def machine(labs: Sequence[str]) -> Side:
    build_machine()
    calls = {}
    for rung, command in commands_of(MACHINE, labs).items():
        if (profile := profiled(command)) is not None:
            calls[rung] = total([kernel["counters"] for kernel in profile["kernels"]])
    return {"machine": platform.machine()}, counted_patterns(), calls


def table() -> str:
    sides = read_sides(FIGURES)
    theirs, ours = sides["hardware"], sides["machine"]
    columns = list(METRICS)
    lines = [
        f"`docs/bench/measure counters table`; hardware: {theirs['machine']}, {theirs['date']};"
        f" the machine: {ours['date']}. One number: both counted it. Two: hardware / machine."
    ]
    equal = compared = 0
    for group, title in (("patterns", "kernel"), ("rungs", "rung, one call at its budget's size")):
        rows = []
        for name, counts in theirs[group].items():
            cells = []
            for column in columns:
                if column not in counts:  # counted before this column was there
                    cells.append("")
                    continue
                hardware_count, machine_count = counts[column], ours[group][name][column]
                same = hardware_count == machine_count
                cells.append(
                    str(hardware_count) if same else f"**{hardware_count} / {machine_count}**"
                )
                equal, compared = equal + same, compared + 1
            rows.append([f"`{name}`", *cells])
        head = [title, *(name.replace("_", " ") for name in columns)]
        lines += ["", *markdown(head, rows, len(columns))]
    lines.insert(1, f"Equal: {equal} of {compared}.")
    return "\n".join(lines)


class Which(str, Enum):
    HARDWARE = "hardware"
    MACHINE = "machine"
    TABLE = "table"


@measurement(
    "counters",
    needs=f"{GPU} with ncu and the build cuda for hardware; clang for machine",
    writes=[FIGURES, TABLES],
    uses=["common/device/bench/access_patterns.cu"],
)
def counters(
    side: Which,
    labs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LAB]...", help="Of these labs; the others keep their counts."),
    ] = None,
) -> None:
    """Compare the machine's counters with Nsight Compute's: one side, or the table of both.

    The machine's side writes the table, too.
    """
    require_known("lab", labs, known_labs())
    if side is not Which.TABLE:
        known = read_sides(FIGURES)[side.value]["rungs"] if labs else {}
        others = {rung: found for rung, found in known.items() if rung.split("/")[0] not in labs}
        head, patterns, calls = (hardware if side is Which.HARDWARE else machine)(labs or ())
        rungs = dict(sorted({**others, **calls}.items()))
        write_side(FIGURES, side.value, {**provenance(), **head}, patterns=patterns, rungs=rungs)
    if side is Which.HARDWARE:
        measured_now(FIGURES, labs=labs or ())
    else:
        write_section(TABLES, "Counters", table())
