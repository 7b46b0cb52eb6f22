# SPDX-License-Identifier: MIT
"""The grade model: labs, what judging found, and points. Plain values, no I/O."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lockstep_grader.model.compat import StrEnum
from lockstep_grader.model.quiz import QuizResult, Sheet


class Backend(StrEnum):
    CPU = "cpu"
    CUDA = "cuda"


class Outcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"  # the submission is wrong
    SKIPPED = "skipped"  # a rung that it requires is not right
    NOISY = "noisy"  # a speed too close to its gate to call: not held against the student
    ERROR = "error"  # the grader or the machine is at fault: not graded, never a zero


WRONG = (Outcome.FAILED, Outcome.ERROR)


class Part(StrEnum):
    CORRECTNESS = "correctness"
    CLEANLINESS = "cleanliness"
    EFFICIENCY = "efficiency"


class FindingKind(StrEnum):
    COMPILE_ERROR = "compile_error"
    TODO = "todo"
    WRONG_RESULT = "wrong_result"
    INPUT_MODIFIED = "input_modified"
    OUTPUT_UNWRITTEN = "output_unwritten"
    OUT_OF_BOUNDS = "out_of_bounds"
    MISALIGNED = "misaligned"
    UNINITIALIZED_READ = "uninitialized_read"
    RACE = "race"
    BARRIER_DIVERGENCE = "barrier_divergence"
    DEADLOCK = "deadlock"
    HOST_POINTER = "host_pointer"
    LAUNCH_ERROR = "launch_error"
    LEAK = "leak"
    BUDGET = "budget"
    SLOW = "slow"
    CRASH = "crash"
    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    FORBIDDEN = "forbidden"
    HOST_WAIT = "host_wait"


# The test of cleanliness on a GPU in which the emulator judges the same file.
EMULATOR = "emulator"

# Findings about cost, not about soundness: they leave the cleanliness points alone.
COST_KINDS = frozenset({FindingKind.BUDGET, FindingKind.SLOW})


@dataclass(frozen=True, slots=True)
class Gate:
    """A measured ratio or counter: no points at `zero`, all of them at `full`, linear between.

    Lower is better when zero > full. Beyond `most` there are no points again: wide loads touch 16
    sectors, and strided ones, which are no better than narrow ones, 32.
    """

    name: str
    zero: float
    full: float
    most: float = math.inf

    def fraction(self, value: float) -> float:
        """The share of the points, in [0, 1], that `value` earns."""
        if value > self.most:
            return 0.0
        return min(1.0, max(0.0, (value - self.zero) / (self.full - self.zero)))


@dataclass(frozen=True, slots=True)
class Points:
    correctness: float
    cleanliness: float
    efficiency: float

    @property
    def total(self) -> float:
        return self.correctness + self.cleanliness + self.efficiency

    def of(self, part: Part) -> float:
        return float(getattr(self, part))


_REGISTERS = 65536  # of a multiprocessor
_REGISTER_UNIT = 256  # that a warp's registers come in
_WARP_SIZE = 32
_MAX_WARPS = 32  # of a block

# The oldest architecture that nvcc 13 knows, and the one that the emulator presents.
ARCHITECTURES = ("7.5", "9.0")


def capability(architecture: str) -> tuple[int, ...]:
    """(9, 0) of 9.0, and of 9.0a, which adds what only that GPU has."""
    return tuple(map(int, architecture.removesuffix("a").split(".")))


@dataclass(frozen=True, slots=True)
class Rung:
    id: str  # the file's stem
    title: str
    points: Points
    requires: tuple[str, ...] = ()  # rungs that must be right first
    hints: tuple[str, ...] = ()  # later ones say more
    speed: tuple[Gate, ...] = ()  # judged on cuda
    budget: tuple[Gate, ...] = ()  # judged on cpu
    architectures: tuple[str, ...] = ARCHITECTURES  # that nvcc compiles it for
    hours: float | None = None  # that we expect it to take
    uses_libraries: bool = False  # may include CUB and Thrust
    # By kind or measure: a hint's number. A lab and its rungs stay hashable.
    hint_for: Mapping[str, int] = field(default_factory=dict, hash=False)

    @property
    def file_name(self) -> str:
        return f"{self.id}.cu"

    def gates(self, backend: Backend) -> tuple[Gate, ...]:
        return self.speed if backend is Backend.CUDA else self.budget

    def gpu_problem(self, gpu: str) -> str:
        """What it needs in place of a GPU of this compute capability, or nothing."""
        oldest = self.architectures[0]
        needed, found = capability(oldest), capability(gpu)
        if found == needed or (found > needed and not oldest.endswith("a")):
            return ""
        words = f"exactly {oldest[:-1]}" if oldest.endswith("a") else f"{oldest} or newer"
        return f"a GPU of compute capability {words}, and this one has {gpu}"


BENCH_SIZES = tuple(1 << exponent for exponent in (16, 20, 24, 28))  # numbers of items


@dataclass(frozen=True, slots=True)
class Lab:
    id: str  # the folder's name, such as 01-reduction
    slug: str
    title: str
    summary: str
    prerequisites: tuple[str, ...]
    rungs: tuple[Rung, ...]
    calls: tuple[str, ...] = ()  # the functions that rungs define, of namespace lab
    headers: tuple[str, ...] = ()  # of common/cuda, that come with this lab and no earlier
    bench_sizes: tuple[int, ...] = BENCH_SIZES

    @property
    def predicted_sizes(self) -> tuple[int, ...]:
        """At which the emulator counts a ladder within seconds: parts of the largest timed size."""
        return tuple(max(self.bench_sizes) >> shift for shift in (12, 10, 8))

    @property
    def max_score(self) -> float:
        return sum(rung.points.total for rung in self.rungs)


_MISSING = "is missing from the submission"


@dataclass(frozen=True, slots=True)
class Finding:
    kind: FindingKind
    message: str
    file: str = ""
    line: int = 0  # 0: no line
    column: int = 0  # 0: not known
    items: int = field(default=0, compare=False)  # of the judge's case that shows it; 0: not known

    @classmethod
    def of_missing_file(
        cls, name: str, reason: str = "", kind: FindingKind = FindingKind.COMPILE_ERROR
    ) -> "Finding":
        why = f": {reason}" if reason else ""
        return cls(kind, f"{name} {_MISSING}{why}", name)

    @property
    def is_of_missing_file(self) -> bool:
        """Whether it is that sentence of ours; a compiler, which may repeat it, names a line."""
        begin = f"{self.file} {_MISSING}"
        return self.line == 0 and (self.message == begin or self.message.startswith(f"{begin}: "))

    @property
    def said(self) -> str:
        """Kind and message. Of a missing file the message alone: no compiler has seen it."""
        return self.message if self.is_of_missing_file else f"{self.kind}: {self.message}"


@dataclass(frozen=True, slots=True)
class Place:
    """The line at which most of a measure arises, and how much of it."""

    file: str
    line: int
    value: float


@dataclass(frozen=True, slots=True)
class CompilerWarning:
    """What nvcc or clang warns about, or the emulator notes. It costs no points."""

    message: str
    file: str
    line: int  # 0: no line
    column: int = 0
    is_telling: bool = False  # it may be the reason for a wrong result


@dataclass(frozen=True, slots=True)
class Resources:
    """A kernel's resources on a multiprocessor, as nvcc's assembler reports them."""

    kernel: str  # demangled, without its parameters
    architecture: str  # such as 9.0
    registers: int  # a thread
    static_shared_bytes: int
    local_bytes: int  # a thread's stack in local memory
    spilled_bytes: int  # stores and loads of registers that did not fit
    constant_bytes: int | None  # None: this version of ptxas does not say

    @property
    def largest_block(self) -> int:
        """Threads that a block may have at most, by the registers that they take."""
        if self.registers == 0:
            return _MAX_WARPS * _WARP_SIZE
        per_warp = -(-self.registers * _WARP_SIZE // _REGISTER_UNIT) * _REGISTER_UNIT
        return min(_MAX_WARPS, _REGISTERS // per_warp) * _WARP_SIZE


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that a test made, for people to look at."""

    label: str
    file: str  # its name, next to the rung's result
    png: bytes = b""  # empty when it is there already


