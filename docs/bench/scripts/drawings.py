# SPDX-License-Identifier: MIT
"""The drawn figures of the manual and the handouts, the stills of launches, and the pictures of commands and pages."""

import os
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


@measurement("stills", needs=NOTHING, writes=["../../labs/*/figures/trace_*.svg"])
def stills(
    lab: Annotated[str, typer.Argument(metavar="[LAB]", help="Default: all labs.")] = "",
) -> None:
    """Record the key ideas' launches, and draw a still of each."""
    from lockstep_grader.cli.verbs_trace import record_key_ideas, still_of
    from lockstep_grader.intake.catalog import read_labs
    from lockstep_grader.machine.workspace import Workspace

    chosen = {"LOCKSTEP_ROOT": str(ROOT)}
    workspace = Workspace.from_environment({**os.environ, **chosen})
    labs = [each for each in read_labs(workspace) if not lab or each.id == lab]
    if not labs:
        raise typer.BadParameter(f"no lab {lab}")
    for idea, trace in record_key_ideas(workspace, labs):
        still = ROOT / "labs" / idea.lab / "figures" / idea.still
        still.write_text(still_of(idea, trace), "utf-8")
        print(f"{idea.lab}/{idea.still}: {idea.command}")
