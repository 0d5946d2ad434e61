"""Colors that tell areas, islands and ways apart, also for people who see fewer of them."""

from __future__ import annotations

_GROUND = {0: "#9ecbe0", 1: "#3f6fd8", 2: "#b08a5c", 3: "#46b8b0", 4: "#8cc152", 5: "#e0c341"}  # RecastDemo's areas
_OTHERS = ("#c79fd4", "#e3a28a", "#a9b665", "#d68ab0", "#89a8d8", "#cbb088", "#7fc4a4", "#d9d27a")
SEVERAL = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#7f3fbf", "#56b4e9", "#444444")
"""Of lines: the palette of Okabe and Ito, and two more."""

INNER_EDGE, WALL, LINK, INK, PAPER = "#5f7f8c", "#1f3b4d", "#b3261e", "#222222", "#ffffff"

_KINDS_OF_LINKS = {"drop": "#f4a582", "jump": "#f7d070", "climb": "#c7a5e0"}


def color_of_area(area: int) -> str:
    """The fill of an area; plain ground is 0."""
    return _GROUND.get(area, _OTHERS[area % len(_OTHERS)])


def color_of_link(kind: str) -> str:
    """The fill of wide links of a kind."""
    return _KINDS_OF_LINKS.get(kind, PAPER)
