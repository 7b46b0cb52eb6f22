# SPDX-License-Identifier: MIT
"""The files that make GitHub and GitLab grade each push to a student's repository."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from lockstep_grader.machine.files import Files, text
from lockstep_grader.results.export.words import number
from lockstep_grader.toolchain.system import BUILD_REQUIREMENTS


def render(template: str, /, **values: object) -> str:
    return _templates().get_template(f"{template}.j2").render(number=number, **values)


@cache
def _templates() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        autoescape=select_autoescape(("html.j2",), default=False),
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


IMAGE = "debian:13"  # of the container that grades
# `./lab` would install these too, but one step is quicker.
_PACKAGES = ("ca-certificates", "ccache", "python3", "python3-venv")


def pipelines(labs: Sequence[str]) -> Files:
    """The workflow and the pipeline that grade the labs with these ids, a job for each."""
    packages = " ".join([*_PACKAGES, *(need.package for need in BUILD_REQUIREMENTS)])
    values = {"image": IMAGE, "labs": labs, "packages": packages}
    return {
        ".github/workflows/grade.yml": text(render("student.github.yml", **values)),
        ".gitlab-ci.yml": text(render("student.gitlab-ci.yml", **values)),
    }
