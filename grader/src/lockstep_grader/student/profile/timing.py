# SPDX-License-Identifier: MIT
"""What a profile says of time: the GPU, the launches as the model takes them, and its answer."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, create_model
from rich.console import Console
from rich.text import Text

from lockstep_grader.intake.toml_tables import Table, read_table
from lockstep_grader.judging.session import Session
from lockstep_grader.model.errors import FaultError, InputError, SubmissionError
from lockstep_grader.model.grades import Backend, Outcome, Resources
from lockstep_grader.model.timing import Device, Launches, Prediction, load_cycles, predict
from lockstep_grader.student.check import Checked
from lockstep_grader.student.profile.run import Shape, SizeProfile, count
from lockstep_grader.student.program.build import source_of, worker_of

FOLDER = Path(__file__).parent / "gpus"  # a file for each GPU
_DEFAULT = "h200"
_SHARES = ("dram_read", "dram_write", "in_step")  # of a device's numbers: up to 1
_LIMITS = {  # of the judge's anchors: what a share is of
    "read_bandwidth": "the read bandwidth",
    "copy_bandwidth": "the copy bandwidth",
    "ffma_peak": "the peak of fp32 arithmetic",
    "mma_peak": "the peak of the tensor cores",
    "wgmma_peak": "the peak of the tensor cores",
}
Place = tuple[str, int]
Known = Sequence[Resources] | str  # or why they are not known


def _kind(name: str, type_: Any) -> Any:
    most = 1 if name in _SHARES else None
    return type_ if type_ is str else Annotated[type_, Field(gt=0, le=most, allow_inf_nan=False)]


_FIELDS: dict[str, Any] = {each.name: (_kind(each.name, each.type), ...) for each in fields(Device)}
_TABLE = create_model("Device", __base__=Table, **_FIELDS)


def device_names() -> list[str]:
    return sorted(file.stem for file in FOLDER.glob("*.toml"))


def read_device(named: str | None = None) -> Device:
    """The GPU of this name, or of the file at this path. Raises InputError: a line per mistake."""
    named = named or _DEFAULT
    file = FOLDER / f"{named}.toml" if named in device_names() else Path(named)
    if not file.is_file():
        raise InputError(
            f"no GPU {named}: there are {', '.join(device_names())}, or name a file like theirs"
        )
    return Device(**read_table(file, _TABLE).model_dump())


def predicted(size: SizeProfile, resources: Known, device: Device) -> Prediction | None:
    """Of one call; None where it launches nothing, or has a timeline: its copies overlap."""
    launches = launches_of(size, resources)
    return predict(launches, device) if launches and not size.timeline else None


def launches_of(size: SizeProfile, resources: Known) -> tuple[Launches, ...]:
    return tuple(
        Launches(
            shape.kernel,
            shape.block,
            shape.shared_bytes,
            registers_of(resources, shape),
            shape.features,
        )
        for shape in size.shapes
    )


def registers_of(resources: Known, shape: Shape) -> int | None:
    """Of a thread. The launch names a template without its arguments: of its instances with this
    much shared memory, or else of all, the one with most registers."""
    known = () if isinstance(resources, str) else resources
    bare = shape.kernel.rpartition("::")[2].partition("<")[0]
    alike = [item for item in known if item.kernel.partition("<")[0] == bare]
    equal = [item for item in alike if item.static_shared_bytes == shape.shared_bytes]
    return max((item.registers for item in equal or alike), default=None)


def shares_of_time(size: SizeProfile, told: Prediction) -> Mapping[Place, float]:
    """By line (file, number): the times of kernels, divided as the waits of their warps are."""
    shares: dict[Place, float] = {}
    for shape, part in zip(size.shapes, told.parts, strict=True):
        load = load_cycles(part.launches, told.device)
        waits = {(at.file, at.line): max(0.0, at.cycles + at.loads * load) for at in shape.lines}
        whole = sum(waits.values()) * told.seconds
        for place, wait in waits.items():
            if whole:
                shares[place] = shares.get(place, 0.0) + wait * part.seconds / whole
    return shares


def limit_seconds(size: SizeProfile, device: Device) -> float:
    """Of a call that reaches the device's limit; 0: the judge names none."""
    if size.limit.startswith("ffma"):
        return size.limit_flops / device.peak_flops
    if size.limit.startswith("mma"):
        return size.limit_flops / device.peak_mma_flops
    if size.limit == "wgmma_peak":
        return size.limit_flops / device.peak_wgmma_flops
    reads_alone = size.limit.startswith("read")
    return size.limit_bytes / ((device.read_gbps if reads_alone else device.copy_gbps) * 1e9)


def sentence(size: SizeProfile, told: Prediction) -> str:
    """As in: on an NVIDIA H200 about 24 us, 0.62 of the read bandwidth, limited by loads in flight
    (predicted; +-30%)."""
    said = f"on an {told.device.name} about {duration(told.seconds)}"
    if best := limit_seconds(size, told.device):
        named = _LIMITS.get(size.limit, "what the memory allows")
        said += f", {min(1.0, best / told.seconds):.2g} of {named}"
    return f"{said}, limited by {told.limited_by} (predicted; ±{told.device.error:.0%})"


def tell_time(console: Console, session: Session, checked: Checked) -> None:
    """After a check of one rung that is right: a line about its time on the default GPU."""
    lab, rung, judgement = checked.lab, checked.rungs[0], checked.result.rungs[0].judgement
    if len(checked.rungs) > 1 or not judgement.is_right or checked.backend is not Backend.CPU:
        return
    if not rung.speed:  # its kernels are a small part of its time, as in 12-streams
        return
    setup, items, gpu = session.setup.of(lab, rung), lab.predicted_sizes[-1], read_device()
    try:
        with tempfile.TemporaryDirectory(prefix="lockstep-time-") as temp:
            source = source_of(checked.folder, lab, rung)
            worker = worker_of(session, lab, rung, source, Path(temp))
            counted = count(setup, rung, worker, [items], Path(temp), gpu)
    except (InputError, SubmissionError, FaultError):  # the verdict stands without it
        return
    for size in counted:
        told = predicted(size, judgement.resources, gpu)
        if told and size.outcome is Outcome.PASSED:
            said = f"  a call of {size.num_items} items: {sentence(size, told)}"
            console.print(Text(said, "dim"), soft_wrap=True)


def duration(seconds: float) -> str:
    """With two digits and a unit: 4.3 us, 24 us, 1.8 ms."""
    scale, unit = (1e6, "us") if seconds < 1e-3 else (1e3, "ms") if seconds < 1 else (1, "s")
    value = seconds * scale
    return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"


def timing_json(size: SizeProfile, told: Prediction) -> dict[str, Any]:
    """As schemas/profile.schema.json has it."""
    low, high = told.interval
    return {
        "device": told.device.name,
        "seconds": told.seconds,
        "low": low,
        "high": high,
        "bound": told.bound,
        "share": min(1.0, limit_seconds(size, told.device) / told.seconds),
        "kernels": [
            {"kernel": part.launches.kernel, "seconds": part.seconds, "bound": part.bound}
            for part in told.parts
        ],
    }
