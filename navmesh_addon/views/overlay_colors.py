"""The colors of the overlays: red, green, blue and opacity, 0 to 255. Colors of areas are the scene's own."""

from __future__ import annotations

# Edges of polygons
INNER_EDGE, WALL, PORTAL, VERTEX = (0, 48, 64, 140), (0, 30, 48, 255), (255, 255, 255, 190), (0, 30, 48, 255)
SURFACE_OPACITY, FRESH_TILE_OPACITY = 115, 150  # of faces; what live mode has just built stands over what is written
# Volumes, bounds and seeds
BOUNDS, SEED, FORBIDDEN_VOLUME = (255, 255, 255, 200), (80, 230, 120, 255), (200, 40, 40, 255)
OBSTACLE, RESOLUTION = (255, 150, 40, 255), (150, 130, 255, 255)
_OPEN_DOOR, _CLOSED_DOOR = (90, 220, 90, 255), (235, 60, 50, 255)
# Links that were given, and those that were found: as Blender's icons of collections are, which the list shows beside
# each kind (drop, jump, climb)
ATTACHED_LINK, UNATTACHED_LINK = (255, 191, 26, 255), (255, 13, 13, 255)
KINDS_OF_LINKS = (241, 155, 65), (90, 200, 90), (160, 100, 235)
BLOCKED_LINK, REJECTED_LINK, ACTIVE_LINK = (255, 13, 13), (205, 205, 205), (255, 255, 255)
# Answers: the path, a link that it takes, what is missing of it, the polygons that are meant
PATH, TAKEN_LINK, MISSING = (255, 235, 59, 255), (255, 152, 0, 255), (229, 57, 53, 255)
MEANT_POLYGON = (255, 235, 59, 60)
# A world in sections: this one, and those around it
OWN_SECTION, NEIGHBOR = (255, 191, 26, 255), (120, 190, 255, 255)
# Texts in the viewport, 0 to 1
TEXT, TEXT_SHADOW, TEXT_SHADE = (1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 0.0, 0.8), (0.0, 0.0, 0.0, 0.55)


def color_of_door(closed: bool) -> tuple[int, int, int, int]:
    """The color of the state of a door."""
    return _CLOSED_DOOR if closed else _OPEN_DOOR
