# SPDX-License-Identifier: MIT
"""The handouts and the manual as a web site, by MkDocs Material."""
