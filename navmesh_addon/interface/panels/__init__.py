"""The panels in the sidebar of the 3D view, tab “Navmesh”, and how sentences are divided into lines for them.

build_panel, settings_panels   navmeshes from files; building: setups, what can be said before, settings
object_panel                   what objects are for, and area types
report_panel, view_panel       what the last build made, views of its stages and switches of what is drawn
ask_panel, compare_panel       questions, and what two navmeshes differ in
tests_panel                    path tests, and places that must be walkable
links_panel                    found links, and their list
islands_panel                  islands
sidebar_panel                  what all of them share: the tab, hints with buttons, sentences in lines
"""
