# SPDX-License-Identifier: MIT
"""What holds a kernel back, and what a line costs, by stated rules from its counters."""

from typing import Any

import pytest

from lockstep_grader.student.profile.cost import (
    diagnose,
    extent,
    kernel_columns,
    line_notes,
    passes,
)
from lockstep_grader.student.profile.run import Kernel

from profiles import kernel, line, size_profile, tree_lines

# A warp's perfect read: 32 lanes, 4 bytes each, 4 sectors.
PERFECT: dict[str, Any] = {
    "global_read_requests": 1000,
    "global_read_sectors": 4000,
    "global_read_bytes": 128000,
    "global_read_lanes": 32000,
    "basic_blocks": 2000,
    "active_lanes": 64000,
}
FULL = {"blocks": 2, "warps": 64, "of_warps": 64, "limiter": "threads"}


def made(occupancy: dict[str, Any] = FULL, **counters: float) -> Kernel:
    whole = [line(7, **{**PERFECT, **counters})]
    (only,) = size_profile(kernels=[kernel(whole, occupancy=occupancy)]).kernels
    return only


@pytest.mark.parametrize(
    ("counters", "rule", "said"),
    [
        ({}, "no_waste", "no access is wasted: 4 bytes of global memory moved per item"),
        (
            {"shared_read_wavefronts": 5000},
            "no_waste",
            "56% of all passes are shared memory's, most of all in 02_second.cu:7",
        ),
        ({"global_read_sectors": 32000}, "uncoalesced", "32000 sectors moved, where 4000 would"),
        (
            {"shared_read_wavefronts": 4000, "shared_read_conflicts": 3000},
            "bank_conflicts",
            "3000 extra wavefronts, 38% of all passes, most of all in 02_second.cu:7",
        ),
        (
            {"global_atomic_lanes": 32000, "global_atomic_max_same_address": 32},
            "atomics",
            "up to 32 lanes of a warp access one address",
        ),
        (
            {"active_lanes": 16000, "divergent_branches": 50},
            "divergence",
            "on average 8.0 of a warp's 32 lanes work, the others wait, most of all in",
        ),
        ({"barriers": 100}, "barriers", "warps wait 3200 times"),
    ],
)
def test_each_rule_fires_on_its_own_counters(
    counters: dict[str, Any], rule: str, said: str
) -> None:
    told = diagnose(made(**counters), 32000, 16)
    assert told.rule == rule
    assert said in told.sentence


def test_the_costliest_avoidable_passes_come_first() -> None:
    both = made(
        global_read_sectors=6000,
        shared_read_wavefronts=9000,
        shared_read_conflicts=8000,
    )
    assert diagnose(both, 32000, 16).rule == "bank_conflicts"


def test_a_cost_below_a_tenth_of_the_passes_is_not_what_holds_back() -> None:
    few = made(shared_read_wavefronts=1000, shared_read_conflicts=400)
    assert diagnose(few, 32000, 16).rule == "no_waste"


def test_atomics_at_different_addresses_do_not_queue() -> None:
    spread = made(shared_atomic_lanes=32000, shared_atomic_max_same_address=1)
    assert diagnose(spread, 32000, 16).rule == "no_waste"


def test_a_kernel_that_leaves_multiprocessors_empty_is_told_so() -> None:
    low = {"blocks": 1, "warps": 8, "of_warps": 64, "limiter": "shared memory"}
    told = diagnose(made(low), 32000, 16)
    assert told.rule == "occupancy"
    assert "8 of 64 fit on a multiprocessor, limited by shared memory" in told.sentence
    assert diagnose(made(), 32000, 132).rule == "few_blocks"


def test_a_broadcast_that_asks_for_more_than_it_moves_wastes_nothing() -> None:
    broadcast = made(global_read_sectors=1000)
    assert diagnose(broadcast, 32000, 16).rule == "no_waste"


def test_the_heat_of_all_lines_adds_up_to_one() -> None:
    size = size_profile()
    notes = {note.line.line: note for note in line_notes(size)}
    assert sum(note.share for note in notes.values()) == pytest.approx(1)
    assert notes[5].share == pytest.approx(67584 / (67584 + 20000 + 32))
    assert (notes[5].percent, notes[7].percent, notes[10].percent) == ("77%", "", "<1%")
    assert passes(size.lines[0].counters) == 67584


def test_a_kernels_row_has_every_column() -> None:
    (only,) = size_profile(kernels=[kernel(tree_lines())]).kernels
    row = dict(kernel_columns(only, 65536))
    assert row["grid x block"] == "32 x 1024"
    assert row["bytes moved per item"] == "32.02"
    assert (row["sectors per read"], row["sectors per write"]) == ("32", "1")
    assert (row["bank conflicts"], row["barriers per block"]) == ("16000", "11")
    assert (row["atomics"], row["divergent branches"]) == ("0", "512")


def test_an_extent_drops_trailing_ones() -> None:
    made = [extent(lengths) for lengths in ((5, 1, 1), (32, 8, 1), (1, 1, 3), (1, 1, 1))]
    assert made == ["5", "32x8", "1x1x3", "1"]


def test_copies_by_the_host_have_no_shape_and_no_occupancy() -> None:
    low = {"blocks": 32, "warps": 1, "of_warps": 64, "limiter": "blocks"}
    copies = kernel([line(7, **PERFECT)], name="cudaMemcpy", launches=0, occupancy=low)
    (only,) = size_profile(kernels=[copies]).kernels
    columns = dict(kernel_columns(only, items=32000))
    assert columns["launches"] == "0"
    assert columns["grid x block"] == columns["occupancy"] == "-"
    assert diagnose(only, items=32000, multiprocessors=16).rule == "no_waste"


def test_a_copy_of_one_word_is_not_uncoalesced() -> None:
    one = line(7, global_read_sectors=1, global_read_requests=1, global_read_bytes=4)
    copies = kernel([one], name="cudaMemcpy", launches=0)
    (only,) = size_profile(kernels=[copies]).kernels
    assert diagnose(only, items=32000, multiprocessors=16).rule == "no_waste"
