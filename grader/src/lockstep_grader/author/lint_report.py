# SPDX-License-Identifier: MIT
"""Prints what `lint` proved, and every breach."""

from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lockstep_grader.author.lint import Verdict
from lockstep_grader.model.text import visible


def print_verdicts(console: Console, verdicts: Sequence[Verdict]) -> None:
    """A row per lab and kind of proof, then one line per breach and per skipped proof."""
    table = Table(box=None)
    for name in ("lab", "what", "proved", "breached", "skipped"):
        table.add_column(name, justify="left" if name in ("lab", "what") else "right")
    groups = dict.fromkeys((verdict.lab, verdict.kind) for verdict in verdicts)
    for group in groups:
        members = [verdict for verdict in verdicts if (verdict.lab, verdict.kind) == group]
        counts = Counter(_state(verdict) for verdict in members)
        breached = Text(str(counts["breached"]), "red" if counts["breached"] else "")
        table.add_row(
            group[0], f"{group[1]}s", str(counts["proved"]), breached, str(counts["skipped"])
        )
    console.print(table)
    for verdict in verdicts:
        for problem in verdict.problems:
            line = f"{verdict.lab} {verdict.kind} {verdict.name}: {visible(problem)}"
            console.print(Text(line, "red"))
        if verdict.skipped:
            line = f"{verdict.lab} {verdict.kind} {verdict.name}: skipped, {verdict.skipped}"
            console.print(Text(line, "dim"))


def _state(verdict: Verdict) -> str:
    return "breached" if verdict.problems else "skipped" if verdict.skipped else "proved"
