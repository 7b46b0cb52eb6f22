# SPDX-License-Identifier: MIT
"""Makes a profile: compiles the rung and lets the judge count one call of each size. What the judge
says is read and checked."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BeforeValidator, Field, TypeAdapter, ValidationError

from lockstep_grader.compile.nvcc import compile_for_gpus
from lockstep_grader.intake.submission import Source
from lockstep_grader.intake.toml_lines import spelled
from lockstep_grader.intake.toml_tables import first_problem
from lockstep_grader.judging.session import Session
from lockstep_grader.machine.process import Limits
from lockstep_grader.model.errors import FaultError, InputError, SubmissionError
from lockstep_grader.model.grades import (
    Backend,
    Finding,
    FindingKind,
    Lab,
    Outcome,
    Place,
    Resources,
    Rung,
    capability,
)
from lockstep_grader.model.text import one_line, visible
from lockstep_grader.model.timing import Device
from lockstep_grader.observe.judge import workers_on_cpu
from lockstep_grader.request.job import RungSetup
from lockstep_grader.student.program.build import source_of, worker_of
from lockstep_grader.toolchain.nvcc import Phase

_LIMITS = Limits(seconds=900, output_bytes=256 << 20)
_OK, _WRONG = 0, 1
_QUICK_ITEMS = 1 << 16  # larger calls may take longer than judged ones, in proportion
_PATIENCE = 64  # the most, so that an endless loop has an end
_BUDGET_SIZE = 0  # to the judge: the size at which budgets are judged
_HOST = "host"  # as the emulator calls what is no kernel's
WARP_SIZE = 32
SECTOR_BYTES = 32


def _name(path: Any) -> str:
    return visible(Path(str(path)).name)


def _finding(item: Mapping[str, Any]) -> Finding:
    message, line = visible(str(item["message"])), int(item.get("line") or 0)
    return Finding(FindingKind(item["kind"]), message, _name(item.get("file", "")), line)


_Words = Annotated[str, BeforeValidator(lambda text: visible(str(text)))]
_FileName = Annotated[str, BeforeValidator(_name)]
Counters = Mapping[_Words, float]
# In bytes, one a lane; None: the lane took no part.
_Offsets = Annotated[tuple[int | None, ...], Field(min_length=WARP_SIZE, max_length=WARP_SIZE)]


@dataclass(frozen=True, slots=True)
class Pattern:
    """One request of one warp: where each lane went."""

    space: Literal["global", "shared"]
    access: Literal["read", "write", "atomic"]
    size_bytes: int  # that each lane moves
    base: _Words  # what the offsets are counted from, such as d_in
    offsets: _Offsets
    # 32-byte sectors (global) or wavefronts (shared)
    passes: Annotated[int, Field(validation_alias=AliasChoices("sectors", "wavefronts"))]


@dataclass(frozen=True, slots=True)
class Line:
    file: _FileName
    line: int
    counters: Counters
    patterns: tuple[Pattern, ...] = ()


@dataclass(frozen=True, slots=True)
class Occupancy:
    blocks: int  # that one multiprocessor holds at a time
    warps: int
    of_warps: int  # that it could hold
    limiter: _Words


@dataclass(frozen=True, slots=True)
class Kernel:
    name: _Words
    launches: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    static_shared_bytes: int
    dynamic_shared_bytes: int
    occupancy: Occupancy
    counters: Counters
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class LineTime:
    """What a line costs the warps that execute it: the sum over them."""

    file: _FileName
    line: int  # 0: unknown
    issued: int
    cycles: int  # that it adds to a warp's time ...
    loads: int  # ... and loads from global memory that the warp waits for


@dataclass(frozen=True, slots=True)
class Shape:
    """The launches of one kernel with one grid and block: what a model of time needs, as sums."""

    kernel: _Words
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    features: Counters
    lines: tuple[LineTime, ...] = ()


@dataclass(frozen=True, slots=True)
class SizeProfile:
    """One call of one size. `message` says what is wrong when it did not pass."""

    num_items: int
    items: float  # what "per item" means: not always the requested size
    outcome: Outcome
    message: _Words
    findings: tuple[Annotated[Finding, BeforeValidator(_finding)], ...]
    measures: Counters
    kernels: tuple[Kernel, ...]
    shapes: tuple[Shape, ...] = ()
    places: Mapping[_Words, Place] = field(default_factory=dict)  # by measure: the most of it
    function: _Words = ""  # that is called
    limit: _Words = ""  # what the judge compares with on a GPU, such as read_bandwidth
    limit_bytes: float = 0  # that a call at the limit moves
    limit_flops: float = 0
    sequential_ms: float = 0  # of a loop on this machine's CPU; 0: it was not timed
    timeline: _Words = ""  # of copies and kernels, where the judge poses a clock

    @property
    def on_device(self) -> tuple[Kernel, ...]:
        """Kernels and copies: all that counts on the device."""
        return tuple(kernel for kernel in self.kernels if kernel.name != _HOST)

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every line with counters, summed over the kernels, by file and number."""
        merged: dict[tuple[str, int], Line] = {}
        for kernel in self.kernels:
            for line in kernel.lines:
                known = merged.get((line.file, line.line))
                merged[line.file, line.line] = _sum(known, line) if known else line
        return tuple(merged[place] for place in sorted(merged))


