"""A world in sections: levels of any size whose tiles share one grid, built section by section.

world_file      `World`: what WORLD.json says, checked
blender_levels  what is kept of sections that are .blend files
section_grid    which tiles belong to which section, and who is whose neighbor
section_meshes  the mesh files of all sections: where they lie, and one after the other what they hold
section_work    one section with all that decides about it: looked at, and built
section_inputs  what each section is built from, and hashes of it
on_workers      whole sections for one worker each
section_files   stamps, the manifest, and what lies in the folder
build_world     `plan_world`, `build_world`
check_world     `check_world`, `world_facts`
"""
