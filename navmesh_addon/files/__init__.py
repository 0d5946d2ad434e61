"""Navmeshes to and from files: export, import, the level's own glTF.

export_operator    writes a navmesh for an engine, or by the ending
page_operators     shows it in a browser, or writes that page
import_operator    reads files, to look at what was shipped
gltf_level_export  the navmesh inside Blender's own glTF export of the level
"""
