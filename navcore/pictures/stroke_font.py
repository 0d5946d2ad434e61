"""Letters as strokes, for pictures made of pixels: capitals, digits and signs on a grid of 4 by 6.

Small letters look like capitals. Each stroke is a row of corners, x and y as a digit each; y goes down, and 6 is the
baseline.
"""

from __future__ import annotations

import numpy as np

from ..types import F64

_P = "06003041423303"
_GLYPHS = {
    "A": "0602204246 0444", "B": "06003041423303 3344453606", "C": "4130100105163645", "D": "00062644422000",
    "E": "40000646 0333", "F": "400006 0333", "G": "41301001051636454323", "H": "0006 4046 0343", "I": "1030 2026 1636",
    "J": "4045361605", "K": "0006 400346", "L": "000646", "M": "0600234046", "N": "06004640", "O": "103041453616050110",
    "P": _P, "Q": "103041453616050110 3446", "R": f"{_P} 2346", "S": "413010010213334445361605", "T": "0040 2026",
    "U": "000516364540", "V": "002640", "W": "0016233640", "X": "0046 4006", "Y": "002340 2326", "Z": "00400646",
    "0": "103041453616050110 1432", "1": "112026 1636", "2": "01103041420646", "3": "01103041423313 334445361605",
    "4": "300444 3336", "5": "4000033344453606", "6": "30100105163645443303", "7": "004016",
    "8": "103041423313020110 1304051636454433", "9": "43130201103041453616", "(": "30212536", ")": "10212516",
    "[": "30202636", "]": "10202616", ".": "2626", ",": "2517", ":": "2222 2525", ";": "2222 2517", "-": "1333",
    "_": "0646", "/": "0640", "\\": "0046", "%": "0640 0001 4546", "+": "2125 0343", "=": "0242 0444", "'": "2021",
    '"': "1011 3031", "!": "2024 2626", "?": "011030412324 2626", "*": "2125 0242 0442", "#": "1016 3036 0242 0444",
    "&": "461120311305162644", "<": "400346", ">": "004306", "²": "1020312233", " ": "",
}  # fmt: skip
_UNKNOWN = "0040460600"
_ADVANCE, _CAPITAL = 5.6, 6.0  # of the grid: from letter to letter, and the height of a capital
_CAPITAL_PART = 0.68  # of the size of a text


def text_width(text: str, size: float) -> float:
    """How wide a text is, in the unit of its size."""
    return len(text) * _ADVANCE * _unit(size)


def strokes_of(text: str, x: float, y: float, size: float) -> list[F64]:
    """The lines of a text whose baseline begins at (x, y)."""
    unit, found = _unit(size), []
    for place, letter in enumerate(text.upper()):
        for stroke in _GLYPHS.get(letter, _UNKNOWN).split():
            corners = np.array([int(digit) for digit in stroke], np.float64).reshape(-1, 2)
            found.append((corners + np.array([place * _ADVANCE, -_CAPITAL])) * unit + np.array([x, y]))
    return found


def _unit(size: float) -> float:
    return size * _CAPITAL_PART / _CAPITAL
