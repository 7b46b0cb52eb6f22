# SPDX-License-Identifier: MIT
"""The measures of a call on the cpu backend: their names, and how a person reads them.

The judge computes them from the emulator's counters; budgets in lab.toml are gates over them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lockstep_grader.model.grades import Gate, Place, Resources


@dataclass(frozen=True, slots=True)
class Measure:
    name: str
    words: str  # what is counted, as tables name it
    unit: str  # after a value, in a sentence; empty: the number alone
    place: str = "most of them in"  # leads to the line with the largest share
    remedy: str = ""  # what a missed gate means, and what to do about it
    whole: str = ""  # the measure of which this one is a part


def _measures(*measures: Measure) -> Mapping[str, Measure]:
    return {measure.name: measure for measure in measures}


MEASURES = _measures(
    Measure("launches", "kernel launches", "launches", "most of them from"),
    Measure(
        "global_read_bytes_per_item",
        "bytes that lanes read from global memory, per item",
        "bytes per item",
    ),
    Measure(
        "global_write_bytes_per_item",
        "bytes that lanes write to global memory, per item",
        "bytes per item",
    ),
    Measure(
        "global_bytes_moved_per_item",
        "bytes that global memory moves (32 per sector), per item",
        "bytes per item",
    ),
    Measure(
        "read_sectors_per_request",
        "32-byte sectors that a warp's read touches, on average",
        "sectors per request",
    ),
    Measure(
        "write_sectors_per_request",
        "32-byte sectors that a warp's write touches, on average",
        "sectors per request",
    ),
    Measure(
        "sector_efficiency",
        "bytes used over bytes moved (1 is perfect)",
        "of the bytes moved were used",
        "worst in",
    ),
    Measure("bank_conflicts", "extra passes over shared memory's banks", ""),
    Measure(
        "shared_bytes_per_block",
        "bytes of shared memory, per block",
        "bytes per block",
        "declared for",
    ),
    Measure(
        "busiest_block_bytes_per_item",
        "bytes that the busiest block of each launch moves, per item",
        "bytes per item",
        remedy="one block does much of the work: divide it among more blocks, which a GPU runs "
        "at the same time",
        whole="global_bytes_moved_per_item",
    ),
    Measure("barriers_per_block", "barriers that one block passes, at most", "barriers per block"),
    Measure("atomics_per_item", "atomics, per item", "atomics per item"),
    Measure("global_atomics_per_item", "atomics on global memory, per item", "atomics per item"),
    Measure("atomics_per_block", "atomics of one block, at most", "atomics per block"),
    Measure(
        "atomics_same_address",
        "most lanes of one atomic request that meet at one address",
        "lanes at one address",
        "at worst in",
    ),
    Measure("divergent_branches", "branches at which a warp's lanes part", "divergent branches"),
    Measure(
        "passes_per_warp",
        "requests to memory and warp operations of each launch's busiest warp, one after another",
        "passes of the busiest warps of all launches",
        remedy="some warp works through many items one by one, or many launches follow each other: "
        "let more threads share the work",
    ),
    Measure(
        "look_back_loads",
        "polling loads that one warp makes one after another, of other words each time",
        "loads, one after another, by one warp",
    ),
    Measure(
        "look_back_chain",
        "publications that wait for each other, one after another",
        "publications in a chain",
        "the last one in",
        "each tile waits until the tile before has its prefix: publish what a tile has alone "
        "before its look-back",
    ),
    Measure(
        "copies_ahead",
        "copies to shared memory that outlast a wait, of all (cp.async)",
        "of the asynchronous copies were still under way after a wait of their thread",
        "most that did not in",
        "start copies further ahead, and let the wait leave the newest batch under way",
    ),
    Measure(
        "lanes_per_request",
        "active lanes of a request to global memory, on average",
        "lanes per request",
        "fewest in",
    ),
    Measure(
        "threads_per_item",
        "threads of all launches, per item",
        "threads per item",
        remedy="launch fewer threads; a grid-stride loop gives each more items",
    ),
    Measure(
        "shared_requests_per_item",
        "requests of warps to shared memory, of any width, per item",
        "requests per item",
        remedy="let each load bring more: 16 bytes per lane, or words that serve more outputs",
    ),
    Measure("warp_operations_per_item", "shuffles, votes and the like, per item", "per item"),
    Measure(
        "shared_read_bytes_per_item",
        "bytes that lanes read from shared memory, per item",
        "bytes per item",
        remedy="give a warp a larger tile of outputs: it then uses each word that it loads more "
        "often",
    ),
    Measure(
        "matrix_multiply_adds_per_item",
        "multiply-adds of tensor cores, per item",
        "multiply-adds of tensor cores per item",
        remedy="multiply by tensor cores, and every pair of factors once",
    ),
    Measure("host_waits", "calls with which the host waits for the device", "waits"),
    Measure(
        "host_calls",
        "launches, copies, fills and cudaMalloc that the host asks for, captured ones too; the "
        "launch of a graph counts as one",
        "calls of the host",
    ),
    Measure("graph_launches", "launches of graphs", "launches of graphs"),
    Measure(
        "allocated_bytes",
        "bytes of device memory that the function has allocated at a time, at most",
        "bytes allocated at a time",
        "the last of them in",
        remedy="an array counts until its free comes before the next allocation in the order of "
        "the streams, and a __device__ array always",
    ),
    Measure(
        "pinned_bytes",
        "bytes of pinned memory that the function holds at a time, at most",
        "bytes of pinned memory at a time",
        "the last of them in",
        remedy="pin a few staging buffers, and use them in turn",
    ),
    Measure(
        "pageable_bytes_per_item",
        "bytes copied between the device and pageable memory, per item",
        "bytes per item",
        remedy="such a copy goes through a buffer of the driver, and the host's thread carries it",
    ),
    Measure(
        "timeline_ns_per_item",
        "time until host and device are done, by the clock that the judge poses, per item",
        "ns per item",
        remedy="shorten the critical path, which ./lab profile draws in capitals: what could run "
        "at the same time, and which calls could the host leave out?",
    ),
)

# What a student predicts besides: totals of a counter over all kernels, by the counter's name.
TOTALS = _measures(
    Measure("blocks", "blocks of all launches", "blocks"),
    Measure("warps", "warps of all launches", "warps"),
    Measure("barriers", "barriers of all blocks, once per block", "barriers"),
    Measure("warp_operations", "shuffles, votes and the like, once per warp", "warp operations"),
    Measure("global_atomic_lanes", "atomics on global memory", "atomics"),
    Measure("shared_atomic_lanes", "atomics on shared memory", "atomics"),
)
RESIDENT_BLOCKS = "resident_blocks"
QUANTITIES = {
    **MEASURES,
    **TOTALS,
    **_measures(
        Measure(RESIDENT_BLOCKS, "blocks that one multiprocessor holds at a time", "blocks")
    ),
}

# Of a call on a GPU, by the model of time.
TIME_US = "time_us"

# Means over requests to global memory, and over copies from it. Further requests that look good
# improve them, but each moves at least one sector: a gate on a mean counts only together with a
# gate on all bytes moved.
MEANS = frozenset(
    {
        "read_sectors_per_request",
        "write_sectors_per_request",
        "sector_efficiency",
        "lanes_per_request",
        "copies_ahead",
    }
)
SHARES = frozenset({"sector_efficiency", "copies_ahead"})
# More is better; of all others, less is.
RISING = SHARES | {"lanes_per_request", "matrix_multiply_adds_per_item"}
PAID_BY = "global_bytes_moved_per_item"

# That blocks and warps share the work. Nearly every kernel does, so these are shown only where they
# are missed.
SHARED_WORK = frozenset({"busiest_block_bytes_per_item", "passes_per_warp"})

# What follows the value of a gate of speed.
_SPEED_RATIOS = {
    "share": "of what this device's own reads or copies reach",
    "of_reference": "times the reference solution's speed",
    "speedup": "times the first rung's speed",
    "speedup_cpu": "times the sequential loop's speed",
    "of_library": "times the library's speed",
}

_LOOK_BACK = "look_back_"  # measures of the judge's call with the longest look-backs
LOOK_BACK_ITEMS = "look_back_items"

# Figures of nvcc's assembler: the largest of any kernel, on any architecture that the lab lists.
COMPILER_MEASURES = _measures(
    Measure("registers_per_thread", "registers per thread", "registers per thread"),
    Measure("spilled_bytes", "bytes of registers that spill to local memory", "bytes spilled"),
    Measure("stack_bytes", "bytes of stack in local memory, per thread", "bytes of stack"),
)


def compiler_measures(resources: Sequence[Resources]) -> Mapping[str, float]:
    """Their values; none where nvcc did not compile the rung."""
    if not resources:
        return {}
    return {
        "registers_per_thread": max(item.registers for item in resources),
        "spilled_bytes": max(item.spilled_bytes for item in resources),
        "stack_bytes": max(item.local_bytes for item in resources),
    }


def figure(value: float) -> str:
    """A count as it is; anything else to four digits."""
    return str(int(value)) if float(value).is_integer() else f"{value:.4g}"


def figure_of(name: str, value: float) -> str:
    """A measure's value as people read it: a share in percent."""
    return f"{figure(100 * value)}%" if name in SHARES else figure(value)


