"""The Blender side of Navmesh.

It registers nothing in this version: no operator, no panel. What works is `navcore`, from Python and from the shell.
"""


def register() -> None:
    """Called by Blender when the extension is enabled."""


def unregister() -> None:
    """Called by Blender when the extension is disabled; the exact reverse of register()."""
