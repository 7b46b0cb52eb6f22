# SPDX-License-Identifier: MIT
"""The page on which an instructor reads submissions and comments on them."""
