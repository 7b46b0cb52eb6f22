# SPDX-License-Identifier: MIT
"""Profiles as the judge writes them, for the fake judge to say and for tests to read."""

import json
from collections.abc import Sequence
from typing import Any

from lockstep_grader.student.profile.run import SizeProfile, read_size

from conftest import DATA

SOURCE = (DATA / "profiled.cu").read_text("utf-8")

Offsets = Sequence[int | None]


def strided(step: int, lanes: int = 32) -> Offsets:
    """Offsets of `lanes` lanes, each `step` bytes after the last; the others take no part."""
    return [step * lane if lane < lanes else None for lane in range(32)]


def pattern(space: str, access: str, offsets: Offsets, passes: int, **changes: Any) -> Any:
    count = "sectors" if space == "global" else "wavefronts"
    base = "d_in" if space == "global" else "tile"
    made = {"space": space, "access": access, "size_bytes": 4, "base": base, count: passes}
    return {**made, "offsets": list(offsets), **changes}


def kernel(lines: Sequence[Any] = (), **changes: Any) -> Any:
    """A kernel whose counters are the sums over its lines, and those given as `counters`."""
    sums: dict[str, float] = {"launches": 1, "blocks": 32, "warps": 1024}
    for line in lines:
        for name, value in line["counters"].items():
            sums[name] = (
                max(sums.get(name, 0), value) if "max" in name else sums.get(name, 0) + value
            )
    return {
        "name": "tree_kernel",
        "launches": 1,
        "grid": [32, 1, 1],
        "block": [1024, 1, 1],
        "static_shared_bytes": 8192,
        "dynamic_shared_bytes": 0,
        "occupancy": {"blocks": 2, "warps": 64, "of_warps": 64, "limiter": "threads"},
        "lines": list(lines),
        **changes,
        "counters": {**sums, **changes.get("counters", {})},
    }


def line(number: int, *patterns: Any, file: str = "02_second.cu", **counters: float) -> Any:
    return {"file": file, "line": number, "counters": counters, "patterns": list(patterns)}


def tree_lines() -> list[Any]:
    return [
        line(
            5,
            pattern("global", "read", strided(128), 32),
            pattern("shared", "write", strided(4), 1),
            global_read_requests=2048,
            global_read_sectors=65536,
            global_read_bytes=262144,
            global_read_lanes=65536,
            shared_write_requests=2048,
            shared_write_wavefronts=2048,
            shared_write_conflicts=0,
        ),
        line(7, barriers=352),
        line(
            8,
            pattern("shared", "read", strided(64), 16),
            shared_read_requests=4000,
            shared_read_wavefronts=20000,
            shared_read_conflicts=16000,
            divergent_branches=512,
        ),
        line(
            10,
            pattern("global", "write", strided(0, 1), 1, base="d_sums"),
            global_write_requests=32,
            global_write_sectors=32,
            global_write_bytes=128,
            global_write_lanes=32,
        ),
        line(12, file="scratch.cuh", warp_operations=3),
    ]


def judged(**changes: Any) -> Any:
    """One line of the judge's output."""
    return {
        "num_items": 65536,
        "outcome": "passed",
        "message": "",
        "findings": [],
        "measures": {"launches": 1, "bank_conflicts": 16000, "sector_efficiency": 0.125},
        "kernels": [kernel(tree_lines(), counters={"basic_blocks": 9000, "active_lanes": 250000})],
        **changes,
    }


def size_profile(**changes: Any) -> SizeProfile:
    return read_size(judged(**changes))


def timed_profile(sectors: int) -> Any:
    """A profile of one launch that reads so many sectors, where 8 MiB would be enough."""
    blocks = 132 * 64
    features = {
        "launches": 1,
        "blocks": blocks,
        "distinct_read_sectors": sectors,
        "cold_read_sectors": sectors,
    }
    extent = {"grid": [blocks, 1, 1], "block": [256, 1, 1], "shared_bytes": 0}
    shape = {"kernel": "tree_kernel", **extent, "features": features}
    limit = {"limit": "read_bandwidth", "limit_bytes": 1 << 23}
    return judged(shapes=[shape], **limit, sequential_ms=25)


def profiled_source(*judgements: Any, source: str = SOURCE) -> str:
    """A submission for which the fake judge reports the given profiles."""
    said = judgements or (judged(),)
    return source + "".join(f"//profile {json.dumps(item)}\n" for item in said)
