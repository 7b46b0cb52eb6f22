# SPDX-License-Identifier: MIT
"""Recordings as the device writes them, for tests to read."""

import base64
import gzip
import json
import re
from collections.abc import Sequence
from typing import Any

from conftest import DATA

ALL = 2**32 - 1
SOURCE = (DATA / "recorded.cu").read_text("utf-8")
PLACES = [["shift.cu", line] for line in range(10)]  # so that a place is its line
IN, OUT, TILE = 0, 1, 2


def ints(values: Sequence[int]) -> str:
    return b"".join(value.to_bytes(4, "little", signed=True) for value in values).hex()


def access(
    kind: str, warp: int, line: int, array: int, first: int, values: Sequence[int], lanes: int = ALL
) -> list[Any]:
    """Of neighbouring words from `first` on, whose values are told."""
    before, after = ("", ints(values)) if kind == "w" else (ints(values), "")
    costs = [1, 1] if array == TILE else [4, 0]
    return [kind, 0, warp, line, lanes, ALL, 0, array, 4, [4 * first, 4], before, after, *costs]


def shift(last_lane_reads: int = 32, **changes: Any) -> dict[str, Any]:
    """One block of two warps. Lane 31 of warp 0 reads what lane 0 of warp 1 overwrites."""
    moments: list[list[Any]] = [["B", 0, 0, 0, 0]]
    for warp in (0, 1):
        values = range(32 * warp, 32 * warp + 32)
        moments += [
            ["s", 0, warp, 5, ALL, ALL, 0],
            access("r", warp, 5, IN, 32 * warp, values),
            access("w", warp, 5, TILE, 32 * warp, values),
        ]
        if warp == 0:
            moments.append(["v", 0, 0, 6, ALL, ALL, ALL])
    moments.append(["b", 0, 6])
    read = [*range(1, 32), last_lane_reads]
    moments += [
        access("r", 0, 7, TILE, 1, read),
        access("w", 0, 7, TILE, 0, read),
        access("r", 1, 7, TILE, 33, range(33, 64), ALL >> 1),
        ["f", 0, 1, 0, 0],
        access("w", 1, 7, TILE, 32, range(33, 64), ALL >> 1),
        access("w", 0, 8, OUT, 0, read),
        ["x", 0, 0, 0, ALL, 0, 0],
        ["E", 0],
    ]
    race = {
        "kind": "race",
        "file": "shift.cu",
        "line": 7,
        "message": "two threads <b>meet</b>; use a barrier",
        "race": [[0, 32, 7, 1], [0, 31, 7, 0]],
    }
    return {
        "version": 1,
        "kernel": "shift_kernel",
        "file": "main.cu",
        "line": 20,
        "grid": [1, 1, 1],
        "block": [64, 1, 1],
        "cut": False,
        "arrays": [
            {"name": "d_in", "space": "global", "block": -1, "bytes": 256, "file": "", "line": 0},
            {"name": "d_out", "space": "global", "block": -1, "bytes": 256, "file": "", "line": 0},
            {"name": "tile", "space": "shared", "block": 0, "bytes": 256, "file": "", "line": 0},
        ],
        "places": PLACES,
        "findings": [race],
        "moments": moments,
        **changes,
    }


def other_shift() -> dict[str, Any]:
    """The same with warp 1 first, so that lane 31 of warp 0 reads what warp 1 wrote."""
    data = shift(33)
    moments = data["moments"]
    first, second = moments[9:11], moments[11:14]  # what warp 0 and warp 1 do in line 7
    data["moments"] = [*moments[:9], *second, *first, *moments[14:]]
    return data


def unpacked(page: str) -> Any:
    """What a page holds, as its script reads it."""
    match = re.search(r'id="recording">([^<]*)<', page)
    assert match
    return json.loads(gzip.decompress(base64.b64decode(match[1])))


def kinds(page: str) -> str:
    """The kinds of its moments."""
    return "".join(moment[0] for moment in unpacked(page)["moments"])


def recorded_source(recording: dict[str, Any] | None, **changes: Any) -> str:
    """A rung whose judge answers with the recording."""
    said = {
        "recording": json.dumps(recording) if recording else "",
        "launches": ["shift_kernel"],
        "has_size": True,
        "kind": "",
        "message": "",
        "findings": [],
        **changes,
    }
    return f"{SOURCE}//recorded {json.dumps(said)}\n"
