# SPDX-License-Identifier: MIT
"""The stills in the handouts: one moment of each launch that labs/*/figures/traces.toml lists."""

import os
from pathlib import Path
from typing import Annotated

import typer
from measurements import NOTHING, ROOT, measurement


@measurement("stills", needs=NOTHING, writes=["../../labs/*/figures/trace_*.svg"])
def stills(
    lab: Annotated[str, typer.Argument(metavar="[LAB]", help="Default: all labs.")] = "",
    output: Annotated[
        str, typer.Option(metavar="DIR", help="Write LAB/trace_NAME.svg here; default: labs.")
    ] = "",
) -> None:
    """Record the key ideas' launches, and draw a still of each."""
    from lockstep_grader.cli.key_ideas import record_key_ideas, still_of
    from lockstep_grader.intake.catalog import read_labs
    from lockstep_grader.machine.workspace import Workspace

    chosen = {"LOCKSTEP_ROOT": str(ROOT)}
    workspace = Workspace.from_environment({**os.environ, **chosen})
    labs = [each for each in read_labs(workspace) if not lab or each.id == lab]
    if not labs:
        raise typer.BadParameter(f"no lab {lab}")
    for idea, trace in record_key_ideas(workspace, labs):
        folder = Path(output) / idea.lab if output else ROOT / "labs" / idea.lab / "figures"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / idea.still).write_text(still_of(idea, trace), "utf-8")
        print(f"{idea.lab}/{idea.still}: {idea.command}")