SIZE_PROFILE = TypeAdapter(SizeProfile)


def read_size(data: Any) -> SizeProfile:
    """One line of the judge's output. Raises FaultError when it is not as agreed."""
    try:
        return SIZE_PROFILE.validate_python({"items": data["num_items"], **data})
    except ValidationError as error:
        path, said = first_problem(error)
        raise FaultError(
            f"the judge wrote a profile that cannot be read: {spelled(path)}: {said}"
        ) from error
    except (KeyError, TypeError, ValueError) as error:
        raise FaultError(f"the judge wrote a profile that cannot be read: {error!r}") from error


def read_run(kernels: Sequence[Any]) -> SizeProfile:
    """What `run` counted in a whole program, which has no number of items: as of one item."""
    data = {"num_items": 1, "outcome": "passed", "message": "", "findings": (), "measures": {}}
    return read_size({**data, "kernels": kernels})


def _sum(one: Line, other: Line) -> Line:
    counters = dict(one.counters)
    for name, value in other.counters.items():
        # The largest multiplicity of an address is not a sum.
        add = max if "max_" in name else float.__add__
        counters[name] = add(counters.get(name, 0.0), value)
    return Line(one.file, one.line, counters, one.patterns + other.patterns)


@dataclass(frozen=True, slots=True)
class Profile:
    lab: Lab
    rung: Rung
    source: Source
    sizes: tuple[SizeProfile, ...]
    resources: tuple[Resources, ...] | str  # or why they are not known

    @property
    def passed(self) -> bool:
        return all(size.outcome is Outcome.PASSED for size in self.sizes)

    def resources_of(self, kernel: str) -> Resources | None:
        """What nvcc says of the kernel that was launched as `kernel`."""
        known = [] if isinstance(self.resources, str) else list(self.resources)
        name = kernel.rpartition("::")[2] if "<" not in kernel else kernel
        exact = [item for item in known if item.kernel.replace(" ", "") == name.replace(" ", "")]
        bare = name.partition("<")[0]
        alike = [item for item in known if item.kernel.partition("<")[0] == bare]
        return exact[0] if exact else alike[0] if len(alike) == 1 else None


