# SPDX-License-Identifier: MIT
"""Compilers: what is installed, how to get the rest, building a backend, lockstep.json."""
