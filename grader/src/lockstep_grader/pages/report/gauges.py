# SPDX-License-Identifier: MIT
"""A measure as a bar: where points begin, where the full mark is, and the limit of any program."""

from collections.abc import Iterator
from dataclasses import dataclass

from lockstep_grader.model.grades import Backend, Gate, Part, Rung, RungResult, TestResult
from lockstep_grader.model.measures import MEASURES, figure, kept
from lockstep_grader.model.score import passes_by_noise

# What a speed ratio is a ratio of, and what 1 means.
_SPEEDS = {
    "share": ("speed, as a share of what this device reaches", "the device's limit"),
    "of_library": ("speed compared with the library's", "the library"),
    "of_reference": ("speed compared with the reference solution's", "the reference"),
    "speedup": ("speedup over the lab's first rung", ""),
    "speedup_cpu": ("speedup over a sequential CPU", ""),
}
_LIMITS = {  # of counts: what cannot be passed, and its name
    "sector_efficiency": (1.0, "every byte moved is used"),
    "lanes_per_request": (32.0, "a whole warp"),
}
_ROOM = 1.15  # of the axis beyond what has to fit on it
_LONGEST = 2.0  # a value this many times the gates is cut off, or the gates would not be seen


@dataclass(frozen=True, slots=True)
class Gauge:
    name: str
    words: str
    value: float
    unit: str
    gate: Gate | None  # None: measured, and points do not depend on it
    limit: float | None
    limit_words: str
    is_noisy: bool = False  # too close to its gate to call: not held against the student

    @property
    def lower_is_better(self) -> bool:
        return self.gate is not None and self.gate.zero > self.gate.full

    @property
    def earned(self) -> float:
        """The share of the points, in [0, 1]."""
        return self.gate.fraction(self.value) if self.gate else 1.0

    @property
    def verdict(self) -> str:
        """One of full, part, none, info: as a style class and a word."""
        if self.gate is None:
            return "info"
        if self.is_noisy or kept(self.gate, self.value):
            return "full"
        return "part" if self.earned > 0 else "none"

    @property
    def end(self) -> float:
        """Where the axis ends."""
        fixed = [self.gate.zero, self.gate.full] if self.gate else []
        if self.limit is not None:
            fixed.append(self.limit)
        base = max([abs(mark) for mark in fixed] or [self.value]) or 1.0
        return max(base, min(self.value, base * _LONGEST)) * _ROOM

    @property
    def is_cut(self) -> bool:
        return self.value > self.end

    def at(self, mark: float) -> float:
        """The place of `mark` on the axis, in percent."""
        return round(100 * min(1.0, max(0.0, mark / self.end)), 2)

    def said(self, value: float) -> str:
        """`value` as a person reads it."""
        if self.name == "share":
            return f"{value:.1%}" if value != round(value, 2) else f"{value:.0%}"
        return f"{_grouped(value)}{self.unit}"

    @property
    def sentence(self) -> str:
        """The whole picture in words."""
        parts = [f"{self.words}: {self.said(self.value)}"]
        if self.gate:
            parts.append(f"no points at {self.said(self.gate.zero)}")
            parts.append(f"full mark at {self.said(self.gate.full)}")
        if self.limit is not None:
            parts.append(f"{self.limit_words} at {self.said(self.limit)}")
        return ", ".join(parts)


def gauges(rung: Rung, result: RungResult, backend: Backend) -> tuple[Gauge, ...]:
    """A bar for each gate that was measured, and for the speed even where no points hang on it."""
    return tuple(_gauges(rung, result, backend))


def _gauges(rung: Rung, result: RungResult, backend: Backend) -> Iterator[Gauge]:
    for test in result.judgement.tests:
        if test.part is not Part.EFFICIENCY:
            continue
        gates = rung.gates(backend)
        for gate in gates:
            if gate.name in test.measures:
                yield _gauge(gate.name, gate, test)
        if "share" in test.measures and all(gate.name != "share" for gate in gates):
            yield _gauge("share", None, test)


def _gauge(name: str, gate: Gate | None, test: TestResult) -> Gauge:
    value = test.measures[name]
    noisy = gate is not None and passes_by_noise(gate, test)
    if name in _SPEEDS:
        words, limit_words = _SPEEDS[name]
        return Gauge(
            name, words, value, "x", gate, 1.0 if limit_words else None, limit_words, noisy
        )
    words = MEASURES[name].words if name in MEASURES else name
    limit, limit_words = _LIMITS.get(name, (None, ""))
    return Gauge(name, words, value, "", gate, limit, limit_words, noisy)


def _grouped(value: float) -> str:
    """Separates thousands, so that long counts are readable."""
    return f"{int(value):,}" if float(value).is_integer() else figure(value)
