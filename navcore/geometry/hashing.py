"""Sizes of trees and hash tables."""

from __future__ import annotations

from ..jit import kernel
from ..types import AnyInt


@kernel
def power_of_two(least: AnyInt) -> int:
    """The smallest power of two that is not less than `least` nor than 2."""
    size = 2
    while size < least:
        size *= 2
    return size
