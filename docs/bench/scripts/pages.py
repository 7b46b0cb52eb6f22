# SPDX-License-Identifier: MIT
"""Tables in pages that people write: each stands between two markers."""

from pathlib import Path


def write_table(page: Path, name: str, table: str) -> None:
    """Replaces what stands between the page's markers `name`:begin and `name`:end."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    before, opened, rest = page.read_text("utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not (opened and closed):
        raise SystemExit(f"{page.name}: no {begin} with its end")
    page.write_text(f"{before}{begin}\n\n{table}\n\n{end}{after}", "utf-8")
