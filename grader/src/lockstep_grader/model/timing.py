# SPDX-License-Identifier: MIT
"""How long a call would take on a GPU, from what the emulator counts: docs/time.md explains it.

A launch needs each resource for some time: arithmetic, shared memory, caches, memory, and the wait
of a block for its own steps. The longest of these times is the bound. Most of the others' time is
hidden under it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WARP_SIZE = 32
SECTOR_BYTES = 32
_REGISTERS = 32  # of a thread, where nvcc has not said
# Tiles that look back are in step on all multiprocessors: they load together, and then they wait
# together. So much hides nevertheless: chosen by the times of kernels at four sizes.
_TILES_OVERLAP = 0.4
_RESERVED_SHARED_BYTES = 1024  # of each block, by the system
LIMITS = {  # for a sentence: "limited by ..."
    "issue": "instruction issue",
    "fp32": "fp32 arithmetic",
    "integer": "integer arithmetic",
    "alu": "comparisons and logic",
    "adu": "constants and barriers",
    "fp64": "fp64 arithmetic",
    "special": "conversions and special functions",
    "exchange": "shuffles",
    "tensor": "tensor cores",
    "shared": "shared memory",
    "remote": "other blocks' shared memory",
    "l1": "the first cache",
    "stores": "stores on their way to L2",
    "l2": "the L2 cache",
    "dram": "the memory's bandwidth",
    "loads": "loads in flight",
    "steps": "steps that wait for each other",
    "look-back": "tiles that wait for tiles",
    "atomics": "atomics that queue at one place",
    "starts": "blocks that start",
    "launches": "launches",
}

_PIPES = ("issue", "fp32", "integer", "alu", "adu", "fp64", "special")  # of the same instructions
_WAITS = ("loads", "steps", "look-back")  # for each other
_DATA = ("shared", "l1", "exchange")  # that one unit of a multiprocessor delivers
_INSIDE = ("tensor", *_PIPES, *_DATA, *_WAITS)  # of a multiprocessor


@dataclass(frozen=True, slots=True)
class Device:
    """A GPU. Rates are warp instructions per clock of a multiprocessor, where no unit is named."""

    name: str
    source: str
    error: float  # half of the interval: 0.3 is +-30%
    multiprocessors: int
    clock_ghz: float
    tensor_clock_ghz: float  # while its tensor cores work
    warps: int  # that a multiprocessor holds
    blocks: int
    registers: int
    shared_bytes: int
    issue: float
    fp32: float
    integer: float
    alu: float  # of those, comparisons and logic
    adu: float  # constants that are no operand, and barriers
    fp64: float
    special: float
    exchange: float
    tensor: float  # multiply-adds of 16 bits per clock, of warps ...
    wgmma: float  # ... and of groups of warps
    l1_sectors: float
    l2_bytes: int
    l2_gbps: float  # of data that each multiprocessor has for itself ...
    l2_single_gbps: float  # ... if a request is for one sector of a line ...
    l2_write_gbps: float  # ... that it writes ...
    l2_same_gbps: float  # ... and of data that all of them ask for
    dram_gbps: float
    dram_read: float  # the share of it that reads reach ...
    dram_write: float  # ... and writes
    l1_cycles: float  # of a load that L1 answers
    l2_cycles: float
    dram_cycles: float
    barrier_cycles: float  # of each warp that comes to it
    block_cycles: float  # from the start of a block to that of the next
    next_block_cycles: float  # from the end of a block to the start of the one in its place
    remote_cycles: float  # of a packet to another block's shared memory
    atomic_ns: float  # of one operation at a line that is busy
    slice_ns: float  # ... at a slice of L2
    float_sum_ns: float  # ... at a word, where each needs the result of the one before
    launch_us: float
    copy_us: float  # in place of it, for a copy to the host
    call_us: float  # before the first launch
    overlap: float  # how much of the other times hides under the longest
    in_step: float  # the share of it that one block alone on its multiprocessor loses

    @property
    def clock(self) -> float:
        return self.clock_ghz * 1e9

    @property
    def read_gbps(self) -> float:
        return self.dram_gbps * self.dram_read

    @property
    def copy_gbps(self) -> float:
        """Of bytes that are read, and as many that are written."""
        return self.dram_gbps * 2 / (1 / self.dram_read + 1 / self.dram_write)

    @property
    def peak_flops(self) -> float:
        return 2 * WARP_SIZE * self.fp32 * self.multiprocessors * self.clock

    @property
    def peak_mma_flops(self) -> float:
        return 2 * self.tensor * self.multiprocessors * self.tensor_clock_ghz * 1e9

    @property
    def peak_wgmma_flops(self) -> float:
        return 2 * self.wgmma * self.multiprocessors * self.tensor_clock_ghz * 1e9


@dataclass(frozen=True, slots=True)
class Launches:
    """The launches of one kernel with one grid: features are sums over them."""

    kernel: str
    block: tuple[int, int, int]
    shared_bytes: int
    registers: int | None
    features: Mapping[str, float]

    @property
    def count(self) -> float:
        return max(1.0, self.features.get("launches", 1))

    @property
    def warps_per_block(self) -> int:
        """At least 1: a copy or a fill on the device has no block."""
        return max(1, math.ceil(math.prod(self.block) / WARP_SIZE))

    def mean(self, feature: str) -> float:
        """Of one launch."""
        return self.features.get(feature, 0.0) / self.count


@dataclass(frozen=True, slots=True)
class Part:
    """What one kind of launches takes, in seconds: all of them, and by resource in one of them."""

    launches: Launches
    seconds: float
    terms: Mapping[str, float]

    @property
    def bound(self) -> str:
        return max(self.terms, key=lambda term: self.terms[term])


@dataclass(frozen=True, slots=True)
class Prediction:
    device: Device
    seconds: float
    parts: tuple[Part, ...]

    @property
    def interval(self) -> tuple[float, float]:
        return self.seconds / (1 + self.device.error), self.seconds * (1 + self.device.error)

    @property
    def bound(self) -> str:
        """Of the kernel that takes longest; launches, where they take more than all kernels do."""
        longest = max(self.parts, key=lambda part: part.seconds)
        waiting = sum(part.launches.count for part in self.parts) * self.device.launch_us * 1e-6
        return "launches" if 2 * waiting > self.seconds else longest.bound

    @property
    def limited_by(self) -> str:
        return LIMITS[self.bound]


def predict(calls: Sequence[Launches], device: Device) -> Prediction:
    """Of one call, which makes these launches."""
    parts = tuple(_part(launches, device) for launches in calls)
    seconds = device.call_us * 1e-6 + sum(part.seconds for part in parts)
    return Prediction(device, seconds, parts)


def _part(launches: Launches, device: Device) -> Part:
    terms = terms_of(launches, device)
    seconds = _together(launches, device, terms)
    launch_us = device.copy_us if _is_to_host(launches) else device.launch_us
    return Part(launches, launches.count * (launch_us * 1e-6 + seconds), terms)


def _is_to_host(launches: Launches) -> bool:
    """Whether most of these copies go to the host, which waits for them before it goes on."""
    reads, writes = launches.mean("l2_read_sectors"), launches.mean("l2_write_sectors")
    return launches.kernel.startswith("cudaMemcpy") and reads > writes


def _together(launches: Launches, device: Device, terms: Mapping[str, float]) -> float:
    """How long one launch takes, when most of these times hide under the longest."""
    norm = 1 + device.overlap
    pipes, data = max(terms[pipe] for pipe in _PIPES), sum(terms[term] for term in _DATA)
    work = _norm([pipes, terms["tensor"], data], norm)
    waits = max(terms.get(wait, 0.0) for wait in _WAITS)
    others = [time for term, time in terms.items() if term not in _INSIDE]
    resident = min(resident_blocks(launches, device), _busiest(launches, device)[0])
    overlap = device.overlap * (1 - device.in_step / resident)
    if _looks_back(launches):
        overlap = _TILES_OVERLAP
    # The path of a block alone has its work; and nothing asks for memory while it computes.
    inside = max(work, waits) if resident == 1 else _norm([work, waits], norm)
    outside = _norm(others, norm)
    return _norm([inside, outside], 1 + overlap)


def _norm(times: Sequence[float], norm: float) -> float:
    longest = max(times)
    if longest == 0:
        return 0.0
    return longest * math.pow(sum((time / longest) ** norm for time in times), 1 / norm)


def shares_of_peak(part: Part, device: Device) -> tuple[float, float]:
    """Of computing and of memory, as Nsight Compute's section Speed Of Light has them: how busy the
    busiest unit of each is. L2's peak is what calibrate measures; waits are no unit."""
    launches, terms = part.launches, part.terms
    moved = _sectors_from_memory(launches, device) + launches.mean("distinct_written_sectors")
    memory = moved * SECTOR_BYTES / (device.dram_gbps * 1e9)
    data = sum(terms[term] for term in _DATA)
    # The unit of _DATA takes one instruction per cycle, and that is work of computing, too.
    instructions = launches.mean("memory") + launches.mean("exchange")
    busy = terms["issue"] * instructions / max(1.0, launches.mean("issued")) * device.issue
    compute = max(busy, terms["tensor"], *(terms[pipe] for pipe in _PIPES))
    # Terms are of the busiest multiprocessor, shares of all of them.
    most, _, skew = _busiest(launches, device)
    of_all = _num_blocks(launches, device) / device.multiprocessors / (most * skew)
    seconds = part.seconds / launches.count
    return compute * of_all / seconds, max(memory, terms["l2"], data * of_all) / seconds


