"""Decimal numbers to float32, bit for bit as Python's `float` and then a cast to float32 would have them.

Up to 2⁵³ and a power of ten up to 22 both are exact in float64, and one product or quotient of them is rounded once:
that is what `float` returns. Of anything longer the first 18 digits are taken. What they come to is off by less than
one part in 2⁵⁰. Rounding never changes the order of two numbers, so where both ends of that range round to the same
float32 every number between them does; where they don't (once in some millions), Python is asked.
"""

from __future__ import annotations

import numpy as np

from ...jit import kernel
from ...types import F64, U8, AnyInt

POWERS = np.array([float(f"1e{exponent}") for exponent in range(81)])  # of ten; the first 23 are exact
ASK_PYTHON = -1  # in the place of where the number ends
_MOST_DIGITS = 18  # that surely fit an int64
_EXACT, _EXACT_POWER = 1 << 53, 22
_OFF = 2.0**-50  # 1.5 roundings of 2⁻⁵³ each in the number, one in its product, and digits beyond the 18th
_LARGEST = float(np.finfo(np.float32).max)
_ZERO, _NINE, _PLUS, _MINUS, _POINT, _E, _SMALL_E = 48, 57, 43, 45, 46, 69, 101


@kernel
def number_at(text: U8, at: int, powers: F64) -> tuple[np.float32, int]:
    """The number that begins at text[at], and where it ends; ASK_PYTHON instead of that where Python is to read it.

    The text must end with something that is no part of a number.
    """
    negative = text[at] == _MINUS
    if negative or text[at] == _PLUS:
        at += 1
    digits, exponent = np.int64(0), np.int64(0)
    kept, seen, whole, past_point = 0, 0, True, False
    while True:
        digit = int(text[at]) - _ZERO
        if 0 <= digit <= 9:
            seen += 1
            if kept < _MOST_DIGITS:
                digits = digits * 10 + digit
                if digits > 0:
                    kept += 1
                exponent -= past_point
            else:
                whole = whole and digit == 0
                exponent += not past_point
        elif text[at] == _POINT and not past_point:
            past_point = True
        else:
            break
        at += 1
    if seen == 0:
        return np.float32(0), ASK_PYTHON
    if text[at] == _E or text[at] == _SMALL_E:
        written, at = _exponent_at(text, at + 1)
        exponent += written
    if at < 0:
        return np.float32(0), ASK_PYTHON
    value, known = _scaled(digits, exponent, whole, powers)
    return (-value if negative else value), (at if known else ASK_PYTHON)


@kernel
def _exponent_at(text: U8, at: int) -> tuple[AnyInt, int]:
    """The whole number at text[at] and where it ends."""
    negative = text[at] == _MINUS
    if negative or text[at] == _PLUS:
        at += 1
    begin, exponent = at, np.int64(0)
    while _ZERO <= text[at] <= _NINE:
        if at - begin == 4:
            return 0, ASK_PYTHON
        exponent = exponent * 10 + (int(text[at]) - _ZERO)
        at += 1
    if at == begin:
        return 0, ASK_PYTHON
    return (-exponent if negative else exponent), at


@kernel
def _scaled(digits: np.int64, exponent: AnyInt, whole: bool, powers: F64) -> tuple[np.float32, bool]:
    """digits · 10^exponent, and whether it is known for sure; `whole`: no digits but zeros were left out."""
    if digits == 0:
        return np.float32(0), True
    if exponent <= -len(powers) or exponent >= len(powers):
        return np.float32(0), False
    value = float(digits)
    value = value / powers[-exponent] if exponent < 0 else value * powers[exponent]
    if value * (1 + _OFF) > _LARGEST:
        return np.float32(0), False
    if whole and digits <= _EXACT and -_EXACT_POWER <= exponent <= _EXACT_POWER:
        return np.float32(value), True
    low, high = np.float32(value * (1 - _OFF)), np.float32(value * (1 + _OFF))
    return low, low == high
