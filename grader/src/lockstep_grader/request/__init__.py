# SPDX-License-Identifier: MIT
"""What is judged, with what, and what a stored result depends on."""
