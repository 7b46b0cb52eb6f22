# SPDX-License-Identifier: MIT
"""How long each page of `./lab site` takes in headless Chromium until it can be used.

That is the later of two moments after the request: the scripts for DOMContentLoaded have run, and the last task
of more than 50 ms has ended (the browser's `longtask`), with QUIET_MS of quiet after the page has loaded. Best of ROUNDS,
each in a new context, whose cache is empty.
"""

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from measurements import IDLE, ROOT, MeasurementError, measurement, output, provenance, write_json
from start_up import processor

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ViewportSize

ROUNDS = 2
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


@measurement("site", needs=IDLE, writes=["site.json"])
def site() -> None:
    """Measure how long each page of the site takes until it can be used."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError as error:
        raise MeasurementError(
            "playwright is missing: ./lab test --only format installs it"
        ) from error
    from lockstep_grader.toolchain.system import BROWSER_REQUIREMENTS

    chromium = BROWSER_REQUIREMENTS[0].found()
    if not chromium:
        raise MeasurementError("there is no chromium: apt-get install chromium")
    load = round(os.getloadavg()[0], 1)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        output([ROOT / "lab", "site", "--output", Path(folder) / "site"])
        top = Path(folder) / "site"
        # As root Chromium has no sandbox of its own; what it opens here is our own page.
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        pages = sorted(file for file in top.rglob("*.html") if file.name != "404.html")
        best: dict[str, int] = {}
        for _ in range(ROUNDS):
            for page in pages:
                name, took = page.relative_to(top).as_posix(), _interactive_ms(browser, page)
                best[name] = min(took, best.get(name, took))
        report = {
            **provenance(),
            "machine": {
                "processor": processor(),
                "cores": os.cpu_count(),
                "load_average": load,
                "browser": f"Chromium {browser.version}",
            },
            "milliseconds": best,
        }
        browser.close()
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
