# SPDX-License-Identifier: MIT
"""The model of time: its fit to the ladders, and how far off it is.

docs/time.md explains the model. A measured row counts if its rounds agree: see `noisy` in the ladders.
"""

import json
import math
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import sources
import typer
from measurements import (
    BENCH,
    GPU,
    NOTHING,
    ROOT,
    gpu_fields,
    gpu_name,
    markdown,
    measurement,
    nvcc,
    output,
    require_known,
    write,
)
from timed_calls import (
    BOUNDS,
    COUNTED,
    DEVICE,
    FEATURES,
    Row,
    count_all,
    kernel_of,
    ladders,
    read_kernels,
    read_others,
    read_rows,
)

from lockstep_grader.model.compat import tomllib
from lockstep_grader.model.timing import (
    LIMITS,
    Device,
    shares_of_peak,
)
from lockstep_grader.student.bench import Line, draw_plot
from lockstep_grader.student.profile.timing import FOLDER, device_names, read_device

CALIBRATE = "docs/bench/scripts/calibrate.cu"
FIGURE = "time.svg"
PAGE = ROOT / "docs" / "time.md"
UNMEASURED = "published"  # begins the source of devices that follow the fitted one
FITTED = ("next_block_cycles", "launch_us", "copy_us", "call_us", "overlap", "in_step")
MEASURED = (  # by calibrate, and carried over to devices that nothing was measured on
    "l2_gbps",
    "l2_single_gbps",
    "l2_write_gbps",
    "l2_same_gbps",
    "dram_read",
    "dram_write",
    "l2_cycles",
    "dram_cycles",
    "barrier_cycles",
    "block_cycles",
    "remote_cycles",
    "atomic_ns",
    "slice_ns",
    "float_sum_ns",
)
FACTORS = (0.75, 0.93, 1.07, 1.33)
WORTH = 0.998  # of the loss: a smaller gain moves no number
CLEAR = 1.05  # the ratio of two measured times from which their order counts
BUSY, AHEAD = (
    0.6,
    0.1,
)  # of a bound by Nsight Compute: the least share, and ahead of the other
CLOSE = 0.05  # to one of these limits: noise decides what Nsight Compute says
WORST = 8  # rows that the page lists
INTERVAL = 0.8  # of the predictions are within the error that a device states
EXAMPLE = ("01-reduction", "04_grid_stride", 1 << 24)
NOTABLE = 0.05  # of the longest term, for the example to list another
KINDS = {  # of bounds, as predictions name them; the others are arithmetic
    "dram": "bandwidth",
    "l2": "bandwidth",
    "l1": "bandwidth",
    "loads": "latency",
    "steps": "latency",
    "look-back": "latency",
    "launches": "latency",
    "starts": "latency",
    "stores": "bandwidth",
    "shared": "shared_memory",
    "remote": "shared_memory",
    "atomics": "atomics",
}
OFF = 1.35  # the ratio of the figure's two dashed lines


def loss(rows: Sequence[Row], device: Device) -> float:
    """The mean distance of the logarithms, with each lab weighing the same."""
    by_lab: dict[str, list[float]] = {}
    for row in rows:
        by_lab.setdefault(row.lab, []).append(abs(row.error(device)))
    return sum(sum(errors) / len(errors) for errors in by_lab.values()) / len(by_lab)


def fit(rows: Sequence[Row], device: Device) -> Device:
    """Tries other values of one number after the other, and keeps those that are better, until
    none is: so fitting what is fitted changes nothing."""
    best = loss(rows, device)
    before = math.inf
    while best < before:
        before = best
        for name in FITTED:
            for factor in FACTORS:
                value = float(f"{getattr(device, name) * factor:.4g}")
                tried = replace(device, **{name: value})
                if (found := loss(rows, tried)) < WORTH * best:
                    best, device = found, tried
    return device


def left_out(rows: Sequence[Row], fitted: Device) -> dict[str, Device]:
    """By lab: the device as the rows of the other labs fit it."""
    labs = sorted({row.lab for row in rows})
    return {lab: fit([row for row in rows if row.lab != lab], fitted) for lab in labs}


@dataclass(frozen=True)
class Validated:
    """Of some rows: how far predictions are off, as ratios of at least 1, and orders."""

    errors: Sequence[float]
    orders: Sequence[bool]  # of neighbouring rungs whose times differ: predicted as measured?

    def within(self, share: float) -> float:
        ordered = sorted(self.errors)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] - 1

    @property
    def cells(self) -> list[str]:
        ordered = f"{sum(self.orders)} of {len(self.orders)}"
        return [
            str(len(self.errors)),
            f"{self.within(0.5):.0%}",
            f"{self.within(0.9):.0%}",
            ordered,
        ]


