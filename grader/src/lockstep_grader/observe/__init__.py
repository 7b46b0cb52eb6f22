# SPDX-License-Identifier: MIT
"""What a worker does in the hands of the lab's judge, and under checkers."""
