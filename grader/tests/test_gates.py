# SPDX-License-Identifier: MIT
"""No gate of a budget is met by work that does nothing: every one is attacked.

The attacks are added to each mutant that misses a budget. They only improve means: blocks
and warps without work, requests that look good. None may earn more than the mutant alone. Attacks
that need a kernel of their own are mutants; docs/counters.md lists them all.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from lockstep_grader.author.mutants import Mutant, read_mutants
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.judging.session import Session, open_session
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend, FindingKind, Lab, Outcome, Rung
from lockstep_grader.student.profile.run import profile_rung

REPOSITORY = Path(__file__).parents[2]
WORKSPACE = Workspace.from_environment()
LABS = read_labs(WORKSPACE)
TABLE = "## What was tried on each gate"

KERNELS = """
__device__ float4 g_words[32];
__device__ float g_word;
__device__ int g_flag;

__global__ void empty_kernel() {}

__global__ void idle_kernel() {
  __shared__ volatile int word;
  if (threadIdx.x == 0) word = 0;
  __syncthreads();
  for (int i = 0; i < 16; ++i) {
    if (word != 0) g_flag = 1;
  }
}

__global__ void one_word_kernel() {
  if (g_word == 0) g_flag = 1;
}

__global__ void wide_kernel() {
  const float4 words = g_words[threadIdx.x];
  if (words.x != 0) g_flag = 1;
}
"""
# Each improves a mean of another direction; blocks and warps without work improve those of both.
IDLE = "empty_kernel<<<20000, 32>>>(); idle_kernel<<<64, 1024>>>();"
ONE_WORD = IDLE + "one_word_kernel<<<8192, 32>>>();"
WIDE = IDLE + "wide_kernel<<<2048, 32>>>();"
_CALL = "check_launch();"


def gated() -> list[tuple[Lab, Rung]]:
    return [(lab, rung) for lab in LABS for rung in lab.rungs if rung.budget]


def short(lab: Lab, rung: Rung) -> str:
    return f"{lab.id[:2]}/{rung.id.partition('_')[0]}"


def test_every_gate_is_in_the_table_of_attacks() -> None:
    text = (REPOSITORY / "docs" / "counters.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([\da-z/, ]+) \|", text.partition(TABLE)[2], re.MULTILINE)
    listed = {(measure, rung) for measure, rungs in rows for rung in rungs.split(", ")}
    assert listed == {
        (gate.name, short(lab, rung)) for lab, rung in gated() for gate in rung.budget
    }


def missing_a_budget() -> list[tuple[Lab, Mutant]]:
    return [
        (lab, mutant)
        for lab in LABS
        for mutant in read_mutants(WORKSPACE, lab)
        if FindingKind.BUDGET in mutant.expected
    ]


BASES = missing_a_budget()


@pytest.fixture(scope="module")
def session() -> Session:
    return replace(open_session(WORKSPACE, Backend.CPU), real_compiler=None)


def earned(session: Session, folder: Path, lab: Lab, rung: Rung, text: str) -> float:
    """The share of the points for efficiency, except for the launches, which attacks add."""
    file = folder / lab.id / f"{rung.id}.cu"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    (profile,) = profile_rung(WORKSPACE, session, folder, lab, rung, []).sizes
    assert profile.outcome is Outcome.PASSED, profile.message
    gates = [gate for gate in rung.budget if gate.name in profile.measures]
    return min(
        gate.fraction(profile.measures[gate.name]) for gate in gates if gate.name != "launches"
    )


def attacked(text: str, attack: str) -> str:
    """Launches the attack behind the first launch of the submission."""
    begin = text.index("namespace {\n") + len("namespace {\n")
    call = text.index(_CALL, begin) + len(_CALL)
    return text[:begin] + KERNELS + text[begin:call] + attack + text[call:]


def attacks_on(rung: Rung) -> list[str]:
    """A gate that asks for much per request is attacked by wide requests, too."""
    return [ONE_WORD, WIDE] if any(gate.full > gate.zero for gate in rung.budget) else [ONE_WORD]


@pytest.mark.e2e
@pytest.mark.parametrize(("lab", "mutant"), BASES, ids=[mutant.name for _, mutant in BASES])
def test_an_attack_earns_nothing(
    lab: Lab, mutant: Mutant, session: Session, tmp_path: Path
) -> None:
    attacked_earns = max(
        earned(session, tmp_path / "attacked", lab, mutant.rung, attacked(mutant.text, attack))
        for attack in attacks_on(mutant.rung)
    )
    if attacked_earns > 0:  # mostly nothing is earned, and nothing is less
        alone = earned(session, tmp_path / "alone", lab, mutant.rung, mutant.text)
        assert attacked_earns <= alone + 0.01
