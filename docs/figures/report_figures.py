# SPDX-License-Identifier: MIT
"""Takes the pictures of docs/results.md from the report on the class of example_class.py.

.venv/bin/python docs/figures/report_figures.py REPORT
"""

import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).parent
PICTURES = {  # name: page, part of it, (width, height) of the window, colours
    "report-class": ("index.html", "", (1000, 1180), "light"),
    "report-student": ("students/student-02-*.html", "article:has(img)", (900, 600), "light"),
    "report-pair": ("similarity/student-02-student-03-*.html", "", (1000, 800), "dark"),
    "report-leaderboard": ("leaderboard.html", "", (900, 480), "light"),
}


def take_pictures(report: Path) -> None:
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, (pattern, part, (width, height), colours) in PICTURES.items():
            viewport = {"width": width, "height": height}
            page = browser.new_page(viewport=viewport, color_scheme=colours)
            page.goto(next(report.glob(pattern)).absolute().as_uri())
            file = FOLDER / f"{name}.png"
            (page.locator(part) if part else page).screenshot(path=file)
            with Image.open(file) as picture:  # a fifth of the size
                small = picture.convert("RGB").quantize(128, dither=Image.Dither.NONE)
                small.save(file, optimize=True)
        browser.close()


if __name__ == "__main__":
    take_pictures(Path(sys.argv[1]))
