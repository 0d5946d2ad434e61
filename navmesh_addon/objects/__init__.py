"""Navmeshes as Blender objects: arrays, meshes, materials, what they remember, all or nothing.

navmesh_objects     how they are found, and the names of their custom properties;
                    which of them the viewport shows
role_collections    collections that are found by their role, as those of a baked walk and of cover;
write_navmeshes     writes navmeshes into the scene, all or none; puts back what was there where that fails
blender_mesh        arrays become a Blender mesh, in place
navmesh_to_arrays   a navmesh as such arrays; an imported one likewise
write_links         found links as faces of one mesh
hand_edits          whether somebody edited a mesh since it was built
edit_results        what each edit made by hand does in the last build
edits_from_mesh     what somebody changed on the mesh itself, as edits
taken_over          a navmesh becomes somebody's own mesh
built_from          what objects remember of their build, and building again from that
kept_outcome        what became of path tests and places
build_report        the report of a build
island_list         the islands, read from the mesh
face_colors         which color faces show
materials           the materials of these colors; what Color By means
"""