@dataclass(frozen=True, slots=True)
class TestResult:
    """One test of the judge. `measures` are its numbers, such as `share` of a speed test.

    `places` says of measures where in the source most of them arises.
    """

    __test__ = False  # not a pytest class

    name: str
    part: Part
    outcome: Outcome
    message: str = ""
    seconds: float = 0.0
    findings: tuple[Finding, ...] = ()
    output: str = ""  # what the submission printed, escaped and truncated by the judge
    measures: Mapping[str, float] = field(default_factory=dict)
    counters: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    places: Mapping[str, Place] = field(default_factory=dict)
    images: tuple[Image, ...] = ()
    notes: tuple[CompilerWarning, ...] = ()  # which are kept as those of its judgement


@dataclass(frozen=True, slots=True)
class Judgement:
    """What judging one rung found, before points.

    `findings` are those made before any test ran (the file, the compilers). `warnings` are
    the compilers' and the emulator's, `resources` nvcc's. `fault` is what went wrong with the
    grader or the machine, empty when the judgement stands.
    """

    tests: tuple[TestResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    warnings: tuple[CompilerWarning, ...] = ()
    resources: tuple[Resources, ...] = ()
    fault: str = ""
    seed: str = ""
    seconds: float = 0.0

    @property
    def images(self) -> tuple[Image, ...]:
        return tuple(image for test in self.tests for image in test.images)

    @property
    def is_right(self) -> bool:
        """Whether tests compared its results, and all of them passed."""
        compared = {test.outcome for test in self.tests if test.part is Part.CORRECTNESS}
        return compared == {Outcome.PASSED}


@dataclass(frozen=True, slots=True)
class PartScore:
    score: float | None  # None: not graded
    max_score: float


@dataclass(frozen=True, slots=True)
class RungResult:
    id: str
    outcome: Outcome
    parts: Mapping[Part, PartScore]
    findings: tuple[Finding, ...]
    judgement: Judgement

    @property
    def score(self) -> float | None:
        return total(part.score for part in self.parts.values())

    @property
    def max_score(self) -> float:
        return tidy(sum(part.max_score for part in self.parts.values()))


@dataclass(frozen=True, slots=True)
class Effort:
    """What a student says of the work on a lab, by rung. It changes no points."""

    minutes: Mapping[str, float] = field(default_factory=dict)  # between checks
    hints: Mapping[str, int] = field(default_factory=dict)  # that were opened


@dataclass(frozen=True, slots=True)
class LabResult:
    id: str
    rungs: tuple[RungResult, ...]
    # What the lab asks, and the student's answers; their points are not among the lab's.
    sheets: Mapping[Sheet, QuizResult] = field(default_factory=dict)
    effort: Effort | None = None  # None: the student sent none

    @property
    def score(self) -> float | None:
        return total(rung.score for rung in self.rungs)

    @property
    def max_score(self) -> float:
        return tidy(sum(rung.max_score for rung in self.rungs))


@dataclass(frozen=True, slots=True)
class Student:
    """The student of a submission, as far as names and the roster identify one; else empty."""

    name: str = ""
    email: str = ""
    lms_id: str = ""  # the number by which Canvas, Moodle or Gradescope know the student
    login: str = ""
    section: str = ""
    participant: str = ""  # Moodle's number of the student in one assignment; not the ID number


NOBODY_KNOWN = Student()


@dataclass(frozen=True, slots=True)
class Confirmation:
    """A rung judged a second time under another mechanism.

    It changes no points: a person decides what a difference means.
    """

    lab: str
    rung: str
    backend: Backend  # of the second time
    seed: str  # of the second time
    agrees: bool | None  # None: the second time ended in a fault, and says nothing
    said: str  # the difference or the fault; empty if they agree

    @property
    def line(self) -> str:
        words = {True: "agrees", False: "differs", None: "not judged"}[self.agrees]
        seed = f", seed {self.seed}" if self.seed else ""
        said = f": {self.said}" if self.said else ""
        return f"{self.lab}/{self.rung} ({self.backend}{seed}) {words}{said}"


@dataclass(frozen=True, slots=True)
class SubmissionResult:
    id: str
    labs: tuple[LabResult, ...]
    student: Student = NOBODY_KNOWN
    problem: str = ""  # why nothing could be taken from it; empty when something was
    notes: tuple[str, ...] = ()  # such as which of several uploads counts
    is_late: bool = False  # as the platform says
    dispute: str = ""  # why it is not clear whose this is; then it is left out of exports
    is_missing: bool = False  # nothing was handed in: no part of any mean
    handed_in: str = ""  # when, as ISO 8601 in UTC; empty where no platform says it
    confirmations: tuple[Confirmation, ...] = ()  # second judgements of its rungs

    @property
    def score(self) -> float | None:
        return total(lab.score for lab in self.labs)

    @property
    def max_score(self) -> float:
        return tidy(sum(lab.max_score for lab in self.labs))


def tidy(points: float) -> float:
    """Points to two places, so that sums read as people write them."""
    return round(points, 2)


def total(scores: Iterable[float | None]) -> float | None:
    """The sum, or None when any part of it was not graded: a fault is never a zero."""
    known = list(scores)
    graded = [score for score in known if score is not None]
    return tidy(sum(graded)) if len(graded) == len(known) else None
