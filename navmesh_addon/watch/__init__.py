"""What Blender reports while people work, and whether a navmesh is still that of its level.

blender_handlers  another file, an undo, an update of the scene, the end
listed_changes    which objects changed, as Blender lists it: for live mode and for *Out of date*
level_changes     what its list does not say: all objects compared, in slices
out_of_date       whether a navmesh still is that of its level and its setup
"""
