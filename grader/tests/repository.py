# SPDX-License-Identifier: MIT
"""This very checkout and its labs."""

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.workspace import Workspace

REPOSITORY = Path(__file__).parents[2]
WORKSPACE = Workspace(REPOSITORY, REPOSITORY / "build")
LABS = read_labs(WORKSPACE)
BENCH = REPOSITORY / "docs" / "bench"


def sampled(cases: Sequence[Any], every: int) -> list[Any]:
    """Parameters of a test: all but one of `every` are left to `./lab test --thorough`."""
    return [
        pytest.param(case, marks=[pytest.mark.thorough] if number % every else [])
        for number, case in enumerate(cases)
    ]


each_lab = pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.id)
sampled_labs = pytest.mark.parametrize("lab", sampled(LABS, 3), ids=lambda lab: lab.id)


def bench_script(name: str) -> Any:
    """A module of docs/bench/scripts."""
    sys.path.insert(0, str(BENCH / "scripts"))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(BENCH / "scripts"))
