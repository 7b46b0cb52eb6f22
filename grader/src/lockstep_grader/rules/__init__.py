# SPDX-License-Identifier: MIT
"""What a rung may contain: its source before compiling, its object file after."""
