# SPDX-License-Identifier: MIT
"""Tries this checkout on this machine, by system.py, which needs no package."""

import subprocess
import sys
from typing import Annotated

import typer
from measurements import NOTHING, ROOT, SCRIPTS, measurement


@measurement(
    "systems",
    needs=NOTHING,
    writes=["systems/*.json", "../systems.md"],
    uses=["docs/bench/scripts/system.py", ".ci/matrix", ".ci/aarch64"],
)
def systems(
    name: Annotated[str, typer.Argument(help="The file's name; none: only the table.")] = "",
) -> None:
    """Try this checkout on this machine (`.ci/matrix` does it on others), and make the table anew."""
    script = SCRIPTS / "system.py"
    status = (
        subprocess.run([sys.executable, script, name], cwd=ROOT, check=False).returncode
        if name
        else 0
    )
    subprocess.run([sys.executable, script, "--table"], cwd=ROOT, check=True)
    raise typer.Exit(status)
