"""What people see and press: panels, operators, progress, the checks before a build.

build_operators                  build, rebuild, cancel; leave out what no seed can reach
checks_before_build              the forecast, kept up to date, and the button that checks everything
refused_build, fix_operators     why the last build made nothing; what the buttons of hints do, ground,
                                 selecting what a line names
progress_display, redo_panel     progress in status bar and panel; what is changed by hand after a build
setup_operators, area_operators  setups; area types, and what has which
area_icons                       a dot in the color of an area
path_test_operators              path tests and places that must be walkable; the same as files
manual_pages                     F1
job_operator                     what operators share whose work runs on a thread
panels/                          the panels, in the order of `registration.py`
island_operators                 islands: kept, dropped, looked at; joined
edit_operators                   what is changed by hand and survives builds: added, chosen, removed
own_mesh_operators               meshes that are the navmesh: taken over, mended, their faults selected
links/, questions/               operators and handles of links, and of what is asked
example_level/                   a level to try things on, made by code
helpers/                         what is added at the 3D cursor: one table, its menu, the pie menu
"""
