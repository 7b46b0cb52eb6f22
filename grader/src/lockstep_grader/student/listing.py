# SPDX-License-Identifier: MIT
"""`list`: labs, rungs, points, and how far the student has come."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lockstep_grader.machine.console import points
from lockstep_grader.model.grades import Lab


def print_labs(
    console: Console, labs: Sequence[Lab], scores: Mapping[str, Mapping[str, float]]
) -> None:
    """A table per lab; `scores` has the last points of each lab's rungs that were checked."""
    for lab in labs:
        console.print(Text.assemble((f"{lab.id}  {lab.title}", "bold"), f"  {lab.summary}"))
        if lab.prerequisites:
            console.print(Text(f"after {', '.join(lab.prerequisites)}", "dim"))
        table = Table(box=None, pad_edge=True)
        table.add_column("rung", no_wrap=True)
        table.add_column("title")
        table.add_column("points", justify="right", no_wrap=True)
        table.add_column("last check", justify="right", no_wrap=True)
        known = scores.get(lab.id, {})
        for rung in lab.rungs:
            score = known.get(rung.id)
            full = score == rung.points.total
            table.add_row(
                rung.id,
                rung.title,
                f"{rung.points.total:g}",
                Text("" if score is None else f"{score:g}", "green" if full else ""),
            )
        console.print(table)
        console.print(Text(f"{points(sum(known.values()), lab.max_score)} points\n", "bold"))
