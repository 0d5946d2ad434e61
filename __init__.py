"""Navmesh, a Blender extension. Both imports wait for their call: nothing here needs bpy or Numba to be there."""


def register() -> None:
    from . import navmesh_addon

    navmesh_addon.register()


def unregister() -> None:
    from . import navmesh_addon

    navmesh_addon.unregister()


_FOR_THE_GLTF_EXPORTER = (
    "glTF2ExportUserExtension", "glTF2_pre_export_callback", "glTF2_post_export_callback", "draw_export",
)  # fmt: skip


def __getattr__(name: str) -> object:
    """Blender's glTF exporter looks for these names in the root of every extension. Nothing is loaded before."""
    if name not in _FOR_THE_GLTF_EXPORTER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .navmesh_addon.files import gltf_level_export

    return getattr(gltf_level_export, name)
