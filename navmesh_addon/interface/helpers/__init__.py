"""Objects that say something about a level without being part of it: added at the 3D cursor, with handles.

helper_kinds   the table of them, and how each is made
add_menu       the operator, Add > Navmesh, the pie menu and the buttons of the tab Mark: all of them read the table
box_handles    a handle on each side of a box volume
pie_menu       the commonest acts around the mouse, and in Object > Navmesh for F3
"""