def spoken(name: str, value: float) -> str:
    """A measure with its value: a ratio of speeds as a phrase."""
    ratio = _SPEED_RATIOS.get(name)
    return f"{figure(value)} {ratio}" if ratio else f"{name} {figure_of(name, value)}"


def bound(gate: Gate) -> str:
    """What a budget allows for the full mark, in the handouts' words."""
    side = f"at {'most' if gate.zero > gate.full else 'least'} {figure_of(gate.name, gate.full)}"
    return side if gate.most == math.inf else f"{side}, at most {figure_of(gate.name, gate.most)}"


def kept(gate: Gate, value: float) -> bool:
    return gate.fraction(value) == 1


def _unit(measure: Measure, value: float) -> str:
    """The unit after the value: "1 load, one after another", but "2 loads"."""
    word, space, rest = measure.unit.partition(" ")
    if value != 1 or not word.rstrip(",").endswith("s"):
        return measure.unit
    plural = word.rstrip(",")
    single = plural.removesuffix("es" if plural.endswith("ches") else "s")
    return single + word.removeprefix(plural) + space + rest


def size_of(measure: str, measures: Mapping[str, float]) -> float:
    """The size of the call in which it was counted; 0: not known."""
    if measure.startswith(_LOOK_BACK) and LOOK_BACK_ITEMS in measures:
        return measures[LOOK_BACK_ITEMS]
    return measures.get("num_items", 0.0)