def validate(rows: Sequence[Row], devices: Mapping[str, Device]) -> Validated:
    errors = [math.exp(abs(row.error(devices[row.lab]))) for row in rows]
    orders = []
    for one, other in pairwise(sorted(rows, key=lambda row: (row.lab, row.num_items, row.rung))):
        ratio = one.seconds / other.seconds
        if (one.lab, one.num_items) == (
            other.lab,
            other.num_items,
        ) and not 1 / CLEAR < ratio < CLEAR:
            device = devices[one.lab]
            guess = one.predicted(device).seconds / other.predicted(device).seconds
            orders.append((guess > 1) == (ratio > 1))
    return Validated(errors, orders)


def table(rows: Sequence[Row], fitted: Device, without: Mapping[str, Device]) -> str:
    """How far off each lab is, predicted by the fit to the others; and the rows that are furthest off."""
    everywhere = dict.fromkeys(without, fitted)
    lines = [
        [lab, *validate(own, without).cells]
        for lab in without
        if (own := [row for row in rows if row.lab == lab])
    ]
    lines.append(["**all, each lab left out**", *validate(rows, without).cells])
    lines.append(["all, fitted to all", *validate(rows, everywhere).cells])
    head = ["lab", "times", "median error", "nine tenths within", "order of neighbours"]
    worst = sorted(rows, key=lambda row: -abs(row.error(without[row.lab])))[:WORST]
    furthest = [
        [
            f"`{row.lab}/{row.rung}`",
            f"{row.num_items}",
            f"{row.seconds * 1e6:.0f} us",
            f"{told.seconds * 1e6:.0f} us",
            f"{told.seconds / row.seconds:.2f}",
            told.limited_by,
        ]
        for row in worst
        if (told := row.predicted(without[row.lab]))
    ]
    titles = ["furthest off", "items", "measured", "predicted", "ratio", "limited by"]
    agreed, known = bounds(rows, fitted)
    kinds = (
        f"The bound is of the kind that `./lab predict` teaches for {agreed} of {known} rungs: bandwidth, latency, "
        "arithmetic, shared memory or atomics."
    )
    return "\n".join([*markdown(head, lines, 4), "", kinds, "", *markdown(titles, furthest)])


def sizes_table(without: Mapping[str, Device]) -> str:
    """How far off the kernels of a call are, without the call itself, by its share of the largest."""
    rows = read_kernels()
    alone = {lab: replace(device, call_us=0) for lab, device in without.items()}
    largest = {
        (row.lab, row.rung): row.num_items for row in sorted(rows, key=lambda r: r.num_items)
    }
    by_share: dict[int, list[Row]] = {}
    for row in rows:
        share = largest[row.lab, row.rung] // row.num_items
        by_share.setdefault(share, []).append(row)
    lines = [
        ["1" if share == 1 else f"1/{share}", *validate(own, alone).cells]
        for share, own in sorted(by_share.items())
    ]
    lines.append(["**all**", *validate(rows, alone).cells])
    head = ["size", "calls", "median error", "nine tenths within", "order of neighbours"]
    return "\n".join(markdown(head, lines, 4))


def others_table(device: Device) -> str:
    """How far off kernels are that nothing was fitted to, and those that are furthest off."""
    rows, alone = read_others(), replace(device, call_us=0)
    found = validate(rows, {row.lab: alone for row in rows})
    programs = len({row.lab for row in rows})
    lines = [
        f"{len(rows)} kernels of {programs} programs: median error {found.within(0.5):.0%}, nine tenths "
        f"within {found.within(0.9):.0%}.",
        "",
    ]
    worst = sorted(rows, key=lambda row: -abs(row.error(alone)))[:WORST]
    furthest = [
        [
            f"`{row.lab}`",
            f"`{row.rung}`",
            f"{row.seconds * 1e6:.1f} us",
            f"{(told := row.predicted(alone)).seconds * 1e6:.1f} us",
            f"{told.seconds / row.seconds:.2f}",
            told.limited_by,
        ]
        for row in worst
    ]
    titles = [
        "furthest off",
        "kernel, arguments",
        "measured",
        "predicted",
        "ratio",
        "limited by",
    ]
    return "\n".join([*lines, *markdown(titles, furthest)])


def named(compute: float, memory: float) -> str:
    """What Nsight Compute's section Speed Of Light says of these shares of the device's peaks."""
    if max(compute, memory) < BUSY:
        return "latency"
    if abs(compute - memory) <= AHEAD:
        return "balanced"
    return "compute" if compute > memory else "memory"


def is_clear(compute: float, memory: float) -> bool:
    """Whether these shares are not close to a limit at which the name changes."""
    most = max(compute, memory)
    return abs(most - BUSY) > CLOSE and (most < BUSY or abs(abs(compute - memory) - AHEAD) > CLOSE)


