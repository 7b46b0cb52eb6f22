# SPDX-License-Identifier: MIT
"""A judge that reports the tests written on the worker's `//!` lines; two that pass if none.

The tests start it a thousand times: modules that it does without, such as pathlib, would take half
of its time.
"""

import json
import os
import select
import sys
import time

TYPE_CHECKING = False  # as mypy knows it, without an import of typing
if TYPE_CHECKING:
    from typing import Any


def read(path: str) -> str:
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def write(path: str, text: str, mode: str = "w") -> None:
    with open(path, mode, encoding="utf-8") as stream:
        stream.write(text)


GRADER = os.getppid()


def serve() -> None:
    """Returns in a process of its own for each command line that the grader sends."""
    own = sys.argv[2:]
    while request := os.read(0, 1 << 18):
        child = os.fork()
        if child == 0:
            sys.argv[1:] = [*own, *request.decode("utf-8", "surrogateescape").split("\0")]
            return
        grader = select.poll()
        grader.register(0, 0)
        ended, status = 0, 0
        while not ended:
            if grader.poll(10):  # it has gone
                os.kill(child, 9)
            ended, status = os.waitpid(child, os.WNOHANG)
        if os.WIFSIGNALED(status):
            os.kill(os.getpid(), os.WTERMSIG(status))
        if (code := os.waitstatus_to_exitcode(status)) not in (0, 1):
            os._exit(code)
        os.write(0, bytes([code]))
    os._exit(0)


if sys.argv[1:2] == ["--serve"]:
    serve()
words = [word.removeprefix("--").partition("=") for word in sys.argv[1:]]
arguments = {name: value for name, _, value in words}
wraps = dict(
    value.removeprefix("--").partition("=")[::2] for name, _, value in words if name == "wrap"
)
lines = read(arguments["worker"]).splitlines()
directives = [line.removeprefix("//! ") for line in lines if line.startswith("//! ")]
# Under a checker's tool, and as the emulator's judge, it does and reports this instead.
stage = arguments.get("stage")
is_emulator = os.path.basename(sys.argv[0]) == "emulator.py"
where = "emulator" if is_emulator else wraps.get("tool", "plain")
there = [f"under {where} "]
is_alone = os.path.dirname(arguments.get("checker-log", "")).endswith("-alone")
if stage == "all-but-measurements" if where == "plain" else not is_alone:
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
        said = [*sorted(arguments), f"stage={stage}", f"seed={arguments.get('seed')}"]
        write(log, f"{event} {os.getpid()} {' '.join(said)}\n", "a")


note("begin")
for directive in directives:
    if directive.startswith("sleep"):
        time.sleep(float(directive.split()[1]))
    elif directive.startswith("await"):
        while not os.path.exists(directive.split()[1]):
            time.sleep(0.02)
    elif directive.startswith("exit"):
        sys.exit(int(directive.split()[1]))
    elif directive.startswith("killed until"):  # the worker, while the file grows to N lines
        file, times = directive.split()[2:]
        seen = read(file) if os.path.exists(file) else ""
        if seen.count("\n") < int(times):
            write(file, seen + "killed\n")
            sys.exit(4)
    elif directive == "segfault":
        os.kill(os.getpid(), 11)
    elif directive.startswith("segfault once"):
        if not os.path.exists(mark := directive.removeprefix("segfault once ")):
            write(mark, "")
            os.kill(os.getpid(), 11)
    elif directive == "end the grader":
        os.kill(GRADER, 9)
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
    how = f"order={arguments.get('order')}"
    if "gtest_filter" in arguments:
        how = f"seed={arguments['seed']} replay={arguments['gtest_filter']}"
    note(f"record={arguments['record']} kernel={arguments['kernel']} {how}")
    for line in lines:
        if line.startswith("//recorded "):
            print(line.removeprefix("//recorded "))
    sys.exit(0)

if tool := wraps.get("tool"):  # the worker runs under a checker, whose log the source dictates
    heads = ["//sanitizer "] + ([] if is_alone else ["//with others sanitizer "])
    logs = [
        line.removeprefix(head).split(maxsplit=1)
        for line in lines
        for head in heads
        if line.startswith(head)
    ]
    said = [read(file) for name, file in logs if name == tool]
    if "no sanitizer" not in directives:
        write(arguments["checker-log"], "========= COMPUTE-SANITIZER\n" + "".join(said))


def gtest(index: int, test: "dict[str, Any]") -> "dict[str, Any]":
    properties = {
        name: json.dumps(value) if isinstance(value, list | dict) else str(value)
        for name, value in test.items()
    }
    for image in test.get("images", []):  # what is drawn does not matter here
        os.makedirs(arguments["images"], exist_ok=True)
        write(os.path.join(arguments["images"], image["file"]), "a picture")
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


def of_stage(test: "dict[str, Any]") -> "dict[str, Any] | None":
    is_measurement = test.get("part") == "efficiency"
    if stage == "measurements":
        return test if is_measurement else None
    if stage == "all-but-measurements" and is_measurement:
        return {"part": "efficiency", "outcome": "skipped"}
    return test


shard, shards = (
    int(os.environ.get(f"GTEST_{name}", "1")) for name in ("SHARD_INDEX", "TOTAL_SHARDS")
)
results = [
    gtest(index, in_stage)
    for index, test in enumerate(tests or [{}, {}])
    if index % shards == shard % shards and (in_stage := of_stage(test)) is not None
]
note("end")
report = {"testsuites": [{"testsuite": results}], "seed": arguments.get("seed", "12345")}
text = json.dumps(report)
if "truncated" in directives:
    text = text[: len(text) // 2]
if "silent" not in directives:
    write(arguments["gtest_output"].removeprefix("json:"), text)
sys.exit(any("failures" in result for result in results))
