# SPDX-License-Identifier: MIT
"""Draws a benchmark report: a table for a README, and a plot."""

import importlib.util
import io
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lockstep_grader.machine.files import write_whole
from lockstep_grader.model.errors import FaultError, InputError

_DASHES = ("--", ":", "-.")  # limits in black, libraries in grey
_BEGIN, _END = "<!-- measured:begin -->", "<!-- measured:end -->"


def table(report: dict[str, Any], source: str, plot: str) -> str:
    """Markdown: the rate of each rung at each size; at the largest, its ratios."""
    rows = report["rows"]
    rate, unit = _rate(rows)
    sizes = sorted({row["num_items"] for row in rows})
    largest = sizes[-1]
    machine = report["machine"]
    compared = [name for name in ("share", "of_library") if any(name in row for row in rows)]
    titles = {"share": "share of limit", "of_library": "of library"}
    head = [*(f"{_power(size)}, {unit}" for size in sizes), *(titles[name] for name in compared)]
    lines = [
        f"{machine['gpu']}, driver {machine['driver']}, nvcc {report['compiler']['version']}, "
        f"{report['date']}: `{report['command']}` wrote [{Path(source).name}]({source}). "
        f"Ratios are medians of paired rounds at {_power(largest)} items"
        f"{_named('the limit is', rows, 'limit')}{_named('the library', rows, 'library')}."
        f"{_checked(rows)}{_noisy(rows)}",
        "",
        f"| rung | {' | '.join(head)} |",
        f"|---|{'---:|' * len(head)}",
    ]
    for rung in dict.fromkeys(row["rung"] for row in rows):
        by_size = {row["num_items"]: row for row in rows if row["rung"] == rung}
        cells = [_figure(by_size[size], rate) if size in by_size else "" for size in sizes]
        last = by_size.get(largest, {})
        cells += [f"{last[name]:.3f}" if name in last else "" for name in compared]
        lines.append(f"| `{rung}` | {' | '.join(cells)} |")
    return "\n".join([*lines, "", f"![speed of each rung against the number of items]({plot})"])


def _named(what: str, rows: Sequence[Mapping[str, Any]], key: str) -> str:
    names = dict.fromkeys(row[key] for row in rows if row[key])
    return f"; {what} {' or '.join(f'`{name}`' for name in names)}" if names else ""


def _checked(rows: Sequence[Mapping[str, Any]]) -> str:
    counts = [int(row["checked_calls"]) for row in rows if "checked_calls" in row]
    if not counts:
        return ""
    return f" The result of every timed call was checked: at least {min(counts)} per rung and size."


def _noisy(rows: Sequence[Mapping[str, Any]]) -> str:
    return " `~`: rounds that differ by more than 5%." if any(map(_is_noisy, rows)) else ""


def _is_noisy(row: Mapping[str, Any]) -> bool:
    return bool(row.get("noisy"))


def put_into(readme: Path, text: str) -> None:
    """Replaces what stands between the markers of `readme`."""
    try:
        old = readme.read_text()
    except OSError as error:
        raise InputError(f"{readme}: {error.strerror}") from error
    before, begin, rest = old.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise InputError(f"{readme}: has no lines {_BEGIN} and {_END} to put the table between")
    write_whole(readme, f"{before}{_BEGIN}\n{text}\n{_END}{after}".encode())


def require_matplotlib() -> None:
    """Raises FaultError without it. Ask before minutes of measuring."""
    if importlib.util.find_spec("matplotlib") is None:
        python = shlex.quote(sys.executable)
        raise FaultError(
            f"matplotlib is missing; install it with: {python} -m pip install matplotlib"
        )


def draw(report: dict[str, Any], file: Path) -> None:
    """An SVG: the rate against items, a line per rung, the limit and the library dashed."""
    require_matplotlib()
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = "lockstep"  # the same report gives the same file
    mpl.rcParams["svg.fonttype"] = "none"  # text, not the outline of each letter
    figure = Figure(figsize=(8.6, 4.2), layout="constrained")
    axes = figure.add_subplot()
    rows = report["rows"]
    rate, unit = _rate(rows)
    for rung in dict.fromkeys(row["rung"] for row in rows):
        points = sorted((row["num_items"], row[rate]) for row in rows if row["rung"] == rung)
        axes.plot(*zip(*points, strict=True), marker="o", label=rung)
    for key, colour in (("limit", "black"), ("library", "0.5")):
        for style, met in zip(_DASHES, _last_to_meet(rows, key), strict=False):
            points = [(row["num_items"], _rate_of(key, row, rate)) for row in met]
            axes.plot(*zip(*points, strict=True), linestyle=style, color=colour, label=met[0][key])
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("items")
    axes.set_ylabel(unit)
    axes.set_title(f"{report['lab']} on {report['machine']['gpu']}, {report['date']}")
    sizes = sorted({row["num_items"] for row in rows})
    axes.set_xticks(sizes, [_power(size) for size in sizes])
    axes.yaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper", fontsize="small")
    drawn = io.StringIO()
    figure.savefig(
        drawn, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type"))
    )
    write_whole(file, _shortened(drawn.getvalue()).encode())


def _shortened(svg: str) -> str:
    """A path on one line and two decimals: matplotlib has no option for either."""
    paths = re.sub(r'(?<= d=")[^"]+', lambda steps: " ".join(steps[0].split()), svg)
    return re.sub(r"(\d\.\d\d)\d+", r"\1", paths)


def _last_to_meet(rows: Sequence[Mapping[str, Any]], key: str) -> list[list[Mapping[str, Any]]]:
    """For each limit, or library, the rows of the last rung that was compared with it."""
    last = {row[key]: row["rung"] for row in rows if row[key]}
    return [
        sorted(
            (row for row in rows if (row[key], row["rung"]) == (name, rung)),
            key=lambda row: row["num_items"],
        )
        for name, rung in last.items()
    ]


def _rate_of(key: str, row: Mapping[str, Any], rate: str) -> float:
    return float(row[f"anchor_{rate}"] if key == "limit" else row[rate] / row["of_library"])


def _power(size: int) -> str:
    exponent = size.bit_length() - 1
    return f"2^{exponent}" if size == 1 << exponent else str(size)


def _rate(rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """The name and the unit of the figure by which a lab measures speed."""
    return ("gflops", "GFLOP/s") if "gflops" in rows[0] else ("gbps", "GB/s")


def _figure(row: Mapping[str, Any], rate: str) -> str:
    value = row[rate]
    return ("~" if _is_noisy(row) else "") + (f"{value:.0f}" if value >= 10 else f"{value:.1f}")
