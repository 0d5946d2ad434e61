"""Navmesh, a Blender extension. Both imports wait for their call: nothing here needs bpy or Numba to be there."""


def register() -> None:
    from . import navmesh_addon

    navmesh_addon.register()


def unregister() -> None:
    from . import navmesh_addon

    navmesh_addon.unregister()
