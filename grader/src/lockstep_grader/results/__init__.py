# SPDX-License-Identifier: MIT
"""Results as files and as JSON, and in the formats of learning platforms."""
