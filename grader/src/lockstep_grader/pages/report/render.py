# SPDX-License-Identifier: MIT
"""Turns views into pages: one style sheet for all of them."""

from datetime import datetime
from functools import cached_property
from typing import Any

from markupsafe import Markup

from lockstep_grader import __version__
from lockstep_grader.pages.engine import content_policy, make_environment, trusted
from lockstep_grader.pages.report.charts import (
    curve_svg,
    funnel_svg,
    gauge_svg,
    histogram_svg,
    stack_svg,
)
from lockstep_grader.pages.report.words import count_of, percent, points
from lockstep_grader.pages.source import colours

GENERATOR = "Lockstep report"  # marks a page as ours, so that a later report may replace it


class Renderer:
    def __init__(self) -> None:
        self._environment = make_environment("lockstep_grader.pages.report")
        self._environment.filters.update(
            points=points,
            count_of=count_of,
            curve=curve_svg,
            funnel=funnel_svg,
            gauge=gauge_svg,
            histogram=histogram_svg,
            stack=stack_svg,
            day=_day,
        )
        self._environment.globals.update(percent=percent)

    def page(
        self, template: str, *, script_file: str = "", forms: bool = False, **values: Any
    ) -> str:
        """A page; `forms` is for one that a server of our own shows."""
        script = self._script(script_file) if script_file else Markup("")
        return self._environment.get_template(template).render(
            version=__version__,
            generator=GENERATOR,
            style=self._style,
            script=script,
            policy=content_policy(self._style, script, forms=forms),
            **values,
        )

    @cached_property
    def _style(self) -> Markup:
        return trusted(self._environment.get_template("report.css.j2").render(**colours()))

    def _script(self, file: str) -> Markup:
        return trusted(self._environment.get_template(file).render())


def _day(moment: str) -> str:
    """An ISO 8601 time as people write it; as it is when it is none."""
    try:
        return datetime.fromisoformat(moment).strftime("%-d %B %Y, %H:%M %Z").strip(" ,")
    except ValueError:
        return moment
