# SPDX-License-Identifier: MIT
"""The figures that are older than the code they describe."""

from typing import Annotated

import sources
import typer
from measurements import BENCH, NOTHING, measurement


@measurement(
    "older",
    needs=NOTHING,
    writes=["../measured.md", "sources.json"],
    uses=["docs/bench/scripts/sources.py"],
)
def older(
    measured: Annotated[
        list[str] | None, typer.Option(help="A file in docs/bench that was measured just now.")
    ] = None,
) -> None:
    """Find the figures that are older than the code they describe."""
    for figures in measured or ():
        if not (BENCH / figures).is_file():
            raise typer.BadParameter(f"no file {figures} in docs/bench")
        sources.record(figures, [])
    sources.write_older()
    print("wrote docs/measured.md")
