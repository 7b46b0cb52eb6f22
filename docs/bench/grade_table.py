# SPDX-License-Identifier: MIT
"""Prints what `./lab grade --json FILE` wrote as a short Markdown page: one row per rung.

    python3 docs/bench/grade_table.py FILE... > PAGE

A grade holds every test of every rung, some 1,500 lines per lab. The page keeps what is quoted from
it. Runs without any package.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

NAMES = (
    "submission",
    "rung",
    "points",
    "outcome",
    "found",
    "share",
    "of reference",
    "of library",
    "sanitizer",
    "s",
)
RULE = ("---", "---", "---:", "---", "---", "---:", "---:", "---:", "---", "---:")


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("grade_table.py: name the files that ./lab grade --json wrote")
    made, compilers, table = set(), set(), [NAMES, RULE]
    for name in sys.argv[1:]:
        try:
            report = json.loads(Path(name).read_text("utf-8"))
            made.add(report["graded_at"][:10])
            compilers.add(compiler(report))
            table += rows(report)
        except (OSError, ValueError) as error:
            sys.exit(f"grade_table.py: {name}: {error}")
        except (KeyError, TypeError):
            sys.exit(f"grade_table.py: {name}: not a file that ./lab grade --json wrote")
    print("<!-- made by docs/bench/grade_table.py -->\n")
    print(f"Graded on {' and '.join(sorted(made))} with {', '.join(sorted(compilers))}.\n")
    for cells in table:
        print(f"| {' | '.join(cells)} |")


def compiler(report: Mapping[str, Any]) -> str:
    used = report["toolchain"]["compiler"]
    return f"{Path(used['path']).name} {used['version']}"


def rows(report: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    for submission in report["submissions"]:
        for lab in submission["labs"]:
            for rung in lab["rungs"]:
                if not is_handed_in(rung):
                    continue
                measures: dict[str, float] = {}
                for test in rung["tests"]:
                    measures |= test["measures"]
                yield (
                    submission["id"],
                    f"{lab['id']}/{rung['id']}",
                    f"{rung['score']:g} of {rung['max_score']:g}",
                    rung["outcome"],
                    ", ".join(sorted({finding["kind"] for finding in rung["findings"]})),
                    share(measures),
                    ratio(measures, "of_reference"),
                    ratio(measures, "of_library"),
                    sanitizer(rung["tests"]),
                    f"{rung['seconds']:.1f}",
                )


def is_handed_in(rung: Mapping[str, Any]) -> bool:
    messages = [finding["message"] for finding in rung["findings"]]
    return not any("is missing from the submission" in message for message in messages)


def share(measures: Mapping[str, float]) -> str:
    if "share" not in measures:
        return ""
    return f"{measures['share']:.3f} ({measures['share_low']:.3f} to {measures['share_high']:.3f})"


def ratio(measures: Mapping[str, float], name: str) -> str:
    return f"{measures[name]:.2f}" if name in measures else ""


def sanitizer(tests: Sequence[Mapping[str, Any]]) -> str:
    """How many of compute-sanitizer's tools found nothing."""
    tools = [test["outcome"] for test in tests if test["name"].startswith("compute-sanitizer.")]
    return f"{tools.count('passed')} of {len(tools)} clean" if tools else ""


if __name__ == "__main__":
    main()
