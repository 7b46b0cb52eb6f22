# SPDX-License-Identifier: MIT
"""What is read in: lab.toml, class lists, and submissions in folders and archives."""