_UNUSED = ".unused"  # of the bytes that a line moves
_NEXT = (".2", ".3")  # the lines that come after the first
_SMALL_PART = 0.1  # ten parts or more: they share the work


def blamed_place(gate: Gate, value: float, places: Mapping[str, Place]) -> Place | None:
    """The line to change: the one with the most, or the one whose waste explains the excess."""
    unused = places.get(gate.name + _UNUSED)
    return unused if unused and _explains(unused, gate, value) else places.get(gate.name)


def _explains(unused: Place, gate: Gate, value: float) -> bool:
    return 2 * unused.value >= value - gate.full > 0


def follows_from_whole(name: str, value: float, measures: Mapping[str, float]) -> bool:
    """Whether this is a small part of its whole: then the whole is too much, and well divided."""
    measure = MEASURES.get(name)
    whole = measures.get(measure.whole) if measure else None
    return whole is not None and value < _SMALL_PART * whole


def budget_sentence(
    gate: Gate, value: float, measures: Mapping[str, float], places: Mapping[str, Place]
) -> str:
    """How a budget was missed, and where most of the cost arises."""
    measure = MEASURES.get(gate.name) or COMPILER_MEASURES[gate.name]
    said = " ".join(filter(None, (figure_of(gate.name, value), _unit(measure, value))))
    if whole := measures.get(measure.whole):
        said += f", {value / whole:.0%} of all"
    if value > gate.most:
        earns = f"no points above {figure_of(gate.name, gate.most)}"
    elif gate.fraction(value) == 0:
        earns = f"no points from {figure_of(gate.name, gate.zero)}"
        earns += " up" if gate.zero > gate.full else " down"
    else:
        earns = f"this earns {gate.fraction(value):.0%} of the points"
    num_items = size_of(gate.name, measures)
    items = "item" if num_items == 1 else "items"
    call = f", in a call with {figure(num_items)} {items}" if num_items else ""
    text = f"{gate.name}: {said} (full mark: {bound(gate)}){call}: {earns}"
    if follows_from_whole(gate.name, value, measures):
        text += f"; that is a small part, so lower {measure.whole}"
    elif measure.remedy:
        text += f"; {measure.remedy}"
    place = places.get(gate.name)
    if place is None:
        return text
    unused = places.get(gate.name + _UNUSED)
    wasted = unused.value if unused and _explains(unused, gate, value) else 0.0
    is_first = unused is not None and (unused.file, unused.line) == (place.file, place.line)
    text += f"; {measure.place} {_line(gate, place, wasted if is_first else 0.0)}"
    following = [_line(gate, places[gate.name + end]) for end in _NEXT if gate.name + end in places]
    if following:
        text += f", then in {' and '.join(following)}"
    if unused and wasted and not is_first:
        text += f"; line {unused.line} moves {figure(wasted)} {measure.unit} that it does not use"
    return text


def _line(gate: Gate, place: Place, wasted: float = 0.0) -> str:
    share = figure_of(gate.name, place.value) if place.value else ""
    share += f", {figure(wasted)} of them not used" if wasted else ""
    return f"line {place.line} ({share})" if share else f"line {place.line}"