def profile_rung(
    session: Session,
    folder: Path,
    lab: Lab,
    rung: Rung,
    sizes: Sequence[int],
    timed_on: Device | None = None,
) -> Profile:
    """Counts one call of each size; no size means the one at which budgets are judged.

    `timed_on` asks for the call that is timed on a GPU, where that is another, and has the host's
    code see this one.

    Raises SubmissionError when the rung cannot be run, InputError when there is nothing to count,
    FaultError when the judge failed.
    """
    if session.toolchain.backend is not Backend.CPU:
        raise InputError("counters come from the cpu backend: use --backend cpu")
    name = f"{lab.id}/{rung.id}"
    source = source_of(folder, lab, rung)
    with (
        tempfile.TemporaryDirectory(prefix="lockstep-profile-") as temp,
        ThreadPoolExecutor(1) as beside,
    ):
        work = Path(temp)
        measuring = beside.submit(_resources, session, lab, rung, source, work / "nvcc")
        worker = worker_of(session, lab, rung, source, work)
        counted = count(session.setup.of(lab, rung), rung, worker, sizes, work, timed_on)
        if not counted:
            raise InputError(f"{name} has no workload to profile: its judge checks results alone")
        for size in counted:
            if not size.kernels:
                _complain(name, size)
        return Profile(lab, rung, source, counted, measuring.result())


def _resources(
    session: Session, lab: Lab, rung: Rung, source: Source, work: Path
) -> tuple[Resources, ...] | str:
    """The resources of every kernel on the newest architecture, or why there are none to show."""
    unknown = "registers and local memory: not known,"
    if session.setup.nvcc is None:
        return f"{unknown} {session.toolchain.nvcc['missing']}"
    compiled = compile_for_gpus(session.setup.of(lab, rung), rung, source, work, Phase.RESOURCES)
    if compiled.errors:
        return f"{unknown} nvcc does not compile this file: {compiled.errors[0].message}"
    newest = capability(rung.architectures[-1])
    return tuple(item for item in compiled.resources if capability(item.architecture) == newest)


def _as_posed(gpu: Device) -> str:
    """As the judge's option takes it."""
    whole = (gpu.multiprocessors, gpu.warps * WARP_SIZE, gpu.shared_bytes, int(gpu.l2_bytes))
    return ",".join(str(number) for number in whole)


def count(
    setup: RungSetup,
    rung: Rung,
    worker: Path,
    sizes: Sequence[int],
    work: Path,
    timed_on: Device | None = None,
) -> tuple[SizeProfile, ...]:
    """One call of each size, as for `profile_rung`; empty when the rung has no workload."""
    listed = ",".join(str(size) for size in sizes or [_BUDGET_SIZE])
    asked = [f"--rung={rung.id}", f"--profile={listed}", "--shapes"]
    asked.append(f"--patience={min(max(1, max(sizes, default=0) // _QUICK_ITEMS), _PATIENCE)}")
    asked += ["--timed", f"--gpu={_as_posed(timed_on)}"] if timed_on else []
    argv = [str(setup.tools.judge), *asked, *workers_on_cpu(setup, worker).arguments()]
    done = setup.whole.processes.run(argv, _LIMITS, work)
    if done.timed_out:
        raise FaultError(
            f"profiling did not end within {_LIMITS.seconds:.0f} s; try a smaller --size"
        )
    if done.returncode not in (_OK, _WRONG) and "has no workload" in done.output:
        return ()
    if done.returncode not in (_OK, _WRONG):
        raise FaultError(f"the judge cannot profile {rung.id}: {one_line(done.output[-300:])}")
    lines = [line for line in done.output.splitlines() if line.startswith("{")]
    try:
        return tuple(read_size(json.loads(line)) for line in lines)
    except ValueError as error:
        raise FaultError(f"the judge wrote a profile that is not JSON: {error}") from error


def _complain(name: str, size: SizeProfile) -> None:
    """No kernel ran: says why, in one line."""
    if any(
        finding.kind is FindingKind.TODO for finding in size.findings
    ) or size.message.startswith("TODO"):
        raise SubmissionError(f"{name} is not written yet: {one_line(size.message)}")
    if size.outcome is not Outcome.PASSED:
        raise SubmissionError(f"{name} cannot be profiled: {one_line(size.message)}")
