# SPDX-License-Identifier: MIT
"""Times variants of the solutions: another tile or number of threads, or another rung's kernel with this rung's data.

variants.toml lists them. Those of one lab are timed in rounds of `./lab bench`, which have at most one variant of each
rung. So each is compared with the limit and the library in its own process, and every result is checked.
"""

import itertools
import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import sources
import typer
from measurements import (
    BENCH,
    GPU,
    ROOT,
    MeasurementError,
    gpu_fields,
    gpu_name,
    markdown,
    measured_now,
    measurement,
    provenance,
    require_known,
    write_json,
)

from lockstep_grader.model.compat import tomllib
from lockstep_grader.student.bench import power

LISTED, REPORT = "docs/bench/scripts/variants.toml", "variants.json"
COLUMNS = {"time_ms": "ms", "share": "share of limit", "of_library": "of library"}


@dataclass(frozen=True)
class Variant:
    lab: str
    rung: str
    constant: str  # or `solution`: the value is another rung of the same function
    value: int | str

    @property
    def is_other_rung(self) -> bool:
        return self.constant == "solution"

    @property
    def setting(self) -> str:
        return str(self.value) if self.is_other_rung else f"{self.constant} = {self.value}"

    @property
    def text(self) -> str:
        name = self.value if self.is_other_rung else self.rung
        text = (ROOT / "solutions" / self.lab / f"{name}.cu").read_text("utf-8")
        if self.is_other_rung:
            return text
        declared = rf"\bint {self.constant} = [^;]+;"
        text, count = re.subn(declared, f"int {self.setting};", text)
        if count != 1:
            raise MeasurementError(
                f"{self.lab}/{self.rung} declares {self.constant} {count} times; change {LISTED}"
            )
        return text


def listed() -> dict[str, list[Variant]]:
    """The variants of each lab, those of a rung together."""
    labs = tomllib.loads((ROOT / LISTED).read_text("utf-8"))
    return {
        lab: [
            Variant(lab, rung, constant, value)
            for rung, constants in rungs.items()
            for constant, values in constants.items()
            for value in values
        ]
        for lab, rungs in labs.items()
    }


def rounds(variants: Sequence[Variant]) -> list[list[Variant]]:
    """At most one variant of each rung at a time."""
    by_rung = itertools.groupby(variants, key=lambda variant: variant.rung)
    together = itertools.zip_longest(*[list(group) for _, group in by_rung])
    return [[variant for variant in some if variant] for some in together]


def ladder(lab: str) -> list[dict[str, Any]]:
    """The rows of the lab's ladder at its largest size."""
    rows = json.loads((BENCH / f"{lab}.json").read_text("utf-8"))["rows"]
    largest = max(row["num_items"] for row in rows)
    return [row for row in rows if row["num_items"] == largest]


def timed(together: Sequence[Variant], num_items: int) -> dict[str, dict[str, Any]]:
    """What `./lab bench` says of each rung that it could time."""
    lab = together[0].lab
    with tempfile.TemporaryDirectory(prefix="lockstep-variants-") as temp:
        folder = Path(temp) / "submission" / lab
        folder.mkdir(parents=True)
        for variant in together:
            (folder / f"{variant.rung}.cu").write_text(variant.text, "utf-8")
        command = [ROOT / "lab", "bench", lab, "--backend", "cuda", "--from", folder.parent]
        command += ["--sizes", str(num_items), "--out", temp]
        subprocess.run(command, cwd=ROOT, check=False)  # it reports the rungs that are not there
        report = Path(temp) / f"{lab}.json"
        rows = json.loads(report.read_text("utf-8"))["rows"] if report.is_file() else []
    return {row["rung"]: row for row in rows}


def measure(lab: str, variants: Sequence[Variant]) -> list[Variant]:
    """Writes what could be timed, and returns what could not."""
    today = provenance()["date"]
    size = ladder(lab)[0]["num_items"]
    found = {}
    for together in rounds(variants):
        rows = timed(together, size)
        found |= {variant: rows[variant.rung] for variant in together if variant.rung in rows}
    new = [
        {"lab": lab, "rung": variant.rung, "variant": variant.setting, "date": today}
        | {name: found[variant][name] for name in ("num_items", *COLUMNS) if name in found[variant]}
        for variant in variants
        if variant in found
    ]
    others = [row for row in stored()["rows"] if row["lab"] != lab]
    rows = sorted([*others, *new], key=lambda row: row["lab"])
    machine = gpu_fields("name,driver_version")[0]
    write_json(REPORT, {"command": "docs/bench/measure variants", "machine": machine, "rows": rows})
    measured_now(REPORT, {f"{lab}/{variant.rung}" for variant in found}, [lab])
    return [variant for variant in variants if variant not in found]


def stored() -> dict[str, Any]:
    file = BENCH / REPORT
    report: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.is_file() else {"rows": []}
    return report


def draw(lab: str) -> None:
    """Writes the table into the README of the lab's solutions: each rung, and its variants."""
    report = stored()
    own = [row for row in report["rows"] if row["lab"] == lab]
    if not own:
        raise MeasurementError(f"nothing is known of {lab}'s variants: leave out --page-only")
    names = [name for name in COLUMNS if any(name in row for row in own)]
    cells = []
    for rung, variants in itertools.groupby(own, key=lambda row: row["rung"]):
        alike = [row for row in ladder(lab) if row["rung"] == rung]
        for row in (*alike, *variants):
            label = f"*{row['variant']}*" if "variant" in row else f"`{rung}`"
            cells.append([label, *(f"{row[name]:.3g}" if name in row else "" for name in names)])
    said = (
        f"{report['machine']}, {own[0]['date']}: `docs/bench/measure variants` wrote "
        f"[{REPORT}](../../docs/bench/{REPORT}). A call has {power(own[0]['num_items'])} items. "
        "The rungs are from [the ladder](#measured)."
    )
    table = "\n".join(markdown(["", *(COLUMNS[name] for name in names)], cells, len(names)))
    sources.write_table(ROOT / "solutions" / lab / "README.md", "variants", f"{said}\n\n{table}")


@measurement("variants", needs=GPU, writes=[REPORT], uses=["./lab bench", LISTED])
def variants(
    labs: Annotated[
        list[str] | None, typer.Argument(metavar="[LAB]...", help="The others keep their times.")
    ] = None,
    page_only: Annotated[
        bool, typer.Option("--page-only", help="Measure nothing: write the tables again. No GPU.")
    ] = False,
) -> None:
    """Time variants of the solutions, for the tables in their READMEs."""
    known = listed()
    require_known("variants of", labs, known)
    if not page_only:
        gpu_name()  # there must be one
    missing = []
    for lab in labs or known:
        if not page_only:
            missing += measure(lab, known[lab])
        draw(lab)
    if missing:
        names = [f"{each.lab}/{each.rung} with {each.setting}" for each in missing]
        raise MeasurementError(f"not timed: {', '.join(names)}; see the messages above")
