# SPDX-License-Identifier: MIT
"""No gate of a budget is met by work that does nothing: every one is attacked.

The attacks are added to mutants that miss the gate, of up to three labs. They only improve means:
blocks and warps without work, requests that look good. None may earn more than the mutant alone.
Attacks that need a kernel of their own are mutants; docs/counters.md lists them all.
"""

import re
from pathlib import Path

import pytest

from lockstep_grader.author.mutants import Mutant, read_mutants
from lockstep_grader.compile.worker import compile_rung
from lockstep_grader.intake.catalog import find_lab
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.session import Session, Wanted, open_session
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend, Gate, Lab, Outcome
from lockstep_grader.student.profile.run import count

from conftest import DATA
from repository import LABS, REPOSITORY

WORKSPACE = Workspace.from_environment()
TABLE = "## What was tried on each gate"

KERNELS = (DATA / "attacks_on_gates.cu").read_text("utf-8")
# Each improves a mean of another direction; blocks and warps without work improve those of both.
ATTACKS = """
  if (g_attack[7] != '0') empty_kernel<<<20000, 32>>>(), idle_kernel<<<64, 1024>>>();
  if (g_attack[7] == '1') one_word_kernel<<<8192, 32>>>();
  if (g_attack[7] == '2') wide_kernel<<<2048, 32>>>();
"""
NONE, ONE_WORD, WIDE = "012"
# After a launch of the rung itself, or of a kernel that the lab gives.
_CALLS = (r"check_launch\(\);", r"\blaunch_\w+\([^;]*\);")
# Other functions of these rungs launch first: which launch is the first of the measured one.
LAUNCHED_LATER = {"03_blelloch": 1}
# No mutant misses the first. The attacks are launches, so they never help with the second.
NOT_ATTACKED = {"global_write_bytes_per_item", "launches"}
MISSED_BY = {
    "allocated_bytes": ("12-streams/malloc_and_free_async",),
    "atomics_per_block": ("02-scan/chain_by_exchanges",),
    "atomics_per_item": (
        "03-compaction/atomic_an_item",
        "10-histogram/an_atomic_per_lane",
        "13-sparse/every_edge_claims",
    ),
    "bank_conflicts": (
        "01-reduction/bank_conflicts",
        "11-stencil/row_sums_by_columns",
        "14-merge/sixteen_items_per_thread",
    ),
    "barriers_per_block": ("06-matmul/whole_depth_per_block",),
    "busiest_block_bytes_per_item": (
        "00-threads/one_block_for_all",
        "03-compaction/one_block",
        "09-attention/one_block_per_head",
    ),
    "copies_ahead": (
        "06-matmul/one_tile_ahead",
        "08-tensor-cores/two_stages_only",
    ),
    "divergent_branches": ("02-scan/divergent_modulo",),
    "global_atomics_per_item": ("10-histogram/a_block_per_512",),
    "global_bytes_moved_per_item": (
        "05-summed-area-table/sums_every_pixel",
        "10-histogram/one_sample_per_load",
        "11-stencil/vectors_in_pieces",
    ),
    "global_read_bytes_per_item": ("06-matmul/small_tile_only",),
    "host_calls": ("12-streams/no_graph",),
    "lanes_per_request": ("07-scheduling/divergent_modulo",),
    "look_back_chain": (
        "02-scan/chain_by_cache_hints",
        "04-radix-sort/prefixes_in_a_chain",
        "05-summed-area-table/chain_without_a_wait",
    ),
    "look_back_loads": (
        "02-scan/look_back_by_one_thread",
        "03-compaction/look_back_by_one_thread",
    ),
    "matrix_multiply_adds_per_item": ("08-tensor-cores/multiplied_twice",),
    "pageable_bytes_per_item": ("12-streams/pageable_copies",),
    "passes_per_warp": (
        "01-reduction/one_thread_by_vectors",
        "05-summed-area-table/one_thread_per_block",
        "07-scheduling/four_warps_for_all",
    ),
    "pinned_bytes": ("12-streams/all_pinned",),
    "read_sectors_per_request": ("07-scheduling/three_reads",),
    "sector_efficiency": ("00-threads/x_down_the_columns",),
    "shared_bytes_per_block": ("02-scan/tile_in_shared_memory",),
    "shared_read_bytes_per_item": ("09-attention/all_tiles_visited",),
    "shared_requests_per_item": (
        "06-matmul/still_word_by_word",
        "11-stencil/all_81_products",
    ),
    "threads_per_item": (
        "01-reduction/two_items_per_thread",
        "13-sparse/a_warp_for_each_row",
        "14-merge/idle_blocks",
    ),
    "timeline_ns_per_item": ("12-streams/few_threads",),
    "write_sectors_per_request": ("04-radix-sort/uncoalesced_scatter",),
}