def bounds_table(rows: Sequence[Row], device: Device) -> str:
    """Of each rung's longest kernel, the bound that Nsight Compute names and that of the model."""
    known = json.loads((BENCH / BOUNDS).read_text("utf-8"))["rungs"]
    called = {(f"{row.lab}/{row.rung}", row.num_items): row for row in rows}
    agreed, off, lines = [], [], []
    for rung, found in known.items():
        kernel = found["kernels"][0]
        row = called.get((rung, found["num_items"]))
        parts = row.predicted(device).parts if row else ()
        own = [part for part in parts if kernel_of(part.launches.kernel) == kernel["kernel"]]
        if not own:
            continue
        longest = max(own, key=lambda part: part.seconds)
        ours = shares_of_peak(longest, device)
        theirs = (kernel["compute"] / 100, kernel["memory"] / 100)
        off.append([abs(one - other) for one, other in zip(ours, theirs, strict=True)])
        agreed.append((named(*ours) == named(*theirs), is_clear(*theirs)))
        if not agreed[-1][0]:
            both = [f"{one:.0%}, {other:.0%}" for one, other in zip(theirs, ours, strict=True)]
            names = [named(*theirs), named(*ours), LIMITS[longest.bound]]
            lines.append([f"`{rung}`", *both, *names])
    clear = [is_equal for is_equal, is_far in agreed if is_far]
    compute, memory = (statistics.median(each) for each in zip(*off, strict=True))
    said = (
        f"Of {len(agreed)} kernels, the longest of each rung, the model names "
        f"{sum(is_equal for is_equal, _ in agreed)} as Nsight Compute does. {len(clear)} kernels are more than "
        f"{100 * CLOSE:.0f} points away from a limit at which the name changes, and of these it names {sum(clear)}. The "
        f"median share is off by {100 * compute:.0f} points of computing and {100 * memory:.0f} points of memory. The model names these "
        "otherwise; each share is that of Nsight Compute, and then that of the model:"
    )
    titles = [
        "rung",
        "compute",
        "memory",
        "Nsight Compute",
        "the model's shares",
        "limited by",
    ]
    return "\n".join([said, "", *markdown(titles, lines)])


def bounds(rows: Sequence[Row], device: Device) -> tuple[int, int]:
    """Of how many rungs the bound is of the kind that the lab's predictions teach; and how many
    have one, at their largest counted size."""
    largest = {(row.lab, row.rung): row for row in sorted(rows, key=lambda row: row.num_items)}
    agreed = []
    for file in sorted(ROOT.glob("labs/*/predict.toml")):
        for rung in tomllib.loads(file.read_text("utf-8"))["rung"]:
            row = largest.get((file.parent.name, rung["id"]))
            if row and "bound" in rung:
                kind = KINDS.get(row.predicted(device).bound, "arithmetic")
                agreed.append(kind == rung["bound"]["truth"])
    return sum(agreed), len(agreed)


def example(rows: Sequence[Row], device: Device) -> str:
    """The counts of one call, and what follows from them."""
    row = next(row for row in rows if (row.lab, row.rung, row.num_items) == EXAMPLE)
    told = row.predicted(device)
    main = told.parts[0]
    counts = {name: main.launches.features.get(name, 0) for name in FEATURES}
    listed = [[f"`{name}`", f"{value:,.0f}"] for name, value in counts.items() if value]
    least = NOTABLE * max(main.terms.values())
    terms = [
        [f"`{term}`", f"{time * 1e6:.2f}"]
        for term, time in sorted(main.terms.items(), key=lambda each: -each[1])
        if time >= least
    ]
    rest = sum(part.seconds for part in told.parts[1:])
    terms += [
        ["the first launch, with `launch_us`", f"{main.seconds * 1e6:.2f}"],
        ["the other launches", f"{rest * 1e6:.2f}"],
        ["the call, with `call_us`", f"**{told.seconds * 1e6:.1f}**"],
        ["measured", f"**{row.seconds * 1e6:.1f}**"],
    ]
    named = f"`{row.lab}/{row.rung}` with {row.num_items:,} items"
    return "\n".join(
        [
            f"The first launch of {named}, whose blocks have {main.launches.block[0]} threads:",
            "",
            *markdown(["count", "value"], listed, 1),
            "",
            *markdown(["term", "us"], terms, 1),
        ]
    )


