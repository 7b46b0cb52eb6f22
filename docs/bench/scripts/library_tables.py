# SPDX-License-Identifier: MIT
"""The tables of docs/measured.md that compare our solutions with NVIDIA's libraries."""

import json
from math import isqrt
from typing import Any

from measurements import BENCH, NOTHING, ROOT, measurement
from pages import write_table

FIGURES = BENCH / "h200-library.json"
PAGE = ROOT / "docs" / "measured.md"
ARRAYS = {
    "reduce": "sum: `01-reduction/06_single_pass`",
    "reduce_beyond": "sum: `01-reduction/beyond/06_numbered_sums`",
    "scan": "scan: `02-scan/06_decoupled_look_back`",
    "scan_beyond": "scan: `02-scan/beyond/06_resident_blocks`",
    "select": "selection of half: `03-compaction/03_single_pass`",
    "select_beyond": "selection of half: `03-compaction/beyond/03_resident_blocks`",
    "keys": "keys: `04-radix-sort/05_onesweep`",
    "pairs": "pairs: `04-radix-sort/06_pairs_and_types`",
}
PRODUCT = "`06-matmul/05_warp_tiled`, n x n"
# What no scan and no selection can be faster than, and the library's rows.
LIMITS = {"scan": "memcpy_ms", "select": "read_all_write_half_ms"}
LIBRARY_ROWS = {"scan": "CUB, scan", "select": "CUB, selection"}

Measured = dict[int, dict[str, Any]]  # by items: the figures of calls that wait in the queue


def median(figures: dict[str, Any], name: str) -> float:
    return float(figures[name][1])


def table(head: list[str], rows: list[tuple[str, list[float]]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 1)}"]
    lines += [f"| {name} | {' | '.join(f'{each:.2f}' for each in row)} |" for name, row in rows]
    return "\n".join(lines)


def sizes(first: str, measured: Measured) -> list[str]:
    powers = [items.bit_length() - 1 for items in measured]
    return [first, f"2^{powers[0]} items", *(f"2^{power}" for power in powers[1:])]


def limits(works: dict[str, Measured]) -> list[tuple[str, list[float]]]:
    rows = []
    for kind, limit in LIMITS.items():
        for work in (kind, f"{kind}_beyond"):
            shares = [median(at, limit) / median(at, "ours_ms") for at in works[work].values()]
            rows.append((ARRAYS[work], shares))
        fastest = [
            median(at, limit) / median(at, f"{at['fastest']}_ms") for at in works[kind].values()
        ]
        rows.append((LIBRARY_ROWS[kind], fastest))
    return rows


@measurement(
    "library-tables",
    needs=NOTHING,
    writes=["../measured.md"],
    uses=["docs/bench/scripts/pages.py"],
)
def library_tables() -> None:
    """Write the tables on the libraries in docs/measured.md anew."""
    report = json.loads(FIGURES.read_text("utf-8"))
    works: dict[str, Measured] = {}
    dates: dict[str, str] = {}
    for each in report["results"]:
        works.setdefault(each["work"], {})[each["items"]] = each["queued"]
        dates[each["work"]] = each.get("date", report["date"])
    ratios = [
        (f"{dates[work]}, {name}", [median(at, "ratio") for at in works[work].values()])
        for work, name in ARRAYS.items()
    ]
    product = works["product"]
    sides = [str(isqrt(items)) for items in product]
    array_head = sizes("work", works["scan"])
    write_table(PAGE, "library", table(array_head, ratios))
    write_table(
        PAGE,
        "products",
        table(
            ["work", f"n = {sides[0]}", *sides[1:]],
            [
                (
                    f"{dates['product']}, {PRODUCT}",
                    [median(at, "ratio") for at in product.values()],
                )
            ],
        ),
    )
    write_table(PAGE, "limits", table(sizes("share of the limit", works["scan"]), limits(works)))
