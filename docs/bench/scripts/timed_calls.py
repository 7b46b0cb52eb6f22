# SPDX-License-Identifier: MIT
"""What the emulator counts for the model of time, and the times that a GPU took.

time.json has the calls of the ladders and of bounds.json, time-others.json kernels of other programs.
"""

import json
import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measurements import BENCH, MeasurementError, measured_now, output, provenance, write_json

from lockstep_grader.model.timing import Device, Launches, Prediction, predict

COUNTED, OTHERS, BOUNDS = "time.json", "time-others.json", "bounds.json"
DEVICE = "h200"
MOST_ITEMS, MOST_FLOPS = 1 << 24, 4e10  # of a counted call: more take long
FEATURES = (  # of launches, in the order of the file
    "launches",
    "blocks",
    "cluster_blocks",
    "warps",
    "issued",
    "fp32",
    "integer",
    "fp64",
    "special",
    "exchange",
    "tensor_multiply_adds",
    "wgmma_multiply_adds",
    "shared_wavefronts",
    "remote_packets",
    "global_loads",
    "l1_sectors",
    "l1_wavefronts",
    "l2_read_sectors",
    "l2_write_sectors",
    "l2_write_lines",
    "l2_part_sectors",
    "l2_atomic_sectors",
    "hottest_line",
    "hottest_slice",
    "hottest_float",
    "distinct_read_sectors",
    "distinct_written_sectors",
    "cold_read_sectors",
    "barriers",
    "chain_cycles",
    "chain_loads",
    "longest_cycles",
    "longest_loads",
    "look_back_blocks",
    "look_back_width",
    "l2_single_sectors",
    "memory",
    "alu",
    "adu",
    "local_words",
    "look_back_depth",
    "look_back_cycles",
    "missing_loads",
)


@dataclass(frozen=True)
class Row:
    """One call of a solution: what it was counted to do, and how long it took."""

    lab: str
    rung: str
    num_items: int
    seconds: float
    launches: tuple[Launches, ...]

    def predicted(self, device: Device) -> Prediction:
        return predict(self.launches, device)

    def error(self, device: Device) -> float:
        """The logarithm of predicted over measured."""
        return math.log(self.predicted(device).seconds / self.seconds)


def ladders() -> list[dict[str, Any]]:
    return [json.loads(file.read_text("utf-8")) for file in sorted(BENCH.glob("[0-9][0-9]-*.json"))]


def read_calls() -> dict[tuple[str, int], tuple[Launches, ...]]:
    """What was counted, by rung and size."""
    stored = json.loads((BENCH / COUNTED).read_text("utf-8"))
    return {
        (each["rung"], each["num_items"]): launches_of(each, stored["features"])
        for each in stored["calls"]
    }


def read_rows() -> list[Row]:
    """The steady rows of the ladders whose calls were counted."""
    calls = read_calls()
    rows = []
    for ladder in ladders():
        for row in ladder["rows"]:
            launches = calls.get((f"{ladder['lab']}/{row['rung']}", row["num_items"]))
            if launches is None or row["noisy"]:
                continue
            seconds = row["time_ms"] * 1e-3
            rows.append(Row(ladder["lab"], row["rung"], row["num_items"], seconds, launches))
    return rows


def read_kernels() -> list[Row]:
    """All kernels of a call together, as Nsight Compute has measured each, at several sizes."""
    calls = read_calls()
    rows = []
    for name, found in json.loads((BENCH / BOUNDS).read_text("utf-8"))["rungs"].items():
        lab, _, rung = name.partition("/")
        for size, measured in found["times"].items():
            launches = [each for each in calls.get((name, int(size)), ()) if any(each.block)]
            if sum(each.count for each in launches) == measured["launches"]:
                rows.append(Row(lab, rung, int(size), measured["us"] * 1e-6, tuple(launches)))
    return rows


def kernel_of(spelled: str) -> str:
    """`sum` of `lab::sum<int>`."""
    return spelled.partition("<")[0].rpartition("::")[2]


def launches_of(call: Mapping[str, Any], features: Sequence[str]) -> tuple[Launches, ...]:
    return tuple(
        Launches(
            name,
            tuple(block),
            shared,
            registers,
            dict(zip(features, counts, strict=False)),  # an older call lacks the last ones
        )
        for name, block, shared, registers, *counts in call["launches"]
    )


def read_others() -> list[Row]:
    """Kernels of programs that others have written. Nsight Compute has measured them, without a call."""
    stored = json.loads((BENCH / OTHERS).read_text("utf-8"))
    return [
        Row(
            each["program"],
            f"{each['kernel']} {each['arguments']}",
            0,
            each["us"] * 1e-6,
            launches_of(each, stored["features"]),
        )
        for each in stored["kernels"]
    ]


def launch(shape: Mapping[str, Any], kernel: str, registers: int) -> list[Any]:
    """Launches of one shape, as the files have them."""
    features = [round(shape["features"].get(name, 0)) for name in FEATURES]
    return [kernel, shape["block"], shape["shared_bytes"], registers, *features]


def record(profile: Any) -> Iterator[dict[str, Any]]:
    """A call per size, of what `./lab profile --json` wrote."""
    for size in profile["sizes"]:
        launches = [launch(shape, shape["kernel"], shape["registers"]) for shape in size["shapes"]]
        yield {
            "rung": f"{profile['lab']}/{profile['rung']}",
            "num_items": size["num_items"],
            "launches": launches,
        }


def count(rung: str, sizes: Sequence[int]) -> list[dict[str, Any]]:
    """One call of a solution per size, on the emulator with the multiprocessors of the device."""
    with tempfile.TemporaryDirectory() as temp:
        file = Path(temp) / "profile.json"
        chosen = [word for size in sizes for word in ("--size", str(size))]
        command = [
            "./lab",
            "profile",
            rung,
            "--from",
            "solutions",
            "--timed",
            "--device",
            DEVICE,
        ]
        output([*command, "--line-limit", "1", "--json", file, *chosen])
        return list(record(json.loads(file.read_text("utf-8"))))


def wanted() -> dict[str, set[int]]:
    """The sizes of each rung that a GPU has timed and the emulator can count."""
    sizes: dict[str, set[int]] = {}
    for ladder in ladders():
        for row in ladder["rows"]:
            flops = row.get("gflops", 0) * row["time_ms"] * 1e6
            if not row["noisy"] and row["num_items"] <= MOST_ITEMS and flops <= MOST_FLOPS:
                sizes.setdefault(f"{ladder['lab']}/{row['rung']}", set()).add(row["num_items"])
    for rung, found in json.loads((BENCH / BOUNDS).read_text("utf-8"))["rungs"].items():
        sizes.setdefault(rung, set()).update(int(size) for size in found["times"])
    return sizes


def count_all(chosen: Sequence[str]) -> None:
    """Counts the calls of all rungs, or of the rungs and labs `chosen`, and writes each as it comes."""
    file = BENCH / COUNTED
    known = json.loads(file.read_text("utf-8"))["calls"] if file.is_file() else []
    calls = {(each["rung"], each["num_items"]): each for each in known}
    for rung, sizes in wanted().items():
        if chosen and rung not in chosen and rung.partition("/")[0] not in chosen:
            continue
        try:
            counted = count(rung, sorted(sizes))
        except MeasurementError as error:  # such as a call that needs more memory
            print(f"not counted: {error}")
            continue
        calls.update({(rung, call["num_items"]): call for call in counted})
        made = [calls[key] for key in sorted(calls)]
        write_json(COUNTED, {**provenance(), "features": FEATURES, "calls": made})
        measured_now(COUNTED, [rung])