def resident_blocks(launches: Launches, device: Device) -> int:
    """That one multiprocessor holds at a time."""
    warps = launches.warps_per_block
    of_registers = math.ceil((launches.registers or _REGISTERS) / 8) * 8 * WARP_SIZE * warps
    return max(
        1,
        min(
            device.blocks,
            device.warps // warps,
            device.registers // of_registers,
            device.shared_bytes // (launches.shared_bytes + _RESERVED_SHARED_BYTES),
        ),
    )


def terms_of(launches: Launches, device: Device) -> dict[str, float]:
    """Seconds that one launch needs each resource."""
    mean, warps = launches.mean, launches.warps_per_block
    blocks = _num_blocks(launches, device)
    busiest, longest, skew = _busiest(launches, device)
    together = min(resident_blocks(launches, device), busiest)
    rounds = busiest / together
    load = load_cycles(launches, device)
    products = mean("tensor_multiply_adds") + mean("wgmma_multiply_adds")
    clock = (device.tensor_clock_ghz if products else device.clock_ghz) * 1e9

    def cycles(feature: str, rate: float) -> float:
        """On the multiprocessor that has most to do."""
        return mean(feature) * busiest / blocks * skew / rate / clock

    moved = _sectors_from_memory(launches, device) / device.dram_read
    moved += (
        mean("distinct_written_sectors") + _evicted_sectors(launches, device)
    ) / device.dram_write
    stored = cycles("l2_write_lines", 1) + cycles("l2_write_sectors", 2)
    share = min(1.0, blocks / device.multiprocessors)  # of L2's ports: the multiprocessors'
    barriers = device.barrier_cycles * warps * mean("barriers") / blocks
    tiles = together * min(device.multiprocessors, blocks)
    own = {
        "steps": mean("chain_cycles") / blocks
        + barriers
        + device.next_block_cycles * (1 - 1 / rounds),
        "loads": mean("chain_loads") / blocks * load,
        "look-back": _look_back_cycles(launches, tiles, device),
    }
    waiting = max(rounds * sum(own.values()), longest)
    return {
        "issue": cycles("issued", min(device.issue, together * warps)),
        "fp32": cycles("fp32", device.fp32),
        "integer": cycles("integer", device.integer),
        "alu": cycles("alu", device.alu),
        "adu": cycles("adu", device.adu),
        "fp64": cycles("fp64", device.fp64),
        "special": cycles("special", device.special),
        "exchange": cycles("exchange", device.exchange),
        "tensor": cycles("tensor_multiply_adds", device.tensor)
        + cycles("wgmma_multiply_adds", device.wgmma),
        "shared": cycles("shared_wavefronts", 1),
        "remote": cycles("remote_packets", 1 / device.remote_cycles),
        "l1": max(cycles("l1_sectors", device.l1_sectors), cycles("l1_wavefronts", 1)),
        "stores": stored + cycles("l2_part_sectors", 2),
        "l2": _l2_seconds(launches, device, rounds) / share,
        "dram": moved * SECTOR_BYTES / (device.dram_gbps * 1e9),
        "atomics": 1e-9
        * max(
            mean("hottest_line") * device.atomic_ns,
            mean("hottest_slice") * device.slice_ns,
            mean("hottest_float") * device.float_sum_ns,
        ),
        "starts": busiest * device.block_cycles / clock,
        max(own, key=lambda wait: own[wait]): waiting / clock,
    }


