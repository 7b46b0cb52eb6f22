# SPDX-License-Identifier: MIT
"""The platforms that packages are made for."""

from lockstep_grader.model.compat import StrEnum

TIME_LIMIT_SECONDS = 600  # Gradescope's default, PrairieLearn's most; Autolab's as we ask for it


class Platform(StrEnum):
    GRADESCOPE = "gradescope"
    GITHUB = "github"
    AUTOLAB = "autolab"
    PRAIRIELEARN = "prairielearn"
