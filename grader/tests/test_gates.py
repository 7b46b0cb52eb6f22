# SPDX-License-Identifier: MIT
"""No gate of a budget is met by work that does nothing: every one is attacked.

The attacks are added to each mutant that misses a budget. They only improve means: blocks
and warps without work, requests that look good. None may earn more than the mutant alone. Attacks
that need a kernel of their own are mutants; docs/counters.md lists them all.
"""

import re
from pathlib import Path

import pytest

from lockstep_grader.author.mutants import Mutant, read_mutants
from lockstep_grader.compile.worker import compile_rung
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.session import Session, Wanted, open_session
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Backend, FindingKind, Lab, Outcome, Rung
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
# Meets every gate, and fails because its two counted calls launch different kernels.
MISSES_NO_GATE = "two_algorithms"


def gated() -> list[tuple[Lab, Rung]]:
    return [(lab, rung) for lab in LABS for rung in lab.rungs if rung.budget]


def test_every_gate_is_in_the_table_of_attacks() -> None:
    text = (REPOSITORY / "docs" / "counters.md").read_text("utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", text.partition(TABLE)[2], re.MULTILINE)
    assert sorted(listed) == sorted({gate.name for _, rung in gated() for gate in rung.budget})


def missing_a_budget() -> list[tuple[Lab, Mutant]]:
    return [
        (lab, mutant)
        for lab in LABS
        for mutant in read_mutants(WORKSPACE, lab)
        if FindingKind.BUDGET in mutant.expected and mutant.name != MISSES_NO_GATE
    ]


BASES = missing_a_budget()


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

    def earns(self, attack: str) -> float:
        """The share of the points for efficiency, except for the launches, which attacks add."""
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
        gates = [gate for gate in self._rung.budget if gate.name in profile.measures]
        return min(
            gate.fraction(profile.measures[gate.name]) for gate in gates if gate.name != "launches"
        )


def attacked(text: str, which: int) -> str:
    """Launches the attacks after one of the launches of the submission."""
    space = "namespace {\n" if "namespace {\n" in text else "namespace lab {\n"
    begin = text.index(space) + len(space)
    ends = next(ends for call in _CALLS if (ends := [at.end() for at in re.finditer(call, text)]))
    call = ends[which]
    return text[:begin] + KERNELS + text[begin:call] + ATTACKS + text[call:]


def attacks_on(rung: Rung) -> list[str]:
    """A gate that asks for much per request is attacked by wide requests, too."""
    return [ONE_WORD, WIDE] if any(gate.full > gate.zero for gate in rung.budget) else [ONE_WORD]


@pytest.mark.e2e
@pytest.mark.parametrize(("lab", "mutant"), BASES, ids=[mutant.name for _, mutant in BASES])
def test_an_attack_earns_nothing(
    lab: Lab, mutant: Mutant, session: Session, tmp_path: Path
) -> None:
    worker = Attacked(session, lab, mutant, tmp_path)
    attacked_earns = max(worker.earns(attack) for attack in attacks_on(mutant.rung))
    if attacked_earns > 0:  # mostly nothing is earned, and nothing is less
        assert attacked_earns <= worker.earns(NONE) + 0.01
