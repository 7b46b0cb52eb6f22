# SPDX-License-Identifier: MIT
"""Where student code is compiled and run, and what it can reach from there."""
