# SPDX-License-Identifier: MIT
"""Lockstep's grader: builds, judges, scores and reports the rungs of the CUDA labs."""

__version__ = "0.3.0"
