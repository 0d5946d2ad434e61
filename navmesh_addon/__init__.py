"""The Blender side of Navmesh: gathers a scene's triangles, lets navcore build, and writes the navmesh back.

Nothing is imported here at once: Blender waits for the extension at start-up, Numba for the first build.
"""


def register() -> None:
    """Called by Blender when the extension is enabled."""
    from . import registration

    registration.register()


def unregister() -> None:
    """Called by Blender when the extension is disabled; the exact reverse of register()."""
    from . import registration

    registration.unregister()
