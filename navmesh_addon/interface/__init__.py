"""What people see and press: panels, operators, progress, the checks before a build.

build_operators, prune_operator  build, rebuild, cancel; leave out what no seed can reach
checks_before_build              the forecast, kept up to date, and the button that checks everything
refused_build, fix_operators     why the last build made nothing; what the buttons of hints do
progress_display, redo_panel     progress in status bar and panel; what is changed by hand after a build
setup_operators, area_operators  setups; area types, and what has which
ground_operator, select_operator ground under a level that has none; select what a line names
path_test_operators, path_test_files, place_operators
                                 path tests and places that must be walkable, also as files
overlay_popover, manual_pages    switches of what is drawn, and a key; F1
forget_kernels_operator          throws away compiled kernels
panels/                          the panels, in the order of `registration.py`
island_operators, join_operators islands: kept, dropped, looked at; joined
links/, questions/               operators and handles of links, and of what is asked
"""
