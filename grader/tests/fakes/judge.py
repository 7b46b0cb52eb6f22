# SPDX-License-Identifier: MIT
"""A judge that reports the tests written on the worker's `//!` lines; two that pass if none."""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

words = [word.removeprefix("--").partition("=") for word in sys.argv[1:]]
arguments = {name: value for name, _, value in words}
wraps = dict(
    value.removeprefix("--").partition("=")[::2] for name, _, value in words if name == "wrap"
)
lines = Path(arguments["worker"]).read_text("utf-8").splitlines()
directives = [line.removeprefix("//! ") for line in lines if line.startswith("//! ")]
# Under a checker's tool, and as the emulator's judge, it does and reports this instead.
where = "emulator" if Path(sys.argv[0]).stem == "emulator" else wraps.get("tool")
there = [f"under {where} "]
if not Path(arguments.get("checker-log", "")).parent.name.endswith("-alone"):
    there.append(f"with others {where} ")
if instead := [
    line.removeprefix(words) for line in directives for words in there if line.startswith(words)
]:
    directives = instead
tests = [json.loads(line) for line in directives if line.startswith("{")]
for directive in directives:
    if directive.startswith("unless seed "):  # a test of every run but those with this seed
        seed, text = directive.split(maxsplit=3)[2:]
        tests += [json.loads(text)] if arguments.get("seed") != seed else []


def note(event: str) -> None:
    if log := os.environ.get("FAKE_JUDGE_LOG"):
        with Path(log).open("a") as stream:
            stream.write(f"{event} {os.getpid()} {' '.join(sorted(arguments))}\n")


note("begin")
for directive in directives:
    if directive.startswith("sleep"):
        time.sleep(float(directive.split()[1]))
    elif directive.startswith("await"):
        while not Path(directive.split()[1]).exists():
            time.sleep(0.02)
    elif directive.startswith("exit"):
        sys.exit(int(directive.split()[1]))
    elif directive.startswith("killed until"):  # the worker, while the file grows to N lines
        file, times = directive.split()[2:]
        seen = Path(file).read_text() if Path(file).exists() else ""
        if seen.count("\n") < int(times):
            Path(file).write_text(seen + "killed\n")
            sys.exit(4)
    elif directive == "segfault":
        os.kill(os.getpid(), 11)
    elif directive.startswith("segfault once"):
        if not Path(mark := directive.removeprefix("segfault once ")).exists():
            Path(mark).touch()
            os.kill(os.getpid(), 11)
    elif directive == "end the grader":
        os.kill(os.getppid(), 9)
        time.sleep(600)

if sizes := arguments.get("profile"):
    note(f"profile={sizes}")
    if "no workload" in directives:
        print("judge: the rung has no workload to profile", file=sys.stderr)
        sys.exit(3)
    profiles = [line.removeprefix("//profile ") for line in lines if line.startswith("//profile ")]
    for size in (int(size) or 65536 for size in sizes.split(",")):
        for text in profiles:
            print(json.dumps({**json.loads(text), "num_items": size}))
    sys.exit(0)

if "record" in arguments:
    note(f"record={arguments['record']} kernel={arguments['kernel']} order={arguments['order']}")
    for line in lines:
        if line.startswith("//recorded "):
            print(line.removeprefix("//recorded "))
    sys.exit(0)

if tool := wraps.get("tool"):  # the worker runs under a checker, whose log the source dictates
    logs = [line.split(maxsplit=2)[1:] for line in lines if line.startswith("//sanitizer ")]
    said = [Path(file) for name, file in logs if name == tool]
    if "no sanitizer" not in directives:
        log = Path(arguments["checker-log"])
        log.write_text("========= COMPUTE-SANITIZER\n" + "".join(f.read_text() for f in said))


def gtest(index: int, test: dict[str, Any]) -> dict[str, Any]:
    properties = {
        name: json.dumps(value) if isinstance(value, list | dict) else str(value)
        for name, value in test.items()
    }
    for image in test.get("images", []):  # what is drawn does not matter here
        folder = Path(arguments["images"])
        folder.mkdir(exist_ok=True)
        (folder / image["file"]).write_bytes(b"a picture")
    failed = test.get("outcome") in ("failed", "error")
    return {
        "name": f"Case/{index}",
        "classname": "Demo",
        "status": "RUN",
        "result": "COMPLETED",
        "time": f"{time.perf_counter() % 1:.3f}s",
        **properties,
        **({"failures": [{"failure": "it failed"}]} if failed else {}),
    }


shard, shards = (
    int(os.environ.get(f"GTEST_{name}", "1")) for name in ("SHARD_INDEX", "TOTAL_SHARDS")
)
results = [
    gtest(index, test)
    for index, test in enumerate(tests or [{}, {}])
    if index % shards == shard % shards
]
note("end")
report = {"testsuites": [{"testsuite": results}], "seed": arguments.get("seed", "12345")}
text = json.dumps(report)
if "truncated" in directives:
    text = text[: len(text) // 2]
if "silent" not in directives:
    Path(arguments["gtest_output"].removeprefix("json:")).write_text(text)
sys.exit(any("failures" in result for result in results))
