"""The panels in the sidebar of the 3D view, tab “Navmesh”, and how sentences are divided into lines for them.

tabs_panel                     the row of tabs: Build, Mark, Test
build_panel, settings_panels   building, setups, navmeshes from files; the agent, cells, and all settings in Advanced
notice                         the lines below the button, and what can be said before a build in a popover
object_panel                   what objects are for, and area types
report_panel, view_panel       what the last build made, views of its stages and switches of what is drawn
ask_panel, compare_panel       questions, and what two navmeshes differ in
tests_panel                    path tests, and places that must be walkable
links_panel                    found links, and their list
islands_panel                  islands
sidebar_panel                  what all of them share: the tab, hints with buttons, sentences in lines
"""
