# SPDX-License-Identifier: MIT
"""Python packages that one verb alone needs: installed when it is first used."""

import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path

from lockstep_grader.model.errors import FaultError
from lockstep_grader.toolchain.installers import pip_cause, pip_command, pip_environment


def install(requirements: Path) -> None:
    """Installs what `requirements` pins. Raises FaultError with the next step when it cannot."""
    argv = [*pip_command(sys.executable), "-r", str(requirements)]
    done = subprocess.run(
        argv, env=pip_environment(), capture_output=True, text=True, errors="replace"
    )
    if done.returncode != 0:
        cause = pip_cause(done.stdout + done.stderr)
        raise FaultError(f"{requirements.name} cannot be installed: {cause}; then run this again")
    importlib.invalidate_caches()


def require_packages() -> None:
    """Raises FaultError where a package that pages need is missing; for use before importing them.

    Only a machine that uses its own packages can lack one, see bootstrap.py.
    """
    for name in ("jinja2", "markupsafe", "pygments"):
        if importlib.util.find_spec(name) is None:
            raise FaultError(f"the page needs the Python package {name}; see ./lab doctor")
