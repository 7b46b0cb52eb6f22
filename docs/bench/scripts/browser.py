# SPDX-License-Identifier: MIT
"""How long headless Chromium takes for the pages of `./lab site` and `./lab trace`.

A page of the site can be used at the later of two moments after the request: the scripts for DOMContentLoaded have run,
and the last task of more than 50 ms has ended (the browser's `longtask`), with QUIET_MS of quiet after the page has
loaded. Best of SITE_ROUNDS, each in a new context, whose cache is empty.
"""

import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from measurements import (
    IDLE,
    ROOT,
    MeasurementError,
    load_before,
    machine,
    measurement,
    output,
    processor,
    provenance,
    write_json,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ViewportSize

SITE_ROUNDS = 2
QUIET_MS = 500
VIEW: "ViewportSize" = {"width": 1280, "height": 900}
WATCH = """
window.lastLongTask = 0;
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) {
    window.lastLongTask = Math.max(window.lastLongTask, task.startTime + task.duration);
  }
}).observe({ type: "longtask", buffered: true });
"""
READ = """
Math.max(performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd, window.lastLongTask)
"""


@contextmanager
def chromium() -> "Iterator[Browser]":
    from lockstep_grader.toolchain.system import BROWSER_REQUIREMENTS

    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError as error:
        advice = "playwright is missing: ./lab test --only format installs it"
        raise MeasurementError(advice) from error
    if not (path := BROWSER_REQUIREMENTS[0].found()):
        raise MeasurementError("there is no Chromium here: ./lab doctor says how to get it")
    with sync_playwright() as playwright:
        # As root Chromium has no sandbox of its own; what it opens here is our own page.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@measurement("site", needs=IDLE, writes=["site.json"])
def site() -> None:
    """Measure how long each page of the site takes until it can be used."""
    load = round(os.getloadavg()[0], 1)
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        top = Path(folder) / "site"
        output([ROOT / "lab", "site", "--output", top])
        pages = sorted(file for file in top.rglob("*.html") if file.name != "404.html")
        best: dict[str, int] = {}
        for page in pages * SITE_ROUNDS:
            name, took = page.relative_to(top).as_posix(), _interactive_ms(browser, page)
            best[name] = min(took, best.get(name, took))
        on = {"processor": processor(), "cores": os.cpu_count(), "load_average": load}
        on["browser"] = f"Chromium {browser.version}"
        report = {**provenance(), "machine": on, "milliseconds": best}
    write_json("site.json", report)


def _interactive_ms(browser: "Browser", page: Path) -> int:
    context = browser.new_context(viewport=VIEW)
    try:
        tab = context.new_page()
        tab.add_init_script(WATCH)
        tab.goto(page.as_uri(), wait_until="load")
        tab.wait_for_timeout(QUIET_MS)
        return round(tab.evaluate(READ))
    finally:
        context.close()


ROUNDS = 7
SOLUTIONS = ("--from", "solutions")
TRACES: tuple[tuple[str, ...], ...] = (
    ("01-reduction/02_interleaved", *SOLUTIONS),
    ("02-scan/06_decoupled_look_back", "--size", "4096", *SOLUTIONS),
    ("06-matmul/02_tiled", *SOLUTIONS),
    ("docs/bench/scripts/traced/race.cu",),
    ("docs/bench/scripts/traced/full.cu",),
)


@measurement(
    "trace",
    needs=f"{IDLE}, Chromium",
    writes=["trace.json"],
    uses=["docs/bench/scripts/traced/full.cu", "docs/bench/scripts/traced/race.cu"],
)
def trace() -> None:
    """Measure the pages of `./lab trace`: size, and time to open in Chromium."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="lockstep-traces-") as temp:
        made = [
            make(arguments, Path(temp) / f"{index}.html") for index, arguments in enumerate(TRACES)
        ]
        opened = open_pages([page for page, _ in made])
    report = {
        **provenance(),
        "machine": {**machine(), **load_before(load)},
        "rounds": ROUNDS,
        "traces": [
            {
                "command": " ".join(["./lab trace", *arguments]),
                **opened_as,
                "seconds_to_make": round(seconds, 1),
            }
            for arguments, (_, seconds), opened_as in zip(TRACES, made, opened, strict=True)
        ],
    }
    write_json("trace.json", report)
    for each in report["traces"]:
        print(json.dumps(each))


def make(arguments: Sequence[str], page: Path) -> tuple[Path, float]:
    begin = time.monotonic()
    done = subprocess.run(
        ["./lab", "trace", *arguments, "--out", str(page)], cwd=ROOT, capture_output=True, text=True
    )
    if not page.is_file():
        raise MeasurementError(f"no page of {arguments[0]}: {done.stderr.strip()}")
    return page, time.monotonic() - begin


def open_pages(pages: Sequence[Path]) -> list[dict[str, object]]:
    measured = []
    with chromium() as browser:
        warm_up = browser.new_page()
        warm_up.goto(pages[0].as_uri())
        for page in pages:
            times = []
            for _ in range(ROUNDS):
                tab = browser.new_page(viewport={"width": 1280, "height": 800})
                tab.goto(page.as_uri())
                tab.wait_for_function("performance.getEntriesByName('ready').length > 0")
                times.append(tab.evaluate("performance.getEntriesByName('ready')[0].startTime"))
                steps = int(tab.locator("#position").get_attribute("max")) + 1
                tab.close()
            measured.append(
                {
                    "bytes": page.stat().st_size,
                    "steps": steps,
                    "milliseconds_to_open": round(statistics.median(times)),
                    "slowest_milliseconds": round(max(times)),
                }
            )
    return measured
