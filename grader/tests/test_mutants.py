# SPDX-License-Identifier: MIT
"""The mutants of this repository fit today's solutions. `lint` proves how each is caught."""

import textwrap
from pathlib import Path

import pytest

from lockstep_grader.author.mutant_edit import draft_of, stored
from lockstep_grader.author.mutants import WHOLE, Mutant, read_fields, read_mutants, solution_of
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.workspace import Workspace

REPOSITORY = Path(__file__).parents[2]
WORKSPACE = Workspace(REPOSITORY, REPOSITORY / "build")

pytestmark = pytest.mark.skipif(
    not WORKSPACE.solutions.is_dir(), reason="a students' copy has no mutants"
)


@pytest.fixture(scope="module")
def mutants() -> list[tuple[Path, Mutant]]:
    return [
        (solution_of(WORKSPACE, lab, mutant.rung), mutant)
        for lab in read_labs(WORKSPACE)
        for mutant in read_mutants(WORKSPACE, lab)
    ]


def test_every_mutant_fits_todays_solution(mutants: list[tuple[Path, Mutant]]) -> None:
    assert len(mutants) > 400
    assert [mutant.problem for _, mutant in mutants if mutant.problem] == []


def test_every_mutant_is_stored_as_edit_would_store_it(
    mutants: list[tuple[Path, Mutant]],
) -> None:
    """Blocks as short as can be; a whole file where a mutant is another design."""
    differing = []
    for solution, mutant in mutants:
        text = mutant.file.read_text("utf-8")
        is_whole = mutant.file.suffix == WHOLE
        draft = text if is_whole else draft_of(mutant.text, read_fields(text))
        suffix, again = stored(solution.read_text("utf-8"), draft)
        if (suffix, again) != (mutant.file.suffix, text):
            differing.append(WORKSPACE.shown(mutant.file))
    assert differing == []


def test_the_manual_shows_a_mutant_as_it_is() -> None:
    page = (REPOSITORY / "docs" / "authors.md").read_text("utf-8")
    file = WORKSPACE.solutions / "01-reduction" / "mutants" / "past_the_end.edit"
    assert textwrap.indent(file.read_text("utf-8"), "    ") in page
