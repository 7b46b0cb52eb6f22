# SPDX-License-Identifier: MIT
"""The drawn figures of the manual and the handouts, and the pictures of commands and pages."""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from measurements import NOTHING, ROOT, MeasurementError, measurement

FIGURES = "docs/figures"


def scripts(folder: str = "") -> list[Path]:
    """The scripts that draw, by their folder: docs, or a lab."""
    found = [*ROOT.glob(f"{FIGURES}/draw*.py"), *ROOT.glob("labs/*/figures/draw*.py")]
    return sorted(file for file in found if not folder or folder in file.parts)


def names(files: list[Path]) -> list[str]:
    return [str(file.relative_to(ROOT)) for file in files]


def run(script: str, *arguments: "str | Path") -> None:
    command = [sys.executable, ROOT / script, *arguments]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        raise MeasurementError(f"{script} failed; see the message above")


@measurement(
    "drawings",
    needs=NOTHING,
    writes=["../figures/*.svg", "../../labs/*/figures/*"],
    uses=[*names(scripts()), f"{FIGURES}/svg.py"],
)
def drawings(
    folder: Annotated[str, typer.Argument(metavar="[docs|LAB]", help="Default: all.")] = "",
) -> None:
    """Draw the figures of the manual and the handouts."""
    chosen = scripts(folder)
    if not chosen:
        known = sorted({file.relative_to(ROOT).parts[-3] for file in scripts()})
        raise typer.BadParameter(f"no drawings of {folder}; there are: {', '.join(known)}")
    for script in names(chosen):
        run(script)
        print(f"drew {Path(script).parent}")


@measurement(
    "readme-picture",
    needs="the cpu build",
    writes=["../figures/check.svg"],
    uses=[f"{FIGURES}/check_figure.py"],
)
def readme_picture() -> None:
    """Take the README's picture of a check."""
    run(f"{FIGURES}/check_figure.py")


@measurement(
    "report-pictures",
    needs="chromium, playwright, Pillow",
    writes=["../figures/report-*.png"],
    uses=[f"{FIGURES}/example_class.py", f"{FIGURES}/report_figures.py"],
)
def report_pictures() -> None:
    """Grade an example class and take the pictures of its report."""
    with tempfile.TemporaryDirectory(prefix="lockstep-report-") as temp:
        submissions, results = Path(temp) / "class", Path(temp) / "results"
        run(f"{FIGURES}/example_class.py", submissions)
        grade = ["grade", submissions, "--backend", "cpu", "--seed", "7", "--results", results]
        subprocess.run([ROOT / "lab", *grade], cwd=ROOT, check=False)
        report = [ROOT / "lab", "report", results, "--anonymous", "--similarity"]
        if subprocess.run(report, cwd=ROOT, check=False).returncode:
            raise MeasurementError("./lab report failed; see the message above")
        run(f"{FIGURES}/report_figures.py", results / "report")
