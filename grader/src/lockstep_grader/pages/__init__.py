# SPDX-License-Identifier: MIT
"""HTML pages: what they share, and the reports."""
