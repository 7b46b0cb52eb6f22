# SPDX-License-Identifier: MIT
"""From a source to a judgement: compile, judge, one job or a class, here or on a cluster."""
