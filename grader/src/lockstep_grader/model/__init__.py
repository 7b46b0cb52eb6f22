# SPDX-License-Identifier: MIT
"""The grade model, and what all packages share: values and words, no I/O."""
