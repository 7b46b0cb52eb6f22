# SPDX-License-Identifier: MIT
"""`new`: the files of a lab yet to be written."""
