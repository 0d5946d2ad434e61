"""The panels in the sidebar of the 3D view, tab “Navmesh”, and how sentences are divided into lines for them.

build_panel, settings_panels   building: setups, what can be said before, settings
object_panel, area_types_panel what objects are for, and area types
report_panel, view_panel       what the last build made, and views of its stages
ask_panel, compare_panel       questions, and what two navmeshes differ in
tests_panel, places_panel      path tests, and places that must be walkable
links_panel, link_list         found links
islands_panel, imported_panel  islands, and navmeshes from files
sidebar_panel, wrapped_text    what all of them share: the tab, hints with buttons, sentences in lines
"""
