"""What the .blend file stores: settings, setups, area types, what objects are for, preferences and presets.

setups                 `Scene.navmesh` and its setups: found, chosen, added;
                       setups of older files are brought up to date; what a new setup is called, and its color
setup_properties       properties of a setup; which objects a setup builds from
setting_properties     navcore's settings as Blender properties, in Blender's units
area_types             the list of area types: number, name, color, flags, cost
object_properties      what objects, collections and materials are for: use, area, links
edit_objects           objects of what is changed by hand, in the collection “Navmesh Edits”
view_properties        what the viewport shows: view, colors, switches, live mode, comparison;
                       how agents walk the tested path
path_tests             what is asked of a navmesh: start, end, list of path tests
intent_results         what became of path tests and places in the last build
links_mesh             the mesh “Navmesh Links” with its ledger
link_rows              its links as arrays, and what somebody decided about them
link_properties        what the list of found links shows
agent_presets          agent presets by Blender's own preset system
preset_files           what their files set, read without being run
preferences            threads, and memory for views and live mode
"""
