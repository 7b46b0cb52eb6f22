# SPDX-License-Identifier: MIT
"""The way of one rung from its source to a judgement: `rung` has it in one place."""