def _num_blocks(launches: Launches, device: Device) -> float:
    return launches.mean("blocks") or device.multiprocessors  # a copy or a fill is everywhere


def _busiest(launches: Launches, device: Device) -> tuple[int, float, float]:
    """Of the multiprocessor that has most to do: its blocks; the cycles of the longest one; and how
    much more work it has than blocks of one length would be."""
    mean, blocks = launches.mean, _num_blocks(launches, device)
    # The blocks of a cluster start together, each on a multiprocessor of its own.
    cluster = max(1.0, mean("cluster_blocks"))
    usable = max(1.0, device.multiprocessors // cluster) * cluster
    num_blocks = math.ceil(blocks / usable)
    load = load_cycles(launches, device)
    paths = (mean("chain_cycles") + mean("chain_loads") * load) / blocks * num_blocks
    longest = mean("longest_cycles") + mean("longest_loads") * load
    # Blocks are of one length, or one is longer than all others of its multiprocessor together.
    return num_blocks, longest, max(1.0, longest / paths) if paths else 1.0


def _l2_seconds(launches: Launches, device: Device, rounds: float) -> float:
    """On all ports. Blocks that run side by side ask for the same lines at about the same time, and
    L2 answers these requests together; a round of blocks reads each sector once."""
    mean = launches.mean
    # An atomic reads its sector and writes it.
    written = mean("l2_write_sectors") + 2 * mean("l2_atomic_sectors")
    single, read = mean("l2_single_sectors"), mean("l2_read_sectors")
    once = min(read - single, rounds * mean("distinct_read_sectors"))
    served = (once + written) / device.l2_gbps + single / device.l2_single_gbps
    delivered = (read + written) / device.l2_same_gbps
    asked = (mean("l2_write_sectors") + mean("l2_atomic_sectors")) / device.l2_write_gbps
    return max(served, delivered, asked) * SECTOR_BYTES * 1e-9


def load_cycles(launches: Launches, device: Device) -> float:
    """How long a wait for loads takes: the mean of those that L1, L2 and the memory answer."""
    past_l1 = _waits_past_l1(launches)
    read = launches.mean("distinct_read_sectors")
    miss = _sectors_from_memory(launches, device) / max(1.0, read)
    past_l2 = miss * device.dram_cycles + (1 - miss) * device.l2_cycles
    return past_l1 * past_l2 + (1 - past_l1) * device.l1_cycles


def _waits_past_l1(launches: Launches) -> float:
    """The share of the waits on a block's longest path in which a load misses L1.

    Each wait is for all loads that a warp has made since the last one; and for those of the block's
    other warps, where they meet at a barrier as often.
    """
    mean, blocks = launches.mean, max(1.0, launches.mean("blocks"))
    loads, missing = mean("global_loads"), mean("missing_loads")
    waits = mean("chain_loads") / blocks
    together = loads / max(1.0, mean("warps")) / max(1.0, waits)
    if mean("barriers") / blocks >= waits:
        together *= launches.warps_per_block
    return 1 - math.pow(1 - min(1.0, missing / loads), max(1.0, together)) if loads else 1.0


def _sectors_from_memory(launches: Launches, device: Device) -> float:
    """Those that the call has not touched before; of the others, those that L2 no longer has."""
    cold, read = launches.mean("cold_read_sectors"), launches.mean("distinct_read_sectors")
    touched = read + launches.mean("distinct_written_sectors")
    return cold + (read - cold) * _share_past_l2(touched, device)


def _evicted_sectors(launches: Launches, device: Device) -> float:
    """Of threads' own arrays: L2 writes them to memory, where it has no room for those of all
    resident threads."""
    sectors = launches.mean("local_words") * WARP_SIZE * 4 / SECTOR_BYTES  # of a warp
    held = resident_blocks(launches, device) * device.multiprocessors
    warps = min(launches.mean("warps"), held * launches.warps_per_block)
    return _share_past_l2(sectors * warps, device) * sectors * launches.mean("warps")


def _share_past_l2(sectors: float, device: Device) -> float:
    """Of so many sectors: none if they fill half of L2, and all of them if they fill it."""
    return min(1.0, max(0.0, 2 * sectors * SECTOR_BYTES / device.l2_bytes - 1))


def _look_back_cycles(launches: Launches, tiles: float, device: Device) -> float:
    """How long values go from tile to tile through L2, for each round of `tiles` tiles.

    A tile that has looked back over t steps of `width` tiles ends where the known sums are: after t
    steps, width * t * t / 2 tiles know theirs. No more of them wait than a chain has.
    """
    mean, looking = launches.mean, launches.mean("look_back_blocks")
    if not _looks_back(launches):
        return 0.0
    waiting = min(tiles, mean("look_back_depth") or tiles)
    steps = math.sqrt(2 * waiting / max(1.0, mean("look_back_width") / looking))
    return steps * (device.l2_cycles + mean("look_back_cycles") / looking)


def _looks_back(launches: Launches) -> bool:
    """Whether most of its blocks do."""
    return 2 * launches.mean("look_back_blocks") > launches.mean("blocks")
