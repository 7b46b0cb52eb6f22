# SPDX-License-Identifier: MIT
"""Measures the cpu backend and writes docs/bench/cpu.json. Run from the top level, on an idle machine:

    ./lab grade solutions && cmake --build --preset cpu && python3 docs/bench/measure_cpu.py [SEEDS]
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "cpu"
SEEDS = range(1, 1 + (int(sys.argv[1]) if len(sys.argv) > 1 else 50))
TIMES = ("seconds", "graded_at")  # what may differ between two runs of one seed


def grade(*options: str) -> tuple[dict, float]:
    with tempfile.TemporaryDirectory() as temp:
        out = Path(temp) / "out.json"
        begin = time.monotonic()
        command = [str(ROOT / "lab"), "grade", str(ROOT / "solutions"), "--backend", "cpu"]
        subprocess.run([*command, "--json", str(out), "--results", temp, *options], capture_output=True, check=False)
        return json.loads(out.read_text()), time.monotonic() - begin


def without_times(value: object) -> object:
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in TIMES}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def verdicts(report: dict) -> list[tuple[str, str, float]]:
    return [
        (rung["id"], rung["outcome"], rung["score"])
        for submission in report["submissions"]
        for lab in submission["labs"]
        for rung in lab["rungs"]
    ]


def json_of(program: str) -> object:
    return json.loads(subprocess.run([BUILD / program], capture_output=True, check=True).stdout)


def main() -> None:
    first, _ = grade("--seed", "1", "--jobs", "1")
    second, one_job_seconds = grade("--seed", "1", "--jobs", "1")
    expected = verdicts(first)
    same = sum(verdicts(grade("--seed", str(seed))[0]) == expected for seed in SEEDS)
    report = {
        "command": " ".join(["python3", "docs/bench/measure_cpu.py", *sys.argv[1:]]),
        "date": datetime.now(timezone.utc).date().isoformat(),
        "machine": {"cores": os.cpu_count(), "system": platform.platform(terse=True)},
        "compiler": first["toolchain"]["compiler"],
        "emulator": json_of("common/simt/bench/simt_bench"),
        "judge": json_of("common/judge/judge_bench"),
        "grading": {
            "rungs": len(expected),
            "seconds_a_rung_one_job": round(one_job_seconds / len(expected), 2),
            "same_seed_same_json": without_times(first) == without_times(second),
            "seeds_with_the_same_verdicts": f"{same} of {len(SEEDS)}",
        },
    }
    (ROOT / "docs" / "bench" / "cpu.json").write_text(json.dumps(report, indent=1) + "\n")
    json.dump(report["grading"], sys.stdout, indent=1)


if __name__ == "__main__":
    main()
