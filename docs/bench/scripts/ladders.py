# SPDX-License-Identifier: MIT
"""The ladders: every rung at several sizes, compared with the device's limit and NVIDIA's library."""

import json
import subprocess
from typing import Annotated

import sources
import typer
from measurements import BENCH, GPU, ROOT, MeasurementError, measured_now, measurement

WRITES = ["[0-9]*.json", "[0-9]*.svg"]


@measurement("ladders", needs=f"{GPU} and matplotlib", writes=WRITES, uses=["./lab bench"])
def ladders(
    labs: Annotated[list[str] | None, typer.Argument(metavar="[LAB]...")] = None,
    page_only: Annotated[
        bool,
        typer.Option("--page-only", help="Measure nothing: redraw plots and tables. No GPU."),
    ] = False,
    missing: Annotated[
        bool,
        typer.Option("--missing", help="Measure only what the reports do not have."),
    ] = False,
) -> None:
    """Time the ladders by `./lab bench`: reports, plots, and the tables in the solutions' READMEs."""
    known = sorted(file.stem for file in BENCH.glob(WRITES[0]))
    if unknown := sorted(set(labs or ()) - set(known)):
        raise typer.BadParameter(f"no ladder {unknown[0]}; there are: {', '.join(known)}")
    option = ["--page-only"] if page_only else ["--backend", "cuda"]
    option += ["--missing"] if missing else []
    failed = []
    for lab in labs or known:
        if missing and (changed := sources.changed(f"{lab}.json")):
            raise MeasurementError(f"measure all of {lab} again: {changed[0]} has changed since")
        command = [ROOT / "lab", "bench", lab, *option]
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(lab)
        elif not page_only:
            report = json.loads((BENCH / f"{lab}.json").read_text("utf-8"))
            measured_now(f"{lab}.json", {f"{lab}/{row['rung']}" for row in report["rows"]})
    if failed:
        raise MeasurementError(f"not all was measured: {', '.join(failed)}; see the messages above")
