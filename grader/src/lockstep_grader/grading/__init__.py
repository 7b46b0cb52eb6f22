# SPDX-License-Identifier: MIT
"""Many jobs: a class, or what one person asks for, on this machine or on a cluster."""
