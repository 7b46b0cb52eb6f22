# SPDX-License-Identifier: MIT
"""`profile`: what a rung costs by kernel and source line, from the device's exact counters."""
