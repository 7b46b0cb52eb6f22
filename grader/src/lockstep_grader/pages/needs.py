# SPDX-License-Identifier: MIT
"""The Python packages that only pages need."""

import importlib.util

from lockstep_grader.model.errors import FaultError


def require_packages() -> None:
    """Raises FaultError where a package that pages need is missing; for use before importing them.

    Only a machine that uses its own packages can lack one, see bootstrap.py.
    """
    for name in ("jinja2", "markupsafe", "pygments"):
        if importlib.util.find_spec(name) is None:
            raise FaultError(f"the page needs the Python package {name}; see ./lab doctor")