def figure(rows: Sequence[Row], without: Mapping[str, Device]) -> str:
    lines = []
    for lab in without:
        points = [
            (row.seconds * 1e6, row.predicted(without[lab]).seconds * 1e6)
            for row in rows
            if row.lab == lab
        ]
        lines.append(Line(lab, sorted(points), "points"))
    ends = [
        10.0 ** round(math.log10(pick(row.seconds for row in rows)) + 6 + step)
        for pick, step in ((min, -0.5), (max, 0.5))
    ]
    lines.append(Line("as measured", [(end, end) for end in ends], "limit"))
    for factor in (1 / OFF, OFF):
        lines.append(
            Line(
                f"{factor:.2f} of it",
                [(end, end * factor) for end in ends],
                "library d0",
            )
        )
    decades = range(round(math.log10(ends[0])), round(math.log10(ends[1])) + 1)
    ticks = {10.0**decade: f"{10.0**decade:g}" for decade in decades}
    title = "Times on an NVIDIA H200, each lab predicted by the fit to the others"
    return draw_plot(title, ("measured, us", "predicted, us"), ticks, lines)


def set_numbers(file: Path, numbers: Mapping[str, float]) -> None:
    """Writes these numbers into the file of a device; the others and the comments stay."""
    text = file.read_text("utf-8")
    for name, value in numbers.items():
        spelled = f"{value:.0f}" if value == int(value) else f"{value:.4g}"
        text = re.sub(rf"(?m)^{name} = [^ \n]+", f"{name} = {spelled}", text)
    file.write_text(text, "utf-8")


def in_proportion(fitted: Device, other: Device) -> dict[str, float]:
    """The H200's numbers for a device that nothing was measured on: answers of L2 and memory take
    as many nanoseconds, and what a multiprocessor does as many cycles. L2 serves as many bytes per
    cycle of a multiprocessor, or more where the memory's bandwidth asks for it."""
    numbers = {name: getattr(fitted, name) for name in (*MEASURED, *FITTED)}
    cycles = other.multiprocessors * other.clock / (fitted.multiprocessors * fitted.clock)
    for name in ("l2_gbps", "l2_single_gbps", "l2_write_gbps", "l2_same_gbps"):
        numbers[name] *= max(cycles, other.dram_gbps / fitted.dram_gbps)
    for name in ("l2_cycles", "dram_cycles"):
        numbers[name] *= other.clock_ghz / fitted.clock_ghz
    return {name: float(f"{value:.4g}") for name, value in numbers.items()}


@measurement(
    "time",
    needs=NOTHING,
    writes=[
        COUNTED,
        FIGURE,
        "../time.md",
        f"../../{FOLDER.relative_to(ROOT)}/{DEVICE}.toml",
    ],
    uses=["docs/bench/scripts/timed_calls.py"],
)
def time(
    counted: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LAB|RUNG]...", help="Count their calls on the emulator first."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Count all calls first.")] = False,
) -> None:
    """Fit the model of time to the ladders, and say how far off it is: page, figure, the H200's file."""
    if counted or everything:
        rows_of = {each["lab"]: each["rows"] for each in ladders()}
        for name in counted or ():
            lab, _, rung = name.partition("/")
            require_known("ladder of", [lab], rows_of)
            require_known(
                "rung",
                [rung] if rung else [],
                {row["rung"]: row for row in rows_of[lab]},
            )
        count_all(counted or ())
    rows = read_rows()
    fitted = fit(rows, read_device(DEVICE))
    without = left_out(rows, fitted)
    off = math.ceil(20 * validate(rows, without).within(INTERVAL)) / 20
    numbers = {name: getattr(fitted, name) for name in FITTED}
    set_numbers(FOLDER / f"{DEVICE}.toml", {**numbers, "error": off})
    for name in device_names():
        if (other := read_device(name)).source.startswith(UNMEASURED):
            set_numbers(FOLDER / f"{name}.toml", in_proportion(fitted, other))
    sources.write_table(PAGE, "example", example(rows, read_device(DEVICE)))
    sources.write_table(PAGE, "time", table(rows, fitted, without))
    sources.write_table(PAGE, "sizes", sizes_table(without))
    sources.write_table(PAGE, "others", others_table(fitted))
    sources.write_table(PAGE, "bounds", bounds_table(rows, fitted))
    write(FIGURE, figure(rows, without))


@measurement(
    "calibrate",
    needs=f"{GPU} and nvcc",
    writes=[f"../../{FOLDER.relative_to(ROOT)}/GPU.toml"],
    uses=[CALIBRATE],
)
def calibrate() -> None:
    """Measure on this GPU what the model of time needs to know of it."""
    file = FOLDER / f"{gpu_name()}.toml"
    measured = dict(
        line.split() for line in output([nvcc("calibrate", [], [CALIBRATE])]).splitlines()
    )
    if not file.is_file():
        text = (FOLDER / f"{DEVICE}.toml").read_text("utf-8")
        text = re.sub(r"(?m)^name = .*$", f'name = "{gpu_fields("name")[0]}"', text)
        file.write_text(text, "utf-8")
    set_numbers(file, {name: float(value) for name, value in measured.items()})
    print(f"wrote {file.relative_to(ROOT)}")
