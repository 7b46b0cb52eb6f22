# SPDX-License-Identifier: MIT
"""What the emulator's checkers and compute-sanitizer find in a lab's mutants. Run from the top level:

    python3 docs/bench/compare_sanitizers.py cuda     # needs a GPU; writes docs/bench/mutants-cuda.json
    python3 docs/bench/compare_sanitizers.py cpu      # writes docs/bench/mutants-cpu.json
    python3 docs/bench/compare_sanitizers.py table > docs/bench/mutants.md

Only mutants that a checker can find: those whose header expects a kind that no wrong result tells.
"""

import json
import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "docs" / "bench"
LAB = "01-reduction"
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
KINDS = {
    "race", "out_of_bounds", "misaligned", "uninitialized_read", "barrier_divergence", "deadlock", "host_pointer",
    "leak", "launch_error",
}  # fmt: skip

Report = dict[str, list[str]]  # tool: what it found


def header(mutant: Path, field: str) -> str:
    found = re.search(rf"^// {field}: (.*)$", mutant.read_text(), re.MULTILINE)
    return found[1] if found else ""


def mutants() -> list[Path]:
    return [
        file
        for file in sorted((ROOT / "solutions" / LAB / "mutants").glob("*.cu"))
        if KINDS & set(header(file, "expect").split())
    ]


def places(findings: list[dict]) -> list[str]:
    return [item["kind"] + (f" ({item['line']})" if item["line"] else "") for item in findings]


def report(rung: dict, backend: str) -> Report:
    if backend == "cpu":
        return {"emulator": places(rung["findings"])}
    tests = {test["name"].removeprefix("compute-sanitizer."): test["findings"] for test in rung["tests"]}
    return {tool: places(tests.get(tool, [])) for tool in TOOLS}


def grade(backend: str) -> dict:
    """Grades each mutant as the only rung of a submission of its own."""
    with tempfile.TemporaryDirectory() as temp:
        rungs = {}
        for mutant in mutants():
            rungs[mutant.stem] = header(mutant, "mutant of")
            folder = Path(temp) / "class" / mutant.stem / LAB
            folder.mkdir(parents=True)
            (folder / f"{rungs[mutant.stem]}.cu").write_bytes(mutant.read_bytes())
        out = Path(temp) / "out.json"
        command = [ROOT / "lab", "grade", Path(temp) / "class", "--lab", LAB, "--backend", backend, "--seed", "7"]
        done = subprocess.run([*command, "--json", out], capture_output=True, check=False, text=True)
        if done.returncode not in (0, 1):
            sys.exit(done.stderr)
        submissions = json.loads(out.read_text())["submissions"]
    reports = {}
    for submission in submissions:
        (rung,) = (r for r in submission["labs"][0]["rungs"] if r["id"] == rungs[submission["id"]])
        reports[submission["id"]] = report(rung, backend)
    return {"date": datetime.now(UTC).date().isoformat(), "backend": backend, "mutants": reports}


def table() -> str:
    sides = [json.loads((BENCH / f"mutants-{backend}.json").read_text()) for backend in ("cpu", "cuda")]
    lines = [
        f"`python3 docs/bench/compare_sanitizers.py table`; lab {LAB}, emulator {sides[0]['date']}, compute-sanitizer"
        f" {sides[1]['date']}. Kind and line, as each names them; the fault's line is what the mutant declares.",
        "",
        "| mutant | mistake | line | emulator | " + " | ".join(TOOLS) + " |",
        "|---" * (4 + len(TOOLS)) + "|",
    ]
    for mutant in mutants():
        found = {**sides[0]["mutants"][mutant.stem], **sides[1]["mutants"].get(mutant.stem, {})}
        cells = [", ".join(found.get(tool, [])) or "-" for tool in ("emulator", *TOOLS)]
        row = [f"`{mutant.stem}`", header(mutant, "mistake"), header(mutant, "line") or "-", *cells]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join(lines)


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1] not in ("cpu", "cuda", "table"):
        sys.exit(__doc__)
    if sys.argv[1] == "table":
        print(table())
        return
    text = json.dumps(grade(sys.argv[1]), indent=1)
    (BENCH / f"mutants-{sys.argv[1]}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