CASES = [
    pytest.param(gate, name, marks=[pytest.mark.thorough] if number or position % 3 else [])
    for position, (gate, names) in enumerate(MISSED_BY.items())
    for number, name in enumerate(names)
]


def test_every_gate_is_in_the_table_of_attacks() -> None:
    text = (REPOSITORY / "docs" / "counters.md").read_text("utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", text.partition(TABLE)[2], re.MULTILINE)
    gates = {gate.name for lab in LABS for rung in lab.rungs for gate in rung.budget}
    assert sorted(listed) == sorted(gates)
    assert gates == MISSED_BY.keys() | NOT_ATTACKED


@pytest.fixture(scope="module")
def session() -> Session:
    return open_session(WORKSPACE, Wanted(Backend.CPU))


class Attacked:
    """The worker of a mutant with every attack in it: it is compiled once."""

    def __init__(self, session: Session, lab: Lab, mutant: Mutant, work: Path) -> None:
        self._setup, self._rung, self._work = session.setup.of(lab, mutant.rung), mutant.rung, work
        text = attacked(mutant.text, which=LAUNCHED_LATER.get(mutant.rung.id, 0))
        source = Source(mutant.rung.file_name, text.encode())
        made = compile_rung(self._setup, source, work)
        assert isinstance(made, Path), made
        self._worker = made

    def earns(self, gate: Gate, attack: str) -> float:
        """The share of the gate's points."""
        program = self._worker.read_bytes()
        assert len(re.findall(rb"attack \d of test_gates", program)) == 1
        self._worker.write_bytes(
            re.sub(rb"attack \d(?= of test_gates)", f"attack {attack}".encode(), program)
        )
        (profile,) = count(self._setup, self._rung, self._worker, [], self._work)
        assert profile.outcome is Outcome.PASSED, profile.message
        launched = {kernel.name.rpartition("::")[2] for kernel in profile.kernels}
        assert ("one_word_kernel" in launched) == (attack == ONE_WORD), launched
        assert ("wide_kernel" in launched) == (attack == WIDE), launched
        return gate.fraction(profile.measures[gate.name])


def attacked(text: str, which: int) -> str:
    """Launches the attacks after one of the launches of the submission."""
    space = "namespace {\n" if "namespace {\n" in text else "namespace lab {\n"
    begin = text.index(space) + len(space)
    ends = next(ends for call in _CALLS if (ends := [at.end() for at in re.finditer(call, text)]))
    call = ends[which]
    return text[:begin] + KERNELS + text[begin:call] + ATTACKS + text[call:]


@pytest.mark.e2e
@pytest.mark.parametrize(("name", "missed_by"), CASES)
def test_an_attack_earns_nothing(
    name: str, missed_by: str, session: Session, tmp_path: Path
) -> None:
    lab_id, _, mutant_name = missed_by.partition("/")
    lab = find_lab(LABS, lab_id)
    mutant = next(each for each in read_mutants(WORKSPACE, lab) if each.name == mutant_name)
    gate = next(each for each in mutant.rung.budget if each.name == name)
    worker = Attacked(session, lab, mutant, tmp_path)
    alone = worker.earns(gate, NONE)
    assert alone < 1
    # A gate that asks for much per request is attacked by wide requests, too.
    for attack in (ONE_WORD, WIDE) if gate.full > gate.zero else (ONE_WORD,):
        assert worker.earns(gate, attack) <= alone + 0.01
