# SPDX-License-Identifier: MIT
"""This machine: files, processes, signals, the terminal, GPUs, and where things are."""
