# SPDX-License-Identifier: MIT
"""This very checkout and its labs."""

from pathlib import Path

import pytest

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.workspace import Workspace

REPOSITORY = Path(__file__).parents[2]
WORKSPACE = Workspace(REPOSITORY, REPOSITORY / "build")
LABS = read_labs(WORKSPACE)
each_lab = pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.id)
