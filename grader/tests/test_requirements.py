# SPDX-License-Identifier: MIT
"""The pinned packages can be installed on every Python that the grader supports."""

from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

GRADER = Path(__file__).parents[1]
# Ubuntu 22.04, Debian 12, Ubuntu 24.04 and Debian 13 have these.
PYTHONS = ("3.10.0", "3.11.2", "3.12.3", "3.13.5")


def pins(file: Path) -> list[Requirement]:
    lines = file.read_text("utf-8").splitlines()
    return [Requirement(line) for line in lines if line.strip() and line[0] not in "#-"]


def holds(pin: Requirement, python: str) -> bool:
    names = {"python_version": python.rpartition(".")[0], "python_full_version": python}
    return pin.marker is None or pin.marker.evaluate(names)


@pytest.mark.parametrize(
    "name", ["requirements.txt", "requirements-dev.txt", "requirements-site.txt"]
)
def test_a_pin_excludes_no_python_that_it_is_for(name: str) -> None:
    """Each package says so itself; what is not installed here is a pin of another Python."""
    wrong = []
    for pin in pins(GRADER / name):
        try:
            found = metadata(pin.name)
        except PackageNotFoundError:
            continue
        if found["Version"] not in pin.specifier:
            continue
        allowed = SpecifierSet(found["Requires-Python"] or "")
        wrong += [
            f"{pin} needs Python {allowed}, not {python}"
            for python in PYTHONS
            if holds(pin, python) and python not in allowed
        ]
    assert not wrong


@pytest.mark.parametrize("python", PYTHONS)
def test_each_package_has_one_version_for_a_python(python: str) -> None:
    for file in GRADER.glob("requirements*.txt"):
        names = [pin.name for pin in pins(file) if holds(pin, python)]
        assert len(names) == len(set(names)), file.name
